"""Rounds of several supersteps between two exchanges: which hops of replicas run, and are right.

With H hops a part has the arcs to its own vertices, level 0, and to replicas up to level H - 1; it
has replicas up to level H. Of every array it is known up to which level its rows are right. A call
that runs for levels up to b needs what it reads through the source right up to b + 1, and what it
reads or changes of its own up to b; what it changes is right up to b then. So after an exchange it
runs for levels up to H - 1, then H - 2, down to 0, when sources are exchanged again: Medusa's round
of H stages, of which each leaves out the hop that is outdated (J. Zhong, B. He, IEEE TPDS 2014,
section 4.3). What a part has of its own vertices is right all the time.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emv.errors import ArgumentError
from emv.graph.parts import Costs, Parts, Superstep
from emv.graph.slices import levels_of, owners
from emv.ir import schedule as s
from emv.lang.effects import find_effects
from emv.lang.hops import MOST_HOPS
from emv.passes.divide import walk_of
from emv.passes.meet import aggregates_of
from emv.passes.needs import Needs, Right, changed_by, changed_in, column_name
from emv.runtime.arrays.table import Counts

Plan = Any
"""A plan of `emv.runtime.arrays.plan`, which stands above."""
Division = Any
"""The parts of a run, `emv.runtime.targets.division`, which stands above."""

BYTES_OF_ARC = 16
"""What index arrays and columns of an arc take on a GPU, about."""


class Asked(NamedTuple):
    """What a step asks of replicas before it runs.

    Attributes
    ----------
    first : tuple of (str, int)
        Arrays that are brought as far as it says in any case.
    most : int
        The level up to which its elements may run; below 0 if it takes no part in rounds.
    sources, own : tuple of str
        Arrays that it reads through the source, and of its own elements.
    """

    first: tuple[tuple[str, int], ...]
    most: int
    sources: tuple[str, ...]
    own: tuple[str, ...]


class Asks:
    """What steps of a schedule ask of replicas; the same in every run with so many hops."""

    def __init__(self, schedule: s.Schedule, hops: int) -> None:
        self.hops, self.needs = hops, Needs(schedule)
        self.found: dict[int, Asked] = {}  # by the step, which the schedule holds
        steps = list(s.steps_in(schedule.body))
        self.read = {name for step in steps for name, _ in self.needs.of(step)}
        for launch in s.launches_in(schedule.body):
            self.read |= touched(launch, written=False)

    def of(self, step: Any) -> Asked:
        """Return what a step asks of replicas, which is the same in every superstep."""
        if id(step) not in self.found:
            self.found[id(step)] = self.asked_by(step)
        return self.found[id(step)]

    def asked_by(self, step: Any) -> Asked:
        """Find what a step asks of replicas."""
        needs = dict[str, int]()
        for name, right in self.needs.of(step):
            needs[name] = max(int(right), needs.get(name, 0))
        sources = [name for name, needed in needs.items() if needed == Right.REPLICAS]
        if not (isinstance(step, s.Launch) and step.share == "owned" and self.hops > 1):
            return Asked(tuple(needs.items()), -1, (), ())
        first = [each for each in needs.items() if each[1] != Right.REPLICAS]
        own = touched(step, written=True) & self.read
        own -= {name for name, needed in needs.items() if needed != Right.OWNERS}
        most = 0 if is_limited(step) else self.hops - 1
        return Asked(tuple(first), most, tuple(sources), tuple(sorted(own)))


class Rounds:
    """Which hops of replicas run, and are right, in one run with so many.

    Parameters
    ----------
    plan : Plan
        Of the run.
    number, way, hops : int, str, int
        How many parts, how they are made, and how many hops.
    """

    def __init__(self, plan: Plan, number: int, way: str, hops: int) -> None:
        self.hops, asks = hops, plan.compiled.asks
        self.graph, self.number, self.way = plan.whole, number, way
        self.runs = plan.whole.layouts.running.setdefault((number, way, hops), {})
        if hops not in asks:
            asks[hops] = Asks(plan.schedule, hops)
        self.asks: Asks = asks[hops]

    @cached_property
    def levels(self) -> list[NDArray[np.int16]]:
        """For each part the level of each vertex, `emv.graph.slices.BEYOND` beyond all hops.

        They take a pass over all arcs, and kernels that hand each other words of bits ask for none.
        """
        return kept_levels(self.graph, self.number, self.way, self.hops)

    def running(self, part: int, level: int) -> NDArray[np.uint8]:
        """Return which vertices a part runs up to a level: 1 for its own, 2 for others, else 0.

        What is added up counts the own ones alone.
        """
        key = part, level
        if key not in self.runs:
            levels = self.levels[part]
            self.runs[key] = np.where(levels > 0, 2, 1).astype(np.uint8) * (levels <= level)
        found: NDArray[np.uint8] = self.runs[key]
        return found

    def prepare(self, division: Division, step: Any) -> int:
        """Bring up to date what a step reads; return the level up to which its elements run."""
        asked = self.asks.of(step)
        for name, needed in asked.first:
            division.brought(name, needed)
        if asked.most < 0:
            return 0
        found: list[int] = [division.level_of(name) - 1 for name in asked.sources]
        found += [division.level_of(name) for name in asked.own]
        bound = min([asked.most, *found])
        if bound >= 0:
            return int(bound)
        for name in asked.sources:
            division.brought(name, self.hops)
        for name in asked.own:
            division.brought(name, asked.most)
        return asked.most


def kept_levels(graph: Any, number: int, way: str, hops: int) -> list[NDArray[np.int16]]:
    """Return the levels of all parts, found by a pass over all arcs the first time."""
    kept = graph.layouts.levels
    key = number, way, hops
    if key not in kept:
        owner, ends = owners(graph, number, way), graph.layouts.ends
        kept[key] = [levels_of(ends, owner == part, graph.directed, hops) for part in range(number)]
    found: list[NDArray[np.int16]] = kept[key]
    return found


def is_limited(launch: s.Launch) -> bool:
    """Return whether a launch runs for the own elements alone."""
    heard = launch.heard is not None or launch.domain.kind == "receivers"  # of own ones it is known
    kept = launch.keeps or launch.store or launch.kept or launch.settles
    return heard or kept or walk_of(launch) == "edges"


def touched(launch: s.Launch, written: bool) -> set[str]:
    """Return the arrays that functions of a launch read, and those that they change if asked."""
    receive = launch.receive
    bodies = [launch.body, *([receive.function.body] if receive is not None else [])]
    found = set()
    for effects in map(find_effects, bodies):
        found |= {column_name(each.kind, each.field) for each in effects.reads}
        found |= {column_name(*key) for key in effects.written} if written else set()
    args = [*launch.args, *(receive.args if receive is not None else ())]
    own = {name for fold in launch.folds for name in fold.values.names}
    for arg in args:
        if isinstance(arg.source, s.Values):
            found |= {*arg.source.names} - own
    return found


# How many hops.


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
    does = superstep_of(plan)
    kept = graph.layouts.hops
    key = number, way, does, costs
    if key not in kept:
        owner, hops = owners(graph, number, way), 1
        while True:
            parts = graph.parts(number, owner, hops=hops)
            seconds = parts.seconds(costs, does.shared_by(supersteps_of_front(parts)))
            replicas = parts.replicas.sum(axis=0).max()
            is_full = BYTES_OF_ARC * int(parts.arcs[-1].max()) > target.arc_room()
            is_worse = len(seconds) > 1 and seconds[-1] > seconds.min()
            if replicas > parts.vertices.max() or is_full or is_worse or hops >= MOST_HOPS:
                break
            hops = min(2 * hops, MOST_HOPS)
        kept[key] = seconds[:-1] if is_full and len(seconds) > 1 else seconds
    found: NDArray[np.float64] = kept[key]
    return found


def supersteps_of_front(parts: Parts) -> int:
    """Return about how many supersteps a front takes to pass all vertices, at least 1.

    It moves by a hop a superstep, and how many vertices a hop is the replicas of one hop say.
    """
    others = (parts.num_parts - 1) * int(parts.vertices.sum())
    return max(1, others // max(1, int(parts.replicas[0].sum())))


def superstep_of(plan: Plan) -> Superstep:
    """Return what a superstep does of the loop with the most calls.

    Where the active walk, it is what all supersteps do together; see `Superstep.shared_by`.
    """
    steps = max((each.body for each in s.loops_in(plan.schedule.body)), key=len, default=())
    handed = bytes_of_rows(plan)
    does = _done_by(plan, steps or plan.schedule.body)
    return replace(
        does, calls=max(1, does.calls), arrays=len(handed), row_bytes=sum(handed.values())
    )


def done_before(plan: Plan) -> tuple[Superstep, int]:
    """Return what the calls in front of the first loop do, and stages of a round they take."""
    body = plan.schedule.body
    first = next((k for k, each in enumerate(body) if isinstance(each, s.LoopStep)), 0)
    handed = bytes_of_rows(plan).keys()
    calls = [each for each in body[:first] if isinstance(each, s.Launch)]
    changed = [{*changed_by(each, senders=True, returned=True)} & handed for each in calls]
    does = replace(_done_by(plan, body[:first]), joins=0)  # that is a part of the start
    return does, len([each for each in changed if each])


def _done_by(plan: Plan, steps: tuple[Any, ...]) -> Superstep:
    """Return what some steps do, without an exchange.

    What receivers make where kernels meet is no call of its own.
    """
    calls = [each for each in steps if isinstance(each, s.Launch | s.FillColumn | s.FoldColumn)]
    launches = [each for each in calls if isinstance(each, s.Launch)]
    others = len(calls) - len(launches)
    if plan.compiled.grids:
        launches = [each for each in launches if each.staged or not each.follows]
    over_all = [each for each in launches if each.domain.kind == "all"]
    pulls = [each for each in over_all if each.arc_form]
    active = [each for each in launches if each.arc_form and each.domain.kind != "all"]
    return Superstep(
        calls=len(launches) + others,
        joins=len([each for each in launches if _activates(each)]),
        arrays=0,
        row_bytes=0,
        sweeps=float(len(pulls)),
        sums=len([each for each in launches if any(aggregates_of(each))]),
        pulls=len(pulls),
        active=len(active),
        visits=float(len(over_all) + others),
        walks=float(len(active)),
        moved=reachable(plan.whole) if active else 0.0,
    )


def _activates(launch: s.Launch) -> bool:
    return any("activate" in each.effects.acts for each in s.functions_of(launch))


def reachable(graph: Any) -> float:
    """Return the share of the vertices that have an arc to them: nobody finds the others."""
    found = int(np.count_nonzero(graph.layouts.degrees("in")))
    return found / max(1, int(graph.num_vertices))


def bytes_of_rows(plan: Plan) -> dict[str, int]:
    """Return the bytes of a vertex that parts hand each other in a superstep, at most, by array."""
    changed = changed_in(plan.schedule)
    found, counts = dict[str, int](), Counts(plan.whole, plan.schedule.copies)
    for step in s.steps_in(plan.schedule.body):
        for name, right in Needs(plan.schedule).of(step):
            if right == Right.REPLICAS and name in changed and name in plan.table.arrays:
                itemsize = plan.table.arrays[name].dtype(counts).itemsize
                found[name] = int(itemsize * plan.schedule.copies.size)
    return found
