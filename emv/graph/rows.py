"""Compressed rows, as the layouts of a graph give them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray


@dataclass(frozen=True)
class Rows:
    """Compressed rows: the neighbours of vertex ``v`` are ``other[first[v]:first[v + 1]]``.

    Attributes
    ----------
    first : uint32|uint64[num_vertices + 1]
        Where each vertex's row begins; ``first[-1] == num_arcs``.
    other : uint32|uint64[num_arcs]
        The vertex at the other end: the receiver in out-rows, the sender in in-rows.
    edge : uint32|uint64[num_arcs] or None
        The edge at each position; None when it is the position. Built when first read.
    """

    first: NDArray[Any]
    other: NDArray[Any]
    _edge: Callable[[], NDArray[Any] | None]

    @property
    def edge(self) -> NDArray[Any] | None:
        """The edge at each position; None when it is the position."""
        return self._edge()
