"""The simulator itself: warp intrinsics, the order of threads, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from emv.backends.simulated.block import DeadlockError
from emv.backends.simulated.launch import Pointer, Word, simulate
from emv.backends.simulated.races import Races
from emv.backends.simulated.shadow import Shadow
from emv.ir.kernel import KernelSource

HEAD = """
import numpy as np
from numba import cuda, int64

def program(state, out):
    t = cuda.threadIdx.x
    lane = t % 32
"""


def run(body: str, size: int = 64, **options: object) -> np.ndarray:
    """Run a kernel body; return its array ``out``. Lanes stay together as long as they can."""
    options = {"splits": 0, **options}
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
        ("cuda.popc(cuda.activemask())", np.full(64, 32)),
        ("cuda.reduce_add_sync(0xffffffff, lane)", np.full(64, 496)),
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
    with pytest.raises(DeadlockError, match=r"threads \[0\] of block 0: has returned") as raised:
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
def test_a_seed_is_an_order_of_threads(seed):
    body = "out[cuda.atomic.add(state, 0, 1)] = t"
    out = run(body, seed=seed, stops=0.5)
    assert sorted(out) == list(range(64)) != out.tolist()
    assert np.array_equal(out, run(body, seed=seed, stops=0.5))
    assert not np.array_equal(out, run(body, seed=seed + 1, stops=0.5))


def test_lanes_side_by_side_are_told_together_or_apart():
    body = "mask = cuda.activemask()\nout[t] = cuda.popc(mask)\ncuda.shfl_sync(mask, t, 0)"
    body = body.replace("t, 0)", "t, cuda.ffs(mask) - 1)")
    assert run(body, stops=0.5).tolist() == [32] * 64
    apart = run(body, stops=0.5, splits=1)
    assert min(apart) < 32
    assert all(np.count_nonzero(apart == size) % size == 0 for size in apart)


def test_blocks_run_side_by_side_and_have_shared_memory_of_their_own():
    body = """
shared = cuda.shared.array(1, int64)
if t == 0:
    shared[0] = cuda.blockIdx.x
cuda.syncthreads()
cuda.atomic.add(out, cuda.blockIdx.x, shared[0])
cuda.atomic.add(out, 2, 1)
while t == 0 and cuda.atomic.add(out, 2, 0) < 64:  # the other block, too
    pass
"""
    assert run(body, block=32, blocks=2, stops=0.1)[:3].tolist() == [0, 32, 64]


def test_a_kernel_that_does_not_end_is_stopped():
    with pytest.raises(DeadlockError, match="does not end"):
        run("while cuda.atomic.add(out, 0, 0) == 0:\n    pass", stops=0.5, turns=1000)


NO_SHADOW = Shadow("values", Races({}, set()))


def test_numbers_are_read_as_numba_types_them():
    values = Pointer("values", np.array([2**32 - 1, 5], np.uint32), NO_SHADOW)
    assert values.read(0) + 1 == 2**32
    assert isinstance(values.read(0), Word)
    values.write(1, -1)
    assert values.read(1) == 2**32 - 1
    floats = Pointer("floats", np.array([0.1], np.float32), NO_SHADOW)
    assert floats.read(0).dtype == np.float32


def test_another_process_is_needed():
    from emv.backends.simulated import launch as simulator

    assert simulator.SIMULATED


def test_numbers_without_a_sign_stay_so():
    unsigned = Pointer("ids", np.array([3], np.uint32), NO_SHADOW).read(0)
    assert type(unsigned + np.uint64(1)) is np.uint64
    assert type(unsigned + 1) is np.int64
    assert unsigned + 1 == unsigned + np.uint64(1) == 4
