"""Functions of ``networkx.algorithms.community``: another partition than networkx', as good.

networkx takes nodes one after the other in an order that it draws; emv moves many at once. So it is
run where it is asked for by name, never because emv has priority.
"""

from __future__ import annotations

from typing import Any

from emv import algorithms
from emv.errors import ArgumentError
from emv.networkx.calls import no_arcs, only, serves
from emv.networkx.components import nodes_by_label
from emv.networkx.graphs import BackendGraph
from emv.networkx.versions import is_from


@serves(no_arcs)
def louvain_communities(
    G: BackendGraph,
    weight: Any = "weight",
    resolution: float = 1,
    threshold: float = 1e-07,
    max_level: int | None = None,
    seed: Any = None,
) -> list[set[Any]]:
    """Return communities of high modularity, drawn from the seed, but others than networkx'."""
    if max_level is not None and max_level <= 0:
        raise ValueError("max_level argument must be a positive integer or None")
    if not G.arrays.num_edges:
        return [{node} for node in G]
    draws = 0 if seed is None else seed.getrandbits(31)
    weights = G.column(weight)
    try:
        found, _ = algorithms.louvain(G.arrays, weights, resolution, threshold, max_level, draws)
    except ArgumentError as error:
        raise NotImplementedError(str(error)) from None
    return list(nodes_by_label(G, found))


MODULARITY = "modularity"


def _another_share(arguments: dict[str, Any]) -> str | None:
    return None if arguments["theta"] == 0.01 else "theta=: emv draws by modularity alone"


@serves(
    no_arcs,
    only("max_level", None, why="levels are as many as there are"),
    only("metric", MODULARITY, why="emv measures by modularity"),
    _another_share,
)
def leiden_communities(
    G: BackendGraph,
    weight: Any = "weight",
    resolution: float = 1,
    max_level: int | None = None,
    seed: Any = None,
    metric: str = "cpm" if is_from(3, 7) else MODULARITY,
    theta: float = 0.01,
) -> list[set[Any]]:
    """Return communities of high modularity, each of which hangs together, from other draws."""
    if not G.arrays.num_edges:
        return [{node} for node in G]
    draws = 0 if seed is None else seed.getrandbits(31)
    try:
        found, _ = algorithms.leiden(G.arrays, G.column(weight), resolution, rng=draws)
    except ArgumentError as error:
        raise NotImplementedError(str(error)) from None
    return list(nodes_by_label(G, found))
