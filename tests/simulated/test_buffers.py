"""Messages that wait on a simulated GPU, with as many warps as shares cross their borders.

The other tests of buffers run with one warp, see `tests/backends/test_buffers.py`.
"""

from __future__ import annotations

import numpy as np
import pytest
from backends.buffer_cases import agree, everything, in_turn, posting, shapes
from simulated_gpu import SimulatedDriver, install

import emv
from emv.backends.simulated.launch import simulate
from emv.ir.kernel import KernelSource

SHAPES = {"star": 0, "hub": 1, "skewed": 2, "undirected": 3, "parallel": 0, "empty": 1}


@pytest.fixture(params=[96])
def warps(request, monkeypatch):
    return install(SimulatedDriver(block=request.param), monkeypatch)


@pytest.mark.paper("S9", "S43", "S44", "S53", "S54")
@pytest.mark.parametrize("shape", SHAPES)
def test_every_function_has_another_buffer(warps, shape):
    graph = shapes(140)[shape]
    expected = everything(graph, backend="python")
    schedule = in_turn(SHAPES[shape])
    agree(everything(graph, backend="cuda:0", schedule=schedule), expected, shape)


@pytest.mark.parametrize("name", ["grouped", "lists"])
def test_messages_to_any_vertex(warps, name):
    graph = shapes(70)["hub"]
    expected = posting(graph, backend="python")
    agree(posting(graph, backend="cuda:0", schedule=emv.buffer(name)), expected, name)


TEXT = """from numba import cuda

from emv_kernels.cuda.messages import hang, sort_long, sort_short, straighten, lay_out


def program({arguments}):
    me = cuda.threadIdx.x
    {body}
"""


def kernel(name: str, body: str, *arguments: str) -> KernelSource:
    text = TEXT.format(arguments=", ".join(arguments), body=body)
    return KernelSource(name, text, {"program": arguments}, {})


@pytest.mark.parametrize("count", [0, 1, 2, 3, 12, 13, 31, 64, 100, 257])
def test_stretches_of_any_length_are_sorted(count):
    keys = np.random.default_rng(count).permutation(max(1, 2 * count)).astype(np.int64)
    for body in (
        "sort_short(entries, keys, 3, count[0] if me % 32 == 5 else 0)",
        "sort_long(entries, keys, 3, 3 + count[0])",
    ):
        entries = np.full(count + 6, -7, np.int64)
        entries[3 : 3 + count] = np.random.default_rng(1).permutation(count)
        arrays = {"entries": entries, "keys": keys, "count": np.array([count])}
        block = 32 if "short" in body else 64
        simulate(kernel("sorts", body, *arrays), arrays, block=block)
        assert entries[3 : 3 + count].tolist() == sorted(range(count), key=lambda k: keys[k])
        assert entries[:3].tolist() == entries[3 + count :].tolist() == [-7] * 3


def test_nodes_hang_in_trees_and_are_laid_out_once_each():
    count = 64
    head, child = np.full(3, -1, np.int64), np.full(2 * count, -1, np.int64)
    firsts, entries = np.zeros(count, np.int64), np.full(count, -1, np.int64)
    arrays = {"head": head, "child": child, "firsts": firsts}
    body = "firsts[me] = hang(True, head, child, me % 2, me, me // 8)"  # eight alike, each
    simulate(kernel("hangs", body, *arrays), arrays, block=count, stops=0.3)
    assert firsts.sum() == 2
    assert head[2] == -1
    sizes = np.zeros(3, np.int64)
    arrays = {"head": head, "child": child, "entries": entries, "sizes": sizes}
    body = (
        "if me < 3:\n        sizes[me] = straighten(head, child, me)\n"
        "        lay_out(head, child, me, entries, me * 32)"
    )
    simulate(kernel("lays", body, *arrays), arrays, block=32)
    assert sizes.tolist() == [32, 32, 0]
    assert sorted(entries[:32].tolist()) == list(range(0, count, 2))
    assert sorted(entries[32:].tolist()) == list(range(1, count, 2))
