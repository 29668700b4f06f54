"""The programs that say how the language should read, word for word, and two of other kinds.

The first five are its acceptance text: if one must become longer or uglier, something is wrong
below it.
"""

# ruff: noqa: E501
# fmt: off

from __future__ import annotations

import emv
from emv import (
    Edge,
    EdgeList,
    Message,
    MessageList,
    Vertex,
    edge,
    elist,
    f32,
    i32,
    inf,
    message,
    mlist,
    program,
    vertex,
)

# ---- PageRank ----

class Page(Vertex):
    rank: f32                                   # probability; sums to 1 over the graph

@elist
def send_share(v: Page, links: EdgeList[Edge[Page]]):
    for link in links:
        link.send(v.rank / v.out_degree)

@vertex
def if_dangling(v: Page):
    return v.rank if v.out_degree == 0 else 0.0

@vertex
def update_rank(v: Page, received: f32, lost: f32, n: int, alpha: f32, tol: f32):
    rank = (1 - alpha) / n + alpha * (received + lost / n)
    if abs(rank - v.rank) > tol:
        emv.keep_going()
    v.rank = rank

@program
def pagerank(g, alpha=0.85, tol=1e-6, max_iter=100):
    n = g.num_vertices
    g.vertices.rank[:] = 1 / n
    for _ in g.supersteps(max_iter):
        lost = emv.total(if_dangling(g))
        received = emv.sum(send_share(g))
        update_rank(g, received, lost, n, alpha, tol)
    return g.vertices.rank

# ---- BFS ----

UNSEEN = -1

class Spot(Vertex):
    depth: i32 = UNSEEN

@edge
def look_ahead(e: Edge[Spot]):
    e.send(e.src.depth + 1)

@vertex
def settle(v: Spot, depth: i32):
    if v.depth == UNSEEN:
        v.depth = depth
        v.activate()

@program
def bfs(g, source):
    settle(g.only(source), 0)                   # the same function seeds and spreads
    for _ in g.supersteps():
        depths = look_ahead(g.active)
        settle(depths.receivers, emv.min(depths))
    return g.vertices.depth

# ---- SSSP ----

class Place(Vertex):
    dist: f32 = inf

class Road(Edge[Place]):
    length: f32                                 # same unit as dist

@edge
def offer_path(road: Road):
    road.send(road.src.dist + road.length)

@vertex
def keep_shorter(v: Place, dist: f32):
    if dist < v.dist:
        v.dist = dist
        v.activate()

@program
def sssp(g, source):
    keep_shorter(g.only(source), 0.0)
    for _ in g.supersteps(limit=g.num_vertices):
        paths = offer_path(g.active)
        keep_shorter(paths.receivers, emv.min(paths))
    return g.vertices.dist

# ---- Independent cascade ----

NEVER = -1

class Person(Vertex):
    told_at: i32 = NEVER                        # superstep

class Tie(Edge[Person]):
    p: f32                                      # chance in [0, 1] that src convinces dst

@edge
def try_to_tell(tie: Tie):
    if tie.dst.told_at == NEVER and emv.random() < tie.p:
        tie.send(True)

@vertex
def hear(v: Person, step: int):
    v.told_at = step
    v.activate()

@program
def cascade(g, seeds):
    hear(g.only(seeds), 0)
    for step in g.supersteps():
        hear(try_to_tell(g.active).receivers, step + 1)
    return g.vertices.told_at

# ---- Boruvka MST ----

NONE = -1

class City(Vertex):
    root: i32                                   # id that stands for v's component
    best: i32 = NONE                            # at a root: its cheapest line outward

class Line(Edge[City]):
    cost: f32
    in_tree: bool = False

@edge
def bid(e: Line):
    if e.src.root != e.dst.root:
        e.send_to(e.src.root, (e.cost, e.id))   # ties fall to the smaller id, so no cycle of 3 or more

@vertex
def pick(root: City, cheapest: tuple[f32, i32]):
    root.best = cheapest[1]
    emv.keep_going()

@vertex
def join(root: City):
    line = Line.at(root.best)
    line.in_tree = True
    a, b = line.src.root, line.dst.root
    other = b if a == root.id else a
    if root.id > other or City.at(other).best != root.best:   # of two that chose each other, the smaller stays
        root.root = other

@vertex
def shortcut(v: City):
    grand = City.at(v.root).root
    if grand != v.root:
        v.root = grand
        emv.keep_going()

@program
def boruvka(g):
    g.vertices.root[:] = g.vertices.id
    for _ in g.supersteps():
        bids = bid(g)
        pick(bids.receivers, emv.min(bids))
        join(bids.receivers)
        for _ in g.supersteps():
            shortcut(g)
    return g.edges.in_tree

# ---- Label propagation: what no combiner can do ----

class Member(Vertex):
    label: i32

@edge
def tell_label(e: Edge[Member]):
    e.send(e.src.label)

@mlist
def adopt_commonest(v: Member, heard: MessageList[i32]):
    best = v.label
    most = 0
    for label in heard:
        count = 0
        for other in heard:
            count += label == other
        if count > most or (count == most and label < best):
            best = label
            most = count
    if best != v.label:
        v.label = best
        emv.keep_going()

@program
def label_propagation(g, limit=20):
    g.vertices.label[:] = g.vertices.id
    for _ in g.supersteps(limit):
        labels = tell_label(g)
        adopt_commonest(labels.receivers, labels)   # messages, not emv.min(messages)
    return g.vertices.label

# ---- A @message function: every message is changed on its way ----

class Lamp(Vertex):
    light: f32

@edge
def shine(e: Edge[Lamp]):
    e.send(e.src.light)

@message
def dim(m: Message[f32], factor: f32):
    m.value = factor * m.value if m.value > 1 else 0

@vertex
def add_light(v: Lamp, light: f32):
    v.light += light

@program
def illuminate(g, factor=0.5):
    rays = dim(shine(g), factor)
    add_light(rays.receivers, emv.sum(rays))
    return g.vertices.light
