"""What goes wrong in the first ten minutes, and what is said to it."""

from __future__ import annotations

import numpy as np
import pytest
from errors.expect import path

import emv
from emv import Edge, Graph, Vertex, edge, i32, program, vertex
from emv.errors import CallError, FieldError, GraphError, LanguageError, TypeMismatchError


class Spot(Vertex):
    above: i32 = -1


@vertex
def look(v: Spot):
    v.above = v.id


@program
def looks(g):
    look(g)
    return g.vertices.above


def test_a_function_on_a_graph_outside_a_program():
    with pytest.raises(TypeMismatchError, match=r"not to a graph[^$]*@program, def run\(g\)"):
        look(path())


def test_two_decorators():
    with pytest.raises(LanguageError, match="a program is another def"):
        program(look)
    with pytest.raises(LanguageError, match="a program is another def"):
        vertex(looks)


def test_a_program_without_a_graph():
    with pytest.raises(ValueError, match=r"looks\(\) runs on an emv.Graph, not on None"):
        looks()


def test_edges_as_pairs_and_by_name():
    pairs = [("ann", "bob"), ("bob", "cy")]
    with pytest.raises(CallError, match=r"from_edges\(\*zip\(\*pairs\)\)"):
        Graph.from_edges(pairs)
    with pytest.raises(GraphError, match="pass renumber=True"):
        Graph.from_edges(*zip(*pairs, strict=True))
    assert Graph.from_edges(*zip(*pairs, strict=True), renumber=True).num_vertices == 3


@vertex
def compares_with_none(v: Spot):
    if v.above == None:  # noqa: E711
        v.above = v.id


@vertex
def says_nan(v: Spot):
    v.above = int(float("nan"))


@vertex
def names_in_passing(v: Spot):
    if (n := v.id) > 1:
        v.above = n


SLIPS = {
    compares_with_none: "let -1 stand for no vertex",
    says_nan: "write math.nan",
    names_in_passing: "Assign on a line of its own, above",
}


@pytest.mark.parametrize(("function", "remedy"), SLIPS.items(), ids=lambda each: str(each)[:12])
def test_words_that_are_no_numbers(function, remedy):
    @program
    def mistaken(g):
        function(g)

    for backend in ("python", "cpu"):
        with pytest.raises(LanguageError, match=remedy):
            mistaken(path(), backend=backend)


@program
def sums_up(g):
    look(g)
    return np.sum(g.vertices.above)


def test_functions_of_numpy_on_columns():
    for backend in ("python", "cpu"):
        with pytest.raises(TypeMismatchError, match=r"(?s)is a column.*in sums_up.*emv.total"):
            sums_up(path(), backend=backend)


@edge
def bare(e: Edge):
    e.send(e.src.above)


@program
def of_bare(g):
    return emv.sum(bare(g))


def test_records_of_emv_itself():
    for backend in ("python", "cpu"):
        with pytest.raises(FieldError, match=r"no field 'above'[^$]*name yours"):
            of_bare(path(), backend=backend)
