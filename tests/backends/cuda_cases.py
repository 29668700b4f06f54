"""Programs, graphs and arrays for the runs on a stand-in for a GPU."""

from __future__ import annotations

import numpy as np
from fake_cuda import FakeDriver, at

import emv
from emv import DisjointSet, Edge, Graph, Vertex, edge, f32, i32, i64, program, vertex
from emv.algorithms import bfs, components, icm, pagerank, sssp
from emv.codegen.state import PLACES


class Spot(Vertex):
    level: i32 = 0
    given: i64
    flag: bool = False
    group: DisjointSet


class Way(Edge[Spot]):
    length: f32


@vertex
def raise_level(v: Spot):
    v.level = v.given * 2
    v.flag = v.given > 1


@vertex
def copy_level(v: Spot):
    return v.level


@edge
def join(e: Way):
    emv.union(e.src.group, e.dst.group)


@edge
def lengthen(e: Way):
    e.length = e.length + 1


@program
def levels(g):
    raise_level(g)
    return g.vertices.level, g.vertices.flag, g.vertices.given, g.vertices.out_degree


@program
def groups(g):
    join(g.edges)
    return g.vertices.group


@program
def longer(g):
    lengthen(g.edges)
    return g.edges.length


def some_graph(directed=True):
    rng = np.random.default_rng(3)
    graph = Graph.from_edges(
        *rng.integers(0, 200, (2, 900)),
        num_vertices=200,
        directed=directed,
        weight=rng.random(900, np.float32),
        cost=rng.random(900),
        length=rng.random(900, np.float32),
    )
    graph.vertices.given = np.arange(200)
    return graph


class Foreign:
    """An array on the stand-in that belongs to somebody else."""

    def __init__(self, driver: FakeDriver, values: np.ndarray, **facts) -> None:
        self.address = driver.allocate(max(1, values.nbytes))
        at(self.address, len(values), values.dtype)[:] = values
        self.facts = {"shape": values.shape, "typestr": values.dtype.str, "version": 3, **facts}
        self.facts |= {"data": (self.address, False), "strides": None}

    @property
    def __cuda_array_interface__(self):
        return self.facts


CALLS = {
    "bfs": (bfs, (0,), {}),
    "bfs from several": (bfs, ([0, 1, 7],), {}),
    "bfs from very many": (bfs, (list(range(200)) * 10,), {}),
    "sssp": (sssp, (0,), {}),
    "sssp, converted": (sssp, (0,), {"weight": "cost"}),
    "sssp, one number": (sssp, (0,), {"weight": 2.0}),
    "sssp, an array": (sssp, (0,), {"weight": np.linspace(0, 1, 900, dtype=np.float32)}),
    "sssp, a wider array": (sssp, (0,), {"weight": np.linspace(0, 1, 900)}),
    "pagerank": (pagerank, (), {}),
    "components": (components, (), {}),
    "icm": (icm, ([0],), {"p": 0.5}),
    "levels": (levels, (), {}),
    "groups": (groups, (), {}),
    "longer": (longer, (), {}),
}


def done(arrays):
    """End the program; return where its arrays lie."""
    arrays["state"][PLACES["DONE"]] = 1
    return {name: array.ctypes.data for name, array in arrays.items()}
