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


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Every part in a process of its own, all at work at once."""
    pytest.importorskip("numba_cuda", reason="the simulator comes with numba-cuda")
    folder = tmp_path_factory.mktemp("simulated")
    started = {part: start(part, folder / part) for part in PARTS}
    yield {part: (run, folder / part) for part, run in started.items()}
    for run in started.values():
        run.kill()


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
