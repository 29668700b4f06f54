"""Arguments with which every registered algorithm can run, told by the names of its parameters.

A page that is registered is in every test of "every algorithm" without a line in any of them.
"""

from __future__ import annotations

import inspect
from typing import Any

from emv.algorithms import ALGORITHMS

MEANT = {"source": 0, "seeds": [0], "sources": [0], "radius": 2, "k": 2, "side": 0}
"""What parameters without a default get."""


def named_arguments(name: str) -> dict[str, Any]:
    """Return the arguments of an algorithm by name; those with a default are left out."""
    parameters = list(inspect.signature(ALGORITHMS[name].python).parameters.values())[1:]
    return {each.name: MEANT[each.name] for each in parameters if each.default is each.empty}


ARGUMENTS = {name: tuple(named_arguments(name).values()) for name in ALGORITHMS}
"""The arguments of every algorithm by position."""

FEW_STEPS = {
    "betweenness_centrality": (None, True, None, False, [0, 5]),
    "edge_betweenness_centrality": (None, True, None, [0, 5]),
    "eigenvector_centrality": (4,),
    "hits": (4,),
    "katz_centrality": (0.1, 1.0, 4),
    "pagerank": (0.5, 1e-2),
}
"""Arguments with which algorithms end after few supersteps, as a simulator takes seconds each."""

MANY_CASES = ("bfs", "boruvka", "icm", "components", "pagerank", "sssp")
"""Algorithms whose kernels are of every kind, for tests of many cases each."""
