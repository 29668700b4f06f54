"""Whether results are right, with arrays of any module, so that large ones are checked on the GPU.

Each ``..._fault`` takes the module, the arcs of the graph (both of an undirected edge), the result,
and what the page was given, and returns what is wrong, or nothing. They test properties that only
the right result has, or compute it in another way, none of it with emv. Triangles and clustering
are counted again at sampled vertices, the rest at every vertex. Where arcs are taken in pieces,
views of the arrays of ends, that bounds the memory that a check takes.

Components: hooking to smaller labels and pointer jumping, after Y. Shiloach, U. Vishkin, Journal of
Algorithms 3, 1982. Labels: the rule of LDBC Graphalytics. Forests, betweenness and core numbers:
`tests.oracles.compiled_checks`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from bench.graphs import to_numpy
from tests.oracles.compiled_checks import core_numbers, dependencies_of, joining

PIECE_ARCS = 1 << 26
MAX_RANK_ERROR = 1e-4  # of a rank stored in float32, relative to the same in float64
SAMPLED = 400
MOST_PAIRS = 20_000_000  # neighbours of neighbours that the sample may cost
MAX_ERROR = 1e-3  # of a float, relative to the right one
Pieces = Sequence[tuple[Any, ...]]
Check = Callable[[Any, Any, Any, dict[str, Any]], str]


def pieces(*arrays: Any) -> Pieces:
    """Cut arrays of one length into views of at most `PIECE_ARCS` entries."""
    starts = range(0, len(arrays[0]), PIECE_ARCS)
    return [tuple(array[start : start + PIECE_ARCS] for array in arrays) for start in starts]


def counted(is_wrong: Any, what: str) -> str:
    """Say how many are wrong; nothing where none is."""
    number = int(is_wrong.sum())
    return f"{number} {what}" if number else ""


def bfs_fault(xp: Any, graph: Any, found: Any, given: dict[str, Any]) -> str:
    """Check the depths of a search: int32[num_vertices], -1 when unreached."""
    depth, source = xp.asarray(found), given["source"]
    if int(depth[source]) != 0 or int((depth == 0).sum()) != 1 or bool((depth < -1).any()):
        return "the source alone has depth 0, and no depth is below -1: not so"
    settled = depth == -1
    settled[source] = True
    for src, dst in pieces(graph.src, graph.dst):
        near, far = depth[src], depth[dst]
        reached = near >= 0
        skips = reached & ((far < 0) | (far > near + 1))
        if bool(skips.any()):
            return counted(skips, "arcs lead further than one level ahead")
        settled[dst[reached & (far == near + 1)]] = True
    return counted(~settled, "vertices have no in-neighbour one level less")


def sssp_fault(xp: Any, graph: Any, found: Any, given: dict[str, Any]) -> str:
    """Check the distances of a search over weights above 0: float32, inf when unreached."""
    dist, source = xp.asarray(found), given["source"]
    if float(dist[source]) != 0 or bool((xp.isnan(dist) | (dist < 0)).any()):
        return "the source has distance 0, and no distance is below it: not so"
    settled = xp.isinf(dist)
    settled[source] = True
    for src, dst, weight in pieces(graph.src, graph.dst, graph.weight):
        offered, far = dist[src] + weight, dist[dst]
        if bool((offered < far).any()):
            return counted(offered < far, "arcs shorten a distance")
        settled[dst[xp.isfinite(offered) & (offered == far)]] = True
    return counted(~settled, "vertices have no path as long as they say")


def power_iteration(xp: Any, graph: Any, iterations: int, dropped: bool = False) -> Any:
    """Return networkx's PageRank after some iterations, float64[num_vertices].

    With dangling mass `dropped` it is Medusa's: from 1 on, nothing divided by the vertices.
    """
    arcs, num_vertices = pieces(graph.src, graph.dst), graph.num_vertices
    out_degree = sum(xp.bincount(src, minlength=num_vertices) for src, _ in arcs)
    count = 1 if dropped else num_vertices
    rank = xp.full(num_vertices, 1 / count)
    for _ in range(iterations):
        share = rank / xp.maximum(out_degree, 1)
        lost = 0.0 if dropped else rank[out_degree == 0].sum()
        received = xp.zeros(num_vertices)
        for src, dst in arcs:
            received += xp.bincount(dst, weights=share[src], minlength=num_vertices)
        rank = 0.15 / count + 0.85 * (received + lost / count)
    return rank


def rank_fault(xp: Any, expected: Any, rank: Any) -> str:
    """Compare ranks with those in float64, each relative to itself."""
    worst = float((xp.abs(rank - expected) / expected).max())
    return "" if worst <= MAX_RANK_ERROR else f"a rank is off by {worst:.1e} of itself"


def ranks_fault(xp: Any, graph: Any, found: Any, given: dict[str, Any]) -> str:
    """Check PageRank."""
    right = power_iteration(xp, graph, given["max_iter"], given["dangling"] == "drop")
    return rank_fault(xp, right, xp.asarray(found))


def component_labels(xp: Any, graph: Any) -> Any:
    """Return the smallest vertex of every vertex's component, int32[num_vertices]."""
    parent, changed = xp.arange(graph.num_vertices, dtype=np.int32), True
    while changed:
        changed = False
        for src, dst in pieces(graph.src, graph.dst):
            one, other = parent[src], parent[dst]
            apart = one != other
            if bool(apart.any()):
                changed = True
                one, other = one[apart], other[apart]
                xp.minimum.at(parent, xp.maximum(one, other), xp.minimum(one, other))
        grand = parent[parent]
        while bool((grand != parent).any()):
            parent, grand = grand, grand[grand]
    return parent


