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
from typing import Any

import numpy as np

import emv
from bench import ablation_programs as programs
from bench.study import Row, run
from bench.timing import compared, on_host
from emv.algorithms import bfs, icm, pagerank, sssp

LIMIT = 1.05  # of the automatic choice to the better of the two
SLOW_S = 0.5  # what takes longer is timed once
ITERATIONS = 10
SENDS = 3  # supersteps in which messages wait: some buffers take long
BUFFERS = ("fused", "accumulators", "slots", "sender", "grouped", "lists")
STORAGES = ("csr", "aa", "caa", "ell", "hybrid", "coo", "dia")
KEPT = ("slots", "sender", "grouped", "lists")  # one by one, so that a list can read them
ARCS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, math.inf)
LISTS = {
    "slots": emv.buffer("slots"),
    "grouped": emv.buffer("grouped"),
    "list": emv.buffer("lists", arenas=1),
    "list, two arenas": emv.buffer("lists"),
    "tree": emv.buffer("lists", insert="tree", arenas=1),
    "tree, two arenas": emv.buffer("lists", insert="tree"),
}
SCALES = {"cpu": 16, "cuda": 20, "python": 3}

Call = Callable[[], Any]


@dataclass
class Comparison:
    """One comparison on one graph.

    Attributes
    ----------
    problem : str
        Which.
    variants : dict of callables
        Each runs once and returns a `Run`; ratios are to the first.
    exact : bool
        Whether results are equal to the last bit.
    compared : int, optional
        Of how many vertices results are compared; by default of all.
    weigh : function, optional
        Takes a variant's name, returns the bytes of its working space and index arrays.
    """

    problem: str
    variants: dict[str, Call]
    exact: bool = True
    compared: int | None = None
    weigh: Callable[[str], int] | None = None


# ---- what is compared ----


def kinds(graph: emv.Graph) -> Iterator[Comparison]:
    """Compare EDGE with ELIST and with a vertex function alone."""
    yield Comparison(
        "pagerank",
        {
            "edge": lambda: programs.rank_by_edge.run(graph, ITERATIONS),
            "elist": lambda: programs.rank_by_list.run(graph, ITERATIONS),
            "elist in order": lambda: programs.rank_in_order.run(graph, ITERATIONS),
            "vertex": lambda: programs.rank_by_vertex.run(graph, ITERATIONS),
        },
        exact=False,
    )


def frontier(graph: emv.Graph) -> Iterator[Comparison]:
    """Compare the active set as flags (N), as a queue (Q), and as emv chooses."""
    source = busiest(graph)
    calls: dict[str, Callable[[Any], Any]] = {
        "bfs": lambda word: bfs.run(graph, source, schedule=word),
        "sssp": lambda word: sssp.run(graph, source, schedule=word),
        "icm": lambda word: icm.run(graph, source, p=0.3, rng=1, schedule=word),
        "components": lambda word: programs.labels_from_active.run(graph, schedule=word),
    }
    words = {"Q": emv.queue(), "N": emv.all_active(), "automatic": None}
    for problem, call in calls.items():
        variants = {variant: bound(call, word) for variant, word in words.items()}
        if problem == "sssp":
            variants["by superstep"] = bound(call, emv.by_superstep())
        yield Comparison(problem, variants)


def buffers(graph: emv.Graph) -> Iterator[Comparison]:
    """Compare where messages wait between send and receive."""
    calls: dict[str, Callable[[Any], Any]] = {
        "pagerank": lambda word: programs.rank_by_edge.run(graph, SENDS, schedule=word),
        "min label": lambda word: programs.label_by_edge.run(graph, SENDS, schedule=word),
    }
    for problem, call in calls.items():
        variants = {each: bound(call, each, buffered) for each in BUFFERS}
        yield Comparison(problem, variants, exact=problem != "pagerank")


def apart(graph: emv.Graph) -> Iterator[Comparison]:
    """Compare what sending and reading take: what all take to read, more than one, is *reading*."""
    one, everyone = np.zeros(1, np.int64), np.arange(graph.num_vertices)
    variants = {}
    for each in KEPT:
        variants[f"{each}, send"] = bound(hearing(graph, one), each, buffered)
        variants[f"{each}, read"] = bound(hearing(graph, everyone), each, buffered)
    yield Comparison("sum", variants, exact=False, compared=1)


def hearing(graph: emv.Graph, ids: Any) -> Callable[[Any], Any]:
    """Return the call in which all send and those named read, one or all."""
    return lambda word: programs.heard_by.run(graph, ids, SENDS, schedule=word)


def buffered(name: str) -> Any:
    """Return the word for a buffer."""
    return emv.buffer(name)


