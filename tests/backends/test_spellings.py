"""A search and shortest paths keep their shortcut however they are spelled, or are told why not.

The oracles are networkx and scipy; the graphs have loops, repeated edges and parts out of reach.
"""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from backends_available import BACKENDS
from interpreted_cpu import interpreted
from scheduled import compiled
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra
from spelled_paths import PATHS
from spelled_searches import CLAIM, FAR, PARENTS, RELAX, SEARCHES, UNSEEN

from emv import Graph
from emv.config import config
from emv.ir import schedule as s

KINDS = {CLAIM: s.Claim, RELAX: s.Relax}


def random_graph(directed):
    """Return a graph of two parts, with loops, repeats and a vertex of its own."""
    draw = np.random.default_rng(7)
    src, dst = draw.integers(0, 40, (2, 90))
    src, dst = np.r_[src, 41, 42, 41, 3, 3], np.r_[dst, 42, 43, 41, 3, 4]
    length = draw.integers(1, 9, len(src)).astype(np.float32)
    return Graph.from_edges(src, dst, num_vertices=45, directed=directed, weight=length)


def one_graph(vertices, src, dst):
    return Graph.from_edges(src, dst, num_vertices=vertices, weight=np.ones(len(src), np.float32))


GRAPHS = {
    "directed": (random_graph(True), 3),
    "undirected": (random_graph(False), 3),
    "one vertex": (one_graph(1, [], []), 0),
    "a loop": (one_graph(2, [0, 0], [0, 0]), 0),
    "path": (one_graph(9, np.arange(8), np.arange(1, 9)), 0),
    "star": (one_graph(70, np.zeros(69, int), np.arange(1, 70)), 0),
}


def arcs_of(graph):
    """Return both ends of what a search follows, and its length: edges, both ways if undirected."""
    src, dst = graph.edges.endpoints()
    length = np.asarray(graph.edges.weight, float)
    if graph.directed:
        return src.tolist(), dst.tolist(), length.tolist()
    return np.r_[src, dst].tolist(), np.r_[dst, src].tolist(), np.r_[length, length].tolist()


def depths_of(graph, source):
    """Return the depths that networkx finds, -1 where there are none."""
    src, dst, _ = arcs_of(graph)
    other = nx.MultiDiGraph()
    other.add_nodes_from(range(graph.num_vertices))
    other.add_edges_from(zip(src, dst, strict=True))
    found = nx.single_source_shortest_path_length(other, source)
    return np.array([found.get(v, UNSEEN) for v in range(graph.num_vertices)])


def distances_of(graph, source):
    """Return the distances that scipy finds, along the shortest of repeated edges."""
    best = {}
    for u, v, w in zip(*arcs_of(graph), strict=True):
        best[u, v] = min(w, best.get((u, v), np.inf))
    rows, columns = np.array([*best], int).reshape(-1, 2).T
    shape = (graph.num_vertices, graph.num_vertices)
    return dijkstra(csr_array((list(best.values()), (rows, columns)), shape), indices=source)


def sending(program, *args, target="cpu"):
    """Return the launch of a program's loop."""
    made = compiled(program, *args, target=target)
    (loop, *_) = s.loops_in(made.schedule.body)
    (launch,) = s.launches_in(loop.body)
    return launch


def check_form(launch, form):
    kind = KINDS.get(form)
    assert kind is None or isinstance(launch.shortcut, kind), [str(each) for each in launch.missed]
    if kind is None:
        (missed,) = launch.missed
        assert launch.shortcut is None
        assert missed.why.startswith(form)
        assert missed.instead


@pytest.mark.parametrize("target", ["cpu", "cuda"])
@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_is_claimed_or_told_why_not(name, target):
    program, form = SEARCHES[name]
    check_form(sending(program, 0, target=target), form)


@pytest.mark.parametrize("target", ["cpu", "cuda"])
@pytest.mark.parametrize("name", PATHS)
def test_paths_are_relaxed_or_told_why_not(name, target):
    program, form = PATHS[name]
    check_form(sending(program, 0, [1.0], target=target), form)


def check_values(program, expected_of, *given):
    """Compare a program with an oracle on all graphs and backends, cores with 1 and 2 threads."""
    for threads in (1, 2) if "cpu" in BACKENDS else (1,):
        with config.using(num_threads=threads):
            for graph, source in GRAPHS.values():
                expected = expected_of(graph, source)
                for backend in BACKENDS:
                    found = np.array(program(graph, source, *given, backend=backend), float)
                    found[found == FAR] = np.inf
                    np.testing.assert_array_equal(found, expected)


def as_found(name):
    """Return the oracle of a search, whose program says in its own way that there is no path."""

    def expected(graph, source):
        depths = depths_of(graph, source)
        no_path = np.inf if name == "floats" or name.startswith("hops") else UNSEEN
        return np.where(depths == UNSEEN, no_path, depths)

    return expected


@pytest.mark.parametrize("name", SEARCHES)
def test_depths_are_those_of_networkx(name):
    with interpreted():
        check_values(SEARCHES[name][0], as_found(name))


@pytest.mark.parametrize("name", PATHS)
def test_distances_are_those_of_scipy(name):
    with interpreted():
        check_values(PATHS[name][0], distances_of, "weight")


@pytest.mark.parametrize("name", ["step handed to the receiver", "truth value", "floats"])
def test_depths_of_compiled_text(name):
    check_values(SEARCHES[name][0], as_found(name))


@pytest.mark.parametrize("name", ["filter at the sender", "min assigned"])
def test_distances_of_compiled_text(name):
    check_values(PATHS[name][0], distances_of, "weight")


def test_explanation_says_why_not_and_what_to_write():
    program, _ = PATHS["limit"]
    text = program.explain(GRAPHS["path"][0].on("cpu"), 0, "weight")
    why = "but not relaxed in place: its loop may end early, by until= or a limit other than"
    assert why in text
    assert "spelled_paths.py:" in text
    assert "leave limit= and until= out, as it ends when nothing improves" in text


def test_explanation_says_why_hops_are_not_claimed():
    program, _ = SEARCHES["hops from unequal seeds"]
    text = program.explain(GRAPHS["path"][0].on("cpu"), 0)
    assert "relaxes hops in place" in text
    assert "not claimed by the first message: the seeds hold 0 and 1" in text
    assert "let all seeds hold one number" in text


@pytest.mark.parametrize("backend", BACKENDS)
def test_parents_found_afterwards_are_those_of_a_search(backend):
    program, form = PARENTS["found afterwards"]
    check_form(sending(program, 0), form)
    graph, source = GRAPHS["directed"]
    depths = depths_of(graph, source)
    parent = np.asarray(program(graph, source, backend=backend))
    assert ((parent == UNSEEN) == (depths <= 0)).all()
    reached = np.flatnonzero(depths > 0)
    assert (depths[parent[reached]] + 1 == depths[reached]).all()
    arcs = set(zip(*arcs_of(graph)[:2], strict=True))
    assert all((parent[v], v) in arcs for v in reached.tolist())