def components_fault(xp: Any, graph: Any, found: Any, given: Any = None) -> str:
    """Check labels: each the smallest vertex of its component."""
    wrong = component_labels(xp, graph) != xp.asarray(found)
    return counted(wrong, "vertices have another label than the smallest id")


def forest_fault(xp: Any, graph: Any, found: Any, given: Any = None) -> str:
    """Check a forest: it spans, has no cycle and the least weight.

    It is bool per edge of a simple graph, in the order of the arcs to larger ids.
    """
    once, in_tree = graph.src < graph.dst, xp.asarray(found).astype(bool)
    src, dst, weight = graph.src[once], graph.dst[once], graph.weight[once]
    if len(in_tree) != len(src):
        return f"{len(in_tree)} truth values for {len(src)} edges"
    order = xp.argsort(weight, kind="stable")
    lightest = joining(to_numpy(src[order]), to_numpy(dst[order]), graph.num_vertices)
    least = float(to_numpy(weight[order])[lightest].sum(dtype=np.float64))
    chosen = float(weight[in_tree].sum(dtype=np.float64))
    count, needed = int(in_tree.sum()), int(lightest.sum())
    if count != needed or chosen != least:
        return f"{count} edges of weight {chosen:g}, the lightest forest: {needed} of {least:g}"
    joins = joining(to_numpy(src[in_tree]), to_numpy(dst[in_tree]), graph.num_vertices)
    joined = int(joins.sum())
    return "" if joined == needed else f"{needed - joined} of its edges close a cycle"


