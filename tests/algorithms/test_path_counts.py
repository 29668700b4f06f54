"""Betweenness where there are more shortest paths than floats hold, against Python's integers.

networkx counts paths in floats and returns NaN there. The oracle is Brandes' algorithm with numbers
of any length, of which only the quotients are rounded.
"""

import heapq
import warnings
from collections import defaultdict

import networkx as nx
import numpy as np
import pytest
from backends_available import BACKENDS
from hypothesis import given, settings
from strategies import graphs

from emv import Graph
from emv.algorithms import _path_counts, betweenness_centrality, edge_betweenness_centrality
from emv.errors import NotFiniteWarning

over_backends = pytest.mark.parametrize("backend", BACKENDS)
over_compiled = pytest.mark.parametrize("backend", BACKENDS[1:])
over_forms = pytest.mark.parametrize("weight", [None, "length"])
PAGES = betweenness_centrality, edge_betweenness_centrality
PAGE_OF = {None: PAGES[:1], "length": PAGES[1:]}
"""What is compiled: a search of each form and a sum of each page. Plain Python runs all four."""


def exact(graph, sources, weight=None):
    """What depends on every vertex and goes over every edge, summed over the sources."""
    depending = np.zeros(graph.num_vertices)
    over = np.zeros(graph.num_edges)
    out = out_arcs(graph, weight)
    for source in sources:
        dist, order = distances(out, source)
        paths = defaultdict(int, {source: 1})
        into = defaultdict(list)
        for v in order:
            for w, length, edge in out[v]:
                if dist[v] + length == dist[w]:
                    paths[w] += paths[v]
                    into[w].append((v, edge))
        own = defaultdict(float)
        for w in reversed(order):
            for v, edge in into[w]:
                share = paths[v] / paths[w] * (1 + own[w])
                own[v] += share
                over[edge] += share
            depending[w] += own[w] if w != source else 0
    return depending, over


def out_arcs(graph, weight):
    """The arcs from every vertex: where they lead, how long they are, and of which edge."""
    src, dst = (ends.tolist() for ends in graph.edges.endpoints())
    lengths = [1] * len(src) if weight is None else graph.edges[weight].tolist()
    out = defaultdict(list)
    for edge, (u, v, length) in enumerate(zip(src, dst, lengths, strict=True)):
        out[u].append((v, length, edge))
        if not graph.directed:
            out[v].append((u, length, edge))
    return out


def distances(out, source):
    """Distances from a vertex, by Dijkstra, and who is reached in their order."""
    dist, order, done, heap = {source: 0}, [], set(), [(0, source)]
    while heap:
        far, v = heapq.heappop(heap)
        if v in done:
            continue
        done.add(v)
        order.append(v)
        for w, length, _ in out[v]:
            if far + length < dist.get(w, np.inf):
                dist[w] = far + length
                heapq.heappush(heap, (dist[w], w))
    return dist, order


def agree(graph, sources, backend, weight=None, pages=PAGES):
    """The pages give what the oracle does, without a warning."""
    depending, over = exact(graph, sources, weight)
    n, ways = graph.num_vertices, 1 + (not graph.directed)
    others = len(sources) - np.isin(np.arange(n), sources)
    named = {"sources": sources, "normalized": False, "weight": weight, "backend": backend}
    with warnings.catch_warnings():
        warnings.simplefilter("error", NotFiniteWarning)
        found = {page: page(graph, **named) for page in pages}
    wanted = {
        betweenness_centrality: depending * (n - 1) / (others * ways),
        edge_betweenness_centrality: over * n / (len(sources) * ways),
    }
    for page in pages:
        np.testing.assert_allclose(found[page], wanted[page], rtol=1e-9, atol=1e-12)


