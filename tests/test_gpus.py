"""On several simulated GPUs what else runs on one: some of each kind of thing that a program does.

All of `tests/backends` can run so, see `tests/gpus_backend.py`; it takes an hour.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PLACES = "0,1,2/hash"
TESTS = """
test_language_sets.py test_language_combiners.py test_language_draws.py test_edges.py::test_edges
test_masks.py::test_a_traversal_by_mask test_masks.py::test_edges_lists_and_vertices_over_a_mask
"""


@pytest.mark.paper("S90", "S102")
def test_on_gpus():
    pytest.importorskip("numba_cuda", reason="the simulator comes with numba-cuda")
    environment = {
        **os.environ,
        "NUMBA_ENABLE_CUDASIM": "1",
        "EMV_TEST_GPUS": PLACES,
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")]),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "gpus_backend"]
    command += [
        "-k",
        "cuda: and not i8 and not u64",
        *(f"tests/backends/{each}" for each in TESTS.split()),
    ]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, (run.stdout + run.stderr)[-8000:]
