"""The five programs of the language's acceptance text, as printed there."""

# ruff: noqa: E501
import emv
from emv import Edge, EdgeList, Vertex, edge, elist, f32, i32, inf, program, vertex


class Page(Vertex):
    rank: f32  # probability; sums to 1 over the graph


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
    settle(g.only(source), 0)  # the same function seeds and spreads
    for _ in g.supersteps():
        depths = look_ahead(g.active)
        settle(depths.receivers, emv.min(depths))
    return g.vertices.depth


class Place(Vertex):
    dist: f32 = inf


class Road(Edge[Place]):
    length: f32  # same unit as dist


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


NEVER = -1


class Person(Vertex):
    told_at: i32 = NEVER  # superstep


class Tie(Edge[Person]):
    p: f32  # chance in [0, 1] that src convinces dst


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


NONE = -1


class City(Vertex):
    root: i32  # id that stands for v's component
    best: i32 = NONE  # at a root: its cheapest line outward


class Line(Edge[City]):
    cost: f32
    in_tree: bool = False


@edge
def bid(e: Line):
    if e.src.root != e.dst.root:
        e.send_to(
            e.src.root, (e.cost, e.id)
        )  # ties fall to the smaller id, so no cycle of 3 or more


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
    if (
        root.id > other or City.at(other).best != root.best
    ):  # of two that chose each other, the smaller stays
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
