"""Decide how a function over ``g.edges`` walks: in the order of the edges, or vertex by vertex.

Edges come in the order in which the user added them, so both ends of each are random accesses. By
arcs of their sources, one end is the same for a whole row. On a directed graph, whose edges and
arcs are the same, that changes only the order; it is worth it where a function reads nothing of the
edge itself, as joining the sets of its ends. An undirected graph is walked by its edges: it has
twice as many arcs.
"""

from __future__ import annotations

import dataclasses

from emv.ir import body as b
from emv.ir.schedule import Launch
from emv.passes.around import Around, by_launch


@by_launch
def choose_walk(launch: Launch, around: Around) -> Launch:
    """Return the launch, marked if its edges may be visited by arcs."""
    statements = launch.body.statements
    if launch.domain.kind != "edges" or not statements:
        return launch
    if not all(isinstance(each, b.Union) and _joins_ends(each) for each in statements):
        return launch
    reason = "nothing of the edge itself is read: on a directed graph, edges are visited by source"
    return dataclasses.replace(launch, by_arcs=True, reasons=(*launch.reasons, reason))


def _joins_ends(stmt: b.Union) -> bool:
    return {stmt.first.role, stmt.second.role} == {"src", "dst"}
