"""Breadth-first search in the words of many authors.

Each program is one that somebody could have written who never saw the page of `bfs`. `SEARCHES`
says what the compiler makes of it: a claim, a relaxation, or the beginning of the line in which
`explain` says why it is neither. docs/design/measured.md has their times beside the page's.
"""

from __future__ import annotations

import emv
from emv import Edge, EdgeList, Vertex, edge, elist, f32, i32, inf, program, vertex

UNSEEN = -1
FAR = 2**30


class Spot(Vertex):
    depth: i32 = UNSEEN
    parent: i32 = UNSEEN
    seen: bool = False
    height: f32 = inf
    hops: i32 = FAR


@edge
def ahead(e: Edge[Spot]):
    e.send(e.src.depth + 1)


@edge
def ahead_named(e: Edge[Spot]):
    here = e.src
    depth = 1 + here.depth
    e.send(depth)


@edge
def ahead_filtered(e: Edge[Spot]):
    if e.dst.depth == UNSEEN:
        e.send(e.src.depth + 1)


@edge
def knock(e: Edge[Spot]):
    e.send(True)


@edge
def higher(e: Edge[Spot]):
    e.send(e.src.height + 1)


@edge
def farther(e: Edge[Spot]):
    e.send(e.src.hops + 1)


@edge
def farther_filtered(e: Edge[Spot]):
    hops = e.src.hops + 1
    if e.dst.hops > hops:
        e.send(hops)


@edge
def ahead_with_id(e: Edge[Spot]):
    e.send((e.src.depth + 1, e.src.id))


@edge
def ahead_if_due(e: Edge[Spot], step: int):
    if e.src.depth == step:
        e.send(step + 1)


@vertex
def ahead_of_vertex(v: Spot):
    v.send(v.depth + 1)


@elist
def ahead_along_list(v: Spot, links: EdgeList[Edge[Spot]]):
    for link in links:
        if link.dst.depth < 0:
            link.send(v.depth + 1)


@vertex
def settle(v: Spot, depth: i32):
    if v.depth == UNSEEN:
        v.depth = depth
        v.activate()


@vertex
def settle_below_zero(v: Spot, depth: i32):
    if v.depth < 0:
        v.depth = depth
        v.activate()


@vertex
def settle_mirrored(v: Spot, depth: i32):
    if UNSEEN == v.depth:  # noqa: SIM300 - this is what it shows
        v.activate()
        v.depth = depth


@vertex
def settle_early_return(v: Spot, depth: i32):
    if v.depth != UNSEEN:
        return
    v.depth = depth
    v.activate()


@vertex
def settle_negated(v: Spot, depth: i32):
    if not v.depth >= 0:
        v.depth = depth
        v.activate()


@vertex
def settle_at_step(v: Spot, step: i32):
    if v.depth == UNSEEN:
        v.depth = step + 1
        v.activate()


@vertex
def settle_and_go_on(v: Spot, depth: i32):
    if v.depth == UNSEEN:
        v.depth = depth
        emv.keep_going()
        v.activate()


@vertex
def settle_seen(v: Spot, depth: i32):
    if not v.seen:
        v.seen = True
        v.depth = depth
        v.activate()


@vertex
def settle_by_choice(v: Spot, depth: i32):
    is_new = v.depth == UNSEEN
    v.depth = depth if is_new else v.depth
    if is_new:
        v.activate()


@vertex
def settle_whoever_hears(v: Spot, depth: i32):
    v.depth = depth
    v.activate()


@vertex
def settle_height(v: Spot, height: f32):
    if v.height == inf:
        v.height = height
        v.activate()


@vertex
def keep_fewer(v: Spot, hops: i32):
    if hops < v.hops:
        v.hops = hops
        v.activate()


@vertex
def keep_fewest(v: Spot, hops: i32):
    before = v.hops
    v.hops = min(hops, v.hops)
    if v.hops != before:
        v.activate()


@vertex
def settle_with_parent(v: Spot, found: tuple[i32, i32]):
    if v.depth == UNSEEN:
        v.depth, v.parent = found
        v.activate()


@vertex
def adopt(v: Spot, parent: i32):
    v.parent = parent


@edge
def offer(e: Edge[Spot]):
    if e.src.depth != UNSEEN and e.src.depth + 1 == e.dst.depth:
        e.send(e.src.id)


@vertex
def settle_and_vote(v: Spot, depth: i32):
    if v.depth == UNSEEN:
        v.depth = depth
        emv.keep_going()


@vertex
def start(v: Spot):
    v.depth = 0
    v.activate()


def search(send=ahead, receive=settle, seed=settle, fold=emv.min):
    """Return the program that begins and spreads by these functions."""

    @program
    def depths(g, source):
        seed(g.only(source), 0)
        for _ in g.supersteps():
            heard = send(g.active)
            receive(heard.receivers, fold(heard))
        return g.vertices.depth

    return depths


