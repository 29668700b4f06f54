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

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emv.graph.slices import levels_of, owners
from emv.ir import schedule as s
from emv.lang.effects import find_effects
from emv.passes.divide import walk_of
from emv.passes.needs import Needs, Right, column_name

Plan = Any
"""A plan of `emv.runtime.arrays.plan`, which stands above."""
Division = Any
"""The parts of a run, `emv.runtime.targets.division`, which stands above."""


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
