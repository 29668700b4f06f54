"""Other places for the arcs of a graph than row after row: by column, padded, by diagonal.

``first`` and ``other`` of compressed rows give the arcs of vertex ``v`` the positions ``first[v] +
i``, ``i < degree``. A storage gives them other places, so that threads which walk one vertex each
read neighbouring words; it keeps the order of the arcs of one vertex.

========  ========================================================================================
storage   the place of arc ``i`` of vertex ``v``
========  ========================================================================================
aa        ``first[v] + i``: the adjacency array (AA) of Medusa (Zhong & He, TPDS 2014)
caa       ``levels[i] + rank[v]``: column-major adjacency array; vertices ranked by falling degree,
          so that the owners of an i-th arc are the first ranks and no place is empty
ell       ``i * V + v``, with room for the largest degree everywhere (ELLPACK)
hybrid    ``i * V + v`` for ``i < width``, the rest row after row (Bell & Garland, SC 2009)
dia       ``d * V + v`` for the d-th diagonal, a difference of ids; not every place is taken
coo       as in ``csr``; arcs are walked with both their ends, and not by vertex
========  ========================================================================================

``hybrid`` has the largest width that a third of the vertices fill, unless one is given.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import GraphError
from emv.graph.build import spread
from emv.graph.widths import index_dtype

STORAGES = ("csr", "aa", "caa", "ell", "hybrid", "coo", "dia")
PLACED = ("caa", "ell", "hybrid", "dia")  # with places of their own

_NAME = re.compile(
    r"(?:(?P<of>edge|arc|slot)_of_)?(?P<tag>caa|ell|hybrid\d*|dia)_(?P<side>in|out)"
    r"(?:_(?P<part>\w+))?"
)


def storage_order(tag: str, side: str) -> str:
    """Return what the order of arcs in a storage is called, of out-rows or of in-rows.

    Examples
    --------
    >>> storage_order("caa", "in"), storage_order("aa", "out"), storage_order("hybrid8", "in")
    ('caa_in', 'arc', 'hybrid8_in')
    """
    if tag.rstrip("0123456789") in PLACED:
        return f"{tag}_{side}"
    return "arc" if side == "out" else "slot"


def split_name(name: str) -> tuple[str, str, str, str] | None:
    """Return what a kernel's name of an array means: what it tells of, storage, side and part.

    Examples
    --------
    >>> split_name("caa_in_other"), split_name("edge_of_ell_out"), split_name("first_in")
    (('', 'caa', 'in', 'other'), ('edge', 'ell', 'out', ''), None)
    """
    match = _NAME.fullmatch(name)
    if match is None or not (match["of"] or match["part"]):
        return None
    return match["of"] or "", match["tag"], match["side"], match["part"] or ""


def split_order(order: str) -> tuple[str, str] | None:
    """Return the storage and the side of an order; None for the orders of compressed rows.

    Examples
    --------
    >>> split_order("caa_in"), split_order("arc")
    (('caa', 'in'), None)
    """
    tag, _, side = order.rpartition("_")
    return (tag, side) if tag.rstrip("0123456789") in PLACED else None


def placing_bytes(num_vertices: int, num_arcs: int) -> int:
    """Return at most how many bytes finding the places of all arcs takes for a while."""
    return 40 * num_arcs + 32 * num_vertices


class RowStorage:
    """The rows of one side of a graph in one storage.

    Parameters
    ----------
    tag : str
        One of `PLACED`; ``hybrid`` with its width, if one is given: ``hybrid16``.
    side : {"out", "in"}
        Whose rows.
    first : uint32|uint64[num_vertices + 1]
        Where compressed rows begin.
    other : callable
        Returns what stands in them, uint32|uint64[num_arcs].

    Examples
    --------
    >>> first, other = np.array([0, 1, 3, 3], np.uint32), np.array([2, 0, 2], np.uint32)
    >>> rows = RowStorage("caa", "out", first, lambda: other)
    >>> rows.part("order"), rows.part("levels"), rows.part("other")
    (array([1, 0, 2], dtype=uint32), array([0, 2, 3], dtype=uint32), \
array([0, 2, 2], dtype=uint32))
    """

    def __init__(
        self, tag: str, side: str, first: NDArray[Any], other: Callable[[], NDArray[Any]]
    ) -> None:
        self.tag, self.side = tag, side
        self.name = tag.rstrip("0123456789")
        self.first, self._other = first, other
        self.num_vertices = len(first) - 1
        self.num_arcs = int(first[-1])
        self._parts: dict[str, NDArray[Any]] = {}

    @property
    def other(self) -> NDArray[Any]:
        """What stands in the compressed rows."""
        return self._other()

    # How much there is.

    @cached_property
    def degrees(self) -> NDArray[Any]:
        """Arcs of each vertex, int64[num_vertices]."""
        return np.diff(self.first.astype(np.int64))

    @cached_property
    def owners(self) -> NDArray[Any]:
        """How many vertices own an i-th arc, int64[largest degree]."""
        below = np.cumsum(np.bincount(self.degrees, minlength=1))
        return self.num_vertices - below[:-1]

    @cached_property
    def width(self) -> int:
        """Columns of the padded part, or diagonals."""
        if self.name == "dia":
            return len(self.diagonals)
        if self.name == "hybrid":
            asked = self.tag.removeprefix("hybrid")
            return int(asked) if asked else int((3 * self.owners >= self.num_vertices).sum())
        return len(self.owners)

    @cached_property
    def diagonals(self) -> NDArray[Any]:
        """The differences of ids that occur, int64; in the order in which rows have them.

        Raises
        ------
        GraphError
            If an arc occurs twice, or rows are not in the order of ids.
        """
        rows = spread(self.first, index_dtype(self.num_vertices)).astype(np.int64)
        steps = self.other.astype(np.int64) - rows
        starts = self.first[1:-1][self.degrees[1:] > 0].astype(np.int64)
        rises = np.diff(steps, prepend=np.int64(-(2**62))) > 0
        rises[starts[starts < len(steps)]] = True
        if not rises.all():
            arc = int(np.flatnonzero(~rises)[0])
            raise GraphError(
                f"diagonal storage takes arcs in the order of ids, each once; vertex {rows[arc]} "
                f"has {self.other[arc - 1]} before {self.other[arc]}",
                remedy="prepared(dedup='first') drops repeats; add edges in the order of ids.",
            )
        return np.flatnonzero(np.bincount(steps + self.num_vertices)) - self.num_vertices

    @cached_property
    def num_places(self) -> int:
        """Places for arcs, empty ones included."""
        if self.name == "caa":
            return self.num_arcs
        padded = self.num_vertices * self.width
        if self.name == "hybrid":
            return padded + int(np.maximum(self.degrees - self.width, 0).sum())
        return padded

    def nbytes(self, part: str) -> int:
        """Return the bytes of a part, without building it."""
        vertex = index_dtype(self.num_vertices).itemsize
        arc = index_dtype(self.num_arcs).itemsize
        sizes = {
            "other": self.num_places * vertex,
            "order": self.num_vertices * vertex,
            "rank": self.num_vertices * vertex,
            "levels": (self.width + 1) * self._place_dtype.itemsize,
            "tail": self.num_vertices * self._place_dtype.itemsize,
            "steps": self.width * 8,
            "present": self.num_places,
            "width": 8,
        }
        return int(sizes.get(part, self.num_places * arc))

    def is_built(self, part: str) -> bool:
        """Return whether a part is there."""
        return part in self._parts

    # What there is.

    def part(self, name: str) -> NDArray[Any]:
        """Return an array of the storage.

        Parameters
        ----------
        name : str
            ``other`` (the vertex at the other end, by place), ``width``, and ``order``, ``rank``
            and ``levels`` of caa, ``tail`` of hybrid, ``steps`` and ``present`` of dia.
        """
        if name not in self._parts:
            self._parts[name] = getattr(self, f"_build_{name}")()
        return self._parts[name]

    def placed(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return values of the arcs, in the order of the rows, at their places; 0 elsewhere."""
        at_place = np.zeros(self.num_places, values.dtype)
        at_place[self.places] = values
        return at_place

    @property
    def places(self) -> NDArray[Any]:
        """The place of each arc, int64[num_arcs]."""
        rows = spread(self.first, np.dtype(np.int64))
        places: NDArray[Any]
        if self.name == "dia":
            diagonals = np.searchsorted(self.diagonals, self.other.astype(np.int64) - rows)
            places = self.num_vertices * diagonals + rows
            return places
        columns = np.arange(len(rows)) - self.first.astype(np.int64)[rows]
        places = columns * self.num_vertices + rows
        if self.name == "caa":
            places = self.part("levels").astype(np.int64)[columns] + self.part("rank")[rows]
        elif self.name == "hybrid":
            rest = self.part("tail").astype(np.int64)[rows] + columns
            places = np.where(columns < self.width, places, rest)
        return places

    @property
    def _place_dtype(self) -> np.dtype[Any]:
        return index_dtype(self.num_places)

    def _build_other(self) -> NDArray[Any]:
        return self.placed(self.other)

    def _build_width(self) -> NDArray[Any]:
        return np.array([self.width], np.int64)

    def _build_order(self) -> NDArray[Any]:
        order = np.argsort(-self.degrees, kind="stable")
        return order.astype(index_dtype(self.num_vertices))

    def _build_rank(self) -> NDArray[Any]:
        order = self.part("order")
        rank = np.empty(len(order), order.dtype)
        rank[order] = np.arange(len(order), dtype=order.dtype)
        return rank

    def _build_levels(self) -> NDArray[Any]:
        levels = np.zeros(self.width + 1, self._place_dtype)
        np.cumsum(self.owners, out=levels[1:])
        return levels

    def _build_tail(self) -> NDArray[Any]:
        over = np.maximum(self.degrees - self.width, 0)
        begins: NDArray[Any] = np.cumsum(over) - over + (self.num_vertices - 1) * self.width
        return begins.astype(self._place_dtype)

    def _build_steps(self) -> NDArray[Any]:
        return self.diagonals

    def _build_present(self) -> NDArray[Any]:
        return self.placed(np.ones(self.num_arcs, np.uint8))