@program
def by_steps(g, source):
    settle(g.only(source), 0)
    for step in g.supersteps():
        heard = knock(g.active)
        settle_at_step(heard.receivers, step)
    return g.vertices.depth


@program
def from_two_calls(g, source):
    settle(g.only(source), 0)
    settle(g.only(source), 0)
    for _ in g.supersteps():
        heard = ahead(g.active)
        settle(heard.receivers, emv.min(heard))
    return g.vertices.depth


@program
def begun_by_another(g, source):
    start(g.only(source))
    for _ in g.supersteps():
        heard = ahead(g.active)
        settle(heard.receivers, emv.min(heard))
    return g.vertices.depth


@program
def as_far_as_it_goes(g, source):
    settle(g.only(source), 0)
    for _ in g.supersteps(limit=g.num_vertices + 1):
        heard = ahead(g.active)
        settle(heard.receivers, emv.max(heard))
    return g.vertices.depth


@program
def by_heights(g, source):
    settle_height(g.only(source), 0)
    for _ in g.supersteps():
        heard = higher(g.active)
        settle_height(heard.receivers, emv.min(heard))
    return g.vertices.height


def hops_of(send=farther, receive=keep_fewer, **how):
    """Return the program that counts by these functions."""

    @program
    def hops(g, source):
        receive(g.only(source), 0)
        for _ in g.supersteps(**how):
            heard = send(g.active)
            receive(heard.receivers, emv.min(heard))
        return g.vertices.hops

    return hops


@program
def from_one_or_more(g, source):
    keep_fewer(g.only(source), 0)
    keep_fewer(g.only(source), 1)
    for _ in g.supersteps():
        heard = farther(g.active)
        keep_fewer(heard.receivers, emv.min(heard))
    return g.vertices.hops


by_hops = hops_of()


@program
def parents_afterwards(g, source):
    settle(g.only(source), 0)
    for _ in g.supersteps():
        heard = ahead(g.active)
        settle(heard.receivers, emv.min(heard))
    offers = offer(g)
    adopt(offers.receivers, emv.min(offers))
    return g.vertices.parent


@program
def parents_in_messages(g, source):
    settle_with_parent(g.only(source), (0, UNSEEN))
    for _ in g.supersteps():
        heard = ahead_with_id(g.active)
        settle_with_parent(heard.receivers, emv.min(heard))
    return g.vertices.depth


@program
def over_all_vertices(g, source):
    settle(g.only(source), 0)
    for step in g.supersteps():
        heard = ahead_if_due(g, step)
        settle_and_vote(heard.receivers, emv.min(heard))
    return g.vertices.depth


CLAIM, RELAX = "claim", "relax"
SEARCHES = {
    "as on the page": (search(), CLAIM),
    "below zero": (search(receive=settle_below_zero), CLAIM),
    "mirrored": (search(receive=settle_mirrored), CLAIM),
    "early return": (search(receive=settle_early_return), CLAIM),
    "negated": (search(receive=settle_negated), CLAIM),
    "step handed to the receiver": (by_steps, CLAIM),
    "two seeds": (from_two_calls, CLAIM),
    "seed of another function": (begun_by_another, CLAIM),
    "keep_going": (search(receive=settle_and_go_on), CLAIM),
    "truth value": (search(receive=settle_seen, seed=settle_seen), CLAIM),
    "conditional value": (search(receive=settle_by_choice), CLAIM),
    "named message": (search(send=ahead_named), CLAIM),
    "filter at the sender": (search(send=ahead_filtered), CLAIM),
    "filter at the sender alone": (search(ahead_filtered, settle_whoever_hears), CLAIM),
    "sent by a vertex": (search(send=ahead_of_vertex), CLAIM),
    "sent along a list": (search(send=ahead_along_list), CLAIM),
    "limit, largest": (as_far_as_it_goes, CLAIM),
    "floats": (by_heights, CLAIM),
    "hops": (by_hops, CLAIM),
    "hops, filter at the sender": (hops_of(send=farther_filtered), CLAIM),
    "hops, min assigned": (hops_of(receive=keep_fewest), CLAIM),
    "hops, limit": (hops_of(limit=1000), CLAIM),
    "hops from unequal seeds": (from_one_or_more, RELAX),
    "parents in messages": (parents_in_messages, "ahead_with_id() sends several numbers"),
    "over all vertices": (over_all_vertices, "ahead_if_due() is applied to all"),
}
"""What it is called, the program, and what becomes of it."""
PARENTS = {"found afterwards": (parents_afterwards, CLAIM)}
"""The same of trees, beside the page of `bfs_parents`."""
