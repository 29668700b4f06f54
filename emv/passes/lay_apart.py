"""Decide whose rows have lanes of their own where all rows are short and few vertices are active.

A superstep of few vertices is one wait for memory after another, and every shuffle by which lanes
tell each other whose arc they have is a wait, too. Where no row has more arcs than a few lanes can
take, each row gets as many lanes as the longest, and they ask nobody. Several rows share a warp, so
that fewer warps wait for each other at the length of the queue. Whether all rows are short is known
when the graph is, whether few are active when a superstep begins: the kernel has both walks.
"""

from __future__ import annotations

from emv.ir import schedule as s
from emv.passes.around import Around, by_launch

REASON = "where all rows are short, each has lanes of its own while few vertices are active"


@by_launch
def lay_apart(launch: s.Launch, around: Around) -> s.Launch:
    """Return the launch, marked if a push of few active vertices gives each row lanes of its own.

    A claim takes its arcs one by one, whoever has them; what else is pushed goes on with rows that
    a warp holds, or adds up what lanes side by side have.
    """
    loop, setting = around.loop, around.setting
    if setting.target != "cuda" or setting.divided or setting.is_piece:
        return launch
    is_claim = type(launch.shortcut) is s.Claim and launch.direction in ("push", "either")
    if not is_claim or loop is None or not loop.shrinks or launch.domain.kind != "active":
        return launch
    return launch.because(REASON, apart=True)
