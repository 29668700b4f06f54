"""How many hops of replicas a run keeps: what its supersteps do, and what that should take.

What a superstep does is read off the schedule; the model of what it takes is
`emv.graph.parts.Parts.seconds`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import ArgumentError
from emv.graph.parts import Parts
from emv.graph.slices import owners
from emv.graph.supersteps import Costs, Superstep
from emv.ir import body as b
from emv.ir import schedule as s
from emv.lang.hops import MOST_HOPS
from emv.passes.canonical import canonical, parts
from emv.passes.exchange import of_receiver
from emv.passes.meet import aggregates_of, handed_by
from emv.passes.needs import Needs, Right, changed_by, changed_in
from emv.runtime.arrays.table import Counts
from emv.runtime.targets.fronts import STAGED, behind_fronts, search_of, with_rows

Plan = Any
"""A plan of `emv.runtime.arrays.plan`, which stands above."""

BYTES_OF_ARC = 16
"""What index arrays and columns of an arc take on a GPU, about."""


def hops_of(plan: Plan) -> int:
    """Return how many hops of replicas a run keeps: as it is asked for, or what costs the least.

    Raises
    ------
    ArgumentError
        If kernels of GPUs meet, which hand on one hop behind each call.
    """
    asked = plan.call.arguments.schedule.hops
    if asked not in ("auto", 1) and plan.compiled.grids:
        raise ArgumentError(
            f"hops({asked}) does not fit {plan.schedule.program.name}(): its parts meet in their "
            "kernels, where an exchange costs some microseconds",
            plan.schedule.program.loc,
            "Give g.on('cuda', gpus=..., exchange='host'), or leave hops out.",
        )
    if asked != "auto":
        return int(asked)
    if plan.compiled.grids or any(kind == "edge" for kind, _ in plan.schedule.written):
        return 1
    return 1 + int(np.argmin(seconds_of_hops(plan)))


def seconds_of_hops(plan: Plan) -> NDArray[np.float64]:
    """Return what a superstep is predicted to take with 1, 2 ... hops, as far as it is asked.

    Hops are added until replicas are more than the vertices of the largest part, arcs do not fit
    the memory, or the last ones made it slower.
    """
    target, graph = plan.target, plan.whole
    costs: Costs = target.costs(graph.num_vertices)
    number, way, _ = target.part_of or (target.num_parts, target.way, 0)
    does, before = superstep_of(plan), done_before(plan)[1]
    kept = graph.layouts.hops
    key = number, way, does, before, costs
    if key not in kept:
        owner, hops = owners(graph, number, way), 1
        while True:
            parts = graph.parts(number, owner, hops=hops)
            seconds = predicted(graph, parts, costs, does, before)
            replicas = parts.replicas.sum(axis=0).max()
            is_full = BYTES_OF_ARC * int(parts.arcs[-1].max()) > target.arc_room()
            is_worse = len(seconds) > 1 and seconds[-1] > seconds.min()
            if replicas > parts.vertices.max() or is_full or is_worse or hops >= MOST_HOPS:
                break
            hops = min(2 * hops, MOST_HOPS)
        kept[key] = seconds[:-1] if is_full and len(seconds) > 1 else seconds
    found: NDArray[np.float64] = kept[key]
    return found


def predicted(
    graph: Any, parts: Parts, costs: Costs, does: Superstep, before: int
) -> NDArray[np.float64]:
    """Return what a superstep should take on average with 1, 2 ... hops, before a run.

    Nobody knows then whom it will find. It is taken to go as a search from the vertex with the most
    arcs, if it walks along arcs of the active.
    """
    if not does.active:
        return parts.seconds(costs, does)
    steps = behind_fronts(does, graph, search_of(graph))
    runs = [parts.amounts_of_run(steps, 1 + hops, before) for hops in range(parts.hops)]
    found: NDArray[np.float64] = np.array(runs) @ costs.each / max(1, len(steps))
    return found


def superstep_of(plan: Plan) -> Superstep:
    """Return what a superstep does of the loop with the most calls.

    How much the active walk, and whom they activate, `behind_fronts` adds.
    """
    steps = max((each.body for each in s.loops_in(plan.schedule.body)), key=len, default=())
    handed = bytes_of_rows(plan)
    done = _done_by(plan, steps or plan.schedule.body)
    does = replace(
        done, calls=max(1, done.calls), arrays=len(handed), row_bytes=sum(handed.values())
    )
    pulls = [each for each in steps if isinstance(each, s.Launch) and _is_pull(each)]
    return with_rows(does, plan.whole, sum(STAGED if each.staged else 1.0 for each in pulls))


def done_before(plan: Plan) -> tuple[Superstep, int]:
    """Return what the calls in front of the first loop do, and stages of a round they take.

    The first call of all is a part of the start.
    """
    body = plan.schedule.body
    first = next((k for k, each in enumerate(body) if isinstance(each, s.LoopStep)), 0)
    handed = bytes_of_rows(plan).keys()
    calls = [each for each in body[:first] if isinstance(each, s.Launch)]
    changed = [{*changed_by(each, senders=True, returned=True)} & handed for each in calls]
    done = _done_by(plan, body[:first])
    does = replace(done, calls=done.calls - 1, joins=0)  # what it activates is joined in the start
    return does, len([each for each in changed if each])


def _done_by(plan: Plan, steps: tuple[Any, ...]) -> Superstep:
    """Return what some steps do, without an exchange.

    What receivers make where kernels meet is no call of its own.
    """
    calls = [each for each in steps if isinstance(each, s.Launch | s.FillColumn | s.FoldColumn)]
    launches = [each for each in calls if isinstance(each, s.Launch)]
    others = len(calls) - len(launches)
    sums = len([each for each in launches if any(aggregates_of(each))])
    if plan.compiled.grids:
        launches = [each for each in launches if not _is_made_by_receivers(each)]
    over_all = [each for each in launches if each.domain.kind == "all"]
    pulls = [each for each in over_all if _is_pull(each)]
    active = [each for each in launches if each.arc_form and each.domain.kind != "all"]
    draws = [each for each in (*pulls, *active) if _draws(each)]
    return Superstep(
        calls=len(launches) + others,
        joins=len([each for each in launches if _activates(each)]),
        arrays=0,
        row_bytes=0,
        sweeps=float(len([each for each in pulls if each not in draws])),
        sums=sums,
        pulls=len(pulls),
        active=len(active),
        visits=float(len(over_all) + others),
        draws=float(len(draws)),
        guarded=bool(active) and all(map(_asks_receivers, active)),
        meets=bool(plan.compiled.grids),
        claims=bool(plan.compiled.grids) and any(isinstance(e.shortcut, s.Claim) for e in active),
    )


def _is_made_by_receivers(launch: s.Launch) -> bool:
    """Return whether receivers of another launch make what it returns."""
    return launch.follows and not launch.staged and launch.shortcut is None


def _is_pull(launch: s.Launch) -> bool:
    return bool(launch.arc_form) and launch.domain.kind == "all"


def _asks_receivers(launch: s.Launch) -> bool:
    """Return whether receivers of which that is known by themselves are done with at once."""
    test = b.only_test(canonical(launch.body).statements)
    tests = [] if test is None else parts(test.condition)
    return launch.guard is not None or any(of_receiver(each) is not None for each in tests)


def _draws(launch: s.Launch) -> bool:
    return "random" in launch.send.effects.acts


def _activates(launch: s.Launch) -> bool:
    return any("activate" in each.effects.acts for each in s.functions_of(launch))


def bytes_of_rows(plan: Plan) -> dict[str, int]:
    """Return the bytes of a vertex that parts hand each other in a superstep, at most, by array.

    Where kernels meet, claims tell what all whom they find hold, and hand on no rows.
    """
    changed = told_by_meetings(plan.schedule) if plan.compiled.grids else changed_in(plan.schedule)
    found, counts = dict[str, int](), Counts(plan.whole, plan.schedule.copies)
    for step in s.steps_in(plan.schedule.body):
        for name, right in Needs(plan.schedule).of(step):
            if right == Right.REPLICAS and name in changed and name in plan.table.arrays:
                itemsize = plan.table.arrays[name].dtype(counts).itemsize
                found[name] = int(itemsize * plan.schedule.copies.size)
    return found


def told_by_meetings(schedule: s.Schedule) -> set[str]:
    """Return the arrays of which launches of kernels that meet hand on rows.

    Messages that receivers make stand for what they are made of.
    """
    found = set[str]()
    for launch in s.launches_in(schedule.body):
        is_message = launch.staged and launch.follows
        found |= {*(changed_by(launch, True, True) if is_message else handed_by(schedule, launch))}
    return found
