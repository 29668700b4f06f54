"""Matrices are networkx' to the dtype, the entry and the format."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]


def towns(kind, weights=(1, 2, 5)):
    G = kind()
    G.add_nodes_from("cabd")
    for number, (u, v) in enumerate(["ab", "bc", "aa", "cb", "ab"]):
        G.add_edge(u, v, weight=weights[number % len(weights)])
    G.add_edge("c", "a")
    return G


def parts(A):
    A = A.tocoo()
    return A.dtype, A.shape, A.row.tolist(), A.col.tolist(), A.data.tolist()


CALLS = [
    {},
    {"weight": None},
    {"dtype": np.float32},
    {"nodelist": ["b", "a"]},
    {"nodelist": list("dcba"), "format": "csc"},
    {"format": "coo"},
    {"nodelist": []},
    {"nodelist": ["a", "a"]},
    {"nodelist": ["a", "z"]},
    {"format": "none"},
]


def outcome(function, *args, **named):
    try:
        return function(*args, **named)
    except (nx.NetworkXError, ValueError) as error:
        return type(error), str(error)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weights", [(1, 2, 5), (0.5, 2.0), (0.5, 3)])
def test_sparse(kind, weights):
    G = towns(kind, weights)
    for named in CALLS:
        found, expected = (
            outcome(nx.to_scipy_sparse_array, G, **named, backend=each)
            for each in ("emv", "networkx")
        )
        if isinstance(expected, tuple):
            assert found == expected
        else:
            assert type(found) is type(expected)
            assert parts(found) == parts(expected), named


def test_nothing():
    for G in (nx.Graph(), nx.empty_graph(3), nx.empty_graph(2, create_using=nx.DiGraph)):
        found, expected = (
            outcome(nx.to_scipy_sparse_array, G, backend=each) for each in ("emv", "networkx")
        )
        same = found == expected if isinstance(expected, tuple) else parts(found) == parts(expected)
        assert same
        assert np.array_equal(nx.to_numpy_array(G, backend="emv"), nx.to_numpy_array(G))


@pytest.mark.parametrize("kind", KINDS[:2])
def test_dense(kind):
    for named in (
        {},
        {"weight": None, "dtype": int},
        {"nodelist": ["b", "a"], "nonedge": np.nan},
        {"nodelist": ["a", "z"]},
        {"nodelist": ["a", "a"]},
        {"order": "F"},
    ):
        found, expected = (
            outcome(nx.to_numpy_array, towns(kind), **named, backend=each)
            for each in ("emv", "networkx")
        )
        if isinstance(expected, tuple):
            assert found == expected
        else:
            np.testing.assert_array_equal(found, expected)
            assert found.dtype == expected.dtype
            assert found.flags.f_contiguous == expected.flags.f_contiguous


def test_numbers_whose_width_would_show_are_refused():
    for weight in (True, np.int8(3), np.float32(1.5)):
        G = nx.Graph()
        G.add_edge(0, 1, weight=weight)
        with pytest.raises(NotImplementedError):
            nx.to_scipy_sparse_array(G, backend="emv")
    with pytest.raises(NotImplementedError):
        nx.to_numpy_array(nx.path_graph(3), dtype=[("weight", int)], weight=None, backend="emv")
