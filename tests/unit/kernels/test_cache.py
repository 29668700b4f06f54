"""What is kept of the package's own kernels is of the sources that there are, and whole."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import emv_kernels

pytest.importorskip("numba")

ROOT = Path(emv_kernels.__file__).parent.parent
PROGRAM = """
import numpy as np
from emv_kernels.cpu.build import first_positions
print(first_positions(np.array([0, 1, 1]), 2, np.dtype("int64"), 1))
"""
WRITING = """
import numpy as np
from emv_kernels.cpu.write_lists import format_lists
out = np.zeros(100, np.uint8)
one, tails = np.array([1]), np.frombuffer(b"", np.uint8)
print(out[:format_lists(np.zeros((1, 0), np.int64), one, one + 6, tails, out)].tobytes())
"""  # its digits are put down by a helper in another module


def printed(folder, program=PROGRAM, at=ROOT):
    """Run a program with a cache folder of its own; return what it printed and said."""
    knobs = {
        **os.environ,
        "EMV_CACHE": str(folder),
        "PYTHONPATH": str(at),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=knobs, cwd=at, capture_output=True, text=True, check=False)
    return done.stdout, done.stderr


@pytest.mark.parametrize("change", ["cut", "flip"])
def test_damaged_kernels_are_compiled_anew(tmp_path, change):
    first, said = printed(tmp_path)
    assert first
    assert said == ""
    for path in tmp_path.rglob("*.nbc"):
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content[:50] if change == "cut" else content)
    again, said = printed(tmp_path)
    assert again == first
    assert "is damaged" in said
    assert printed(tmp_path) == (first, "")


def test_what_is_kept_needs_nothing_that_only_compiling_needs(tmp_path):
    asks = "\nimport sys\nprint('numba.np.arraymath' in sys.modules, 'scipy.linalg' in sys.modules)"
    calls_new = "\nprint(first_positions(np.array([0, 1, 1], np.uint16), 2, np.dtype('int64'), 1))"
    first, said = printed(tmp_path, PROGRAM + asks)
    assert "True" in first
    assert said == ""
    again, said = printed(tmp_path, PROGRAM + asks)
    assert again == first.replace("True", "False")
    assert said == ""
    both, said = printed(tmp_path, PROGRAM + calls_new)  # one kept, one compiled beside it
    assert both == first.splitlines(keepends=True)[0] * 2
    assert said == ""


def test_a_changed_helper_is_never_stale(tmp_path):
    package, cache = tmp_path / "emv_kernels", tmp_path / "cache"
    shutil.copytree(ROOT / "emv_kernels", package, ignore=shutil.ignore_patterns("*.pyc"))
    seven, letter = ("b'7\\n'\n", ""), ("b'H\\n'\n", "")
    assert printed(cache, WRITING, tmp_path) == seven
    helper = package / "cpu" / "write.py"
    before = helper.stat()
    text = helper.read_text()
    helper.write_text(text.replace("_ZERO = 48", "_ZERO = 65"))
    os.utime(helper, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert helper.stat().st_size == before.st_size
    assert printed(cache, WRITING, tmp_path) == letter
    helper.write_text(text)
    assert printed(cache, WRITING, tmp_path) == seven
    assert len(list(cache.iterdir())) == 2  # a folder of each version


def test_nothing_is_kept_of_sources_that_change_meanwhile(tmp_path, monkeypatch):
    from emv_kernels import kept

    path = tmp_path / "kept"
    kept.keep(path, b"x")
    assert kept.kept(path) == b"x"
    monkeypatch.setattr(kept, "marks_of_sources", lambda: ("touched",))
    kept.keep(path, b"y")
    assert kept.kept(path) == b"y"
    monkeypatch.setattr(kept, "digest_of_sources", lambda: "another")
    kept.keep(path, b"x")
    assert kept.kept(path) == b"y"


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="modes are of another kind here")
def test_a_cache_that_others_may_write_is_not_used(tmp_path):
    folder = tmp_path / "cache"
    folder.mkdir()
    folder.chmod(0o777)
    first, said = printed(folder)
    assert first
    assert said.count("can be written by others") == 1
    assert list(folder.iterdir()) == []
    folder.chmod(0o700)
    assert printed(folder) == (first, "")
    made = next(folder.iterdir())
    assert stat.S_IMODE(made.stat().st_mode) == 0o700
    assert list(made.glob("*.nbc"))


def test_a_process_knows_what_another_has_kept(tmp_path):
    asked = "from emv_kernels.cache import is_kept; print(is_kept('build', '_count'))"
    assert [printed(tmp_path, each)[0] for each in (asked, PROGRAM, asked)][::2] == [
        "False\n",
        "True\n",
    ]
