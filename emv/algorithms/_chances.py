"""What the chances of edges can be given as: a number, a column, an array, or a word of the field.

``"1/in-degree"`` is the weighted cascade, in which all arcs to a vertex share a chance of 1, and
``"trivalency"`` gives every edge 0.1, 0.01 or 0.001, by its id alone.

Kempe, Kleinberg, Tardos: Maximizing the Spread of Influence through a Social Network, KDD 2003.
Chen, Wang, Wang: Scalable Influence Maximization for Prevalent Viral Marketing, KDD 2010.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emv.algorithms._arguments import (
    Check,
    Program,
    RefusingProgram,
    is_number,
    kept_type,
    one_chance,
)
from emv.algorithms._checks import arc_numbers, edge_numbers
from emv.algorithms._lanes import ALIKE, GOLDEN, OF_DST, mixed
from emv.graph import Graph
from emv.runtime.parameters import signature_of
from emv.runtime.targets.placing import taken_there

EVENLY = "1/in-degree"
TRIVALENCY = "trivalency"
THREE = np.array([0.1, 0.01, 0.001])


def trivalency(graph: Graph) -> NDArray[np.float64]:
    """Return 0.1, 0.01 or 0.001 for every edge, float64[num_edges].

    Examples
    --------
    >>> chances = trivalency(Graph.from_edges(range(999), range(1, 1000)))
    >>> [int(np.count_nonzero(chances == each)) for each in (0.1, 0.01, 0.001)]
    [339, 344, 316]
    """
    ids: Any = np.arange(1, graph.num_edges + 1, dtype=np.uint64)  # which mix as numbers do
    which: NDArray[np.int64] = np.asarray(mixed(ids * np.uint64(GOLDEN)) % 3).astype(np.int64)
    return np.asarray(THREE[which])


def meant(graph: Graph, p: Any) -> Any:
    """Return what a program is given for chances: None where arcs to a vertex share 1 evenly."""
    if isinstance(p, str) and p == TRIVALENCY:
        return trivalency(graph)
    return None if isinstance(p, str) and p == EVENLY else p


def by_arc(graph: Graph, p: str | ArrayLike) -> NDArray[np.float64]:
    """Return the chances in the order of the arcs, float64[num_arcs]."""
    p = meant(graph, p)
    if p is None:
        dst = graph.arcs()[1]
        return 1 / np.bincount(dst, minlength=graph.num_vertices)[dst]
    return arc_numbers(graph, p, dtype=np.float64)


def for_lanes(graph: Graph, p: Any, backend: str | None = None) -> dict[str, Any]:
    """Return ``p``, ``chance`` and ``share`` of the programs of `emv.algorithms._lanes`.

    Parameters
    ----------
    backend : str, optional
        Where lot after lot will run, so that chances of edges are taken there once.
    """
    if is_number(p):
        one_chance("p", p, graph)
        return {"p": None, "chance": float(p), "share": ALIKE}
    p = meant(graph, p)
    if p is None:
        return {"p": None, "chance": 1.0, "share": OF_DST}
    chances = taken_there(graph, backend, edge_numbers(graph, p, dtype=np.float64))
    return {"p": chances, "chance": 0.0, "share": ALIKE}


class ChanceProgram(RefusingProgram):
    """A program with a parameter ``p`` that takes the words of this page.

    Its text gets None for ``"1/in-degree"``.
    """

    def _called(
        self, graph: Any, args: tuple[Any, ...], named: dict[str, Any], *rest: Any
    ) -> tuple[Any, Any]:
        try:
            bound = signature_of(self.python).bind_partial(None, *args, **named)
        except TypeError:  # which the call refuses
            return super()._called(graph, args, named, *rest)
        if isinstance(bound.arguments.get("p"), str):
            bound.arguments["p"] = meant(graph, bound.arguments["p"])
            args, named = bound.args[1:], bound.kwargs
        return super()._called(graph, args, named, *rest)


def with_chances(**checks: Check) -> Callable[[Program], Program]:
    """Return a decorator as `refusing` does, for a program that takes chances by word."""
    return lambda program: kept_type(program, ChanceProgram(program, checks))
