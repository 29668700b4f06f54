"""Bring a result to a later version of its graph: what is sound is deduced from the program.

A program that does nothing but join the sets of edges' ends finds the sets that the edges make, in
whatever order they are joined. So where edges were only added, the sets there were stand for the
old edges: the program runs over one edge from each vertex to the name of its set, and the new ones
(incremental connectivity; Dhulipala, Hong and Shun, ConnectIt, PVLDB 14(4), 2020). A relaxation
goes on from its values (`warm`). Every other program, and every other change, runs anew, and the
run says so: `Run.updated`.

That edges were only added is seen, not believed: the first edges of the later graph are those of
the earlier one. Versions share their memory, so that is one look; others are compared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from emv.errors import ArgumentError
from emv.graph.graph import Graph
from emv.ir import body as b
from emv.ir import program as p
from emv.ir import schedule as s
from emv.runtime.arguments import check_call
from emv.runtime.run import Run, Said
from emv.runtime.warm import Relaxing, begins_with, go_on, relaxing, why_not


@dataclass(frozen=True)
class Joining:
    """A program that only joins the sets of edges' ends, and returns them."""

    field: str

    def __str__(self) -> str:
        return (
            f"where edges are only added, the sets in {self.field} are joined along the new edges; "
            "else anew"
        )


def deduced(program: p.Program, schedule: s.Schedule) -> Joining | Relaxing | None:
    """Return how a traced program's result can be brought up to date; None where only anew."""
    return _joining(program) or relaxing(program, schedule)


def _joining(program: p.Program) -> Joining | None:
    """Return the field of sets, if the program only joins those of the ends of all edges in it."""
    fields = {field for node in program.body for field in _joined_by(node)}
    if len(fields) != 1 or None in fields:
        return None
    (field,) = fields
    returned = list(p.results_in(program.results))
    if not returned or any(each != p.Column("vertex", str(field)) for each in returned):
        return None
    return Joining(str(field))


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


def update(program: Any, run: Run, graph: Any, shown: Callable[..., Any], make: Any) -> Run:
    """Run the program on a later version of a run's graph, from what that run found where it can.

    The result is that of ``program.run(graph, ...)`` with the arguments of the earlier run.

    Parameters
    ----------
    run : Run
        Of this program. Its columns must be as the run left them, and the program as it was.
    graph : Graph
        Mostly a later version of ``run.graph``; it may be any.

    Returns
    -------
    Run
        ``updated`` says what was done, and why not less; ``program.explain(graph)`` says
        beforehand what can be.

    Raises
    ------
    ArgumentError
        If the run is not one of this program.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import components
    >>> g = Graph.from_edges([0, 2], [1, 3])
    >>> run = components.run(g)
    >>> later = components.update(run, g.add_edges([3], [0]))
    >>> later.result, later.updated
    (array([0, 0, 0, 0]), '2 sets were joined along 1 new edge')
    """
    said = getattr(run, "said", None)
    if said is None or said.program is not program:
        raise ArgumentError(
            f"{program.name}.update() takes a Run of {program.name}, and this is "
            f"{f'one of {run.program}' if isinstance(run, Run) else repr(run)}",
            remedy=f"Write run = {program.name}.run(g, ...), and later "
            f"{program.name}.update(run, g2).",
        )
    check_call(program.name, graph)
    why, plan = _deduced_for(program, run, graph, shown)
    if isinstance(plan, Joining):
        return _joined(program, run, graph, plan)
    if plan is not None and (found := _relaxed(program, run, graph, plan, make)) is not None:
        return found
    made: Run = program.run(graph, *said.args, **said.named, **said.options)
    made.updated = f"anew: {why or 'from the old values it did not converge'}"
    return made


def _deduced_for(
    program: Any, run: Run, graph: Graph, shown: Callable[..., Any]
) -> tuple[str, Joining | Relaxing | None]:
    """Return how a result is brought up to date, or None and why it is not."""
    said, before, plan = run.said, run.graph, None
    if not program.host_loop and program.form is None:
        options = said.options["schedule"], said.options["precision"]
        engine, call = shown(graph, said.args, said.named, *options)
        plan = None if call.arguments.copies else engine.deduced(call)
    if plan is None:
        return (
            f"{program.name} is not known to do no more than join sets, or relax, along edges",
            None,
        )
    if before.directed != graph.directed or graph.num_vertices < said.num_vertices:
        return "vertices were removed, or edges have another direction", None
    if graph.num_edges < said.num_edges:
        return "edges were removed", None
    ends = (each[: said.num_edges] for each in before.edges.endpoints())
    if not all(map(begins_with, graph.edges.endpoints(), ends)):
        return "edges were removed, or stand elsewhere", None
    if isinstance(plan, Relaxing) and (why := why_not(plan, run, graph, call.arguments.bindings)):
        return why, None
    return "", plan


def _relaxed(program: Any, run: Run, graph: Graph, plan: Relaxing, make: Any) -> Run | None:
    """Return the run that goes on from another, checked as all are; None if it does not end."""
    said = run.said
    precision = said.options["precision"]
    text, arguments = program._called(
        graph, said.args, said.named, said.options["schedule"], precision
    )
    program._refuse(graph, arguments, text)
    made: Run = go_on(plan, run, graph, text, make)
    if made.stopped != "converged":
        return None
    made.said = Said(program, said.args, said.named, said.options, *said.sizes_of(graph))
    program._finish(made, arguments, text)
    new = graph.num_edges - said.num_edges
    made.updated = f"{plan.field.name} went on from the ends of {_counted(new)}"
    return made


def _counted(edges: int) -> str:
    return "1 new edge" if edges == 1 else f"{edges:,} new edges"


def _joined(program: Any, run: Run, graph: Graph, plan: Joining) -> Run:
    """Return the run over one edge into the set of each vertex, and the new edges."""
    sets = np.asarray(run.vertices[plan.field]).astype(np.int64)
    members = np.flatnonzero(sets != np.arange(len(sets)))
    src, dst = (each[run.said.num_edges :] for each in graph.edges.endpoints())
    stand_in = Graph.from_edges(
        np.concatenate([members, src]),
        np.concatenate([sets[members], dst]),
        num_vertices=graph.num_vertices,
        directed=graph.directed,
    )
    said = run.said
    made: Run = program.run(stand_in.on(graph.device), *said.args, **said.named, **said.options)
    made.graph = graph
    made.said = Said(program, said.args, said.named, said.options, *said.sizes_of(graph))
    made.updated = f"{len(sets) - len(members):,} sets were joined along {_counted(len(src))}"
    return made
