"""Suites of tests and commands that pages show run, and print what the pages show."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from examples.pages import FENCE, Block, difference

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "docs" / "lessons" / "09_tests.md", ROOT / "docs" / "command_line.md"]


def run(command, folder):
    """Run a shell command as a reader does who has emv installed; return what it prints."""
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PYTHONPATH": str(ROOT),
        "PYTEST_ADDOPTS": "-p emv_pytest -p no:cacheprovider --color=no",
        "HYPOTHESIS_STORAGE_DIRECTORY": str(folder / "hypothesis"),
    }
    done = subprocess.run(
        command, shell=True, cwd=folder, env=environment, capture_output=True, text=True
    )
    minutes = re.compile(r"(?<=s) \(\d+:\d\d:\d\d\)")  # which pytest adds where it took long
    return minutes.sub("", done.stdout + done.stderr)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page_of_files_and_commands_runs_as_shown(page, tmp_path):
    fences = FENCE.findall(page.read_text(encoding="utf-8"))
    printed, num_shown = "", 0
    for kind, code in fences:
        if kind == "py":
            (tmp_path / re.match(r"# (\w+\.py)\n", code)[1]).write_text(code, encoding="utf-8")
        elif kind == "sh":
            printed = run(code, tmp_path)
        elif kind == "text":
            shown = difference(Block(0, "", code), printed)
            assert not shown, shown
            num_shown += 1
    assert num_shown >= 2
