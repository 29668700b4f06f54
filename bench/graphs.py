"""The graphs on which emv and its peers are timed, on cores and on a GPU.

On cores, by numpy, made once, then read from a cache:

rmat20   2^20 vertices, 16 edges per vertex, R-MAT with GTgraph's .45 .15 .15 .25, directed;
         parallel edges kept, ids shuffled
kron19   2^19 vertices, 16 edges per vertex, R-MAT with Graph500's .57 .19 .19 .05, undirected;
         simple, ids shuffled
road     1400 x 1400 grid without 30 % of its edges, undirected: thousands of BFS levels

On a GPU, by CuPy in a few seconds, those on which the GPU libraries were timed: rmat20 and road
likewise, kron22 like kron19, and

rand1m   10^6 vertices, 16 * 10^6 edges between uniformly drawn ends, directed; parallel kept
huge8m   2900 x 2900 honeycomb (degree 3), undirected: thousands of BFS levels

R-MAT: D. Chakrabarti, Y. Zhan, C. Faloutsos, SDM 2004. All are without loops. The numbers come from
numpy's and CuPy's generators with fixed seeds, drawn in a fixed order: only then they are the
graphs of the peers' figures, and `PeerGraph.difference` says when the counts show that they are
not. Weights are a hash of the two ends: whole numbers 1 to 63, the same in both directions and for
parallel edges. Functions that take the array module work with numpy, too.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

CACHE = Path(__file__).resolve().parent / ".cache"
GTGRAPH = (0.45, 0.15, 0.15)
GRAPH500 = (0.57, 0.19, 0.19)
Ends = tuple[int, Any, Any]  # num_vertices, int32[num_edges] src, int32[num_edges] dst
Chances = tuple[float, float, float]  # that a digit of (src, dst) is 00, 01, 10; 11 has the rest


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


@dataclass(frozen=True)
class PeerGraph:
    """A graph as arcs on the device, sorted by src, then dst.

    Attributes
    ----------
    name : str
        What the tables call it.
    num_vertices : int
        Ids are ``range(num_vertices)``.
    src, dst : int32[num_arcs]
        The ends of every arc; of an undirected edge both arcs are there.
    weight : float32[num_arcs]
        A whole number in 1..63.
    directed : bool
        Whether an edge goes one way only.
    source : int
        Where searches start.
    difference : str
        How it differs from the peers' graph; empty when it does not.
    """

    name: str
    num_vertices: int
    src: Any
    dst: Any
    weight: Any
    directed: bool
    source: int
    difference: str = ""

    def rows(self, xp: Any) -> tuple[Any, Any, Any]:
        """Return the out-rows: first uint32[num_vertices + 1], other uint32[num_arcs], weight."""
        return self._first(xp, self.src), self.dst.view(np.uint32), self.weight

    def in_rows(self, xp: Any) -> tuple[Any, Any]:
        """Return the in-rows: first uint32[num_vertices + 1], other uint32[num_arcs]."""
        if not self.directed:
            return self.rows(xp)[:2]
        key = xp.sort((self.dst.astype(np.int64) << 32) | self.src.astype(np.int64))
        return self._first(xp, self.dst), (key & 0xFFFFFFFF).astype(np.uint32)

    def _first(self, xp: Any, ids: Any) -> Any:
        first = xp.zeros(self.num_vertices + 1, np.int64)
        first[1:] = xp.cumsum(xp.bincount(ids, minlength=self.num_vertices))
        return first.astype(np.uint32)

    def on_host(self) -> BenchGraph:
        """Return the graph in numpy, an undirected edge once: what searches and PageRank take."""
        kept = slice(None) if self.directed else self.src < self.dst
        arrays = [to_numpy(each[kept]) for each in (self.src, self.dst, self.weight)]
        return BenchGraph(self.name, self.num_vertices, *arrays, self.directed, self.source)


def from_edges(made: BenchGraph, xp: Any) -> PeerGraph:
    """Return any graph with its arcs on the device, in the order that rows are made from."""
    src, dst, weight = (xp.asarray(each) for each in made.arcs())
    order = xp.argsort((src.astype(np.int64) << 32) | dst, kind="stable")
    arcs = src[order], dst[order], weight[order]
    return PeerGraph(made.name, made.num_vertices, *arcs, made.directed, int(made.source))


def to_numpy(array: Any) -> np.ndarray:
    """Return an array of any module in numpy."""
    return array.get() if hasattr(array, "get") else np.asarray(array)


def edge_weights(src: Any, dst: Any) -> Any:
    """Hash the two ends of each edge, whichever comes first, to a whole number in 1..63."""
    bits = np.minimum(src, dst).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    bits += np.maximum(src, dst).astype(np.uint64) * np.uint64(0xC2B2AE3D27D4EB4F)
    bits ^= bits >> np.uint64(29)
    bits *= np.uint64(0xBF58476D1CE4E5B9)
    bits ^= bits >> np.uint64(32)
    return (bits % np.uint64(63) + np.uint64(1)).astype(np.float32)


# On cores.


def rmat(
    scale: int, chances: Chances, seed: int, edges_per_vertex: int = 16
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Draw R-MAT edges on ``2**scale`` vertices and shuffle the ids.

    Parameters
    ----------
    scale : int
        Binary digits of an id.
    chances : tuple of three floats
        See `Chances`.
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
    src, dst = without_loops(*rmat(scale, GTGRAPH, seed=1))
    source = busiest(src, 1 << scale)
    weight = edge_weights(src, dst)
    return BenchGraph(f"rmat{scale}", 1 << scale, src, dst, weight, True, source)


def undirected_kronecker(scale: int = 19) -> BenchGraph:
    """Make kron19, or a smaller one of the same kind."""
    src, dst = simple(*without_loops(*rmat(scale, GRAPH500, seed=2)))
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


# On a GPU.


def sorted_ends(xp: Any, src: Any, dst: Any, once: bool) -> tuple[Any, Any]:
    """Return the arcs sorted by src, then dst, without loops, parallel ones `once` if asked."""
    key = xp.sort((src.astype(np.int64) << 32) | dst.astype(np.int64))
    if once:
        first = xp.ones(key.size, bool)
        first[1:] = key[1:] != key[:-1]
        key = key[first]
    src, dst = (key >> 32).astype(np.int32), (key & 0xFFFFFFFF).astype(np.int32)
    kept = src != dst
    return src[kept], dst[kept]


def draw_rmat(
    xp: Any, random: Any, num_edges: int, scale: int, chances: Chances
) -> tuple[Any, Any]:
    """Draw R-MAT edges, one digit of both ends at a time; int32[num_edges] each."""
    a, b, c = chances
    src, dst = xp.zeros(num_edges, np.int32), xp.zeros(num_edges, np.int32)
    for _ in range(scale):
        draw = random.rand(num_edges, dtype=np.float32)
        right, lower_right = (draw >= a) & (draw < a + b), draw >= a + b + c
        src = src * 2 + (draw >= a + b).astype(np.int32)
        dst = dst * 2 + (right | lower_right).astype(np.int32)
    return src, dst


def device_rmat(xp: Any, scale: int, chances: Chances, seed: int) -> Ends:
    """Draw an R-MAT graph of 16 edges per vertex and shuffle the ids."""
    random = xp.random.RandomState(seed)
    src, dst = draw_rmat(xp, random, 16 << scale, scale, chances)
    new_id = random.permutation(1 << scale).astype(np.int32)
    return 1 << scale, new_id[src], new_id[dst]


def uniform(xp: Any, num_vertices: int, num_edges: int, seed: int) -> Ends:
    """Draw both ends of every edge uniformly, all sources first."""
    random = xp.random.RandomState(seed)
    src = random.randint(0, num_vertices, num_edges).astype(np.int32)
    return num_vertices, src, random.randint(0, num_vertices, num_edges).astype(np.int32)


def grid(xp: Any, width: int, removed: float, honeycomb: bool = False) -> Ends:
    """Make a square grid without a part of its edges, or the honeycomb of degree 3."""
    vertex = xp.arange(width * width, dtype=np.int32)
    x, y = vertex % width, vertex // width
    goes_down = y < width - 1
    if honeycomb:
        goes_down &= (x + y) % 2 == 0
    to_right, to_below = vertex[x < width - 1], vertex[goes_down]
    src = xp.concatenate([to_right, to_below])
    dst = xp.concatenate([to_right + 1, to_below + width]).astype(np.int32)
    kept = xp.random.RandomState(5).rand(src.size) >= removed
    return width * width, src[kept], dst[kept]


@dataclass(frozen=True)
class Recipe:
    """How a graph is made, and what must come out.

    Attributes
    ----------
    make : function
        Takes the array module, returns `Ends`.
    undirected : bool
        Whether every edge gets both arcs and is kept once.
    source : int or None
        Where searches start; None is the vertex with the most out-arcs.
    num_vertices, num_arcs : int
        Of the graph that the peers were timed on; 0 where none was.
    """

    make: Callable[[Any], Ends]
    undirected: bool
    source: int | None = None
    num_vertices: int = 0
    num_arcs: int = 0


PEER_GRAPHS = {
    "rmat20": Recipe(
        lambda xp: device_rmat(xp, 20, GTGRAPH, 1), False, None, 1_048_576, 16_763_834
    ),
    "kron22": Recipe(
        lambda xp: device_rmat(xp, 22, GRAPH500, 2), True, None, 4_194_304, 128_314_988
    ),
    "rand1m": Recipe(
        lambda xp: uniform(xp, 1_000_000, 16_000_000, 4), False, 0, 1_000_000, 15_999_991
    ),
    "road": Recipe(lambda xp: grid(xp, 1400, 0.30), True, 981_400, 1_960_000, 5_485_464),
    "huge8m": Recipe(
        lambda xp: grid(xp, 2900, 0.0, honeycomb=True), True, 4_206_450, 8_410_000, 25_221_300
    ),
}


def peer_graph(name: str, xp: Any) -> PeerGraph:
    """Make a graph of `PEER_GRAPHS`; complain loudly when it is not the peers' own."""
    return build(name, PEER_GRAPHS[name], xp)


def build(name: str, recipe: Recipe, xp: Any) -> PeerGraph:
    """Make the graph of a recipe."""
    num_vertices, src, dst = recipe.make(xp)
    if recipe.undirected:
        src, dst = xp.concatenate([src, dst]), xp.concatenate([dst, src])
    src, dst = sorted_ends(xp, src, dst, once=recipe.undirected)
    source = recipe.source
    if source is None:
        source = int(xp.bincount(src, minlength=num_vertices).argmax())
    found, wanted = (num_vertices, src.size), (recipe.num_vertices, recipe.num_arcs)
    difference = ""
    if recipe.num_arcs and found != wanted:
        difference = f"{found[0]} vertices and {found[1]} arcs, not {wanted[0]} and {wanted[1]}"
        print(f"ERROR: {name} IS NOT THE PEERS' GRAPH: {difference}", file=sys.stderr, flush=True)
    weight = edge_weights(src, dst)
    directed = not recipe.undirected
    return PeerGraph(name, num_vertices, src, dst, weight, directed, source, difference)
