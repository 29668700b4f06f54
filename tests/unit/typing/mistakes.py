"""Twelve mistakes, each in a line that ends in ``# mistake``."""

import emv
from emv import Edge, Graph, Vertex, edge, f32, program, vertex
from emv.algorithms import bfs, pagerank, sssp


class Node(Vertex):
    width: f32 = 0.0


class Pipe(Edge[Node]):
    capacity: f32


@edge
def offer(pipe: Pipe) -> None:
    pipe.send(min(pipe.src.width, pipe.capacty))  # mistake


@vertex
def keep_wider(v: Node, width: f32) -> None:
    if width > v.widht:  # mistake
        v.width = width
        v.activate()


@program
def widest_path(g, source, limit=100):
    keep_wider(g.only(source), emv.inf)
    for _ in g.supersteps(limit):
        offers = offer(g.active)
        keep_wider(offers.receivers, emv.max(offers))
    return g.vertices.width


def use() -> None:
    g = Graph.from_edges([0, 1], [1, 2], directed=False, capacity=[1.0, 2.0])
    pagerank(g, alhpa=0.9)  # mistake
    bfs(g)  # mistake
    widest_path(g, 0, limti=3)  # mistake
    sssp.explain(g, 0, wieght="capacity")  # mistake
    run = bfs.run(g, 0)
    assert run.suprsteps  # mistake
    assert g.num_vertexes  # mistake
    emv.raed("roads.mtx")  # mistake
    emv.read("roads.mtx", formt="csv")  # mistake
    emv.generators.rmat(1000, 8000, sede=1)  # mistake
    widest_path("roads.mtx", 0)  # mistake

    # And what is right:
    pagerank(g, alpha=0.9, max_iter=20)
    pagerank(g, 0.9, backend="cpu")
    widest_path(g, 0, limit=3)
    widest_path.run(g, source=0, rng=3).to_dict("width")
    bfs.batch(g, [0, 1])
    bfs.profile(g, 0, backend="cpu").plot("bfs.png")
    assert sssp.memory_plan(g, 0, weight="capacity", precision="double").peak_bytes
    emv.read("roads.mtx", directed=False).on("cpu")
    emv.generators.rmat(1000, 8000, rng=1).stats()
    emv.write(g, "g.mtx")
