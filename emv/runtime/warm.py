"""Go on with relaxations from the values there were.

A program that relaxes until nothing gets less ends in the least value over all paths, whatever the
order (`emv.passes.find_relax` proves it of the text). With more edges there are more paths: the old
values are those of paths that still are there, and only a new edge can offer less. So the program
runs as it is written, from the old values instead of the defaults and with the ends of the new
edges awake (monotone programs that gain edges: Vora, Gupta, Xu, KickStarter, ASPLOS 2017). Where
edges were removed, the values that may rest on them (`dependants`) begin anew, and what leads to
these is awake, too.

Not so where something is added that is negative, no number or a degree, where an edge column is
another by now, where a limit or `until` may end the loop, or where anything but the receiving
function, given the same numbers, comes before it.
"""

from __future__ import annotations

import dataclasses
import inspect
import types
import weakref
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from emv.device import device_of
from emv.graph.bind import source_of
from emv.graph.common import Common
from emv.graph.on_device import device_array, lies_on_device
from emv.ir import body as b
from emv.ir import program as p
from emv.ir import schedule as s
from emv.lang.functions import Function
from emv.lang.records import Field
from emv.runtime.dependants import dependants, least_offer

MOST_ANEW = 0.5
"""Of the values there are; where more may rest on what was removed, all begin anew."""


@dataclass(frozen=True)
class Relaxing:
    """A program that relaxes one vertex field along edges until nothing gets less."""

    field: Field
    weights: tuple[Field, ...]
    sending: Any = dataclasses.field(compare=False)

    def __str__(self) -> str:
        return (
            f"{self.field.name} goes on from what it was and the ends of new edges; what hung on "
            "removed ones begins anew"
        )


def relaxing(program: p.Program, schedule: s.Schedule) -> Relaxing | None:
    """Return how a program goes on with relaxations; None if it is no such program."""
    *before, loop = program.body or (None,)
    shortcuts = [each.shortcut for each in s.launches_in(schedule.body)]
    found = [each for each in shortcuts if isinstance(each, s.Relax)]
    if len(found) != 1 or not isinstance(loop, p.Loop) or not _is_open(loop):
        return None
    receiving = _receiving(loop)
    if receiving is None or not all(_seeds(each, receiving) for each in before):
        return None
    if program.results != p.Column("vertex", found[0].field):
        return None
    own = program.fields["vertex", found[0].field]
    weights = tuple(field for field in program.fields.values() if field is not own)
    if own.kind != "vertex" or any(field.kind != "edge" for field in weights):
        return None
    sending = cast(p.Apply, loop.body[0]).function
    return Relaxing(own, weights, sending)


def _is_open(loop: p.Loop) -> bool:
    """Return whether nothing but votes ends a loop; no path takes more arcs than vertices."""
    is_far = loop.limit in (p.Number("i64", p.NO_LIMIT), p.GraphNumber("i64", "num_vertices"))
    return is_far and loop.by_votes and not (loop.until or loop.carried or loop.in_place)


def _receiving(loop: p.Loop) -> Any:
    """Return the receiving function of a loop of arcs that send what no new edge changes."""
    sending, last = loop.body[0], loop.body[-1]
    if len(loop.body) != 3 or not isinstance(sending, p.Apply) or not isinstance(last, p.Apply):
        return None
    if sending.function.kind != "edge" or last.domain.kind != "receivers":
        return None
    given = [value for node in (sending, last) for _, value in node.args]
    if not all(isinstance(each, p.Ref | p.Number | p.ScalarParameter) for each in given):
        return None
    for each in b.expressions_in(sending.function.analysis.body.statements):
        if isinstance(each, b.Attribute) and each.name != "id":  # a degree
            return None
    return last.function


def _seeds(node: Any, receiving: Any) -> bool:
    """Return whether a node gives numbers to the receiving function of the loop."""
    return (
        isinstance(node, p.Apply)
        and node.function is receiving
        and node.domain.kind == "only"
        and all(isinstance(each, p.Number | p.ScalarParameter) for _, each in node.args)
    )


