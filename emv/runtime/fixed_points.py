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
from emv.runtime.warm import named_alike

FEW = 2  # supersteps after which is looked how fast values come to rest: what swings does so in two
MOST_OF_A_RATE = 0.9  # what is farther off is not worth guessing: values have some digits only


@dataclass(frozen=True)
class Settling:
    """A program that repeats one superstep until a vertex field changes by little."""

    field: Field
    loop: p.Loop = dataclasses.field(compare=False)
    program: p.Program = dataclasses.field(compare=False)

    def __str__(self) -> str:
        return (
            f"{self.field.name} goes on from what it was, if every superstep adds something to "
            "multiples of it that are not negative; else anew"
        )


def settling(program: p.Program) -> Settling | None:
    """Return which field a program lets settle; None if it is no such program."""
    loops = [each for each in program.body if isinstance(each, p.Loop)]
    if len(loops) != 1 or any(isinstance(each, p.Loop) for each in loops[0].body):
        return None
    loop = loops[0]
    if loop.by_votes or loop.in_place or not isinstance(loop.until, p.Operation):
        return None
    name = _measured(loop)
    if name is None or _carried(loop) != {name}:
        return None
    place = program.body.index(loop)
    before, after = program.body[:place], program.body[place + 1 :]
    if any(_touches(each, name) and not _is_fill(each, name) for each in before):
        return None
    if any(_writes(each, name) for each in after):
        return None
    return Settling(program.fields["vertex", name], loop, program)


def _measured(loop: p.Loop) -> str | None:
    """Return the field whose change in a superstep, summed up, ends a loop when it is small."""
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
    return _stored_with_change(statements) if call.function.kind == "vertex" else None


def _stored_with_change(statements: Any) -> str | None:
    """Return the own field that a function stores, if it returns by how much that changes."""
    stores = [each for each in b.statements_in(statements) if isinstance(each, b.Store)]
    if len(stores) != 1 or stores[0] not in statements or stores[0].op is not None:
        return None
    name, place = stores[0].field, list(statements).index(stores[0])
    kept = {
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
    value = last.value
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


def start_of(
    plan: Settling, run: Any, graph: Any, common: Common, arguments: Any
) -> NDArray[Any] | str:
    """Return the values from which a run goes on, any[num_vertices]; or why it does not.

    Parameters
    ----------
    arguments : Arguments
        Of the call, on the later graph.
    """
    name = plan.field.name
    if run.stopped != "until":
        return f"the run ended by {run.stopped}"
    values = np.asarray(run.vertices[name])
    if values.dtype != plan.field.dtype:
        return f"{name} is {plan.field.spelled} now"
    if not (np.isfinite(values).all() and (values >= 0).all()):
        return f"{name} is negative somewhere, or not finite"
    step = _superstep(plan, graph, arguments)
    found = step.vertices.get(name) if step.follow(plan.loop.body) else None
    if found is None:
        return f"a superstep is not known to make {name} of multiples of it that are not negative"
    if not found.low > 0:
        return f"a superstep is not known to add something to every {name}"
    begin = np.full(
        graph.num_vertices, found.low if math.isfinite(found.low) else 1.0, values.dtype
    )
    begin[: len(common.vertices)] = values[common.vertices]
    sizes = _Sizes(run.said.num_vertices, run.said.num_edges, run.graph.num_arcs)
    was, total = (_first_total(plan, each, arguments) for each in (sizes, graph))
    if was and total and math.isclose(was, values.sum(dtype=float), rel_tol=1e-3):
        begin *= begin.dtype.type(total / begin.sum(dtype=float))  # supersteps keep the sum
    return begin


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
    found = Superstep({}, {}, _scalar_of(graph, arguments)).given(value)
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
    return Superstep(columns["vertex"], columns["edge"], _scalar_of(graph, arguments))


def _scalar_of(graph: Any, arguments: Any) -> Callable[[p.Scalar], float | None]:
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


def go_on(plan: Settling, run: Any, graph: Any, begin: NDArray[Any], text: Any, make: Any) -> Any:
    """Return the run that goes on from values; `make` makes programs of functions."""
    said = run.said
    if text not in _KEPT:
        _KEPT[text] = [_made_warm(text, plan.field, make, limit) for limit in (FEW, None)]
    few, all_of_them = _KEPT[text]
    options = {**said.options, "precision": None}
    values, supersteps = [begin], 0
    for _ in range(2):
        made = few.run(graph, values[-1], *said.args, **said.named, **options)
        made.supersteps = supersteps = supersteps + made.supersteps
        if made.stopped != "limit":
            return made
        values.append(np.asarray(made.vertices[plan.field.name]))
    made = all_of_them.run(graph, ahead(*values), *said.args, **said.named, **options)
    made.supersteps += supersteps
    return made


def ahead(before: NDArray[Any], then: NDArray[Any], now: NDArray[Any]) -> NDArray[Any]:
    """Return where values would come to if what they change by went on falling as it does.

    Entry by entry (Aitken, Proc. Royal Society of Edinburgh 46, 1926). Where what changed is a
    small part by itself, values come to rest as slowly as the slowest part does, while those of a
    run anew begin nearly where that part ends: without this PageRank took twice its supersteps.

    Examples
    --------
    >>> ahead(np.array([0.0, 1.0]), np.array([4.0, 1.0]), np.array([6.0, 1.0]))
    array([8., 1.])
    """
    first, second = then.astype(float) - before, now.astype(float) - then
    rate = np.divide(second, first, out=np.zeros_like(first), where=first != 0)
    rate = np.clip(rate, 0, MOST_OF_A_RATE)
    found = np.maximum(now + second * rate / (1 - rate), now / 2)
    sums = [each.sum(dtype=float) for each in (before, now, found)]
    if math.isclose(sums[0], sums[1], rel_tol=1e-6):  # supersteps keep the sum
        found *= sums[1] / sums[2]
    result: NDArray[Any] = found.astype(now.dtype)
    return result


def _made_warm(text: Any, field: Field, make: Any, limit: int | None) -> Any:
    """Return the program that begins with values given, in the place of those it fills in.

    Parameters
    ----------
    limit : int or None
        After how many supersteps it ends; by default as it would.
    """
    python = text.python

    def warm(g: Any, before: Any, *args: Any, **named: Any) -> Any:
        _leave_filled(vars(g).get("_tracer") or vars(g)["_run"], field.name, limit)
        return python(g, *args, **named)

    named_alike(warm, python, ("before",))
    return make(warm, {**text.bind, "before": field}, False)


def _leave_filled(recorder: Any, name: str, limit: int | None) -> None:
    """Let what records a program, or runs it plainly, pass over fills of a field until a loop.

    The loop has a limit, if one is given.
    """
    fill, rounds = recorder.fill, recorder.rounds

    def passing(*told: Any) -> None:
        column = told[0] if isinstance(told[0], p.Column) else p.Column(*told[:2])
        if column != p.Column("vertex", name):
            fill(*told)

    def beginning(most: Any, *told: Any, **named: Any) -> Any:
        recorder.fill, recorder.rounds = fill, rounds
        if limit is not None:
            most = p.Number("i64", limit) if isinstance(most, p.Scalar) else limit
        return rounds(most, *told, **named)

    recorder.fill, recorder.rounds = passing, beginning
