"""Leiden: communities of high modularity, of which none falls apart.

Returns a community for every vertex, named by its smallest member, and their modularity. Louvain
contracts what its moves have left, which may hang together only through vertices that have moved on
since. Leiden contracts something finer: within each community every vertex begins alone and may
join one part, once, that is well connected to the rest of the community. Parts become the vertices
of the next level, which begins with the communities there were. The first communities of all are
those of Louvain's moves, which are sooner there; what they leave apart is cut.

In a superstep of the refinement half of those who are still alone, drawn anew each time, may join a
part, and only one that stays: so whoever is joined does not leave, and a part hangs together. Among
the parts that add to the modularity one is drawn, better ones more often (Gumbel, 1954: the largest
of gains with such noise is a draw by their exponentials). Who joins tells by how much this changes
what the part weighs, so that each arc is looked at once for that, and not in each superstep. Where
no part forms any more, communities are cut into what hangs together and contracted as they are, and
then pairs that gain, until no two would gain as one.

Traag, Waltman, van Eck: From Louvain to Leiden: guaranteeing well-connected communities, Scientific
Reports 9, 2019. Sahu: GVE-Leiden: Fast Leiden Algorithm for Community Detection in Shared Memory
Setting, ICPP 2024.
"""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import emv
from emv import Edge, MessageList, Vertex, edge, f32, f64, i32, mlist, program, vertex
from emv.algorithms._arguments import a_number, at_least, different
from emv.algorithms._checks import WrongResultError, num_components
from emv.algorithms._communities import Asked, Level, asked_of, scaled_weights, smallest_members
from emv.algorithms._moves import alone, ascend, descend, moves, pairs
from emv.algorithms.louvain import check_louvain
from emv.algorithms.modularity import modularity
from emv.errors import ArgumentError
from emv.graph import Graph
from emv.graph.on_device import gathered, numbered, on_host
from emv.lang.draws import Rng
from emv.tracebacks import ends_at_caller

__all__ = ["check_leiden", "leiden"]

MOST_SUPERSTEPS = 64
"""Of a refinement; in each some half of those that can join a part do."""

RESTLESS = 1000
"""A refinement ends when no more than one vertex in so many could join; the next level has them."""


class Member(Vertex):
    community: i32  # the id of a vertex that stands for it; parts are within it
    strength: f64 = 0.0  # weight of its edges, that of loops twice
    near: f64 = 0.0  # weight of its edges to others of its community
    whole: f64 = 0.0  # strength of the community that is called after this vertex
    part: i32 = -1  # the id of the vertex that began it
    size: i32 = 1  # members of the part that this vertex began
    total: f64 = 0.0  # their strength
    outer: f64 = 0.0  # weight of the edges from that part to others of the community
    is_open: bool = False  # the part is well connected, and can be joined now or later
    is_alone: bool = True  # nobody else is in its part
    may_join: bool = False  # another part, in this superstep
    has_joined: bool = False
    target: i32 = -1  # the part that it joins
    could: bool = False  # join one, now or later


class Tie(Edge[Member]):
    weight: f32 = 1.0


@edge
def weigh(e: Tie):
    e.send(f64(e.weight) * (2.0 if e.src.id == e.dst.id else 1.0))


@vertex
def start(v: Member, strength: f64):
    v.strength = v.total = strength
    v.part = v.id
    return strength


@edge
def tell_near(e: Tie):
    if e.src.community == e.dst.community and e.src.id != e.dst.id:
        e.send(f64(e.weight))


@vertex
def sum_near(v: Member, near: f64):
    v.near = v.outer = near


@vertex
def hand_over(v: Member):
    v.send_to(v.community, v.strength)


@vertex
def add_up(v: Member, strength: f64):
    v.whole = strength


@vertex
def take_stock(v: Member, double: f64, resolution: f64):
    rest = Member.at(v.community).whole - v.total
    v.is_open = v.size > 0 and v.outer >= resolution * v.total * rest / double
    v.is_alone = v.part == v.id and v.size == 1
    v.may_join = v.is_alone and v.is_open and emv.random() < 0.5


@edge
def tell(e: Tie):
    is_within = e.src.community == e.dst.community and e.src.part != e.dst.part
    if is_within and e.dst.is_alone and e.dst.is_open:
        e.send((e.src.part, e.weight))


