"""Functions of ``networkx.algorithms.assortativity``: degrees and attributes at both ends of edges.

Values become numbers, and pairs of them are counted all at once. Newman: Mixing patterns in
networks, Physical Review E 67, 026126, 2003.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from emv.networkx.calls import no_function, serves
from emv.networkx.graphs import BackendGraph
from emv.networkx.joint import multiplied
from emv.networkx.sparse import arcs_of, degrees, ends_of, is_in, numbers_of
from emv.networkx.versions import is_from

_weighted = serves(no_function("weight"))
Ids = NDArray[np.int64]


def _arcs_between(G: BackendGraph, nodes: Any, is_second: bool) -> tuple[Ids, Ids]:
    """Return the ends of the arcs from some nodes, and to them if both ends count."""
    tails, heads, _ = arcs_of(G)
    if nodes is None:
        return tails, heads
    here = is_in(G, set(nodes))
    kept = here[tails] & here[heads] if is_second else here[tails]
    return tails[kept], heads[kept]


def _demand_sides(G: BackendGraph, x: str, y: str) -> None:
    if G.is_directed() and not {x, y} <= {"in", "out"}:
        raise KeyError(next(each for each in (x, y) if each not in ("in", "out")))


def _degree_pairs(
    G: BackendGraph, x: str, y: str, weight: Any, nodes: Any
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the degrees at both ends of every arc between some nodes."""
    _demand_sides(G, x, y)
    if nodes is not None and not all(node in G for node in nodes):
        raise NotImplementedError("nodes that are none of the graph")
    tails, heads = _arcs_between(G, nodes, True)
    return degrees(G, x, weight)[tails], degrees(G, y, weight)[heads]


@_weighted
def node_degree_xy(
    G: BackendGraph, x: str = "out", y: str = "in", weight: Any = None, nodes: Any = None
) -> Iterator[tuple[Any, Any]]:
    """Return the degrees at both ends of every edge, of one without direction both ways."""
    pairs = _degree_pairs(G, x, y, weight, nodes)
    return zip(*(each.tolist() for each in pairs), strict=True)


class _Values:
    """What nodes say under a name, as numbers of the different values.

    Attributes
    ----------
    code : int64[num_vertices]
        Which value every node has.
    values : list
        The values in the order in which nodes have them.
    """

    def __init__(self, G: BackendGraph, attribute: Any, default: Any = None) -> None:
        number_of: dict[Any, int] = {}
        listed = G.node_values(attribute, default)
        try:
            codes = [number_of.setdefault(each, len(number_of)) for each in listed]
        except TypeError:
            raise NotImplementedError(f"{attribute!r} is not to be hashed") from None
        if any(each != each for each in number_of):
            raise NotImplementedError(f"{attribute!r} has nan, of which each is another")
        self.code = np.array(codes, np.int64)
        self.values = list(number_of)


@serves()
def node_attribute_xy(
    G: BackendGraph, attribute: Any, nodes: Any = None
) -> Iterator[tuple[Any, Any]]:
    """Return the attributes at both ends of every edge, of one without direction both ways."""
    said = G.node_values(attribute)
    tails, heads = _arcs_between(G, nodes, False)
    return zip((said[v] for v in tails.tolist()), (said[v] for v in heads.tolist()), strict=True)


def _mixed(x: Ids, y: Ids, values: list[Any], normalized: bool) -> dict[Any, dict[Any, Any]]:
    """Return how often each pair of values is there, in the order in which they are met."""
    met = np.stack([x, y], axis=1).ravel()
    first = np.sort(np.unique(met, return_index=True)[1])
    found: dict[Any, dict[Any, Any]] = {values[each]: {} for each in met[first].tolist()}
    codes, begins, counts = np.unique(x * len(values) + y, return_index=True, return_counts=True)
    order = np.argsort(begins)
    for code, count in zip(codes[order].tolist(), counts[order].tolist(), strict=True):
        one, other = divmod(code, len(values))
        found[values[one]][values[other]] = count / len(x) if normalized else count
    return found


