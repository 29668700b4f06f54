"""Neighbour sampling: some arcs of some vertices, then of the vertices they lead to, hop by hop.

Returns the sampled arcs, hop by hop, as graph neural networks are trained on them. Without
replacement a vertex goes once over its arcs and takes each with the chance that so many of the rest
are still wanted, which makes all sets of arcs equally likely; with replacement every draw is its
own, in the row of the vertex of its number, as in `random_walks`. Draws depend on the seed, the hop
and the vertex or draw alone, so the sample is the same on every backend.

Hamilton, Ying, Leskovec: Inductive Representation Learning on Large Graphs, NeurIPS 2017.
Fan, Muller, Rezucha: Development of Sampling Plans by Using Sequential (Item by Item) Selection
Techniques, J. of the American Statistical Association 57, 1962.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

import emv
from emv import Edge, EdgeList, Graph, Vertex, elist, i32, program, vertex
from emv.algorithms._arguments import is_whole, vertex_ids
from emv.algorithms._checks import (
    WrongResultError,
    demand,
    demand_parts,
    demand_rows,
    ids_of_sources,
)
from emv.algorithms.random_walks import seed_of_step, with_room
from emv.errors import ArgumentError
from emv.graph.on_device import on_host
from emv.lang.draws import Rng
from emv.renamed import renamed
from emv.runtime.arguments import check_call
from emv.tracebacks import ends_at_caller

__all__ = [
    "NeighborSample",
    "check_sample_neighbors",
    "sample_neighbors",
]

NONE = -1


class Seeker(Vertex):
    place: i32 = NONE  # the vertex whose arcs the draw of this number is from
    drawn: i32 = NONE  # the id of the edge


class Candidate(Edge[Seeker]):
    taken: bool = False


@elist
def pick(v: Seeker, links: EdgeList[Candidate], fanout: int):
    wanted, left = fanout, v.out_degree
    for link in links:
        if emv.random() * left < wanted or left <= wanted:
            link.taken = True
            wanted -= 1
        left -= 1


@vertex
def draw(s: Seeker):
    if s.place >= 0:
        here = Seeker.at(s.place)
        if here.out_degree > 0:
            s.drawn = here.out_edge(emv.randint(here.out_degree))


@program
def pick_edges(g, sources, fanout):
    """Return which edges are sampled: of each source so many different out-edges, or all it has.

    Parameters
    ----------
    g : Graph
        Directed.
    sources : int or list of int
        The ids of the vertices.
    fanout : int
        How many.

    Returns
    -------
    bool[num_edges]
        In the order of the edge ids.

    Examples
    --------
    >>> from emv import Graph
    >>> star = Graph.from_edges([0, 0, 0, 1], [1, 2, 3, 0])
    >>> int(pick_edges(star, [0, 1], 2).sum())
    3
    """
    pick(g.only(sources), fanout)
    return g.edges.taken


@program(bind={"place": Seeker.place})
def draw_edges(g, place):
    """Return an out-edge for each draw.

    Parameters
    ----------
    g : Graph
        Directed: edges that leave a vertex. Undirected: edges at it.
    place : int[num_vertices]
        The vertex that each draw is from; -1 where there is none.

    Returns
    -------
    int32[num_vertices]
        The ids of edges; -1 for a vertex that none leaves.
    """
    draw(g)
    return g.vertices.drawn


class NeighborSample(NamedTuple):
    """Sampled arcs.

    Attributes
    ----------
    src, dst : int64[n]
        The ids of the vertices that each leads from, and to.
    edge : int64[n]
        The ids of their edges.
    hop : int64[n]
        The hop in which each was sampled, from 0 on.
    """

    src: NDArray[np.int64]
    dst: NDArray[np.int64]
    edge: NDArray[np.int64]
    hop: NDArray[np.int64]


@ends_at_caller
@renamed("0.2", seed="rng")
def sample_neighbors(
    graph: Graph,
    sources: ArrayLike,
    fanout: int | list[int],
    replace: bool = False,
    rng: Rng = 0,
) -> NeighborSample:
    """Return a sample of the arcs around some vertices.

    Parameters
    ----------
    graph : Graph
        Directed: arcs that leave a vertex. Undirected: those to all its neighbours.
    sources : int or int[n]
        The ids of the vertices to begin with, each counted once.
    fanout : int or list of int
        How many arcs of each vertex, in one hop or hop by hop; -1 takes all. The vertices of a hop
        are those that the sampled arcs of the hop before lead to, each once.
    replace : bool
        Whether one arc may be drawn several times; then each vertex with arcs has `fanout` of them.
        Otherwise all are different, and a vertex with fewer gives all it has.
    rng : int, numpy.random.Generator, BitGenerator, SeedSequence or None
        Of the draws.

    Returns
    -------
    NeighborSample
        The arcs, sorted by hop and src.

    Raises
    ------
    ArgumentError
        If there is no such vertex, or a fanout is no whole number or less than -1.

    Notes
    -----
    A call of a program per hop; O(arcs of the hop's vertices) without replacement, one look per
    draw with it, and O(num_edges) on the host. The conventions are those of cuGraph's
    ``uniform_neighbor_sample``, but for the default: there with replacement.

    References
    ----------
    .. [1] Hamilton, Ying, Leskovec: Inductive Representation Learning on Large Graphs, NeurIPS
       2017.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import sample_neighbors
    >>> g = Graph.from_edges([0, 0, 1, 2, 2], [1, 2, 3, 3, 0])
    >>> found = sample_neighbors(g, 0, [2, 1])
    >>> found.src[:2], found.dst[:2], found.hop
    (array([0, 0]), array([1, 2]), array([0, 0, 1, 1]))
    """
    seed = check_call("sample_neighbors", graph, rng)
    frontier = np.unique(vertex_ids("sample_neighbors(): sources", sources, graph))
    fanouts = checked_fanouts(fanout)
    src, dst = (ends.astype(np.int64) for ends in graph.arcs())
    arcs = graph.layouts.out_rows.edge
    edge_of_arc = np.arange(len(src)) if arcs is None else arcs.astype(np.int64)
    one_way = graph if graph.directed and arcs is None else arc_graph(graph)
    degrees = graph.out_degrees()
    found: list[tuple[Any, ...]] = []
    for hop, wanted in enumerate(fanouts):
        most = int(degrees.max(initial=0)) if wanted < 0 else wanted
        if replace and wanted >= 0:
            picked = with_replacement(one_way, frontier, most, seed_of_step(seed, hop))
        else:
            drawn = pick_edges.run(one_way, frontier, most, rng=seed_of_step(seed, hop))
            picked = np.flatnonzero(on_host(drawn.result))
        found.append((src[picked], dst[picked], edge_of_arc[picked], np.full(len(picked), hop)))
        frontier = np.unique(dst[picked])
    columns = zip(*found, strict=True) if found else [[np.zeros(0, np.int64)]] * 4
    return NeighborSample(*(np.concatenate(each).astype(np.int64) for each in columns))


def checked_fanouts(fanout: Any) -> list[int]:
    """Return how many arcs are drawn hop by hop.

    Raises
    ------
    ArgumentError
        If one is no whole number, or less than -1.
    """
    many = isinstance(fanout, list | tuple | np.ndarray) and np.ndim(fanout) > 0
    fanouts = list(fanout) if many else [fanout]
    if not all(is_whole(each) and each >= -1 for each in fanouts):
        raise ArgumentError(
            f"sample_neighbors(): fanout={fanout!r}",
            remedy="Give a whole number or a list of them; -1 is for all arcs.",
        )
    return [int(each) for each in fanouts]


def arc_graph(graph: Graph) -> Graph:
    """Return the directed graph whose edges are the arcs of another, in their order."""
    src, dst = graph.arcs()
    return Graph.from_edges(src, dst, num_vertices=graph.num_vertices).on(graph.device)


def with_replacement(
    graph: Graph, sources: NDArray[Any], fanout: int, seed: int
) -> NDArray[np.int64]:
    """Return the drawn edges of a graph, by source."""
    places = np.repeat(sources, fanout)
    room = with_room(graph, len(places))
    told = np.full(room.num_vertices, NONE, np.int32)
    told[: len(places)] = places
    drawn = on_host(draw_edges.run(room, told, rng=seed).result)[: len(places)]
    found: NDArray[np.int64] = drawn[drawn != NONE].astype(np.int64)
    return found


def check_sample_neighbors(
    graph: Graph,
    sample: NeighborSample,
    sources: ArrayLike,
    fanout: int | list[int],
    replace: bool = False,
) -> None:
    """Raise unless the sample is one of those that may come out.

    Every arc belongs to its edge; the arcs of a hop leave its vertices; each of these gives as many
    as it should, all different where they are not replaced.

    Parameters
    ----------
    sample : NeighborSample
        What `sample_neighbors` returned.
    sources, fanout, replace
        As given to `sample_neighbors`.

    Raises
    ------
    WrongResultError
        If a condition is not met.
    """
    starts, ends = (each.astype(np.int64) for each in graph.edges.endpoints())
    src, dst, edge, hop = demand_parts(sample, 4)
    for part in (src, dst, edge, hop):
        demand_rows(part, len(src) if np.ndim(src) else 0, "arcs")
    along = (starts[edge] == src) & (ends[edge] == dst)
    back = (starts[edge] == dst) & (ends[edge] == src) & (not graph.directed)
    demand(along | back, lambda k: f"edge {edge[k]} does not lead from {src[k]} to {dst[k]}")
    degrees = graph.out_degrees()
    frontier = np.unique(ids_of_sources(graph, sources))
    for number, wanted in enumerate(checked_fanouts(fanout)):
        here = hop == number
        most = degrees[frontier] if wanted < 0 else np.full(len(frontier), wanted)
        expected = np.zeros(graph.num_vertices, np.int64)
        if replace and wanted >= 0:
            expected[frontier] = most * (degrees[frontier] > 0)
        else:
            expected[frontier] = np.minimum(degrees[frontier], most)
            arcs = np.stack([src[here], edge[here]])
            if np.unique(arcs, axis=1).shape != arcs.shape:
                raise WrongResultError(f"an arc comes twice in hop {number}")
        demand_counts(src[here], expected, number)
        frontier = np.unique(dst[here])


def demand_counts(src: NDArray[np.int64], expected: NDArray[np.int64], hop: int) -> None:
    """Raise unless every vertex has so many arcs in a hop."""
    counts = np.bincount(src, minlength=len(expected))
    demand(
        counts == expected,
        lambda v: f"vertex {v} has {counts[v]} arcs in hop {hop}, not {expected[v]}",
    )
