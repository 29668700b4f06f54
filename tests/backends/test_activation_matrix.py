"""SetActive from everywhere to everywhere: what runs, times what it activates.

A loop's superstep number says what the functions of that superstep activate, so that every source
is one call. What the active sets then hold is marked by a bit in a column: an element that was in a
set twice would carry into the next bit.
"""

from __future__ import annotations

import numpy as np
import pytest
from backends.plain_graphs import arcs_of
from backends_available import BACKENDS

from emv import (
    Edge,
    EdgeList,
    Graph,
    Message,
    MessageList,
    Vertex,
    edge,
    elist,
    i64,
    keep_going,
    message,
    mlist,
    program,
    vertex,
)

OWN, SRC, DST, FAR, EDGE, LINKS, OTHER = range(7)  # what is activated


class Spot(Vertex):
    seen: i64 = 0


class Line(Edge[Spot]):
    used: i64 = 0


@vertex
def see(v: Spot, bit: int):
    v.seen += bit


@edge
def use(e: Line, bit: int):
    e.used += bit


@vertex
def from_vertex(v: Spot, target: int, n: int, m: int):
    if target == 0:
        v.activate()
        v.activate()
    if target == 3:
        Spot.at((2 * v.id + 5) % n).activate()
    if target == 6:
        Line.at((3 * v.id + 2) % m).activate()


@elist
def from_list(v: Spot, lines: EdgeList[Line], target: int, n: int, m: int):
    if target == 0:
        v.activate()
    for line in lines:
        if target == 5:
            line.activate()
        if target == 2:
            line.dst.activate()
        if target == 3:
            Spot.at((2 * line.dst.id + 5) % n).activate()
        if target == 6:
            Line.at((3 * line.id + 2) % m).activate()


@edge
def from_edge(e: Line, target: int, n: int, m: int):
    if target == 1:
        e.src.activate()
    if target == 2:
        e.dst.activate()
    if target == 3:
        Spot.at((2 * e.src.id + e.dst.id) % n).activate()
    if target == 4:
        e.activate()
    if target == 6:
        Line.at((3 * e.id + 2) % m).activate()


@edge
def tell(e: Line):
    if e.id % 3 != 1:
        e.send(e.src.id)


@mlist
def from_messages(v: Spot, heard: MessageList[i64], target: int, n: int, m: int):
    for who in heard:
        if target == 0:
            v.activate()
        if target == 3:
            Spot.at((2 * who + v.id) % n).activate()
        if target == 6:
            Line.at((3 * who + 2) % m).activate()


@message
def from_message(heard: Message[i64], target: int, n: int, m: int):
    if target == 3:
        Spot.at((2 * heard.value + 5) % n).activate()
    if target == 6:
        Line.at((3 * heard.value + 2) % m).activate()


@vertex
def wake(v: Spot):
    if v.id % 3 == 0:
        v.activate()


@edge
def wake_edge(e: Line):
    if e.id % 3 == 0:
        e.activate()


@vertex
def go_on(v: Spot):
    keep_going()


def note(g, bit):
    see(g.active, bit)
    use(g.active_edges, bit)


@program
def from_vertices(g):
    n, m = g.num_vertices, g.num_edges
    for step in g.supersteps(7):
        go_on(g.only(0))
        from_vertex(g, step, n, m)
        note(g, 2**step)
        wake(g)
        from_vertex(g.active, step, n, m)
        note(g, 2 ** (step + 7))
        from_vertex(tell(g).receivers, step, n, m)
        note(g, 2 ** (step + 14))
        from_list(g, step, n, m)
        note(g, 2 ** (step + 21))
        wake(g)
        from_list(g.active, step, n, m)
        note(g, 2 ** (step + 28))
        from_list(tell(g.edges).receivers, step, n, m)
        note(g, 2 ** (step + 35))
    return g.vertices.seen, g.edges.used


@program
def from_edges_and_messages(g):
    n, m = g.num_vertices, g.num_edges
    for step in g.supersteps(7):
        go_on(g.only(0))
        from_edge(g, step, n, m)
        note(g, 2**step)
        from_edge(g.edges, step, n, m)
        note(g, 2 ** (step + 7))
        wake(g)
        from_edge(g.active, step, n, m)
        note(g, 2 ** (step + 14))
        wake_edge(g.edges)
        from_edge(g.active_edges, step, n, m)
        note(g, 2 ** (step + 21))
        said = tell(g)
        from_message(said, step, n, m)
        note(g, 2 ** (step + 28))
        from_messages(said.receivers, said, step, n, m)
        note(g, 2 ** (step + 35))
        wake(g)
        from_vertex(g, step, n, m)
        from_edge(g.active, step, n, m)
        note(g, 2 ** (step + 42))
    return g.vertices.seen, g.edges.used


@program
def from_some(g):
    """A few of all, for the backend that takes a second to compile each of them."""
    n, m = g.num_vertices, g.num_edges
    for step in g.supersteps(7):
        go_on(g.only(0))
        wake(g)
        from_list(g.active, step, n, m)
        note(g, 2**step)
        from_message(tell(g), step, n, m)
        from_edge(g.edges, step, n, m)
        note(g, 2 ** (step + 7))
    return g.vertices.seen, g.edges.used


