"""The program of emv that structural holes need: what goes around an edge, by common neighbours."""

from __future__ import annotations

import emv
from emv import Edge, Vertex, edge, f64, program


class Person(Vertex):
    """A node."""

    share: f64  # that counts of what goes by this neighbour


class Tie(Edge[Person]):
    """A pair of neighbours."""

    weight: f64
    around: f64 = 0.0


@edge
def go_around(tie: Tie):
    """Sum over the neighbours that the ends have in common."""
    found = 0.0
    for left, right in emv.common(tie.src, tie.dst):
        found += left.weight * right.weight * left.dst.share
    tie.around = found


@program(graph="undirected", bind={"weight": Tie.weight, "share": Person.share})
def around_ties(g, weight, share):
    """Return for every edge the sum over common neighbours of both weights by the share there."""
    go_around(g.edges)
    return g.edges.around