@mlist
def join(
    v: Member,
    heard: MessageList[tuple[i32, f32]],
    double: f64,
    resolution: f64,
    theta: f64,
    step: int,
    count: int,
):
    could = False
    share = resolution * v.strength / double
    target, most = v.part, -emv.inf
    for part, weight in emv.tally(heard):
        gain = weight - share * Member.at(part).total
        if gain >= 0.0 and Member.at(part).is_open:
            could = True
            if v.may_join and not Member.at(part).may_join:
                drawn = emv.random(v.id * count + part, step)
                worth = gain - theta * log(-log(1e-9 + 0.999999998 * drawn))
                if worth > most or (worth == most and part < target):
                    target, most = part, worth
    v.target = target
    v.could = could


@vertex
def could_join(v: Member):
    if v.could:
        emv.keep_going()  # also where nobody joins this time
    return v.could


@vertex
def enter(v: Member):
    v.has_joined = v.may_join and v.target != v.part
    if v.has_joined:
        v.part = v.target
        v.size = 0  # of the part that it leaves
        v.total = v.outer = 0.0
        v.activate()


@vertex
def be_counted(v: Member):
    part = Member.at(v.part)
    part.size += 1
    part.total += v.strength
    part.outer += v.near


@edge
def be_inside(e: Tie):
    if e.src.part == e.dst.part and e.src.id != e.dst.id:
        ends = 1.0 if e.dst.has_joined else 2.0  # the arc back tells of the edge, too
        Member.at(e.src.part).outer += -ends * f64(e.weight)


@program(graph="undirected", bind={"weight": Tie.weight, "community": Member.community})
def refine(g, community, weight="weight", resolution=1.0, theta=0.01, limit=MOST_SUPERSTEPS):
    """Return parts of communities, each well connected to the rest of its community.

    The refinement of one level of `leiden`.

    Parameters
    ----------
    g : Graph
        Undirected, with edges that weigh something.
    community : int[num_vertices]
        The community of every vertex, each called by the id of a member.
    weight, resolution
        As `leiden` takes them.
    theta : float
        How much is left to chance, in the unit of weights; with 0 the best part is joined.
    limit : int
        Supersteps at most.

    Returns
    -------
    int32[num_vertices]
        The part of every vertex, called by the id of a member.
    """
    double = emv.total(start(g, emv.sum(weigh(g))))
    add_up(g, emv.sum(hand_over(g)))
    sum_near(g, emv.sum(tell_near(g)))
    for step in g.supersteps(limit, until=lambda: could * RESTLESS <= g.num_vertices):
        take_stock(g, double, resolution)
        join(g, tell(g), double, resolution, theta, step, g.num_vertices)
        could = emv.count(could_join(g))
        enter(g)
        be_counted(g.active)
        be_inside(g.active)
    return g.vertices.part


class Piece(Vertex):
    community: i32
    group: emv.DisjointSet


@edge
def hold(e: Edge[Piece]):
    if e.src.community == e.dst.community:
        emv.union(e.src.group, e.dst.group)


@program(bind={"community": Piece.community})
def cut_apart(g, community):
    """Return communities cut into what hangs together, each named by its smallest member."""
    hold(g)
    return g.vertices.group


