"""Where messages stand on cores: those that many arcs read lie close together.

A pull reads a message of every in-arc, most of them of few senders where graphs are skewed. Senders
are grouped by out-degree, those with the most first, and stand by their ids within a group: so what
is read most stays in the caches, and yet a thread that writes the messages of vertices in a row
writes a stretch of each group (degree-based grouping: Faldu, Diamond, Grot, IISWC 2019). In the
order of degrees alone every message is written to a line of its own, which threads take from each
other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

MANY = 2**18  # messages that no second cache holds beside what else is read
DENSE = 8  # arcs of a vertex, in the mean, from which reading them takes longer than all else
LIMITS = (32, 16, 8, 4, 2, 1, 0.5)  # least out-degrees of the groups but the last, in means


def are_grouped(num_vertices: int, num_arcs: int) -> bool:
    """Return whether messages are grouped, which the counts alone decide."""
    return num_vertices >= MANY and num_arcs >= DENSE * num_vertices


def grouped_places(first: NDArray[Any], id_dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return where each vertex stands when they are grouped by out-degree.

    Parameters
    ----------
    first : uint32|uint64[num_vertices + 1]
        Where each vertex's out-arcs begin.
    id_dtype : dtype
        Of the result, one per vertex.

    Examples
    --------
    >>> grouped_places(np.array([0, 1, 4, 5, 17], np.uint32), np.dtype("uint32"))
    array([2, 1, 3, 0], dtype=uint32)
    """
    degrees = np.diff(first)
    group = np.zeros(len(degrees), np.uint8)
    for limit in LIMITS:
        group += degrees < limit * int(first[-1]) / len(degrees)
    places = np.empty(len(degrees), id_dtype)
    places[np.argsort(group, kind="stable")] = np.arange(len(degrees), dtype=id_dtype)
    return places
