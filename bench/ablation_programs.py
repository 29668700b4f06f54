"""The programs of the ablations: one computation each, written in the ways that are compared."""

from __future__ import annotations

from typing import Any

import emv
from emv import (
    Edge,
    EdgeList,
    Mask,
    MessageList,
    Vertex,
    edge,
    elist,
    f32,
    i32,
    i64,
    mlist,
    program,
    vertex,
)


class Page(Vertex):
    """Has a rank."""

    rank: f32 = 1.0
    sent: i32 = 0
    heard: f32 = 0.0


# ---- PageRank, sent by each of the kinds that can ----


@edge
def share_by_edge(e: Edge[Page]):
    """EDGE: one instance per arc."""
    e.send(e.src.rank / e.src.out_degree)


@elist
def share_by_list(v: Page, links: EdgeList[Edge[Page]]):
    """ELIST: one instance per vertex, whose rounds share nothing."""
    for link in links:
        link.send(v.rank / v.out_degree)


@elist
def share_in_order(v: Page, links: EdgeList[Edge[Page]]):
    """ELIST whose rounds depend on each other, so that it stays a list."""
    count = 0
    for link in links:
        count += 1
        link.send(v.rank / v.out_degree if count > 0 else 0.0)
    v.sent = count


@vertex
def share_by_vertex(v: Page):
    """VERTEX alone: sends to all neighbours."""
    v.send(v.rank / v.out_degree if v.out_degree > 0 else 0.0)


@vertex
def update_rank(v: Page, received: f32):
    """Apply the sum of what was received."""
    v.rank = 0.15 + 0.85 * received


@mlist
def add_up(v: Page, heard: MessageList[f32]):
    """Sum what was received, one by one."""
    received = 0.0
    for each in heard:
        received += each
    v.rank = 0.15 + 0.85 * received


def ranks(share: Any, update: Any) -> Any:
    """Return PageRank in which pages share by a kind; what came is added up, or listed."""
    fold = (lambda sent: sent) if update is add_up else emv.sum

    @program
    def ranked(g, limit):
        """PageRank."""
        for _ in g.supersteps(limit):
            update(g, fold(share(g)))
        return g.vertices.rank

    return ranked


rank_by_edge = ranks(share_by_edge, update_rank)
rank_by_list = ranks(share_by_list, update_rank)
rank_in_order = ranks(share_in_order, update_rank)
rank_by_vertex = ranks(share_by_vertex, update_rank)
rank_by_mlist = ranks(share_by_edge, add_up)


# ---- smallest label: over all, and from the active set ----


class Member(Vertex):
    """Has a label, and says how often it changed, which no shortcut of relaxing allows for."""

    label: i32
    changes: i32 = 0


@edge
def tell_by_edge(e: Edge[Member]):
    """EDGE."""
    e.send(e.src.label)


@vertex
def adopt(v: Member, label: i32):
    """Take the smaller label."""
    v.label = emv.min(v.label, label)


@vertex
def adopt_and_wake(v: Member, label: i32):
    """Take the smaller label and go on from there."""
    if label < v.label:
        v.label = label
        v.changes += 1
        v.activate()


@vertex
def wake(v: Member):
    """Begin."""
    v.activate()


@program
def label_by_edge(g, limit):
    """Lower all labels with EDGE."""
    g.vertices.label[:] = g.vertices.id
    for _ in g.supersteps(limit):
        adopt(g, emv.min(tell_by_edge(g)))
    return g.vertices.label


@program
def labels_from_active(g):
    """Label connected components, from the active set."""
    g.vertices.label[:] = g.vertices.id
    wake(g)
    for _ in g.supersteps():
        labels = tell_by_edge(g.active)
        adopt_and_wake(labels.receivers, emv.min(labels))
    return g.vertices.label


# ---- messages in a buffer, read by all or by one ----


@mlist
def hear(v: Page, heard: MessageList[f32]):
    """Add up what was received, one by one."""
    received = 0.0
    for each in heard:
        received += each
    v.heard = received


@program
def heard_by(g, who, limit):
    """Send everything, and let those read that are named: all, or one."""
    for _ in g.supersteps(limit):
        hear(g.only(who), share_by_edge(g))
    return g.vertices.heard


# ---- a search by a mask ----

UNSEEN = -1


class Spot(Vertex):
    """Has a depth, and may be in front."""

    depth: i32 = UNSEEN
    front: Mask


@edge
def look_ahead(e: Edge[Spot]):
    """Send the depth on, and leave the mask."""
    e.src.front.unset()
    e.send(e.src.depth + 1)


@vertex
def settle(v: Spot, depth: i32):
    """Take the first depth and enter the mask."""
    if v.depth == UNSEEN:
        v.depth = depth
        v.front.set()


@program
def bfs_by_mask(g, source):
    """Search breadth-first with a mask in place of the active set."""
    settle(g.only(source), 0)
    for _ in g.supersteps(g.num_vertices, until=lambda: emv.count(g.vertices.front) == 0):
        depths = look_ahead(g.vertices.front)
        settle(depths.receivers, emv.min(depths))
    return g.vertices.depth


# ---- every vertex goes over its own edges ----


class Town(Vertex):
    """Keeps the weight of its lightest edge."""

    lightest: f32 = emv.inf


class Road(Edge[Town]):
    """Has a weight."""

    weight: f32


@elist
def keep_lightest(v: Town, roads: EdgeList[Road]):
    """Go over the edges of a vertex."""
    best = v.lightest
    for road in roads:
        best = min(best, road.weight)
    v.lightest = best


@program
def lightest(g):
    """Return the weight of every vertex's lightest out-edge."""
    keep_lightest(g)
    return g.vertices.lightest


# ---- everybody sends to one vertex ----


class Hub(Vertex):
    """Adds up what it is sent."""

    total: i64 = 0


@vertex
def tell_first(v: Hub):
    """Send to vertex 0."""
    v.send_to(0, v.id % 1000)


@vertex
def take(v: Hub, total: i64):
    """Add what was sent."""
    v.total += total


@program
def gathering(g, limit):
    """Send everything to one vertex, which is along no arc."""
    for _ in g.supersteps(limit):
        take(g, emv.sum(tell_first(g)))
    return g.vertices.total
