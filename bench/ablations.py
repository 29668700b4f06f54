"""Time what the papers claim for their parts, each against its alternatives in one run.

One process, graphs resident, compiled before; the variants of a row take turns, so that drift
meets all of them; medians of `Run.seconds`, and their ratio to the first variant's. Results of all
variants must be equal (float sums to 1e-4), else the exit status is 1. What a variant cannot do
says why. What was predicted, and what came: docs/design/measured_model.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import emv
from bench import ablation_programs as programs
from bench.study import Row, run
from bench.suite_graphs import busiest
from bench.timing import compared
from emv.algorithms import bfs, icm, pagerank, sssp
from emv.graph.on_device import on_host
from emv.graph.row_storage import STORAGES

LIMIT = 1.05  # of the automatic choice to the better of the two
SLOW_S = 0.5  # what takes longer is timed once
ITERATIONS = 10
SENDS = 3  # supersteps in which messages wait: some buffers take long
SCALES = {"cpu": 16, "cuda": 20, "python": 3}
ARCS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, math.inf)
KEPT = ("slots", "sender", "grouped", "lists")  # one by one, so that a list can read them

Word = Callable[[], Any]  # makes a schedule when it is called, which may refuse
FRONTIERS: dict[str, Word] = {"Q": emv.queue, "N": emv.all_active, "automatic": lambda: None}
BUFFERS: dict[str, Word] = {
    name: partial(emv.buffer, name) for name in ("fused", "accumulators", *KEPT)
}
LAYOUTS: dict[str, Word] = {name: partial(emv.layout, name) for name in STORAGES}
LISTS: dict[str, Word] = {
    "slots": partial(emv.buffer, "slots"),
    "grouped": partial(emv.buffer, "grouped"),
    "list": partial(emv.buffer, "lists", arenas=1),
    "list, two arenas": partial(emv.buffer, "lists"),
    "tree": partial(emv.buffer, "lists", insert="tree", arenas=1),
    "tree, two arenas": partial(emv.buffer, "lists", insert="tree"),
}
KINDS = {  # who sends: EDGE, ELIST, and a vertex function alone
    "edge": programs.rank_by_edge,
    "elist": programs.rank_by_list,
    "elist in order": programs.rank_in_order,
    "vertex": programs.rank_by_vertex,
}
SUMS = {"combiner": programs.rank_by_edge, "mlist": programs.rank_by_mlist}


@dataclass
class Comparison:
    """One comparison on one graph: variants run once and return a `Run`; the first is the rule."""

    problem: str
    variants: dict[str, Callable[[], Any]]
    exact: bool = True  # whether results are equal to the last bit
    compared: int | None = None  # of how many vertices results are compared; by default of all
    weigh: Callable[[str], int] | None = None  # the bytes of a variant's space and index arrays


def by_word(call: Callable[[Any], Any], words: dict[str, Word]) -> dict[str, Callable[[], Any]]:
    """Return a call with each of some schedules."""
    return {name: lambda word=word: call(word()) for name, word in words.items()}


def by_words(
    words: dict[str, Word], calls: dict[str, Callable[[Any], Any]]
) -> Iterator[Comparison]:
    """Yield calls with each of some schedules; floats are summed by those of PageRank."""
    for problem, call in calls.items():
        yield Comparison(problem, by_word(call, words), exact=problem != "pagerank")


# ---- what is compared ----


def ranked_by(ways: dict[str, Any]) -> Callable[[emv.Graph], Iterator[Comparison]]:
    """Return what compares programs of PageRank."""

    def ranks(graph: emv.Graph) -> Iterator[Comparison]:
        variants = {name: partial(each.run, graph, ITERATIONS) for name, each in ways.items()}
        yield Comparison("pagerank", variants, exact=False)

    return ranks


def frontier(graph: emv.Graph) -> Iterator[Comparison]:
    """Compare the active set as flags (N), as a queue (Q), and as emv chooses."""
    source = busiest(graph, 1)[0]
    yield from by_words(
        FRONTIERS,
        {
            "bfs": lambda word: bfs.run(graph, source, schedule=word),
            "icm": lambda word: icm.run(graph, source, p=0.3, rng=1, schedule=word),
            "components": lambda word: programs.labels_from_active.run(graph, schedule=word),
        },
    )
    words = FRONTIERS | {"by superstep": emv.by_superstep}
    yield from by_words(words, {"sssp": lambda word: sssp.run(graph, source, schedule=word)})


def buffers(graph: emv.Graph) -> Iterator[Comparison]:
    """Compare where messages wait between send and receive."""
    yield from by_words(
        BUFFERS,
        {
            "pagerank": lambda word: programs.rank_by_edge.run(graph, SENDS, schedule=word),
            "min label": lambda word: programs.label_by_edge.run(graph, SENDS, schedule=word),
        },
    )


def apart(graph: emv.Graph) -> Iterator[Comparison]:
    """Compare what sending and reading take: what all take to read, more than one, is *reading*."""
    variants = {}
    for each in KEPT:
        for what, ids in (("send", np.zeros(1, np.int64)), ("read", np.arange(graph.num_vertices))):
            hearing = partial(programs.heard_by.run, graph, ids, SENDS)
            variants[f"{each}, {what}"] = partial(hearing, schedule=emv.buffer(each))
    yield Comparison("sum", variants, exact=False, compared=1)


def mask(graph: emv.Graph) -> Iterator[Comparison]:
    """Compare a search from the active set in a queue with one from a mask."""
    source = busiest(graph, 1)[0]
    variants = {
        "queue": partial(bfs.run, graph, source, schedule=emv.queue()),
        "mask": partial(programs.bfs_by_mask.run, graph, source),
    }
    yield Comparison("bfs", variants)


def layouts(graph: emv.Graph) -> Iterator[Comparison]:
    """Compare the storages of arcs: all send, the active send, each goes over its own edges."""
    ranks, source = {"tol": 0.0, "max_iter": ITERATIONS}, busiest(graph, 1)[0]
    yield from by_words(
        LAYOUTS,
        {
            "pagerank": lambda word: pagerank.run(graph, **ranks, schedule=word),
            "search": lambda word: bfs.run(graph, source, schedule=word),
            "lightest": lambda word: programs.lightest.run(graph, schedule=word),
        },
    )


def poster(graph: emv.Graph) -> Iterator[Comparison]:
    """Compare slots with lists, for few messages, for many, and for many to one vertex.

    Mitani, Ino, Hagihara, GPGPU 2014; what a graph that is contracted takes, which they have too,
    ``python -m tests.stress.mutations --times`` tells.
    """
    given = {
        "bellman-ford": (sssp, busiest(graph, 1)[0]),
        "pagerank": (programs.rank_by_edge, ITERATIONS),
        "gather": (programs.gathering, ITERATIONS),
    }
    for problem, (program, argument) in given.items():

        def nbytes(name: str, program: Any = program, argument: int = argument) -> int:
            plan = program.memory_plan(graph, argument, schedule=LISTS[name]())
            return sum(plan.group_bytes(group) for group in ("working space", "index arrays"))

        def call(word: Any, program: Any = program, argument: int = argument) -> Any:
            return program.run(graph, argument, schedule=word)

        variants = by_word(call, LISTS)
        if problem == "gather":
            del variants["slots"]  # as that is along no arc
        yield Comparison(problem, variants, exact=False, weigh=nbytes)


def deltas(graph: emv.Graph) -> Iterator[Comparison]:
    """Compare deltas of so many arcs (mean weights over the mean degree) with emv's own."""
    source, weight = busiest(graph, 1)[0], on_host(graph.edges.weight)
    each = float(weight.mean()) / max(1.0, graph.num_arcs / graph.num_vertices)
    words: dict[str, Word] = {"automatic": emv.near_far, "by superstep": emv.by_superstep}
    words |= {f"{arcs:g} arcs": partial(emv.near_far, arcs * each) for arcs in ARCS}
    yield from by_words(words, {"sssp": lambda word: sssp.run(graph, source, schedule=word)})


