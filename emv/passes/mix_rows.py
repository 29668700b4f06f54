"""Decide whether walks need the entries of a row in their order, where rows hold the same in two.

The row of arcs and the row of slots of a vertex of an undirected graph lead to the same vertices:
arcs in the order of their edges, with the ways back behind, slots ascending by sender. Only what
depends on the order needs the one or the other: edge columns and draws, which go by arc or slot,
messages that are kept in slots, and folds that give something else in another order, such as sums
of floats. All else is as well walked along the other one, in either direction; one array is built
and held then, and merged when edges change. Directed graphs have no such choice.

One GPU does this. Cores and the parts of a graph have both arrays.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from emv.ir import body as b
from emv.ir import schedule as s
from emv.passes.around import Setting
from emv.passes.choose_walk import walks_own_arcs

OUT, IN = "dst_of_arc", "src_of_slot"
ANY = "any will do, where edges lead both ways"
FREE = ("min", "max", "any", "all", "bitwise_or", "sum", "prod")
"""Operators that give the same in any order, of anything but floats."""


def mix_rows(schedule: s.Schedule, setting: Setting) -> s.Schedule:
    """Return the schedule, which says of index arrays that are walked along why in which order."""
    if setting.target != "cuda" or setting.divided:
        return schedule
    rows = dict[str, str]()
    for launch in s.launches_in(schedule.body):
        found = next(why_ordered(launch), None)
        why = ANY if found is None else f"{launch.name} {found}"
        rows |= {name: why for name in walked_by(launch) if rows.get(name, ANY) == ANY}
    return dataclasses.replace(schedule, rows=tuple(sorted(rows.items())))


def walked_by(launch: s.Launch) -> Iterator[str]:
    """Yield whether a launch goes along the rows of arcs, and of slots."""
    is_of_edges = launch.domain.kind in ("edges", "active_edges")
    over_arcs = launch.arc_form and (not is_of_edges or launch.by_arcs)
    if goes_by_itself(launch) or (over_arcs and launch.direction != "pull"):
        yield OUT
    if launch.direction in ("pull", "either") or launch.keeps or launch.heard is not None:
        yield IN


def goes_by_itself(launch: s.Launch) -> bool:
    """Return whether a function, a receiver's too, goes over out-arcs, or asks where one leads."""
    received = () if launch.receive is None else launch.receive.function.body.nodes
    nodes = (*launch.body.nodes, *received)
    return walks_own_arcs(launch) or any(isinstance(e, b.OutArc | b.ForLinks) for e in nodes)


def why_ordered(launch: s.Launch) -> Iterator[str]:
    """Yield what depends on the order of what a launch walks along."""
    nodes = launch.body.nodes
    if launch.by_arcs:
        return  # edges both ways are gone over as they were added
    if launch.keeps or launch.heard is not None:
        yield "keeps messages in the order of slots"
    if launch.layout != "csr":
        yield f"walks arcs in {launch.layout}"
    if not launch.arc_form or goes_by_itself(launch):
        yield "goes over the arcs of a vertex one after another"
    if any(isinstance(each, b.Random) for each in nodes):
        yield "draws by arc"
    if any(each.kind == "edge" for each in launch.body.elements):
        yield "reads or writes edges"
    if any(isinstance(each, b.Store | b.Union) for each in nodes):
        yield "writes along arcs"
    if launch.aggregates or launch.returned is not None:
        yield "returns a value for every arc"
    if not isinstance(launch.shortcut, s.Claim) and any(map(is_ordered, launch.folds)):
        yield "folds what may come out otherwise in another order"


def is_ordered(fold: s.Fold) -> bool:
    """Return whether a fold may depend on the order of messages."""
    kinds = s.component_types(fold.message)
    is_free = all(op.name in FREE and op.loc is None for op in fold.ops)
    return not is_free or any(kind.startswith("f") for kind in kinds)
