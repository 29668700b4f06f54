"""Go on towards a fixed point from where the last one was, whatever was added and removed.

A loop that repeats ``x = M x + b`` until a superstep changes x by less than a tolerance, with no
entry of M below 0 and every entry of b above it, has one fixed point at most that is not negative,
and comes to it from wherever it starts: if ``x = M x + b`` then ``M x < x`` everywhere, so that the
spectral radius of M is below 1 (Collatz 1942, Wielandt 1950). So it may start from the values there
were, and ends by the same tolerance. PageRank is such a loop, and Katz centrality; a power
iteration that divides by a length, as HITS does, is none: where the old values are 0 it would never
look.

That a program is one is deduced from its text (`settling`), and that M and b are such from the
numbers of the call and the graph (`start_of`, by `bounds`).
"""

from __future__ import annotations

import dataclasses
import math
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emv.errors import ColumnError
from emv.graph.bind import source_of
from emv.graph.common import Common
from emv.ir import body as b
from emv.ir import program as p
from emv.lang.records import Field
from emv.runtime.bounds import ANY, Bounds, Superstep, rising
from emv.runtime.near_rounds import IS_NEAR, begin_near, can_begin_near, near_record
from emv.runtime.warm import named_alike


@dataclass(frozen=True)
class Settling:
    """A program that repeats one superstep until a vertex field changes by little.

    What `emv.runtime.spreading` last read off its text is kept in ``spreads``.
    """

    field: Field
    loop: p.Loop = dataclasses.field(compare=False)
    call: p.Apply = dataclasses.field(compare=False)
    program: p.Program = dataclasses.field(compare=False)
    spreads: list[Any] = dataclasses.field(default_factory=list, compare=False, repr=False)

    def __str__(self) -> str:
        near = "; compiled, after rounds that set ends of changed edges alone" * begins_near(self)
        return (
            f"{self.field.name} goes on from what it was, if every superstep adds something to "
            f"multiples of it that are not negative; else anew{near}"
        )


def settling(program: p.Program) -> Settling | None:
    """Return which field a program lets settle; None if it is no such program."""
    loops = [each for each in program.body if isinstance(each, p.Loop)]
    if len(loops) != 1 or any(isinstance(each, p.Loop) for each in loops[0].body):
        return None
    loop = loops[0]
    if loop.by_votes or loop.in_place or not isinstance(loop.until, p.Operation):
        return None
    measured = _measured(loop)
    if measured is None or _carried(loop) != {measured[0]}:
        return None
    name, call = measured
    place = program.body.index(loop)
    before, after = program.body[:place], program.body[place + 1 :]
    if any(_touches(each, name) and not _is_fill(each, name) for each in before):
        return None
    if any(_writes(each, name) for each in after):
        return None
    return Settling(program.fields["vertex", name], loop, call, program)


def _measured(loop: p.Loop) -> tuple[str, p.Apply] | None:
    """Return the field whose change in a superstep ends a loop when it is small, and who sets it.

    What is looked at is the sum of what all vertices move by, or the largest.
    """
    until = loop.until
    if not isinstance(until, p.Operation) or until.op not in ("<", "<="):
        return None
    change, bound = until.args
    if not isinstance(change, p.Aggregated) or not _is_given(bound):
        return None
    made = {each.id: each for each in loop.body if isinstance(each, p.Apply | p.Aggregate)}
    total = made.get(change.id)
    if not isinstance(total, p.Aggregate) or total.op not in ("total", "largest"):
        return None
    call = made.get(total.source.id) if isinstance(total.source, p.Ref) else None
    if not isinstance(call, p.Apply) or call.domain.kind != "all":
        return None
    statements = call.function.analysis.body.statements
    name = _stored_with_change(statements) if call.function.kind == "vertex" else None
    return None if name is None else (name, call)


def _stored_with_change(statements: Any) -> str | None:
    """Return the own field that a function stores, if it returns by how much that changes."""
    stores = [each for each in b.statements_in(statements) if isinstance(each, b.Store)]
    if len(stores) != 1 or stores[0] not in statements or stores[0].op is not None:
        return None
    name, place = stores[0].field, list(statements).index(stores[0])
    kept = {  # locals that hold what the field was
        each.name
        for each in statements[:place]
        if isinstance(each, b.Assign) and b.reads(each.value, "own", name)
    }
    last = statements[-1]
    if not isinstance(last, b.Assign) or last.name != b.RESULT or last in statements[:place]:
        return None
    again = [each for each in b.statements_in(statements) if isinstance(each, b.Assign)]
    if any(each.name in kept for each in again if each not in statements[:place]):
        return None
    value = last.value  # abs(what it is - what it was), either way round
    if not isinstance(value, b.Call) or value.name != "abs":
        return None
    (moved,) = value.args
    if not isinstance(moved, b.Binary) or moved.op != "-":
        return None
    sides = (moved.left, moved.right)
    is_own = [b.reads(each, "own", name) for each in sides]
    is_kept = [isinstance(each, b.Local) and each.name in kept for each in sides]
    return name if is_own in ([True, False], [False, True]) and any(is_kept) else None


