"""Whom to choose so that most sets are hit: the greedy rule, on a graph of people and sets.

An edge leads from each person to every set that they are in. Each step chooses who hits most of
the sets that are left, of equal ones the first; the sets hit tell their members, who then count for
less. So all steps together look at a set once, and the result is at least 1 - 1 / e of the best.

Nemhauser, Wolsey, Fisher: An Analysis of Approximations for Maximizing Submodular Set Functions,
Mathematical Programming 14, 1978.
"""

from __future__ import annotations

import emv
from emv import Edge, Vertex, edge, i32, i64, program, vertex

LAST = 2**32 - 1  # above all ids of people
NEVER, IS_SET = -1, -1


class Node(Vertex):
    gain: i64 = 0  # the sets left that a person hits; IS_SET, and of who is chosen -1 as well
    chosen_at: i32 = NEVER  # step
    is_left: bool = True


@vertex
def count_sets(v: Node, people: int):
    v.gain = v.out_degree if v.id < people else IS_SET


@vertex
def rank(v: Node):
    return ((v.gain + 1) << 32) + (LAST - v.id)


@vertex
def choose(v: Node, step: int):
    v.chosen_at = step
    v.gain = -1
    emv.keep_going()


@edge
def hit(member: Edge[Node]):
    if member.dst.is_left:
        member.send(True)


@vertex
def leave(v: Node):
    v.is_left = False
    v.activate()


@edge
def tell_members(member: Edge[Node]):
    if member.dst.gain > 0:
        member.send(1)


@vertex
def count_less(v: Node, lost: i64):
    v.gain -= lost


@program
def cover(g, people, k):
    """Return when each person is chosen, and how many sets those chosen hit.

    Parameters
    ----------
    g : Graph
        Undirected, none of its edges twice: people first, then sets.
    people, k : int
        How many there are, fewer than 2**32, and how many are chosen.

    Returns
    -------
    chosen_at : int32[num_vertices]
        The step from 0 on, -1 for all others.
    hits : int64

    Examples
    --------
    >>> from emv import Graph
    >>> g = Graph.from_edges([0, 1, 1, 1, 2], [3, 3, 4, 5, 6], directed=False)
    >>> chosen_at, hits = cover(g, 3, 1)
    >>> chosen_at[:3], int(hits)
    (array([-1,  0, -1], dtype=int32), 3)
    """
    count_sets(g, people)
    hits = 0
    for step in g.supersteps(k):
        gain, place = divmod(emv.largest(rank(g)), LAST + 1)
        best = LAST - place
        found = hit(g.only(best))
        choose(g.only(best), step)
        leave(found.receivers)
        lost = tell_members(g.active)
        count_less(lost.receivers, emv.sum(lost))
        hits += gain - 1
    return g.vertices.chosen_at, hits
