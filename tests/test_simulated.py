"""What runs on a simulated GPU, in a process in which numba's CUDA is the simulator.

`tests/simulated`, and of the language's tests those that run on every backend or try shortcuts;
those that fold messages once more in one order.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHOWN = "(cuda:0 and not host_loop and not stress) or test_relaxations or test_claims"
LANGUAGE = ["-p", "simulated_backend", "-k", SHOWN, "tests/backends"]
FOLDING = ["messages", "combiners", "activity"]
PAGES = [f"tests/backends/test_language_{each}.py" for each in FOLDING]
PARTS = {
    "kernels": (["tests/simulated"], "0"),
    "language": (LANGUAGE, "0"),
    "deterministic": (["-p", "simulated_backend", *PAGES], "1"),
}


@pytest.mark.parametrize("part", PARTS)
def test_simulated(part):
    what, deterministic = PARTS[part]
    pytest.importorskip("numba_cuda", reason="the simulator comes with numba-cuda")
    environment = {
        **os.environ,
        "NUMBA_ENABLE_CUDASIM": "1",
        "EMV_DETERMINISTIC": deterministic,
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")]),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *what]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
