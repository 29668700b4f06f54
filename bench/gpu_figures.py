"""What emv's GPU times are compared with: targets, and the best peer's figures on one H200.

Milliseconds, graph resident, results left on the device. `bench.peer_figures` says how the peers'
were taken; where several were measured it is the fastest.
"""

from __future__ import annotations

from bench.peer_figures import gpu_peers

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
FIGURE_OF = {"boruvka": "forest"}  # what bench.peer_figures calls it, where that is not the page
MOST_OVER_TARGET_MS = 0.3  # of a whole call from Python
MOST_OVER_BASELINE = 1.3
MOST_WARM_S, MOST_COLD_S = 1.0, 6.0
MOST_MEMORY = 2.2  # of the bytes of the CSR


def target_ms(algorithm: str, graph: str) -> float:
    """Return the most milliseconds that emv may need."""
    return float(TARGET_MS[algorithm][GRAPHS.index(graph)])


def peer(algorithm: str, graph: str) -> tuple[float, str]:
    """Return the milliseconds of the best peer, and its name."""
    best, milliseconds = next(iter(gpu_peers(FIGURE_OF.get(algorithm, algorithm), graph).items()))
    return milliseconds, best
