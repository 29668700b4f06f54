"""Where cores keep one value of each sender, so that those that are read most share cache lines.

A pull reads a value for every in-arc, mostly of a few vertices with many out-arcs. Where these
stand anywhere among all, each takes a line of a core's cache and uses one entry of it. So values
are kept in the order of out-degrees instead, and arcs name their senders by their places in it
(degree sorting, as in Balaji and Lucia, IISWC 2018). Rows and the order of arcs stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.config import config
from emv.graph.gather import gather_positions, is_skewed

MANY = 2**17  # vertices whose values leave a core's nearest caches


@dataclass(frozen=True)
class SenderPlaces:
    """The places of senders.

    Attributes
    ----------
    of_vertex : uint32|uint64[num_vertices]
        Of each vertex; no entries where all stay where they are.
    of_slot : uint32|uint64[num_arcs]
        Of the sender of each in-arc.
    """

    of_vertex: NDArray[Any]
    of_slot: NDArray[Any]


def sender_places(out_first: NDArray[Any], senders: NDArray[Any], many: int = MANY) -> SenderPlaces:
    """Return the places, by out-degree where some vertices have very many out-arcs.

    Parameters
    ----------
    out_first : uint32|uint64[num_vertices + 1]
        Where each vertex's out-arcs begin.
    senders : uint32|uint64[num_arcs]
        The sender of each in-arc.
    many : int
        Vertices from which another order is worth making.

    Examples
    --------
    >>> first, senders = np.array([0, 1, 4, 5, 9], np.uint32), np.array([3, 1, 0], np.uint32)
    >>> places = sender_places(first, senders, many=4)
    >>> places.of_vertex, places.of_slot
    (array([2, 1, 3, 0], dtype=uint32), array([0, 1, 2], dtype=uint32))
    >>> len(sender_places(first, senders).of_vertex)
    0
    """
    if len(out_first) <= many or not is_skewed(out_first):
        return SenderPlaces(np.empty(0, senders.dtype), senders)
    places = gather_positions(out_first, senders.dtype)
    from emv_kernels.cpu import merge

    return SenderPlaces(places, merge.taken(places, senders, config.num_threads))
