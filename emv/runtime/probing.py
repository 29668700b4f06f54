"""What supersteps of parts on GPUs cost here, told by a program of which each loop does one thing.

The constants of `emv.graph.parts.Parts.seconds` are differences between its runs on graphs made for
it, of as many vertices as the graph in question, up to a power of two: what the host does behind a
call depends on how long columns are. A call, the exchange of an array, its rows, the join of
queues, levels of replicas and arcs are each in one run and not in another.
"""

from __future__ import annotations

import functools
import statistics
from typing import Any

import numpy as np

from emv.config import Grouped
from emv.dtypes import f32
from emv.graph.graph import Graph
from emv.graph.parts import Costs
from emv.lang import words
from emv.lang.functions import edge, vertex
from emv.lang.hops import hops
from emv.lang.records import Edge, Vertex

STEPS = 24  # of each loop
ROUNDS = 5
ARCS = 16  # of a vertex, where arcs are what is timed
MOST = 2**20  # vertices
VALUE_BYTES = 4  # of what a vertex hands on
VERTEX_S = 0.0  # a call has as many vertices here: what they take is the call's


class Spot(Vertex):
    """A vertex with a value that nobody else reads, and one that others do."""

    own: f32 = 1.0
    told: f32 = 1.0


@vertex
def settle(v: Spot):  # type: ignore
    """Change what is nobody else's."""
    v.own = 0.5 * v.own


@edge
def tell(e: Edge[Spot]):  # type: ignore
    """Hand a value on."""
    e.send(e.src.told)  # type: ignore[attr-defined]


@vertex
def hear(v: Spot, total: f32):  # type: ignore
    """Take what was handed on."""
    v.told = 0.5 * total


@vertex
def stay(v: Spot):  # type: ignore
    """Stay active."""
    v.own = 0.5 * v.own
    v.activate()  # type: ignore[attr-defined]


def probe(g: Any, calls: int, exchanges: int, joins: int) -> Any:
    """Do three things, each so many times: a call, one that reads others, one that activates."""
    for _ in g.supersteps(calls):
        settle(g.vertices)
    for _ in g.supersteps(exchanges):
        hear(g.vertices, words.sum(tell(g.vertices)))
    stay(g.only(0))
    for _ in g.supersteps(joins):
        stay(g.active)
    return g.vertices.told


def seconds_of(program: Any, place: Graph, *counts: int, number: int = 1) -> float:
    """Return the median seconds of a run, with so many hops."""
    asked = {"schedule": hops(number)} if number > 1 else {}
    program.run(place, *counts, **asked)
    runs = [program.run(place, *counts, **asked) for _ in range(ROUNDS)]
    return float(statistics.median(run.seconds for run in runs))


def graphs(size: int) -> tuple[Graph, Graph, Graph]:
    """Return a ring, one whose arcs all lead to the other half, and one of many arcs."""
    src, rng = np.arange(size), np.random.default_rng(0)
    ends = (src + 1) % size, (src + size // 2) % size
    ring, far = (Graph.from_edges(src, each, num_vertices=size) for each in ends)
    many = rng.integers(0, size, (2, ARCS * size))
    return ring, far, Graph.from_edges(*many, num_vertices=size)


def probed(program: Any, label: str, vertices: int, has_rounds: bool) -> Costs:
    """Return the constants of a place for graphs of so many vertices.

    Parameters
    ----------
    program : callable
        What makes a program of `probe`.
    label : str
        The name of the place, such as ``"cuda:0,1/ranges/host"``.
    has_rounds : bool
        Whether replicas may be of several hops there.
    """
    return _probed(program, label, 1 << max(4, (min(vertices, MOST) - 1).bit_length()), has_rounds)


@functools.cache
def _made(program: Any) -> Any:
    return program(probe)


@functools.cache
def _probed(program: Any, label: str, size: int, has_rounds: bool) -> Costs:
    made = _made(program)
    ring, far, full = graphs(size)
    nothing = seconds_of(made, ring.on(label), 0, 0, 0)

    def step(graph: Graph, *counts: int, number: int = 1) -> float:
        spent = seconds_of(made, graph.on(label), *counts, number=number)
        return max(spent - nothing, 0.0) / STEPS

    call, joined = step(ring, STEPS, 0, 0), step(ring, 0, 0, STEPS)
    near, wide, many = (step(each, 0, STEPS, 0) for each in (ring, far, full))
    grouped = Grouped.of(label)
    found = [each.parts(len(grouped.devices), grouped.way) for each in (ring, far, full)]
    handed = [VALUE_BYTES * int(each.replicas[0].max()) for each in found]
    arcs = [int(each.arcs[0].max()) for each in found]
    latency = max(near - call, 0.0)
    byte_s = max(wide - near, 1e-15) / max(1, handed[1] - handed[0])
    arc_s = max(many - wide - byte_s * (handed[2] - handed[1]), 0.0) / (arcs[2] - arcs[1])
    level = 0.0
    if has_rounds:
        level = max(step(ring, 0, STEPS, 0, number=2) - call - latency / 2, 0.0)
    joined_s = max(joined - call, 0.0)
    return Costs(arc_s, VERTEX_S, call, latency, 1 / byte_s, level, joined_s)
