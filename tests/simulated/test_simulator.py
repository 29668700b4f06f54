"""The simulator itself: warp intrinsics, the order of threads, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from simulated_block import DeadlockError
from simulator import Pointer, Word, simulate

from emv.ir.kernel import KernelSource

HEAD = """
import numpy as np
from numba import cuda, int64

def program(state, out):
    t = cuda.threadIdx.x
    lane = t % 32
"""


def run(body: str, size: int = 64, **options: object) -> np.ndarray:
    """Run a kernel body; return its array ``out``."""
    text = HEAD + "".join(f"    {line}\n" for line in body.strip().splitlines())
    source = KernelSource("body", text, {"program": ("state", "out")}, {})
    out = np.zeros(size, np.int64)
    simulate(source, {"state": np.zeros(4, np.int64), "out": out}, **options)
    return out


LANES = np.arange(64) % 32
WARPS = np.arange(64) // 32 * 32


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("cuda.shfl_sync(0xffffffff, t, 5)", WARPS + 5),
        ("cuda.shfl_sync(0xffffffff, t, 37)", WARPS + 5),
        ("cuda.shfl_up_sync(0xffffffff, t, 3)", WARPS + np.where(LANES < 3, LANES, LANES - 3)),
        ("cuda.shfl_down_sync(0xffffffff, t, 1)", WARPS + np.where(LANES == 31, 31, LANES + 1)),
        ("cuda.shfl_xor_sync(0xffffffff, t, 7)", WARPS + (LANES ^ 7)),
        ("cuda.ballot_sync(0xffffffff, lane == 31)", np.full(64, -(2**31))),
        ("cuda.ballot_sync(0xffffffff, t % 2 == 0)", np.full(64, 0x55555555)),
        ("cuda.popc(cuda.ballot_sync(0xffffffff, True))", np.full(64, 32)),
        ("cuda.ffs(cuda.ballot_sync(0xffffffff, lane == 31))", np.full(64, 32)),
        ("cuda.match_any_sync(0xffffffff, lane // 16)", np.where(LANES < 16, 0xFFFF, -(2**16))),
        ("cuda.any_sync(0xffffffff, t == 40)", (WARPS == 32).astype(int)),
        ("cuda.all_sync(0xffffffff, t < 32)", (WARPS == 0).astype(int)),
        ("cuda.eq_sync(0xffffffff, t < 16)", (WARPS == 32).astype(int)),
        ("cuda.activemask()", 1 << LANES),
        ("cuda.lanemask_lt()", (1 << LANES) - 1),
        ("cuda.syncthreads_count(t % 3 == 0)", np.full(64, 22)),
        ("cuda.syncthreads_or(t == 9)", np.ones(64)),
        ("cuda.ffs(t)", [(t & -t).bit_length() for t in range(64)]),
        ("cuda.clz(t)", [64 - t.bit_length() for t in range(64)]),
        ("cuda.atomic.add(state, 0, 1) * 0 + cuda.laneid", LANES),
    ],
)
def test_intrinsics(expression, expected):
    assert np.array_equal(run(f"out[t] = {expression}"), expected)


def test_lanes_of_a_mask_meet_without_the_others():
    out = run("if lane < 4:\n    out[t] = cuda.shfl_sync(0xf, t, 2)\ncuda.syncwarp()")
    assert out[:5].tolist() == [2, 2, 2, 2, 0]


def test_shared_memory_is_one_array_for_all():
    body = """
shared = cuda.shared.array(64, int64)
shared[t] = t
cuda.syncthreads()
out[t] = shared[63 - t]
"""
    assert np.array_equal(run(body), np.arange(64)[::-1])


def test_threads_that_miss_a_barrier_are_named():
    with pytest.raises(DeadlockError, match=r"threads \[0\]: has returned") as raised:
        run("if t == 0:\n    return\ncuda.syncthreads()")
    assert "syncthreads at emv_simulated_" in str(raised.value)


def test_lanes_that_take_different_ways_are_found():
    with pytest.raises(DeadlockError, match="ballot_sync of 0xffffffff"):
        run("if lane < 16:\n    cuda.ballot_sync(0xffffffff, True)\nelse:\n    cuda.syncthreads()")


def test_what_lies_outside_an_array_is_refused():
    with pytest.raises(IndexError, match=r"out\[64\] of 64"):
        run("out[t + 1] = t")
    with pytest.raises(IndexError, match=r"out\[-1\] of 64"):
        run("out[t - 1] = t")


@pytest.mark.parametrize("seed", range(3))
def test_a_lost_update_shows(seed):
    body = "out[0] = out[0] + 1\ncuda.atomic.add(out, 1, 1)"
    out = run(body, seed=seed, stops=0.5)
    assert out[0] < 64
    assert out[1] == 64
    assert np.array_equal(out, run(body, seed=seed, stops=0.5))


def test_numbers_are_read_as_numba_types_them():
    values = Pointer("values", np.array([2**32 - 1, 5], np.uint32))
    assert values.read(0) + 1 == 2**32
    assert isinstance(values.read(0), Word)
    values.write(1, -1)
    assert values.read(1) == 2**32 - 1
    floats = Pointer("floats", np.array([0.1], np.float32))
    assert floats.read(0).dtype == np.float32


def test_another_process_is_needed():
    import simulator

    assert simulator.SIMULATED


def test_numbers_without_a_sign_stay_so():
    unsigned = Pointer("ids", np.array([3], np.uint32)).read(0)
    assert type(unsigned + np.uint64(1)) is np.uint64
    assert type(unsigned + 1) is np.int64
    assert unsigned + 1 == unsigned + np.uint64(1) == 4
