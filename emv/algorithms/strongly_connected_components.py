"""Strong components: which vertices reach each other along directed arcs.

Returns the smallest vertex id of its component for every vertex. Many graphs have one large
component: a pivot, a vertex with many arcs both ways, is likely in it, and so are those that it
reaches and that reach it. One search along arcs and one against them find these, and tell the
others apart by which search met them. No search takes more than `LEVELS` supersteps, so it may have
to stop early: then what was found is one group to begin with, and nothing is told apart.

In the rest, groups that have arcs both ways are united first, unless few vertices are left: every
group looks for the largest group with an arc to it, and an arc back to that one joins the two; so a
symmetric graph is done in a few rounds, however long its paths. Arcs inside a group stay there, so
that only those of vertices on the border of their group are walked in the next round. Then the
largest group that reaches a group and the largest that it reaches are spread along the arcs, with a
shortcut: who reaches my reacher reaches me. Where the two are one, that group's component is found;
between groups for which they differ arcs cannot be on a cycle, and are forgotten. The rest begins
again.

Slota, Rajamanickam, Madduri: BFS and Coloring-Based Parallel Algorithms for Strongly Connected
Components and Related Problems, IPDPS 2014.
Alabandi, Sands, Biros, Burtscher: A High-Performance Algorithm for Finding Strongly Connected
Components on GPUs, SC 2023.
Fleischer, Hendrickson, Pinar: On Identifying Strongly Connected Components in Parallel, IPDPS 2000.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import emv
from emv import DisjointSet, Edge, Graph, Mask, Vertex, edge, i32, i64, program, vertex
from emv.algorithms._checks import WrongResultError, demand, demand_rows
from emv.algorithms._numbering import numbering

__all__ = ["check_strongly_connected_components", "strongly_connected_components"]

NONE = UNSEEN = -1
KNOWN = -2  # of a vertex whose component is known: no arc to it counts
ID = 2**32  # more than any id
LEVELS = 16  # supersteps at most of a search from the pivot
SHARE = 4  # no search against the arcs unless one vertex in so many is reached along them
FEW = 16  # where fewer than one vertex in so many is left, arcs both ways are not looked for
BITS = 2**31 - 1
SPREAD = 1_327_217_885  # odd, so that it has an inverse
GATHER = pow(SPREAD, -1, BITS + 1)


class Member(Vertex):
    group: DisjointSet
    depth: i32 = UNSEEN  # number of arcs to v from the pivot: the one vertex of most arcs both ways
    away: Mask  # no path from v to the pivot is known
    returns: bool = False  # one leads from there where an arc of v's leads
    rest: Mask  # v's component is not known yet
    border: Mask  # of the rest: an arc leads from v to another group, as far as is known
    stays: bool = False  # it does so still
    caller: i32 = NONE  # of a group: the largest other one with an arc to it
    answers: bool = False  # of a group: an arc leads back to that one
    heard: i32 = NONE  # of a group: what came along arcs to it
    answered: i32 = NONE  # of a group: what came along arcs from it
    source: i32 = NONE  # the largest group that reaches v's, as far as is known
    sink: i32 = NONE  # the largest group that v's reaches
    last_source: i32 = NONE  # those of the last round: arcs count between equal ones
    last_sink: i32 = NONE


def key_of(group: int) -> int:
    """Return a number of its own for every group, so that ids along a path seldom rise for long."""
    key = (group * SPREAD) & BITS
    key = key ^ (key >> 16)
    return (key * SPREAD) & BITS


def group_of(key: int) -> int:
    """Return the group that has a key."""
    group = (key * GATHER) & BITS
    group = group ^ (group >> 16)
    return (group * GATHER) & BITS


@edge
def unite(e: Edge[Member]):
    emv.union(e.src.group, e.dst.group)


# ---- the component of a pivot ----


@vertex
def rank(v: Member):
    v.away.set()
    return min(v.in_degree, v.out_degree) * ID + v.id


@vertex
def choose(v: Member, pivot: i64):
    if v.id == pivot:
        v.depth = 0
        v.away.unset()
        v.activate()


@edge
def look_ahead(e: Edge[Member]):
    e.send(e.src.depth + 1)


@vertex
def reach(v: Member, depth: i32):
    if v.depth == UNSEEN:
        v.depth = depth
        v.activate()


@vertex
def is_reached(v: Member):
    return v.depth != UNSEEN


@edge
def look_back(e: Edge[Member]):
    if not e.dst.away:
        e.src.returns = True


@vertex
def come_back(v: Member):
    if v.returns:
        v.away.unset()
        emv.keep_going()


@vertex
def id_inside(v: Member):
    return v.id if v.depth != UNSEEN and not v.away else ID


@vertex
def sort_out(v: Member, first: i64, turned: i64, unfinished: i64):
    inside = turned > 0 and v.depth != UNSEEN and not v.away
    if inside:
        emv.union(v.group, Member.at(first).group)
    if v.in_degree == 0 or v.out_degree == 0 or (inside and unfinished == 0):
        v.last_source = KNOWN
        v.last_sink = KNOWN
        return False
    v.rest.set()
    v.border.set()
    if unfinished == 0:
        v.last_source = min(v.depth, 0)
        v.last_sink = NONE if turned == 0 or v.away else 0
    return True


def search_from_pivot(g):
    """Unite the component of a vertex with many arcs, or a part; return how many are in `rest`."""
    choose(g, emv.largest(rank(g)) % ID)
    levels = 0
    for _ in g.supersteps(limit=LEVELS):
        depths = look_ahead(g.active)
        reach(depths.receivers, emv.min(depths))
        levels += 1
    turned = SHARE * emv.count(is_reached(g)) > g.num_vertices
    steps = 0
    for _ in g.supersteps(limit=LEVELS * turned):
        look_back(g.vertices.away)
        come_back(g.vertices.away)
        steps += 1
    unfinished = levels // LEVELS + steps // LEVELS  # there may be more, where a search was so long
    return emv.count(sort_out(g, emv.smallest(id_inside(g)), turned, unfinished))


# ---- groups with arcs both ways ----


@edge
def call(e: Edge[Member]):
    caller, called = emv.find(e.src.group), emv.find(e.dst.group)
    if caller != called:
        Member.at(called).caller = emv.max(Member.at(called).caller, caller)
        e.src.stays = True


@edge
def call_back(e: Edge[Member]):
    called, caller = emv.find(e.src.group), emv.find(e.dst.group)
    if called != caller and Member.at(called).caller == caller:
        Member.at(called).answers = True


@vertex
def join(v: Member):
    if v.answers:
        emv.union(v.group, Member.at(v.caller).group)
        emv.keep_going()
    v.answers = False
    v.caller = NONE
    if not v.stays:
        v.border.unset()
    v.stays = False


# ---- sources and sinks ----


@vertex
def begin(v: Member):
    v.source = key_of(emv.find(v.group))
    v.sink = v.source
    v.heard = v.source
    v.answered = v.sink


@edge
def spread(e: Edge[Member]):
    if e.src.last_source == e.dst.last_source and e.src.last_sink == e.dst.last_sink:
        if e.src.source > e.dst.source:
            group = emv.find(e.dst.group)
            Member.at(group).heard = emv.max(Member.at(group).heard, e.src.source)
        if e.dst.sink > e.src.sink:
            group = emv.find(e.src.group)
            Member.at(group).answered = emv.max(Member.at(group).answered, e.dst.sink)


@vertex
def shortcut(v: Member):
    group = emv.find(v.group)
    source, sink = Member.at(group).heard, Member.at(group).answered
    source = max(source, Member.at(group_of(source)).heard)
    sink = max(sink, Member.at(group_of(sink)).answered)
    if source > v.source or sink > v.sink:
        v.source = source
        v.sink = sink
        emv.keep_going()


@vertex
def settle(v: Member):
    v.last_source = v.source
    v.last_sink = v.sink
    if v.source == v.sink:
        emv.union(v.group, Member.at(group_of(v.source)).group)
        v.rest.unset()
        v.border.unset()
    else:
        emv.keep_going()


@numbering
@program
def strongly_connected_components(g, numbered=False):
    """Return for every vertex the smallest vertex id of its strongly connected component.

    Parameters
    ----------
    g : Graph
        Directed. Of an undirected graph these are the connected components, found as `components`
        finds them.
    numbered : bool
        Return how many components there are and their numbers from 0 on, as `components` does.

    Returns
    -------
    int64[num_vertices], or (int, int64[num_vertices])
        The label of every vertex: the smallest id in its component. Two vertices reach each other
        when their labels are equal, and a vertex that is its own label stands for its component.
        If `numbered`, the number of components, and of every vertex the number of its own, in the
        order of their smallest ids; on the host.

    Notes
    -----
    O(num_arcs) work per superstep. Only arcs of vertices whose component is not known yet are
    walked. The pivot is the vertex whose smaller degree, in or out, is largest. Each search takes
    at most 16 supersteps; that against the arcs finds nobody unless that along them found a fourth
    of all vertices. Where most vertices are in one component of short paths, this is nearly all the
    work.

    The rounds in which groups with arcs both ways unite are at most log2(num_vertices) where all
    arcs go both ways, and walk arcs of vertices only that have one to another group; there are none
    if less than a sixteenth of all vertices is left. In each round after that at least one
    component is found in every part of the graph that is left, in practice nearly all in a few; a
    round takes as many supersteps as the shortcuts leave of the longest path along which a largest
    group becomes known.

    References
    ----------
    .. [1] Slota, Rajamanickam, Madduri: BFS and Coloring-Based Parallel Algorithms for Strongly
       Connected Components and Related Problems, IPDPS 2014.
    .. [2] Alabandi, Sands, Biros, Burtscher: A High-Performance Algorithm for Finding Strongly
       Connected Components on GPUs, SC 2023.
    .. [3] Fleischer, Hendrickson, Pinar: On Identifying Strongly Connected Components in Parallel,
       IPDPS 2000.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import strongly_connected_components
    >>> g = Graph.from_edges([0, 1, 2, 2, 3, 4], [1, 2, 0, 3, 4, 3], num_vertices=6)
    >>> strongly_connected_components(g)
    array([0, 0, 0, 3, 3, 5])
    """
    if not g.directed:
        unite(g.edges)
        return g.vertices.group
    rest = search_from_pivot(g)
    many = FEW * rest > g.num_vertices
    for _ in g.supersteps(limit=many * g.num_vertices):
        call(g.vertices.border)
        call_back(g.vertices.border)
        join(g)
    left = emv.count(g.vertices.border) * g.num_vertices  # none: every group is a component
    for _ in g.supersteps(limit=left):
        begin(g.vertices.rest)
        for _ in g.supersteps():
            spread(g.vertices.border)  # arcs inside a group tell nothing
            shortcut(g.vertices.rest)
        settle(g.vertices.rest)
    return g.vertices.group


def check_strongly_connected_components(graph: Graph, group: NDArray[Any]) -> None:
    """Raise unless the labels are those of the strongly connected components.

    Three conditions, which together only the right labels meet: a label is the smallest id that
    bears it; the arcs inside a group make it strongly connected; the arcs between groups make no
    cycle, as each group has its place in an order that they keep to. The last two ask scipy for
    the strong components of these arcs: as many as there are labels, and one per label.

    Parameters
    ----------
    group : int64[num_vertices]
        What `strongly_connected_components` returned.

    Raises
    ------
    WrongResultError
        If a condition is not met; the message names the first vertex.
    """
    demand_rows(group, graph.num_vertices, "vertices")
    ids = np.arange(graph.num_vertices)
    demand((group >= 0) & (group <= ids), lambda v: f"vertex {v} has the label {group[v]}")
    demand(group[group] == group, lambda v: f"vertex {v} has the label of vertex {group[v]}")
    src, dst = graph.arcs()
    inside = group[src] == group[dst]
    there_are = int(np.count_nonzero(group == ids))
    parts = _num_strong(graph.num_vertices, src[inside], dst[inside])
    if parts != there_are:
        raise WrongResultError(f"the {there_are} groups fall into {parts} that are connected")
    merged = _num_strong(graph.num_vertices, group[src[~inside]], group[dst[~inside]])
    if merged != graph.num_vertices:
        raise WrongResultError("some groups are on a cycle, and so parts of one component")


def _num_strong(num_vertices: int, src: Any, dst: Any) -> int:
    """Return how many strong components arcs make, with scipy."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if not num_vertices:
        return 0
    shape = (num_vertices, num_vertices)
    arcs = coo_array((np.ones(len(src), bool), (src, dst)), shape).tocsr()
    return int(connected_components(arcs, connection="strong", return_labels=False))
