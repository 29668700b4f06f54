"""Rows of more arcs than a GPU could sort at one time, filled piece by piece.

Arcs come in pieces, twice. The first time the entries of each row are counted, and added up to
where rows begin. The second time every piece is sorted stably by its rows, and put behind what
earlier pieces have put there: a counting sort by pieces, whose result is that of one stable sort of
all. Besides the rows it takes what a sort of one piece takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from emv.backends.cuda.array import DeviceArray, empty, from_host
from emv.backends.cuda.device import Device
from emv.backends.cuda.marks import zeros
from emv.backends.cuda.sorting import add_up, bits, entry_wise, sorted_places
from emv.graph.widths import index_dtype

PIECE_ARCS = 2**26
"""Entries that are sorted at one time."""
CHUNK = 1024
"""Edges of which a warp takes those that lead to a part, one behind the other."""

Pieces = Callable[[], Iterable[tuple[DeviceArray, ...]]]
"""Gives what is sorted, piece by piece: keys, which are rows, and values of each entry."""


def row_starts(
    on: Device,
    pieces: Iterable[tuple[DeviceArray, DeviceArray, bool]],
    num_rows: int,
    dtype: np.dtype,
    ahead: int = 0,
) -> DeviceArray:
    """Return where rows begin, so many places ahead: ``first[ahead + row]``.

    Parameters
    ----------
    pieces : iterable
        Gives the rows of entries, others, and whether entries where both are the same are left out.
    ahead : {0, 1}
        With 1 rows that are filled from there on move these places to where the next rows begin.
    """
    first = zeros(on, num_rows + 1, dtype)
    for keys, others, skips in pieces:
        entry_wise(on, "fill_rows.count_rows", [keys, others, first], ahead, int(skips), keys.size)
    add_up(first)
    return first


def filled(
    on: Device, pieces: Pieces, num_rows: int, num_entries: int, arc: np.dtype, *made: np.dtype
) -> tuple[DeviceArray, ...]:
    """Return where rows begin, and the values of all entries row by row, in the order they come.

    Parameters
    ----------
    pieces : callable
        Asked twice; it gives keys below `num_rows` and as many arrays of values as are made.
    num_rows, num_entries : int
        Rows, and entries of all pieces.
    arc : dtype
        Of where rows begin.
    *made : dtype
        Of each array of values.
    """
    keys_alone = ((keys, keys, False) for keys, *_ in pieces())
    first = row_starts(on, keys_alone, num_rows, arc, ahead=1)
    rows = [empty(on, num_entries, dtype) for dtype in made]
    for keys, *values in pieces():
        if keys.size:
            order, by_row = sorted_places(bits(keys), num_rows, index_dtype(keys.size))
            for own, given in zip(rows, values, strict=True):
                arrays = [by_row, order, first, given, own]
                entry_wise(on, "fill_rows.put_rows", arrays, keys.size)
            entry_wise(on, "fill_rows.move_on", [by_row, first], keys.size)
    return first, *rows


def slots_of(
    first: DeviceArray, other: DeviceArray, vertex: np.dtype
) -> Iterator[tuple[DeviceArray, DeviceArray]]:
    """Yield receivers and senders of the arcs of rows, in their order."""
    on = first.device
    for begin in range(0, other.size, PIECE_ARCS):
        count = min(PIECE_ARCS, other.size - begin)
        senders = empty(on, count, vertex)
        numbers = begin, first.size - 1, count
        entry_wise(on, "fill_rows.spread_from", [first, senders], *numbers)
        yield other.view(begin, count, other.dtype), senders


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