ABLATIONS: dict[str, Callable[[emv.Graph], Iterator[Comparison]]] = {
    "kinds": ranked_by(KINDS),
    "frontier": frontier,
    "buffers": buffers,
    "apart": apart,
    "mask": mask,
    "mlist": ranked_by(SUMS),
    "layouts": layouts,
    "poster": poster,
    "deltas": deltas,
}


def made_graphs(scale: int, target: str) -> Iterator[tuple[str, emv.Graph]]:
    """Yield the graphs: skewed, uniform, one that grew and a grid; undirected, with weights."""
    n, more = 2**scale, {"directed": False, "weights": (1, 64), "rng": 1}
    width, grown = math.isqrt(n), min(8, n // 2)
    yield "rmat", emv.generators.rmat(n, 16 * n, **more).on(target)
    yield "uniform", emv.generators.random(n, 16 * n, **more).on(target)
    yield "wiki", emv.generators.barabasi_albert(n, grown, weights=(1, 64), rng=1).on(target)
    yield "grid", emv.generators.grid(width, width, weights=(1, 64), rng=1).on(target)


def derived(ablation: str, ms: dict[str, float]) -> Iterator[Row]:
    """Yield what follows from a comparison's times: what reading costs, how well emv chooses."""
    if ablation == "frontier" and {"automatic", "N", "Q"} <= ms.keys():
        share = ms["automatic"] / min(ms["N"], ms["Q"])
        word = "met" if share <= LIMIT else "MISSED"
        yield {"variant": "automatic is", "limit": word, "of the better": share}
    for each in KEPT:
        if ablation == "apart" and {f"{each}, read", f"{each}, send"} <= ms.keys():
            reading = ms[f"{each}, read"] - ms[f"{each}, send"]
            yield {"variant": f"{each}, reading", "ms": reading}


def ablations(
    target: str = "cpu", only: tuple[str, ...] = tuple(ABLATIONS), rounds: int = 5, scale: int = 0
) -> Iterator[Row]:
    """Time what the papers claim for their parts, each against its alternatives in one run."""
    for name, graph in made_graphs(scale or SCALES[target], target):
        for ablation in only:
            for each in ABLATIONS[ablation](graph):
                head, ms = {"ablation": ablation, "graph": name, "problem": each.problem}, {}
                for row in compared(each.variants, rounds, each.exact, SLOW_S, each.compared):
                    ms |= {row["variant"]: row["ms"]} if "ms" in row else {}
                    row |= {"MB": each.weigh(row["variant"]) / 1e6} if each.weigh else {}
                    yield head | row
                yield from (head | row for row in derived(ablation, ms))


if __name__ == "__main__":
    raise SystemExit(run(ablations))
