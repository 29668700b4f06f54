"""The five graphs on which the GPU libraries were timed, made on the GPU in a few seconds.

rmat20   2^20 vertices, 16 edges per vertex, R-MAT with GTgraph's .45 .15 .15 .25, directed;
         parallel edges kept, ids shuffled
kron22   2^22 vertices, 16 edges per vertex, R-MAT with Graph500's .57 .19 .19 .05, undirected;
         simple, ids shuffled
rand1m   10^6 vertices, 16 * 10^6 edges between uniformly drawn ends, directed; parallel kept
road     1400 x 1400 grid without 30 % of its edges, undirected: thousands of BFS levels
huge8m   2900 x 2900 honeycomb (degree 3), undirected: thousands of BFS levels

R-MAT: D. Chakrabarti, Y. Zhan, C. Faloutsos, SDM 2004. All are without loops. The numbers come
from CuPy's generator with fixed seeds, drawn in a fixed order: only then they are the graphs of the
peers' figures, and `PeerGraph.difference` says when the counts show that they are not. Weights are
`bench.graphs.edge_weights`. The functions take the array module, so that a test can pass numpy.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.graphs import BenchGraph

GTGRAPH = (0.45, 0.15, 0.15)
GRAPH500 = (0.57, 0.19, 0.19)
Ends = tuple[int, Any, Any]  # num_vertices, int32[num_edges] src, int32[num_edges] dst


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
        Of the graph that the peers were timed on.
    """

    make: Callable[[Any], Ends]
    undirected: bool
    source: int | None
    num_vertices: int
    num_arcs: int


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
        return self._host_graph(self.src[kept], self.dst[kept], self.weight[kept], self.directed)

    def _host_graph(self, src: Any, dst: Any, weight: Any, directed: bool) -> BenchGraph:
        src, dst, weight = to_numpy(src), to_numpy(dst), to_numpy(weight)
        return BenchGraph(self.name, self.num_vertices, src, dst, weight, directed, self.source)


def from_edges(made: BenchGraph, xp: Any) -> PeerGraph:
    """Return any graph with its arcs on the device, in the order that rows are made from."""
    src, dst, weight = (xp.asarray(each) for each in made.arcs())
    order = xp.argsort((src.astype(np.int64) << 32) | dst, kind="stable")
    arcs = src[order], dst[order], weight[order]
    return PeerGraph(made.name, made.num_vertices, *arcs, made.directed, int(made.source))


def to_numpy(array: Any) -> np.ndarray:
    """Return an array of any module in numpy."""
    return array.get() if hasattr(array, "get") else np.asarray(array)


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


def edge_weights(xp: Any, src: Any, dst: Any) -> Any:
    """Return `bench.graphs.edge_weights` of arrays of this module."""
    bits = xp.minimum(src, dst).astype(np.uint64) * xp.uint64(0x9E3779B97F4A7C15)
    bits += xp.maximum(src, dst).astype(np.uint64) * xp.uint64(0xC2B2AE3D27D4EB4F)
    bits ^= bits >> xp.uint64(29)
    bits *= xp.uint64(0xBF58476D1CE4E5B9)
    bits ^= bits >> xp.uint64(32)
    return (bits % xp.uint64(63) + xp.uint64(1)).astype(np.float32)


def draw_rmat(
    xp: Any, random: Any, num_edges: int, scale: int, chances: tuple[float, float, float]
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


def rmat(xp: Any, scale: int, chances: tuple[float, float, float], seed: int) -> Ends:
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


GRAPHS = {
    "rmat20": Recipe(lambda xp: rmat(xp, 20, GTGRAPH, 1), False, None, 1_048_576, 16_763_834),
    "kron22": Recipe(lambda xp: rmat(xp, 22, GRAPH500, 2), True, None, 4_194_304, 128_314_988),
    "rand1m": Recipe(
        lambda xp: uniform(xp, 1_000_000, 16_000_000, 4), False, 0, 1_000_000, 15_999_991
    ),
    "road": Recipe(lambda xp: grid(xp, 1400, 0.30), True, 981_400, 1_960_000, 5_485_464),
    "huge8m": Recipe(
        lambda xp: grid(xp, 2900, 0.0, honeycomb=True), True, 4_206_450, 8_410_000, 25_221_300
    ),
}


def load(name: str, xp: Any) -> PeerGraph:
    """Make a graph of `GRAPHS`; complain loudly when it is not the one the peers were timed on."""
    return build(name, GRAPHS[name], xp)


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
    if found != wanted:
        difference = f"{found[0]} vertices and {found[1]} arcs, not {wanted[0]} and {wanted[1]}"
        print(f"ERROR: {name} IS NOT THE PEERS' GRAPH: {difference}", file=sys.stderr, flush=True)
    weight = edge_weights(xp, src, dst)
    directed = not recipe.undirected
    return PeerGraph(name, num_vertices, src, dst, weight, directed, source, difference)
