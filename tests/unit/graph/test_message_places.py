"""Where messages stand: by groups of out-degrees, by ids within one; other places, same results."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from emv import Graph
from emv.graph import message_places
from emv.graph.message_places import LIMITS, are_grouped, grouped_places
from emv.runtime.arrays.index import host_index

UINT32 = np.dtype("uint32")


def first_of(lengths):
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint32)


@given(st.lists(st.sampled_from([0, 1, 2, 3, 9, 70, 5000]), min_size=1, max_size=40))
def test_groups_stand_by_out_degree_and_ids_within_one(lengths):
    found = grouped_places(first_of(lengths), UINT32)
    mean = sum(lengths) / len(lengths)
    group = [sum(each < limit * mean for limit in LIMITS) for each in lengths]
    order = sorted(range(len(lengths)), key=lambda v: (group[v], v))
    assert found.dtype == UINT32
    assert [int(found[v]) for v in order] == list(range(len(lengths)))


def test_counts_alone_say_whether_it_pays():
    assert are_grouped(2**20, 2**24)
    assert not are_grouped(2**20, 2**22)  # a mesh
    assert not are_grouped(2**17, 2**24)  # the second cache holds them


@pytest.mark.parametrize("directed", [False, True])
def test_each_slot_has_the_place_of_its_sender(monkeypatch, directed):
    graph = Graph.from_edges([3, 0, 3, 3, 1], [0, 2, 1, 2, 1], directed=directed)
    senders = graph.layouts.in_rows.other
    assert len(host_index(graph, "message_place")) == 0
    assert host_index(graph, "message_of_slot") is senders
    monkeypatch.setattr(message_places, "MANY", 1)
    monkeypatch.setattr(message_places, "DENSE", 0)
    places, slots = (host_index(graph, f"message_{of}") for of in ("place", "of_slot"))
    np.testing.assert_array_equal(slots, places[senders])
    assert sorted(places.tolist()) == list(range(4))
    assert places[3] == 0
    assert {each.flags.writeable for each in (places, slots)} == {senders.flags.writeable}
