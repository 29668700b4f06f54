"""Where the time of an experiment goes, and how it grows: phases of SSSP, sizes of R-MAT graphs.

S156: Medusa's figure 6 is explained by what a superstep over all vertices costs, whatever happens
in it: messages cleared, sent, combined, applied. Slots hold messages as Medusa's buffer does, and a
profile on a GPU tells the four apart; on cores a loop is one call. The bound of BFS that looks at
all vertices in every level, of graphs with many levels: see `level_bound`. S164: BFS and PageRank
by size.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import emv
from bench.papers_rows import PaperRow, Setting
from bench.papers_searches import GRAPHS
from emv import Graph
from emv.algorithms import bfs, pagerank, sssp
from emv.config import config
from emv.errors import CapacityError
from emv.runtime.profile.recording import cpu_copy_bandwidth

PHASES = {
    "clear": ("forget_receivers", "prepare"),
    "send": ("send",),
    "combine": ("fold_shares", "fold_parts", "fold_pieces"),
    "update": ("receive_pulled", "receive"),
}
SIZES = tuple(range(16, 27))
HOST_SIZE = 20  # the largest made on cores
ARCS = 16  # of a vertex
ITERATIONS = 10


def phase_ms(program: Any, graph: Graph, *given: Any, **named: Any) -> dict[str, float]:
    """Return the milliseconds of Medusa's four phases; what is none of them is ``other``."""
    found = dict.fromkeys([*PHASES, "other"], 0.0)
    for launch in program.profile(graph, *given, **named).launches:
        named_all = sum(each.seconds for each in launch.phases)
        for each in launch.phases:
            kind = next((kind for kind, names in PHASES.items() if each.name in names), "other")
            found[kind] += 1000 * each.seconds
        found["other"] += 1000 * max(0.0, launch.seconds - named_all)
    return found


def phases(setting: Setting) -> Iterator[PaperRow]:
    """Split SSSP into its phases, messages in slots, all vertices or those that changed."""
    if setting.target != "cuda":
        return
    for name in setting.graphs or GRAPHS:
        if setting.is_over():
            yield PaperRow("S156", f"phases on {name}", note="left out: no time")
            continue
        graph = setting.load(name)
        placed = graph.emv("given")
        word = {"offer_path": emv.buffer("slots")}
        found = {
            f"{kind}, ms": ms
            for kind, ms in phase_ms(sssp, placed, graph.source, schedule=word).items()
        }
        fused = setting.seconds(sssp, placed, graph.source, schedule=emv.queue())
        found |= {"fused over queues, ms": 1000 * fused}
        said = "comparable to Harish but on Road and Huge: the Combiner's cost is fixed"
        yield PaperRow(
            "S156", f"SSSP's phases on {name}, slots", found, said, f"graph {graph.kind}"
        )
        setting.clock.free()


def level_bound(setting: Setting) -> Iterator[PaperRow]:
    """Compare BFS-N with the bytes of its depths: every level looks at all vertices."""
    for name in setting.graphs or ("roadnet-ca",):
        if setting.is_over():
            return
        graph = setting.load(name)
        placed, source, word = graph.emv("given"), graph.source, emv.all_active()
        bfs.run(placed, source, schedule=word)
        run = bfs.run(placed, source, schedule=word)
        nbytes = run.supersteps * placed.num_vertices * 4
        bandwidth = copy_bandwidth(setting)
        measured = {
            "seconds": float(run.seconds),
            "levels": float(run.supersteps),
            "bound, s": nbytes / bandwidth,
            "share of the bandwidth": nbytes / run.seconds / bandwidth,
        }
        note = "the bound: the depth of every vertex, 4 bytes, in every level"
        yield PaperRow("S157", f"BFS-N on {name}", measured, "0.1 * 10^9 TEPS on Huge", note)
        setting.clock.free()


def copy_bandwidth(setting: Setting) -> float:
    """Return the bytes a second that a large copy reads and writes."""
    if hasattr(setting.clock, "copy_bandwidth"):
        return float(setting.clock.copy_bandwidth())
    return cpu_copy_bandwidth(config.num_threads)


def sizes(setting: Setting) -> Iterator[PaperRow]:
    """Run BFS and PageRank on R-MAT graphs of more and more vertices, drawn where they run."""
    last = HOST_SIZE if setting.target == "cpu" else SIZES[-1]
    for scale in [6] if setting.tiny else [each for each in SIZES if each <= last]:
        if setting.is_over():
            yield PaperRow("S164", f"rmat 2^{scale}", note="left out: no time")
            continue
        n, on = 1 << scale, setting.device
        where = {} if on == "python" else {"device": on}
        try:
            graph = emv.generators.rmat(n, ARCS * n, rng=1, **where).on(on)
            setting.seconds(bfs, graph, 0)
        except CapacityError as error:
            yield PaperRow("S164", f"rmat 2^{scale}", note=f"left out: {error}".splitlines()[0])
            return
        source = busiest(graph)
        once = setting.seconds(bfs, graph, source)
        rounds = setting.rounds if once < 0.1 else 2
        search = min(setting.seconds(bfs, graph, source) for _ in range(rounds))
        named = {"tol": 0.0, "max_iter": ITERATIONS}
        setting.seconds(pagerank, graph, **named)
        rank = min(setting.seconds(pagerank, graph, **named) for _ in range(2))
        measured = {
            "BFS, arcs/s": graph.num_arcs / search,
            "PageRank, arcs/s": ITERATIONS * graph.num_arcs / rank,
        }
        said = "used fully from 100 MB (Wiki) to 1 GB (Huge)"
        yield PaperRow("S164", f"rmat 2^{scale}, {ARCS} arcs a vertex", measured, said)
        del graph
        setting.clock.free()


def busiest(graph: Graph) -> int:
    """Return a vertex with the most arcs."""
    degrees: Any = graph.out_degrees()
    return int((degrees.numpy() if hasattr(degrees, "numpy") else degrees).argmax())
