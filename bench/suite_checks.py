"""Whether the suite's results are right, with arrays of any module; in the manner of `gpu_checks`.

Each function takes the module, the arcs of the graph (both of an undirected edge) and the result
in numpy's or the module's form, and returns what is wrong, or nothing. None uses emv. Triangles and
clustering are counted again at sampled vertices, the rest at every vertex.

Labels: the rule of LDBC Graphalytics. Betweenness and core numbers: `bench.compiled_checks`.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from bench.gpu_checks import component_labels, pieces
from bench.graphs import PeerGraph, to_numpy

SAMPLED = 400
MOST_PAIRS = 20_000_000  # neighbours of neighbours that the sample may cost
MAX_ERROR = 1e-3  # of a float, relative to the right one


def neighbour_rows(xp: Any, graph: PeerGraph) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of the arcs on the host: first int64[num_vertices + 1], other."""
    first = to_numpy(xp.searchsorted(graph.src, xp.arange(graph.num_vertices + 1)))
    return first, to_numpy(graph.dst)


def sampled_triangles(xp: Any, graph: PeerGraph) -> Iterator[tuple[int, int]]:
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


def triangles_fault(xp: Any, graph: PeerGraph, found: Any) -> str:
    """Check the number of triangles at each vertex: int[num_vertices] of a simple graph."""
    found = to_numpy(found)
    if len(found) != graph.num_vertices or int(found.sum()) % 3:
        return "every triangle counts at three vertices: not so"
    wrong = [(v, k) for v, k in sampled_triangles(xp, graph) if int(found[v]) != k]
    return f"vertex {wrong[0][0]} is in {wrong[0][1]} triangles" if wrong else ""


def clustering_fault(xp: Any, graph: PeerGraph, found: Any) -> str:
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


def spread_labels(xp: Any, graph: PeerGraph, iterations: int) -> Any:
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


def labels_fault(xp: Any, graph: PeerGraph, found: Any, iterations: int) -> str:
    """Check community labels."""
    wrong = int((spread_labels(xp, graph, iterations) != xp.asarray(found)).sum())
    return f"{wrong} vertices have another label" if wrong else ""


def dependencies(xp: Any, graph: PeerGraph, source: int) -> Any:
    """Return what each vertex adds to the shortest paths from a source, float64[num_vertices].

    Level by level, in arrays; the number of paths must be one that floats hold.
    """
    n, src, dst = graph.num_vertices, graph.src, graph.dst
    depth, level = xp.full(n, -1, np.int32), 0
    paths, adds = xp.zeros(n), xp.zeros(n)
    depth[source], paths[source] = 0, 1.0
    first = xp.searchsorted(src, xp.arange(n + 1))
    ahead, frontier = [], xp.asarray([source])
    while True:
        arcs = arcs_of(xp, first, frontier)
        tail, head = src[arcs], dst[arcs]
        fresh = depth[head] < 0
        depth[head[fresh]] = level + 1
        on_path = depth[head] == level + 1
        tail, head = tail[on_path], head[on_path]
        if not len(head):
            break
        frontier, place = xp.unique(head, return_inverse=True)
        paths[frontier] = xp.bincount(place, paths[tail], len(frontier))
        ahead.append((tail, head))
        level += 1
    for tail, head in reversed(ahead):
        who, place = xp.unique(tail, return_inverse=True)
        share = paths[tail] / paths[head] * (1 + adds[head])
        adds[who] += xp.bincount(place, weights=share, minlength=len(who))
    adds[source] = 0
    return adds


def all_dependencies(first: np.ndarray, other: np.ndarray, sources: list[int]) -> Any:
    """Return the sum of the dependencies on some sources, each by a core of its own."""
    from bench.compiled_checks import dependencies_of

    with ThreadPoolExecutor(len(sources)) as pool:
        return sum(pool.map(lambda source: dependencies_of(first, other, source), sources))


def arcs_of(xp: Any, first: Any, vertices: Any) -> Any:
    """Return the places of the arcs that leave some vertices, int64."""
    counts = first[vertices + 1] - first[vertices]
    ends = xp.cumsum(counts)
    places = xp.arange(int(ends[-1]) if len(ends) else 0)
    row = xp.searchsorted(ends, places, side="right")
    return places + (first[vertices] - (ends - counts))[row]


