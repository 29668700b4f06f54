"""Sets of rows, arcs or slots on a GPU: which ones go when a version of a graph is made."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import numpy as np

from emv.backends.cuda.array import DeviceArray, empty, several
from emv.backends.cuda.device import THREADS, Device
from emv.backends.cuda.kernels import Task, launch_together
from emv.backends.cuda.late import Late, under_way
from emv.backends.cuda.room import memory_of
from emv.backends.cuda.sorting import bits, entry_wise, put_off
from emv.backends.cuda.splice import RANK, Splice
from emv.graph.widths import index_dtype
from emv_kernels.sizes import ALONE_AT

MOST_BLOCKS = 2048  # that a GPU runs at one time
LONG, HALF = np.dtype(np.int64), np.dtype(np.uint32)
WORD = 32  # entries
FACTS = 3  # what is counted: entries that are none, those in the set, and loops among them
STATE = ALONE_AT + 1  # places by which blocks meet
Put = Callable[[DeviceArray, DeviceArray], Sequence[Task]]


class Stages:
    """What sets the bits of some sets of as many entries, and then what counts them: one launch.

    Parameters
    ----------
    on : Device
        Where; it must be the current one in all calls.
    size : int
        Entries there are.
    most : int
        How many sets there will be at most.
    """

    def __init__(self, on: Device, size: int, most: int = 1) -> None:
        self._on = on
        self.num_words = size // WORD + 1  # a rank behind the last entry, too
        self._each = STATE + FACTS + -(-self.num_words // 2)
        self._zeros = zeros(on, STATE + most * self._each, LONG, most * MOST_BLOCKS)
        self._count = self._meetings = 0
        self._puts, self._ranks = list[Task](), list[Task]()

    def room(self) -> tuple[DeviceArray, DeviceArray, DeviceArray, DeviceArray]:
        """Return room for another set: its state, facts and words, which are zeros, and sums."""
        whole, begin = self._zeros, STATE + self._count * self._each
        sums = whole.view(whole.size + self._count * MOST_BLOCKS, MOST_BLOCKS, LONG)
        self._count += 1
        facts = whole.view(begin + STATE, FACTS, LONG)
        words = whole.view(begin + STATE + FACTS, self.num_words, HALF)
        return whole.view(begin, STATE, LONG), facts, words, sums

    def add(self, puts: Sequence[Task], *ranks: Task) -> None:
        """Add what sets the bits of a set, and what counts them."""
        self._puts += puts
        self._ranks += ranks

    def launch(self, *others: Stages) -> None:
        """Put all of it on the stream, and what others count; what is added later is a launch."""
        puts, ranks, self._puts, self._ranks = self._puts, self._ranks, [], []
        for each in others:
            ranks, each._ranks = ranks + each._ranks, []
        meet = [Task("grid.meet", [self._zeros], [self._meetings], 1)] if puts else []
        self._meetings += len(meet)
        launch_together(self._on, [*puts, *meet, *ranks])


class Marks:
    """A set of some of the entries ``0..size - 1``, which is complete when it is first asked.

    Parameters
    ----------
    on : Device
        Where; it must be the current one in all calls.
    size : int
        Entries there are.
    put : callable
        Puts on the stream, or returns to be launched with the rest, what sets the bits of entries
        in ``uint32[...]`` words, and counts those that are none in the first of ``int64[3]`` facts.
    most : int
        How many entries will be in the set at most.
    count : int, optional
        How many will be; counted, and waited for, unless it is given.
    stages : Stages, optional
        To what this is added, and launched later. The count must be given then.

    Attributes
    ----------
    size, count : int
        Entries there are, and in the set.
    num_wrong : int
        How many were named that are none, if they were counted.
    num_loops : int or None
        How many are loops, if edges were marked with their ends.
    """

    def __init__(
        self,
        on: Device,
        size: int,
        put: Put,
        most: int,
        count: int | None = None,
        stages: Stages | None = None,
    ) -> None:
        self._begin(on, size, put, most)
        self._made, facts = self._make(stages)
        known = (0, count, None) if count is not None else facts.tolist()
        self.num_wrong, self.count, self.num_loops = known

    def _begin(self, on: Device, size: int, put: Put, most: int) -> None:
        self.on, self.size, self._most, self._put = on, size, most, put
        self._hear: Callable[[], list[int]] | None = None
        self._made: tuple[DeviceArray, DeviceArray] | None = None

    @classmethod
    def late(cls, on: Device, size: int, put: Put, count: int, num_loops: int) -> Marks:
        """Return a set of so many entries, of which nothing is made before somebody asks."""
        made = cls.__new__(cls)
        made._begin(on, size, put, count)
        made.num_wrong, made.count, made.num_loops = 0, count, num_loops
        return made

    @classmethod
    def given(
        cls,
        on: Device,
        size: int,
        count: int,
        hear: Callable[[], list[int]],
        ranks: DeviceArray,
        entries: DeviceArray,
    ) -> Marks:
        """Return a set that others make, taken to have so many entries; `hear` says what it has."""
        made = cls.__new__(cls)
        made.on, made.size, made._hear, made._made = on, size, hear, (ranks, entries)
        made.num_wrong, made.count, made.num_loops = 0, count, 0
        return made

    def _make(self, stages: Stages | None) -> tuple[tuple[DeviceArray, DeviceArray], DeviceArray]:
        """Return ranks and entries, and facts, put on the stream or to be launched by others."""
        made = Stages(self.on, self.size) if stages is None else stages
        state, facts, words, sums = made.room()
        sizes = (words.size, RANK), (self._most, index_dtype(self.size))
        ranks, entries = several(self.on, *sizes)
        arrays = [words, state, sums, ranks, entries, facts]
        blocks = max(1, min(MOST_BLOCKS, -(-words.size // THREADS)))
        made.add(self._put(words, facts), Task("marks.rank_marks", arrays, [words.size], blocks))
        if stages is None:
            made.launch()
        del self._put  # which holds what is not needed any more
        return (ranks, entries), facts

    @property
    def _all_made(self) -> tuple[DeviceArray, DeviceArray]:
        if self._made is None:
            with self.on.current():
                self._made, _ = self._make(None)
        return self._made

    @property
    def ranks(self) -> DeviceArray:
        """For each 32 entries their bits, and above these how many are set before; uint64."""
        return self._all_made[0]

    @property
    def entries(self) -> DeviceArray:
        """The set, ascending; ids of `size` entries."""
        entries = self._all_made[1]
        return entries.view(0, self.count, entries.dtype)

    def recount(self) -> tuple[bool, int]:
        """Hear what was counted; return whether it is what was taken, and how many are none.

        What is late was counted by whoever gave the number.
        """
        if self._hear is None:
            return True, 0
        known, found, self._hear = [0, self.count, 0], self._hear(), None
        self.num_wrong, self.count, self.num_loops = found
        return found == known, self.num_wrong

    def __len__(self) -> int:
        return self.count

    def numpy(self) -> np.ndarray:
        """Return the set on the host, int64[count], ascending; waits until it is there."""
        return self.entries.numpy().astype(np.int64)

    def left_of(self, *values: DeviceArray) -> list[DeviceArray]:
        """Return columns of all entries without those of the set, made when one is asked for.

        At once where another library has made the values, as its owner may write others there.
        """
        given, splice = [*map(under_way, values)], Splice(self.on, self.size, None, self)

        left = list[DeviceArray]()

        def make(number: int) -> DeviceArray:
            if not left:
                tasks = list[Task]()
                left.extend([splice.of(each, None, None, tasks) for each in given])
                launch_together(self.on, tasks)
            return left[number]

        if None in map(memory_of, given):
            return [make(number) for number in range(len(given))]
        return [
            Late(self.on, splice.count, each.dtype, functools.partial(make, number))
            for number, each in enumerate(given)
        ]

    def num_equal(self, one: DeviceArray, other: DeviceArray) -> int:
        """Return of how many entries two columns have the same; waits for it."""
        with self.on.current():
            facts = zeros(self.on, 1, np.dtype(np.int64))
            arrays = [self.entries, one, other, facts]
            entry_wise(self.on, "merge.count_equal", arrays, self.count)
        return int(facts[0])

    def numbers_left(self, dtype: np.dtype) -> DeviceArray:
        """Return the entries that are not in the set, ascending, made when they are asked for."""
        splice = Splice(self.on, self.size, None, self)
        return Late(self.on, splice.count, dtype, functools.partial(splice.numbers, dtype))


def rows_gone(
    on: Device,
    size: int,
    given: Sequence[DeviceArray],
    ends: tuple[DeviceArray, DeviceArray] | None = None,
) -> Marks | None:
    """Return the set of rows that arrays name, ids or truth values; None if one names no row.

    If rows are edges and their ends are given, loops are counted where all are named by ids.
    """
    counts_loops = ends is not None and all(each.dtype.kind != "b" for each in given)
    how, more = "marks.mark", list[DeviceArray]()
    if ends is not None and counts_loops:
        how, more = "marks.mark_edges", [*map(under_way, ends)]

    def put(words: DeviceArray, facts: DeviceArray) -> Sequence[Task]:
        tasks = list[Task]()
        for each in given:
            launch_together(on, tasks)  # one after another, as truth values are no atomics
            tasks.clear()
            if each.dtype.kind == "b":
                put_off(tasks, "marks.mark_true", [bits(each), words], each.size)
            else:
                put_off(tasks, how, [each, *more, words, facts], size, each.size)
        return tasks

    most = min(size, sum(each.size for each in given))
    made = Marks(on, size, put, most)
    if not counts_loops:
        made.num_loops = None
    return None if made.num_wrong else made


def flagged(on: Device, size: int, given: Sequence[DeviceArray]) -> DeviceArray:
    """Return a truth value for each of so many entries: whether an array names it."""
    flags = zeros(on, size, np.dtype(np.bool_))
    for each in given:
        entry_wise(on, "marks.flag", [each, bits(flags)], each.size)
    return flags


def rows_of_keys(known: DeviceArray, keys: DeviceArray) -> DeviceArray:
    """Return where keys stand among ascending ones, int64[n]; -1 of those that are not there."""
    rows = empty(known.device, keys.size, np.dtype(np.int64))
    entry_wise(known.device, "marks.rows_of_keys", [known, keys, rows], known.size, keys.size)
    return rows


def zeros(on: Device, size: int, dtype: np.dtype, more: int = 0) -> DeviceArray:
    """Return a new array of zeros, with room for more entries behind, which are unknown."""
    made = empty(on, size + more, dtype).view(0, size, dtype)
    on.driver.fill(made.address, b"\0", made.nbytes, on.stream)
    return made
