"""The line on a terminal: when it shows, what it says, and that it goes away."""

from __future__ import annotations

import io
import threading

import pytest
from graph_files import DATA

import emv.graph.io
from emv.cli.failures import ERASE_LINE
from emv.cli.progress import Progress, progress_line, reading_line
from emv.graph.io.source import Source
from emv.runtime.program import ProgramFunction

KARATE = DATA / "mtx" / "karate.mtx"


class Terminal(io.StringIO):
    """A stream that is a terminal and tells when something has been written."""

    def __init__(self):
        super().__init__()
        self.is_written = threading.Event()

    def isatty(self):
        return True

    def write(self, text):
        written = super().write(text)
        self.is_written.set()
        return written


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setattr("emv.cli.progress.FIRST_LINE_S", 0.001)
    return Terminal()


def test_line_shows_and_is_erased(terminal):
    with Progress(terminal).stage("reading roads.txt"):
        assert terminal.is_written.wait(10)
    assert terminal.getvalue().startswith(f"{ERASE_LINE}emv: reading roads.txt 0 s")
    assert terminal.getvalue().endswith(ERASE_LINE)


def test_short_work_says_nothing():
    terminal = Terminal()
    with Progress(terminal).stage("reading roads.txt"):
        pass
    assert terminal.getvalue() == ""


def test_no_terminal_no_line(monkeypatch):
    monkeypatch.setattr("emv.cli.progress.FIRST_LINE_S", 0.001)
    stream, num_threads = io.StringIO(), threading.active_count()
    with Progress(stream).stage("reading roads.txt"):
        assert threading.active_count() == num_threads
    assert stream.getvalue() == ""


def test_line_is_erased_after_an_error(terminal):
    def interrupted():
        with Progress(terminal).stage("reading roads.txt"):
            assert terminal.is_written.wait(10)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert terminal.getvalue().endswith(ERASE_LINE)


def test_line_fits_the_terminal(terminal, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    with Progress(terminal).stage("reading " + "x" * 100):
        assert terminal.is_written.wait(10)
    assert max(map(len, terminal.getvalue().split(ERASE_LINE))) == 19


@pytest.mark.parametrize(("num_done", "filled"), [(1, 0), (50, 12), (100, 24), (101, 24)])
def test_bar_fills(num_done, filled):
    assert progress_line("pagerank", 1, num_done, 100).count("#") == filled


def test_bar_of_no_superstep():
    assert "superstep 1 of at most 0" in progress_line("pagerank", 1, 1, 0)


def test_command_shows_reading_and_supersteps(command, terminal, monkeypatch):
    read, run = emv.graph.io.read_source, ProgramFunction.run

    def slow_read(*args, **named):
        assert terminal.is_written.wait(10)
        return read(*args, **named)

    def slow_run(program, graph, *, callback, **named):
        assert not callback(7, {})
        terminal.is_written.clear()
        assert terminal.is_written.wait(10)
        return run(program, graph, **named)

    monkeypatch.setattr("emv.cli.graph_file.read_source", slow_read)
    monkeypatch.setattr(ProgramFunction, "run", slow_run)
    monkeypatch.setattr("sys.stderr", terminal)
    assert command("run", "pagerank", KARATE, "--device", "python").code == 0
    assert f"emv: reading {KARATE} 0 s" in terminal.getvalue()
    assert "emv: pagerank [#" in terminal.getvalue()
    assert "superstep 7 of at most 100" in terminal.getvalue()


def test_a_file_that_is_read_tells_percent_and_rate(tmp_path):
    path = tmp_path / "roads.txt"
    path.write_bytes(b"0 1\n" * 250_000)
    source = Source(path)
    assert (source.bytes_done(), source.num_bytes) == (0, 1_000_000)
    with source.open() as file:
        file.read(400_000)
        line = reading_line("reading roads.txt", 2.0, source.bytes_done(), source.num_bytes)
    assert line == "emv: reading roads.txt 40 %, 0.2 MB/s, 2 s"
    assert source.bytes_done() == 0  # closed


def test_a_long_reading_is_drawn_with_its_share(terminal):
    with Progress(terminal).stage("reading x", bytes_of=lambda: (3_000_000, 4_000_000)):
        assert terminal.is_written.wait(10)
    assert "emv: reading x 75 %, " in terminal.getvalue()
