"""Decide how a launch walks: over edges or rows, in which storage, over all vertices or a few.

*Edges* come in the order in which the user added them, so both ends of each are random accesses. By
arcs of their sources, one end is the same for a whole row. On a directed graph, whose edges and
arcs are the same, that changes only the order; it is worth it where a function reads nothing of the
edge itself, as joining the sets of its ends. An undirected graph is walked by its edges: it has
twice as many arcs.

*Storage*: compressed rows, unless the caller asks for another. Measured on CPU and GPU
(docs/design/layouts.md): no other gained enough to be chosen.

*Values*: a function whose text is ``if v.f == x: ...`` does nothing elsewhere. In a loop that never
writes ``f``, cores sort the vertices by it once, when the loop begins, and every superstep walks
those that have its ``x``: a walk over the levels of a search touches each vertex once, not once per
level. Brandes' accumulation in GAP (Beamer, Asanovic and Patterson, 2015) keeps the levels for
this. On a GPU every superstep looks at all vertices; a thread asks several of its own at once, and
waits once for what they hold.
"""

from __future__ import annotations

import dataclasses

from emv.ir import body as b
from emv.ir import schedule as s
from emv.ir.schedule import Launch
from emv.lang.promote import is_integer
from emv.passes.around import Around, by_launch
from emv.passes.sends import goes_over_arcs


@by_launch
def choose_walk(launch: Launch, around: Around) -> Launch:
    """Return the launch, marked if its edges may be visited by arcs."""
    statements = launch.body.statements
    if launch.domain.kind != "edges" or not statements:
        return launch
    joined = [{e.first.role, e.second.role} for e in statements if isinstance(e, b.Union)]
    if joined != [{"src", "dst"}] * len(statements):
        return launch
    reason = "nothing of the edge itself is read: on a directed graph, edges are visited by source"
    return launch.because(reason, by_arcs=True)


@by_launch
def choose_layout(launch: Launch, around: Around) -> Launch:
    """Return the launch with its storage, and why it is not compressed rows."""
    if launch.layout == "csr":
        return launch
    if not walks_rows(launch):
        return dataclasses.replace(launch, layout="csr")
    reason = f"in {launch.layout}: the caller asks for it; one thread walks a vertex"
    if launch.layout == "coo":
        reason = "in coo: the caller asks for it; one thread takes an arc"
    return launch.because(reason)


def walks_rows(launch: Launch) -> bool:
    """Return whether a launch walks the arcs of vertices."""
    if launch.direction in ("pull", "either") or launch.by_arcs or walks_own_arcs(launch):
        return True
    return launch.arc_form and launch.domain.kind not in ("edges", "active_edges")


def walks_own_arcs(launch: Launch) -> bool:
    """Return whether a function itself goes over the arcs of its vertex, in one piece."""
    return not launch.arc_form and goes_over_arcs(launch.body.statements)


@by_launch
def index_values(launch: s.Launch, around: Around) -> s.Launch:
    """Return the launch, marked if it may walk the vertices of one value, or sift them."""
    loop = around.loop
    setting = around.setting
    if setting.divided or loop is None or s.loops_in(loop.body):
        return launch
    is_map = launch.direction == "none" and launch.send.kind in ("vertex", "elist")
    if not is_map or launch.domain.kind != "all" or launch.layout != "csr":
        return launch
    if launch.aggregates or launch.returned is not None or launch.double_buffered:
        return launch
    found = guard_of(launch)
    if found is None or ("vertex", found[0]) in s.written_columns(loop.body):
        return launch
    if setting.target == "cuda":
        return sifted(launch, found[0], bool(setting.copies))
    reason = f"vertices are sorted by {found[0]} once, and those of one value are walked"
    return launch.because(reason, indexed=found)


def sifted(launch: s.Launch, field: str, has_copies: bool) -> s.Launch:
    """Return the launch with a test that is asked of several vertices at once, if it comes first.

    Sweeps, and warps that share rounds of a loop, take one vertex after the other.
    """
    one_by_one = bool(launch.again or launch.shared)
    comes_first = all(isinstance(each.source, s.Slot) for each in launch.args)
    if has_copies or one_by_one or not comes_first or launch.heard is not None:
        return launch
    reason = f"few vertices have one value of {field}: a thread asks several at once"
    return launch.because(reason, sifted=True)


def guard_of(launch: s.Launch) -> tuple[str, str] | None:
    """Return the field and the parameter that are equal wherever the function does something."""
    found = b.only_test(launch.send.body.statements)
    test = None if found is None else found.condition
    if not isinstance(test, b.Compare) or test.op != "==":
        return None
    for own, other in ((test.left, test.right), (test.right, test.left)):
        is_whole = is_integer(own.type) and own.type != "u64"
        if b.reads(own, "own") and is_whole and isinstance(other, b.Local):
            return (own.field, other.name) if is_given(launch, other) else None
    return None


def is_given(launch: s.Launch, local: b.Local) -> bool:
    """Return whether a local is a parameter that is one whole number for all instances."""
    slot = next((each.source for each in launch.args if each.name == local.name), None)
    return isinstance(slot, s.Slot) and local.type in ("int", "i64")
