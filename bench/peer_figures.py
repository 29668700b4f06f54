"""The peers' figures, read from peer_figures.json beside this file.

Milliseconds of cuGraph, Gunrock, gardenia, the ECL suite, TRUST and GraphMiner on one H200, on
the graphs of `bench.graphs`. The file says how each was taken.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_suffix(".json")


@cache
def figures() -> dict[str, Any]:
    """Return the whole file."""
    read: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return read


def gpu_peers(problem: str, graph: str) -> dict[str, float]:
    """Return the milliseconds of every peer that was timed on a GPU, the fastest first.

    Examples
    --------
    >>> gpu_peers("triangles", "road")
    {'Gunrock': 0.43, 'GraphMiner': 0.47, 'TRUST': 0.71, 'cuGraph': 6.8}
    >>> gpu_peers("triangles", "wiki-talk")
    {}
    """
    by_peer = figures()["gpu"]["ms"].get(problem, {})
    there = {peer: float(ms[graph]) for peer, ms in by_peer.items() if graph in ms}
    return dict(sorted(there.items(), key=lambda item: item[1]))