def mask(graph: emv.Graph) -> Iterator[Comparison]:
    """Compare a search from the active set in a queue with one from a mask."""
    source = busiest(graph)
    variants = {
        "queue": lambda: bfs.run(graph, source, schedule=emv.queue()),
        "mask": lambda: programs.bfs_by_mask.run(graph, source),
    }
    yield Comparison("bfs", variants)


def lists(graph: emv.Graph) -> Iterator[Comparison]:
    """Compare a sum by a combiner with one by a message list."""
    variants = {
        "combiner": lambda: programs.rank_by_edge.run(graph, ITERATIONS),
        "mlist": lambda: programs.rank_by_mlist.run(graph, ITERATIONS),
    }
    yield Comparison("pagerank", variants, exact=False)


def layouts(graph: emv.Graph) -> Iterator[Comparison]:
    """Compare the storages of arcs: all send, the active send, each goes over its own edges."""
    ranks, source = {"tol": 0.0, "max_iter": ITERATIONS}, busiest(graph)
    calls: dict[str, Callable[[Any], Any]] = {
        "pagerank": lambda word: pagerank.run(graph, **ranks, schedule=word),
        "search": lambda word: bfs.run(graph, source, schedule=word),
        "lightest": lambda word: programs.lightest.run(graph, schedule=word),
    }
    for problem, call in calls.items():
        variants = {each: bound(call, each, emv.layout) for each in STORAGES}
        yield Comparison(problem, variants, exact=problem != "pagerank")


def poster(graph: emv.Graph) -> Iterator[Comparison]:
    """Compare slots with lists, for few messages, for many, and for many to one vertex.

    Mitani, Ino, Hagihara, GPGPU 2014; what a graph that is contracted takes, which they have too,
    ``python -m tests.stress.mutations --times`` tells.
    """
    yield by_word("bellman-ford", sssp, graph, busiest(graph))
    yield by_word("pagerank", programs.rank_by_edge, graph, ITERATIONS)
    gathered = by_word("gather", programs.gathering, graph, ITERATIONS)
    del gathered.variants["slots"]  # as that is along no arc
    yield gathered


def by_word(problem: str, program: Any, graph: emv.Graph, given: Any) -> Comparison:
    """Return a program with each word for where messages wait."""

    def nbytes(name: str) -> int:
        plan = program.memory_plan(graph, given, schedule=LISTS[name])
        return sum(plan.group_bytes(group) for group in ("working space", "index arrays"))

    def call(word: Any) -> Any:
        return program.run(graph, given, schedule=word)

    variants = {name: bound(call, word) for name, word in LISTS.items()}
    return Comparison(problem, variants, exact=False, weigh=nbytes)


def deltas(graph: emv.Graph) -> Iterator[Comparison]:
    """Compare deltas of so many arcs (mean weights over the mean degree) with emv's own."""
    source, weight = busiest(graph), on_host(graph.edges.weight)
    each = float(weight.mean()) / max(1.0, graph.num_arcs / graph.num_vertices)
    words = {"automatic": emv.near_far(), "by superstep": emv.by_superstep()}
    words |= {f"{arcs:g} arcs": emv.near_far(arcs * each) for arcs in ARCS}
    variants = {
        name: bound(lambda word: sssp.run(graph, source, schedule=word), word)
        for name, word in words.items()
    }
    yield Comparison("sssp", variants)


ABLATIONS: dict[str, Callable[[emv.Graph], Iterator[Comparison]]] = {
    "kinds": kinds,
    "frontier": frontier,
    "buffers": buffers,
    "apart": apart,
    "mask": mask,
    "mlist": lists,
    "layouts": layouts,
    "poster": poster,
    "deltas": deltas,
}


def bound(call: Callable[[Any], Any], word: Any, made: Callable[[Any], Any] | None = None) -> Call:
    """Return the call with its schedule, made when it is called."""
    return lambda: call(word if made is None else made(word))


def busiest(graph: emv.Graph) -> int:
    """Return a vertex with the most arcs, the smallest of several."""
    return int(np.argmax(on_host(graph.out_degrees())))


def made_graphs(scale: int, target: str) -> Iterator[tuple[str, emv.Graph]]:
    """Yield the graphs: skewed, uniform, and a grid of large diameter; undirected, with weights."""
    n, more = 2**scale, {"directed": False, "weights": (1, 64), "rng": 1}
    width = math.isqrt(n)
    yield "rmat", emv.generators.rmat(n, 16 * n, **more).on(target)
    yield "uniform", emv.generators.random(n, 16 * n, **more).on(target)
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
