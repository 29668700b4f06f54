"""Go on from results that lie on a GPU, as edges do to which others were only added.

Nothing is copied up or down but who is awake: that edges and weights are those of before is seen by
where they lie, or compared there. What lost edges or vertices is not looked at, as that takes
longer on a GPU than the run that it would spare.
"""

from __future__ import annotations

import math
import time
from typing import Any, NamedTuple

import numpy as np

from emv.device import DeviceArray, device_of
from emv.graph.bind import source_of
from emv.graph.on_device import device_array, lies_on_device
from emv.runtime.dependants import added_to
from emv.runtime.fixed_points import Settling, begins_near, least_of, scalar_of, whole_of
from emv.runtime.fixed_points import Start as Settled
from emv.runtime.run import Run, run_columns
from emv.runtime.spreading import most_of, spread_of, told
from emv.runtime.warm import Relaxing, Start

NO_LATER = "the graph is no later version of the one before"
FINEST, ROUNDINGS = 2.0**-50, 4  # what values are settled to, of what they sum to, at least
LARGEST_SUM = 2.0**62  # of lengths in 64 bits: no path is longer
LESS = "vertices are new or edges removed, which is not looked at on a GPU"


def new_there(run: Any, graph: Any) -> list[DeviceArray]:
    """Return the ends of the edges that are new."""
    return [device_array(each)[run.said.num_edges :] for each in graph.edges.growing_ends.there]


def why_not_joined(field: str, run: Any, graph: Any) -> str | None:
    """Return why sets on a GPU are not joined along what is new; None if they are."""
    said = run.said
    if not lies_on_device(run.vertices[field]):
        return "the run was elsewhere"
    if said.num_vertices > graph.num_vertices or graph.num_edges < said.num_edges:
        return LESS
    return None if begins_there(graph, run) else NO_LATER


def joined_there(field: str, run: Any, graph: Any) -> Run:
    """Return the run whose sets are those of another, joined along the edges that are new."""
    begin = time.perf_counter()
    names = device_array(run.vertices[field])
    made = device_of(names).joined(names, new_there(run, graph), graph.num_vertices)
    spent = time.perf_counter() - begin
    columns = run_columns({("vertex", field): made})
    return Run(run.program, made, *columns, 0, run.stopped, spent, run.backend, graph=graph)


def _why_not_settled(plan: Settling, run: Any, graph: Any) -> str | None:
    """Return why values on a GPU do not go on to a fixed point; None if they may."""
    said = run.said
    if not lies_on_device(run.vertices[plan.field.name]):
        return "the run was elsewhere"
    sizes = {said.num_vertices, run.graph.num_vertices, graph.num_vertices}
    if len(sizes) > 1 or graph.num_edges < said.num_edges:
        return LESS
    return None if begins_there(graph, run) else NO_LATER


def settled_there(plan: Settling, run: Any, graph: Any, arguments: Any) -> Settled | str:
    """Do as `emv.runtime.fixed_points.start_of` where edges and values lie on a GPU."""
    name = plan.field.name
    if why := _why_not_settled(plan, run, graph):
        return why
    values = device_array(run.vertices[name])
    lowest, mean = device_of(values).summed_up(values) if len(values) else (0.0, 0.0)
    if not (lowest >= 0 and math.isfinite(mean)):
        return f"{name} is negative somewhere, or not finite"
    least = least_of(plan, run, graph, arguments)
    if isinstance(least, str):
        return least
    near = None
    if begins_near(plan):
        near = device_of(values).flagged(len(values), new_there(run, graph))
    return Settled(values, near, whole_of(plan, run, graph, arguments, mean * len(values)))


def spread_there(plan: Settling, run: Any, graph: Any, arguments: Any) -> Run | None:
    """Return the run whose values go on by one kernel that all spreading programs share.

    None where a superstep does something else, where rows are not there, where the call says how to
    run, or where what is asked for is finer than the field's floats. That a superstep adds to every
    value, and nothing below 0 times another, is seen by the numbers that it does so with.
    """
    begin, is_other = time.perf_counter(), run.said.options["schedule"] is not None
    if is_other or run.stopped != "until" or _why_not_settled(plan, run, graph) is not None:
        return None
    values = device_array(run.vertices[plan.field.name])
    rows, before = (each.layouts.placed.get(values.device.label) for each in (graph, run.graph))
    how = spread_of(plan, graph, arguments)
    if how is None or rows is None or before is None or values.dtype != plan.field.dtype:
        return None
    on, total = device_of(values), most_of(how, len(values))
    finest = max(np.finfo(plan.field.dtype).eps, FINEST)
    if total is None or not how.bound >= ROUNDINGS * finest * total > 0:
        return None
    found = on.settled(rows, before, values, new_there(run, graph), total, how)
    if found is None:
        return None
    made, change, rounds = found
    results = told(plan.program.results, made, change, scalar_of(graph, arguments))
    columns = run_columns({("vertex", plan.field.name): made})
    spent = time.perf_counter() - begin
    parts = (run.program, results, *columns, rounds, "until", spent, run.backend)
    return Run(*parts, graph=graph)


