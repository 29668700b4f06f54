"""The orders in which GPU programs pull and gather, built on the GPU.

Bit for bit those of `emv.graph.pull` and `emv.graph.gather`, which say what they are for. Vertices
are sorted by degree with the sort of `sorting`; only what is told of hubs comes to the host.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emv.backends.cuda.array import DeviceArray, empty, from_host
from emv.backends.cuda.index_arrays import DeviceIndexArrays
from emv.backends.cuda.sorting import (
    add_up,
    entry_wise,
    gathered,
    inverted,
    numbered,
    sorted_places,
)
from emv.graph.common_places import CommonPlaces
from emv.graph.gather import order_pays
from emv.graph.pull import LIMITS, WARP_HUB_ARCS, bins_of, pieces_of
from emv.graph.widths import index_dtype

STEPS = (WARP_HUB_ARCS - 1, *LIMITS)
ROWS_OF_CHUNK = 1024  # whose lengths a warp adds up


class Degrees(NamedTuple):
    """The longest row, and how many rows are longer than each of `STEPS`."""

    longest: int
    above: list[int]


class DeviceOrders:
    """Where vertices stand in pulls and gathers of one graph, each array built when asked for.

    Parameters
    ----------
    arrays : DeviceIndexArrays
        Of the graph. The device must be the current one.
    common : CommonPlaces or None
        Of a part of a graph: the places of vertices that all parts have in common.
    held : bool[num_vertices] or None
        Of a part of a graph: to which vertices it has arcs.
    """

    def __init__(
        self,
        arrays: DeviceIndexArrays,
        common: CommonPlaces | None = None,
        held: NDArray[np.bool_] | None = None,
    ) -> None:
        self.arrays, self.on, self.common, self.held = arrays, arrays.on, common, held
        self.size = arrays.num_vertices

    def array(self, name: str) -> DeviceArray:
        """Return an array by its name in kernels, ``pull_order`` or ``gather_slot``."""
        found: DeviceArray = getattr(self, name)
        return found

    def keep_only(self, names: set[str]) -> None:
        """Forget all other arrays; facts stay."""
        for name in [each for each in vars(self) if each.startswith(("pull_", "gather_", "_hub"))]:
            if name not in names:
                delattr(self, name)

    # Pulling.

    @cached_property
    def in_degrees(self) -> Degrees:
        """Facts about the in-degrees."""
        return self._degrees("in_first")

    @cached_property
    def is_even(self) -> bool:
        """Whether one lane folds each vertex, so that all stay where they are."""
        return self.in_degrees.longest <= LIMITS[-1]

    @cached_property
    def num_hubs(self) -> int:
        """Vertices that are cut into pieces."""
        return self.in_degrees.above[0]

    @cached_property
    def pull_order(self) -> DeviceArray:
        """The vertices, those with the most in-arcs first."""
        if self.is_even:
            return numbered(self.on, self.size, self.arrays.vertex_dtype)
        return self._by_degree("in_first", self.in_degrees.longest, self.held)

    @cached_property
    def pull_bins(self) -> DeviceArray:
        """The table of the widths."""
        is_whole = self.held is None or self.is_even
        count = self.size if is_whole else np.count_nonzero(self.held)
        counts = np.diff([0, *self.in_degrees.above, count])
        return from_host(self.on, bins_of(counts))

    @cached_property
    def _hub_rows(self) -> tuple[DeviceArray, np.ndarray]:
        """The hubs, and where their slots begin and end, on the host."""
        hubs = self.pull_order.view(0, self.num_hubs, self.arrays.vertex_dtype)
        first = self.arrays.array("in_first")
        behind = first.view(1, self.size, first.dtype)
        return hubs, np.stack([gathered(first, hubs).numpy(), gathered(behind, hubs).numpy()])

    @cached_property
    def pieces(self) -> tuple[np.ndarray, ...]:
        """Vertex, begin and end of every piece, and the first piece of every hub."""
        hubs, (first, last) = self._hub_rows
        return pieces_of(hubs.numpy(), first, last)

    @property
    def num_pieces(self) -> int:
        """Pieces of all hubs."""
        return len(self.pieces[0])

    @cached_property
    def pull_piece_vertex(self) -> DeviceArray:
        """The hub of each piece."""
        return from_host(self.on, self.pieces[0])

    @cached_property
    def pull_piece_begin(self) -> DeviceArray:
        """The first slot of each piece."""
        return from_host(self.on, self.pieces[1])

    @cached_property
    def pull_piece_end(self) -> DeviceArray:
        """The slot behind each piece."""
        return from_host(self.on, self.pieces[2])

    @cached_property
    def pull_hub_piece(self) -> DeviceArray:
        """The first piece of each hub."""
        return from_host(self.on, self.pieces[3])

    # Whom a pull asks first.

    @cached_property
    def pull_place(self) -> DeviceArray:
        """Where each vertex stands in `pull_order`, or among those of all parts."""
        if self.common is not None:
            return self._common_place(self.common, is_close=False)
        return inverted(self.pull_order)

    def _common_place(self, common: CommonPlaces, is_close: bool) -> DeviceArray:
        """Return where each vertex stands among those of all parts.

        As `CommonPlaces.place` says, or `CommonPlaces.close`.
        """
        first = from_host(self.on, common.first("in"))
        made = empty(self.on, self.size, index_dtype(self.size) if is_close else common.place_dtype)
        longest = self._facts(first, STEPS).longest
        for part, is_even in enumerate(common.is_even):
            held = common.owner == part
            begin = int(common.begins[part]) if is_close else common.begin(part)
            if is_even and not is_close:
                arrays = [from_host(self.on, held.view(np.uint8)), made]
                entry_wise(self.on, "build.stay", arrays, begin, self.size)
            else:
                count, rows = np.count_nonzero(held), (first, longest)
                if is_even:  # by their numbers, as rows of one length are
                    rows = numbered(self.on, self.size + 1, first.dtype), 1
                order = self._rows_by_length(*rows, held)
                entry_wise(self.on, "build.put_places", [order, made], begin, count)
        return made

    @cached_property
    def pull_words(self) -> DeviceArray:
        """Where the words of bits of each part begin."""
        assert self.common is not None
        return from_host(self.on, self.common.words)

    @cached_property
    def pull_head(self) -> DeviceArray:
        """Where the in-neighbour with the most out-arcs stands, for every place."""
        first = self.arrays.array("in_first")
        senders = self.arrays.array(self.arrays.in_any_order("in_other"))
        nobody = self.size if self.common is None else self.common.nobody
        made = empty(self.on, self.size, self.pull_place.dtype)
        rows = [self.pull_order, first, senders, self.arrays.array("out_first")]
        arrays = [*rows, self.pull_place, made]
        entry_wise(self.on, "build.first_asked", arrays, self.num_hubs, nobody, self.size)
        return made

    @cached_property
    def pull_arcs(self) -> DeviceArray:
        """The out-arcs of the vertex at every place, in the whole graph."""
        first = self.arrays.array("out_first")
        if self.common is not None:
            first = from_host(self.on, self.common.first("out"))
        made = empty(self.on, self.size, first.dtype)
        entry_wise(self.on, "build.lengths", [first, self.pull_order, made], self.size)
        return made

    # Gathering.

    @cached_property
    def out_degrees(self) -> Degrees:
        """Facts about the out-degrees."""
        return self._degrees("out_first") if self.arrays.directed else self.in_degrees

    @cached_property
    def is_sorted(self) -> bool:
        """Whether senders stand by out-degree, not where they are."""
        return order_pays(self.size, self.arrays.num_arcs, self.out_degrees.longest)

    @cached_property
    def num_senders(self) -> int:
        """How many stand in front of those without an out-arc; all, where none moves."""
        if not self.is_sorted:
            return self.size
        side = "out_first" if self.arrays.directed else "in_first"
        return self._degrees(side, (0,) * len(STEPS)).above[0]

    @cached_property
    def gather_position(self) -> DeviceArray:
        """Where each vertex stands by out-degree."""
        if not self.is_sorted:
            return numbered(self.on, self.size, self.arrays.vertex_dtype)
        if not (self.arrays.directed or self.is_even):
            return inverted(self.pull_order)
        return inverted(self._by_degree("out_first", self.out_degrees.longest))

    @cached_property
    def gather_first(self) -> DeviceArray:
        """Where the in-arcs of each vertex of `pull_order` begin."""
        first = self.arrays.array("in_first")
        if self.is_even:
            return first
        num_chunks = -(-self.size // ROWS_OF_CHUNK)
        sums = empty(self.on, num_chunks, np.dtype(np.int64))
        made = empty(self.on, self.size + 1, first.dtype)
        cut = (ROWS_OF_CHUNK, num_chunks, self.size)
        entry_wise(self.on, "build.add_lengths", [first, self.pull_order, sums], *cut)
        add_up(sums)
        entry_wise(self.on, "build.place_rows", [first, self.pull_order, sums, made], *cut)
        return made

    @cached_property
    def gather_slot(self) -> DeviceArray:
        """The position of the sender of each in-arc, in the order of `gather_first`."""
        if self.is_even and not self.is_sorted:
            return self.arrays.array("in_other")
        return self._in_order(self.gather_position)

    def _in_order(self, place: DeviceArray) -> DeviceArray:
        """Return the places of the senders of all in-arcs, in the order of `gather_first`."""
        if self.arrays.pieces is not None:  # and no other rows need be there
            position = None if self.is_even else inverted(self.pull_order)
            return self.arrays.slots_by_pieces(self.gather_first, position, place)
        senders = self.arrays.array("in_other")
        made = empty(self.on, senders.size, senders.dtype)
        first, order = self.arrays.array("in_first"), self.pull_order
        arrays = [first, order, self.gather_first, senders, place, made]
        entry_wise(self.on, "build.rows_in_order", arrays, self.size, senders.size)
        return made

    @cached_property
    def gather_close_place(self) -> DeviceArray:
        """Where each vertex stands in `pull_order`, or among those of all parts."""
        if self.common is None:
            return self.pull_place
        return self._common_place(self.common, is_close=True)

    @cached_property
    def gather_begins(self) -> DeviceArray:
        """Where each part begins among them."""
        assert self.common is not None
        return from_host(self.on, self.common.begins)

    @cached_property
    def gather_close_slot(self) -> DeviceArray:
        """The `gather_close_place` of the sender of each in-arc, in the order of `gather_first`."""
        if self.common is None and self.is_even:
            return self.arrays.array("in_other")
        return self._in_order(self.gather_close_place)

    @cached_property
    def gather_piece_begin(self) -> DeviceArray:
        """Where the pieces of hubs begin in `gather_slot`."""
        return self._moved(self.pieces[1])

    @cached_property
    def gather_piece_end(self) -> DeviceArray:
        """Where the pieces of hubs end in `gather_slot`."""
        return self._moved(self.pieces[2])

    def _moved(self, slots: np.ndarray) -> DeviceArray:
        """Return slots of hubs' pieces as positions in `gather_slot`, where hubs come first."""
        hub = np.repeat(np.arange(self.num_hubs), np.diff(self.pieces[3]))
        begins = self.gather_first.view(0, self.num_hubs, slots.dtype).numpy()
        return from_host(self.on, begins[hub] + (slots - self._hub_rows[1][0][hub]))

    # By degree.

    def _degrees(self, name: str, steps: tuple[int, ...] = ()) -> Degrees:
        """Return facts about the lengths of rows, by `STEPS` or others; waits for them."""
        found = self._facts(self.arrays.array(name), steps or STEPS)
        if name == "out_first" or not self.arrays.directed:
            self.arrays.least_longest = found.longest
        return found

    def _facts(self, first: DeviceArray, steps: tuple[int, ...]) -> Degrees:
        """Return facts about the lengths of rows that begin somewhere; waits for them."""
        facts = from_host(self.on, np.zeros(len(STEPS) + 1, np.int64))
        limits = from_host(self.on, np.array(steps, np.int64))
        entry_wise(self.on, "build.degree_facts", [first, limits, facts], self.size)
        *above, longest = facts.tolist()
        return Degrees(longest, above)

    def _by_degree(self, name: str, longest: int, held: Any = None) -> DeviceArray:
        """Return the rows, the longest first and those of one length by their numbers.

        Rows that are not held, if that is said, come last.
        """
        return self._rows_by_length(self.arrays.array(name), longest, held)

    def _rows_by_length(self, first: DeviceArray, longest: int, held: Any) -> DeviceArray:
        """Return what `_by_degree` does, of rows that begin somewhere."""
        keys = empty(self.on, self.size, first.dtype)
        entry_wise(self.on, "build.degree_keys", [first, keys], longest, self.size)
        if held is not None:
            arrays = [from_host(self.on, held.view(np.uint8)), keys]
            entry_wise(self.on, "build.put_last", arrays, longest + 1, self.size)
        return sorted_places(keys, longest + 2, self.arrays.vertex_dtype, False)[0]
