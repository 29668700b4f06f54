"""Whether a GPU of several holds the arcs to its own vertices alone, or all of the graph's.

Its own are enough where every part does what concerns its own elements (``owned``, see
`emv.passes.divide`) and nobody asks for more of a graph than the arc at hand: its ends, their
degrees, its edge's columns, draws. Degrees, numbers of edges and what draws depend on are those of
the whole graph, from arrays of their own (`emv.graph.slices`). What needs all arcs is listed in
`why_all`; such a program runs with whole index arrays on every GPU, and `explain` says why. Where
edges are ``dealt``, a part holds as many of them as every other.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from emv.ir import body as b
from emv.ir import program as p
from emv.ir import schedule as s
from emv.lang.effects import CHANGES, find_effects
from emv.passes.around import Setting
from emv.passes.divide import walk_of

ROWS = (b.ForLinks, b.ForCommon)
"""Statements that go over the out-arcs of a vertex, wherever they lead."""


def hold_arcs(schedule: s.Schedule, setting: Setting) -> s.Schedule:
    """Return the schedule, which says whether parts hold their own arcs, where there are GPUs."""
    if not setting.divided or setting.target != "cuda":
        return schedule
    why = next(why_all(schedule), "")
    return dataclasses.replace(schedule, sliced=not why, all_arcs=why)


def why_all(schedule: s.Schedule) -> Iterator[str]:
    """Yield what of a program needs all arcs, or all edges, on every part."""
    if schedule.is_piece:
        yield "the host drives its loops"
    if any(kind == "edge" for kind, _ in schedule.written):
        yield "it changes an edge column"
    for result in p.results_in(schedule.results):
        if isinstance(result, p.Column) and result.kind == "edge" and result.name != "id":
            yield "it returns an edge column"
    for launch in s.launches_in(schedule.body):
        for why in _of_launch(launch):
            yield f"{launch.name} {why}"
    for step in s.steps_in(schedule.body):
        column = step.values if isinstance(step, s.AggregateValues) else None
        if isinstance(step, s.FoldColumn) or getattr(column, "kind", "") == "edge":
            yield "it folds an edge column"


def _of_launch(launch: s.Launch) -> Iterator[str]:
    if launch.share not in ("owned", "even", "dealt"):
        yield "runs all senders on every part"
    if launch.returned is not None and walk_of(launch) == "edges":
        yield "returns a value for every edge"
    if "edges" in launch.domain.kind and launch.domain.kind != "edges":
        yield "runs over active edges"
    yield from _of_body(launch.body)  # in the form in which it is walked
    if launch.receive is not None:
        yield from _of_body(launch.receive.function.body)


def _of_body(body: b.Body) -> Iterator[str]:
    """Yield what a function asks of arcs, or edges, besides the one at hand."""
    effects = find_effects(body)
    if effects.acts & CHANGES:
        yield "changes the graph"
    if any(isinstance(each, ROWS) for each in b.statements_in(body.statements)):
        yield "goes over the out-arcs of a vertex"
    acts = [each for each in b.statements_in(body.statements) if isinstance(each, b.Activate)]
    if any(each.element.kind == "edge" for each in acts):
        yield "activates edges"
    for expr in b.expressions_in(body.statements):
        element: Any = getattr(expr, "element", None)
        if isinstance(expr, b.OutArc):
            yield "asks where an out-arc of a vertex leads"
        elif element is not None and element.kind == "edge" and element.role != "own":
            yield "reads edges by their numbers"