def neighbour_rows(xp: Any, graph: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of the arcs on the host: first int64[num_vertices + 1], other."""
    first = to_numpy(xp.searchsorted(graph.src, xp.arange(graph.num_vertices + 1)))
    return first, to_numpy(graph.dst)


def sampled_triangles(xp: Any, graph: Any) -> Iterator[tuple[int, int]]:
    """Yield sampled vertices, the one with the most neighbours first, and their triangles."""
    first, other = neighbour_rows(xp, graph)
    degree = np.diff(first)
    drawn = np.random.default_rng(7).permutation(graph.num_vertices)[:SAMPLED]
    budget = MOST_PAIRS
    for vertex in [int(degree.argmax()), *drawn.tolist()] if len(degree) else []:
        near = other[first[vertex] : first[vertex + 1]]
        cost = int(degree[near].sum())
        if cost > budget:
            continue
        budget -= cost
        is_near = np.zeros(graph.num_vertices, bool)
        is_near[near] = True
        pairs = sum(int(is_near[other[first[n] : first[n + 1]]].sum()) for n in near.tolist())
        yield vertex, pairs // 2


def triangles_fault(xp: Any, graph: Any, found: Any, given: Any = None) -> str:
    """Check the number of triangles at each vertex: int[num_vertices] of a simple graph."""
    found = to_numpy(found)
    if len(found) != graph.num_vertices or int(found.sum()) % 3:
        return "every triangle counts at three vertices: not so"
    wrong = [(v, k) for v, k in sampled_triangles(xp, graph) if int(found[v]) != k]
    return f"vertex {wrong[0][0]} is in {wrong[0][1]} triangles" if wrong else ""


def clustering_fault(xp: Any, graph: Any, found: Any, given: Any = None) -> str:
    """Check what share of the pairs of neighbours are joined: float[num_vertices]."""
    found = to_numpy(found).astype(np.float64)
    degree = np.diff(neighbour_rows(xp, graph)[0])
    if bool((found[degree < 2] != 0).any() or (found < 0).any() or (found > 1).any()):
        return "a share is from 0 to 1, and 0 below two neighbours: not so"
    for vertex, triangles in sampled_triangles(xp, graph):
        pairs = max(1, degree[vertex] * (degree[vertex] - 1) / 2)
        if abs(found[vertex] - triangles / pairs) > 1e-5:
            return f"vertex {vertex} has {triangles} of {pairs:.0f} pairs joined"
    return ""


def most_frequent(xp: Any, dst: Any, label: Any) -> tuple[Any, Any]:
    """Return who receives labels, and the most frequent one of each, the smallest of several."""
    key = xp.sort((dst.astype(np.int64) << 32) | label.astype(np.int64))
    starts = xp.flatnonzero(xp.concatenate([xp.ones(1, bool), key[1:] != key[:-1]]))
    count = xp.diff(xp.concatenate([starts, xp.asarray([len(key)])]))
    receiver, offered = key[starts] >> 32, key[starts] & 0xFFFFFFFF
    order = xp.argsort((receiver << 32) | (0xFFFFFFFF - count), kind="stable")
    receiver, offered = receiver[order], offered[order]
    is_best = xp.concatenate([xp.ones(1, bool), receiver[1:] != receiver[:-1]])
    return receiver[is_best], offered[is_best]


def spread_labels(xp: Any, graph: Any, iterations: int) -> Any:
    """Return Graphalytics' community labels, int64[num_vertices]; arcs count in both directions."""
    label = xp.arange(graph.num_vertices, dtype=np.int64)
    src, dst = graph.src, graph.dst
    if graph.directed:
        src, dst = xp.concatenate([src, dst]), xp.concatenate([dst, src])
    for _ in range(iterations if len(src) else 0):
        receiver, offered = most_frequent(xp, dst, label[src])
        label = label.copy()
        label[receiver] = offered
    return label


def labels_fault(xp: Any, graph: Any, found: Any, given: Any) -> str:
    """Check community labels."""
    wrong = spread_labels(xp, graph, given["max_iter"]) != xp.asarray(found)
    return counted(wrong, "vertices have another label")


def all_dependencies(first: np.ndarray, other: np.ndarray, sources: list[int]) -> Any:
    """Return the sum of the dependencies on some sources, each by a core of its own."""
    with ThreadPoolExecutor(len(sources)) as pool:
        return sum(pool.map(lambda source: dependencies_of(first, other, source), sources))


def sampled_scale(num_vertices: int, sources: list[int], directed: bool) -> np.ndarray:
    """Return what networkx multiplies sums over sampled sources by, float64[num_vertices].

    The sum stands for all pairs, of an undirected graph each once; a source is on no path of its
    own, so that it was looked at once less.
    """
    looked_at = np.full(num_vertices, float(len(sources)))
    looked_at[sources] -= 1
    return (num_vertices - 1) / (looked_at * (1 if directed else 2))


def betweenness_fault(xp: Any, graph: Any, found: Any, given: Any) -> str:
    """Check the betweenness that some sources are a sample for."""
    sources = given["sources"]
    scale = sampled_scale(graph.num_vertices, sources, graph.directed)
    right = xp.asarray(all_dependencies(*neighbour_rows(xp, graph), sources) * scale)
    near = xp.abs(xp.asarray(found) - right) <= MAX_ERROR * right + 1e-9 * float(right.max())
    return counted(~near, f"vertices are off by more than {MAX_ERROR:g} of themselves")


def core_fault(xp: Any, graph: Any, found: Any, given: Any = None) -> str:
    """Check core numbers."""
    wrong = core_numbers(*neighbour_rows(xp, graph)) != to_numpy(found)
    return counted(wrong, "vertices have another core number")


def strong_fault(xp: Any, graph: Any, found: Any, given: Any = None) -> str:
    """Check strong components: scipy's partition, or the weak one where all arcs lead both ways."""
    if not graph.directed or is_symmetric(xp, graph):
        right = component_labels(xp, graph)
    else:
        from scipy.sparse import csgraph, csr_array

        first, other = neighbour_rows(xp, graph)
        arcs = csr_array((np.ones(len(other), np.int8), other, first), shape=(len(first) - 1,) * 2)
        right = xp.asarray(csgraph.connected_components(arcs, True, "strong")[1])
    apart = smallest_members(xp, right) != smallest_members(xp, xp.asarray(found))
    return counted(apart, "vertices are in another component")


def is_symmetric(xp: Any, graph: Any) -> bool:
    """Return whether every arc has one the other way; arcs are sorted."""
    src, dst = graph.src.astype(np.int64), graph.dst.astype(np.int64)
    return bool(((src << 32 | dst) == xp.sort(dst << 32 | src)).all())


def smallest_members(xp: Any, label: Any) -> Any:
    """Name every group by its smallest vertex."""
    _, first, group = xp.unique(label, return_index=True, return_inverse=True)
    return first[group]


def independent_fault(xp: Any, graph: Any, found: Any, given: Any = None) -> str:
    """Check a maximal independent set: bool[num_vertices]."""
    chosen = xp.asarray(found).astype(bool)
    inside, touched = chosen[graph.src] & chosen[graph.dst], chosen.copy()
    touched[graph.dst[chosen[graph.src]]] = True
    joined = counted(inside, "arcs join two of the set")
    return joined or counted(~touched, "vertices could be added")


def colouring_fault(xp: Any, graph: Any, found: Any, given: Any = None) -> str:
    """Check a colouring: int[num_vertices], neighbours differ."""
    colour = xp.asarray(found)
    if bool((colour < 0).any()):
        return "a vertex has no colour"
    same = colour[graph.src] == colour[graph.dst]
    return counted(same, "arcs join vertices of one colour")


def matching_fault(xp: Any, graph: Any, found: Any, given: Any = None) -> str:
    """Check a maximal matching: int[num_vertices], whom each is matched with, -1 for nobody."""
    mate = xp.asarray(found).astype(np.int64)
    matched = xp.flatnonzero(mate >= 0)
    if bool((mate[mate[matched]] != matched).any()):
        return "a mate has another mate"
    joined, real = xp.zeros(graph.num_vertices, bool), mate[graph.src] == graph.dst
    joined[graph.src[real]] = True
    joined[graph.dst[real]] = True
    if int(joined.sum()) != len(matched):
        return "two mates are not neighbours"
    return counted((mate[graph.src] < 0) & (mate[graph.dst] < 0), "arcs could be added")
