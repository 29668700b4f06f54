"""`strongly_connected_components` gives networkx's on every backend; its check knows wrong ones."""

import itertools

import networkx as nx
import numpy as np
import pytest
from algorithm_cases import REAL_CASES, networkx_of, real_graph
from backends_available import BACKENDS
from hypothesis import given, settings
from strategies import graphs

from emv import Graph
from emv.algorithms import (
    WrongResultError,
    check_strongly_connected_components,
    strongly_connected_components,
)
from emv.algorithms.strongly_connected_components import LEVELS, group_of, key_of
from emv.generators import grid

over_backends = pytest.mark.parametrize("backend", BACKENDS)


def smallest_ids(graph):
    labels = np.full(graph.num_vertices, -1)
    for members in nx.strongly_connected_components(networkx_of(graph)):
        labels[list(members)] = min(members)
    return labels.tolist()


@over_backends
@settings(max_examples=40)
@given(graph=graphs(directed=True))
def test_components_are_networkxs(backend, graph):
    found = strongly_connected_components(graph, backend=backend)
    assert found.dtype == np.int64
    assert found.tolist() == smallest_ids(graph)
    check_strongly_connected_components(graph, found)


@pytest.mark.parametrize(("backend", "name"), REAL_CASES)
def test_components_of_real_graphs(backend, name):
    """Directed, whatever the file says: of an undirected edge only one way stays."""
    graph = real_graph(name)
    graph = Graph.from_edges(*graph.edges.endpoints(), num_vertices=graph.num_vertices)
    found = strongly_connected_components(graph, backend=backend)
    assert found.tolist() == smallest_ids(graph)
    check_strongly_connected_components(graph, found)


@over_backends
@pytest.mark.parametrize("order", [1, -1, 37])
def test_long_ring_and_long_path_take_few_supersteps(backend, order):
    """Ids that rise, that fall, and that jump along the arcs."""
    count = 31 if backend == "python" else 1009
    ids = np.arange(count) * order % count
    ring = Graph.from_edges(ids, np.roll(ids, -1))
    run = strongly_connected_components.run(ring, backend=backend)
    assert set(run.result.tolist()) == {0}
    assert run.supersteps < 2 * LEVELS + max(31, count // 16)
    path = Graph.from_edges(ids[:-1], ids[1:])
    run = strongly_connected_components.run(path, backend=backend)
    assert run.result.tolist() == list(range(count))
    assert run.supersteps < LEVELS + 350


@over_backends
def test_arcs_both_ways_are_united_however_long_the_paths(backend):
    src, dst = grid(9, 9).edges.endpoints()
    both = Graph.from_edges(np.concatenate([src, dst]), np.concatenate([dst, src]))
    run = strongly_connected_components.run(both, backend=backend)
    assert set(run.result.tolist()) == {0}
    assert run.supersteps < LEVELS + 32


def dense(first, count, seed):
    """Return arcs that make so many vertices from `first` on one component of short paths."""
    ids = np.arange(count)
    others = np.random.default_rng(seed).integers(0, count, 3 * count)
    src = np.concatenate([ids, np.tile(ids, 3)])
    return src + first, np.concatenate([np.roll(ids, -1), others]) + first


def with_paths(*paths, parts=((0, 60),)):
    """Return dense parts, given by first vertex and count, and paths; ids are shuffled."""
    arcs = [dense(*part, seed=7) for part in parts]
    arcs += [(np.asarray(path[:-1]), np.asarray(path[1:])) for path in paths]
    src, dst = (np.concatenate(ends) for ends in zip(*arcs, strict=True))
    count = int(max(src.max(), dst.max())) + 1
    new_id = np.random.default_rng(8).permutation(count)
    return Graph.from_edges(new_id[src], new_id[dst], num_vertices=count)


def pairs(ids):
    """Return the arcs between all of these vertices."""
    return itertools.permutations(ids, 2)


LONG = range(60, 60 + LEVELS + 10)  # more vertices than a search takes levels
SEARCHES = {
    "one component": with_paths(),
    "paths into, out of and past it": with_paths(
        (60, 61, 3), (5, 62, 63), (5, 64, 65, 64), (66, 67, 66, 2), (60, 68, 69, 68, 62), (70, 71)
    ),
    "a long way out": with_paths((1, *LONG)),
    "a long way in": with_paths((*LONG, 1)),
    "a long way round": with_paths((1, *LONG, 2), (*LONG[:4], 3)),
    "a pivot that reaches few": with_paths((5, 90), *pairs(range(90, 100))),
    "two, one behind the other": with_paths((5, 60), (5, 61, 60, 62), parts=((0, 60), (60, 20))),
}


@over_backends
@pytest.mark.parametrize("name", SEARCHES)
def test_searches_from_the_pivot(backend, name):
    """They find all of a component or, stopped early, a part; others are found all the same."""
    graph = SEARCHES[name]
    found = strongly_connected_components(graph, backend=backend)
    assert found.tolist() == smallest_ids(graph)
    check_strongly_connected_components(graph, found)


@over_backends
def test_one_component_of_short_paths_takes_two_searches(backend):
    run = strongly_connected_components.run(SEARCHES["one component"], backend=backend)
    assert set(run.result.tolist()) == {0}
    assert run.supersteps <= 16


def test_keys_have_inverses():
    groups = [0, 1, 2, 10**6, 2**31 - 1]
    assert [group_of(key_of(group)) for group in groups] == groups


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([0, 0, 0, 0], "the 1 groups fall into 2 that are connected"),
        ([0, 1, 2, 3], "some groups are on a cycle"),
        ([1, 1, 1, 3], "vertex 0 has the label 1"),
        ([0, 0, 1, 3], "vertex 2 has the label of vertex 1"),
        ([0, 0, 0], "shape"),
    ],
)
def test_check_finds_wrong_labels(wrong, message):
    graph = Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3])
    check_strongly_connected_components(graph, np.array([0, 0, 0, 3]))
    with pytest.raises(WrongResultError, match=message):
        check_strongly_connected_components(graph, np.array(wrong))
