"""Rows of more arcs than a GPU could sort at one time, filled piece by piece.

Arcs come in pieces, twice. The first time the entries of each row are counted, and added up to
where rows begin. The second time every piece is sorted stably by its rows, and put behind what
earlier pieces have put there: a counting sort by pieces, whose result is that of one stable sort of
all. Rows by receiver hold senders in ascending order, as arcs come by sender: there each row is
sorted once it is full, some rows at a time, so that no rows by sender are needed for it. Besides
the rows it takes what a sort of one piece takes, or of the longest row.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from emv.backends.cuda.array import DeviceArray, empty, from_host
from emv.backends.cuda.device import Device
from emv.backends.cuda.marks import zeros
from emv.backends.cuda.sorting import add_up, bits, entry_wise, gathered, sorted_places
from emv.graph.widths import index_dtype

PIECE_ARCS = 2**26
"""Entries that are sorted at one time."""
CHUNK = 1024
"""Edges of which a warp takes those that lead to a part, one behind the other."""

ARRAYS_OF_PIECE = 12
"""So many arrays of ids, as long as a piece, are there at most while one is drawn and sorted."""

Pieces = Callable[[bool], Iterable[tuple[DeviceArray, DeviceArray]]]
"""Gives senders and receivers of arcs, piece by piece, in their order or sooner in any other."""


def row_starts(
    on: Device,
    pieces: Iterable[tuple[DeviceArray, DeviceArray, bool]],
    num_rows: int,
    dtype: np.dtype,
) -> DeviceArray:
    """Return where rows begin.

    Parameters
    ----------
    pieces : iterable
        Gives the rows of entries, others, and whether entries where both are the same are left out.
    """
    first = zeros(on, num_rows + 1, dtype)
    for keys, others, skips in pieces:
        entry_wise(on, "fill_rows.count_rows", [keys, others, first], int(skips), keys.size)
    add_up(first)
    return first


def filled(
    first: DeviceArray,
    pieces: Iterable[tuple[DeviceArray, DeviceArray]],
    num_entries: int,
    dtype: np.dtype,
) -> DeviceArray:
    """Return the values of all entries row by row, in the order they come.

    Parameters
    ----------
    first : DeviceArray
        Where rows begin, and the end of all.
    pieces : iterable
        Gives the rows of entries, and values.
    num_entries, dtype : int, dtype
        Of all pieces, and of the result.
    """
    on, begins = first.device, first.copy()  # which is moved on
    made = empty(on, num_entries, dtype)
    for keys, values in pieces:
        if keys.size:
            order, by_row = sorted_places(bits(keys), first.size - 1, index_dtype(keys.size))
            arrays = [by_row, order, begins, values, made]
            entry_wise(on, "fill_rows.put_rows", arrays, keys.size)
            entry_wise(on, "fill_rows.move_on", [by_row, begins], keys.size)
    return made


def stretches(first: DeviceArray, num_entries: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield rows that together have about as many entries as a piece: from, to, and entries.

    A row is never cut, so a stretch is at most as long as a piece and the longest row.
    """
    on, num_rows = first.device, first.size - 1
    begins = range(0, num_entries, PIECE_ARCS)
    found = empty(on, len(begins), index_dtype(num_rows))
    for k, begin in enumerate(begins):
        entry_wise(on, "fill_rows.spread_from", [first, found[k : k + 1]], begin, num_rows, 1)
    rows = [*found.tolist(), num_rows]
    bounds = [*gathered(first, found).tolist(), num_entries]
    for (row, end), (begin, upto) in zip(*map(itertools.pairwise, (rows, bounds)), strict=True):
        if upto > begin:
            yield row, end, begin, upto


def sort_rows(
    first: DeviceArray, senders: DeviceArray, num_senders: int, place: DeviceArray | None
) -> None:
    """Sort the senders of every row, and put their places there instead, if these are given."""
    on = first.device
    for row, end, begin, upto in stretches(first, senders.size):
        count, dtype = upto - begin, index_dtype(upto - begin)
        own, rows = senders[begin:upto], empty(on, count, index_dtype(end - row))
        numbers = begin, end - row, count
        entry_wise(on, "fill_rows.spread_from", [first[row : end + 1], rows], *numbers)
        order, ascending = sorted_places(own, num_senders, dtype)
        rows = gathered(rows, order)
        order = sorted_places(rows, end - row, dtype, keeps_keys=False)[0]
        if place is not None:
            ascending = gathered(place, ascending)
        entry_wise(on, "moves.gather", [ascending, order, own], count)


class Held:
    """Which vertices a part holds, as a GPU takes the arcs to them out of edges.

    Parameters
    ----------
    on : Device
        Where.
    held : bool[num_vertices]
        To which vertices arcs are taken.
    """

    def __init__(self, on: Device, held: NDArray[np.bool_]) -> None:
        self.on, self.held = on, from_host(on, held.view(np.uint8))

    def arcs(
        self, senders: DeviceArray, receivers: DeviceArray, skips_loops: bool
    ) -> tuple[DeviceArray, DeviceArray]:
        """Return those of some arcs that lead to what is held; waits until they are counted."""
        on, count = self.on, senders.size
        num_chunks = -(-count // CHUNK)
        sums = zeros(on, num_chunks + 1, np.dtype(np.int64))
        cut = int(skips_loops), CHUNK, num_chunks, count
        ends = [senders, receivers, self.held]
        entry_wise(on, "fill_rows.count_held", [*ends, sums], *cut)
        add_up(sums)
        number = int(sums[num_chunks:].numpy()[0])
        own = [empty(on, number, each.dtype) for each in (senders, receivers)]
        entry_wise(on, "fill_rows.take_held", [*ends, sums, *own], *cut)
        return own[0], own[1]


def senders_to(
    on: Device, pieces: Iterable[tuple[DeviceArray, DeviceArray]], held: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return who has an arc to a vertex that is held, of arcs that come in pieces."""
    holds = from_host(on, held.view(np.uint8))
    flags = zeros(on, len(held), np.dtype(np.bool_))
    for senders, receivers in pieces:
        arrays = [senders, receivers, holds, bits(flags)]
        entry_wise(on, "fill_rows.flag_senders", arrays, senders.size)
    return flags.numpy()