@ends_at_caller
def leiden(
    graph: Graph,
    weight: str | ArrayLike = "weight",
    resolution: float = 1.0,
    theta: float = 0.01,
    threshold: float = 1e-7,
    max_iter: int | None = 2,
    rng: Rng = 0,
) -> tuple[NDArray[np.int32], float]:
    """Return communities of high modularity that hang together, and their modularity.

    Parameters
    ----------
    graph : Graph
        Undirected. Repeated edges count each time.
    weight : str, number or array
        The weights of the edges, 0 or more: a column's name, one number for all, or
        ``any[num_edges]``. When the graph has no column ``weight`` and none is asked for, every
        edge weighs 1.
    resolution : float
        Above 1 it favours small communities, below 1 large ones.
    theta : float
        How much of the refinement is left to chance, in the mean weight of an edge: a part that
        adds `theta` more is joined e times as often. With 0 the best part is joined.
    threshold : float
        An iteration that gains less modularity is the last.
    max_iter : int, optional
        Iterations at most, each over all levels: two, as igraph and leidenalg do, or, with None, as
        many as gain. The first of several moves as `louvain` does, and the others cut what it
        leaves apart. Later ones gain little.
    rng : int, Generator, BitGenerator, SeedSequence or None
        Of the draws who moves, who joins a part, and which.

    Returns
    -------
    community : int32[num_vertices]
        The community of every vertex: the smallest id of its members. Each hangs together by edges
        within it.
    modularity : float
        Of these communities; 0 where the edges weigh nothing and every vertex is alone.

    Raises
    ------
    GraphError
        If the graph is directed.
    ColumnError
        If the graph lacks the column asked for, or there are not as many weights as edges.
    ArgumentError
        If a weight, `theta` or `threshold` is below 0 or nan, a weight or the sum of all is inf, or
        `max_iter` is below 1.

    Notes
    -----
    O(num_arcs * log(largest degree)) per superstep at most. Weights are read in single precision.
    The same seed gives the same communities on every backend and any number of threads. No two
    communities would be worth more as one. Parameters are those of cuGraph's ``leiden``; the draws
    of the refinement are as igraph's with ``beta`` for `theta`.

    References
    ----------
    .. [1] Traag, Waltman, van Eck: From Louvain to Leiden: guaranteeing well-connected communities,
       Scientific Reports 9, 2019.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import leiden
    >>> g = Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5], directed=False)
    >>> community, modularity = leiden(g)
    >>> community, round(modularity, 4)
    (array([0, 0, 0, 3, 3, 3], dtype=int32), 0.3571)
    """
    a_number("leiden(): theta", theta, graph)
    if not theta >= 0:
        raise ArgumentError(f"leiden(): theta={theta!r}", remedy="Give 0 or more.")
    asked = asked_of("leiden()", graph, resolution, threshold, rng)
    if max_iter is not None:
        at_least(1)("leiden(): max_iter", max_iter, graph)
    weights = scaled_weights("leiden()", graph, weight)
    own, _ = different(weights)
    if not own.any():
        return alone(graph.num_vertices), 0.0
    noise = theta * float(own[own > 0].mean())
    base = Level.first(graph, weights)
    community, found = alone(base.size), -1.0
    before, turn = -np.inf, 0
    if max_iter != 1:
        community, turn = around(base, asked), 1
    while found > before + threshold and turn != max_iter:
        before, turn = found, turn + 1
        climbed = climb(base, community, noise, asked)
        quality = modularity(graph, climbed, weight=base.weight, resolution=resolution)
        if quality > found:
            community, found = climbed, float(quality)
    return smallest_members(on_host(community)), found


def around(base: Level, asked: Asked) -> Any:
    """Return the communities of Louvain's moves, up all levels and down again."""
    community, found = moves(base, alone(base.size), asked)
    stairs, found = ascend(base, community, found, asked, None)
    return descend(stairs, found, asked)[0]


def climb(base: Level, community: Any, theta: float, asked: Asked) -> Any:
    """Return communities of at least as high modularity: move, refine, contract, and again."""
    level, place = base, None  # the level's vertex of every vertex
    while True:
        community, _ = moves(level, community, asked)
        run = refine.run(
            level.graph, community, level.weight, asked.resolution, theta, rng=asked.seed
        )
        names, number = numbered(run.result, level.size)
        if len(names) == level.size:
            community = cut_apart(level.graph, community)
            names, number = numbered(community, level.size)
        if len(names) == level.size:
            community = pairs(level, asked)
            names, number = numbered(community, level.size)
        place = number if place is None else gathered(number, place)
        if len(names) == level.size:
            return place
        level, community = (
            level.contracted(number, len(names)),
            numbered(gathered(community, names), level.size)[1],
        )


def check_leiden(
    graph: Graph,
    community: NDArray[Any],
    value: float,
    weight: str | ArrayLike = "weight",
    resolution: float = 1.0,
) -> None:
    """Raise unless the communities pass `check_louvain` and each hangs together.

    Parameters
    ----------
    community, value
        What `leiden` returned.
    weight, resolution
        As given to `leiden`.

    Raises
    ------
    WrongResultError
        If a condition is not met.
    """
    check_louvain(graph, community, value, weight, resolution)
    src, dst = graph.edges.endpoints()
    inside = community[src] == community[dst]
    pieces = num_components(graph, inside)
    there_are = len(np.unique(community))
    if pieces != there_are:
        raise WrongResultError(f"{there_are} communities fall into {pieces} pieces")
