"""The hashes of short rows, beside rows that are read one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from strategies import graphs

from emv import Graph
from emv.graph import hashed
from emv.runtime.arrays import store


def short_hash(vertex: int) -> int:
    """Return the upper half of 32 bits of a product, written anew."""
    return (vertex * 2654435769 % 2**32) >> 16


@given(graph=graphs())
def test_words_and_where_they_begin(graph):
    layouts = graph.layouts
    found, first = layouts.hashed, layouts.out_rows.first
    lengths = np.diff(first)
    counts = graph.num_vertices, graph.num_arcs
    if not hashed.pays(int(lengths.max(initial=0)), *counts, layouts.arcs_are_edges):
        assert len(found.rows) == len(found.where) == 0
        return
    assert len(found.rows) == hashed.num_words(*counts)
    _, receivers = graph.arcs()
    for arc, v in enumerate(receivers.tolist()):
        begin, words = int(found.where[arc]) >> 5, int(found.where[arc]) & 31
        assert words == -(-int(lengths[v]) // 4)
        hashes = found.rows[begin : begin + words].astype("<u8").view("<u2").tolist()
        row = layouts.sorted_dst[first[v] : first[v + 1]].tolist()
        wanted = [short_hash(w) for w in row]
        assert hashes == wanted + [0] * (4 * words - len(row))


@pytest.mark.parametrize(("longest", "pays"), [(3, False), (4, True), (124, True), (125, False)])
def test_rows_are_neither_very_short_nor_long(longest, pays):
    graph = Graph.from_edges(np.zeros(longest, int), np.arange(1, longest + 1))
    assert (len(graph.layouts.hashed.rows) > 0) == pays
    assert store.most_hashed(graph, "hashed_where") == longest  # as plans do not know of rows


@pytest.mark.parametrize(("src", "directed"), [([1, 1, 1, 1, 0], True), ([0, 0, 0, 0, 1], False)])
def test_arcs_are_edges(src, directed):
    """Edges stand in another order than arcs, or there are two arcs for each."""
    graph = Graph.from_edges(src, [2, 3, 4, 5, 2], directed=directed)
    assert len(graph.layouts.hashed.rows) == 0
    assert store.most_hashed(graph, "hashed_rows") == 0


def test_words_have_numbers_of_27_bits():
    assert hashed.pays(100, 2**20, 2**28, True)
    assert not hashed.pays(100, 2**20, 2**29, True)
