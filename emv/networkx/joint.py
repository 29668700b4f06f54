"""The program of emv that assortativity needs: what both ends of edges have, multiplied."""

from __future__ import annotations

import emv
from emv import Edge, Vertex, edge, f64, program


class Party(Vertex):
    """A node."""

    ahead: f64  # what counts where an edge starts
    behind: f64  # and where one ends


@edge
def multiply(tie: Edge[Party]):
    """Return what the one end has times what the other has."""
    return tie.src.ahead * tie.dst.behind


@program(bind={"ahead": Party.ahead, "behind": Party.behind})
def multiplied(g, ahead, behind):
    """Return the sum over all edges, of which one without direction counts once."""
    return emv.total(multiply(g.edges))
