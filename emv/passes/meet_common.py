"""Decide what threads of cores add up by row, of neighbours that an edge's ends share.

A vertex with many arcs is the neighbour of many edges, so that threads take the line of its sum
from each other with every one of them. Sums of whole numbers come out the same in any order; where
a launch does nothing to a column but add, a thread adds up what concerns the neighbours of one
source by itself, and adds it to the column when it goes on to the next source.
"""

from __future__ import annotations

from collections.abc import Iterator

from emv.dtypes import short_name
from emv.ir import body as b
from emv.ir import schedule as s
from emv.lang.promote import is_integer
from emv.passes.around import Around, by_launch


@by_launch
def meet_common(launch: s.Launch, around: Around) -> s.Launch:
    """Return the launch with the columns whose sums threads keep by row."""
    block = launch.body.statements
    loops = [each for each in loops_in(block) if is_of_ends(launch, each)]
    fields = {field for each in loops for field in added(each) if only_adds(block, field)}
    if around.setting.target != "cpu" or not fields:
        return launch
    names = ", ".join(sorted(fields))
    reason = f"what common neighbours add to {names} is added up by a thread, source by source"
    return launch.because(reason, row_sums=frozenset(fields))


def is_of_ends(launch: s.Launch, loop: b.ForCommon) -> bool:
    """Return whether a loop of a launch is over what an edge's ends share."""
    is_map = launch.direction == "none" and launch.send.kind == "edge"
    return is_map and (loop.first.role, loop.second.role) == ("src", "dst")


def loops_in(block: tuple[b.Stmt, ...]) -> list[b.ForCommon]:
    """Return the loops over common neighbours of a function."""
    return [each for each in b.statements_in(block) if isinstance(each, b.ForCommon)]


def added(loop: b.ForCommon) -> Iterator[str]:
    """Yield the columns of whole numbers that a loop writes of the neighbours it finds."""
    for each in b.statements_in(loop.body):
        if isinstance(each, b.Store) and each.element.role == "common":
            kind = short_name(each.element.record.fields[each.field].dtype)
            if is_integer(kind):
                yield each.field


def only_adds(block: tuple[b.Stmt, ...], field: str) -> bool:
    """Return whether a function does nothing to a column of vertices but add to it."""
    nodes: list[b.Stmt | b.Expr] = [*b.statements_in(block), *b.expressions_in(block)]
    reached = [each for each in nodes if getattr(each, "field", "") == field]
    return all(isinstance(each, b.Store) and each.op == "add" for each in reached)