def why_not(
    plan: Relaxing, run: Any, graph: Any, bindings: Any, left: NDArray[np.int64] | None = None
) -> str | None:
    """Return why a run cannot go on from another; None if it can.

    Parameters
    ----------
    left : int64[n], optional
        Which edges of the run are left; by default all.
    """
    if run.stopped != "converged":
        return f"the run ended by {run.stopped}"
    if run.vertices[plan.field.name].dtype != plan.field.dtype:
        return f"{plan.field.name} is {plan.field.spelled} now"
    for field in plan.weights:
        source = source_of(graph, field, bindings.get((field.kind, field.name)))
        given = bindings.get((field.kind, field.name), (field.name, True))[0]
        if isinstance(source, str):
            before = run.said.edge_columns.get(source)
            values = graph.edges.stored(source)
            if before is None or not _goes_on(run, graph, source, before, left):
                return f"the edge column {source} is another"
            looked_at = (values,) if left is None else (values, before)
            if any(len(each) and not each.min() >= 0 for each in looked_at):
                return f"{source} is negative somewhere, or no number"
        elif isinstance(source, np.ndarray) or np.ndim(source) or not source >= 0:
            return f"{field.name} is an array of the call, or negative"
        elif isinstance(given, str) and given in run.said.edge_columns:
            return f"the edge column {given} is not there any more"
    return None


def _goes_on(
    run: Any, graph: Any, name: str, before: NDArray[Any], left: NDArray[np.int64] | None
) -> bool:
    """Return whether an edge column begins with what is left of what it was."""
    edges = run.graph.edges
    is_held = left is None and name in edges and edges.stored(name) is before
    if is_held and graph.edges.begins_as(name, edges, len(before)):
        return True
    return begins_with(graph.edges.stored(name), before if left is None else before[left])


def why_not_there(plan: Relaxing, run: Any, graph: Any, bindings: Any) -> str | None:
    """Do as `why_not` where the edges of a graph lie on a GPU, and only more are there by now."""
    values, said = run.vertices[plan.field.name], run.said
    if run.stopped != "converged" or not lies_on_device(values):
        return f"the run ended by {run.stopped}, or elsewhere"
    if device_array(values).dtype != plan.field.dtype:
        return f"{plan.field.name} is {plan.field.spelled} now"
    sizes = {said.num_vertices, run.graph.num_vertices, graph.num_vertices}
    if len(sizes) > 1 or graph.num_edges < said.num_edges:
        return "vertices are new or edges removed, which is not looked at on a GPU"
    if not _begins_there(graph, run.graph, said.num_edges):
        return "the graph is no later version of the one before"
    for field in plan.weights:
        source = source_of(graph, field, bindings.get((field.kind, field.name)))
        if isinstance(source, str):
            now, before = graph.edges.on_device(source), said.edge_columns_there.get(source)
            unlike, negative = _found_there(now, before, said.num_edges)
            if unlike or negative:
                what = "another" if unlike else "negative somewhere, or no number"
                return f"the edge column {source} is {what}"
        elif lies_on_device(source) or np.ndim(source) or not source >= 0:
            return f"{field.name} is an array of the call, or negative"
    return None


def _begins_there(graph: Any, before: Any, count: int) -> bool:
    """Return whether so many first edges of a graph are those of another, on a GPU."""
    if graph.edges.growing_ends.begins_as(before.edges.growing_ends, count):
        return True
    ends = (each.edges.ends().on_device or (None, None) for each in (graph, before))
    return not any(_found_there(now, was, count)[0] for now, was in zip(*ends, strict=True))


def _found_there(now: Any, before: Any, count: int) -> tuple[int, int]:
    """Return how many of the first entries are others by now, and how many of all are negative."""
    if now is None or before is None:
        return 1, 0
    now, before = device_array(now), device_array(before)[:count]
    if now.dtype != before.dtype or now.device.label != before.device.label:
        return 1, 0
    return device_of(now).compare(now, before)


def start_there(plan: Relaxing, run: Any, graph: Any) -> Start:
    """Return from where a run goes on whose values lie on a GPU: nothing else of them is copied."""
    values = device_array(run.vertices[plan.field.name])
    new = graph.edges.growing_ends.since(run.said.num_edges)
    awake = np.unique(new[0] if graph.directed else np.concatenate(new))
    offers = device_of(values).taken(values, awake) != plan.field.default
    return Start(awake[offers], values)


def begins_with(values: NDArray[Any], before: NDArray[Any]) -> bool:
    """Return whether the first values are those before; where memory is shared, at one look."""
    address = [each.__array_interface__["data"][0] for each in (values, before)]
    if address[0] == address[1] and values.dtype == before.dtype and len(values) >= len(before):
        return True
    return values.dtype == before.dtype and np.array_equal(values[: len(before)], before)


