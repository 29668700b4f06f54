"""What numba has kept of the package's own kernels is compiled anew where it is damaged."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytest.importorskip("numba")

PROGRAM = """
import numpy as np
from emv_kernels.cpu.build import first_positions
print(first_positions(np.array([0, 1, 1]), 2, np.dtype("int64"), 1))
"""


def printed(folder):
    """Run the program with a cache folder of its own; return what it printed and said."""
    knobs = {**os.environ, "EMV_CACHE": str(folder)}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, env=knobs, capture_output=True, text=True, check=False)
    return done.stdout, done.stderr


@pytest.mark.parametrize(("suffix", "left"), [(".nbi", 0), (".nbc", 50)])
def test_damaged_kernels_are_compiled_anew(tmp_path, suffix, left):
    first, said = printed(tmp_path)
    assert first
    assert said == ""
    for path in tmp_path.rglob(f"*{suffix}"):
        path.write_bytes(path.read_bytes()[:left])
    again, said = printed(tmp_path)
    assert again == first
    assert "compiled anew" in said
    assert printed(tmp_path) == (first, "")
