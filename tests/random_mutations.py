"""Random scripts of changes from inside programs, and what they mean in plain Python.

A `World` is vertices and edges in lists: who is deleted becomes None, so that ids are places. The
functions below decide by their element and two numbers; `World` does the same by its own text. A
script says which functions run in each superstep, and with which numbers.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np

import emv
from emv import Edge, EdgeList, Graph, MessageList, Vertex, edge, elist, i64, mlist, program, vertex

FEW = 7  # every graph has at least so many vertices, and edges are added to these


class Place(Vertex):
    mark: i64 = 3
    heard: i64 = 0


class Road(Edge[Place]):
    weight: i64
    tag: i64 = -1


@vertex
def rewire(v: Place, a: int, b: int):
    if (v.id * a + b) % 3 == 0:
        v.add_edge((v.id * b + a) % FEW, weight=v.id + b)
    if v.mark % 2 == 1:
        v.add_edge((v.id + a) % FEW, weight=a, tag=v.mark)
    v.mark += 1


@edge
def thin(e: Road, a: int, b: int):
    if (e.src.id * a + e.dst.id * b + e.weight) % 3 == 0:
        e.delete()
    elif (e.weight + b) % 5 == 0:
        e.dst.add_edge(e.src.id, weight=e.weight + 1, tag=e.tag)


@vertex
def clear(v: Place, a: int, b: int):
    if (v.id + a) % 4 == 0:
        v.clear_edges()
        v.add_edge(b % FEW, weight=v.id)


@vertex
def leave(v: Place, a: int, b: int):
    if (v.id * a + b) % 5 == 0:
        v.delete()


@vertex
def split(v: Place, a: int, b: int):
    for k in range((v.id + a) % 3):
        new = emv.add_vertex(mark=v.id + k)
        v.add_edge(new, weight=b)
        Place.at(new).add_edge(v.id, weight=k, tag=a)
        v.heard += new


@elist
def relink(v: Place, links: EdgeList[Road], a: int, b: int):
    for link in links:
        if (link.dst.id + link.weight * a) % 4 == 0:
            link.delete()
        elif (link.weight + b) % 6 == 0:
            v.mark += 1
            v.add_edge(link.dst.id, weight=v.mark + len(links))


@mlist
def answer(v: Place, sent: MessageList[i64], step: int):
    for m in sent:
        if m % 5 == step:
            Place.at(m % FEW).add_edge(v.id, weight=m, tag=step)


@vertex
def follow(v: Place, least: int):
    if least < 3:
        v.add_edge(least % FEW, weight=least + 4)


@vertex
def advance(v: Place, a: int):
    v.mark += 10
    if (v.id + a) % 3 == 0:
        v.activate()


@edge
def wake(e: Road, a: int):
    if (e.src.id + e.dst.id + a) % 4 == 0:
        e.activate()
    elif e.weight % 3 == 0:
        e.dst.activate()


@edge
def pass_on(e: Road, a: int):
    e.tag += a


@edge
def tell(e: Road):
    e.send(e.weight * 2 + e.tag)


@mlist
def hear(v: Place, sent: MessageList[i64]):
    total = v.heard % 1000
    for m in sent:
        total = (total * 31 + m) % 1000003
    v.heard = total


CHANGES = {each.name: each for each in (rewire, thin, clear, leave, split, relink)}


def player(script):
    """Return the program that plays a script."""

    @program(host_loop=True)
    def play(g):
        for step in g.supersteps(len(script)):
            for name, a, b in script[int(step)]:
                CHANGES[name](g, a, b)
            advance(g.active, step)
            pass_on(g.active_edges, step)
            told = tell(g)
            hear(told.receivers, told)
            answer(told.receivers, told, step)
            follow(told.receivers, emv.min(told))
            wake(g.edges, step)
        return g.vertices.heard, emv.total(g.vertices.mark), g.num_vertices, g.num_edges

    return play


def drawn(seed, verbs=tuple(CHANGES), supersteps=4):
    """Return a script."""
    draw = random.Random(seed)
    return [
        [(draw.choice(verbs), draw.randrange(1, 9), draw.randrange(9)) for _ in range(2)]
        for _ in range(supersteps)
    ]


def start(seed, directed):
    """Return a graph with repeated edges, loops, and vertices without edges."""
    draw = np.random.default_rng(seed)
    ends = draw.integers(0, FEW + 2, (2, 14))
    return Graph.from_edges(
        *ends, num_vertices=FEW + 4, directed=directed, weight=draw.integers(0, 9, 14)
    )


@dataclass
class World:
    """A graph in plain Python, and what a superstep asks to change."""

    directed: bool
    vertices: list = field(default_factory=list)
    edges: list = field(default_factory=list)
    dropped: int = 0
    awake: set = field(default_factory=set)  # vertices by id
    awake_edges: list = field(default_factory=list)

    @classmethod
    def of(cls, graph):
        vertices = [{"mark": 3, "heard": 0} for _ in range(graph.num_vertices)]
        rows = (graph.edges.src, graph.edges.dst, graph.edges.weight)
        ends = zip(*(each.tolist() for each in rows), strict=True)
        edges = [{"src": s, "dst": d, "weight": w, "tag": -1} for s, d, w in ends]
        return cls(graph.directed, vertices, edges)

    def arcs(self):
        """Return (src, dst, edge) of all arcs in their order."""
        there = [(e["src"], e["dst"], e) for e in self.edges]
        back = [(d, s, e) for s, d, e in there if s != d and not self.directed]
        return sorted(there + back, key=lambda arc: arc[0])

    def play(self, script):
        for step, calls in enumerate(script):
            self.asked, self.new, self.gone, self.going, self.cleared = [], [], set(), [], set()
            for number, (name, a, b) in enumerate(calls):
                self.place = number
                getattr(self, name)(a, b)
            going_on = self.active(step)
            self.told(step, len(calls))
            going_on |= self.wake(step)
            self.settle()
            if not going_on:
                break
        return self

    def active(self, step):
        now, self.awake = self.awake, set()
        for v in now:
            self.vertices[v]["mark"] += 10
            if (v + step) % 3 == 0:
                self.awake.add(v)
        for e in self.awake_edges:
            e["tag"] += step
        self.awake_edges = []
        return bool(self.awake)

    def wake(self, step):
        before = len(self.awake)
        for e in self.edges:
            if (e["src"] + e["dst"] + step) % 4 == 0:
                self.awake_edges.append(e)
            elif e["weight"] % 3 == 0:
                self.awake.add(e["dst"])
        return bool(self.awake_edges or len(self.awake) > before)

    def ask(self, row, dst, weight, tag=-1):
        new = {"src": row, "dst": dst, "weight": weight, "tag": tag}
        self.asked.append((row, self.place, len(self.asked), new))

    def living(self):
        return [(v, each) for v, each in enumerate(self.vertices) if each is not None]

    def rewire(self, a, b):
        for v, each in self.living():
            if (v * a + b) % 3 == 0:
                self.ask(v, (v * b + a) % FEW, v + b)
            if each["mark"] % 2 == 1:
                self.ask(v, (v + a) % FEW, a, each["mark"])
            each["mark"] += 1

    def thin(self, a, b):
        for src, dst, e in self.arcs():
            if (src * a + dst * b + e["weight"]) % 3 == 0:
                self.going.append(e)
            elif (e["weight"] + b) % 5 == 0:
                self.ask(dst, src, e["weight"] + 1, e["tag"])

    def clear(self, a, b):
        for v, _ in self.living():
            if (v + a) % 4 == 0:
                self.cleared.add(v)
                self.ask(v, b % FEW, v)

    def leave(self, a, b):
        self.gone |= {v for v, _ in self.living() if (v * a + b) % 5 == 0}

    def split(self, a, b):
        for v, each in self.living():
            for k in range((v + a) % 3):
                new = len(self.vertices) + len(self.new)
                self.new.append({"mark": v + k, "heard": 0})
                self.ask(v, new, b)
                self.ask(new, v, k, a)
                each["heard"] += new

    def relink(self, a, b):
        for v, each in self.living():
            row = [arc for arc in self.arcs() if arc[0] == v]
            for _, dst, e in row:
                if (dst + e["weight"] * a) % 4 == 0:
                    self.going.append(e)
                elif (e["weight"] + b) % 6 == 0:
                    each["mark"] += 1
                    self.ask(v, dst, each["mark"] + len(row))

    def told(self, step, calls):
        inbox = {}
        for _, dst, e in self.arcs():
            inbox.setdefault(dst, []).append(e["weight"] * 2 + e["tag"])
        for v, sent in inbox.items():
            total = self.vertices[v]["heard"] % 1000
            for m in sent:
                total = (total * 31 + m) % 1000003
            self.vertices[v]["heard"] = total
        self.place = calls
        for v in sorted(inbox):
            for m in inbox[v]:
                if m % 5 == step:
                    self.ask(m % FEW, v, m, step)
        self.place = calls + 1
        for v in sorted(inbox):
            if min(inbox[v]) < 3:
                self.ask(v, min(inbox[v]) % FEW, min(inbox[v]) + 4)

    def settle(self):
        self.vertices += self.new
        dead = self.gone | {v for v, each in enumerate(self.vertices) if each is None}
        for v in dead:
            self.vertices[v] = None
        going = {id(e) for e in self.going}

        def stays(e):
            is_cleared = e["src"] in self.cleared or (
                not self.directed and e["dst"] in self.cleared
            )
            return id(e) not in going and not is_cleared and not {e["src"], e["dst"]} & dead

        added = [e for *_, e in sorted(self.asked, key=lambda each: each[:3])]
        left = [e for e in added if not {e["src"], e["dst"]} & dead]
        self.dropped += len(added) - len(left)
        self.edges = [e for e in self.edges if stays(e)] + left
        self.awake -= dead
        self.awake_edges = [e for e in self.awake_edges if stays(e)]


def compare(script, seed, directed, backend):
    """Play a script in a program and in plain Python, and compare all that is left."""
    graph = start(seed, directed)
    world = World.of(graph).play(script)
    run = player(script).run(graph, backend=backend)
    assert run.backend == backend
    left = [v for v, each in enumerate(world.vertices) if each is not None]
    heard, marks, num_vertices, num_edges = run.result
    assert heard.tolist() == [world.vertices[v]["heard"] for v in left]
    assert marks == sum(world.vertices[v]["mark"] for v in left)
    assert (num_vertices, num_edges) == (len(left), len(world.edges))
    assert run.dropped == world.dropped
    made = run.graph
    labels = range(made.num_vertices) if made.labels is None else made.labels
    assert list(labels) == left
    ids = {v: place for place, v in enumerate(left)}
    for name in ("src", "dst"):
        assert made.edges[name].tolist() == [ids[e[name]] for e in world.edges]
    for name in ("weight", "tag"):
        assert made.edges[name].tolist() == [e[name] for e in world.edges]
    assert made.vertices.mark.tolist() == [world.vertices[v]["mark"] for v in left]
    assert made.vertices.heard.tolist() == heard.tolist()
    compare_layouts(made)
    assert graph.num_vertices == FEW + 4  # what the program was given stays as it is
    assert list(graph.edges) == ["weight"]


def compare_layouts(made):
    """Compare the index arrays of a graph with those of one built anew."""
    again = Graph.from_edges(
        made.edges.src, made.edges.dst, num_vertices=made.num_vertices, directed=made.directed
    )
    for name in ("out_first", "out_other", "edge_of_arc", "in_first", "in_other", "arc_of_slot"):
        assert np.array_equal(made.layouts.array(name), again.layouts.array(name)), name
