"""What supersteps of parts cost here, told by a program of which each loop does one thing.

The constants of `emv.graph.parts.Parts.seconds` are those that explain its runs best: each of them
is much in one run and little in another. Graphs are drawn, of as many vertices as the graph in
question, as the host's part depends on how long columns are: one of few arcs, so of few replicas;
one with an arc a vertex; one with many. Rows that move lie apart, as those of most graphs do. Runs
of all kinds take turns, so that a machine that is slow for a while is so for all, and the lower
quartile of each counts: the least would be what a short run had in a moment that no long one has.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emv.config import Grouped
from emv.dtypes import f32, i32
from emv.graph.graph import Graph
from emv.graph.parts import TERMS, Costs, Superstep
from emv.lang import words
from emv.lang.functions import edge, vertex
from emv.lang.hops import hops
from emv.lang.records import Edge, Vertex
from emv.runtime.measured import kept_costs
from emv.runtime.targets.rounds import reachable

ROUNDS = 5
STEPS = 48  # of a loop
FEW_ARCS = 64
ARCS, MOST_ARCS = 16, 2**22  # of a vertex, and in all, where arcs are what is timed
SOME = 4  # arcs of a vertex, where vertices are
SKEW = 2  # power of a number drawn evenly
TURN_S = 0.03  # that a case runs, again and again, before the next does
FEWEST, MOST = 2**4, 2**20  # vertices
VALUE_BYTES = 4  # of what a vertex hands on
STEP_BITS = 4  # of a number of vertices that count: graphs of about as many share constants
UNSEEN = -1


class Spot(Vertex):
    """A vertex with a value that nobody else reads, and three that others do."""

    own: f32 = 1.0
    told: f32 = 1.0
    fixed: f32 = 1.0
    seen: i32 = UNSEEN


@vertex
def settle(v: Spot):  # type: ignore
    """Change what is nobody else's."""
    v.own = 0.5 * v.own


@vertex
def weigh(v: Spot):  # type: ignore
    """Return something to be added up."""
    v.own = 0.5 * v.own
    return v.own


@edge
def tell(e: Edge[Spot]):  # type: ignore
    """Hand on what is made of a value, as most do: once for each source."""
    e.send(0.5 * e.src.told)  # type: ignore[attr-defined]


@vertex
def hear(v: Spot, total: f32):  # type: ignore
    """Take what was handed on."""
    v.told = 0.5 * total


@vertex
def stay(v: Spot):  # type: ignore
    """Stay active."""
    v.own = 0.5 * v.own
    v.activate()  # type: ignore[attr-defined]


@edge
def look(e: Edge[Spot]):  # type: ignore
    """Look ahead."""
    e.send(e.src.seen + 1)  # type: ignore[attr-defined]


@vertex
def find(v: Spot, seen: i32):  # type: ignore
    """Be found once."""
    if v.seen == UNSEEN:
        v.seen = seen
        v.activate()  # type: ignore[attr-defined]


@edge
def show(e: Edge[Spot]):  # type: ignore
    """Hand on what is made of a value that nobody changes."""
    e.send(0.5 * e.src.fixed)  # type: ignore[attr-defined]


@vertex
def keep(v: Spot, total: f32):  # type: ignore
    """Take what was handed on, and change nothing that is."""
    v.own = 0.5 * total


def probe(  # type: ignore[no-untyped-def] # noqa: PLR0913 - loops, each on its own
    g: Any,
    lone: int,
    visits: int,
    sums: int,
    pulls: int,
    exchanges: int,
    joins: int,
):
    """Do each thing so many times: a call, one that adds up, one that reads others, and so on."""
    weight = 0.0
    for _ in g.supersteps(lone):
        settle(g.only(0))
    for _ in g.supersteps(visits):
        settle(g.vertices)
    for _ in g.supersteps(sums):
        weight = words.total(weigh(g.vertices))
    for _ in g.supersteps(pulls):
        keep(g.vertices, words.sum(show(g.vertices)))
    for _ in g.supersteps(exchanges):
        hear(g.vertices, words.sum(tell(g.vertices)))
    stay(g.only(0))
    for _ in g.supersteps(joins):
        stay(g.active)
    return g.vertices.told, weight


