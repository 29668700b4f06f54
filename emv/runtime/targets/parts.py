"""Cores as several devices: a graph in parts, each with its own columns, and an exchange between.

Index arrays and columns that a program only reads are one memory here. The host runs one part after
another, launch by launch; what it does between them says `emv.runtime.targets.division`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from emv.codegen.queues import ACTIVE_SETS, ActiveSet
from emv.codegen.state import FIRST_FREE
from emv.runtime.arrays.taken import current
from emv.runtime.targets.cores import Cores
from emv.runtime.targets.division import Arrays, Division, Traffic
from emv.runtime.targets.exchange import Exchange, of_copies

if TYPE_CHECKING:
    from emv.runtime.arrays.plan import Plan


class Parts(Cores):
    """A run on cores in parts; see `emv.runtime.targets.target.Target`.

    Parameters
    ----------
    number : int
        How many parts.
    way : str
        How the graph is divided; see `Graph.parts`.
    """

    kind = "parts"

    def __init__(self, number: int, way: str = "ranges") -> None:
        super().__init__()
        self.num_parts, self.way = number, way
        self.label = f"cpu/{number}" + (f"/{way}" if way != "ranges" else "")
        self.division: CoreDivision | None = None

    def launch(self, plan: Plan, name: str) -> tuple[bool, float]:
        """Run a launch on every part; return whether it has ended, and the seconds it took."""
        if self.division is None or self.division.plan is not plan:
            self.division = CoreDivision(plan, self)
        return self.division.launch(name)

    def handed_on(self) -> str:
        return str(Traffic() if self.division is None else self.division.traffic)

    def arrays_of_parts(self, plan: Plan) -> list[Arrays]:
        is_divided = self.division is not None and self.division.plan is plan
        return self.division.parts if self.division and is_divided else [plan.arrays]

    def collect(self, plan: Plan) -> None:
        if self.division is not None and self.division.plan is plan:
            self.division.collect()
        super().collect(plan)


class CoreDivision(Division):
    """The parts of one run on cores."""

    def __init__(self, plan: Plan, target: Parts) -> None:
        self.target = target
        own = {each.name for each in plan.table.of_each_part} & plan.arrays.keys()
        more = [
            plan.arrays | {name: plan.arrays[name].copy() for name in own}
            for _ in range(1, target.num_parts)
        ]
        super().__init__(plan, [plan.arrays, *more], target.way)

    def run(self, name: str) -> tuple[bool, float]:
        """Run a function of the kernels on one part after another."""
        has_ended, seconds = False, 0.0
        for arrays in self.parts:
            has_ended, spent = self.target.run(self.plan, name, arrays)
            seconds += spent
        return has_ended, seconds

    def write(self, part: int, array: NDArray[Any], values: NDArray[Any]) -> None:
        array[:] = values

    def hand(self, name: str, given: Exchange, number: int, only_first: bool) -> None:
        gives, takes, places = ([of_copies(rows, number) for rows in each] for each in given)
        columns = [arrays[name] for arrays in self.parts]
        packed = np.concatenate([each[rows] for each, rows in zip(columns, gives, strict=True)])
        for part, column in enumerate(columns[:1] if only_first else columns):
            column[takes[part]] = packed[places[part]]

    def spread_control(self) -> None:
        first = self.parts[0]
        shared = ["ints", "floats", *sets_in(first)]
        for arrays in self.parts[1:]:
            arrays["state"][:FIRST_FREE] = first["state"][:FIRST_FREE]
            for name in shared:
                arrays[name][:] = first[name]

    def pieces(self, name: str, ends: list[int], begin: int) -> list[NDArray[Any]]:
        queues = (current(arrays, name) for arrays in self.parts)
        return [queue[begin:end] for queue, end in zip(queues, ends, strict=True)]

    def enter(self, members: ActiveSet, begin: int, found: NDArray[Any]) -> None:
        """Let elements wait in all queues; of the first part it is noted, and others are told."""
        for arrays in self.parts:
            current(arrays, f"pending{members.suffix}")[begin : begin + len(found)] = found
        if f"queued{members.suffix}" in self.parts[0]:
            self.parts[0][f"queued{members.suffix}"][found] = 1


def sets_in(arrays: Arrays) -> Iterator[str]:
    """Yield the arrays in which active sets are kept."""
    for members in ACTIVE_SETS.values():
        words = ("active", "pending", "queued")
        names = [f"{word}{members.suffix}" for word in words]
        names += [f"{word}_{members.stem}" for word in words[:2]]
        yield from (name for name in names if name in arrays)
