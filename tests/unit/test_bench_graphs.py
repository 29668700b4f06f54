"""The generators of the bench, on small graphs."""

import numpy as np
import pytest

from bench import graphs

SMALL = {
    "rmat": graphs.load("rmat8"),
    "kron": graphs.load("kron8"),
    "road": graphs.load("road20"),
}


@pytest.mark.parametrize("graph", SMALL.values(), ids=SMALL)
def test_edges_are_in_range_and_no_loops(graph):
    for end in (graph.src, graph.dst):
        assert end.dtype == np.int32
        assert end.min() >= 0
        assert end.max() < graph.num_vertices
    assert (graph.src != graph.dst).all()
    assert 0 <= graph.source < graph.num_vertices


@pytest.mark.parametrize("graph", SMALL.values(), ids=SMALL)
def test_weights_are_whole_and_symmetric(graph):
    assert graph.weight.dtype == np.float32
    assert set(np.unique(graph.weight)) <= set(range(1, 64))
    np.testing.assert_array_equal(graph.weight, graphs.edge_weights(graph.dst, graph.src))


def test_rmat_keeps_parallel_edges_and_most_drawn():
    graph = SMALL["rmat"]
    key = graph.src.astype(np.int64) << 32 | graph.dst
    assert len(np.unique(key)) < len(key)
    assert 0.9 * 16 * 256 < len(key) <= 16 * 256


def test_rmat_follows_its_chances():
    src, dst = graphs.draw_rmat(np, graphs.Draws(np, 1), 100_000, 1, (0.45, 0.15, 0.15))
    shares = np.sort(np.bincount(2 * src + dst, minlength=4) / len(src))
    np.testing.assert_allclose(shares, [0.15, 0.15, 0.25, 0.45], atol=0.01)


def test_kronecker_is_simple():
    graph = SMALL["kron"]
    assert (graph.src < graph.dst).all()
    assert len(set(zip(graph.src.tolist(), graph.dst.tolist(), strict=True))) == len(graph.src)


def test_road_joins_neighbours_of_a_grid_and_lost_a_third():
    graph = SMALL["road"]
    assert set((graph.dst - graph.src).tolist()) == {1, 20}
    assert (graph.src[graph.dst - graph.src == 1] % 20 < 19).all()
    assert 0.6 < len(graph.src) / (2 * 20 * 19) < 0.8


@pytest.mark.parametrize("graph", SMALL.values(), ids=SMALL)
def test_rows_hold_every_arc_sorted(graph):
    indptr, indices, weights = graph.rows()
    src, dst, weight = graph.arcs()
    rows = np.repeat(np.arange(graph.num_vertices), np.diff(indptr))
    found = sorted(zip(rows.tolist(), indices.tolist(), weights.tolist(), strict=True))
    assert found == sorted(zip(src.tolist(), dst.tolist(), weight.tolist(), strict=True))
    assert [row[:2] for row in found] == list(zip(rows.tolist(), indices.tolist(), strict=True))


def test_second_load_reads_the_cache(tmp_path, monkeypatch):
    monkeypatch.setitem(graphs.NAMED, "road", graphs.recipe_of("road10"))
    monkeypatch.setattr(graphs, "CACHE", tmp_path)
    made = graphs.load("road")
    monkeypatch.setitem(graphs.NAMED, "road", None)
    read = graphs.load("road")
    np.testing.assert_array_equal(made.src, read.src)
    assert (made.name, made.source, made.directed) == (read.name, read.source, read.directed)
    assert [path.name for path in tmp_path.iterdir()] == ["road.npz"]


def test_a_graph_that_there_is_not_is_told_with_those_that_there_are():
    with pytest.raises(SystemExit, match=r"no graph ring5; there are .*rmatN"):
        graphs.load("ring5")
