"""The three graphs on which emv and its peers are timed: made once, then read from a cache.

rmat20   2^20 vertices, 16 edges per vertex, R-MAT with GTgraph's .45 .15 .15 .25, directed;
         parallel edges kept, loops removed, ids shuffled
kron19   2^19 vertices, 16 edges per vertex, R-MAT with Graph500's .57 .19 .19 .05, undirected;
         simple, ids shuffled
road     1400 x 1400 grid without 30 % of its edges, undirected: thousands of BFS levels

R-MAT: D. Chakrabarti, Y. Zhan, C. Faloutsos, SDM 2004. The numbers come from numpy's PCG64 with a
fixed seed, so every machine has the same graphs. Weights are a hash of the two ends: whole numbers
1 to 63, the same in both directions and for parallel edges.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

CACHE = Path(__file__).resolve().parent / ".cache"


@dataclass(frozen=True)
class BenchGraph:
    """A graph as an edge list; an undirected edge is listed once.

    Attributes
    ----------
    name : str
        What the tables call it.
    num_vertices : int
        Ids are ``range(num_vertices)``.
    src, dst : int32[num_edges]
        The ends of every edge.
    weight : float32[num_edges]
        A whole number in 1..63.
    directed : bool
        Whether an edge goes one way only.
    source : int
        Where searches start.
    """

    name: str
    num_vertices: int
    src: NDArray[np.int32]
    dst: NDArray[np.int32]
    weight: NDArray[np.float32]
    directed: bool
    source: int

    def arcs(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]:
        """Return src, dst and weight of every arc: of an undirected edge both directions."""
        if self.directed:
            return self.src, self.dst, self.weight
        return (
            np.concatenate([self.src, self.dst]),
            np.concatenate([self.dst, self.src]),
            np.concatenate([self.weight, self.weight]),
        )

    def rows(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]:
        """Return the arcs as CSR with sorted rows: indptr, indices, weights."""
        src, dst, weight = self.arcs()
        order = np.argsort((src.astype(np.int64) << 32) | dst, kind="stable")
        indptr = np.zeros(self.num_vertices + 1, np.int32)
        np.cumsum(np.bincount(src, minlength=self.num_vertices), out=indptr[1:])
        return indptr, dst[order], weight[order]


def edge_weights(src: NDArray[np.int32], dst: NDArray[np.int32]) -> NDArray[np.float32]:
    """Hash the two ends of each edge, whichever comes first, to a whole number in 1..63."""
    bits = np.minimum(src, dst).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    bits += np.maximum(src, dst).astype(np.uint64) * np.uint64(0xC2B2AE3D27D4EB4F)
    bits ^= bits >> np.uint64(29)
    bits *= np.uint64(0xBF58476D1CE4E5B9)
    bits ^= bits >> np.uint64(32)
    return (bits % np.uint64(63) + np.uint64(1)).astype(np.float32)


def rmat(
    scale: int, chances: tuple[float, float, float], seed: int, edges_per_vertex: int = 16
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Draw R-MAT edges on ``2**scale`` vertices and shuffle the ids.

    Parameters
    ----------
    scale : int
        Binary digits of an id.
    chances : tuple of three floats
        Chance that a digit of (src, dst) is 00, 01, 10; 11 has the rest.
    seed : int
        Of numpy's default generator.
    edges_per_vertex : int
        Edges drawn, over vertices.

    Returns
    -------
    src, dst : int32[num_edges]
        The ends; loops and parallel edges among them.
    """
    top, right, down = np.cumsum(chances)
    rng = np.random.default_rng(seed)
    num_edges = edges_per_vertex << scale
    src, dst = np.zeros(num_edges, np.int32), np.zeros(num_edges, np.int32)
    for _ in range(scale):
        draw = rng.random(num_edges, dtype=np.float32)
        src = src * 2 + (draw >= right)
        dst = dst * 2 + (((draw >= top) & (draw < right)) | (draw >= down))
    new_id = rng.permutation(1 << scale).astype(np.int32)
    return new_id[src], new_id[dst]


def without_loops(
    src: NDArray[np.int32], dst: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the edges between different vertices."""
    kept = src != dst
    return src[kept], dst[kept]


def simple(
    src: NDArray[np.int32], dst: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return every undirected edge once, smaller end first, sorted."""
    low, high = np.minimum(src, dst).astype(np.int64), np.maximum(src, dst)
    key = np.unique((low << 32) | high)
    return (key >> 32).astype(np.int32), (key & 0xFFFFFFFF).astype(np.int32)


def busiest(src: NDArray[np.int32], num_vertices: int) -> int:
    """Return the vertex that is most often in `src`, the smallest of several."""
    return int(np.bincount(src, minlength=num_vertices).argmax())


def directed_rmat(scale: int = 20) -> BenchGraph:
    """Make rmat20, or a smaller one of the same kind."""
    src, dst = without_loops(*rmat(scale, (0.45, 0.15, 0.15), seed=1))
    source = busiest(src, 1 << scale)
    weight = edge_weights(src, dst)
    return BenchGraph(f"rmat{scale}", 1 << scale, src, dst, weight, True, source)


def undirected_kronecker(scale: int = 19) -> BenchGraph:
    """Make kron19, or a smaller one of the same kind."""
    src, dst = simple(*without_loops(*rmat(scale, (0.57, 0.19, 0.19), seed=2)))
    source = busiest(np.concatenate([src, dst]), 1 << scale)
    weight = edge_weights(src, dst)
    return BenchGraph(f"kron{scale}", 1 << scale, src, dst, weight, False, source)


def road(width: int = 1400, removed: float = 0.30) -> BenchGraph:
    """Make the grid with holes, ``width`` times ``width``; searches start in its middle."""
    vertex = np.arange(width * width, dtype=np.int32)
    to_right = vertex[vertex % width < width - 1]
    to_below = vertex[: width * (width - 1)]
    src = np.concatenate([to_right, to_below])
    dst = np.concatenate([to_right + 1, to_below + width]).astype(np.int32)
    kept = np.random.default_rng(5).random(src.size) >= removed
    src, dst = src[kept], dst[kept]
    middle = (width // 2 + 1) * width
    return BenchGraph("road", width * width, src, dst, edge_weights(src, dst), False, middle)


GRAPHS: dict[str, Callable[[], BenchGraph]] = {
    "rmat20": directed_rmat,
    "kron19": undirected_kronecker,
    "road": road,
}


def load(name: str) -> BenchGraph:
    """Return a graph of `GRAPHS`, from the cache when it was made before."""
    return cached(name, GRAPHS[name])


def cached(name: str, make: Callable[[], BenchGraph]) -> BenchGraph:
    """Return a graph from the cache, into which it is put when it is not there."""
    path = CACHE / f"{name}.npz"
    if not path.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(f".{os.getpid()}.npz")  # others may make it, too
        np.savez(partial, **vars(make()))
        partial.replace(path)
    with np.load(path) as stored:
        values: dict[str, Any] = {key: stored[key] for key in stored.files}
    scalars = {key: value.item() for key, value in values.items() if value.ndim == 0}
    return BenchGraph(**{**values, **scalars})
