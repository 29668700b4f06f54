"""The code of README and of the lessons runs, in order, and prints what the pages show."""

import re
import sys
import types
from pathlib import Path

import pytest
from backends_available import BACKENDS
from examples.pages import Block, blocks_of, difference, printed_by
from lines_of_code import code_lines

from emv import algorithms, config
from emv.cli import main

ROOT = Path(__file__).resolve().parents[2]
LESSONS = sorted((ROOT / "docs" / "lessons").glob("*.md"))
OTHERS = [ROOT / "docs" / name for name in ("gascl.md", "coming_from.md", "networkx.md")]
PAGES = [ROOT / "README.md", *LESSONS, *OTHERS]


@pytest.fixture
def beside_the_clone(tmp_path, monkeypatch):
    """A folder to write in, from which the graphs of the repository have their paths."""
    for name in ("bench", "tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_pages_are_found():
    assert [page.name for page in PAGES][:3] == ["README.md", "01_pagerank.md", "02_frontiers.md"]
    assert all(list(blocks_of(page.read_text(encoding="utf-8"))) for page in PAGES)


@pytest.mark.paper("S173")
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page_runs_as_shown(page, backend, beside_the_clone, monkeypatch):
    module = types.ModuleType(f"page_{page.stem}_{backend}")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    with config.using(backend=backend):
        for block in blocks_of(page.read_text(encoding="utf-8")):
            printed = printed_by(block, beside_the_clone / block.file_name(page.stem), module)
            if backend == "cuda" and "explain(" in block.code:
                continue  # the pages show what runs on the CPU
            assert not difference(block, printed), (
                f"{page.name}:{block.line}\n{difference(block, printed)}"
            )


def test_main_job_prints_the_ranks_that_readme_shows(beside_the_clone, capsys):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"command: main-job.*?```text\n(.*?)```", text, re.DOTALL)[1]
    assert main(["run", "pagerank", "bench/graphs/wiki-Vote.txt.gz"]) == 0
    table = shown[shown.index("vertex ") :]
    assert capsys.readouterr().out.endswith(table)


@pytest.mark.parametrize("lesson", ["03_your_own", "04_gpu"])
def test_own_algorithm_of_the_lesson_is_short(lesson):
    text = (ROOT / "docs" / "lessons" / f"{lesson}.md").read_text(encoding="utf-8")
    program = next(block for block in blocks_of(text) if "@program" in block.code)
    assert 15 < code_lines(program.code) < 28


def test_names_to_come_to_are_there():
    text = (ROOT / "docs" / "coming_from.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+)\(g[,)]", text))
    assert {"pagerank", "bfs"} <= named
    assert named <= {*algorithms.__all__, "advance", "f"}


def test_output_that_differs_is_seen():
    block = Block(1, "print(1)\n", "2\n")
    assert difference(block, "2\n") == ""
    assert difference(block, "1\n").startswith("shown:\n2\n")
    excerpt = Block(1, "", "a\n...\nd\n")
    assert difference(excerpt, "a\nb\nc\nd\n") == ""
    assert difference(excerpt, "a\nb\n").startswith("shown:\nd\n")


def test_error_that_does_not_come_is_seen(tmp_path):
    block = Block(1, "x = 1\n", "emv.errors.FieldError: no such field\n")
    with pytest.raises(AssertionError, match="there was none"):
        printed_by(block, tmp_path / "fine.py", types.ModuleType("fine"))
