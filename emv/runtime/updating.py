"""Bring a result to a later version of its graph: what is sound is deduced from the program.

A program that does nothing but join the sets of edges' ends finds the sets that the edges make, in
whatever order they are joined. So where edges were only added, the sets there were stand for the
old edges, and only new ones are joined to them
(incremental connectivity; Dhulipala, Hong and Shun, ConnectIt, PVLDB 14(4), 2020). Where edges were
removed, the sets that lost one are taken apart, and their edges run again. A relaxation goes on
from its values (`warm`), without those that may rest on what was removed (`dependants`), and so
does a loop that comes to one fixed point wherever it starts (`fixed_points`). Every other program
runs anew, and the run says so: `Run.updated`.

What was added and removed is seen, not believed (`emv.graph.common`). Where edges were only added,
the first of the later graph are those of the earlier one: versions share their memory, so that is
one look. All is looked at on the host, unless edges and values lie on a GPU and only edges are new:
then all of it goes on there (`emv.runtime.there`). What lost some there runs anew, as looking at
it here would take 20 to 200 times as long as a run there does (`python -m bench.updates --gpu`).
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.device import device_of
from emv.errors import ArgumentError
from emv.graph.common import Common, common_with
from emv.graph.graph import Graph
from emv.graph.on_device import device_array, lies_on_device, moved_to
from emv.graph.sets import joined
from emv.ir import body as b
from emv.ir import program as p
from emv.ir import schedule as s
from emv.runtime.arguments import check_call
from emv.runtime.fixed_points import Settling, settling
from emv.runtime.fixed_points import go_on as settle_on
from emv.runtime.fixed_points import start_of as settling_start
from emv.runtime.run import Run, RunColumns, Said
from emv.runtime.targets.placing import unrun
from emv.runtime.there import (
    NO_LATER,
    joined_there,
    lowered_there,
    settled_there,
    spread_there,
    start_there,
    why_below_there,
    why_not_joined,
    why_not_there,
)
from emv.runtime.warm import (
    MOST_ANEW,
    Relaxing,
    begins_with,
    go_on,
    relaxing,
    start_of,
    why_not,
)

NONE = np.empty(0, np.int64)


@dataclass(frozen=True)
class Joining:
    """A program that only joins the sets of edges' ends in a field, and returns them."""

    field: str
    results: Any  # what it returns: the column, maybe in tuples and dicts

    def __str__(self) -> str:
        return f"the sets in {self.field} are joined along new edges; what lost one is made anew"


Plan = Joining | Relaxing | Settling


def deduced(program: p.Program, schedule: s.Schedule) -> Plan | None:
    """Return how a traced program's result can be brought up to date; None where only anew."""
    return _joining(program) or relaxing(program, schedule) or settling(program)


def _joining(program: p.Program) -> Joining | None:
    """Return the field of sets, if the program only joins those of the ends of all edges in it."""
    fields = {field for node in program.body for field in _joined_by(node)}
    if len(fields) != 1 or None in fields:
        return None
    (field,) = fields
    returned = list(p.results_in(program.results))
    if not returned or any(each != p.Column("vertex", str(field)) for each in returned):
        return None
    return Joining(str(field), program.results)


def _joined_by(node: p.Node) -> set[str | None]:
    """Return the fields whose sets a node joins along edges; with None if it does more."""
    if not isinstance(node, p.Apply) or node.function.kind != "edge" or node.args:
        return {None}
    if node.domain.kind not in ("edges", "all"):
        return {None}
    statements = node.function.analysis.body.statements
    return {_set_of(each) for each in statements} or {None}


def _set_of(stmt: b.Stmt) -> str | None:
    if not isinstance(stmt, b.Union) or {stmt.first.role, stmt.second.role} != {"src", "dst"}:
        return None
    return stmt.field


@dataclass(frozen=True)
class Way:
    """How a result is brought to a later version, and what that goes by.

    Attributes
    ----------
    plan : Plan
        What was deduced.
    common : Common
        What both graphs have in common.
    text, arguments : ProgramFunction, Arguments
        Of the call, as a run has them.
    is_there : bool
        Whether the edges lie on a GPU.
    """

    plan: Plan
    common: Common
    text: Any
    arguments: Any
    is_there: bool

    @property
    def bindings(self) -> Any:
        """What the program's columns are bound to."""
        return self.arguments.bindings


