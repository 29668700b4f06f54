"""An equal call finds what the last one found, unless something it depends on has changed."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

from emv import Edge, Graph, Vertex, config, edge, f32, program, sum, vertex
from emv.algorithms import bfs, sssp
from emv.algorithms._negative_cycles import NegativeCycleError
from emv.errors import NotFiniteWarning
from emv.runtime.parameters import met_before
from emv.runtime.program import ProgramFunction


class Spot(Vertex):
    rank: f32 = 2.0


class Line(Edge[Spot]):
    weight: f32 = 1.0


@vertex
def double(v: Spot):
    v.rank = 2 * v.rank


@program(bind={"rank": Spot.rank, "weight": Line.weight})
def doubled(g, rank=None, weight=None):
    double(g)
    return g.vertices.rank


class Watched(ProgramFunction):
    """A program that counts how often it is looked at before a run, and what it is told behind."""

    def __init__(self, function: ProgramFunction) -> None:
        super().__init__(function.python, function.bind, function.host_loop)
        self.looked, self.told = 0, list[object]()

    def _refuse(self, graph, arguments, text):
        self.looked += 1
        return self.looked

    def _finish(self, run, arguments, text, told):
        self.told.append(told)


def path(number: int = 4, **columns) -> Graph:
    return Graph.from_edges(np.arange(number - 1), np.arange(1, number), **columns).on("cpu")


def test_equal_calls_are_looked_at_once():
    g, made = path(), Watched(doubled)
    for _ in range(3):
        assert made(g).tolist() == [4.0] * 4
    assert (made.looked, made.told) == (1, [1, 1, 1])
    made(g, weight=2)
    made(g, weight=2.0)  # equal, and not the same
    made(g, weight=True and 2)
    assert made.looked == 3


def test_the_very_objects_by_other_names_are_another_call():
    g, made, one, other = path(), Watched(doubled), 3.5, 4.5
    for _ in range(2):
        assert made(g, rank=one, weight=other).tolist() == [7.0] * 4
        assert made(g, weight=one, rank=other).tolist() == [9.0] * 4
        assert made(g, one).tolist() == [7.0] * 4
    assert made.looked == 3


def test_a_call_is_known_before_it_runs():
    g, made = path(), Watched(doubled)
    assert met_before(made, g, (2.5,), {}) is None
    made(g, 2.5)
    found = met_before(made, g, (2.5,), {})
    assert found is met_before(made, g, (2.5,), {}) is not None
    assert found.holds(g)
    made(g, 2.5)
    assert made.looked == 1
    for args, named in (((2,), {}), ((2.5,), {"schedule": None}), ((), {"rank": 2.5})):
        assert met_before(made, g, args, named) is None
    assert met_before(made, path(), (2.5,), {}) is None
    g.edges.weight = np.ones(3)
    assert met_before(made, g, (2.5,), {}) is None


@pytest.mark.parametrize(
    "change",
    [
        lambda g: setattr(g.edges, "weight", np.ones(3)),
        lambda g: g.edges.__delitem__("weight"),
        lambda g: g.add_vertex(),
        lambda g: g.add_edge(0, 2, weight=5.0),
    ],
    ids=["assigned", "removed", "vertex", "edge"],
)
def test_a_changed_graph_is_looked_at_again(change):
    g, made = path(weight=np.zeros(3)), Watched(doubled)
    for _ in range(2):
        made(g)
    change(g)
    for _ in range(2):
        assert made(g).tolist() == [4.0] * g.num_vertices
    assert made.looked == 2


def test_another_graph_place_or_precision_is_looked_at():
    g, made = path(), Watched(doubled)
    made(g)
    made(path())
    made(g.on("python"))
    made(g)
    assert made.looked == 3 + 1  # of one graph the last is known
    made.run(g, backend="python")
    made.run(g, precision="double")
    assert made.looked == 6
    with config.using(backend="python"):
        free = Graph.from_edges([0], [1])
        assert made.run(free).backend == "python"
    with config.using(backend="cpu"):
        assert made.run(free).backend == "cpu"


def test_a_column_of_vertices_may_change_in_place():
    g, made = path(), Watched(doubled)
    g.vertices.mine = np.ones(4, np.float32)
    assert made(g, "mine").tolist() == [2.0] * 4
    g.vertices.mine[:] = 3
    assert made(g, "mine").tolist() == [6.0] * 4
    assert made.looked == 2


def test_what_was_refused_is_refused_again_and_seen_after_a_change():
    g = path(3, weight=[1.0, -2.0])
    assert [sssp(g, 0).tolist() for _ in range(3)] == [[0.0, 1.0, -1.0]] * 3
    g = Graph.from_edges([0, 1], [1, 0], weight=[1.0, 1.0]).on("cpu")
    assert [sssp(g, 0).tolist() for _ in range(3)] == [[0.0, 1.0]] * 3
    g.edges.weight = [1.0, -2.0]
    for _ in range(2):
        with pytest.raises(NegativeCycleError):
            sssp(g, 0)
    g.edges.weight = np.array([3e38, 1], np.float32)
    assert sssp(g, 0).tolist() == [0.0, float(np.float32(3e38))]
    long = path(3, weight=np.full(2, 3e38, np.float32))
    for _ in range(3):  # each call warns of it
        with pytest.warns(NotFiniteWarning, match="vertex 2"):
            sssp(long, 0)


def test_variables_of_a_widened_text_are_those_of_the_call():
    factor = 2

    @edge
    def offer(e: Line):
        e.send(e.src.rank * e.weight * factor)

    @vertex
    def take(v: Spot, got: f32):
        v.rank = got

    @program(bind={"weight": Line.weight}, precision="weight")
    def scaled(g, weight="weight"):
        take(g, sum(offer(g)))
        return g.vertices.rank

    g = path(2, weight=np.array([0.5]))  # of f64, so that the text is widened
    for _ in range(3):
        assert scaled(g).tolist() == [0.0, 2.0]
    factor = 6
    assert scaled(g).tolist() == [0.0, 6.0]


def test_nothing_holds_the_graph():
    g = path()
    for _ in range(3):
        bfs(g, 0)
    layouts = weakref.ref(g.layouts)
    del g
    gc.collect()
    assert layouts() is None
