"""Edges and arcs to some vertices, taken in pieces, are those that one look at all edges gives."""

from __future__ import annotations

import numpy as np
import pytest

from emv.config import config
from emv.graph import pieces
from emv.graph.ends import Ends
from emv.graph.held_arcs import HeldArcs
from emv_kernels.aside import LONG


@pytest.fixture(params=[1, 3])
def threads(request, monkeypatch):
    monkeypatch.setattr(config, "num_threads", request.param)
    monkeypatch.setattr(pieces, "LONG", 1)


def held_in_one_look(src, dst, held, directed):
    ahead = held[dst]
    back = held[src] & (src != dst) & (not directed)
    rows = np.flatnonzero(ahead | back)
    number = np.cumsum(ahead | back) - 1
    senders = np.concatenate([src[ahead], dst[back]])
    receivers = np.concatenate([dst[ahead], src[back]])
    return rows, (senders, receivers, np.concatenate([number[ahead], number[back]]))


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize(
    ("n", "m"), [(1, 0), (1, 3), (40, 1000), (500, 3 * pieces.ENTRIES + 5), (500, LONG + 12345)]
)
def test_pieces_give_what_one_look_gives(n, m, directed, threads):
    rng = np.random.default_rng(m)
    src, dst = rng.integers(0, n, (2, m), dtype=np.int32)
    held = rng.random(n) < 0.4
    found = HeldArcs(Ends(src, dst), held, directed, np.dtype(np.uint32))
    rows, arcs = held_in_one_look(src, dst, held, directed)
    assert (found.num_edges, found.num_arcs) == (len(rows), len(arcs[0]))
    assert np.array_equal(found.rows, rows)
    assert found.rows.dtype == np.uint32
    for ours, wanted in zip(found.arcs(), arcs, strict=True):
        assert np.array_equal(ours, wanted)
    ends = found.both_ways(src[rows], dst[rows]), found.both_ways(dst[rows], src[rows])
    assert all(map(np.array_equal, ends, arcs))


def test_rows_are_picked_in_pieces(threads):
    values = np.arange(10.0)
    rows = np.random.default_rng(1).integers(0, 10, pieces.ENTRIES + 7)
    assert np.array_equal(pieces.picked(values, rows), values[rows])
