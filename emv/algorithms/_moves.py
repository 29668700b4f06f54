"""Vertices that move between communities, as `louvain` and `leiden` let them on every level.

A vertex is awake when a neighbour has gone to another community since it looked around. In a
superstep half of those awake, drawn anew each time, look for the neighbouring community where they
add most to the modularity, and move there: if all did, neighbours would change places for ever. The
best partition that was seen is kept, so that a level never loses. What its communities are
contracted to is the next level. Where that gains nothing, those pairs become one that are worth
most as one to both: many who move at once may lose together what one of them would gain. So no two
of the communities that are left would be worth more as one. Then vertices move once more on every
level from the last down.

Blondel, Guillaume, Lambiotte, Lefebvre: Fast Unfolding of Communities in Large Networks, J. of
Statistical Mechanics, 2008. Naim, Manne, Halappanavar, Tumeo: Community Detection on the GPU, IPDPS
2017. Sahu: GVE-Louvain: Fast Louvain Algorithm for Community Detection in Shared Memory Setting,
arXiv:2312.04876, for who looks around. Rotta, Noack: Multilevel Local Search Algorithms for
Modularity Clustering, JEA 16, 2011, for the way down.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import emv
from emv import Edge, MessageList, Vertex, edge, f32, f64, i32, mlist, program, vertex
from emv.algorithms._communities import Asked, Level
from emv.graph.on_device import gathered, numbered

MOST_SUPERSTEPS = 24
"""Of a level: what has not come to rest by then swings."""

RESTLESS = 1e-3
"""Of a level so large no more than this share of the vertices is awake in the last superstep."""


LARGE = 2**17
LEAST_GAIN = 1e-4
"""Two supersteps on so many edges that gain less are the last, but where all else is done."""

NO_GAIN = -2.0  # less than any two supersteps gain

LEAST = 1e-12
"""A partition is better than another by at least so much: less is rounding."""


class Node(Vertex):
    community: i32  # the id of a vertex that stands for it
    before: i32 = -1  # its community when this superstep began
    strength: f64 = 0.0  # weight of its edges, that of loops twice
    total: f64 = 0.0  # strength of the community that is called after this vertex
    is_awake: bool = True  # a neighbour has moved since it looked around last
    looks: bool = False  # around, in this superstep
    target: i32 = -1  # the community that it moves to
    best: i32 = -1  # its community in the best partition seen


class Bond(Edge[Node]):
    weight: f32 = 1.0


@edge
def weigh(e: Bond):
    e.send(f64(e.weight) * (2.0 if e.src.id == e.dst.id else 1.0))


@vertex
def start(v: Node, strength: f64):
    v.strength = strength
    return strength


@vertex
def hand_in(v: Node):
    v.send_to(v.community, v.strength)


@vertex
def add_up(v: Node, total: f64):
    v.total = total


@vertex
def square(v: Node):
    return v.total * v.total


@vertex
def rouse(v: Node):
    v.looks = v.is_awake and emv.random() < 0.5
    if v.is_awake:
        emv.keep_going()  # also where nobody moves this time
    return v.is_awake


@edge
def tell(e: Bond):
    if e.dst.looks and e.src.id != e.dst.id:
        e.send((e.src.community, e.weight))


@edge
def inside(e: Bond):
    share = 1.0 if e.src.id == e.dst.id else 0.5  # of an arc in its edge
    return share * f64(e.weight) if e.src.community == e.dst.community else 0.0


@vertex
def keep_best(v: Node, quality: f64, best: f64):
    if quality > best + LEAST:
        v.best = v.community


@vertex
def larger(v: Node, quality: f64, best: f64):
    return quality if quality > best + LEAST else best


@mlist
def look_around(v: Node, heard: MessageList[tuple[i32, f32]], double: f64, resolution: f64):
    share = resolution / double
    own = 0.0  # weight of the edges to its own community
    target, most = v.community, -emv.inf
    for community, weight in emv.tally(heard):
        if community == v.community:
            own = weight
        else:
            total = Node.at(community).total
            gain = weight - share * (v.strength * total)  # the same from either side
            if gain > most or (gain == most and community < target):
                target, most = community, gain
    if v.looks:
        stays = own - share * (v.strength * (Node.at(v.community).total - v.strength))
        if most <= stays + 1e-9 * v.strength:
            target = v.community
        v.target = target


@vertex
def move(v: Node):
    v.before = v.community
    if v.looks:
        v.is_awake = False
        if v.target != v.community:
            v.community = v.target
            v.activate()


@edge
def wake(e: Bond):
    change = 0.0  # of the weight within communities, by the arcs of those who moved
    is_within = e.src.community == e.dst.community
    if not is_within:
        e.dst.is_awake = True
    if is_within != (e.src.before == e.dst.before):
        change = f64(e.weight) if is_within else -f64(e.weight)
        if e.dst.before != e.dst.community:  # the arc back tells of the edge, too
            change = 0.5 * change
    return change


@vertex
def change_over(v: Node):
    Node.at(v.before).total += -v.strength
    Node.at(v.community).total += v.strength


@vertex
def look(v: Node):
    v.looks = True


@vertex
def join(v: Node):
    if v.target > v.id and Node.at(v.target).target == v.id:
        v.community = v.target


@program(graph="undirected", bind={"weight": Bond.weight, "community": Node.community})
def move_vertices(
    g,
    community,
    weight="weight",
    resolution=1.0,
    least=NO_GAIN,
    restless=0.0,
    limit=MOST_SUPERSTEPS,
):
    """Return a partition of higher modularity than the given one, or the given one.

    One level of `louvain`: vertices move between the communities that there are.

    Parameters
    ----------
    g : Graph
        Undirected, with at least one vertex, and edges that weigh something.
    community : int[num_vertices]
        The community of every vertex, each called by the id of a vertex.
    weight, resolution
        As `louvain` takes them.
    least : float
        Two supersteps that gain less modularity are the last.
    restless : float
        And one in which no larger share of the vertices is awake.
    limit : int
        Supersteps at most.

    Returns
    -------
    community : int32[num_vertices]
        The communities.
    modularity : float
        Their modularity.
    """
    double = emv.total(start(g, emv.sum(weigh(g))))
    within = emv.total(inside(g))
    add_up(g, emv.sum(hand_in(g)))
    best, before, quality = -1.0e30, -1.0e30, -1.0e30
    for _ in g.supersteps(
        limit,
        until=lambda: (awake <= restless * g.num_vertices) | (quality - older < least),
    ):
        older, before = before, quality
        squares = emv.total(square(g))
        quality = 2.0 * within / double - resolution * squares / (double * double)
        keep_best(g, quality, best)
        best = emv.largest(larger(g.only(0), quality, best))
        awake = emv.count(rouse(g))
        look_around(g, tell(g), double, resolution)
        move(g)
        within = within + emv.total(wake(g.active))
        change_over(g.active)
    return g.vertices.best, best


@program(graph="undirected", bind={"weight": Bond.weight, "community": Node.community})
def pair_up(g, community, weight="weight", resolution=1.0):
    """Return communities of one or two vertices: of the pairs that gain, those best to both.

    The pair that gains most is one of them; of several, the one of the smallest ids.

    Parameters
    ----------
    g : Graph
        Undirected, with edges that weigh something.
    community : int[num_vertices]
        The vertices' own ids.
    weight, resolution
        As `louvain` takes them.
    """
    double = emv.total(start(g, emv.sum(weigh(g))))
    add_up(g, emv.sum(hand_in(g)))
    look(g)
    look_around(g, tell(g), double, resolution)
    join(g)
    return g.vertices.community


def alone(count: int) -> NDArray[np.int32]:
    """Return a community for each of so many vertices."""
    return np.arange(count, dtype=np.int32)


def moves(
    level: Level, community: Any, asked: Asked, is_thorough: bool = False
) -> tuple[Any, float]:
    """Return what `move_vertices` makes of communities, on a large level in short if it may."""
    ends = (LEAST_GAIN, RESTLESS) if is_large(level) and not is_thorough else (NO_GAIN, 0.0)
    run = move_vertices.run(
        level.graph, community, level.weight, asked.resolution, *ends, rng=asked.seed
    )
    moved, quality = run.result
    return moved, float(quality)


def is_large(level: Level) -> bool:
    """Return whether a superstep takes so long that it should gain something."""
    return level.graph.num_edges >= LARGE


def pairs(level: Level, asked: Asked) -> Any:
    """Return what `pair_up` makes of a level."""
    return pair_up.run(level.graph, alone(level.size), level.weight, asked.resolution).result


class Stair(NamedTuple):
    """A level and what became of its vertices."""

    level: Level
    names: Any  # of its communities, ascending: an id each
    number: Any  # of the community of every vertex, numbered from 0


def ascend(
    base: Level, community: Any, found: float, asked: Asked, most: int | None
) -> tuple[list[Stair], float]:
    """Contract communities and move what they form, until nothing is gained.

    Parameters
    ----------
    community : int[num_vertices]
        To begin with.
    found : float
        Their modularity.
    most : int or None
        Levels at most.

    Returns
    -------
    stairs : list of Stair
        From the first level up.
    found : float
        The modularity that the last one has.
    """
    level, stairs = base, []
    while True:
        names, number = numbered(community, level.size)
        stairs.append(Stair(level, names, number))
        if len(stairs) == most:
            return stairs, found
        level = level.contracted(number, len(names))
        community, quality = moves(level, alone(level.size), asked)
        if quality <= found + asked.threshold and is_large(level):
            community, quality = moves(level, alone(level.size), asked, is_thorough=True)
        if quality <= found + asked.threshold:
            community, quality = moves(level, pairs(level, asked), asked)
        if quality <= found + asked.threshold:
            return stairs, found
        found = quality


def descend(stairs: list[Stair], found: float, asked: Asked) -> tuple[Any, float]:
    """Return the communities of the first level, after moves on every level from the last down."""
    *lower, (_, names, number) = stairs
    community = gathered(names, number)
    for level, names, number in reversed(lower):
        inherited = gathered(gathered(names, community), number)
        community, found = moves(level, inherited, asked)
    return community, found


def at_the_foot(stairs: list[Stair]) -> Any:
    """Return the number of every vertex of the first level on the last."""
    *lower, (_, _, place) = stairs
    for _, _, number in reversed(lower):
        place = gathered(place, number)
    return place
