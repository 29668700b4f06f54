"""Where the files are that the reader's tests share, and what is expected of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from emv.graph import Graph

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "tests" / "data"
WIKI_VOTE = ROOT / "bench" / "graphs" / "wiki-Vote.txt.gz"
EXPECTED: dict[str, Any] = json.loads((DATA / "expected.json").read_text(encoding="utf-8"))


def edges_of(g: Graph) -> np.ndarray:
    """The two ends of every edge row, int64[num_edges, 2], in the order of the edges."""
    rows = g.layouts.out_rows
    src, dst = (np.asarray(ends, np.int64) for ends in g.arcs())
    edge = np.arange(len(src)) if rows.edge is None else np.asarray(rows.edge, np.int64)
    ends = np.zeros((g.num_edges, 2), np.int64)
    ends[edge] = np.stack([src, dst], axis=1)
    return ends if g.directed else np.sort(ends, axis=1)
