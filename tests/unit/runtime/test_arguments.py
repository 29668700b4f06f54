"""Arguments are sorted into numbers, lists of ids, columns and constants."""

import numpy as np
import pytest

from emv import Edge, Graph, Vertex, f32
from emv.algorithms import pagerank
from emv.errors import ArgumentError
from emv.runtime.arguments import sort_arguments
from emv.runtime.compile import trace_key


class Road(Edge[Vertex]):
    length: f32


def python(g, source, weight="length", mode="fast", tol=1e-6):
    """Stand for a program function."""


def sort(*args, **named):
    return sort_arguments(python, {"weight": Road.length}, args, named)


def test_every_kind_of_argument():
    arguments = sort([2, 1], tol=np.float32(0.5), mode=None)
    assert arguments.numbers == {"tol": 0.5}
    assert type(arguments.numbers["tol"]) is float
    assert arguments.arrays["source"].tolist() == [2, 1]
    assert arguments.arrays["source"].dtype == np.int64
    assert arguments.bindings == {("edge", "length"): ("length", True)}
    assert arguments.values["mode"] is None


def test_a_column_given_by_name_is_no_default():
    assert sort(0, "length").bindings == {("edge", "length"): ("length", False)}
    assert sort(0, weight=2).bindings == {("edge", "length"): (2, False)}


def test_an_array_without_dimensions_is_a_number():
    arguments = sort(np.array(3))
    assert arguments.numbers["source"] == arguments.values["source"] == 3
    assert arguments.arrays == {}


def test_numbers_do_not_change_what_is_compiled_but_their_kind_and_constants_do():
    key = trace_key(sort(1))
    assert trace_key(sort(2, tol=0.5)) == key
    assert trace_key(sort(1, weight=[1.0])) == key
    assert trace_key(sort(1.0)) != key
    assert trace_key(sort([1])) != key
    assert trace_key(sort(1, mode="slow")) != key
    assert trace_key(sort(1, mode=True)) != trace_key(sort(1, mode=np.True_))


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), r"python\(\): missing a required argument: 'source'; it takes \(g, source"),
        ((0, 1, 2, 3, 4), "too many positional arguments"),
        ((0, ["a"]), "weight is a column's name, a number or an array"),
        (([[1], [1, 2]],), "source is a vertex id or a list of vertex ids"),
    ],
)
def test_mistakes(args, message):
    with pytest.raises(ArgumentError, match=message):
        sort(*args)


@pytest.mark.parametrize(
    ("named", "meant"),
    [
        ({"alhpa": 1}, "Did you mean 'alpha'?"),
        ({"max_iters": 1}, "Did you mean 'max_iter'?"),
        ({"bakend": "cpu"}, "Did you mean 'backend'?"),
        ({"zzz": 1}, ""),
    ],
)
def test_unknown_argument_is_a_type_error_with_what_is_meant(named, meant):
    graph = Graph.from_edges([0], [1])
    with pytest.raises(TypeError, match="got an unexpected keyword argument") as caught:
        pagerank(graph, **named)
    assert isinstance(caught.value, ArgumentError)
    assert str(caught.value).endswith(f"dangling_weights=None).{' ' * bool(meant)}{meant}")
