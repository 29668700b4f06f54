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
SHOWN = "(cuda:0 and not one_vertex_stress and not 200000) or test_relaxations or test_claims"
SHOWN += " or test_spellings or test_rising or test_directions"
LANGUAGE = ["-p", "simulated_backend", "-k", SHOWN, "tests/backends"]
FOLDING = ["messages", "combiners", "activity"]
PAGES = [f"tests/backends/test_language_{each}.py" for each in FOLDING]
PARTS = {
    "kernels": (["tests/simulated"], "0"),
    "language": (LANGUAGE, "0"),
    "deterministic": (["-p", "simulated_backend", *PAGES], "1"),
}
STARTED = {}
MOST_S = 4500  # two slow cores that had other work took 1,400


def begin_early():
    """Start every part in a process of its own; conftest.py does where there is but one process."""
    if importlib.util.find_spec("numba_cuda") is not None:
        for part in PARTS:
            begin(part)


def begin(part):
    """Start a part unless it runs; return its process and what it says."""
    if part not in STARTED:
        log = Path(tempfile.mkdtemp(prefix="emv-simulated-")) / part
        STARTED[part] = start(part, log), log
        atexit.register(STARTED[part][0].kill)
    return STARTED[part]


@pytest.fixture(scope="module", autouse=True)
def all_ended():
    yield
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
    command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", *what]
    with log.open("w") as said:
        return subprocess.Popen(
            command, stdout=said, stderr=subprocess.STDOUT, cwd=ROOT, env=environment
        )


@pytest.mark.parametrize("part", PARTS)
def test_simulated(part):
    pytest.importorskip("numba_cuda", reason="the simulator comes with numba-cuda")
    run, log = begin(part)
    try:
        ended = run.wait(MOST_S)
    except subprocess.TimeoutExpired:
        ended = "it does not end"
    assert ended == 0, f"{ended}: {log.read_text()[-8000:]}"