def ropes(num_links, strands, directed=True):
    """Two chains beside each other, one of ropes; some leave the thin one for the thick one.

    Thick and thin vertices as far from the start have 1 path and `strands` to the power of that.
    Beside every third rope a way of as much length leads over a vertex of its own.
    """
    thick = np.arange(num_links)
    thin = thick + num_links + 1
    ropes = np.repeat(thick, strands)
    over = 2 * num_links + 3 + np.arange(len(thick[::3]))
    parts = [
        (ropes, ropes + 1, 1.0),
        (thin, thin + 1, 1.0),
        ([0], [thin[0]], 1.0),
        (thin[::7], thick[::7] + 2, 1.0),
        ([num_links], [2 * num_links + 2], 1.0),
        (thick[::3], over, 0.5),
        (over, thick[::3] + 1, 0.5),
    ]
    src, dst, length = zip(*((s, d, np.full(len(s), far)) for s, d, far in parts), strict=True)
    src, dst, length = map(np.concatenate, (src, dst, length))
    return Graph.from_edges(src, dst, directed=directed, length=length)


@over_compiled
@over_forms
def test_ropes_of_more_paths_than_floats_hold(backend, weight):
    agree(ropes(160, 100), [0, 3], backend, weight, PAGE_OF[weight])


@over_forms
def test_ropes_of_more_paths_than_smaller_units_hold(weight, monkeypatch):
    """The same text with numbers that plain Python gets to in a second."""
    monkeypatch.setattr(_path_counts, "BASE", 2.0**24)
    monkeypatch.setattr(_path_counts, "MOST", 2.0**48)
    agree(ropes(40, 9), [0, 3], "python", weight)


@over_compiled
@pytest.mark.parametrize("directed", [True, False])
def test_chains_of_diamonds(backend, directed):
    first = 3 * np.arange(1100)
    src = np.concatenate([first, first, first + 1, first + 2])
    dst = np.concatenate([first + 1, first + 2, first + 3, first + 3])
    graph = Graph.from_edges(src, dst, directed=directed, length=np.ones(len(src)))
    for weight in (None, "length"):
        agree(graph, [0, 1, 1650, 3300], backend, weight, PAGE_OF[weight])


@over_compiled
def test_grids(backend):
    side = 530
    ids = np.arange(side * side).reshape(side, side)
    src = np.concatenate([ids[:, :-1].ravel(), ids[:-1].ravel()])
    dst = np.concatenate([ids[:, 1:].ravel(), ids[1:].ravel()])
    graph = Graph.from_edges(src, dst, directed=False)
    depending, _ = exact(graph, [0])
    named = {"sources": [0], "normalized": False, "backend": backend}
    with pytest.warns(NotFiniteWarning, match="1 of the results"):  # of the source is nothing known
        found = betweenness_centrality(graph, **named)
    np.testing.assert_allclose(found[1:], depending[1:] * (side * side - 1) / 2, rtol=1e-9)


@over_backends
@given(graph=graphs(weighted=True, min_vertices=2))
@settings(max_examples=10)
def test_wide_from_the_start_is_the_same(backend, graph):
    sources = range(graph.num_vertices)
    for form, weight in ((None, None), ("length", "weight")):
        for page in PAGES if backend == "python" else PAGE_OF[form]:
            named = {"sources": sources, "normalized": False, "weight": weight, "backend": backend}
            found = page.run(graph, wide=True, **named)
            assert found.stopped != "until"
            wanted = page(graph, **named)
            np.testing.assert_allclose(found.result, wanted, rtol=1e-12, atol=1e-14)


def test_only_graphs_with_so_many_paths_are_counted_wide():
    narrow, wide = (
        betweenness_centrality.run(
            ropes(links, 100), sources=[0, 1], normalized=False, backend="cpu"
        )
        for links in (149, 152)
    )
    assert "power" not in narrow.vertices.names()
    assert wide.vertices.power.max() == 2


def test_networkx_calls_are_counted_wide_too():
    graph = nx.Graph()
    for k in range(1100):
        graph.add_edges_from([(3 * k, 3 * k + 1), (3 * k, 3 * k + 2)])
        graph.add_edges_from([(3 * k + 1, 3 * k + 3), (3 * k + 2, 3 * k + 3)])
    found = nx.betweenness_centrality(graph, k=1, seed=5, backend="emv", endpoints=True)
    assert all(0 < score <= 1 for score in found.values())
