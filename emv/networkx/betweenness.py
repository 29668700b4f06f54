"""Functions of ``networkx.algorithms.centrality``: betweenness, exact and from samples."""

from __future__ import annotations

from typing import Any

from emv import algorithms
from emv.networkx.calls import looks_at, no_function, no_multigraph, serves
from emv.networkx.graphs import BackendGraph, computed
from emv.networkx.paths import positive_lengths


def _sources(G: BackendGraph, k: int | None, seed: Any) -> list[int] | None:
    """Return the vertices that networkx would draw; None for all."""
    if k is None or k == len(G):
        return None
    return [G.id_of[node] for node in seed.sample(list(G), k)]


def _pairs(G: BackendGraph, count: int) -> float:
    """Return what a score counts that was divided by the ordered pairs of so many vertices.

    Programs normalize, which one variant of them does; others are scaled here.
    """
    return count * (count - 1) / (1 if G.is_directed() else 2) if count > 1 else 1.0


@looks_at("k")
def _no_sources(arguments: dict[str, Any]) -> str | None:
    return "no sources: networkx divides by zero" if arguments["k"] == 0 else None


@serves(no_multigraph, no_function("weight"), _no_sources)
def betweenness_centrality(
    G: BackendGraph,
    k: int | None = None,
    normalized: bool = True,
    weight: Any = None,
    endpoints: bool = False,
    seed: Any = None,
) -> dict[Any, float]:
    """Return the scores of nodes, from the sources that networkx would draw."""
    named = {
        "weight": positive_lengths(G, weight),
        "endpoints": bool(endpoints),
        "sources": _sources(G, k, seed),
    }
    scores = computed(algorithms.betweenness_centrality, G, **named)
    if not normalized:
        scores = scores * _pairs(G, len(G) - (0 if endpoints else 1))
    return G.by_node(scores)


@serves(no_multigraph, no_function("weight"), _no_sources)
def edge_betweenness_centrality(
    G: BackendGraph,
    k: int | None = None,
    normalized: bool = True,
    weight: Any = None,
    seed: Any = None,
) -> dict[Any, float]:
    """Return the scores of edges, from the sources that networkx would draw."""
    named = {"weight": positive_lengths(G, weight), "sources": _sources(G, k, seed)}
    scores = computed(algorithms.edge_betweenness_centrality, G, **named)
    if not normalized:
        scores = scores * _pairs(G, len(G))
    return dict(zip(G.ends(), scores.tolist(), strict=True))
