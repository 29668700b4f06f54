"""Small graphs of the language's tests, and their messages computed without emv."""

from __future__ import annotations

import numpy as np

from emv import Graph

SRC = [0, 0, 1, 2, 3, 0, 3]
DST = [1, 2, 2, 2, 2, 1, 0]


def busy() -> Graph:
    """Return 5 vertices with a loop at 2, two edges 0 -> 1, and vertex 4 alone."""
    return Graph.from_edges(SRC, DST, num_vertices=5)


def path(num_vertices: int, directed: bool = True) -> Graph:
    """Return 0 - 1 - 2 - ..."""
    ids = np.arange(num_vertices)
    return Graph.from_edges(ids[:-1], ids[1:], num_vertices=num_vertices, directed=directed)


def arcs_of(g: Graph) -> list[tuple[int, int]]:
    """Return (src, dst) of every arc in arc order."""
    return [(int(src), int(dst)) for src, dst in zip(*g.arcs(), strict=True)]


def heard(g: Graph, said) -> list[list]:
    """Return what every vertex hears, in arc order, when source ``v`` says ``said[v]``."""
    inbox: list[list] = [[] for _ in range(g.num_vertices)]
    for src, dst in arcs_of(g):
        inbox[dst].append(said[src])
    return inbox


def many(**columns) -> Graph:
    """Return a graph without edges, a vertex per value."""
    size = len(next(iter(columns.values())))
    g = Graph.from_edges([], [], num_vertices=size)
    for name, values in columns.items():
        g.vertices[name] = values
    return g
