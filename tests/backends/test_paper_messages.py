"""Rows of the papers about messages: who is visited, where messages wait, to whom they may go.

What compiles for cores is interpreted here, and watched where a row is about what happens inside.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from backends.buffer_cases import BUFFERS
from interpreted_cpu import interpreted
from watched_cpu import watched

import emv
from emv import (
    Edge,
    Graph,
    Message,
    MessageList,
    Vector,
    Vertex,
    edge,
    f32,
    f64,
    i8,
    i64,
    message,
    mlist,
    program,
    u16,
    vertex,
)

ANY = ("grouped", "lists")  # buffers that hold messages to any vertex


@pytest.fixture(autouse=True)
def text_as_python() -> Iterator[None]:
    with interpreted():
        yield


def skewed(size: int = 24) -> Graph:
    """Return a graph with vertices of no in-arc, of one, and of many; with repeats and loops."""
    draw = np.random.default_rng(7)
    src = np.concatenate([draw.integers(0, size, 40), np.arange(size), [3, 3, 5]])
    dst = np.concatenate([draw.integers(0, size // 2, 40), np.full(size, 1), [4, 4, 5]])
    return Graph.from_edges(src, dst, num_vertices=size)


class Spot(Vertex):
    total: i64 = 0
    num: i64 = 0
    next: i64 = 0


class Line(Edge[Spot]):
    pass


def noted(x) -> i64:
    return x + 1


@edge
def say_some(e: Line, step: i64):
    if (e.src.id + step) % 2 == 0:
        e.send(100 * e.src.id + e.dst.id)
    if step != 1 and e.dst.id % 3 == 0:
        e.send(-e.src.id)


@message
def mark(m: Message[i64]):
    m.value = noted(m.value)


@mlist
def count(v: Spot, heard: MessageList[i64]):
    v.num += len(heard)
    for each in heard:
        v.total += each


@program
def marking(g, steps):
    for step in g.supersteps(steps):
        marked = mark(say_some(g, step))
        count(marked.receivers, marked)
    return g.vertices.num, g.vertices.total


def said(g: Graph, steps: int) -> list[tuple[int, int]]:
    """Return the receivers and values of what `say_some` sends in some supersteps."""
    made = []
    for step in range(steps):
        for src, dst in zip(*map(np.ndarray.tolist, g.arcs()), strict=True):
            made += [(dst, 100 * src + dst)] * ((src + step) % 2 == 0)
            made += [(dst, -src)] * (step != 1 and dst % 3 == 0)
    return made


@pytest.mark.paper("S6", "S43", "S44", "S53")
@pytest.mark.parametrize("name", BUFFERS)
def test_what_was_not_sent_is_not_visited(backend, name):
    """Slots are not cleared between supersteps: what they hold from the one before is not sent."""
    g, steps = skewed(), 3
    with watched() as kernels:
        num, total = marking(g, steps, backend=backend, schedule=emv.buffer(name))
    made = said(g, steps)
    size = g.num_vertices
    wanted = [[value + 1 for to, value in made if to == v] for v in range(size)]
    assert num.tolist() == [len(each) for each in wanted]
    assert total.tolist() == [sum(each) for each in wanted]
    if backend == "cpu":
        assert Counter(kernels.given) == Counter(value for _, value in made)


@edge
def tell(e: Line):
    if e.src.id % 4 != 1:
        e.send(e.src.id * 10 + e.dst.id % 10)


@vertex
def keep(v: Spot, heard: i64):
    v.total = heard


@program
def keeping(g):
    keep(g, emv.sum(tell(g)))
    return g.vertices.total


def slots_of_arcs(g: Graph) -> list[int]:
    """Return where the messages of arcs stand in the order of receivers."""
    _, dst = g.arcs()
    slots = np.empty(len(dst), int)
    slots[np.argsort(dst, kind="stable")] = np.arange(len(dst))
    return slots.tolist()


@pytest.mark.paper("S43", "S44", "S46", "S47", "S53")
@pytest.mark.parametrize("name", BUFFERS)
def test_where_messages_are_written(name):
    """One thread goes over the arcs in their order: so places are known one by one."""
    g = skewed()
    src, dst = (each.tolist() for each in g.arcs())
    sent = [arc for arc in range(g.num_arcs) if src[arc] % 4 != 1]
    with watched() as kernels:
        found = keeping(g, backend="cpu", schedule=emv.buffer(name))
    assert found.tolist() == keeping(g, backend="python").tolist()
    written = {each.rstrip("0123456789_"): kernels.writes[each] for each in kernels.writes}
    slots = slots_of_arcs(g)
    if name == "slots":  # at its slot at once: no place is looked for, nothing is collected
        assert written["stored"] == [slots[arc] for arc in sent]
        assert not {"own_stored", "target", "child"} & set(written)
    elif name == "sender":  # by sender, then collected in the order of receivers
        assert written["own_stored"] == sent
        assert written["stored"] == sorted(slots[arc] for arc in sent)
    else:  # one behind the other, with its receiver or hung into a list of its own
        assert written["stored"] == list(range(len(sent)))
        assert written["target"] == list(range(len(sent)))
        assert ("behind" in written) == (name == "lists")
    if name == "lists":  # a node is put at the head, and what was there stands behind it
        assert written["head"] == [dst[arc] for arc in sent]
        assert written["behind"][: len(sent)] == list(range(len(sent)))


WORDS = {"sum": (sum, 0), "min": (min, 2**63 - 1), "max": (max, -(2**63)), "prod": (np.prod, 1)}


@program
def combining(g):
    heard = tell(g)
    some = tell(g.only([0, 3, 5]))
    return (
        *(emv.sum(heard), emv.min(heard), emv.max(heard), emv.prod(heard)),
        *(emv.sum(some), emv.min(some), emv.max(some), emv.prod(some)),
        *(emv.sum(heard, initial=7), emv.min(heard, initial=7)),
        *(emv.max(heard, initial=7), emv.prod(heard, initial=7)),
    )


def folded(word: str, messages: list[int], start: int | None) -> int:
    """Return a fold in 64 bits."""
    fold, identity = WORDS[word]
    whole = fold([identity if start is None else start, *messages])
    return (int(whole) + 2**63) % 2**64 - 2**63


@pytest.mark.paper("S50", "S42")
@pytest.mark.parametrize("name", [None, *BUFFERS])
def test_the_combined_message_of_none_of_one_and_of_many(backend, name):
    g = skewed()
    heard: list[list[int]] = [[] for _ in range(g.num_vertices)]
    some: list[list[int]] = [[] for _ in range(g.num_vertices)]
    for src, dst in zip(*map(np.ndarray.tolist, g.arcs()), strict=True):
        if src % 4 != 1:
            heard[dst].append(src * 10 + dst % 10)
            if src in (0, 3, 5):
                some[dst].append(src * 10 + dst % 10)
    assert {min(2, len(each)) for each in heard} == {0, 1, 2}
    found = combining(g, backend=backend, schedule=name and emv.buffer(name))
    cases = [(word, each, start) for each, start in ((heard, None), (some, None), (heard, 7))
             for word in ("sum", "min", "max", "prod")]  # fmt: skip
    for values, (word, messages, start) in zip(found, cases, strict=True):
        assert values.tolist() == [folded(word, each, start) for each in messages], (word, start)


@vertex
def ask_parent(v: Spot):
    v.send_to(v.next, v.id)


@vertex
def set_parent(v: Spot, size: i64):
    v.next = v.id // 2 if v.id % 7 != 0 else (v.id + 3) % size


@mlist
def answer(v: Spot, heard: MessageList[i64]):
    for child in heard:
        v.send_to(child, v.next)


@program
def jumping(g, rounds):
    set_parent(g, g.num_vertices)
    for _ in g.supersteps(rounds):
        asked = ask_parent(g)
        answers = answer(asked.receivers, asked)
        jump(answers.receivers, emv.sum(answers))
    return g.vertices.next


@vertex
def jump(v: Spot, to: i64):
    v.next = to


@vertex
def scatter(v: Spot, size: i64):
    v.send_to(v.id * 2654435761 % size, v.id)
    v.send(v.id + 1000)


@program
def scattering(g):
    heard = scatter(g, g.num_vertices)
    count(g, heard)
    return g.vertices.num, g.vertices.total


@pytest.mark.paper("S51")
@pytest.mark.parametrize("name", [None, *ANY])
def test_messages_to_any_vertex_and_along_edges_in_one_superstep(backend, name):
    g = skewed()
    size, schedule = g.num_vertices, name and emv.buffer(name)
    parents = np.array([v // 2 if v % 7 else (v + 3) % size for v in range(size)])
    for _ in range(3):
        parents = parents[parents]
    assert jumping(g, 3, backend=backend, schedule=schedule).tolist() == parents.tolist()
    ids = np.arange(size)
    num, total = np.zeros((2, size), int)
    src, dst = g.arcs()
    for to, values in ((ids * 2654435761 % size, ids), (dst, src + 1000)):
        np.add.at(num, to, 1)
        np.add.at(total, to, values)
    found = scattering(g, backend=backend, schedule=schedule)
    assert [each.tolist() for each in found] == [num.tolist(), total.tolist()]


class News(Message):
    level: i8
    cost: f64
    origin: u16


class Place(Vertex):
    x: f32
    level: i64 = 0
    cost: f64 = 0.0
    origin: i64 = 0
    far: f64 = 0.0
    near: f32 = 0.0
    flags: i64 = 0
    pairs: f64 = 0.0


@edge
def tell_news(e: Edge[Place]):
    e.send(News(e.src.id % 100, cost=e.src.x / 4, origin=e.src.id * 2000))


@mlist
def read_news(v: Place, heard: MessageList[News]):
    for each in heard:
        v.level = v.level * 3 % 1009 + each.level
        v.cost += each.cost
        v.origin += each.origin


@edge
def tell_vector(e: Edge[Place]):
    e.send(Vector(e.src.x, -e.src.x, 1))


@mlist
def read_vectors(v: Place, heard: MessageList[Vector[f32, 3]]):
    for each in heard:
        v.near = v.near * 0.5 + each[0] - each[1] * each[2]


@edge
def tell_pair(e: Edge[Place]):
    e.send((e.src.x, e.src.id))


@mlist
def read_pairs(v: Place, heard: MessageList[tuple[f32, i64]]):
    for each in heard:
        v.pairs = v.pairs * 0.5 + each[0] * each[1]


@edge
def tell_flag(e: Edge[Place]):
    e.send(e.src.x > 2)


@mlist
def read_flags(v: Place, heard: MessageList[bool]):
    for each in heard:
        v.flags = v.flags * 2 % 1021 + (1 if each else 0)


@program
def every_type(g):
    read_news(g, tell_news(g))
    read_vectors(g, tell_vector(g))
    read_pairs(g, tell_pair(g))
    read_flags(g, tell_flag(g))
    of = g.vertices
    return of.level, of.cost, of.origin, of.near, of.pairs, of.flags


@pytest.mark.paper("S54", "S12")
@pytest.mark.parametrize("name", BUFFERS)
def test_messages_of_every_type_through_every_buffer(backend, name):
    g, size = skewed(), 24
    x = np.arange(size) % 9 / 2
    g.vertices.x = x.astype(np.float32)
    found = every_type(g, backend=backend, schedule=emv.buffer(name))
    level, cost, origin, near, pairs, flags = np.zeros((6, size))
    for src, dst in zip(*map(np.ndarray.tolist, g.arcs()), strict=True):
        level[dst] = level[dst] * 3 % 1009 + src % 100
        cost[dst] += x[src] / 4
        origin[dst] += src * 2000
        near[dst] = np.float32(near[dst] * 0.5 + 2 * x[src])
        pairs[dst] = pairs[dst] * 0.5 + x[src] * src
        flags[dst] = flags[dst] * 2 % 1021 + (x[src] > 2)
    wanted = level, cost, origin, near, pairs, flags
    for values, right in zip(found, wanted, strict=True):
        np.testing.assert_allclose(values, right, rtol=1e-6)
