"""Loads every module of functions, which note themselves in `FUNCTIONS`.

Apart from the backend's own module, of which networkx takes every name for a function.
"""

from emv.networkx import (
    betweenness,
    centrality,
    changed,
    cluster,
    community,
    components,
    core,
    degrees,
    distances,
    made,
    matrices,
    operators,
    order,
    paths,
    routes,
    subgraphs,
    traversal,
    trees,
)
from emv.networkx.calls import FUNCTIONS

__all__ = [
    "FUNCTIONS",
    "betweenness",
    "centrality",
    "changed",
    "cluster",
    "community",
    "components",
    "core",
    "degrees",
    "distances",
    "made",
    "matrices",
    "operators",
    "order",
    "paths",
    "routes",
    "subgraphs",
    "traversal",
    "trees",
]