def search(g: Any, finds: int):  # type: ignore[no-untyped-def]
    """Find whom arcs lead to, in so many supersteps; alone in a program, so that it may claim."""
    find(g.only(0), 0)
    for _ in g.supersteps(finds):
        seen = look(g.active)
        find(seen.receivers, words.min(seen))
    return g.vertices.seen


ALL = Superstep(arrays=0, row_bytes=0, sweeps=0)
ALONE = dataclasses.replace(ALL, visits=0)
PULLED = dataclasses.replace(ALL, sweeps=1, pulls=1)
TOLD = dataclasses.replace(PULLED, arrays=1, row_bytes=VALUE_BYTES)
JOINED = dataclasses.replace(ALONE, joins=1)
FOUND = dataclasses.replace(JOINED, arrays=1, row_bytes=VALUE_BYTES, active=1)


IN_FRONT = 1
"""Calls that both have in any case, on one vertex. What they activate is joined in `start_s`."""


class Case(NamedTuple):
    """A kind of run: on which graph, which loop how often, and what a superstep of it does.

    One that finds all walks all arcs once, and activates each vertex once, in all supersteps.
    """

    graph: str
    counts: dict[str, int]
    does: Superstep = ALONE
    hops: int = 1
    finds_all: bool = False
    before: int = 0


CASES = {
    "nothing": Case("few", {}),
    "lone": Case("few", {"lone": STEPS}, ALONE),
    "visits": Case("few", {"visits": STEPS}, ALL),
    "sums": Case("few", {"sums": STEPS}, dataclasses.replace(ALL, sums=1)),
    "pulls": Case("few", {"pulls": STEPS}, PULLED),
    "exchanges": Case("few", {"exchanges": STEPS}, TOLD),
    "wide": Case("wide", {"exchanges": STEPS}, TOLD),
    "full": Case("full", {"exchanges": STEPS}, TOLD),
    "joins": Case("few", {"joins": STEPS}, JOINED),
    "path": Case("few", {"finds": STEPS}, FOUND, before=1),
    "some": Case("some", {"finds": STEPS}, FOUND, finds_all=True, before=1),
    "finds": Case("full", {"finds": STEPS}, FOUND, finds_all=True, before=1),
    "levels": Case("few", {"exchanges": STEPS}, TOLD, 2),
}
"""What is run, of which the last needs rounds of hops."""


NONE = dict.fromkeys([*signature(probe).parameters][1:], 0)


def graphs(size: int) -> dict[str, Graph]:
    """Return graphs of so many vertices: a path, one with an arc a vertex, and one of many arcs.

    Ends are drawn, those of many arcs so that few vertices have most, the first one above all, as
    where the active walk many arcs degrees mostly are.
    """
    rng = np.random.default_rng(0)
    names = np.append(0, 1 + rng.permutation(size - 1))
    many = min(ARCS * size, max(MOST_ARCS, size))
    path = names[: FEW_ARCS + 1]
    ends = {
        "few": np.stack([path[:-1], path[1:]]),
        "wide": np.stack([names, rng.permutation(size)]),
        "some": rng.integers(0, size, (2, min(many, SOME * size))),
        "full": names[(size * rng.random((2, many)) ** SKEW).astype(np.int64)],
    }
    return {name: Graph.from_edges(*each, num_vertices=size) for name, each in ends.items()}


