"""Wherever messages wait on a GPU, the result is that of the eager backend."""

from __future__ import annotations

import numpy as np
import pytest
from backends.buffer_cases import agree, everything, in_turn, posting, shapes
from backends.test_buffers import gathering

import emv
from emv import Graph

pytestmark = pytest.mark.skipif(not emv.cuda_available(), reason="there is no GPU")


@pytest.mark.parametrize("turn", range(4))
def test_every_function_has_another_buffer(turn):
    for name, graph in shapes(9000).items():
        expected = everything(graph, backend="python")
        found = everything(graph, backend="cuda", schedule=in_turn(turn))
        agree(found, expected, f"{name} {turn}")


@pytest.mark.parametrize("name", ["grouped", "lists"])
def test_messages_to_any_vertex_stand_before_those_along_arcs(name):
    for shape, graph in shapes(2500).items():
        expected = posting(graph, backend="python")
        found = posting(graph, backend="cuda", schedule=emv.buffer(name))
        agree(found, expected, f"{shape} {name}")


@pytest.mark.parametrize("name", ["grouped", "lists"])
def test_a_million_messages_to_one_vertex(name):
    size = 10**6
    ids = np.arange(size)
    graph = Graph.from_edges([], [], num_vertices=size)
    num, total = gathering(graph, backend="cuda", schedule=emv.buffer(name))
    num, total = np.asarray(num), np.asarray(total)
    assert (num[0], total[0]) == (size, (ids * ((ids + 1) % 7)).sum())
    assert not num[1:].any()
