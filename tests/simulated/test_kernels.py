"""Device code of `emv_kernels.cuda` in one simulated warp or two."""

from __future__ import annotations

import numpy as np
import pytest

from emv.backends.simulated.launch import simulate
from emv.ir.kernel import KernelSource

SHARE_OUT = """
import numpy as np
from numba import cuda

from emv_kernels.cuda.queues import share_out


def program(state, sources, begins, degrees, left):
    t = cuda.threadIdx.x
    left[t] = share_out(state, 0, sources, begins, t, 1000 * t, degrees[t])
"""


@pytest.mark.paper("S9")
@pytest.mark.parametrize("wide", [[0], [31], [31, 32], [5, 31, 63], list(range(64)), []])
def test_long_rows_are_cut_once(wide):
    degrees = np.arange(64, dtype=np.int64)
    degrees[wide] = 1024 + np.arange(len(wide))
    state, left = np.zeros(1, np.int64), np.full(64, -1, np.int64)
    sources, begins = np.full(400, 7777, np.uint32), np.zeros(400, np.int64)
    names = ("state", "sources", "begins", "degrees", "left")
    arrays = dict(zip(names, (state, sources, begins, degrees, left), strict=True))
    simulate(KernelSource("share_out", SHARE_OUT, {"program": names}, {}), arrays)
    pieces = [(v, 1000 * v + 512 * k) for v in wide for k in range(-(-degrees[v] // 512))]
    found = zip(sources[: state[0]].tolist(), begins[: state[0]].tolist(), strict=True)
    assert sorted(found) == sorted(pieces)
    assert left.tolist() == [0 if v in wide else v for v in range(64)]