def updated(program: Any, run: Run, graph: Any, make: Any) -> Run:
    """Return a run on a later version of a run's graph; see `emv.runtime.updated.update`."""
    said = getattr(run, "said", None)
    if said is None or said.program is not program:
        raise ArgumentError(
            f"{program.name}.update() takes a Run of {program.name}, and this is "
            f"{f'one of {run.program}' if isinstance(run, Run) else repr(run)}",
            remedy=f"Write run = {program.name}.run(g, ...), and later "
            f"{program.name}.update(run, g2).",
        )
    check_call(program.name, graph)
    way = _deduced_for(program, run, graph)
    found = way if isinstance(way, str) else _brought(run, graph, way, make)
    if isinstance(found, Run):
        return found
    made: Run = program.run(graph, *said.args, **said.named, **said.options)
    made.updated = f"anew: {found}"
    return made


def _brought(run: Run, graph: Graph, way: Way, make: Any) -> Run | str:
    """Return the run on a later version, checked as all are; or why none goes on."""
    program, lowered = run.said.program, None
    found: Run | str
    if isinstance(way.plan, Relaxing) and way.is_there:
        lowered = lowered_there(way.plan, run, graph, way.bindings)  # it looks at lengths, too
    told = program._refuse(graph, way.arguments, way.text)
    if isinstance(way.plan, Joining) and way.is_there:
        found = _joined_there(run, graph, way.plan)
    elif isinstance(way.plan, Joining):
        found = _joined(run, graph, way.plan, way.common)
    elif isinstance(way.plan, Relaxing):
        found = _relaxed(run, graph, way, way.plan, make, lowered)
    else:
        found = _settled(run, graph, way, way.plan, make)
    if isinstance(found, Run):
        said = run.said
        found.said = Said(program, said.args, said.named, said.options, *said.sizes_of(graph))
        program._finish(found, way.arguments, way.text, told)
    return found


def _deduced_for(program: Any, run: Run, graph: Graph) -> Way | str:
    """Return how a result is brought up to date, or why it is not."""
    said, plan, text, arguments = run.said, None, None, None
    if not program.host_loop and program.form is None:
        options = said.options["schedule"], said.options["precision"]
        text, arguments = program._called(graph, said.args, said.named, *options)
        engine, call = unrun(graph, text, arguments)
        plan = None if arguments.copies else engine.deduced(call)
    if plan is None:
        return f"{program.name} is not known to join sets, to relax, or to come to one fixed point"
    is_there = graph.edges.growing_ends.there is not None
    way = Way(plan, Common(NONE, range(said.num_edges)), text, arguments, is_there)
    if is_there:
        reason = _why_not_there(plan, run, graph, way.bindings)
        return way if reason is None else reason
    common = _common(run, graph)
    if common is None:
        return NO_LATER
    if isinstance(plan, Relaxing):
        if len(common.vertices) < said.num_vertices:
            return "vertices were removed, so that ids in the call mean others"
        is_all = len(common.edges) == said.num_edges
        left = None if is_all else np.asarray(common.edges)
        if why := why_not(plan, run, graph, way.bindings, left):
            return why
    return dataclasses.replace(way, common=common)


def _why_not_there(plan: Plan, run: Run, graph: Graph, bindings: Any) -> str | None:
    """Return why a run does not go on where edges lie on a GPU; None if it does.

    That of fixed points is found with their start.
    """
    if isinstance(plan, Relaxing):
        return why_not_there(plan, run, graph, bindings)
    return why_not_joined(plan.field, run, graph) if isinstance(plan, Joining) else None


def _common(run: Run, graph: Graph) -> Common | None:
    """Return what a graph has in common with that of a run; None if it is no later version."""
    said, before = run.said, run.graph
    if before.directed != graph.directed:
        return None
    if graph.num_vertices >= said.num_vertices and graph.num_edges >= said.num_edges:
        found = Common(np.arange(said.num_vertices), range(said.num_edges))
        if graph.edges.growing_ends.begins_as(before.edges.growing_ends, said.num_edges):
            return found
        ends = (each[: said.num_edges] for each in before.edges.endpoints())
        if all(map(begins_with, graph.edges.endpoints(), ends)):
            return found
    if (before.num_vertices, before.num_edges) != (said.num_vertices, said.num_edges):
        return None  # it has grown since, and with it the arcs that would be looked at
    return common_with(before._store, graph._store)


