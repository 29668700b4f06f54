"""`Graph` is one class, a face of functions that are written by theme."""

import inspect

import pytest

from emv import Graph
from emv.graph import facts, forms, grow, interchange, tabular, versions

THEMES = (facts, forms, grow, interchange, tabular, versions)
GIVEN = {"cls", "self", "store", "device", "wrap"}  # by the graph, not by its user


def work_of(name):
    """Return the functions of a method's name that are written in one of the themes."""
    found = [vars(theme).get(name) for theme in THEMES]
    return [
        each
        for each, theme in zip(found, THEMES, strict=True)
        if inspect.isfunction(each) and each.__module__ == theme.__name__
    ]


METHODS = [name for name in vars(Graph) if name[0] != "_" and work_of(name)]


def parameters(function):
    return [
        (each.name, each.default, each.annotation)
        for each in inspect.signature(function).parameters.values()
        if each.name not in GIVEN
    ]


def test_one_class():
    assert Graph.__mro__ == (Graph, object)
    assert type(Graph().on("cpu")) is Graph
    assert len(METHODS) > 20


@pytest.mark.parametrize("name", METHODS)
def test_a_method_says_and_takes_what_its_function_does(name):
    (function,) = work_of(name)
    method = getattr(Graph, name)
    assert inspect.getdoc(method) == inspect.getdoc(function)
    assert parameters(method) == parameters(function)


def test_a_field_may_be_called_as_the_functions_call_the_graph():
    g = Graph().add_vertices(2, store=1)
    g.add_edge(0, 1, store=2.0)
    assert (g.vertices.store.tolist(), g.edges.store.tolist()) == ([1, 1], [2.0])


def test_what_a_subclass_makes_is_of_its_class():
    class Roads(Graph):
        pass

    made = Roads.from_edges([0], [1]), Roads.of_tables(Graph().tables())
    assert [type(each) for each in made] == [Roads, Roads]
    assert type(made[0].on("cpu")) is Graph
