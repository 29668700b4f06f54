"""Shortest paths in the words of many authors; as `spelled_searches`, beside the page of `sssp`."""

from __future__ import annotations

from spelled_searches import RELAX

import emv
from emv import Edge, EdgeList, Vertex, edge, elist, f32, i32, inf, program, vertex


class Place(Vertex):
    dist: f32 = inf
    parent: i32 = -1
    height: f32 = 0.0


class Road(Edge[Place]):
    length: f32


@edge
def offer(road: Road):
    road.send(road.src.dist + road.length)


@edge
def offer_named(road: Road):
    length, so_far = road.length, road.src.dist
    total = length + so_far
    road.send(total)


@edge
def offer_filtered(road: Road):
    total = road.src.dist + road.length
    if total < road.dst.dist:
        road.send(total)


@edge
def offer_unless(road: Road):
    total = road.src.dist + road.length
    if not road.dst.dist > total:
        return
    road.send(total)


@edge
def offer_with_id(road: Road):
    road.send((road.src.dist + road.length, road.src.id))


@elist
def offer_along_list(v: Place, roads: EdgeList[Road]):
    for road in roads:
        road.send(v.dist + road.length)


@vertex
def keep(v: Place, dist: f32):
    if dist < v.dist:
        v.dist = dist
        v.activate()


@vertex
def keep_mirrored(v: Place, dist: f32):
    if v.dist > dist:
        v.activate()
        v.dist = dist


@vertex
def keep_unless(v: Place, dist: f32):
    if not dist < v.dist:
        return
    v.dist = dist
    v.activate()


@vertex
def keep_unless_longer(v: Place, dist: f32):
    if dist >= v.dist:
        return
    v.dist = dist
    v.activate()


@vertex
def keep_and_go_on(v: Place, dist: f32):
    if dist < v.dist:
        v.dist = dist
        emv.keep_going()
        v.activate()


@vertex
def keep_smaller(v: Place, dist: f32):
    before = v.dist
    v.dist = min(v.dist, dist)
    if v.dist < before:
        v.activate()


@vertex
def keep_best(v: Place, dist: f32):
    best = min(dist, v.dist)
    if best < v.dist:
        v.dist = best
        v.activate()


@vertex
def keep_other(v: Place, dist: f32):
    best = min(v.dist, dist)
    if best != v.dist:
        v.dist = best
        v.activate()


@vertex
def keep_by_choice(v: Place, dist: f32):
    if dist < v.dist:
        v.activate()
    v.dist = dist if dist < v.dist else v.dist


@vertex
def keep_as_short(v: Place, dist: f32):
    if dist <= v.dist:
        v.dist = dist
        v.activate()


@vertex
def keep_with_parent(v: Place, found: tuple[f32, i32]):
    if found[0] < v.dist:
        v.dist, v.parent = found
        v.activate()


def paths(send=offer, receive=keep, fold=emv.min):
    """Return the program that begins and spreads by these functions."""

    @program(bind={"length": Road.length})
    def distances(g, source, length):
        receive(g.only(source), 0.0)
        for _ in g.supersteps():
            offers = send(g.active)
            receive(offers.receivers, fold(offers))
        return g.vertices.dist

    return distances


@program(bind={"length": Road.length})
def within_a_limit(g, source, length):
    keep(g.only(source), 0.0)
    for _ in g.supersteps(limit=1000):
        offers = offer(g.active)
        keep(offers.receivers, emv.min(offers))
    return g.vertices.dist


@program(bind={"length": Road.length})
def within_all_vertices(g, source, length):
    keep(g.only(source), 0.0)
    for _ in g.supersteps(g.num_vertices):
        offers = offer(g.active)
        keep(offers.receivers, emv.min(offers))
    return g.vertices.dist


@program(bind={"length": Road.length})
def with_parents(g, source, length):
    keep_with_parent(g.only(source), (0.0, -1))
    for _ in g.supersteps():
        offers = offer_with_id(g.active)
        keep_with_parent(offers.receivers, emv.min(offers))
    return g.vertices.dist


PATHS = {
    "as on the page": (paths(), RELAX),
    "named message": (paths(send=offer_named), RELAX),
    "mirrored": (paths(receive=keep_mirrored), RELAX),
    "negated": (paths(receive=keep_unless), RELAX),
    "filter at the sender": (paths(send=offer_filtered), RELAX),
    "filter and early return": (paths(offer_unless, keep_mirrored), RELAX),
    "sent along a list": (paths(send=offer_along_list), RELAX),
    "keep_going": (paths(receive=keep_and_go_on), RELAX),
    "min assigned": (paths(receive=keep_smaller), RELAX),
    "min named": (paths(receive=keep_best), RELAX),
    "conditional value": (paths(receive=keep_by_choice), RELAX),
    "limit of all vertices": (within_all_vertices, RELAX),
    "early return where longer": (
        paths(receive=keep_unless_longer),
        "keep_unless_longer() asks not (v.dist <= dist)",
    ),
    "min unequal": (paths(receive=keep_other), "keep_other() also acts where"),
    "limit": (within_a_limit, "its loop may end early"),
    "parents": (with_parents, "offer_with_id() sends several numbers"),
}
"""What it is called, the program, and what becomes of it."""
