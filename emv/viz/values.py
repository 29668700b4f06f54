"""What colours and sizes tell: a number or a word for each vertex, and the scale it is seen on.

Truth values, texts, few different whole numbers and the groups that algorithms find are kinds, each
of a colour; other numbers lie on a scale from the least to the most, which counts in magnitudes
where few are far above the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emv.algorithms import ALGORITHMS
from emv.errors import ArgumentError, did_you_mean
from emv.graph import Graph
from emv.graph.on_device import on_host
from emv.runtime.run import Run

MOST_KINDS = 10  # that have a colour of their own; of more, the most frequent
SKEWED = 20.0  # the most over the middle, from which magnitudes are shown
OTHERS = "others"
GROUPS = "components label_propagation louvain strongly_connected_components".split()
KINDS = "#4e79a7 #f28e2b #59a14f #e15759 #76b7b2 #b07aa1 #edc948 #ff9da7 #9c755f #8a8f98".split()
RAMPS = {  # from the least to the most, which stands out most from the ground
    "light": "#b4c4d8 #6fa3d0 #2f73b5 #6b3a9b #c2185b".split(),
    "dark": "#3d4c66 #3f7fbf #4fb3d4 #b9dd77 #ffe45c".split(),
}


@dataclass(frozen=True)
class Values:
    """A number for each vertex, and how it is shown.

    Attributes
    ----------
    name : str
        What it is.
    numbers : float32[num_vertices]
        The values; of kinds, the number of each vertex's kind. NaN where there is none.
    kinds : tuple of str
        What the kinds are called; none of values on a scale.
    low, high : float
        The ends of the scale.
    is_log : bool
        Whether the scale counts in magnitudes.
    """

    name: str
    numbers: NDArray[np.float32]
    kinds: tuple[str, ...] = ()
    low: float = 0.0
    high: float = 1.0
    is_log: bool = False

    def shares(self) -> NDArray[np.float64]:
        """Return where the values lie on their scale, from 0 to 1; NaN where there is none."""
        low, high, numbers = self.low, self.high, self.numbers.astype(np.float64)
        if self.is_log:
            low, high = np.log(low), np.log(high)
            numbers = np.log(np.maximum(numbers, self.low))
        width = high - low or 1.0
        return np.clip((numbers - low) / width, 0.0, 1.0)


def values_of(graph: Graph, given: str | ArrayLike | Run, name: str = "value") -> Values:
    """Return what a result, a column or an algorithm says of each vertex.

    Parameters
    ----------
    given : str, array or Run
        The name of a column of vertices, or else of an algorithm that wants nothing but the graph;
        a value for each vertex; or a run whose result is one.
    name : str
        What an array is called.

    Raises
    ------
    ArgumentError
        If there is no such column or algorithm, or not a value for each vertex.

    Examples
    --------
    >>> from emv import Graph
    >>> g = Graph.from_edges([0, 1], [1, 2])
    >>> values_of(g, [True, False, True]).kinds
    ('False', 'True')
    >>> values_of(g, [0.5, 1.0, 2.0], "weight").shares().round(2)
    array([0.  , 0.33, 1.  ])
    """
    if isinstance(given, str):
        name, given = given, _named(graph, given)
    elif isinstance(given, Run):
        name, given = given.program, given.result
    array = on_host(given)
    if array.shape != (graph.num_vertices,):
        raise ArgumentError(
            f"{name} has the shape {array.shape}, but there are {graph.num_vertices:,} vertices",
            remedy="Give one value for each vertex, in the order of their ids.",
        )
    if array.dtype.kind in "bUSOT":
        return _kinds(name, array)
    if array.dtype.kind in "iu" and _are_kinds(array, name):
        labels = graph.labels if name in GROUPS else None
        return _kinds(name, array if labels is None else labels[array])
    if array.dtype.kind not in "iuf":
        raise ArgumentError(f"{name} are of {array.dtype}", remedy="Give numbers or texts.")
    return _scale(name, array.astype(np.float32))


def _named(graph: Graph, name: str) -> Any:
    """Return a column, or what an algorithm gives."""
    if name in graph.vertices:
        return graph.vertices[name]
    if name in ALGORITHMS:
        return ALGORITHMS[name].run(graph).result
    there = [*graph.vertices, *ALGORITHMS]
    raise ArgumentError(
        f"there is no column of vertices and no algorithm {name!r}.{did_you_mean(name, there)}",
        remedy="Name one, or give a value for each vertex.",
    )


def _are_kinds(array: NDArray[Any], name: str) -> bool:
    """Return whether whole numbers tell apart: groups, each of which may be called as a member."""
    found, count = np.unique(array), len(array)
    if name in GROUPS or len(found) <= MOST_KINDS:
        return True
    if found[0] < 0 or found[-1] >= count or len(found) > count // 2:
        return False
    return bool((array[found] == found).all())


def _kinds(name: str, array: NDArray[Any]) -> Values:
    """Return kinds, in their order; the rare ones of many are one."""
    found, numbers, counts = np.unique(
        array.astype(str) if array.dtype.kind in "SO" else array,
        return_inverse=True,
        return_counts=True,
    )
    names = [str(each) for each in found]
    if len(names) > MOST_KINDS:
        kept = np.sort(np.argsort(-counts, kind="stable")[: MOST_KINDS - 1])
        place = np.full(len(names), len(kept))
        place[kept] = np.arange(len(kept))
        numbers, names = place[numbers], [*(names[each] for each in kept), OTHERS]
    return Values(name, numbers.reshape(-1).astype(np.float32), tuple(names))


def _scale(name: str, numbers: NDArray[np.float32]) -> Values:
    """Return values on a scale of those that are finite."""
    finite = np.isfinite(numbers)
    if not finite.any():
        return Values(name, np.full_like(numbers, np.nan))
    seen = numbers[finite]
    low, middle, high = float(seen.min()), float(np.median(seen)), float(seen.max())
    is_log = low > 0 and high > SKEWED * middle
    shown = np.where(finite, numbers, np.float32(np.nan))
    return Values(name, shown, (), low, high, is_log)
