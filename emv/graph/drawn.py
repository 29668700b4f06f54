"""Edges that are described and not held: whoever needs them draws them, block by block.

An edge of some generators is a function of its number (docs/design/generators.md). So a graph of
more edges than a host or a GPU can hold is its description: each part draws all edges in turn, on
its own GPU, and keeps the arcs to its own vertices. What asks for the ends of all edges on the host
is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from emv.device import Device, DeviceArray, device_named
from emv.errors import GraphError
from emv.graph.growing_array import GrowingArray
from emv.graph.pieces import for_pieces
from emv.graph.ranges import LateArray
from emv.graph.widths import index_dtype, public_dtype

DRAWN_TOGETHER = 2**26
"""Edges of a block, which lies on a GPU as a whole."""

Arcs = tuple[DeviceArray, DeviceArray, bool]
"""Senders, receivers, and whether those that are the same are no arcs: ways back of loops."""


@dataclass(frozen=True)
class Drawing:
    """Edges that are drawn where they are needed.

    Attributes
    ----------
    kernel : str
        What draws them, a name of `emv_kernels.cuda.generate`.
    num_vertices, num_edges : int
        Vertices, and edges.
    told : tuple of numbers
        What the kernel is told besides their number.
    place : str
        The GPU that draws what all parts ask: degrees, and who has arcs to a part.
    """

    kernel: str
    num_vertices: int
    num_edges: int
    told: tuple[Any, ...]
    place: str

    def blocks(self, on: Device) -> Iterator[tuple[DeviceArray, DeviceArray]]:
        """Yield the ends of all edges, block by block, in their order, on a device."""
        dtypes = [public_dtype(self.num_vertices)] * 2
        for first in range(0, self.num_edges, DRAWN_TOGETHER):
            count = min(DRAWN_TOGETHER, self.num_edges - first)
            src, dst = on.draw(self.kernel, dtypes, [(count, self.told)], first)
            yield src, dst

    def arcs(self, on: Device, directed: bool) -> Iterator[Arcs]:
        """Yield all arcs: those along the edges, then the ways back of undirected ones."""
        for src, dst in self.blocks(on):
            yield src, dst, False
        for src, dst in () if directed else self.blocks(on):
            yield dst, src, True

    def both_ways(self, on: Device, directed: bool) -> Iterator[Arcs]:
        """Yield all arcs in another order, for which edges are drawn once."""
        for src, dst in self.blocks(on):
            yield src, dst, False
            if not directed:
                yield dst, src, True

    def whole(self, on: Device) -> tuple[DeviceArray, DeviceArray]:
        """Return the ends of all edges on a device, which holds them then."""
        dtypes = [public_dtype(self.num_vertices)] * 2
        src, dst = on.draw(self.kernel, dtypes, [(self.num_edges, self.told)])
        return src, dst

    def starts(self, way: str, directed: bool, num_vertices: int) -> NDArray[Any]:
        """Return where vertices' arcs begin, ``out`` or ``in``, uint32|uint64[num_vertices + 1]."""
        on = device_named(self.place)
        dtype = index_dtype(self.num_edges if directed else 2 * self.num_edges)
        arcs, rows = self.both_ways(on, directed), way == "in"
        ways = ((each[rows], each[not rows], each[2]) for each in arcs)
        found: NDArray[Any] = on.row_starts(ways, num_vertices, dtype).numpy()
        return found

    def senders_to(self, held: NDArray[np.bool_], directed: bool) -> NDArray[np.bool_]:
        """Return which vertices have an arc to one of some, bool[num_vertices]."""
        on = device_named(self.place)
        return on.senders_to(((arcs[0], arcs[1]) for arcs in self.both_ways(on, directed)), held)


class DrawnArray(LateArray):
    """One end of all edges of a drawing, in the place of an array that is held.

    Parameters
    ----------
    drawing : Drawing
        Which edges.
    """

    __slots__ = ("drawing",)

    def __init__(self, drawing: Drawing) -> None:
        self.drawing = drawing

    def __len__(self) -> int:
        return self.drawing.num_edges

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the ids."""
        return public_dtype(self.drawing.num_vertices)

    def read(self) -> NoReturn:
        """Refuse to hold all edges on the host.

        Raises
        ------
        GraphError
            Always.
        """
        raise GraphError(
            f"the {self.drawing.num_edges:,} edges of this graph are drawn where they are needed, "
            "and nobody holds them on the host",
            remedy="Run it on GPUs, by programs that need the arcs to a part's own vertices alone "
            "(explain says which do), or make it with held=True.",
        )

    def grown(self) -> GrowingArray:
        """Refuse, as `read` does."""
        self.read()


class DrawnArcs:
    """The arcs to some of the vertices of a graph whose edges are drawn.

    Parameters
    ----------
    drawing : Drawing
        The edges.
    held : bool[num_vertices]
        To which vertices.
    directed : bool
        Whether an edge has one arc; else it has one each way, and a loop one.
    num_arcs, longest : int
        How many there are, and how many to one vertex at most.
    """

    def __init__(
        self,
        drawing: Drawing,
        held: NDArray[np.bool_],
        directed: bool,
        num_arcs: int,
        longest: int,
    ) -> None:
        self.drawing, self.held, self.directed, self.longest = drawing, held, directed, longest
        self.num_arcs = self.num_edges = num_arcs  # nobody asks which edge an arc is of

    @classmethod
    def of(cls, whole: Any, held: NDArray[np.bool_]) -> Self:
        """Return the arcs of a graph's layouts to some vertices, counted by the rows that begin."""
        first, bounds = whole.array("in_first"), bounds_of(held)
        upto = first[bounds].astype(np.int64)
        num_arcs = int((upto[1::2] - upto[::2]).sum())

        def most(piece: slice) -> int:
            degrees = np.diff(first[piece.start : piece.stop + 1])
            return int(degrees.max(initial=0, where=held[piece]))

        longest = max(for_pieces(most, len(held)), default=0)
        return cls(whole.ends.drawing, held, whole.directed, num_arcs, longest)

    def pieces(self, on: Device, in_order: bool) -> Iterator[tuple[DeviceArray, DeviceArray]]:
        """Yield senders and receivers of the arcs, piece by piece, on a device.

        In their order, or in another one, for which edges are drawn once.
        """
        own, drawing = on.held(self.held), self.drawing
        draw = drawing.arcs if in_order else drawing.both_ways
        for senders, receivers, skips_loops in draw(on, self.directed):
            yield own.arcs(senders, receivers, skips_loops)

    @property
    def rows(self) -> NoReturn:
        """Refuse to say which edges they are: that would take as much as to hold them."""
        DrawnArray(self.drawing).read()

    def both_ways(self, forward: Any, backward: Any) -> NoReturn:
        """Refuse to put values of edges in the order of arcs."""
        DrawnArray(self.drawing).read()


def bounds_of(held: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return where stretches of vertices that are held begin, and end, in turn.

    Examples
    --------
    >>> bounds_of(np.array([True, False, False, True]))
    array([0, 1, 3, 4])
    """
    changes = np.flatnonzero(held[1:] != held[:-1]) + 1
    begins = [0] if len(held) and held[0] else []
    ends = [len(held)] if len(held) and held[-1] else []
    return np.array([*begins, *changes.tolist(), *ends], np.int64)
