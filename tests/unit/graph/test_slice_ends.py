"""Edges that are dealt, and who has an arc to whom, found in pieces by several threads."""

from __future__ import annotations

import numpy as np
import pytest

from emv.config import config
from emv.graph import pieces
from emv.graph.ends import Ends
from emv.graph.slice_ends import STRETCH, DealtEnds, dealt, dealt_rows, num_dealt
from emv.graph.slices import with_arcs_to

SIZES = (0, 1, 5, 127, 128, 5000, 2**19 + 77, 3 * pieces.ENTRIES + STRETCH + 1)


@pytest.fixture(params=[1, 3], autouse=True)
def threads(request, monkeypatch):
    monkeypatch.setattr(config, "num_threads", request.param)
    monkeypatch.setattr(pieces, "LONG", 1)


@pytest.mark.parametrize("num_edges", SIZES)
@pytest.mark.parametrize("number", [1, 2, 3])
def test_every_edge_is_dealt_to_one_part(num_edges, number):
    values = np.random.default_rng(1).integers(0, 9, num_edges)
    rows = [dealt_rows(num_edges, number, part) for part in range(number)]
    assert np.array_equal(np.sort(np.concatenate(rows)), np.arange(num_edges))
    for part, each in enumerate(rows):
        assert num_dealt(num_edges, number, part) == len(each)
        assert np.array_equal(dealt(values, number, part), values[each])


def test_dealt_ends_are_those_of_their_rows():
    src, dst = np.random.default_rng(2).integers(0, 50, (2, 3000), dtype=np.int32)
    found = DealtEnds(Ends(src, dst), 3, 2, np.dtype(np.uint32), False)
    assert found.rows.dtype == np.uint32
    assert found.num_edges == len(found.rows)
    assert np.array_equal(found.src, src[found.rows])
    assert np.array_equal(found.dst, dst[found.rows])


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("num_edges", [0, 40, 2 * pieces.ENTRIES + 9])
def test_who_has_an_arc_to_some_vertices(num_edges, directed):
    size = num_edges // 4 + 3
    src, dst = np.random.default_rng(3).integers(0, size, (2, num_edges), dtype=np.int32)
    those = np.arange(size) % 3 == 0
    wanted = {*src[those[dst]].tolist()} | ({*dst[those[src]].tolist()} if not directed else set())
    found = with_arcs_to(those, Ends(src, dst), directed)
    assert {*np.flatnonzero(found).tolist()} == wanted