def sampled_scale(num_vertices: int, sources: list[int], directed: bool) -> np.ndarray:
    """Return what networkx multiplies sums over sampled sources by, float64[num_vertices].

    The sum stands for all pairs, of an undirected graph each once; a source is on no path of its
    own, so that it was looked at once less.
    """
    looked_at = np.full(num_vertices, float(len(sources)))
    looked_at[sources] -= 1
    return (num_vertices - 1) / (looked_at * (1 if directed else 2))


def betweenness_fault(xp: Any, graph: PeerGraph, found: Any, sources: list[int]) -> str:
    """Check the betweenness that some sources are a sample for."""
    scale = sampled_scale(graph.num_vertices, sources, graph.directed)
    right = xp.asarray(all_dependencies(*neighbour_rows(xp, graph), sources) * scale)
    apart = xp.abs(xp.asarray(found) - right)
    wrong = int((~(apart <= MAX_ERROR * right + 1e-9 * float(right.max()))).sum())
    return f"{wrong} vertices are off by more than {MAX_ERROR:g} of themselves" if wrong else ""


def core_fault(xp: Any, graph: PeerGraph, found: Any) -> str:
    """Check core numbers."""
    from bench.compiled_checks import core_numbers

    wrong = int((core_numbers(*neighbour_rows(xp, graph)) != to_numpy(found)).sum())
    return f"{wrong} vertices have another core number" if wrong else ""


def strong_fault(xp: Any, graph: PeerGraph, found: Any) -> str:
    """Check strong components: scipy's partition, or the weak one where all arcs lead both ways."""
    if not graph.directed or is_symmetric(xp, graph):
        right = component_labels(xp, pieces(graph.src, graph.dst), graph.num_vertices)
    else:
        from scipy.sparse import csgraph, csr_array

        first, other = neighbour_rows(xp, graph)
        arcs = csr_array((np.ones(len(other), np.int8), other, first), shape=(len(first) - 1,) * 2)
        right = xp.asarray(csgraph.connected_components(arcs, True, "strong")[1])
    apart = smallest_members(xp, right) != smallest_members(xp, xp.asarray(found))
    wrong = int(apart.sum())
    return f"{wrong} vertices are in another component" if wrong else ""


def is_symmetric(xp: Any, graph: PeerGraph) -> bool:
    """Return whether every arc has one the other way; arcs are sorted."""
    src, dst = graph.src.astype(np.int64), graph.dst.astype(np.int64)
    return bool(((src << 32 | dst) == xp.sort(dst << 32 | src)).all())


def smallest_members(xp: Any, label: Any) -> Any:
    """Name every group by its smallest vertex."""
    _, first, group = xp.unique(label, return_index=True, return_inverse=True)
    return first[group]


def independent_fault(xp: Any, graph: PeerGraph, found: Any) -> str:
    """Check a maximal independent set: bool[num_vertices]."""
    chosen = xp.asarray(found).astype(bool)
    inside = int((chosen[graph.src] & chosen[graph.dst]).sum())
    if inside:
        return f"{inside} arcs join two of the set"
    touched = chosen.copy()
    touched[graph.dst[chosen[graph.src]]] = True
    left = int((~touched).sum())
    return f"{left} vertices could be added" if left else ""


def colouring_fault(xp: Any, graph: PeerGraph, found: Any) -> str:
    """Check a colouring: int[num_vertices], neighbours differ."""
    colour = xp.asarray(found)
    if bool((colour < 0).any()):
        return "a vertex has no colour"
    same = int((colour[graph.src] == colour[graph.dst]).sum())
    return f"{same} arcs join vertices of one colour" if same else ""


def matching_fault(xp: Any, graph: PeerGraph, found: Any) -> str:
    """Check a maximal matching: int[num_vertices], whom each is matched with, -1 for nobody."""
    mate = xp.asarray(found).astype(np.int64)
    matched = xp.flatnonzero(mate >= 0)
    if bool((mate[mate[matched]] != matched).any()):
        return "a mate has another mate"
    n = graph.num_vertices
    joined = xp.zeros(n, bool)
    real = mate[graph.src] == graph.dst
    joined[graph.src[real]] = True
    joined[graph.dst[real]] = True
    if int(joined.sum()) != len(matched):
        return "two mates are not neighbours"
    free = int(((mate[graph.src] < 0) & (mate[graph.dst] < 0)).sum())
    return f"{free} arcs could be added" if free else ""
