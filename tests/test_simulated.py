"""What runs on a simulated GPU, in a process in which numba's CUDA is the simulator.

`tests/simulated`, and of the language's tests those that run on every backend or try shortcuts;
those that fold messages once more in one order.
"""

from __future__ import annotations

import atexit
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
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


STARTED = {}


def begin_early():
    """Start every part in a process of its own; conftest.py does once these tests are chosen."""
    if importlib.util.find_spec("numba_cuda") is not None and not STARTED:
        folder = Path(tempfile.mkdtemp(prefix="emv-simulated-"))
        for part in PARTS:
            STARTED[part] = start(part, folder / part), folder / part
            atexit.register(STARTED[part][0].kill)


@pytest.fixture(scope="module")
def runs():
    pytest.importorskip("numba_cuda", reason="the simulator comes with numba-cuda")
    begin_early()
    yield STARTED
    for run, log in STARTED.values():
        run.kill()
        shutil.rmtree(log.parent, ignore_errors=True)


def start(part, log):
    what, deterministic = PARTS[part]
    environment = {
        **os.environ,
        "NUMBA_ENABLE_CUDASIM": "1",
        "EMV_DETERMINISTIC": deterministic,
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")]),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *what]
    with log.open("w") as said:
        return subprocess.Popen(
            command, stdout=said, stderr=subprocess.STDOUT, cwd=ROOT, env=environment
        )


@pytest.mark.parametrize("part", PARTS)
def test_simulated(part, runs):
    run, log = runs[part]
    assert run.wait() == 0, log.read_text()[-8000:]
