"""Rows of the papers about what functions know and in which form a step is written.

What compiles for cores is interpreted here.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

import numpy as np
import pytest
from interpreted_cpu import interpreted

import emv
from emv import Edge, EdgeList, Graph, MessageList, Vertex, edge, elist, i64, mlist, program, vertex
from emv.errors import EmvError

LAYOUTS = (None, "aa", "caa", "ell", "hybrid", "coo", "dia")
STORED = [(layout, directed) for layout in LAYOUTS for directed in (True, False)]
STORED.remove(("dia", False))  # diagonals take arcs in the order of ids


@pytest.fixture(autouse=True)
def text_as_python() -> Iterator[None]:
    with interpreted():
        yield


def hubs(directed: bool = True) -> Graph:
    """Return a graph whose order by degree is far from that of its ids: the last are hubs."""
    draw = np.random.default_rng(11)
    src = np.concatenate([draw.integers(0, 24, 30), np.full(20, 23), np.arange(20)])
    dst = np.concatenate([draw.integers(0, 24, 30), np.arange(20), np.full(20, 22)])
    order = np.lexsort((dst, src))
    pairs = np.unique(np.stack([src, dst])[:, order], axis=1)
    return Graph.from_edges(*pairs, num_vertices=26, directed=directed)


class Spot(Vertex):
    name: i64 = -1
    degrees: i64 = 0
    heard: i64 = 0
    listed: i64 = 0
    total: i64 = 0
    x: i64


class Line(Edge[Spot]):
    weight: i64


@vertex
def know_itself(v: Spot):
    v.name = v.id
    v.degrees = v.out_degree * 1000 + v.in_degree


@edge
def tell_names(e: Line):
    e.send(
        e.id * 1_000_000 + e.src.id * 10_000 + e.dst.id * 100 + e.src.out_degree + e.dst.in_degree
    )


@mlist
def hear_names(v: Spot, heard: MessageList[i64]):
    for each in heard:
        v.listed = (v.listed * 31 + each) % 1_000_003


@vertex
def add_names(v: Spot, heard: i64):
    v.heard = heard


@program
def names(g):
    know_itself(g)
    told = tell_names(g)
    hear_names(g, told)
    add_names(g, emv.sum(tell_names(g)))
    return g.vertices.name, g.vertices.degrees, g.vertices.listed, g.vertices.heard


def arcs_with_edges(g: Graph) -> list[tuple[int, int, int]]:
    """Return (source, destination, edge) of every arc, in the order in which arcs stand."""
    src, dst = (each.tolist() for each in g.edges.endpoints())
    arcs = [(a, b, k) for k, (a, b) in enumerate(zip(src, dst, strict=True))]
    if not g.directed:
        arcs += [(b, a, k) for a, b, k in arcs if a != b]
    return sorted(arcs, key=lambda arc: arc[0])


@pytest.mark.paper("S13")
@pytest.mark.parametrize(("layout", "directed"), STORED)
def test_names_and_degrees_are_the_users_in_every_storage(backend, layout, directed):
    g = hubs(directed)
    arcs = arcs_with_edges(g)
    out_degree, in_degree = (np.bincount([arc[k] for arc in arcs], minlength=26) for k in (0, 1))
    listed, heard = [0] * 26, [0] * 26
    for a, b, k in arcs:
        said = k * 1_000_000 + a * 10_000 + b * 100 + int(out_degree[a] + in_degree[b])
        listed[b] = (listed[b] * 31 + said) % 1_000_003
        heard[b] += said
    schedule = layout and {"tell_names": emv.layout(layout)}
    found = names(g, backend=backend, schedule=schedule)
    degrees = (out_degree * 1000 + in_degree).tolist()
    assert [each.tolist() for each in found] == [list(range(26)), degrees, listed, heard]


@pytest.mark.paper("S13")
def test_names_are_those_of_a_graph_that_was_renumbered(backend):
    """`prepared(relabel=)` changes the ids themselves, and the labels say what they were."""
    g = hubs()
    ordered = g.prepared(relabel="degree")
    plain, found = names(g, backend=backend), names(ordered, backend=backend)
    was = np.asarray(ordered.labels)
    assert sorted(was.tolist()) == list(range(26)) != was.tolist()
    assert found[0].tolist() == list(range(26))
    assert found[1].tolist() == plain[1][was].tolist()


@edge
def offer_one(e: Line):
    e.send(e.src.x * e.weight)


@elist
def offer_all(v: Spot, links: EdgeList[Line]):
    for link in links:
        link.send(v.x * link.weight)


@elist
def share_out(v: Spot, links: EdgeList[Line]):
    left = v.x
    for link in links:
        part = min(left, link.weight)
        left -= part
        link.send(part)


@mlist
def add_up(v: Spot, heard: MessageList[i64]):
    for each in heard:
        v.total += each


@vertex
def take(v: Spot, total: i64):
    v.total += total


@program
def one_by_one(g):
    take(g, emv.sum(offer_one(g)))
    return g.vertices.total


@program
def in_lists(g):
    add_up(g, offer_all(g))
    return g.vertices.total


@program
def sharing(g):
    take(g, emv.sum(share_out(g)))
    return g.vertices.total


@pytest.mark.paper("S10", "S3")
def test_a_step_one_by_one_and_in_lists_and_one_that_only_lists_can_say(backend):
    g = hubs()
    g.vertices.x, g.edges.weight = np.arange(26) % 11 + 3, np.arange(g.num_edges) % 4
    src, dst = g.edges.endpoints()
    wanted = np.zeros(26, int)
    np.add.at(wanted, dst, g.vertices.x[src] * g.edges.weight)
    for made in (one_by_one, in_lists):
        assert made(g, backend=backend).tolist() == wanted.tolist()
    parts = np.zeros(26, int)
    for v in range(26):  # what is left of x goes to one neighbour after the other
        own = np.flatnonzero(src == v)
        before = list(accumulate(g.edges.weight[own], initial=0))
        for k, arc in enumerate(own):
            parts[dst[arc]] += max(0, min(g.vertices.x[v] - before[k], g.edges.weight[arc]))
    assert sharing(g, backend=backend).tolist() == parts.tolist()


@edge
def share_one(e: Line):
    part = min(e.src.x, e.weight)
    e.src.x = e.src.x - part
    e.send(part)


@program
def sharing_by_edges(g):
    take(g, emv.sum(share_one(g)))
    return g.vertices.total


@pytest.mark.paper("S10")
def test_an_edge_cannot_hand_on_to_the_next(backend):
    with pytest.raises(EmvError, match="share_one"):
        sharing_by_edges(hubs(), backend=backend)
