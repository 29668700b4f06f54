"""What is no plain file gives the graph that the same bytes in a file give."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import emv
from emv.errors import GraphFormatError
from emv.graph.io import streams
from emv.graph.io.partition import read_partition
from emv.graph.io.registry import FORMATS
from tests.stress import trust_writers

ROOT = Path(emv.__file__).parents[1]
LINES = "".join(f"{vertex} {vertex + 1}\n" for vertex in range(1000))


@contextmanager
def pipe_of(path: Path, content: bytes) -> Iterator[Path]:
    """Give a named pipe into which somebody writes these bytes, some at a time, and only once."""
    os.mkfifo(path)

    def write() -> None:
        with path.open("wb") as pipe:
            for begin in range(0, len(content), 3000):
                pipe.write(content[begin : begin + 3000])

    writer = threading.Thread(target=write)
    writer.start()
    yield path
    writer.join()


@pytest.mark.parametrize("name", [name for name in trust_writers.FILES if name[:3] != "a.e"])
@pytest.mark.parametrize("is_said", [False, True])
def test_a_pipe_is_read_as_the_file_is(tmp_path: Path, name: str, is_said: bool) -> None:
    file = tmp_path / name
    emv.write(trust_writers.graph_for(name, 300, 1), file)
    expected = emv.read(file)
    (tmp_path / "pipe").mkdir()
    suffix = file.name.removesuffix(".gz").removesuffix(".zst")[1:]
    format = next(each.name for each in FORMATS if suffix in each.suffixes)
    with pipe_of(tmp_path / "pipe" / name, file.read_bytes()) as pipe:
        graph = emv.read(pipe, format=format if is_said else None)
    assert repr(graph) == repr(expected)
    for ours, theirs in zip(graph.arcs(), expected.arcs(), strict=True):
        assert np.array_equal(ours, theirs)


def test_edges_of_a_data_set_may_come_out_of_a_pipe(tmp_path: Path) -> None:
    (tmp_path / "a.v").write_text("1\n2\n3\n")
    with pipe_of(tmp_path / "a.e", b"1 2\n2 3\n") as pipe:
        assert emv.read(pipe).num_edges == 2


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("a.mtx", b"3 3 1\n1 2 1\n3 1 4\n", r"a\.mtx:3: .*here is another"),
        ("a.gr", b"p sp 2 1\na 1 2 3\na 2 1 3\n", r"a\.gr:3: .*here is another"),
        ("a.part.2", b"1\n\n", r"a\.part\.2:2: the line has no part number"),
    ],
)
def test_an_error_names_the_line_that_is_long_gone(tmp_path, name, content, what) -> None:
    use = read_partition if "part" in name else emv.read
    with (
        pipe_of(tmp_path / name, content) as pipe,
        pytest.raises(GraphFormatError, match=what),
    ):
        use(pipe)


def test_stdin_and_the_shells_pipes(tmp_path: Path) -> None:
    script = "import emv; print(emv.read('/dev/stdin', format='edge-list').num_edges)"
    done = subprocess.run(
        [sys.executable, "-c", script], input=LINES, capture_output=True, text=True, check=True
    )
    assert done.stdout == "1000\n"
    command = [sys.executable, "-m", "emv", "info", "/dev/stdin"]
    done = subprocess.run(command, input=LINES, capture_output=True, text=True, cwd=ROOT)
    assert "edge-list" in done.stdout
    assert "1,001" in done.stdout


def test_a_silent_pipe_says_that_it_waits(tmp_path: Path, monkeypatch, caplog) -> None:
    monkeypatch.setattr(streams, "_SILENT_MS", 50)
    pipe = tmp_path / "a.txt"
    os.mkfifo(pipe)
    writer = threading.Timer(0.5, lambda: pipe.write_text("0 1\n"))
    writer.start()
    with caplog.at_level(logging.WARNING, logger="emv"):
        assert emv.read(pipe, format="edge-list").num_edges == 1
    writer.join()
    assert caplog.messages == [f"{pipe}: nothing comes yet, waiting for the program that writes it"]


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null"])
def test_devices_are_refused(device: str) -> None:
    with pytest.raises(GraphFormatError, match="is a device and no file"):
        emv.read(device, format="edge-list")