def why_not_there(plan: Relaxing, run: Any, graph: Any, bindings: Any) -> str | None:
    """Do as `why_not` where the edges of a graph lie on a GPU, and only more are there by now."""
    values, said = run.vertices[plan.field.name], run.said
    if run.stopped != "converged" or not lies_on_device(values):
        return f"the run ended by {run.stopped}, or elsewhere"
    if device_array(values).dtype != plan.field.dtype:
        return f"{plan.field.name} is {plan.field.spelled} now"
    if plan.field.dtype == np.uint64:
        return "values of 64 bits without a sign are not compared with offers on a GPU"
    sizes = {said.num_vertices, run.graph.num_vertices, graph.num_vertices}
    if len(sizes) > 1 or graph.num_edges < said.num_edges:
        return LESS
    if not begins_there(graph, run):
        return NO_LATER
    found = (_why_not_added(field, run, graph, bindings) for field in plan.weights)
    return next((why for why in found if why is not None), None)


def _why_not_added(field: Any, run: Any, graph: Any, bindings: Any) -> str | None:
    """Return why what is added along edges is not as it was, or is below 0; None if it is.

    Columns are not looked at for what is below 0, see `why_below_there`.
    """
    source = source_of(graph, field, bindings.get((field.kind, field.name)))
    if isinstance(source, str):
        count, now = run.said.num_edges, graph.edges.on_device(source)
        before = run.said.edge_columns_there.get(source)
        before = before if before is None else run.graph.edges.moved(source, before)
        if now is None or before is None or _differs_there(now, before, count):
            return f"the edge column {source} is another"
    elif lies_on_device(source) or np.ndim(source) or not source >= 0:
        return f"{field.name} is an array of the call, or negative"
    return None


def why_below_there(plan: Relaxing, run: Any, graph: Any, bindings: Any) -> str | None:
    """Return which column has numbers below 0, or what is no number; None if none has."""
    for field in plan.weights:
        source = source_of(graph, field, bindings.get((field.kind, field.name)))
        if not isinstance(source, str) or not graph.num_edges:
            continue
        now, first = graph.edges.on_device(source), _summary_before(source, run)
        if first is not None:
            graph.layouts.take_summary(now, run.said.num_edges, first)
        if not graph.layouts.lowest_and_mean(now)[0] >= 0:
            return f"{source} is negative somewhere, or no number"
    return None


def _summary_before(source: str, run: Any) -> tuple[float, float] | None:
    """Return the least and the mean entry of an edge column of a run; None if it has grown since.

    Also None of no edges.
    """
    if run.graph.num_edges != run.said.num_edges or not run.said.num_edges:
        return None
    before = run.graph.edges.moved(source, run.said.edge_columns_there[source])
    found: tuple[float, float] = run.graph.layouts.lowest_and_mean(before)
    return found


def begins_there(graph: Any, run: Any) -> bool:
    """Return whether the first edges of a graph are all those of a run's, on a GPU."""
    before, count = run.graph, run.said.num_edges
    if before.directed != graph.directed:
        return False
    if graph.edges.growing_ends.begins_as(before.edges.growing_ends, count):
        return True
    later, earlier = (each.edges.ends().on_device for each in (graph, before))
    if later is None or earlier is None:
        return False
    return not any(_differs_there(*pair, count) for pair in zip(later, earlier, strict=True))


def _differs_there(now: Any, before: Any, count: int) -> bool:
    """Return whether the first entries of one array on a GPU are not those of another.

    Where they are the same memory, which versions only write behind, nothing is looked at.
    """
    now, before = device_array(now), device_array(before)[:count]
    if now.dtype != before.dtype or now.device.label != before.device.label:
        return True
    is_same = now.address == before.address and len(now) >= len(before)
    return not is_same and device_of(now).compare(now, before)[0] > 0


