"""Functions of ``networkx.algorithms.centrality`` and ``link_analysis``: scores of nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from emv import algorithms
from emv.errors import ArgumentError
from emv.networkx.calls import no_function, no_multigraph, only, serves
from emv.networkx.graphs import BackendGraph, computed
from emv.networkx.paths import depths, distances, lengths
from emv.networkx.sparse import adjacency
from emv.networkx.versions import is_from

RESTART = 20
"""Products with the matrix for each restart that ARPACK counts; networkx leaves it as it is."""


def _by_vertex(G: BackendGraph, given: Mapping[Any, float] | None) -> NDArray[Any] | None:
    """Return numbers by node as an array, with 0 for nodes that have none."""
    if given is None:
        return None
    return np.array([given.get(node, 0) for node in G], np.float64)


def _weights(G: BackendGraph, weight: Any) -> NDArray[Any] | None:
    """Return the weights of the edges; None where all are 1, which a program does without.

    Raises
    ------
    NotImplementedError
        If products of them are not finite.
    """
    column = np.asarray(G.column(weight))
    with np.errstate(over="ignore"):
        size = np.square(column.astype(np.float64)).sum()
    if not np.isfinite(size):
        raise NotImplementedError(f"{weight!r} has nan, infinite weights, or such as overflow")
    return None if np.all(column == 1) else column


def _converged(G: BackendGraph, program: Any, max_iter: int, named: dict[str, Any]) -> Any:
    """Return the result of a power iteration.

    Raises
    ------
    networkx.PowerIterationFailedConvergence
        If it has not settled after so many steps.
    NotImplementedError
        If there are numbers that emv's page refuses and networkx computes with.
    """
    if max_iter < 1:
        raise nx.PowerIterationFailedConvergence(max_iter)
    try:
        run = program.attempt(G.arrays, max_iter=int(max_iter), precision="double", **named)
    except ArgumentError as error:
        raise NotImplementedError(str(error)) from None
    if run.stopped == "limit":
        raise nx.PowerIterationFailedConvergence(max_iter)
    return run.result


def _scores(G: BackendGraph, values: Any) -> dict[Any, float]:
    return G.by_node(np.asarray(values))


@serves(no_function("weight"))
def pagerank(
    G: BackendGraph,
    alpha: float = 0.85,
    personalization: Mapping[Any, float] | None = None,
    max_iter: int = 100,
    tol: float = 1e-6,
    nstart: Mapping[Any, float] | None = None,
    weight: Any = "weight",
    dangling: Mapping[Any, float] | None = None,
) -> dict[Any, float]:
    """Return ranks by power iteration, as networkx computes them."""
    if not len(G):
        return {}
    goal = _by_vertex(G, personalization)
    if goal is not None and goal.sum() == 0:
        raise ZeroDivisionError
    named = {
        "alpha": float(alpha),
        "tol": len(G) * float(tol),  # networkx's rule, in the unit of emv's
        "personalization": goal,
        "nstart": _by_vertex(G, nstart),
        "weight": _weights(G, weight),
        "dangling_weights": _by_vertex(G, dangling),
    }
    return _scores(G, _converged(G, algorithms.pagerank, max_iter, named))


_signless = only("normalized", True, why="the sign of networkx' scores is ARPACK's choice")


def is_positive(values: NDArray[Any]) -> bool:
    """Return whether no value is below 0 and one is above."""
    return bool(np.min(values, initial=0) >= 0 and np.any(values))


@serves(_signless)
def hits(
    G: BackendGraph,
    max_iter: int = 100,
    tol: float = 1e-8,
    nstart: Mapping[Any, float] | None = None,
    normalized: bool = True,
    *,
    method: str = "power_iteration" if is_from(3, 7) else "svd",
) -> tuple[dict[Any, float], dict[Any, float]]:
    """Return hubs and authorities by power iteration, to the digits of networkx' method."""
    if method not in ("power_iteration", "svd"):
        raise ValueError(f"method not supported: {method}")
    if not len(G):
        return {}, {}
    weight = _weights(G, "weight")
    start = _whole_start(G, nstart)
    if max_iter <= 0:
        raise nx.PowerIterationFailedConvergence(max_iter)
    if any(each is not None and not is_positive(each) for each in (weight, start)):
        raise NotImplementedError("emv's hits() takes no weights and no start below 0 or all 0")
    if len(G) < 2 or not G.arrays.num_edges:
        raise NotImplementedError("networkx takes no matrix of one row or without entries")
    if method == "power_iteration":
        praise = _praised(G, weight, start)
        if not is_positive(praise):
            raise NotImplementedError("nobody is praised by those that networkx starts from")
        named = {"tol": float(tol), "nstart": praise, "weight": weight}
        found = _converged(G, algorithms.hits, max_iter, named)
    else:
        found = _singular(G, max_iter, tol, {"nstart": start, "weight": weight})
    return _scores(G, found[0]), _scores(G, found[1])


