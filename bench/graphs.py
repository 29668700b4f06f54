"""The catalogue of graphs on which emv and its peers are timed, on cores and on a GPU.

A name is a kind and a size, ``rmat20``, ``kron14``, ``road300``:

rmatN    2^N vertices, 16 edges per vertex, R-MAT with GTgraph's .45 .15 .15 .25, directed;
         parallel edges kept, ids shuffled
skewN    likewise with Graph500's .57 .19 .19 .05
kronN    the same, undirected and simple
randN    2^N vertices, 16 edges per vertex between uniformly drawn ends, directed; parallel kept
roadN    an N x N grid without 30 % of its edges, undirected: thousands of BFS levels
hexN     an N x N honeycomb (degree 3), undirected: as many

``road`` is road1400, ``huge8m`` hex2900, and ``rand1m`` has 10^6 vertices. R-MAT: D. Chakrabarti,
Y. Zhan, C. Faloutsos, SDM 2004. All are without loops. Numbers come from numpy's or CuPy's
generators with fixed seeds, drawn in a fixed order: only then those of a GPU are the graphs of the
peers' figures, and `PeerGraph.difference` says when the counts show that they are not. Weights are
a hash of the two ends: whole numbers 1 to 63, the same in both directions and for parallel edges.
"""

from __future__ import annotations

import os
import re
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
    """A graph as an edge list; an undirected edge is listed once."""

    name: str  # what the tables call it
    num_vertices: int
    src: Any  # int32[num_edges], the ends of every edge
    dst: Any
    weight: Any  # float32[num_edges], whole numbers in 1..63
    directed: bool
    source: int  # where searches start
    kind: str = "generated"  # or ``real``, or ``stand-in``

    def arcs(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]:
        """Return src, dst and weight of every arc: of an undirected edge both directions."""
        one, other = (self.src, self.dst, self.weight), (self.dst, self.src, self.weight)
        return one if self.directed else tuple(map(np.concatenate, zip(one, other, strict=True)))

    def rows(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]:
        """Return the arcs as CSR with sorted rows: indptr, indices, weights."""
        first, other, weight = from_edges(self, np).out_rows(np)
        return first.astype(np.int32), other.view(np.int32), weight


@dataclass(frozen=True)
class PeerGraph(BenchGraph):
    """A graph as arcs on a device, sorted by src, then dst; of an edge both arcs are there."""

    difference: str = ""  # how it differs from the peers' graph

    def arcs(self) -> tuple[Any, Any, Any]:
        """Return src, dst and weight of every arc."""
        return self.src, self.dst, self.weight

    def out_rows(self, xp: Any) -> tuple[Any, Any, Any]:
        """Return the out-rows: first uint32[num_vertices + 1], other uint32[num_arcs], weight."""
        return self._first(xp, self.src), self.dst.view(np.uint32), self.weight

    def in_rows(self, xp: Any) -> tuple[Any, Any]:
        """Return the in-rows: first uint32[num_vertices + 1], other uint32[num_arcs]."""
        if not self.directed:
            return self.out_rows(xp)[:2]
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
        about = self.directed, self.source, self.kind
        return BenchGraph(self.name, self.num_vertices, *arrays, *about)


def from_edges(made: BenchGraph, xp: Any) -> PeerGraph:
    """Return any graph with its arcs on the device, in the order that rows are made from."""
    src, dst, weight = (xp.asarray(each) for each in made.arcs())
    order = xp.argsort((src.astype(np.int64) << 32) | dst, kind="stable")
    arcs = src[order], dst[order], weight[order]
    about = made.directed, int(made.source), made.kind
    return PeerGraph(made.name, made.num_vertices, *arcs, *about)


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


class Draws:
    """The draws of numpy's generator, or of CuPy's."""

    def __init__(self, xp: Any, seed: int) -> None:
        self.is_numpy = xp is np
        self.made = np.random.default_rng(seed) if self.is_numpy else xp.random.RandomState(seed)
        self.permutation = self.made.permutation

    def shares(self, count: int, dtype: Any = np.float64) -> Any:
        """Draw from 0 to 1."""
        draw = self.made.random if self.is_numpy else self.made.rand
        return draw(count, dtype=dtype)

    def below(self, bound: int, count: int) -> Any:
        """Draw ids, int32."""
        draw = self.made.integers if self.is_numpy else self.made.randint
        return draw(0, bound, count).astype(np.int32)


def draw_rmat(xp: Any, draws: Draws, num_edges: int, scale: int, chances: Chances) -> Any:
    """Draw both ends of R-MAT edges, one digit of both at a time; int32[num_edges] each."""
    bounds = np.cumsum(chances)
    top, right, down = bounds if draws.is_numpy else bounds.tolist()
    src, dst = xp.zeros(num_edges, np.int32), xp.zeros(num_edges, np.int32)
    for _ in range(scale):
        draw = draws.shares(num_edges, np.float32)
        is_right = ((draw >= top) & (draw < right)) | (draw >= down)
        src = src * 2 + (draw >= right).astype(np.int32)
        dst = dst * 2 + is_right.astype(np.int32)
    return src, dst


