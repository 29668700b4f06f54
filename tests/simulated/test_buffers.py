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
from emv.codegen.cuda.threads import CudaWorker
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


@pytest.mark.paper("S145", "S146")
@pytest.mark.parametrize("named", [{}, {"insert": "tree"}, {"insert": "tree", "arenas": 1}])
def test_long_lists_are_read_by_all_threads(warps, named, monkeypatch):
    monkeypatch.setattr(CudaWorker, "most_alone", 3)
    graph = shapes(40)["hub"]
    found = posting(graph, backend="cuda:0", schedule=emv.buffer("lists", **named))
    agree(found, posting(graph, backend="python"), str(named))


TEXT = """from numba import cuda

from emv_kernels.cuda.messages import hang, put_first, sort_long, sort_short
from emv_kernels.cuda.messages import straighten, take_place


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


def read_lists(head, behind, stride: int, origin: int) -> list[list[int]]:
    """Return the nodes of every list: their links hold addresses, from the origin on."""
    found = []
    for at in head.tolist():
        nodes = []
        while at >= origin:
            nodes.append(at - origin)
            at = behind[stride * nodes[-1] + stride - 1]
        found.append(nodes)
    return found


@pytest.mark.paper("S142", "S146")
@pytest.mark.parametrize("insert", ["list", "tree"])
def test_nodes_stand_in_the_list_of_their_receiver_once_each(insert):
    """Links of an earlier superstep are below the origin: nobody has cleared them."""
    count, origin, stride = 64, 500, 1 if insert == "list" else 2
    draw = np.random.default_rng(3)
    head, links = draw.integers(0, origin, 3), draw.integers(0, origin, stride * count)
    firsts = np.zeros(count, np.int64)
    arrays = {"head": head, "links": links, "firsts": firsts}
    word = "put_first" if insert == "list" else "hang"
    body = f"firsts[me] = {word}(True, head, links, me % 2, me, {origin})"
    simulate(kernel("puts", body, *arrays), arrays, block=count, stops=0.3)
    assert firsts.sum() == 2
    assert head[2] < origin
    if insert == "tree":
        body = f"if me < 3:\n        straighten(head, links, me, {origin}, 1000)"
        arrays = {"head": head, "links": links}
        simulate(kernel("straightens", body, *arrays), arrays, block=32)
    found = read_lists(head, links, stride, origin)
    assert [sorted(each) for each in found] == [
        list(range(0, count, 2)),
        list(range(1, count, 2)),
        [],
    ]


def tries_of(head: int, child, origin: int) -> list[int]:
    """Return how many links each node of a tree has looked at, its own included."""
    found, waiting = [], [(head, 1)]
    while waiting:
        at, tries = waiting.pop()
        if at >= origin:
            found.append(tries)
            waiting += [(int(child[2 * (at - origin) + side]), tries + 1) for side in (0, 1)]
    return found


@pytest.mark.paper("S146")
def test_a_message_among_many_to_one_vertex_tries_a_logarithm_of_links():
    count = 256
    head, child = np.zeros(1, np.int64), np.zeros(2 * count, np.int64)
    arrays = {"head": head, "child": child}
    simulate(
        kernel("hangs", "hang(True, head, child, 0, me, 7)", *arrays),
        arrays,
        block=count,
    )
    tries = tries_of(int(head[0]), child, 7)
    assert len(tries) == count
    assert 6 < np.mean(tries) < 9
    assert max(tries) < 20


@pytest.mark.paper("S144")
def test_a_warp_takes_places_for_all_its_lanes_with_one_atomic(monkeypatch):
    from emv_kernels.cuda import messages

    calls, plain = [], messages.fetch_add

    def counted(array, index, value):
        calls.append(int(value))
        return plain(array, index, value)

    monkeypatch.setattr(messages, "fetch_add", counted)
    state, places = np.zeros(4, np.int64), np.zeros(96, np.int64)
    arrays = {"state": state, "places": places}
    simulate(kernel("takes", "places[me] = take_place(state, 1)", *arrays), arrays, block=96)
    assert sorted(places.tolist()) == list(range(96))
    assert state.tolist() == [0, 96, 0, 0]
    assert sum(calls) == 96  # each for those lanes of a warp that come together
    assert len(calls) <= 12
