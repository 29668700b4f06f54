"""Device code of `emv_kernels.cuda` in one simulated warp or two."""

from __future__ import annotations

import numpy as np
import pytest

from emv.backends.simulated.launch import simulate
from emv.ir.kernel import KernelSource
from emv_kernels.sizes import PENDING_LONG, WIDE

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


QUEUED = """
import numpy as np
from numba import cuda

from emv_kernels.cuda.claims import clear_piles, empty_if_counted, enqueue_on_counted
from emv_kernels.cuda.queues import enqueue_counted, note_long
from emv_kernels.cuda.search import ENTRY


def program(state, queue, first, asked):
    piles = cuda.shared.array(0, ENTRY)
    clear_piles(piles)
    t = cuda.threadIdx.x
    if t < asked[0]:
        vertex = np.uint32(t)
        note_long(state, first, vertex)
        if asked[1] != 0:
            enqueue_on_counted(piles, 0, queue, state, 0, 1, first, vertex)
        else:
            enqueue_counted(queue, state, 0, 1, first, vertex)
    empty_if_counted(piles, 0, 0, queue, state, 0, 1, first)
"""


@pytest.mark.parametrize("by_piles", [0, 1])
@pytest.mark.parametrize(("degrees", "is_long"), [([3, WIDE, 5], 1), ([3, WIDE - 1, 0], 0)])
def test_queued_vertices_are_counted_with_their_arcs_and_a_long_row_is_noted(
    degrees, is_long, by_piles
):
    first = np.concatenate([[0], np.cumsum(degrees)]).astype(np.uint32)
    state, queue = np.zeros(PENDING_LONG + 1, np.int64), np.full(8, 77, np.uint32)
    asked = np.array([len(degrees), by_piles], np.int64)
    arrays = {"state": state, "queue": queue, "first": first, "asked": asked}
    names = tuple(arrays)
    simulate(KernelSource("queued", QUEUED, {"program": names}, {}, shared_bytes=24576), arrays)
    assert sorted(queue[:3].tolist()) == [0, 1, 2]
    assert state[:2].tolist() == [3, sum(degrees)]
    assert state[PENDING_LONG] == is_long
