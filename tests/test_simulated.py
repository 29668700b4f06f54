"""The tests of `tests/simulated`, in a process in which numba's CUDA is the simulator."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def test_simulated():
    pytest.importorskip("numba_cuda", reason="the simulator comes with numba-cuda")
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/simulated"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