@dataclass
class Probe:
    """Runs of a program on graphs of so many vertices, on parts of some place.

    Parameters
    ----------
    program : callable
        What makes a program of `probe`.
    label : str
        The name of the place, such as ``"cuda:0,1/ranges/host"``.
    size : int
        Vertices.
    has_rounds : bool
        Whether replicas may be of several hops there.
    """

    program: Any
    label: str
    size: int
    has_rounds: bool

    def __post_init__(self) -> None:
        made = graphs(self.size)
        self.places = {name: each.on(self.label) for name, each in made.items()}
        number = parts_at(self.label)
        self.parts = {name: each.parts(number, hops=3) for name, each in made.items()}
        cases = CASES.items()
        self.cases = {name: each for name, each in cases if each.hops == 1 or self.has_rounds}
        self.seconds: dict[str, list[float]] = {name: [] for name in self.cases}
        self.supersteps: dict[str, int] = {}
        for name in self.cases:  # what is compiled and made for a graph is so here
            self.supersteps[name] = self.run(name).supersteps

    def run(self, name: str) -> Any:
        """Run a case."""
        case = self.cases[name]
        asked = {"schedule": hops(case.hops)} if case.hops > 1 else {}
        is_search = "finds" in case.counts
        made = _made(self.program, search if is_search else probe)
        counts = case.counts if is_search else NONE | case.counts
        return made.run(self.places[case.graph], **counts, **asked)

    def round(self) -> None:
        """Run all cases, each for a while."""
        for name, found in self.seconds.items():
            take_turn(functools.partial(self.run, name), found)

    def amounts(self, name: str) -> NDArray[np.float64]:
        """Return how much a run of a case has of each of what costs something, and its start."""
        case, steps = self.cases[name], self.supersteps[name]
        does = case.does
        if case.finds_all:
            found_of = reachable(self.places[case.graph])
            does = dataclasses.replace(does, walks=1.0, moved=found_of).shared_by(steps)
        parts = self.parts[case.graph]
        found = IN_FRONT * parts.amounts(ALONE)[0]
        found += parts.amounts_of_run([does] * steps, case.hops, case.before)
        return np.append(found, 1.0)

    def costs(self) -> Costs:
        """Return the constants that explain the seconds of all cases best, none below 0."""
        from scipy.optimize import nnls  # few ask for it

        taken = np.array([lower_quartile(each) for each in self.seconds.values()])
        rows = np.stack([self.amounts(name) for name in self.seconds]) / taken[:, None]
        largest = np.maximum(rows.max(axis=0), 1e-300)
        found, _ = nnls(rows / largest, np.ones(len(rows)))
        named = dict(zip((*TERMS, "start"), (found / largest).tolist(), strict=True))
        byte_s = named.pop("byte")
        rate = 1 / byte_s if byte_s else math.inf
        return Costs(bytes_per_s=rate, **{f"{name}_s": each for name, each in named.items()})


def take_turn(run: Callable[[], Any], seconds: list[float]) -> None:
    """Run something at least once and until its turn is over, and note what its runs take."""
    until = time.perf_counter() + TURN_S
    while True:
        seconds.append(run().seconds)
        if time.perf_counter() >= until:
            return


def lower_quartile(seconds: list[float]) -> float:
    """Return what a quarter of some runs did not exceed.

    Examples
    --------
    >>> lower_quartile([4.0, 1.0, 2.0, 8.0, 3.0])
    2.0
    """
    return float(np.quantile(seconds, 0.25))


def parts_at(label: str) -> int:
    """Return how many parts a place has."""
    if label.startswith("cuda"):
        return len(Grouped.of(label).devices)
    return int(label.split("/")[1])


def place_of(label: str) -> str:
    """Return the same place with graphs divided by ranges, as rows lie apart in any case."""
    if not label.startswith("cuda"):
        return "/".join(label.split("/")[:2])
    grouped = Grouped.of(label)
    return str(dataclasses.replace(grouped, way="ranges"))


def size_for(vertices: int) -> int:
    """Return about as many vertices, such that most numbers have those of others.

    Examples
    --------
    >>> size_for(65_536), size_for(65_537), size_for(70_000), size_for(10**8)
    (65536, 73728, 73728, 1048576)
    """
    size = max(FEWEST, min(vertices, MOST))
    step = 1 << max(0, (size - 1).bit_length() - STEP_BITS)
    return -(-size // step) * step


def probed(program: Any, label: str, vertices: int, has_rounds: bool) -> Costs:
    """Return the constants of a place for graphs of about so many vertices.

    What another process has measured there lately is taken, see `measured`.
    """
    return _probed(program, place_of(label), size_for(vertices), has_rounds)


@functools.cache
def _probed(program: Any, label: str, size: int, has_rounds: bool) -> Costs:
    measure = functools.partial(_measured, program, label, size, has_rounds)
    return kept_costs(label, measure, size, has_rounds, CASES)


def _measured(program: Any, label: str, size: int, has_rounds: bool) -> Costs:
    found = Probe(program, label, size, has_rounds)
    for _ in range(ROUNDS):
        found.round()
    return found.costs()


@functools.cache
def _made(program: Any, function: Any) -> Any:
    return program(function)
