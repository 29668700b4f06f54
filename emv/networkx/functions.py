"""Loads every module of functions, which note themselves in `FUNCTIONS`.

Apart from the backend's own module, of which networkx takes every name for a function.
"""

from emv.networkx import (
    betweenness,
    centrality,
    cluster,
    components,
    core,
    distances,
    order,
    paths,
    subgraphs,
    trees,
)
from emv.networkx.calls import FUNCTIONS

__all__ = [
    "FUNCTIONS",
    "betweenness",
    "centrality",
    "cluster",
    "components",
    "core",
    "distances",
    "order",
    "paths",
    "subgraphs",
    "trees",
]
