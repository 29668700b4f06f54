"""What graphs ask of a GPU (`emv.device.Device`), answered by what is below in this folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.backends import simulated
from emv.backends.cuda import (
    asked,
    driver,
    few_arcs,
    few_gone,
    few_slots,
    index_arrays,
    kernels,
    lower,
    marks,
    offers,
    orient,
    pieces,
    repulsion,
    residuals,
    sets,
    simple,
    sorting,
    versions,
)
from emv.backends.cuda import device as devices
from emv.backends.cuda.array import DeviceArray, empty, from_foreign, from_host
from emv.backends.cuda.device import ENTRIES_PER_BLOCK, Device
from emv.backends.cuda.index_arrays import DeviceIndexArrays
from emv.backends.cuda.room import extended, grown
from emv.backends.cuda.stacked import StackedArray
from emv.device import EdgeChange
from emv.forms import Shape, Spread


class GraphDevice:
    """One GPU, as a graph sees it.

    Parameters
    ----------
    on : Device
        The GPU, as kernels see it.
    """

    def __init__(self, on: Device) -> None:
        self.on = on
        self.nothing: dict[np.dtype[Any], DeviceArray] = {}  # arrays without entries

    @property
    def label(self) -> str:
        """What `Graph.on` calls it."""
        return self.on.label

    def upload(self, values: NDArray[Any]) -> DeviceArray:
        """Return a copy of a host array."""
        return from_host(self.on, values)

    def convert(self, values: DeviceArray, dtype: np.dtype[Any]) -> DeviceArray:
        """Return values in another type."""
        if values.dtype == dtype:
            return values
        with self.on.current():
            return sorting.converted(values, dtype)

    def survey(self, src: DeviceArray, dst: DeviceArray) -> dict[str, int]:
        """Return facts about the ends of edges."""
        with self.on.current():
            return index_arrays.survey(src, dst)

    def grown(
        self, pairs: Sequence[tuple[DeviceArray, DeviceArray]]
    ) -> list[tuple[DeviceArray, DeviceArray]]:
        """Return what has room for others behind, and both."""
        with self.on.current():
            return [grown(values, added) for values, added in pairs]

    def extended(self, values: DeviceArray, added: DeviceArray) -> DeviceArray:
        """Return values with others behind."""
        with self.on.current():
            return extended(values, added)

    def numbers(self, first: int, count: int, dtype: np.dtype[Any]) -> DeviceArray:
        """Return so many numbers from a first on."""
        if not count and dtype in self.nothing:
            return self.nothing[dtype]
        with self.on.current():
            made = sorting.numbered(self.on, count, dtype, first)
        if not count:
            self.nothing[dtype] = made
        return made

    def rows_of_keys(self, known: DeviceArray, keys: DeviceArray) -> DeviceArray:
        """Return where keys stand among ascending ones; -1 of those not there."""
        with self.on.current():
            return marks.rows_of_keys(known, keys)

    def rows_gone(
        self,
        size: int,
        given: Sequence[DeviceArray],
        ends: tuple[DeviceArray, DeviceArray] | None = None,
    ) -> marks.Marks | None:
        """Return which of so many rows arrays name."""
        with self.on.current():
            return marks.rows_gone(self.on, size, given, ends)

    def few_gone(
        self, rows: DeviceIndexArrays, given: DeviceArray
    ) -> tuple[marks.Marks, few_slots.FewSlots | few_gone.FewGone] | None:
        """Return which edges ids name, which are taken to be all different."""
        with self.on.current():
            return few_gone.few_gone(rows, given)

    def few_new(
        self, rows: DeviceIndexArrays, src: DeviceArray, dst: DeviceArray
    ) -> few_arcs.FewArcs | few_slots.FewSlots | None:
        """Return what has begun of a version with a few more edges."""
        begin = few_arcs.few_arcs if rows.directed else few_slots.few_slots
        with self.on.current():
            return begin(rows, (src, dst))

    def in_order(
        self, keys: Sequence[DeviceArray], rows: DeviceArray, others: DeviceArray, number: int
    ) -> DeviceArray | None:
        """Return the entries that have a key by row, call and key."""
        with self.on.current():
            return asked.in_order(keys, rows, others, number)

    def flagged(self, size: int, given: Sequence[DeviceArray]) -> DeviceArray:
        """Return which of so many entries arrays name."""
        with self.on.current():
            return marks.flagged(self.on, size, given)

    def merged(
        self,
        before: DeviceIndexArrays,
        shape: Shape,
        ends: Callable[[], index_arrays.Ends],
        change: EdgeChange,
    ) -> DeviceIndexArrays | None:
        """Return the index arrays of a later version; put on the stream, not waited for."""
        with self.on.current():
            return versions.merged(before, DeviceIndexArrays(self.on, shape, ends), change)

    def take_columns(
        self, rows: DeviceIndexArrays, column: Callable[[str], DeviceArray | None]
    ) -> None:
        """Make the columns by arc that the version before has."""
        with self.on.current():
            rows.take_columns(column)

    def simplify(
        self,
        src: DeviceArray,
        dst: DeviceArray,
        num_vertices: int,
        directed: bool,
        columns: Mapping[str, DeviceArray],
        how: str,
    ) -> simple.Folded:
        """Return the edges without repeats, and their columns."""
        with self.on.current():
            return simple.simple_on_device(src, dst, num_vertices, directed, columns, how)

    def orient(
        self, src: DeviceArray, dst: DeviceArray, num_vertices: int, directed: bool
    ) -> tuple[DeviceArray, DeviceArray, DeviceArray | None]:
        """Return the ends of the oriented edges, and how many ways each led."""
        with self.on.current():
            return orient.oriented_on_device(src, dst, num_vertices, directed)

    def repel(
        self, place: Sequence[DeviceArray], mass: DeviceArray, theta: float, near: float
    ) -> list[DeviceArray]:
        """Return what bodies push each other with."""
        with self.on.current():
            return repulsion.repelled_on_device(place, mass, theta, near)

    def compare(self, values: DeviceArray, before: DeviceArray) -> tuple[int, int]:
        """Return how many first values are not as before, and how many of all are below 0."""
        with self.on.current():
            return sorting.compared(values, before)

    def offering(
        self,
        ends: Sequence[DeviceArray],
        values: DeviceArray,
        far: int | float,
        lengths: DeviceArray | None,
        both_ways: bool,
    ) -> NDArray[np.int64]:
        """Return what `offers.offering` finds."""
        with self.on.current():
            return offers.offering(ends, values, far, lengths, both_ways)

    def lowered(
        self,
        rows: DeviceIndexArrays,
        ends: Sequence[DeviceArray],
        values: DeviceArray,
        far: int | float,
        lengths: Sequence[DeviceArray],
        most: float,
    ) -> lower.Lowering:
        """Return what waits for values that are lowered along arcs from new edges on."""
        with self.on.current():
            return lower.lowered(rows, ends, values, far, lengths, most)

    def settled(
        self,
        rows: DeviceIndexArrays,
        before: DeviceIndexArrays,
        values: DeviceArray,
        ends: Sequence[DeviceArray],
        total: float,
        how: Spread,
    ) -> tuple[DeviceArray, float, int] | None:
        """Return values that go on to a fixed point from earlier ones."""
        with self.on.current():
            return residuals.settled(rows, before, values, ends, total, how)

    def joined(self, names: DeviceArray, ends: Sequence[DeviceArray], size: int) -> DeviceArray:
        """Return the names of sets after those of the ends of edges are joined."""
        with self.on.current():
            return sets.joined(names, ends, size)

    def summed_up(self, values: DeviceArray) -> tuple[float, float]:
        """Return the least and the mean entry."""
        with self.on.current():
            return sorting.summed_up(values)

    def gathered(self, values: DeviceArray, places: DeviceArray) -> DeviceArray:
        """Return ``values[places]``."""
        with self.on.current():
            return sorting.gathered(values, places)

    def set_bits(
        self, words: StackedArray, rows: int, first: int, dtype: np.dtype[Any]
    ) -> tuple[DeviceArray, DeviceArray]:
        """Return which bits of a stack of words are set."""
        with self.on.current():
            return sorting.set_bits(words.values, words.copies, rows, first, dtype)

    def row_starts(
        self, ways: Iterable[tuple[DeviceArray, DeviceArray, bool]], rows: int, dtype: Any
    ) -> DeviceArray:
        """Return where rows begin, of entries that come piece by piece."""
        with self.on.current():
            return pieces.row_starts(self.on, ways, rows, dtype)

    def senders_to(
        self, arcs: Iterable[tuple[DeviceArray, DeviceArray]], held: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Return who has an arc to a vertex that is held."""
        with self.on.current():
            return pieces.senders_to(self.on, arcs, held)

    def held(self, held: NDArray[np.bool_]) -> pieces.Held:
        """Return what takes the arcs to vertices that are held out of others."""
        return pieces.Held(self.on, held)

    def draw(
        self,
        kernel: str,
        dtypes: Sequence[Any],
        parts: Sequence[tuple[int, Sequence[Any]]],
        first: int = 0,
    ) -> list[DeviceArray]:
        """Return arrays filled by a kernel of `emv_kernels.cuda.generate`, part after part."""
        begin, total = 0, sum(count for count, _ in parts)
        with self.on.current():
            made = [empty(self.on, total, np.dtype(dtype)) for dtype in dtypes]
            for count, numbers in parts:
                part = [each[begin : begin + count] for each in made]
                blocks = -(-count // ENTRIES_PER_BLOCK)
                if count:
                    told = [count, first, *plain(numbers)]
                    kernels.launch(self.on, f"generate.{kernel}", part, told, blocks=blocks)
                begin += count
            self.on.driver.synchronize(self.on.stream)
        return made


def plain(numbers: Sequence[Any]) -> list[int | float]:
    """Return numbers as a kernel takes them; a tuple counts as its members.

    Examples
    --------
    >>> plain([np.int32(3), (0.5, 7)])
    [3, 0.5, 7]
    """
    flat = [each for one in numbers for each in (one if isinstance(one, tuple) else [one])]
    return [each if isinstance(each, float) else int(each) for each in flat]


def device(name: str) -> GraphDevice:
    """Return a GPU by name; see `emv.device.Devices`."""
    on = devices.device(name)
    if on.face is None:  # a change of a graph asks a dozen times
        on.face = GraphDevice(on)
    face: GraphDevice = on.face
    return face


def count() -> int:
    """Return how many GPUs there are; see `emv.device.Devices`."""
    number = driver.num_devices() or int(simulated.is_asked_for())
    if not number:
        driver.api()  # which says what is missing
    return number


def reach_each_other(names: Sequence[str]) -> bool:
    """Return whether each of some GPUs can read and write the memory of every other."""
    return devices.reach_each_other([devices.device(name) for name in names])


def adopt(value: Any, stream: int | None) -> DeviceArray:
    """Return another library's array on a GPU as one of emv: the same memory."""
    return from_foreign(value, stream)
