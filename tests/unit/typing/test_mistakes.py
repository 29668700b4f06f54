"""Type checkers find every mistake of a file that uses emv, and nothing else in it."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import emv

ROOT = Path(__file__).resolve().parents[3]
FILE = Path(__file__).with_name("mistakes.py")
PYRIGHT = shutil.which("basedpyright") or shutil.which("pyright")


def marked():
    """The lines that say they are mistaken."""
    lines = enumerate(FILE.read_text(encoding="utf-8").splitlines(), 1)
    return [number for number, line in lines if line.endswith("# mistake")]


def test_mypy_finds_all_mistakes_and_no_more():
    command = [sys.executable, "-m", "mypy", "--config-file=", "--no-error-summary", str(FILE)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    found = re.findall(r"mistakes\.py:(\d+): error", done.stdout)
    assert len(marked()) == 12
    assert sorted({int(each) for each in found}) == marked(), done.stdout + done.stderr


@pytest.mark.skipif(PYRIGHT is None, reason="pyright is not installed")
def test_pyright_finds_all_mistakes_and_no_more(tmp_path):
    project = {"extraPaths": [str(ROOT)], "pythonVersion": "3.11"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(project), encoding="utf-8")
    pyright = str(Path(PYRIGHT).absolute())
    command = [pyright, "--outputjson", "--pythonpath", sys.executable, str(FILE)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    found = json.loads(done.stdout)["generalDiagnostics"]
    errors = [each["range"]["start"]["line"] + 1 for each in found if each["severity"] == "error"]
    assert sorted(set(errors)) == marked(), done.stdout


def test_all_names_are_listed():
    assert set(dir(emv)) >= {*emv.__all__, "algorithms", "datasets", "gas", "generators", "testing"}
    assert all(getattr(emv, name) is not None for name in dir(emv) if name[0] != "_")