def _is_given(scalar: p.Scalar) -> bool:
    """Return whether a number is made of the call's and the graph's alone."""
    if isinstance(scalar, p.Operation):
        return all(map(_is_given, scalar.args))
    return isinstance(scalar, p.Number | p.ScalarParameter | p.GraphNumber)


def _carried(loop: p.Loop) -> set[str]:
    """Return the vertex fields that a superstep hands on to the next one."""
    written = {name for node in loop.body for name in _written(node)}
    carried, fresh = set(), set[str]()
    for node in loop.body:
        if isinstance(node, p.Apply):
            effects = node.function.effects
            carried |= {each.field for each in effects.reads if each.field in written - fresh}
            if node.domain.kind == "all":
                sure = node.function.analysis.body.statements
                fresh |= {e.field for e in sure if isinstance(e, b.Store) and e.op is None}
        elif isinstance(node, p.Fill) and node.column.kind == "vertex":
            fresh.add(node.column.name)
        elif isinstance(node, p.Aggregate) and isinstance(node.source, p.Column):
            carried |= {node.source.name} & (written - fresh)
    sometimes = {name for node in loop.body for name in _written(node) if name not in fresh}
    return carried | sometimes


def _written(node: p.Node) -> set[str]:
    if isinstance(node, p.Apply):
        return {name for _, name in node.function.effects.written}
    return {node.column.name} if isinstance(node, p.Fill) else set()


def _writes(node: p.Node, name: str) -> bool:
    return name in _written(node)


def _is_fill(node: p.Node, name: str) -> bool:
    """Return whether a node does no more to a field than to fill it."""
    return isinstance(node, p.Fill) and node.column == p.Column("vertex", name)


def _touches(node: p.Node, name: str) -> bool:
    """Return whether a node reads or writes a vertex field."""
    if isinstance(node, p.Apply):
        return _writes(node, name) or any(e.field == name for e in node.function.effects.reads)
    named = [getattr(node, each, None) for each in ("column", "value", "source")]
    return p.Column("vertex", name) in named or not isinstance(node, p.Fill | p.Aggregate)


class Start(NamedTuple):
    """From where a run goes on.

    Attributes
    ----------
    values : any[num_vertices]
        The values, on the host or a GPU.
    near : bool[num_vertices] or None
        Which vertices are ends of edges that came or went; None where rounds cannot set these.
    whole : float or None
        What the values sum to, where supersteps keep that.
    """

    values: Any
    near: Any
    whole: float | None


def start_of(plan: Settling, run: Any, graph: Any, common: Common, arguments: Any) -> Start | str:
    """Return from where a run goes on, or why it does not.

    Parameters
    ----------
    arguments : Arguments
        Of the call, on the later graph.
    """
    values = np.asarray(run.vertices[plan.field.name])
    if not (np.isfinite(values).all() and (values >= 0).all()):
        return f"{plan.field.name} is negative somewhere, or not finite"
    least = least_of(plan, run, graph, arguments)
    if isinstance(least, str):
        return least
    begin = np.full(graph.num_vertices, least if math.isfinite(least) else 1.0, values.dtype)
    begin[: len(common.vertices)] = values[common.vertices]
    whole = whole_of(plan, run, graph, arguments, values.sum(dtype=float))
    if whole is not None:
        begin *= begin.dtype.type(whole / begin.sum(dtype=float))
    return Start(begin, _near(plan, run, graph, common), whole)


def least_of(plan: Settling, run: Any, graph: Any, arguments: Any) -> float | str:
    """Return what a superstep adds to every value at least; or why none goes on."""
    name = plan.field.name
    if run.stopped != "until":
        return f"the run ended by {run.stopped}"
    if np.dtype(run.vertices[name].dtype) != plan.field.dtype:
        return f"{name} is {plan.field.spelled} now"
    step = _superstep(plan, graph, arguments)
    found = step.vertices.get(name) if step.follow(plan.loop.body) else None
    if found is None:
        return f"a superstep is not known to make {name} of multiples of it that are not negative"
    if not found.low > 0:
        return f"a superstep is not known to add something to every {name}"
    return found.low


def whole_of(plan: Settling, run: Any, graph: Any, arguments: Any, total: float) -> float | None:
    """Return what values sum to where supersteps keep that, given what those of the run do."""
    sizes = _Sizes(run.said.num_vertices, run.said.num_edges, run.graph.num_arcs)
    was, whole = (_first_total(plan, each, arguments) for each in (sizes, graph))
    is_known = was and whole and math.isfinite(whole)  # of no vertices it is no number
    return whole if is_known and math.isclose(was or 0.0, total, rel_tol=1e-3) else None


