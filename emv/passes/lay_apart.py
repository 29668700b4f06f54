"""Decide which loops spare few active vertices of short rows all waits that they can do without.

A superstep of few vertices is one wait for memory after another, and every shuffle by which lanes
tell each other whose arc they have is a wait, too. Where no row has more arcs than a few lanes can
take, each row gets as many lanes as the longest, and they ask nobody. Several rows share a warp, so
that fewer warps wait for each other at the length of the queue. Behind the superstep every block
decides for itself what comes next, of the same numbers, so that none waits for one that decides.

Whether all rows are short is known when the graph is, whether few are active when a superstep
begins: the kernel has both ways.
"""

from __future__ import annotations

from emv.config import config
from emv.ir import body as b
from emv.ir import schedule as s
from emv.passes.around import Around, by_launch
from emv.passes.settle_loops import hides_votes

REASON = (
    "where all rows are short, each has lanes of its own while few vertices are active, and every"
    " block decides for itself when the next superstep begins"
)


@by_launch
def lay_apart(launch: s.Launch, around: Around) -> s.Launch:
    """Return the launch, marked if supersteps of few short rows go so.

    A claim takes its arcs one by one, whoever has them. What else is pushed goes on with rows that
    a warp holds, or adds up what lanes side by side have. Blocks that decide for themselves tell
    who was activated by the length of a queue, which does not tell all of it in some programs.
    """
    loop, setting = around.loop, around.setting
    if setting.target != "cuda" or setting.divided or setting.is_piece or setting.copies:
        return launch
    is_claim = type(launch.shortcut) is s.Claim and launch.direction in ("push", "either")
    if not is_claim or loop is None or not loop.shrinks or config.deterministic:
        return launch
    if not is_all(launch, loop) or not is_plain(launch) or hides_votes(around.steps):
        return launch
    return launch.because(REASON, apart=True)


def is_all(launch: s.Launch, loop: s.LoopStep) -> bool:
    """Return whether the active vertices of a superstep are what a loop is about, and all of it."""
    kinds = [type(step) for step in loop.body]
    return kinds == [s.TakeActive, s.Launch] and launch.domain.kind == "active"


def is_plain(launch: s.Launch) -> bool:
    """Return whether functions only send and activate: who votes, or loops, is asked otherwise."""
    functions = s.functions_of(launch)
    statements = [e for each in functions for e in b.statements_in(each.body.statements)]
    acts = {act for each in functions for act in each.effects.acts}
    loops = any(b.blocks_of(each) and not isinstance(each, b.If) for each in statements)
    return acts <= {"send", "activate"} and not loops
