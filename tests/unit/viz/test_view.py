"""What is seen going down and up, and pictures by matplotlib."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse.csgraph import shortest_path

import emv
from emv import Graph
from emv.algorithms import pagerank
from emv.errors import ArgumentError
from emv.viz.values import OTHERS, values_of

ROUNDS = {"iterations": 1, "backend": "python"}


@pytest.fixture
def graph():
    src, dst = np.random.default_rng(2).integers(0, 30, (2, 45))
    return Graph.from_edges(src, dst, num_vertices=30, weight=np.arange(45.0))


@pytest.fixture
def places():
    return np.random.default_rng(4).random((30, 2))


@pytest.mark.paper("S125")
@pytest.mark.parametrize("hops", [0, 1, 2, 3])
def test_down_is_the_ball_with_all_edges_in_it(graph, places, hops):
    view = emv.viz.view(graph, pos=places, color=np.arange(30.0))
    depth = shortest_path(graph.to_scipy(None), directed=False, unweighted=True, indices=8)
    near = np.flatnonzero(depth <= hops)
    view.drill_down(8, hops)
    np.testing.assert_array_equal(view.ids, near)
    src, dst = graph.edges.endpoints()
    inside = np.isin(src, near) & np.isin(dst, near)
    np.testing.assert_array_equal(np.sort(view.graph.edges.weight), np.flatnonzero(inside))
    ends = [view.ids[each] for each in view.graph.edges.endpoints()]
    np.testing.assert_array_equal(ends, [src[inside], dst[inside]])
    np.testing.assert_allclose(view.positions, places[near], rtol=1e-6)
    np.testing.assert_array_equal(view.picture.color.numbers, near)


@pytest.mark.paper("S125")
def test_down_twice_and_up_twice(graph, places):
    view = emv.viz.view(graph, pos=places, labels=[f"v{k}" for k in range(30)])
    wide = view.picture
    near = view.drill_down(8, 3).picture
    other = int(view.ids[-1])
    assert set(view.drill_down(other, 1).ids) <= set(near.ids)
    assert view.picture.name_of(int(np.searchsorted(view.ids, other))) == f"v{other}"
    assert "1 hops around" in repr(view)
    assert view.drill_up().picture is near
    assert view.drill_up().picture is wide
    with pytest.raises(ArgumentError, match="whole graph"):
        view.drill_up()


@pytest.mark.paper("S128")
def test_what_is_near_begins_where_it_was(graph):
    view = emv.viz.view(graph, **ROUNDS | {"iterations": 5})
    wide = view.positions
    view.drill_down(8, 2)
    moved = np.linalg.norm(view.positions - wide[view.ids], axis=1)
    assert moved.max() > 0
    kept = np.corrcoef(view.positions.ravel(), wide[view.ids].ravel())[0, 1]
    assert kept > 0.8


def test_vertices_that_are_not_seen_are_refused(graph, places):
    view = emv.viz.view(graph, pos=places).drill_down(8, 0)
    with pytest.raises(ArgumentError, match="vertex 9 is not in the picture"):
        view.drill_down(9)
    with pytest.raises(ArgumentError, match="hops=-1"):
        view.drill_down(8, -1)


def test_values_are_columns_algorithms_runs_and_arrays(graph):
    graph.vertices.age = np.arange(30)
    rank = pagerank.run(graph, backend="python")
    assert values_of(graph, rank).name == "pagerank"
    np.testing.assert_array_equal(values_of(graph, "age").numbers, np.arange(30))
    np.testing.assert_allclose(values_of(graph, "pagerank").numbers, rank.result, rtol=1e-5)
    several = values_of(graph, [f"k{min(k, 14)}" for k in range(30)], "kind")
    assert len(several.kinds) == 10
    assert several.kinds[-1] == OTHERS
    assert several.kinds[int(several.numbers[29])] == "k14"
    groups = np.repeat([1, 4, 6, 9, 10, 13, 15, 17, 20, 22, 25, 29], [8] + 11 * [2])
    groups[np.unique(groups)] = np.unique(groups)  # each is called as one of its members
    assert values_of(graph, groups).kinds[0] == "1"
    assert not values_of(graph, np.arange(30) // 2).kinds
    assert values_of(graph, np.arange(30) // 2, "louvain").kinds
    skewed = values_of(graph, 10.0 ** np.r_[np.zeros(28), 2, np.nan])
    assert skewed.is_log
    assert skewed.shares()[[0, 28]].tolist() == [0, 1]
    with pytest.raises(ArgumentError, match=r"no algorithm 'pagerunk'.*pagerank"):
        values_of(graph, "pagerunk")
    with pytest.raises(ArgumentError, match="30 vertices"):
        values_of(graph, [1.0])


@pytest.mark.paper("S126")
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_draw_shows_vertices_edges_and_a_scale(graph, places, theme, tmp_path):
    file = tmp_path / "graph.png"
    numbers = np.linspace(1, 2, 30)
    figure = emv.viz.draw(
        graph, file, color=numbers, size=numbers, pos=places, names=3, theme=theme
    )
    image = file.read_bytes()
    assert image.startswith(b"\x89PNG")
    axes, scale = figure.axes
    lines, dots = axes.collections
    assert len(lines.get_segments()) == 45
    drawn = {tuple(each) for each in np.float32(dots.get_offsets())}
    assert drawn == {tuple(each) for each in np.float32(places)}
    sizes = dict(zip(map(tuple, np.float32(dots.get_offsets())), dots.get_sizes(), strict=True))
    ordered = [sizes[tuple(each)] for each in np.float32(places)]
    assert ordered == sorted(ordered)
    assert sorted(each.get_text() for each in axes.texts) == ["27", "28", "29"]
    assert scale.get_ylabel() == "value"


def test_draw_names_kinds_and_draws_on_given_axes(graph, places):
    figure = pytest.importorskip("matplotlib.figure").Figure()
    axes = figure.subplots(1, 2)
    kinds = np.arange(30) % 3 == 0
    found = emv.viz.draw(graph, ax=axes[1], pos=places, values={"third": kinds}, color=kinds)
    assert found is figure
    assert not axes[0].collections
    assert [each.get_text() for each in axes[1].get_legend().get_texts()] == ["False", "True"]


def test_draw_refuses(graph, places, tmp_path):
    with pytest.raises(ArgumentError, match="cannot be saved"):
        emv.viz.draw(graph, tmp_path / "graph.nothing", pos=places)
    with pytest.raises(ArgumentError, match="'light' or 'dark'"):
        emv.viz.draw(graph, pos=places, theme="pink")
    with pytest.raises(ArgumentError, match="29 labels"):
        emv.viz.draw(graph, pos=places, labels=["x"] * 29)