@dataclass(frozen=True)
class Start:
    """From where a run goes on.

    Attributes
    ----------
    awake : int64[n]
        The vertices that offer what they have.
    values : any[num_vertices]
        The values.
    num_anew : int
        How many vertices begin anew, as their values may rest on what was removed.
    """

    awake: NDArray[Any]
    values: Any
    num_anew: int = 0


def start_of(plan: Relaxing, run: Any, graph: Any, common: Common, bindings: Any) -> Start | None:
    """Return from where a run goes on; None if most values may rest on what was removed."""
    values = np.asarray(run.vertices[plan.field.name])
    begin = np.full(graph.num_vertices, plan.field.default, plan.field.dtype)
    begin[: len(common.vertices)] = values[common.vertices]
    new = graph.edges.growing_ends.since(len(common.edges))
    awake = new[0] if graph.directed else np.concatenate(new)
    gone = common.edges_gone(run.said.num_edges)
    if not len(gone):
        return Start(_offering(plan, awake, begin), begin)
    columns = {field.name: _numbers(field, run, graph, bindings) for field in plan.weights}
    statements = plan.sending.analysis.body.statements
    offer = least_offer(statements, plan.field.name, columns)
    most = int(MOST_ANEW * np.count_nonzero(values != plan.field.default))
    lost = dependants(run.graph, values, plan.field.default, gone, offer, most)
    if lost is None:
        return None
    table = common.vertex_table(len(values))
    lost = table[lost]
    is_lost = np.zeros(graph.num_vertices, np.bool_)
    is_lost[lost[lost >= 0]] = True
    begin[is_lost] = plan.field.default
    src, dst = graph.edges.endpoints()
    into = [src[is_lost[dst]]] if graph.directed else [src[is_lost[dst]], dst[is_lost[src]]]
    awake = np.concatenate([awake, *into])
    return Start(_offering(plan, awake, begin), begin, int(np.count_nonzero(is_lost)))


def _offering(plan: Relaxing, awake: NDArray[Any], values: NDArray[Any]) -> NDArray[Any]:
    """Return which vertices offer what they have, ascending: those that have been given any.

    Who has what all began with never offered it; the largest whole number plus a length is less.
    """
    found: NDArray[Any] = np.unique(awake)
    found = found[values[found] != plan.field.default]
    return found


def _numbers(field: Field, run: Any, graph: Any, bindings: Any) -> Any:
    """Return what is added along edges of the run: a number, or one per edge."""
    source = source_of(graph, field, bindings.get((field.kind, field.name)))
    return run.said.edge_columns[source] if isinstance(source, str) else source


def go_on(plan: Relaxing, run: Any, graph: Any, start: Start, text: Any, make: Any) -> Any:
    """Return the run that goes on from another; `make` makes programs of functions."""
    said = run.said
    options = {**said.options, "precision": None}
    warmed = _warmed(text, plan, make)
    return warmed.run(graph, start.awake, start.values, *said.args, **said.named, **options)


def _wake(v: Any):  # type: ignore[no-untyped-def] # a function of the language returns nothing
    v.activate()


_KEPT: weakref.WeakKeyDictionary[Any, dict[Any, Any]] = weakref.WeakKeyDictionary()


def _warmed(text: Any, plan: Relaxing, make: Any) -> Any:
    """Return the program that begins with vertices awake and with values given; it is kept."""
    kept = _KEPT.setdefault(text, {})
    if plan.field not in kept:
        kept[plan.field] = _made_warm(text, plan, make)
    return kept[plan.field]


def _made_warm(text: Any, plan: Relaxing, make: Any) -> Any:
    wake = Function("vertex", cast(types.FunctionType, _wake), {"Any": plan.field.record})
    python = text.python

    def warm(g: Any, awake: Any, before: Any, *args: Any, **named: Any) -> Any:
        wake(g.only(awake))
        return python(g, *args, **named)

    named_alike(warm, python, ("awake", "before"))
    return make(warm, {**text.bind, "before": plan.field}, False)


def named_alike(warm: Any, python: Any, added: tuple[str, ...]) -> None:
    """Give a program's text the name and the parameters of another, with some behind the graph."""
    own = list(inspect.signature(python).parameters.values())
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    more = [inspect.Parameter(name, kind) for name in added]
    warm.__signature__ = inspect.Signature([own[0], *more, *own[1:]])
    warm.__name__ = warm.__qualname__ = python.__name__
