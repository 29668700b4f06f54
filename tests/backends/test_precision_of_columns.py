"""``@program(precision="toll")``: f32 is read in the width of what a parameter supplies."""

from __future__ import annotations

import numpy as np
import pytest

import emv
from emv import Edge, Graph, Vertex, edge, f32, program, vertex
from emv.errors import ArgumentError, TypeMismatchError


class Stop(Vertex):
    far: f32 = emv.inf
    least: f32 = -emv.inf


class Way(Edge[Stop]):
    toll: f32 = 2.0


@edge
def pay(way: Way):
    if way.src.far < emv.inf:
        way.send(way.src.far + way.toll)


@vertex
def keep_cheaper(v: Stop, toll: f32):
    if toll < v.far:
        v.far = toll
        v.activate()


@vertex
def is_near(v: Stop, most: f32):
    return v.far <= most and v.least == -emv.inf


@program(bind={"toll": Way.toll}, precision="toll")
def tolls(g, source, toll="toll"):
    keep_cheaper(g.only(source), 0)
    for _ in g.supersteps():
        paid = pay(g.active)
        keep_cheaper(paid.receivers, emv.min(paid))
    return g.vertices.far, emv.count(is_near(g, emv.smallest(g.edges.toll)))


LARGEST = 2**63 - 1
WIDTHS = {
    "f4": (np.float32, np.inf),
    "f8": (np.float64, np.inf),
    "i1": (np.int64, LARGEST),
    "u4": (np.int64, LARGEST),
    "i8": (np.int64, LARGEST),
    "?": (np.int64, LARGEST),
}


@pytest.mark.parametrize("dtype", WIDTHS)
def test_a_program_reads_f32_as_its_column_is(dtype, backend):
    wanted, nowhere = WIDTHS[dtype]
    graph = Graph.from_edges([0, 1, 2], [1, 2, 1], num_vertices=4, toll=np.array([1, 1, 1], dtype))
    found, near = tolls(graph, 0, backend=backend)
    assert found.dtype == wanted
    assert found.tolist() == [0, 1, 2, nowhere]
    assert near == 2
    for word, named in {"single": np.float32, "double": np.float64}.items():
        again, near = tolls(graph, 0, precision=word, backend=backend)
        assert again.dtype == named
        assert again.tolist() == [0, 1, 2, np.inf]
        assert near == 2


def test_digits_of_a_column_are_kept(backend):
    long = 2**60
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3], toll=[long, 1, 1])
    assert tolls(graph, 0, backend=backend)[0].tolist() == [0, long, long + 1, long + 2]
    graph.edges.toll = [0.1, 0.2, 1e-17]
    assert tolls(graph, 0, backend=backend)[0].tolist() == [0, 0.1, 0.1 + 0.2, 0.1 + 0.2 + 1e-17]


@pytest.mark.parametrize(
    ("toll", "dtype"),
    [
        (3, np.int64),
        (3.0, np.float64),
        (np.float32(3), np.float32),
        (np.uint8(3), np.int64),
        (np.array([3, 3], np.float32), np.float32),
        ([3.0, 3.0], np.float64),
        (None, np.float64),
    ],
)
def test_a_number_an_array_and_a_default_have_a_width_too(toll, dtype, backend):
    graph = Graph.from_edges([0, 1], [1, 2])
    found, _ = tolls(graph, 0, toll, backend=backend)
    assert found.dtype == dtype
    assert found.tolist() == ([0, 2, 4] if toll is None else [0, 3, 6])
    assert tolls(graph, 0, backend=backend)[0].dtype == np.float64  # the column is not there


def test_what_is_shown_is_what_runs(compiled):
    ids = np.arange(1000)  # enough that the widths of columns show beside what is rounded up
    graph = Graph.from_edges(ids[:-1], ids[1:], toll=ids[1:]).on(compiled)
    asked = [None, "single", "double"]
    plans = [tolls.memory_plan(graph, 0, precision=each).new_bytes for each in asked]
    assert min(plans) == plans[1] < plans[0]
    assert len({tolls.source(graph, 0, precision=each) for each in asked}) == 3


def test_constants_that_are_no_whole_numbers_are_refused_for_whole_columns(backend):
    class Half(Edge[Stop]):
        toll: f32 = 0.5

    @edge
    def toll_of(way: Half):
        return way.toll

    @program(bind={"toll": Half.toll}, precision="toll")
    def halves(g, toll="toll"):
        return emv.total(toll_of(g.edges))

    graph = Graph.from_edges([0], [1], toll=[3])
    with pytest.raises(TypeMismatchError, match=r"the default 0\.5 of 'toll' does not fit i64"):
        halves(graph, backend=backend)
    assert halves(graph, precision="single", backend=backend) == 3.0


def test_a_precision_names_a_parameter_that_supplies_a_column():
    with pytest.raises(ArgumentError, match="precision='tol'") as error:

        @program(bind={"toll": Way.toll}, precision="tol")
        def wrong(g, toll="toll", source=0):
            return g.vertices.far

    assert "'single', 'double' or a parameter of bind=. Did you mean 'toll'?" in str(error.value)