def lowered_there(plan: Relaxing, run: Any, graph: Any, bindings: Any) -> Run | None:
    """Return the run whose values are lowered from new edges on, by one kernel that all share.

    None where a vertex offers other than what it has plus the length of an arc, where columns are
    not in the order of arcs yet, where the call says how to run, and where a length may be below 0
    or their sum too large: then the program's own kernel goes on, or a run anew. What the kernel
    saw of new lengths is noted, as to look at them again takes longer than all that it does.
    """
    begin = time.perf_counter()
    given = device_array(run.vertices[plan.field.name])
    rows = graph.layouts.placed.get(given.device.label)
    lengths = None if rows is None else _lengths_there(plan, run, graph, bindings, rows)
    if lengths is None or run.said.options["schedule"] is not None:
        return None
    on, kept, far = device_of(given), plan.kept.dtype, plan.kept.default
    values, far = on.convert(given, kept), kept.type(far).item()
    new = new_there(run, graph)
    wait = on.lowered(rows, new, values, far, lengths.numbers, lengths.most)
    found = wait()
    if found is None:
        return None
    if lengths.column is not None and len(new[0]):
        others = found.least, found.total / len(new[0])
        graph.layouts.take_summary(lengths.column, run.said.num_edges, lengths.first, others)
    made = on.convert(found.values, plan.field.dtype)
    spent, columns = time.perf_counter() - begin, run_columns({("vertex", plan.field.name): made})
    parts = (run.program, made, *columns, found.rounds, run.stopped, spent, run.backend)
    return Run(*parts, graph=graph)


class Lengths(NamedTuple):
    """What arcs add, as `lowered_there` has it.

    Attributes
    ----------
    numbers : tuple of DeviceArray
        Of arcs and of new edges; none of levels.
    most : float
        What a new edge may add at most, so that no sum outgrows its type.
    column : DeviceArray or None
        Of the later graph; None of levels.
    first : (float, float)
        The least and the mean of those of before.
    """

    numbers: tuple[Any, ...]
    most: float = math.inf
    column: Any = None
    first: tuple[float, float] = (0.0, 0.0)


def _lengths_there(
    plan: Relaxing, run: Any, graph: Any, bindings: Any, rows: Any
) -> Lengths | None:
    """Return the lengths of arcs and of new edges; None if they are not there, or below 0."""
    if plan.levels:
        return Lengths(())
    added = added_to(plan.sending.analysis.body.statements, plan.field)
    if added is None or added.dtype != plan.field.dtype or plan.weights != (added,):
        return None
    source = source_of(graph, added, bindings.get((added.kind, added.name)))
    if not isinstance(source, str):
        return None
    column, key = device_array(graph.edges.on_device(source)), (source, added.dtype.name, "arc")
    kept, first = rows.by_arc.get(key), _summary_before(source, run)
    if kept is None or kept[0].address != column.address or first is None or not first[0] >= 0:
        return None
    new, most = column[run.said.num_edges :], math.inf
    if added.dtype.kind == "i":
        most = (LARGEST_SUM - first[1] * run.said.num_edges) / max(1, len(new))
    if {new.dtype.kind, added.dtype.kind} == {"i"}:
        return Lengths((kept[1], new), most, column, first)  # widened as they are added
    numbers = kept[1], device_of(column).convert(new, added.dtype)
    return Lengths(numbers, most, column, first)


def start_there(plan: Relaxing, run: Any, graph: Any, bindings: Any) -> Start:
    """Return from where a run goes on whose values lie on a GPU: nothing else of them is copied.

    Only who offers something less along a new edge is awake.
    """
    values = device_array(run.vertices[plan.field.name])
    if plan.levels:
        values = device_of(values).convert(values, plan.kept.dtype)
    new = new_there(run, graph)
    far, lengths = plan.kept.dtype.type(plan.kept.default).item(), None
    added = added_to(plan.sending.analysis.body.statements, plan.field)
    if added is not None:
        source = source_of(graph, added, bindings.get((added.kind, added.name)))
        if isinstance(source, str):
            lengths = device_array(graph.edges.on_device(source))[run.said.num_edges :]
    awake = device_of(values).offering(new, values, far, lengths, not graph.directed)
    return Start(awake, values)
