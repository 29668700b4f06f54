"""Time what the papers claim for their parts, each against its alternatives in one run.

Usage: python -m bench.ablations [--target cpu|cuda|python] [--only kinds frontier ...] [--rounds 5]
           [--scale N] [--tiny] [--json [FILE]]

One process, graphs resident, compiled before; the variants of a row take turns, so that drift
meets all of them; medians of `Run.seconds`. A ratio is to the row's baseline. Results of all
variants must be equal (float sums to 1e-4), else the exit status is 1. What a variant cannot do
says why.

Predicted, before the first run:

kinds     EDGE = ELIST = VERTEX (1.00 to 1.05): all become one pull; an ELIST in order 2 x and more
frontier  automatic at most 1.05 of the better of N and Q everywhere; N far behind Q on the grid,
          at most 1.3 ahead on rmat and uniform graphs
buffers   fused far ahead (3 x and more); then accumulators; slots ahead of sender, grouped, lists
apart     slots cost the sender more than the receiver; grouped and lists the sender most of all
mask      a mask 1 to 2 x the queue on rmat and uniform graphs, 10 x and more on the grid
mlist     the list 3 x the combiner and more: it stores messages, the combiner does not
layouts   storages of arcs against compressed rows, which emv takes unasked: docs/design/layouts.md
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import emv
from bench import ablation_programs as programs
from bench.timing import describe, in_turn
from emv.algorithms import bfs, icm, pagerank, sssp

RESULTS = Path(__file__).resolve().parent / "results"
LIMIT = 1.05  # of the automatic choice to the better of the two
SLOW_S = 0.5  # what takes longer is timed once
ITERATIONS = 10
SENDS = 3  # supersteps in which messages wait: some buffers take long
BUFFERS = ("fused", "accumulators", "slots", "sender", "grouped", "lists")
STORAGES = ("csr", "aa", "caa", "ell", "hybrid", "coo", "dia")
KEPT = ("slots", "sender", "grouped", "lists")  # one by one, so that a list can read them
SCALES = {"cpu": 16, "cuda": 20, "python": 3}
TINY = 4

Run = Callable[[], Any]


@dataclass
class Row:
    """One comparison on one graph.

    Attributes
    ----------
    ablation, graph, problem : str
        Which.
    baseline : str
        The variant that ratios are to.
    variants : dict of callables
        Each runs once and returns a `Run`.
    ms : dict of lists
        What each variant needed, round by round.
    skipped : dict
        Why a variant has no time.
    fault : str
        Which results differ from the baseline's.
    exact : bool
        Whether results are equal to the last bit.
    compared : int, optional
        Of how many vertices results are compared; by default of all.
    """

    ablation: str
    graph: str
    problem: str
    baseline: str
    variants: dict[str, Run]
    ms: dict[str, list[float]] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    fault: str = ""
    exact: bool = True
    compared: int | None = None

    def median(self, variant: str) -> float | None:
        """Return the median of a variant, None if it was skipped."""
        return statistics.median(self.ms[variant]) if self.ms.get(variant) else None

    def ratio(self, variant: str) -> float | None:
        """Return a variant's median over the baseline's."""
        own, other = self.median(variant), self.median(self.baseline)
        return own / other if own is not None and other else None

    def report(self) -> dict[str, Any]:
        """Return the row as JSON has it."""
        names = ("ablation", "graph", "problem", "baseline", "skipped", "fault")
        made = {name: getattr(self, name) for name in names}
        made["ms"] = {name: rounded(self.median(name)) for name in self.variants}
        made["ratio"] = {name: rounded(self.ratio(name)) for name in self.variants}
        made["all_ms"] = {name: [rounded(each) for each in ms] for name, ms in self.ms.items()}
        if self.ablation == "frontier":
            made["automatic_to_best"] = rounded(automatic_to_best(self))
            made["limit"] = LIMIT
        return made

    def lines(self) -> Iterator[str]:
        """Yield the lines of the table."""
        for variant in self.variants:
            head = f"{self.ablation:10}{self.graph:9}{self.problem:12}{variant:14}"
            ms, ratio = self.median(variant), self.ratio(variant)
            if ms is None:
                yield f"{head}{'-':>11}     {self.skipped.get(variant, '')}"
            else:
                shown = f"{ratio:8.2f} x {self.baseline}" if ratio is not None else ""
                yield f"{head}{ms:11.3f} ms{shown}"
        best = automatic_to_best(self) if self.ablation == "frontier" else None
        if best is not None:
            word = "met" if best <= LIMIT else "MISSED"
            yield f"{'':45}automatic is {best:.3f} of the better, limit {LIMIT}: {word}"
        if self.fault:
            yield f"{'':45}WRONG: {self.fault}"


def rounded(value: float | None) -> float | None:
    """Return a figure with the digits that mean something."""
    return None if value is None else float(f"{value:.5g}")


def automatic_to_best(row: Row) -> float | None:
    """Return the automatic choice over the better of N and Q."""
    asked = [ms for ms in (row.median("N"), row.median("Q")) if ms is not None]
    chosen = row.median("automatic")
    return chosen / min(asked) if asked and chosen is not None else None


def measure(row: Row, rounds: int) -> None:
    """Compile, check and time the variants of a row, in turns."""
    expected = None
    for name, run in row.variants.items():
        try:
            done = run()
            found, row.ms[name] = on_host(done.result)[: row.compared], []
        except emv.EmvError as error:
            row.skipped[name] = str(error).splitlines()[0]
            continue
        expected = found if expected is None else expected
        if not same(found, expected, row.exact):
            row.fault += f"{name} differs; "
    timed = {name: row.variants[name] for name in row.ms}
    row.ms |= in_turn(timed, rounds, SLOW_S)


def on_host(value: Any) -> Any:
    """Return a result as a host array."""
    return np.asarray(value.numpy() if hasattr(value, "numpy") else value)


def same(found: Any, expected: Any, exact: bool) -> bool:
    """Return whether two results agree."""
    if exact:
        return np.array_equal(found, expected)
    return np.allclose(found, expected, rtol=1e-4, atol=0)


# ---- what is compared ----


def kinds(name: str, graph: emv.Graph) -> Iterator[Row]:
    """Compare EDGE with ELIST and with a vertex function alone."""
    yield Row(
        "kinds",
        name,
        "pagerank",
        "edge",
        {
            "edge": lambda: programs.rank_by_edge.run(graph, ITERATIONS),
            "elist": lambda: programs.rank_by_list.run(graph, ITERATIONS),
            "elist in order": lambda: programs.rank_in_order.run(graph, ITERATIONS),
            "vertex": lambda: programs.rank_by_vertex.run(graph, ITERATIONS),
        },
        exact=False,
    )


def frontier(name: str, graph: emv.Graph) -> Iterator[Row]:
    """Compare the active set as flags (N), as a queue (Q), and as emv chooses."""
    source = busiest(graph)
    calls: dict[str, Callable[[Any], Any]] = {
        "bfs": lambda word: bfs.run(graph, source, schedule=word),
        "sssp": lambda word: sssp.run(graph, source, schedule=word),
        "icm": lambda word: icm.run(graph, source, p=0.3, rng=1, schedule=word),
        "components": lambda word: programs.labels_from_active.run(graph, schedule=word),
    }
    words = {"automatic": None, "N": emv.all_active(), "Q": emv.queue()}
    for problem, call in calls.items():
        variants = {variant: bound(call, word) for variant, word in words.items()}
        if problem == "sssp":
            variants["by superstep"] = bound(call, emv.by_superstep())
        yield Row("frontier", name, problem, "Q", variants)


def buffers(name: str, graph: emv.Graph) -> Iterator[Row]:
    """Compare where messages wait between send and receive; then sending and reading apart."""
    calls: dict[str, Callable[[Any], Any]] = {
        "pagerank": lambda word: programs.rank_by_edge.run(graph, SENDS, schedule=word),
        "min label": lambda word: programs.label_by_edge.run(graph, SENDS, schedule=word),
    }
    for problem, call in calls.items():
        variants = {each: bound(call, each, buffered) for each in BUFFERS}
        yield Row("buffers", name, problem, "fused", variants, exact=problem != "pagerank")
    one, everyone = np.zeros(1, np.int64), np.arange(graph.num_vertices)
    variants = {}
    for each in KEPT:
        variants[f"{each}, send"] = bound(hearing(graph, one), each, buffered)
        variants[f"{each}, read"] = bound(hearing(graph, everyone), each, buffered)
    yield Row("apart", name, "sum", "slots, send", variants, exact=False, compared=1)


def hearing(graph: emv.Graph, ids: Any) -> Callable[[Any], Any]:
    """Return the call in which all send and those named read, one or all."""
    return lambda word: programs.heard_by.run(graph, ids, SENDS, schedule=word)


def buffered(name: str) -> Any:
    """Return the word for a buffer."""
    if not hasattr(emv, "buffer"):
        raise emv.EmvError("this version has no emv.buffer")
    return emv.buffer(name)


def mask(name: str, graph: emv.Graph) -> Iterator[Row]:
    """Compare a search from the active set in a queue with one from a mask."""
    source = busiest(graph)
    variants = {
        "queue": lambda: bfs.run(graph, source, schedule=emv.queue()),
        "mask": lambda: programs.bfs_by_mask.run(graph, source),
    }
    yield Row("mask", name, "bfs", "queue", variants)


def lists(name: str, graph: emv.Graph) -> Iterator[Row]:
    """Compare a sum by a combiner with one by a message list."""
    variants = {
        "combiner": lambda: programs.rank_by_edge.run(graph, ITERATIONS),
        "mlist": lambda: programs.rank_by_mlist.run(graph, ITERATIONS),
    }
    yield Row("mlist", name, "pagerank", "combiner", variants, exact=False)


def layouts(name: str, graph: emv.Graph) -> Iterator[Row]:
    """Compare the storages of arcs: all send, the active send, each goes over its own edges."""
    ranks, source = {"tol": 0.0, "max_iter": ITERATIONS}, busiest(graph)
    calls: dict[str, Callable[[Any], Any]] = {
        "pagerank": lambda word: pagerank.run(graph, **ranks, schedule=word),
        "search": lambda word: bfs.run(graph, source, schedule=word),
        "lightest": lambda word: programs.lightest.run(graph, schedule=word),
    }
    for problem, call in calls.items():
        variants = {each: bound(call, each, emv.layout) for each in STORAGES}
        yield Row("layouts", name, problem, "csr", variants, exact=problem != "pagerank")


ABLATIONS: dict[str, Callable[[str, emv.Graph], Iterator[Row]]] = {
    "kinds": kinds,
    "frontier": frontier,
    "buffers": buffers,
    "mask": mask,
    "mlist": lists,
    "layouts": layouts,
}


def bound(call: Callable[[Any], Any], word: Any, made: Callable[[Any], Any] | None = None) -> Run:
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


def reading_ms(rows: Iterable[Row]) -> dict[str, dict[str, float]]:
    """Return by graph and buffer what reading costs: all read, less the same where one reads."""
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        if row.ablation == "apart":
            pairs = {
                each: (row.median(f"{each}, read"), row.median(f"{each}, send")) for each in KEPT
            }
            found[row.graph] = {
                each: float(f"{both - alone:.5g}")
                for each, (both, alone) in pairs.items()
                if both is not None and alone is not None
            }
    return found


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", default="cpu", choices=SCALES)
    parser.add_argument("--only", nargs="+", choices=ABLATIONS, default=list(ABLATIONS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scale", type=int, help="graphs of 2**scale vertices")
    parser.add_argument("--tiny", action="store_true", help="to see whether it runs")
    parser.add_argument("--json", nargs="?", const="", help="default results/TARGET-ablations-DATE")
    options = parser.parse_args(arguments)
    options.scale = options.scale or (TINY if options.tiny else SCALES[options.target])
    if options.json == "":
        name = f"{options.target}-ablations-{time.strftime('%Y-%m-%d')}.json"
        options.json = str(RESULTS / name)
    return options


def write(options: argparse.Namespace, rows: Iterable[Row], machine: dict[str, Any]) -> None:
    """Write the JSON, after every row anew, so that a run that is cut off leaves some."""
    if options.json:
        report = {"machine": machine, "target": options.target, "scale": options.scale}
        report |= {"rounds": options.rounds, "rows": [row.report() for row in rows]}
        report["reading_ms"] = reading_ms(rows)
        Path(options.json).write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and keep; return 1 when results differ."""
    options, rows = parse(arguments), []
    machine, started = describe(options.target), time.perf_counter()
    for name, graph in made_graphs(options.scale, options.target):
        print(f"{name}: {graph}, {time.perf_counter() - started:.0f} s", flush=True)
        for ablation in options.only:
            for row in ABLATIONS[ablation](name, graph):
                measure(row, options.rounds)
                rows.append(row)
                print("\n".join(row.lines()), flush=True)
                write(options, rows, machine)
    for graph, each in reading_ms(rows).items():
        print(
            f"{'apart':10}{graph:9}{'read':12}", *(f"{name} {ms} ms" for name, ms in each.items())
        )
    print(f"{time.perf_counter() - started:.0f} s")
    return int(any(row.fault for row in rows))


if __name__ == "__main__":
    sys.exit(main())