def rmat(xp: Any, scale: int, chances: Chances, seed: int) -> Ends:
    """Draw an R-MAT graph of 16 edges per vertex and shuffle the ids."""
    draws = Draws(xp, seed)
    src, dst = draw_rmat(xp, draws, 16 << scale, scale, chances)
    new_id = draws.permutation(1 << scale).astype(np.int32)
    return 1 << scale, new_id[src], new_id[dst]


def uniform(xp: Any, num_vertices: int) -> Ends:
    """Draw both ends of 16 edges per vertex uniformly, all sources first."""
    draws = Draws(xp, 4)
    src = draws.below(num_vertices, 16 * num_vertices)
    return num_vertices, src, draws.below(num_vertices, 16 * num_vertices)


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
    kept = Draws(xp, 5).shares(src.size) >= removed
    return width * width, src[kept], dst[kept]


@dataclass(frozen=True)
class Recipe:
    """How a graph is made."""

    make: Callable[[Any], Ends]  # takes the array module
    undirected: bool  # whether every edge gets both arcs and is kept once
    source: int | None = None  # where searches start; None is the vertex with the most out-arcs


KINDS: dict[str, Callable[[int], Recipe]] = {
    "rmat": lambda n: Recipe(lambda xp: rmat(xp, n, GTGRAPH, 1), False),
    "skew": lambda n: Recipe(lambda xp: rmat(xp, n, GRAPH500, 2), False),
    "kron": lambda n: Recipe(lambda xp: rmat(xp, n, GRAPH500, 2), True),
    "rand": lambda n: Recipe(lambda xp: uniform(xp, 1 << n), False, 0),
    "road": lambda n: Recipe(lambda xp: grid(xp, n, 0.30), True, (n // 2 + 1) * n),
    "hex": lambda n: Recipe(lambda xp: grid(xp, n, 0.0, honeycomb=True), True, n // 2 * (n + 1)),
}
NAMED = {
    "rand1m": Recipe(lambda xp: uniform(xp, 1_000_000), False, 0),
    "road": KINDS["road"](1400),
    "huge8m": KINDS["hex"](2900),
}
OF_TARGET = {
    "cpu": ("rmat20", "kron19", "road"),
    "cuda": ("rmat20", "kron22", "rand1m", "road", "huge8m"),
}
PEERS_HAD = {  # the number of vertices and of arcs that the peers on GPUs were timed with
    "rmat20": (1_048_576, 16_763_834),
    "kron22": (4_194_304, 128_314_988),
    "rand1m": (1_000_000, 15_999_991),
    "road": (1_960_000, 5_485_464),
    "huge8m": (8_410_000, 25_221_300),
}


def recipe_of(name: str) -> Recipe:
    """Return the recipe of a name."""
    if name in NAMED:
        return NAMED[name]
    found = re.fullmatch(r"([a-z]+)(\d+)", name)
    if not found or found[1] not in KINDS:
        kinds = ", ".join(f"{kind}N" for kind in KINDS)
        raise SystemExit(f"there is no graph {name}; there are {', '.join(NAMED)}, {kinds}")
    return KINDS[found[1]](int(found[2]))


def made(name: str, xp: Any = np) -> PeerGraph:
    """Make a graph; complain loudly when it is not the one that the peers had on a GPU."""
    return build(name, recipe_of(name), xp, None if xp is np else PEERS_HAD.get(name))


def build(name: str, recipe: Recipe, xp: Any, wanted: tuple[int, int] | None = None) -> PeerGraph:
    """Make the graph of a recipe, which is to have so many vertices and arcs."""
    num_vertices, src, dst = recipe.make(xp)
    if recipe.undirected:
        src, dst = xp.concatenate([src, dst]), xp.concatenate([dst, src])
    src, dst = sorted_ends(xp, src, dst, once=recipe.undirected)
    source = busiest(xp, src, num_vertices) if recipe.source is None else recipe.source
    found, difference = (num_vertices, src.size), ""
    if wanted and found != wanted:
        difference = f"{found[0]} vertices and {found[1]} arcs, not {wanted[0]} and {wanted[1]}"
        print(f"ERROR: {name} IS NOT THE PEERS' GRAPH: {difference}", file=sys.stderr, flush=True)
    about = edge_weights(src, dst), not recipe.undirected, source
    return PeerGraph(name, num_vertices, src, dst, *about, difference=difference)


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


def busiest(xp: Any, src: Any, num_vertices: int) -> int:
    """Return the vertex that is most often in `src`, the smallest of several."""
    return int(xp.bincount(src, minlength=num_vertices).argmax())


def load(name: str) -> BenchGraph:
    """Return a graph on the host; a large one from the cache when it was made before."""
    if name not in OF_TARGET["cpu"]:
        return made(name).on_host()
    return cached(name, lambda: made(name).on_host())


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