CALLS = {  # the sources of every program's superstep, in order
    "from_vertices": [
        "all", "active", "receivers", "all lists", "active lists", "edges' receivers"
    ],
    "from_edges_and_messages": [
        "arcs", "edges", "active arcs", "active edges", "messages", "heard", "both"
    ],
    "from_some": ["active lists", "edges and messages"],
}  # fmt: skip
Made = list[tuple[set, set]]  # the vertices and edges that each instance activates
NOTHING: tuple[set, set] = (set(), set())


class Plain:
    """The same in plain Python."""

    def __init__(self, g: Graph) -> None:
        self.n, self.m = g.num_vertices, g.num_edges
        edge_of = g.layouts.out_rows.edge
        ids = range(g.num_arcs) if edge_of is None else edge_of.tolist()
        self.arcs = [(s, d, int(e)) for (s, d), e in zip(arcs_of(g), ids, strict=True)]
        ends = zip(*(each.tolist() for each in g.edges.endpoints()), strict=True)
        self.edges = [(s, d, e) for e, (s, d) in enumerate(ends)]
        self.all = list(range(self.n))
        self.awake = [v for v in self.all if v % 3 == 0]
        self.told = [arc for arc in self.arcs if arc[2] % 3 != 1]

    def far(self, index: int) -> tuple[set, set]:
        return {index % self.n}, set()

    def other(self, index: int) -> tuple[set, set]:
        return set(), {(3 * index + 2) % self.m}

    def vertex(self, v: int, target: int) -> tuple[set, set]:
        made = {OWN: ({v}, set()), FAR: self.far(2 * v + 5), OTHER: self.other(v)}
        return made.get(target, NOTHING)

    def links(self, v: int, target: int) -> Made:
        found = [self.vertex(v, OWN)] if target == OWN else []
        for source, d, e in self.arcs:
            if source == v:
                made = {LINKS: (set(), {e}), DST: ({d}, set()), FAR: self.far(2 * d + 5)}
                found.append((made | {OTHER: self.other(e)}).get(target, NOTHING))
        return found

    def edge(self, arc: tuple[int, int, int], target: int) -> tuple[set, set]:
        s, d, e = arc
        made = {SRC: ({s}, set()), DST: ({d}, set()), FAR: self.far(2 * s + d)}
        return (made | {EDGE: (set(), {e}), OTHER: self.other(e)}).get(target, NOTHING)

    def message(self, value: int, target: int) -> tuple[set, set]:
        return self.vertex(value, target) if target in (FAR, OTHER) else NOTHING

    def heard(self, arc: tuple[int, int, int], target: int) -> tuple[set, set]:
        made = {OWN: ({arc[1]}, set()), FAR: self.far(2 * arc[0] + arc[1])}
        return (made | {OTHER: self.other(arc[0])}).get(target, NOTHING)

    def both(self, target: int) -> Made:
        """Return what a call on all vertices, then one on the active set leaves."""
        by_all = [self.vertex(v, target) for v in self.all]
        awake = set(self.awake).union(*(vertices for vertices, _ in by_all))
        by_arcs = [self.edge(arc, target) for arc in self.arcs if arc[0] in awake]
        return [*((set(), edges) for _, edges in by_all), *by_arcs]

    def source(self, name: str, target: int) -> Made:
        """Return what the instances of a call activate."""
        if name == "both":
            return self.both(target)
        if name == "edges and messages":
            return self.source("edges", target) + self.source("messages", target)
        domains = {
            "all": self.all,
            "active": self.awake,
            "receivers": {d for _, d, _ in self.told},
            "edges' receivers": {d for _, d, e in self.edges if e % 3 != 1},
            "arcs": self.arcs,
            "edges": self.edges,
            "active arcs": [arc for arc in self.arcs if arc[0] in self.awake],
            "active edges": [each for each in self.edges if each[2] % 3 == 0],
        }
        if name in ("messages", "heard"):
            return [
                self.heard(arc, target) if name == "heard" else self.message(arc[0], target)
                for arc in self.told
            ]
        if name.endswith("lists") or name == "edges' receivers":
            ids = domains[name.removesuffix(" lists")]
            return [each for v in ids for each in self.links(v, target)]
        visit = self.edge if name.endswith(("arcs", "edges")) else self.vertex
        return [visit(each, target) for each in domains[name]]

    def columns(self, name: str) -> tuple[list[int], list[int]]:
        seen, used = [0] * self.n, [0] * self.m
        for target in range(7):
            for number, call in enumerate(CALLS[name]):
                made = self.source(call, target)
                for v in set().union(*(vertices for vertices, _ in made)):
                    seen[v] += 2 ** (target + 7 * number)
                for e in set().union(*(edges for _, edges in made)):
                    used[e] += 2 ** (target + 7 * number)
        return seen, used


def check(made, directed: bool, backend: str) -> None:
    """Run on 23 vertices and 57 edges, with loops and repeated edges; vertex 22 is alone."""
    draw = np.random.default_rng(5)
    src, dst = draw.integers(0, 22, (2, 57))
    g = Graph.from_edges(src, dst, num_vertices=23, directed=directed)
    seen, used = made(g, backend=backend)
    expected = Plain(g).columns(made.name)
    assert seen.tolist() == expected[0]
    assert used.tolist() == expected[1]


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("backend", [each for each in BACKENDS if each != "cpu"])
@pytest.mark.parametrize("made", [from_vertices, from_edges_and_messages], ids=lambda p: p.name)
def test_activation(made, backend, directed):
    check(made, directed, backend)


@pytest.mark.parametrize("directed", [True, False])
def test_activation_on_every_backend(directed, backend):
    check(from_some, directed, backend)
