"""Small jobs that differ in one argument run as one batch, and each gets its own row.

A batch is defined as the runs one after another (`emv.lang.batches`), so nobody's result changes.
Jobs of one *family* have the same program, graph and arguments but the first behind the graph, a
vertex or several. So many are taken that few kinds of batches are compiled; what batches refuse,
and what takes longer in a batch than alone, runs alone from then on.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from concurrent.futures import CancelledError
from dataclasses import replace
from typing import Any

import numpy as np

from emv.lang.batches import batch
from emv.runtime.run import Run, RunColumns
from emv.service.job import Asked, Job
from emv.service.pairing import Pairing
from emv.service.waiting import Waiting

MOST_ENTRIES = 1 << 26  # of a column of all copies
ANY = "any vertex"
LEAST = 8  # times as many are in the largest batch as in the smallest
PLAIN = frozenset({bool, int, float, str, type(None)})
"""The types of arguments that are equal where they and their types are, but for 0.0 and -0.0."""
WORTH = 0.9  # of the time alone that a copy may take at most


class Rows(Mapping[str, Any]):
    """The columns of one copy, cut out of those of a batch when they are asked for."""

    def __init__(self, columns: RunColumns, number: int) -> None:
        self.columns, self.number = columns, number

    def __getitem__(self, name: str) -> Any:
        return row_of(self.columns[name], self.number)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns.names())

    def __len__(self) -> int:
        return len(self.columns.names())


class Together:
    """Which families run as batches, and of how many.

    Parameters
    ----------
    most : int
        Jobs in one batch at most, and an eighth of that at least; fewer run alone.
    pairing : Pairing
        What jobs took alone.
    """

    def __init__(self, most: int, pairing: Pairing) -> None:
        self.sizes = [size for size in (most, most // LEAST) if size > 1]
        self.pairing = pairing
        self.refused: set[Hashable] = set()

    def family(self, head: Job, waiting: Waiting[Job]) -> list[Job]:
        """Return the others that wait and may be one batch with a job, in their order."""
        items = waiting.items
        if head.family is None or head.deadline is not None or not items or items == [head]:
            return []
        return [
            each
            for each in waiting.order()
            if each is not head and each.deadline is None and each.family == head.family
        ]

    def size(self, job: Job, number: int) -> int:
        """Return how many of so many jobs of a family make a batch; 1 if none."""
        if job.family is None or job.kind in self.refused or job.asked is None:
            return 1
        num_vertices = job.asked[1].num_vertices
        for size in self.sizes:
            entries = size * num_vertices
            if number >= size and entries <= MOST_ENTRIES and self.pays(job, size):
                return size
        return 1

    def pays(self, job: Job, size: int) -> bool:
        """Return whether batches of so many pay, or have not been measured."""
        alone, together = (self.pairing.alone.get(each) for each in (job.kind, (job.kind, size)))
        if alone is None:  # it has to run alone first
            return False
        return together is None or together.mean / size <= WORTH * alone.mean

    def run(self, jobs: list[Job]) -> None:
        """Run jobs as one batch, or alone where they cannot be one, and end each."""
        first = jobs[0]
        assert first.asked is not None
        program, graph, args, named = first.asked
        values = batch([job.asked[2][0] for job in jobs if job.asked is not None])
        try:
            run = program.run(graph, values, *args[1:], **named)
        except Exception:  # of one of them perhaps: alone, each has its own
            self.refused.add(first.kind)
            first.size = 0
            for job in jobs:
                job.do()
            return
        for number, job in enumerate(jobs):
            if job.is_called_off:
                job.end(error=CancelledError())
            else:
                job.end(run_of(run, number, values.values[number]))


def alike(asked: Asked, layouts: Any) -> tuple[tuple[Any, ...], bool]:
    """Return what calls have in common that take as much memory.

    It has no hash where arrays are among the arguments, which may differ. The first argument may be
    any vertex, or a list of as many; and whether it is such.
    """
    program, _, args, named = asked
    first = None
    if args and is_vertices(args[0], layouts.num_vertices):
        first, args = len(args[0]) if isinstance(args[0], list) else ANY, args[1:]
    values = (*args, *named.values()) if args else tuple(named.values())
    kinds = tuple(map(type, values))
    if not PLAIN.issuperset(kinds) or (first is not None and float in kinds and 0 in values):
        values = typed(values)
    return (program, id(layouts), first, values, kinds, tuple(named)), first is not None


def typed(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return values with their types, as 1, 1.0 and True are equal; and 0.0 and -0.0 apart.

    Examples
    --------
    >>> typed((1,)) == typed((1.0,)), typed((0.0,)) == typed((-0.0,)), typed((2,)) == typed((2,))
    (False, False, True)
    """
    return tuple(
        (
            type(each),
            typed(each) if isinstance(each, tuple) else each,
            str(each) if isinstance(each, float) and each == 0 else "",
        )
        for each in values
    )


def is_vertices(value: Any, num_vertices: int) -> bool:
    """Return whether an argument is a vertex, or a list of some.

    Examples
    --------
    >>> is_vertices(3, 4), is_vertices([0, 1], 4), is_vertices(0.5, 4), is_vertices(4, 4)
    (True, True, False, False)
    """
    if type(value) is int:  # as most often
        return 0 <= value < num_vertices
    if isinstance(value, list):
        if {*map(type, value)} == {int}:
            return bool(min(value) >= 0 and max(value) < num_vertices)
        return bool(value) and all(is_vertices(each, num_vertices) for each in value)
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return is_whole and bool(0 <= value < num_vertices)


def row_of(value: Any, number: int) -> Any:
    """Return what one copy of a batch left, in memory of its own."""
    if isinstance(value, tuple):
        return tuple(row_of(each, number) for each in value)
    if isinstance(value, dict):
        return {name: row_of(each, number) for name, each in value.items()}
    row = value[number]
    if isinstance(row, np.generic):
        return row.item()
    return row.copy() if isinstance(row, np.ndarray) else row


def run_of(run: Run, number: int, value: Any) -> Run:
    """Return the run of one copy: its result and columns; the rest is the batch's."""
    said = replace(run.said, args=(value, *run.said.args[1:]))
    columns: Any = (Rows(each, number) for each in (run.vertices, run.edges))
    vertices, edges = map(RunColumns, columns)
    result = row_of(run.result, number)
    return replace(run, result=result, vertices=vertices, edges=edges, said=said)
