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
import math
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
from emv.lang.records import REQUIRED, Field
from emv.lang.schedules import near_far
from emv.runtime.dependants import dependants, least_offer, may_lower
from emv.runtime.levels import LEVEL, is_levelled, lowering
from emv.runtime.run import run_columns

MOST_ANEW = 0.5
"""Of the values there are; where more may rest on what was removed, all begin anew."""


@dataclass(frozen=True)
class Relaxing:
    """A program that relaxes one vertex field along edges until nothing gets less."""

    field: Field
    weights: tuple[Field, ...]
    sending: Any = dataclasses.field(compare=False)
    levels: bool = False  # claimed, see `emv.runtime.levels`

    def __str__(self) -> str:
        lowered = ", as the least number of arcs to each vertex," if self.levels else ""
        return (
            f"{self.field.name} goes on from what it was{lowered} and the ends of new edges; what "
            "hung on removed ones begins anew"
        )

    @property
    def kept(self) -> Field:
        """The field that is lowered: the program's own, or the same bits without a sign."""
        return LEVEL if self.levels else self.field

    def lowered(self, values: Any) -> Any:
        """Return values of the program's field as those of the one that is lowered."""
        return values.view(self.kept.dtype) if self.levels else values


def relaxing(program: p.Program, schedule: s.Schedule) -> Relaxing | None:
    """Return how a program goes on with relaxations; None if it is no such program."""
    *before, loop = program.body or (None,)
    shortcuts = [each.shortcut for each in s.launches_in(schedule.body)]
    found = [each for each in shortcuts if isinstance(each, s.Relax | s.Claim)]
    if len(found) != 1 or not isinstance(loop, p.Loop) or not _is_open(loop):
        return None
    receiving = _receiving(loop)
    if receiving is None or not all(_seeds(each, receiving) for each in before):
        return None
    if program.results != p.Column("vertex", found[0].field):
        return None
    own = program.fields["vertex", found[0].field]
    if own.default is REQUIRED:  # every run begins with what the graph's column is then
        return None
    weights = tuple(field for field in program.fields.values() if field is not own)
    if own.kind != "vertex" or any(field.kind != "edge" for field in weights):
        return None
    sending = cast(p.Apply, loop.body[0]).function
    if isinstance(found[0], s.Relax) or found[0].rises:
        return Relaxing(own, weights, sending)
    is_plain = is_levelled(found[0], own) and not weights and all(map(_from_above, before))
    is_sent = len(sending.analysis.body.statements) == 1
    return Relaxing(own, (), sending, levels=True) if is_plain and is_sent else None


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


def _from_above(node: Any) -> bool:
    """Return whether seeds are given numbers from 0 on, whatever the call."""
    return all(isinstance(each, p.Number) and each.value >= 0 for _, each in node.args)


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
    values, field = plan.lowered(np.asarray(run.vertices[plan.field.name])), plan.kept
    begin = np.full(graph.num_vertices, field.default, field.dtype)
    begin[: len(common.vertices)] = values[common.vertices]
    gone = common.edges_gone(run.said.num_edges)
    if not len(gone):
        return Start(_offering(plan, graph, begin, common, bindings), begin)
    offer = _least_offer(plan, run.said.edge_columns, run.graph, bindings)
    most = int(MOST_ANEW * np.count_nonzero(values != field.default))
    lost = dependants(run.graph, values, field.default, gone, offer, most)
    if lost is None:
        return None
    table = common.vertex_table(len(values))
    lost = table[lost]
    is_lost = np.zeros(graph.num_vertices, np.bool_)
    is_lost[lost[lost >= 0]] = True
    begin[is_lost] = field.default
    src, dst = graph.edges.endpoints()
    ways = [(src, dst)] if graph.directed else [(src, dst), (dst, src)]
    into = np.concatenate([one[is_lost[other]] for one, other in ways])
    into = into[begin[into] != field.default]
    awake = np.append(_offering(plan, graph, begin, common, bindings), into)
    return Start(np.unique(awake), begin, int(np.count_nonzero(is_lost)))


