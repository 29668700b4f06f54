"""The same text in every storage of the graph: what is computed does not change.

One program has every way of walking arcs; each of its functions gets another storage, and all of
them go round, so that few programs are compiled.
"""

from __future__ import annotations

import numpy as np
import pytest
from backends_available import BACKENDS

import emv
from emv import (
    Edge,
    EdgeList,
    Graph,
    MessageList,
    Vertex,
    edge,
    elist,
    f32,
    i64,
    mlist,
    program,
    vertex,
)
from emv.algorithms import bfs
from emv.errors import CapacityError, GraphError

COMPILED = [each for each in BACKENDS if each != "python"]
ROWS = ("aa", "caa", "ell", "hybrid", "hybrid2", "dia")
ARCS = ("aa", "caa", "ell", "hybrid", "coo", "dia")


class Node(Vertex):
    near: f32 = 0.0
    heard: i64 = 0
    light: i64 = 0
    middle: i64 = 0
    drawn: i64 = 0


class Link(Edge[Node]):
    length: i64


@edge
def tell(link: Link):
    link.send(link.src.near + link.length / 3)


@vertex
def add(v: Node, total: f32):
    v.near = v.near / 2 + total


@edge
def pass_on(link: Link):
    if emv.random() < 0.7:
        link.send(link.length + link.src.heard)


@vertex
def keep(v: Node, most: i64):
    if most % 5 != v.heard % 5:
        v.heard = most
        v.activate()


@elist
def lightest(v: Node, links: EdgeList[Link]):
    """Stop at the first edge that is longer than the one before: the order matters."""
    last = 1 << 40
    for link in links:
        if link.length > last:
            break
        last = link.length
        v.light += last * (1 + link.dst.id)


@vertex
def send_all(v: Node):
    v.send(v.light % 97)


@mlist
def second(v: Node, heard: MessageList[int]):
    """Keep the weighted sum in the order of arrival."""
    place = 1
    for each in heard:
        v.middle += each * place
        place += 1


@program
def everything(g):
    for _ in g.supersteps(3):
        add(g, emv.sum(tell(g)))
    keep(g.only(0), 7)
    for _ in g.supersteps(6):
        told = pass_on(g.active)
        keep(told.receivers, emv.max(told))
    lightest(g)
    sent = send_all(g)
    second(sent.receivers, sent)
    return g.vertices.near, g.vertices.heard, g.vertices.light, g.vertices.middle


def storage(name: str):
    width = name.removeprefix("hybrid")
    return emv.layout("hybrid", width=int(width)) if name != width and width else emv.layout(name)


def in_turn(turn: int):
    """Return a schedule in which every function has another storage."""
    rows, arcs = (each[turn:] + each[:turn] for each in (ROWS, ARCS))
    names = {"tell": arcs[0], "pass_on": arcs[1], "lightest": rows[2], "send_all": rows[3]}
    return {function: storage(name) for function, name in names.items()}


def banded(directed: bool) -> Graph:
    """Return a graph of a band, without repeats and in the order of ids, with loops."""
    size = 40
    src = np.repeat(np.arange(size), 5)
    dst = src + np.tile([-9, -2, 0, 1, 7], size)
    kept = (dst >= 0) & (dst < size) & ((src * 7 + dst) % 4 > 0)
    if not directed:
        kept &= dst >= src
    src, dst = src[kept], dst[kept]
    if not directed:  # so that the arcs of a vertex come in the order of ids, both ways
        order = np.lexsort((dst, src))[::-1]
        src, dst = dst[order], src[order]
    return Graph.from_edges(
        src, dst, num_vertices=size, directed=directed, length=(src * 31 + dst * 17) % 11
    )


def scattered() -> Graph:
    """Return a skewed graph with repeats, loops and vertices without edges."""
    draw = np.random.default_rng(5)
    src, dst = draw.integers(0, 50, 300), (draw.random(300) ** 3 * 50).astype(int)
    return Graph.from_edges(src, dst, num_vertices=55, length=draw.integers(0, 9, 300))


def agrees(graph: Graph, schedule) -> None:
    eager = everything(graph.on("python"), rng=3)
    for backend in COMPILED:
        for found, expected in zip(
            everything(graph.on(backend), rng=3, schedule=schedule), eager, strict=True
        ):
            if found.dtype.kind == "f":
                np.testing.assert_allclose(found, expected, rtol=1e-5)
            else:
                np.testing.assert_array_equal(found, expected)


@pytest.mark.paper("S3", "S10", "S13", "S22")
@pytest.mark.parametrize("turn", [0, 3])
def test_every_function_in_another_storage(turn):
    agrees(banded(directed=True), in_turn(turn))


def test_storage_of_a_skewed_graph():
    names = {"tell": "hybrid2", "pass_on": "ell", "lightest": "caa", "send_all": "hybrid"}
    schedule = {function: storage(name) for function, name in names.items()}
    agrees(scattered(), schedule)
    agrees(banded(directed=False), schedule)
    no_lengths = np.zeros(0, np.int64)
    for empty in (Graph.from_edges([], [], num_vertices=n, length=no_lengths) for n in (1, 3)):
        agrees(empty, schedule)


@pytest.mark.parametrize("backend", COMPILED)
def test_what_does_not_fit_is_refused_before(backend):
    star = Graph.from_edges(np.zeros(3 * 10**5, int), np.arange(3 * 10**5)).on(backend)
    with pytest.raises(CapacityError, match=r"bfs needs [0-9,]+ bytes \([0-9.]+ [TG]iB\)"):
        bfs(star, 0, schedule=emv.layout("ell"))


@pytest.mark.parametrize("backend", COMPILED)
def test_diagonals_of_repeats_are_refused(backend):
    graph = Graph.from_edges([0, 0], [1, 1]).on(backend)
    with pytest.raises(GraphError, match="vertex 1 has 0 before 0"):
        bfs(graph, 0, schedule=emv.layout("dia"))
