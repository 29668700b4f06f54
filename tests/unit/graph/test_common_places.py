"""Places of vertices that all parts have in common, with room between parts and without."""

from __future__ import annotations

import numpy as np
import pytest

from emv import Graph
from emv.graph.common_places import CommonPlaces
from emv.graph.pull import by_degree
from emv.graph.slices import slice_of


def drawn(seed: int, n: int, m: int, directed: bool) -> Graph:
    rng = np.random.default_rng(seed)
    return Graph.from_edges(*rng.integers(0, n, (2, m)), num_vertices=n, directed=directed)


@pytest.mark.parametrize(("m", "is_even"), [(2000, False), (60, True)])
@pytest.mark.parametrize("number", [1, 2, 5])
def test_parts_stand_behind_each_other_each_in_its_order_of_pulls(m, is_even, number):
    graph = drawn(number, 100, m, True)
    owner = np.random.default_rng(7).integers(0, number, 100)
    found = CommonPlaces(graph.layouts, owner, number)
    assert (found.is_even == is_even).all()
    degrees = np.diff(found.first("in"))
    for part in range(number):
        own = np.flatnonzero(owner == part)
        begin = found.begins[part]
        assert begin + len(own) == found.begins[part + 1]
        order = own if is_even else own[by_degree(degrees[own])]
        assert found.close[order].tolist() == list(range(begin, begin + len(own)))


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("m", [1500, 60])
def test_slots_name_the_places_of_senders(m, directed):
    graph = drawn(3, 100, m, directed)
    for layouts in (graph.layouts, *(slice_of(graph, 3, "hash", k).layouts for k in range(3))):
        gather, order = layouts.gather, layouts.pull.order
        place, first = gather.close_place, gather.first
        for index, v in enumerate(order):
            senders = layouts.in_rows.other[layouts.in_rows.first[v] : layouts.in_rows.first[v + 1]]
            assert gather.close_slot[first[index] : first[index + 1]].tolist() == [*place[senders]]