def _mixed_degrees(x: NDArray[Any], y: NDArray[Any], normalized: bool) -> dict[Any, dict[Any, Any]]:
    values, codes = np.unique(np.append(x, y), return_inverse=True)
    return _mixed(codes[: len(x)], codes[len(x) :], values.tolist(), normalized)


@_weighted
def degree_mixing_dict(
    G: BackendGraph,
    x: str = "out",
    y: str = "in",
    weight: Any = None,
    nodes: Any = None,
    normalized: bool = False,
) -> dict[Any, dict[Any, Any]]:
    """Return how many edges join nodes of two degrees."""
    return _mixed_degrees(*_degree_pairs(G, x, y, weight, nodes), normalized)


@serves()
def attribute_mixing_dict(
    G: BackendGraph, attribute: Any, nodes: Any = None, normalized: bool = False
) -> dict[Any, dict[Any, Any]]:
    """Return how many edges join nodes of two attributes."""
    known = _Values(G, attribute)
    tails, heads = _arcs_between(G, nodes, False)
    return _mixed(known.code[tails], known.code[heads], known.values, normalized)


def _matrix(mixed: dict[Any, dict[Any, Any]], mapping: Any, normalized: bool) -> NDArray[Any]:
    """Return counts of pairs as a matrix, whose rows are as a mapping says."""
    if mapping is None:
        names = {*mixed, *(other for row in mixed.values() for other in row)}
        mapping = {name: place for place, name in enumerate(names)}
    found = np.zeros((len(mapping), len(mapping)))
    for one, one_place in mapping.items():
        for other, other_place in mapping.items():
            count = mixed.get(one, {}).get(other)
            if count is not None:
                found[one_place, other_place] = count
    return found / found.sum() if normalized else found


@_weighted
def degree_mixing_matrix(
    G: BackendGraph,
    x: str = "out",
    y: str = "in",
    weight: Any = None,
    nodes: Any = None,
    normalized: bool = True,
    mapping: Any = None,
) -> NDArray[Any]:
    """Return how many edges join nodes of two degrees, as a matrix."""
    return _matrix(degree_mixing_dict(G, x, y, weight, nodes), mapping, normalized)


@serves()
def attribute_mixing_matrix(
    G: BackendGraph, attribute: Any, nodes: Any = None, mapping: Any = None, normalized: bool = True
) -> NDArray[Any]:
    """Return how many edges join nodes of two attributes, as a matrix."""
    return _matrix(attribute_mixing_dict(G, attribute, nodes), mapping, normalized)


def _numeric(x: NDArray[Any], y: NDArray[Any]) -> float:
    """Return the correlation of the numbers at both ends of edges, by their sums."""
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    mean_x, mean_y = x.mean(), y.mean()
    spread = ((x - mean_x) ** 2).mean() * ((y - mean_y) ** 2).mean()
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(((x - mean_x) * (y - mean_y)).mean() / np.sqrt(spread))


@_weighted
def degree_assortativity_coefficient(
    G: BackendGraph, x: str = "out", y: str = "in", weight: Any = None, nodes: Any = None
) -> float:
    """Return the correlation of degrees at both ends of edges.

    Raises
    ------
    NotImplementedError
        If there are no edges, of which networkx makes what its matrices make of none.
    """
    if not G.arrays.num_edges:
        raise NotImplementedError("no edges")
    if nodes is None:
        return _correlated(G, x, y, weight)
    pairs = _degree_pairs(G, x, y, weight, nodes)
    if not len(pairs[0]):
        raise NotImplementedError("no edges")
    return _numeric(*pairs)