def _offering(
    plan: Relaxing, graph: Any, values: NDArray[Any], common: Common, bindings: Any
) -> NDArray[Any]:
    """Return which vertices may offer less along new edges than these lead to, ascending.

    Who has what all began with never offered it; the largest whole number plus a length is less.
    """
    num_left, far = len(common.edges), plan.kept.default
    is_float = values.dtype.kind == "f"
    src, dst = (each.astype(np.int64) for each in graph.edges.growing_ends.since(num_left))
    columns = {name: graph.edges.stored(name) for name in graph.edges}
    offer = _least_offer(plan, columns, graph, bindings)
    edges, wide = np.arange(num_left, num_left + len(src)), np.float64 if is_float else np.int64
    ways = [(src, dst)] if graph.directed else [(src, dst), (dst, src)]
    found = [
        one[may_lower(values, far, one, other, offer(values[one].astype(wide), edges))]
        for one, other in ways
    ]
    return np.unique(np.concatenate(found))


def _least_offer(plan: Relaxing, columns: Any, graph: Any, bindings: Any) -> Any:
    """Return what gives the least that arcs offer, of the edges of some graph and its columns."""
    numbers = {}
    for field in plan.weights:
        source = source_of(graph, field, bindings.get((field.kind, field.name)))
        numbers[field.name] = columns[source] if isinstance(source, str) else source
    statements = plan.sending.analysis.body.statements
    return least_offer(statements, plan.field.name, numbers)


def go_on(plan: Relaxing, run: Any, graph: Any, start: Start, text: Any, make: Any) -> Any:
    """Return the run that goes on from another; `make` makes programs of functions."""
    said = run.said
    options = {**said.options, "precision": None}
    if plan.levels:
        return _as_levels(plan, run, graph, start, _warmed(text, plan, make))
    if said.options["schedule"] is None and lies_on_device(start.values):
        options["schedule"] = near_far(math.inf)  # of few that are awake, rounds take longest
    warmed = _warmed(text, plan, make)
    return warmed.run(graph, start.awake, start.values, *said.args, **said.named, **options)


def _as_levels(plan: Relaxing, run: Any, graph: Any, start: Start, warmed: Any) -> Any:
    """Return the run that lowers levels, as one of the program that claims them."""
    options = {**run.said.options, "precision": None, "schedule": None}
    made = warmed.run(graph, start.awake, start.values, **options)
    made.program, values = run.program, made.result
    if lies_on_device(values):
        held = device_array(values)
        values = device_of(held).convert(held, plan.field.dtype)
    else:
        values = values.view(plan.field.dtype)
    made.result, columns = values, {("vertex", plan.field.name): values}
    made.vertices, made.edges = run_columns(columns)
    return made


def _wake(v: Any):  # type: ignore[no-untyped-def] # a function of the language returns nothing
    v.activate()


_KEPT: weakref.WeakKeyDictionary[Any, dict[Any, Any]] = weakref.WeakKeyDictionary()


def _warmed(text: Any, plan: Relaxing, make: Any) -> Any:
    """Return the program that begins with vertices awake and with values given; it is kept."""
    kept = _KEPT.setdefault(text, {})
    if plan.field not in kept:
        python, bind = (lowering, {}) if plan.levels else (text.python, text.bind)
        kept[plan.field] = _made_warm(python, bind, plan.kept, make)
    return kept[plan.field]


def _made_warm(python: Any, bind: dict[str, Any], field: Field, make: Any) -> Any:
    wake = Function("vertex", cast(types.FunctionType, _wake), {"Any": field.record})

    def warm(g: Any, awake: Any, before: Any, *args: Any, **named: Any) -> Any:
        wake(g.only(awake))
        return python(g, *args, **named)

    named_alike(warm, python, ("awake", "before"))
    return make(warm, {**bind, "before": field}, False)


def named_alike(warm: Any, python: Any, added: tuple[str, ...]) -> None:
    """Give a program's text the name and the parameters of another, with some behind the graph."""
    own = list(inspect.signature(python).parameters.values())
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    more = [inspect.Parameter(name, kind) for name in added]
    warm.__signature__ = inspect.Signature([own[0], *more, *own[1:]])
    warm.__name__ = warm.__qualname__ = python.__name__