def _near(plan: Settling, run: Any, graph: Any, common: Common) -> NDArray[np.bool_] | None:
    """Return which vertices are ends of edges that came or went."""
    if not begins_near(plan):
        return None
    near = np.zeros(graph.num_vertices, np.bool_)
    for ends in graph.edges.growing_ends.since(len(common.edges)):
        near[ends] = True
    gone = common.edges_gone(run.said.num_edges)
    if len(gone):
        table = common.vertex_table(run.said.num_vertices)
        for ends in run.graph.edges.endpoints():
            left = table[ends[gone]]
            near[left[left >= 0]] = True
    return near


def begins_near(plan: Settling) -> bool:
    """Return whether rounds near what changed can stand before the loop."""
    is_float = plan.field.dtype.kind == "f"
    return is_float and can_begin_near(plan.loop, plan.program.fields)


class _Sizes(NamedTuple):
    """How large a graph was."""

    num_vertices: int
    num_edges: int
    num_arcs: int


def _first_total(plan: Settling, graph: Any, arguments: Any) -> float | None:
    """Return what a field sums to that is filled with one number before the loop."""
    fills = [each for each in plan.program.body if _is_fill(each, plan.field.name)]
    value = fills[-1].value if fills and isinstance(fills[-1], p.Fill) else None
    if not isinstance(value, p.Scalar):
        return None
    found = Superstep({}, {}, scalar_of(graph, arguments)).given(value)
    is_known = found is not None and found.low == found.high
    return found.low * graph.num_vertices if found is not None and is_known else None


def _superstep(plan: Settling, graph: Any, arguments: Any) -> Superstep:
    """Return what is known at the beginning of a superstep."""
    changed = {name for node in plan.program.body for name in _written(node)}
    columns: dict[str, dict[str, Bounds | None]] = {"vertex": {}, "edge": {}}
    for (kind, name), field in plan.program.fields.items():
        bound = arguments.bindings.get((kind, name))
        is_given = name not in changed
        columns[kind][name] = _interval(graph, field, bound) if is_given else ANY
    columns["vertex"][plan.field.name] = rising(0.0)
    return Superstep(columns["vertex"], columns["edge"], scalar_of(graph, arguments))


def scalar_of(graph: Any, arguments: Any) -> Callable[[p.Scalar], float | None]:
    """Return what tells the numbers of the call and the graph, None for others."""
    numbers = arguments.numbers

    def scalar(value: p.Scalar) -> float | None:
        if isinstance(value, p.Number):
            return float(value.value)
        if isinstance(value, p.GraphNumber):
            return float(getattr(graph, value.name))
        if isinstance(value, p.ScalarParameter) and value.name in numbers:
            return float(numbers[value.name])
        return None

    return scalar


def _interval(graph: Any, field: Field, bound: Any) -> Bounds:
    """Return between which numbers a column is."""
    try:
        source = source_of(graph, field, bound)
    except ColumnError:
        return ANY  # the run will refuse it
    store = graph.vertices if field.kind == "vertex" else graph.edges
    values = np.asarray(store.stored(source) if isinstance(source, str) else source)
    if values.dtype.kind not in "iufb":
        return ANY
    if not values.size:
        return Bounds(1.0, 1.0)  # of no element
    low, high = float(values.min()), float(values.max())
    return (
        ANY if math.isnan(low + high) or math.isinf(low) or math.isinf(high) else Bounds(low, high)
    )


_KEPT: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()


def go_on(plan: Settling, run: Any, graph: Any, begin: Start, text: Any, make: Any) -> Any:
    """Return the run that goes on from values; `make` makes programs of functions."""
    said = run.said
    if text not in _KEPT:
        _KEPT[text] = _made_warm(text, plan, make)
    options = {**said.options, "precision": None}
    return _KEPT[text].run(graph, *begin, *said.args, **said.named, **options)


def _made_warm(text: Any, plan: Settling, make: Any) -> Any:
    """Return the program that begins with values given, in the place of those it fills in.

    Where it is compiled, rounds near what changed come first. Plain Python goes on without.
    """
    python, field, name = text.python, plan.field, plan.call.function.name

    def warm(g: Any, before: Any, near: Any, whole: Any, *args: Any, **named: Any) -> Any:
        tracer = vars(g).get("_tracer")
        _leave_filled(tracer or vars(g)["_run"], field.name)
        results = python(g, *args, **named)
        if tracer is not None and near is not None:
            begin_near(g, field, name, whole)
        return results

    named_alike(warm, python, ("before", "near", "whole"))
    near = near_record(field.dtype).fields[IS_NEAR]
    return make(warm, {**text.bind, "before": field, "near": near}, False)


def _leave_filled(recorder: Any, name: str) -> None:
    """Let what records a program, or runs it plainly, pass over fills of a field until a loop."""
    fill, rounds = recorder.fill, recorder.rounds

    def passing(*told: Any) -> None:
        column = told[0] if isinstance(told[0], p.Column) else p.Column(*told[:2])
        if column != p.Column("vertex", name):
            fill(*told)

    def beginning(*told: Any, **named: Any) -> Any:
        recorder.fill, recorder.rounds = fill, rounds
        return rounds(*told, **named)

    recorder.fill, recorder.rounds = passing, beginning