def _praised(G: BackendGraph, weight: Any, hubs: Any) -> NDArray[np.float64]:
    """Return the authorities of some hubs, by default of equal ones: networkx starts from hubs."""
    A = adjacency(G, np.broadcast_to(1.0 if weight is None else weight, G.arrays.num_edges))
    found: NDArray[np.float64] = A.T @ (np.ones(len(G)) if hubs is None else hubs)
    return found


def _singular(G: BackendGraph, max_iter: int, tol: float, named: dict[str, Any]) -> Any:
    """Return hubs and authorities to the digits of ARPACK's method.

    Raises
    ------
    NotImplementedError
        If they settle too slowly.
    """
    named["tol"] = min(float(tol), 1e-8) * 1e-4
    try:
        return _converged(G, algorithms.hits, max_iter * RESTART, named)
    except nx.PowerIterationFailedConvergence:
        raise NotImplementedError("a power iteration settles too slowly here") from None


@serves(no_multigraph, no_function("weight"))
def katz_centrality(
    G: BackendGraph,
    alpha: float = 0.1,
    beta: Any = 1.0,
    max_iter: int = 1000,
    tol: float = 1e-6,
    nstart: Mapping[Any, float] | None = None,
    normalized: bool = True,
    weight: Any = None,
) -> dict[Any, float]:
    """Return scores by power iteration, as networkx computes them."""
    if not len(G):
        return {}
    try:
        own: Any = float(beta)
    except (TypeError, ValueError, AttributeError):
        if set(beta) != set(G):
            raise nx.NetworkXError("beta dictionary must have a value for every node") from None
        own = _by_vertex(G, beta)
    named = {
        "alpha": float(alpha),
        "beta": own,
        "tol": float(tol),
        "nstart": _whole_start(G, nstart),
        "normalized": bool(normalized),
        "weight": _weights(G, weight),
    }
    return _scores(G, _converged(G, algorithms.katz_centrality, max_iter, named))


@serves(no_multigraph, no_function("weight"))
def eigenvector_centrality(
    G: BackendGraph,
    max_iter: int = 100,
    tol: float = 1e-6,
    nstart: Mapping[Any, float] | None = None,
    weight: Any = None,
) -> dict[Any, float]:
    """Return scores by power iteration, as networkx computes them."""
    if not len(G):
        raise nx.NetworkXPointlessConcept("cannot compute centrality for the null graph")
    start = _whole_start(G, nstart)
    if start is not None and not start.any():
        raise nx.NetworkXError("initial vector cannot have all zero values")
    if start is not None and start.sum() == 0:
        raise ZeroDivisionError
    named = {
        "tol": len(G) ** 0.5 * float(tol),  # networkx's rule, in the unit of emv's
        "nstart": start,
        "weight": _weights(G, weight or None),
    }
    return _scores(G, _converged(G, algorithms.eigenvector_centrality, max_iter, named))


def _whole_start(G: BackendGraph, nstart: Mapping[Any, float] | None) -> NDArray[Any] | None:
    """Return the scores to start from, which networkx takes for the list of nodes, too."""
    if nstart is not None and set(nstart) != set(G):
        raise NotImplementedError("nstart has other nodes than G")
    start = _by_vertex(G, nstart)
    if start is not None and not np.isfinite(start).all():
        raise NotImplementedError("nstart has other values than numbers")
    return start


@serves(no_function("distance"), only("sp", None, why="the lengths are known"))
def closeness_centrality(
    G: BackendGraph,
    u: Any = None,
    distance: Any = None,
    wf_improved: bool = True,
    *,
    sp: Any = None,
) -> Any:
    """Return the score of one node by a search, or of all by searches 64 at a time."""
    length = None if distance is None else lengths(G, distance, False)
    if u is None:
        named = {"distance": length, "wf_improved": bool(wf_improved)}
        return _scores(G, computed(algorithms.closeness_centrality, G, **named))
    if u not in G:
        missing = f"Source {u} is not in G" if distance is None else f"Node {u} not found in graph"
        raise nx.NodeNotFound(missing)
    if length is None:
        depth = depths(G.reversed(), u)
        reached, far = int((depth >= 0).sum()), float(depth[depth >= 0].sum())
    else:
        found = distances(G.reversed(), [u], length)
        reached, far = len(found), float(sum(found.values()))
    score = 0.0
    if far > 0 and len(G) > 1:
        score = (reached - 1) / far
        score *= (reached - 1) / (len(G) - 1) if wf_improved else 1.0
    return score


@serves(no_function("distance"))
def harmonic_centrality(
    G: BackendGraph, nbunch: Any = None, distance: Any = None, sources: Any = None
) -> dict[Any, float]:
    """Return the scores of some nodes, by searches from the sources 64 at a time."""
    length = None if distance is None else lengths(G, distance, False)
    named, ids = G.ids_in(nbunch)
    near = np.zeros(len(G))
    begin = np.unique(G.ids_in(sources)[1])
    if len(begin):
        begun = None if sources is None else begin
        near = computed(algorithms.harmonic_centrality, G, length, begun)
    return dict(zip(named, near[ids].tolist(), strict=True))
