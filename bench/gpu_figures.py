"""What emv's GPU times are compared with: targets, and the peers' figures on one H200.

Milliseconds, graph resident, results left on the device. The peers' are medians of their own
versions' runs on one NVIDIA H200, on the graphs of `bench.peer_graphs`, taken once and written
down here: cuGraph 26.10 through its C API, Gunrock 2.x of January 2026 (time of its enactor, best
of its load balancers), gardenia (near-far SSSP, best of three deltas), ECL-CC and ECL-MST of the
ECL-Suite (the faster of two variants). Where several were measured it is the fastest.
"""

from __future__ import annotations

GRAPHS = ("rmat20", "kron22", "rand1m", "road", "huge8m")
ALGORITHMS = ("bfs", "sssp", "pagerank", "components", "boruvka")
PEERS_SOURCE = "figures of the peers on one H200"

TARGET_MS = {
    "bfs": (0.6, 0.8, 0.6, 15, 25),
    "sssp": (4, 9, 3, 45, 90),
    "pagerank": (0.13, 0.65, 0.13, 0.03, 0.10),
    "components": (1.6, 3.3, 1.4, 0.5, 4.5),
    "boruvka": (8, 40, 8, 4, 12),
}
PEER_MS = {
    "bfs": (1.94, 1.61, 1.88, 354, 410),
    "sssp": (6.70, 14.6, 3.64, 371, 492),
    "pagerank": (0.230, 1.12, 0.220, 0.107, 0.242),
    "components": (1.06, 2.18, 0.91, 0.26, 3.25),
    "boruvka": (3.30, 22.1, 3.65, 1.52, 4.03),
}
PEERS = {
    "bfs": ("Gunrock", "cuGraph", "Gunrock", "Gunrock", "Gunrock"),
    "sssp": ("Gunrock", "Gunrock", "gardenia", "gardenia", "gardenia"),
    "pagerank": ("cuGraph",) * 5,
    "components": ("ECL-CC",) * 5,
    "boruvka": ("ECL-MST",) * 5,
}
MOST_OVER_TARGET_MS = 0.3  # of a whole call from Python
MOST_OVER_BASELINE = 1.3
MOST_WARM_S, MOST_COLD_S = 1.0, 6.0
MOST_MEMORY = 2.2  # of the bytes of the CSR


def target_ms(algorithm: str, graph: str) -> float:
    """Return the most milliseconds that emv may need."""
    return float(TARGET_MS[algorithm][GRAPHS.index(graph)])


def peer(algorithm: str, graph: str) -> tuple[float, str]:
    """Return the milliseconds of the best peer, and its name."""
    place = GRAPHS.index(graph)
    return float(PEER_MS[algorithm][place]), PEERS[algorithm][place]
