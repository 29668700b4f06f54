"""What the parts of a graph hand each other before each call of a program, known before it runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from emv.graph.slices import BEYOND
from emv.ir import schedule as s
from emv.passes.divide import is_dealt
from emv.passes.meet import handed_behind
from emv.passes.needs import Needs, Right, changed_in
from emv.runtime.targets.hops import seconds_of_hops
from emv.runtime.targets.rounds import kept_levels

if TYPE_CHECKING:
    from emv.runtime.arrays.plan import Plan


def handed_before(plan: Plan) -> str:
    """Return a line for each call and array that it may wait for: the rows and bytes that move.

    Rows move only if somebody has changed the array since they last did. Nothing is run for it; the
    graph is divided, if it was not before. Empty where there are no parts.
    """
    number = plan.target.num_parts
    if number < 2 or not any(each.share for each in s.launches_in(plan.schedule.body)):
        return ""
    levels = kept_levels(plan.whole, number, plan.target.way, plan.hops)
    held = sum(int(((each > 0) & (each < BEYOND)).sum()) for each in levels)
    lines = [*_lines(plan, {Right.REPLICAS: held})]
    kinds = f"{number} parts, {held:,} replicas{of_hops(plan)}"
    head = f"handed from part to part, before each call and at most: {kinds}"
    return "\n".join([*held_arcs(plan), head, *(lines or ["    nothing"]), ""])


def of_hops(plan: Plan) -> str:
    """Return of how many hops the replicas are, and what was predicted where nobody said."""
    said = "" if plan.hops == 1 else f" of {plan.hops} hops, handed on every {plan.hops} supersteps"
    if plan.call.arguments.schedule.hops != "auto" or plan.compiled.grids:
        return said
    seconds = [f"{1e6 * each:.3g}" for each in seconds_of_hops(plan)]
    return f"{said}; predicted us a superstep with 1, 2 ... hops: {', '.join(seconds)}"


def held_arcs(plan: Plan) -> Iterator[str]:
    """Yield what each GPU holds of the arcs; parts on cores have one memory."""
    if plan.target.part_of is None:
        return
    why = plan.schedule.all_arcs
    said = f"all arcs, as {why}" if why else "the arcs to its own vertices, and columns of them"
    if is_dealt(plan.schedule):
        said = "as many edges as every other, each once"
    yield f"each GPU holds {said}"


def _lines(plan: Plan, rows: dict[Right, int]) -> Iterator[str]:
    changed = changed_in(plan.schedule)
    for launch in s.launches_in(plan.schedule.body):
        needs: dict[str, Right] = {}
        if isinstance(launch.shortcut, s.ClaimBits):
            words = plan.whole.num_vertices * (plan.target.num_parts - 1)
            yield _line(launch.name, "a bit for each copy", words, words * plan.copies.size // 8)
            needs = handed_behind(plan.schedule, launch)
        else:
            for name, right in Needs(plan.schedule).of(launch):
                if name in changed and right is not Right.OWNERS:
                    needs[name] = max(right, needs.get(name, right))
        for name, right in needs.items():
            if name not in plan.table.arrays:
                continue
            array = plan.table.arrays[name]
            whole = array.length(plan.counts) * (plan.target.num_parts - 1)
            moved = rows.get(right, whole)
            copies = plan.copies.size if right in rows else 1
            nbytes = moved * copies * array.dtype(plan.counts).itemsize
            yield _line(launch.name, name, moved, nbytes)


def _line(call: str, what: str, rows: int, nbytes: int) -> str:
    return f"    {call:<32}{what:<24}{rows:>12,} rows{nbytes:>16,} bytes"
