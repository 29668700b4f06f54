"""The busiest vertices: their places, lists and bits, beside rows walked one by one."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from strategies import graphs

from emv import Graph
from emv.graph import busy


@pytest.mark.parametrize("most", [1, 3, busy.MOST])
@given(graph=graphs())
def test_places_lists_and_bits(most, graph):
    layouts = graph.layouts
    incoming = layouts.in_rows
    with mock.patch.multiple(busy, LONG_ROW=1, MOST=most):
        found = busy.busy_rows(layouts.out_rows.first, incoming.first, incoming.other)
    rows = neighbours(graph)
    if not any(rows):
        assert found.words == len(found.place) == len(found.bits) == 0
        return
    degrees = layouts.degrees("out") + layouts.degrees("in")
    ranked = sorted(range(graph.num_vertices), key=lambda v: (degrees[v], v), reverse=True)
    ranked = ranked[: min(most, graph.num_vertices, int((32 * graph.num_arcs) ** 0.5))]
    places = {v: place for place, v in enumerate(ranked)}
    assert found.words == -(-len(places) // 32)
    for v, row in enumerate(rows):
        is_closed = all(w in places for w in row)
        assert found.place[v] == (2 * (places[v] + 1) if v in places else 0) + is_closed
        own = found.entries[found.first[v] : found.first[v + 1]]
        wanted = sorted(places[w] for w in row if w in places)
        assert (own & (busy.REPEATED - 1)).tolist() == wanted
        assert (own[own < busy.REPEATED]).tolist() == sorted(set(wanted))
        if v in places:
            begin = places[v] * found.words
            bits = found.bits[begin : begin + found.words]
            assert [k for k in range(32 * len(bits)) if bits[k // 32] >> (k % 32) & 1] == sorted(
                set(wanted)
            )


def neighbours(graph: Graph) -> list[list[int]]:
    rows: list[list[int]] = [[] for _ in range(graph.num_vertices)]
    for u, v in zip(*graph.arcs(), strict=True):
        rows[u].append(int(v))
    return rows


def test_short_rows_have_none():
    graph = Graph.from_edges(np.arange(300), np.arange(1, 301))
    assert graph.layouts.busy.words == 0
    star = Graph.from_edges(np.zeros(busy.LONG_ROW, int), np.arange(1, busy.LONG_ROW + 1))
    assert star.layouts.busy.words > 0
