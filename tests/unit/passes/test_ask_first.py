"""Which pushes on cores ask receivers first."""

from __future__ import annotations

import numpy as np
import pytest
from scheduled import compiled

import emv
from emv import Edge, Graph, Vertex, edge, f64, i32, program, vertex
from emv.ir import schedule as s


class Spot(Vertex):
    depth: i32 = -1
    paths: f64 = 0.0
    best: f64 = 0.0


class Way(Edge[Spot]):
    length: f64 = 1.0


@vertex
def begin(v: Spot):
    v.depth = 0
    v.paths = 1.0
    v.best = 1.0
    v.activate()


@edge
def ahead(e: Way):
    e.send(e.src.depth + 1)


@vertex
def settle(v: Spot, depth: i32):
    if v.depth == -1:
        v.depth = depth
        v.activate()


@edge
def pass_on(e: Way):
    e.send(e.src.paths)


@edge
def pass_length(e: Way):
    e.send(e.length * e.src.paths)


@vertex
def arrive(v: Spot, paths: f64, depth: i32):
    if v.depth == -1:
        v.depth = depth
        v.paths = paths
        v.activate()


@vertex
def raise_best(v: Spot, paths: f64):
    v.best += paths
    if v.best < 100.0:
        v.activate()


def spreading(send, receive, steps=False):
    """Return a program in which active vertices send to a receiver."""

    @program
    def made(g, source):
        begin(g.only(source))
        for step in g.supersteps(limit=30):
            heard = send(g.active)
            if steps:
                receive(heard.receivers, emv.sum(heard), step + 1)
            else:
                receive(heard.receivers, emv.min(heard))
        return g.vertices.depth, g.vertices.paths

    return made


SEARCH = spreading(ahead, settle)
COUNT = spreading(pass_on, arrive, steps=True)


@pytest.mark.parametrize(
    ("made", "asks"),
    [
        (SEARCH, True),
        (COUNT, True),
        (spreading(pass_length, arrive, steps=True), False),  # it needs the arc
        (spreading(pass_on, raise_best), False),  # all receivers care
    ],
)
def test_what_is_decided(made, asks):
    def launches(target):
        return list(s.launches_in(compiled(made, 0, target=target).schedule.body))

    assert any(each.asks_first for each in launches("cpu")) == asks
    assert not any(each.asks_first for each in launches("cuda"))


@pytest.mark.parametrize("longest", [3, 64, 65, 5000])
@pytest.mark.parametrize("made", [SEARCH, COUNT])
def test_rows_of_any_length(made, longest):
    """Of up to 64 arcs blocks are rows, and their arcs fill what a thread puts down."""
    rng = np.random.default_rng(longest)
    size = 2000
    ends = rng.integers(0, size, (2, 3 * size))
    num_hubs = 100 if longest < 100 else 20  # more than a block, of rows or of arcs
    hubs = np.repeat(np.arange(num_hubs), longest)
    more = rng.integers(0, size, len(hubs)) if longest > 3 else hubs[::-1]
    graph = Graph.from_edges([*ends[0], *hubs], [*ends[1], *more], num_vertices=size)
    found, wanted = made(graph, 0, backend="cpu"), made(graph, 0, backend="python")
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)