def _relaxed(
    run: Run, graph: Graph, way: Way, plan: Relaxing, make: Any, made: Run | None
) -> Run | str:
    """Return the run that goes on from another, if none was made yet; or why none does."""
    common, start = way.common, None
    if made is None and way.is_there:
        if why := why_below_there(plan, run, graph, way.bindings):
            return why
        start = start_there(plan, run, graph, way.bindings)
    elif made is None:
        start = start_of(plan, run, graph, common, way.bindings)
    if made is None:
        if start is None:
            return "most values may rest on edges that were removed"
        made = go_on(plan, run, graph, start, way.text, make)
    if made.stopped != "converged":
        return "from the old values it did not converge"
    made.updated = f"{plan.field.name} went on from the ends of {_new(run, graph, common)}"
    if start is not None and (gone := run.said.num_edges - len(common.edges)):
        rested = "1 value" if start.num_anew == 1 else f"{start.num_anew:,} values"
        made.updated += f", {rested} anew that may have rested on {_counted(gone, 'removed')}"
    return made


def _settled(run: Run, graph: Graph, way: Way, plan: Settling, make: Any) -> Run | str:
    """Return the run that goes on from another's values; or why none does."""
    made: Run | None = None
    begin: Any = None
    if way.is_there:
        made = spread_there(plan, run, graph, way.arguments)
        begin = settled_there(plan, run, graph, way.arguments) if made is None else None
    else:
        begin = settling_start(plan, run, graph, way.common, way.arguments)
    if isinstance(begin, str):
        return begin
    if made is None:
        made = settle_on(plan, run, graph, begin, way.text, make)
    if made.stopped != "until":
        return f"from the old values it ended by {made.stopped}"
    made.updated = f"{plan.field.name} went on from what it was, with "
    made.updated += _new(run, graph, way.common)
    if gone := run.said.num_edges - len(way.common.edges):
        made.updated += f" and {_counted(gone, 'removed')}"
    return made


def _new(run: Run, graph: Graph, common: Common) -> str:
    return _counted(graph.num_edges - len(common.edges))


def _counted(edges: int, kind: str = "new") -> str:
    return f"1 {kind} edge" if edges == 1 else f"{edges:,} {kind} edges"


def _joined_there(run: Run, graph: Graph, plan: Joining) -> Run:
    """Return the run on a GPU over the new edges alone."""
    made = joined_there(plan.field, run, graph)
    values = made.result
    made.result = p.changed_results(plan.results, lambda _: values)
    made.updated = f"sets were joined along {_counted(graph.num_edges - run.said.num_edges)}"
    return made


def _joined(run: Run, graph: Graph, plan: Joining, common: Common) -> Run | str:
    """Return the run whose sets are those there were, joined along the edges that are to run.

    These are the new ones, and those of sets that lost an edge or a vertex. In both graphs a set is
    called after its first vertex, and those that are left keep their order.
    """
    said = run.said
    sets = np.asarray(run.vertices[plan.field]).astype(np.int64)
    num_left, members = len(common.edges), common.vertices
    num_new = graph.num_edges - num_left
    src, dst = graph.edges.growing_ends.since(num_left)
    is_whole = np.ones(len(sets), np.bool_)
    name = np.arange(graph.num_vertices)
    if num_left == said.num_edges and len(members) == len(sets):
        name[: len(sets)] = sets
    else:
        table, gone = common.vertex_table(len(sets)), common.edges_gone(said.num_edges)
        is_whole[sets[run.graph.edges.endpoints()[0][gone]]] = False
        is_whole[sets[table < 0]] = False
        src, dst = graph.edges.endpoints()
        is_again = ~is_whole[sets[members[src[:num_left]]]]
        if np.count_nonzero(is_again) > MOST_ANEW * num_left:
            return "most edges are in sets that lost one"
        again = np.append(is_again, np.ones(num_new, np.bool_))
        src, dst = src[again], dst[again]
        stays = is_whole[sets[members]]
        name[: len(members)][stays] = table[sets[members[stays]]]
    made = _holding(run, graph, plan, joined(name, src, dst))
    num_sets = np.count_nonzero(sets == np.arange(len(sets)))
    made.updated = f"{num_sets:,} sets were joined along {_counted(num_new)}"
    if num_again := len(src) - num_new:
        lost = np.count_nonzero(~is_whole)
        made.updated += f", {lost:,} of them made anew of {_counted(num_again, 'old')}"
    return made


def _holding(run: Run, graph: Graph, plan: Joining, values: NDArray[Any]) -> Run:
    """Return a run with these values of its field on a graph, and as its result."""
    before: Any = run.vertices[plan.field]
    held: Any = values.astype(before.dtype if len(before) else values.dtype)
    if lies_on_device(before):
        held = moved_to(device_of(device_array(before)), held)

    columns = RunColumns({plan.field: held})
    result = p.changed_results(plan.results, lambda _: held)
    return dataclasses.replace(run, graph=graph, vertices=columns, result=result, launches=[])
