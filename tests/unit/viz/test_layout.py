"""Layouts: forces are networkx's, pictures are no worse, and nobody moves who is fixed."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from networkx.drawing.layout import _fruchterman_reingold as spring_step
from scipy.sparse.csgraph import shortest_path

from emv import Graph
from emv.config import config
from emv.errors import ArgumentError, ColumnError
from emv.viz import Layout, layout
from emv.viz.starts import by_pivots
from emv_kernels.cpu.repulsion import repelled
from tests.oracles.pictures import least_stress


@pytest.fixture(scope="module")
def network():
    return nx.gnm_random_graph(40, 70, seed=1)


@pytest.fixture(scope="module")
def graph(network):
    return Graph.from_networkx(network)


def places(count=40, dim=2, seed=0):
    found = np.random.default_rng(seed).random((count, dim))
    return found - found.mean(axis=0)


def stress(network, where):
    distances = shortest_path(nx.to_scipy_sparse_array(network), unweighted=True)
    return least_stress(distances, where, where)


@pytest.mark.paper("S124")
@pytest.mark.parametrize("backend", ["python", "cpu"])
@pytest.mark.parametrize("dim", [2, 3])
def test_a_round_is_that_of_networkx(network, graph, backend, dim):
    start, matrix = places(dim=dim), nx.to_numpy_array(network)
    wanted = spring_step(matrix, k=2.0, pos=start.copy(), iterations=1, dim=dim)
    hot = 0.1 * np.ptp(start[:, :2], axis=0).max()  # networkx looks at the first two
    found = layout(graph, iterations=1, pos=start, k=2.0, dim=dim, temperature=hot, backend=backend)
    np.testing.assert_allclose(found, wanted, atol=1e-6)


@pytest.mark.paper("S124")
def test_forces_below_the_temperature_are_followed_as_far_as_they_go(network, graph):
    start, k = places(), 0.3
    apart = start[:, None] - start[None]
    d = np.maximum(np.linalg.norm(apart, axis=-1), 0.01)
    force = (apart * (k**2 / d**2 - nx.to_numpy_array(network) * d / k)[..., None]).sum(axis=1)
    found = layout(graph, iterations=1, pos=start, k=k, temperature=1e6, backend="python")
    np.testing.assert_allclose(found, start + force, rtol=1e-4, atol=1e-5)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning:networkx")
@pytest.mark.parametrize(
    ("options", "backend"),
    [
        ({}, "cpu"),
        ({"linlog": True, "distributed_action": True, "gravity": 3.0}, "python"),
        ({"strong_gravity": True, "scaling_ratio": 0.5, "weight": "w"}, "python"),
    ],
    ids=str,
)
def test_forceatlas2_pushes_and_pulls_as_in_networkx(network, graph, options, backend):
    start, draw = places(), np.random.default_rng(3)
    strength = dict(zip(network.edges, draw.random(70), strict=True))
    nx.set_edge_attributes(network, strength, "w")
    wanted = nx.forceatlas2_layout(
        network, dict(enumerate(start.copy())), max_iter=1, **{"weight": None} | options
    )
    if "weight" in options:
        options = options | {"weight": [strength[edge] for edge in network.edges]}
    named = {"method": "forceatlas2", "pos": start, "iterations": 1, "backend": backend}
    moved = layout(graph, **named, **options) - start
    other = np.array([wanted[v] for v in network]) - start
    np.testing.assert_allclose(unit(moved), unit(other), atol=1e-3)


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_forceatlas2_comes_to_rest(graph):
    moving = Layout(graph, "forceatlas2", pos=places() * 100, backend="cpu")
    first = np.abs(moving.step().positions - places() * 100).mean()
    before = moving.step(150).positions
    assert np.abs(moving.step().positions - before).mean() < 0.1 * first
    assert np.isfinite(before).all()


@pytest.mark.parametrize("dim", [2, 3])
def test_a_tree_of_all_bodies_is_exact_and_groups_are_nearly(dim):
    draw = np.random.default_rng(5)
    where = draw.standard_normal((dim, 900)).astype(np.float32)
    where[:, 7] = where[:, 6]
    mass = draw.random(900).astype(np.float32) + 0.5
    apart = where[:, :, None].astype(float) - where[:, None]
    wanted = (apart * mass / np.maximum((apart**2).sum(axis=0), 1e-4)).sum(axis=2)
    np.testing.assert_allclose(repelled(where, mass, 0.0, 0.01, 2), wanted, rtol=1e-3, atol=1e-3)
    error = np.linalg.norm(repelled(where, mass, 0.8, 0.01, 2) - wanted)
    assert error < 0.01 * np.linalg.norm(wanted)


@pytest.mark.paper("S124")
@pytest.mark.parametrize("method", ["fruchterman_reingold", "forceatlas2"])
def test_any_number_of_threads_makes_one_picture(method):
    grid = nx.grid_2d_graph(35, 35)  # which threads share out
    g = Graph.from_networkx(nx.convert_node_labels_to_integers(grid))
    found = []
    for threads in (2, 3):
        with config.using(num_threads=threads):
            named = {"theta": 0.5, "iterations": 2, "rng": 7, "pos": "random", "method": method}
            found.append(layout(g, **named, backend="cpu"))
    np.testing.assert_array_equal(*found)
    assert not np.array_equal(found[0], layout(g, **named | {"rng": 8}, backend="cpu"))


@pytest.mark.paper("S124")
def test_pictures_are_no_worse_than_networkx():
    network = nx.convert_node_labels_to_integers(nx.grid_2d_graph(12, 12))
    g = Graph.from_networkx(network)
    other = nx.spring_layout(network, method="force", seed=1)
    worst = stress(network, np.array([other[v] for v in network]))
    assert stress(network, layout(g, backend="cpu")) < 0.5 * worst
    assert stress(network, layout(g, "forceatlas2", backend="cpu")) < 0.5 * worst
    src, dst = np.array(network.edges).T
    varied = [
        (length := np.linalg.norm(where[src] - where[dst], axis=1)).std() / length.mean()
        for where in (layout(g, iterations=0, pos="random"), layout(g, backend="cpu"))
    ]
    assert varied[1] < 0.7 * varied[0]


def test_a_picture_turns_with_its_start(graph):
    start, turn = places(), np.array([[0.6, -0.8], [0.8, 0.6]])
    plain = layout(graph, pos=start, iterations=1, temperature=0.05, backend="python")
    turned = layout(graph, pos=start @ turn, iterations=1, temperature=0.05, backend="python")
    np.testing.assert_allclose(turned, plain @ turn, atol=1e-4)


@pytest.mark.paper("S128")
def test_rounds_one_by_one_are_rounds_at_once(graph):
    moving = Layout(graph, iterations=3, pos=places(), backend="python")
    seen = [moving.step().positions for _ in range(3)]
    assert moving.rounds == 3
    wanted = layout(graph, iterations=3, pos=places(), backend="python")
    np.testing.assert_array_equal(seen[-1], wanted)
    assert np.abs(seen[0] - seen[1]).max() > 0


@pytest.mark.parametrize("method", ["fruchterman_reingold", "forceatlas2"])
def test_fixed_vertices_stay(graph, method):
    named = {"method": method, "pos": places(), "iterations": 1, "backend": "python"}
    one = layout(graph, fixed=[0, 5], **named)
    mask = np.zeros(40, bool)
    mask[[0, 5]] = True
    np.testing.assert_array_equal(one, layout(graph, fixed=mask, **named))
    stayed = np.flatnonzero((one == places().astype(np.float32)).all(axis=1))
    assert stayed.tolist() == [0, 5]


def test_weights_pull_nearer():
    g = Graph.from_edges([0, 0], [1, 2], weight=[8.0, 0.5])
    where = layout(g, weight="weight", pos="random", iterations=60, backend="python")
    near, far = np.linalg.norm(where[1:] - where[0], axis=1)
    assert far > 2 * near


def test_pivots_find_the_shape_of_a_path_and_leave_others_anywhere():
    path = Graph.from_edges(range(9), range(1, 10), num_vertices=12)
    where = by_pivots(path, 2, 0, "python")
    along = np.diff(where[:10], axis=0)
    assert (np.abs(along @ along[0] / (along[0] @ along[0]) - 1) < 0.2).all()
    assert ((where >= -0.01) & (where <= 1.01)).all()


@pytest.mark.parametrize("count", [0, 1, 2])
@pytest.mark.parametrize("method", ["fruchterman_reingold", "forceatlas2"])
def test_hardly_any_vertices(count, method):
    g = Graph.from_edges([], [], num_vertices=count)
    for theta in (0.0, 0.5):
        where = layout(g, method, theta=theta, iterations=2, backend="python")
        assert where.shape == (count, 2)
        assert np.isfinite(where).all()


@pytest.mark.parametrize(
    ("named", "error", "says"),
    [
        ({"method": "springs"}, ArgumentError, "'fruchterman_reingold', 'forceatlas2'"),
        ({"pos": "round"}, ArgumentError, "'pivots', 'random'"),
        ({"pos": np.zeros((3, 2))}, ArgumentError, r"shape \(3, 2\)"),
        ({"pos": np.full((40, 2), np.nan)}, ArgumentError, "NaN"),
        ({"fixed": [0]}, ArgumentError, "pos="),
        ({"fixed": [40], "pos": places()}, ArgumentError, "below 40"),
        ({"weight": [1.0, 2.0]}, ColumnError, "70 edges"),
        ({"weight": -1.0}, ArgumentError, "below 0"),
        ({"dim": 4}, ArgumentError, "Give 2 or 3"),
        ({"theta": 1.0}, ArgumentError, "below 1"),
        ({"iterations": -1}, ArgumentError, "from 0 on"),
        ({"gravity": 1.0}, ArgumentError, "no option 'gravity'"),
        ({"method": "forceatlas2", "linlog": 1}, ArgumentError, "True or False"),
        ({"k": 0.0}, ArgumentError, "above 0"),
    ],
    ids=str,
)
def test_what_cannot_be_meant_is_refused(graph, named, error, says):
    with pytest.raises(error, match=says):
        layout(graph, **named)