def _correlated(G: BackendGraph, x: str, y: str, weight: Any) -> float:
    """Return the correlation of degrees at both ends of all arcs, by their sums at every node.

    An edge without direction is two arcs, a loop one.
    """
    _demand_sides(G, x, y)
    starts, ends = G.structure.counts
    if G.is_directed():
        from_x, from_y = degrees(G, x, weight), degrees(G, y, weight)
        mean_x, spread_x = _moments(from_x, starts)
        mean_y, spread_y = _moments(from_y, ends)
        count, both = len(G.arrays.edges), _over_edges(G, from_x, from_y)
    else:
        loops, count = G.structure.loops, 2 * len(G.arrays.edges)
        looped = int(loops.sum())
        from_x = degrees(G, weight=weight)
        arcs = from_x if weight is None and not looped else starts + ends - loops
        mean_x, spread_x = mean_y, spread_y = _moments(from_x, arcs)
        both = 2 * _over_edges(G, from_x, from_x)
        if looped:
            count -= looped
            both -= _dot(loops, from_x.astype(np.float64) ** 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        return float((both - count * mean_x * mean_y) / np.sqrt(spread_x * spread_y))


def _dot(x: NDArray[Any], y: NDArray[Any]) -> Any:
    return np.einsum("i,i", x, y)  # on this thread; np.dot() would wake others for floats


def _over_edges(G: BackendGraph, x: NDArray[Any], y: NDArray[Any]) -> Any:
    """Return the sum over all edges of what the one end has, times what the other has."""
    ahead = x.astype(np.float64)
    behind = ahead if y is x else y.astype(np.float64)
    return multiplied.run(G.arrays, ahead=ahead, behind=behind).result


def _moments(values: NDArray[Any], times: NDArray[Any]) -> tuple[float, float]:
    """Return the mean of values, each so many times, and the sum of squares around it."""
    is_own = times is values
    if values.dtype.kind == "i" and values.min() >= 0 and values.max() < len(values):
        each = np.bincount(values, None if is_own else times)  # few are different
        values = np.arange(len(each))
        times = each * values if is_own else each
    often, apart = times.astype(np.float64), values.astype(np.float64)
    mean = _dot(often, apart) / often.sum()
    apart -= mean
    apart *= apart
    return mean, _dot(often, apart)


@_weighted
def degree_pearson_correlation_coefficient(
    G: BackendGraph, x: str = "out", y: str = "in", weight: Any = None, nodes: Any = None
) -> float:
    """Return the correlation of degrees at both ends of edges, by SciPy."""
    from scipy.stats import pearsonr

    pairs = _degree_pairs(G, x, y, weight, nodes)
    if len(pairs[0]) < 2 and is_from(3, 7):
        return float("nan")
    if not len(pairs[0]):
        raise ValueError("not enough values to unpack (expected 2, got 0)")
    return float(pearsonr(*pairs)[0])


@serves()
def numeric_assortativity_coefficient(G: BackendGraph, attribute: Any, nodes: Any = None) -> float:
    """Return the correlation of numbers of nodes at both ends of edges.

    Raises
    ------
    NotImplementedError
        If a node has no number, or there are no edges.
    """
    tails, heads = _arcs_between(G, nodes, False)
    if nodes is not None and not is_in(G, set(nodes))[heads].all():
        raise NotImplementedError("edges that lead to others than some nodes")
    listed = G.node_values(attribute)
    if not len(tails) or not all(isinstance(each, int | float) for each in listed):
        raise NotImplementedError("no edges, or attributes that are no numbers")
    said = np.array(listed, np.float64)
    return _numeric(said[tails], said[heads])


@serves()
def attribute_assortativity_coefficient(
    G: BackendGraph, attribute: Any, nodes: Any = None
) -> float:
    """Return how much more edges join nodes of one attribute than would by chance."""
    M = attribute_mixing_matrix(G, attribute, nodes)
    s, t = (M @ M).sum(), M.trace()
    with np.errstate(divide="ignore", invalid="ignore"):
        return float((t - s) / (1 - s))


def _around(G: BackendGraph, side: str, values: NDArray[Any], weight: Any) -> NDArray[Any]:
    """Return for every node the sum of what its neighbours on a side have, by weight."""
    if G.is_multigraph() and weight is not None:
        raise NotImplementedError("a weighted multigraph, whose weights networkx does not find")
    rows = G.ordered(is_behind=side == "in")
    if weight is None:
        found: NDArray[Any] = rows.matrix @ values
        return found.astype(values.dtype)
    terms = values[rows.ahead] * numbers_of(G, weight)[rows.edges]
    found = np.zeros(len(G), terms.dtype)
    np.add.at(found, rows.tails, terms)
    return found


def _demand_side(G: BackendGraph, side: str, default: str, text: str) -> None:
    if not G.is_directed() and side != default:
        raise nx.NetworkXError("source and target arguments are only supported for directed graphs")
    if G.is_directed() and side not in ("in", "out", "in+out"):
        raise nx.NetworkXError(text)


@_weighted
def average_neighbor_degree(
    G: BackendGraph,
    source: str = "out",
    target: str = "out",
    nodes: Any = None,
    weight: Any = None,
) -> dict[Any, float]:
    """Return the mean degree of the neighbours of every node."""
    for word, side in (("source", source), ("target", target)):
        text = f"{word} argument {side} must be 'in', 'out' or 'in+out'"
        _demand_side(G, side, "out", text)
    if nodes is not None and nodes in G:
        raise NotImplementedError("one node, whose degree networkx takes for a list")
    named, ids = G.ids_in(nodes)
    wanted = degrees(G, target)
    if G.is_directed():
        sides = source.split("+")
        total = sum((_around(G, each, wanted, weight) for each in sides), np.zeros(len(G), int))
    else:
        total = _around(G, "out", wanted, weight)
    own, means = degrees(G, source, weight), np.zeros(len(G))
    with np.errstate(over="ignore", invalid="ignore"):
        np.divide(total, own, out=means, where=own != 0)
    return G.by_node(means) if nodes is None else dict(zip(named, means[ids].tolist(), strict=True))


@_weighted
def average_degree_connectivity(
    G: BackendGraph,
    source: str = "in+out",
    target: str = "in+out",
    nodes: Any = None,
    weight: Any = None,
) -> dict[Any, float]:
    """Return the mean degree of the neighbours of nodes of each degree."""
    for word, side in (("source", source), ("target", target)):
        _demand_side(G, side, "in+out", f'{word} must be one of "in", "out", or "in+out"')
    ids = G.ids_in(nodes)[1]
    own, counts = degrees(G, source), degrees(G, source, weight)
    sums = _around(G, source, degrees(G, target), weight)
    found: dict[Any, list[Any]] = {}
    for degree, total, count in zip(
        own[ids].tolist(), sums[ids].tolist(), counts[ids].tolist(), strict=True
    ):
        row = found.setdefault(degree, [0, 0])
        row[0] += total
        row[1] += count
    return {
        degree: total if count == 0 else total / count for degree, (total, count) in found.items()
    }


def _normal(arguments: dict[str, Any]) -> str | None:
    if arguments["normalized"]:
        return "normalized=True draws another graph, edge by edge"
    return None


@serves(_normal)
def rich_club_coefficient(
    G: BackendGraph,
    normalized: bool = True,
    Q: float = 100,
    seed: Any = None,
    *,
    n_samples: int = 1,
) -> dict[int, float]:
    """Return for each degree which share of the pairs of nodes above it are joined."""
    src, dst = ends_of(G)
    if (src == dst).any():
        raise Exception("rich_club_coefficient is not implemented for graphs with self loops.")
    if not len(src):
        return {}
    degree = degrees(G)
    least = np.minimum(degree[src], degree[dst])
    above = len(G) - np.cumsum(np.bincount(degree))
    joined = len(src) - np.cumsum(np.bincount(least, minlength=len(above)))
    listed = zip(above.tolist(), joined.tolist(), strict=True)
    return {d: 2 * e / (n * (n - 1)) for d, (n, e) in enumerate(listed) if n > 1}
