"""Masked arrays of numpy: what they mask is no value; one that masks nothing is an array."""

from __future__ import annotations

import numpy as np
import pytest

from emv.errors import ColumnError, GraphError
from emv.graph import Graph

MASKED = np.ma.array([0, 1, 2], mask=[False, True, False])
WHOLE = np.ma.array([0, 1, 2], mask=False)


@pytest.mark.parametrize("renumber", [False, True])
def test_ids_that_are_masked_are_refused(renumber) -> None:
    with pytest.raises(GraphError, match="src of edge 1 is masked"):
        Graph.from_edges(MASKED, [1, 2, 0], renumber=renumber)
    with pytest.raises(GraphError, match="dst of edge 1 is masked"):
        Graph.from_edges([1, 2, 0], MASKED, renumber=renumber)
    g = Graph.from_edges([1, 2, 0], WHOLE, renumber=renumber)
    assert g.edges.dst.tolist() == [0, 1, 2]


def test_masked_edges_are_not_added() -> None:
    g = Graph.from_edges([0, 1], [1, 2])
    with pytest.raises(GraphError, match="src of edge 1 is masked"):
        g.add_edges(MASKED, [1, 2, 0])
    with pytest.raises(GraphError, match="dst of edge 1 is masked"):
        Graph.from_edges([0], [1], labels=["a", "b"]).add_edges(["a", "b", "a"], MASKED)


def test_columns_that_are_masked_are_refused() -> None:
    ends = [0, 1, 2], [1, 2, 0]
    message = "column 'weight' of edges is masked in row 1"
    with pytest.raises(ColumnError, match="column 'weight' of new edges is masked in row 1"):
        Graph.from_edges(*ends, weight=MASKED)
    g = Graph.from_edges(*ends, weight=WHOLE)
    assert g.edges.weight.tolist() == [0, 1, 2]
    with pytest.raises(ColumnError, match=message):
        g.edges.weight = MASKED
    with pytest.raises(ColumnError, match="column 'age' of vertices is masked in row 1"):
        g.vertices.age = MASKED
    with pytest.raises(ColumnError, match="column 'age' of vertices is masked in row 0"):
        g.vertices.age = np.ma.masked
