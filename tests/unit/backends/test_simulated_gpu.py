"""With numba's own switch ``cuda`` is a simulated GPU, for users and not for these tests alone."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("numba_cuda")
pytest.importorskip("greenlet")

from emv.backends.simulated.gpu import SimulatedDriver

SCRIPT = """
import numpy as np
import emv
from emv import Edge, Vertex, edge, f32, program, vertex
from emv.errors import BackendUnavailableError

class City(Vertex):
    heard: f32 = 0.0

@edge
def tell(e: Edge[City]):
    e.send(e.src.id + 1.0)

@vertex
def hear(v: City, total: f32):
    v.heard = total

@program
def told(g):
    hear(g.vertices, emv.sum(tell(g.edges)))
    return g.vertices.heard

g = emv.Graph.from_edges([0, 1, 2, 0], [1, 2, 0, 2])
found = told.run(g.on("cuda"))
assert np.asarray(found.result).tolist() == told(g, backend="python").tolist() == [3, 1, 3]
assert type(found.result).__name__ == "DeviceArray"
assert emv.cuda_available()
assert "cuda.grid" in told.source(g.on("cuda"))
try:
    told(g, backend="cuda:1")
except BackendUnavailableError as error:
    print(error)
print(emv.show_config())
"""


def test_a_users_program_runs_by_its_kernels_and_is_told_so(tmp_path):
    path = tmp_path / "own.py"
    path.write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, path],
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "own.py:24: HintWarning: NUMBA_ENABLE_CUDASIM=1: cuda is a GPU simulated" in done.stderr
    assert "with NUMBA_ENABLE_CUDASIM=1 one GPU is simulated" in done.stdout
    assert "simulated in Python" in done.stdout


@pytest.mark.parametrize("waits", [False, True])
def test_copies_are_as_late_as_those_of_a_gpu_may_be(waits):
    """What one stream is to write another may read too early, unless somebody waits for it."""
    driver = SimulatedDriver()
    one, other = driver.new_stream(), driver.new_stream(apart=True)
    address, found = driver.allocate(64), np.zeros(8, np.int64)
    driver.fill(address, np.int64(7).tobytes(), 8, other)
    if waits:
        driver.synchronize(other)
    driver.copy(found.ctypes.data, address, 64, one)
    assert (found == 7).all() == waits
    driver.copy(found.ctypes.data, address, 64, other)
    assert (found == 7).all()
