"""Wherever messages wait between send and receive, the result is that of the eager backend."""

from __future__ import annotations

import numpy as np
import pytest
from backends.buffer_cases import BUFFERS, agree, everything, posting, shapes, some

import emv
from emv import Edge, Graph, MessageList, Vertex, edge, i64, mlist, program, vertex
from emv.config import config
from emv.errors import ArgumentError
from emv.runtime.arrays.plan import Plan


@pytest.mark.paper("S9", "S42", "S43", "S44", "S53")
@pytest.mark.parametrize(("fold", "listed"), [("slots", "grouped"), ("sender", "lists")])
def test_folds_and_lists_of_every_buffer(compiled, fold, listed):
    schedule = {"tell_whole": emv.buffer(fold), "say": emv.buffer(listed)}
    with config.using(num_threads=config.num_threads if fold == "slots" else 1):
        found = shapes(30)
        if compiled != "cuda:0":  # so many that they are shared out, and cross the borders
            found["hub"] = shapes(9000)["hub"]
        for name, graph in found.items():
            expected = some(graph, backend="python")
            agree(some(graph, backend=compiled, schedule=schedule), expected, f"{name} {fold}")


class Node(Vertex):
    times: i64
    num: i64 = 0
    total: i64 = 0


@vertex
def send_some(v: Node):
    k = 0
    while k < v.times:
        v.send_to(v.id % 2, v.id * 100 + k)
        k += 1


@mlist
def count(v: Node, heard: MessageList[i64]):
    weight = 0
    for m in heard:
        weight = (weight + 1) % 7
        v.total += m * weight
    v.num += len(heard)


@vertex
def more(v: Node):
    v.times *= 3


@program
def growing(g):
    for _ in g.supersteps(3):
        count(g, send_some(g))
        more(g)
    return g.vertices.num, g.vertices.total


@program(host_loop=True)
def growing_on_host(g):
    for _ in g.supersteps(3):
        count(g, send_some(g))
        more(g)
    return g.vertices.num, g.vertices.total


def senders() -> tuple[Graph, list[int], list[int]]:
    """Return a graph whose vertices send more than expected, and what its first two receive."""
    times = np.array([3, 0, 5, 190, 1, 0, 7, 2])
    graph = Graph.from_edges([], [], num_vertices=len(times))
    graph.vertices.times = times
    num, total = [0] * len(times), [0] * len(times)
    for step in range(3):
        for v in (0, 1):
            said = [u * 100 + k for u in range(v, 8, 2) for k in range(times[u] * 3**step)]
            num[v] += len(said)
            total[v] += sum(m * ((k + 1) % 7) for k, m in enumerate(said))
    return graph, num, total


def grown(monkeypatch):
    """Return a list that holds, once per run that began anew, what found no room."""
    needs = []
    plain = Plan.grow

    def grow(plan, need):
        needs.append(need)
        plain(plan, need)

    monkeypatch.setattr(Plan, "grow", grow)
    return needs


@pytest.mark.paper("S48", "S51")
def test_a_run_without_room_begins_anew_and_later_ones_have_it(compiled, monkeypatch):
    graph, num, total = senders()
    needs = grown(monkeypatch)
    for _ in range(2):
        found = growing(graph, backend=compiled)
        assert [each.tolist() for each in found] == [num, total]
        assert len(needs) == 1  # of the first run
    assert min(needs[0].values()) > 1024 + graph.num_vertices
    small = Graph.from_edges([], [], num_vertices=2)
    small.vertices.times = np.array([1, 2])
    assert growing(small, backend=compiled)[0].tolist() == [13, 26]
    assert len(needs) == 1


def test_a_piece_of_a_host_loop_without_room_begins_anew(compiled, monkeypatch):
    graph, num, total = senders()
    needs = grown(monkeypatch)
    found = growing_on_host(graph, backend=compiled)
    assert [each.tolist() for each in found] == [num, total]
    assert len(needs) == 1


@vertex
def send_id(v: Node):
    v.send_to(0, v.id)


@program
def gathering(g):
    count(g, send_id(g))
    return g.vertices.num, g.vertices.total


@pytest.mark.paper("S51")
def test_very_many_messages_to_one_vertex_stress(compiled):
    size = 300_000
    ids = np.arange(size)
    graph = Graph.from_edges([], [], num_vertices=size)
    num, total = gathering(graph, backend=compiled)
    assert (num[0], total[0]) == (size, (ids * ((ids + 1) % 7)).sum())
    assert not num[1:].any()


class Place(Vertex):
    x: i64 = 0


class Road(Edge[Place]):
    pass


@edge
def tell(e: Road):
    e.send(e.src.x)


@vertex
def keep(v: Place, heard: i64):
    v.x += heard


@program
def summing(g):
    for _ in g.supersteps(2):
        keep(g, emv.sum(tell(g)))
    return g.vertices.x


@pytest.mark.paper("S43", "S44", "S45", "S53")
@pytest.mark.parametrize("name", BUFFERS)
def test_memory_of_messages(name):
    graph = Graph.from_edges(np.arange(100) % 7, np.arange(100) % 11).on("cpu")
    plan = summing.memory_plan(graph, schedule=emv.buffer(name))
    kept = {each.name: each.nbytes for each in plan.entries if each.group == "working space"}
    arcs, vertices, spare = 100, 11, 64 * config.num_threads
    expected = {
        "slots": arcs * (8 + 2),
        "sender": 2 * arcs * (8 + 2),
        "grouped": (arcs + spare) * (8 + 8 + 8 + 4),
        "lists": (arcs + spare) * (8 + 8 + 4),
    }[name]
    by_vertex = ("num_heard", "heard_end", "head")
    messages = ("stored", "sent", "own", "key", "target", "heard", "behind")
    of_messages = [e for e in kept if e.startswith(messages) and not e.startswith(by_vertex)]
    assert sum(kept[each] for each in of_messages) == expected, kept
    assert all(kept[each] == 8 * vertices for each in kept if each.startswith(by_vertex))


@pytest.mark.paper("S55")
@pytest.mark.parametrize("word", [None, "fused", "accumulators"])
def test_no_buffer_of_edges_without_kept_messages(word):
    graph = Graph.from_edges(np.arange(10**6) % 7, np.arange(10**6) % 11).on("cpu")
    schedule = word and emv.buffer(word)
    plan = summing.memory_plan(graph, schedule=schedule)
    # The rows in which arcs are walked are the graph's; nothing else has an entry per arc.
    assert plan.group_bytes("working space") < 10**6


REFUSED = {
    "slots": (posting, r"fit post\(\): it sends to any vertex"),
    "sender": (posting, r"fit post\(\): it sends to any vertex"),
    "fused": (posting, r"fit post\(\): its messages are wanted one by one, by an @mlist"),
    "accumulators": (everything, r"fit tell_lowest\(\): its fold has no atomic form"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_buffer_cannot_hold_is_refused_wherever_it_would_run(backend, name):
    made, why = REFUSED[name]
    graph = Graph.from_edges([0], [1])
    word = emv.buffer(name)
    schedule = {"tell_lowest": word} if made is everything else word
    with pytest.raises(ArgumentError, match=rf"buffer\('{name}'\) does not {why}") as raised:
        made(graph, backend=backend, schedule=schedule)
    assert raised.value.loc.line > 0
    assert "buffer_cases" in raised.value.loc.file
