"""A damaged file of kept kernels is made anew, whichever it is and whatever is left of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from emv.config import config
from emv.ir.kernel import KernelSource

cpu = pytest.importorskip("emv.backends.cpu")
compiling = pytest.importorskip("emv.backends.compiling")

ROOT = Path(__file__).parents[3]
TEXT = '''"""Kernels by hand."""
from numba import njit


@njit(cache=True)
def double(values):
    for place in range(len(values)):
        values[place] *= 2
'''
SOURCE = KernelSource("by_hand", TEXT, {"double": ("values",)}, {})


def doubled():
    """Load the kernels as a new process would, and return what they make of 3."""
    sys.modules.pop(f"emv_generated_{SOURCE.digest(cpu.toolchain())}", None)
    values = np.array([3])
    compiling.call(cpu.load(SOURCE), "double", [values], SOURCE, ())
    return values[0]


def damaged(path, left):
    """Leave some bytes of a file, or flip a bit of its last; return what it was."""
    before = path.read_bytes()
    path.write_bytes(before[:left] if left >= 0 else before[:-1] + bytes([before[-1] ^ 1]))
    return before


@pytest.fixture
def kept(tmp_path):
    """Return the files of the kernels, by their endings."""
    with config.using(cache=tmp_path):
        assert doubled() == 6
        yield {path.suffix: path for path in tmp_path.rglob("emv_generated_*")}


@pytest.mark.parametrize("left", [0, 50, -1])
def test_a_damaged_text_is_written_anew(kept, left):
    before = damaged(kept[".py"], left)
    assert doubled() == 6
    assert kept[".py"].read_bytes() == before


@pytest.mark.parametrize("left", [0, 50, -1])
@pytest.mark.parametrize("suffix", [".code", ".nbc"])
def test_damaged_code_is_compiled_anew(kept, suffix, left, caplog):
    damaged(kept[suffix], left)
    assert doubled() == 6
    assert "is damaged" in caplog.text
    size = kept[suffix].stat().st_size
    caplog.clear()
    assert doubled() == 6  # from what is kept now
    assert kept[suffix].stat().st_size == size > 50
    assert caplog.text == ""


def test_an_error_of_a_kernel_stays_one(kept):
    wrong = KernelSource("by_hand", TEXT.replace("*= 2", "*= two"), SOURCE.functions, {})
    with pytest.raises(compiling.CompileError, match="two"):
        compiling.call(cpu.load(wrong), "double", [np.array([3])], wrong, ())


def test_code_for_other_types_is_compiled_anew(kept):
    module = cpu.load(SOURCE)
    compiling.call(module, "double", [np.array([3.0])], SOURCE, ())
    files = list(kept[".nbc"].parent.glob("*.nbc"))
    assert len(files) == 2  # one for each type
    for path in files:
        damaged(path, 0)
    sys.modules.pop(module.__name__)
    module = cpu.load(SOURCE)
    whole, real = np.array([3]), np.array([3.5])
    for values in (whole, real):
        compiling.call(module, "double", [values], SOURCE, ())
    assert (whole[0], real[0]) == (6, 7.0)


def test_who_writes_the_cache_may_be_killed_and_bits_may_flip():
    """Runs apart: its writers are forks, and this process has threads."""
    command = [sys.executable, "-m", "tests.stress.trust", "--part", "cache", "--small"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=os.environ)
    assert done.returncode == 0, done.stdout + done.stderr
