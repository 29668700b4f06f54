"""Time and weigh the building of a graph from arrays: CSR, CSC and reverse edge ids.

On cores beside scipy's sort, dedup and transpose in turns in one process, and each graph once more
in a process of its own that tells its peak memory. On a GPU the ends lie there already, copying
them is a figure of its own; the arrays are compared with the CPU's, bit for bit. Graphs too large
for that are built by `tests.stress.large_builds`. Exits 1 when a limit is missed or arrays differ.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse

from bench.memory import pool_peak, process_peak
from bench.study import Row, run, side_by_side
from bench.timing import call_ms, calls_ms, medians, timed, until_done
from emv import Graph, generators
from emv.graph.build import FIRST_COMPILED, WORTH_IMPORT

NUM_ARCS = 16_800_000
GRAPHS = {
    "rmat": (1 << 20, NUM_ARCS, True),
    "random": (1 << 20, NUM_ARCS, True),
    "undirected": (1 << 20, NUM_ARCS // 2, False),
}
EVERY = GRAPHS | {"random 100M": (1 << 22, 100_000_000, True), "small": (100_000, 1_500_000, True)}
MOST_S, MOST_MS = 1.5, 40.0  # of building on cores and on a GPU
MOST_PEAK = 2.0  # beyond the input, in what is kept
NAMES = ("out_first", "out_other", "edge_of_arc", "in_first", "in_other")
NAMES += ("arc_of_slot", "slot_of_arc")
Arrays = tuple[int, Any, Any, bool]  # the number of vertices, both ends, whether edges lead one way


def arrays_of(name: str) -> Arrays:
    """Draw a graph's ends."""
    num_vertices, num_edges, directed = EVERY[name]
    if name == "rmat":
        made = generators.rmat(num_vertices, num_edges, rng=1)
        src, dst = (np.array(each) for each in made.edges.endpoints())
    else:
        rng = np.random.default_rng(1)
        src, dst = rng.integers(0, num_vertices, (2, num_edges), np.int32)
    return num_vertices, src, dst, directed


def graph_of(arrays: Arrays) -> Graph:
    """Return the graph of ends on cores, of which nothing is built."""
    num_vertices, src, dst, directed = arrays
    return Graph.from_edges(src, dst, num_vertices=num_vertices, directed=directed)


def build(arrays: Arrays, names: tuple[str, ...] = NAMES) -> Graph:
    """Build index arrays, by default all."""
    graph = graph_of(arrays)
    for name in names:
        graph.layouts._array(name)
    return graph


def with_scipy(arrays: Arrays) -> tuple[Any, ...]:
    """Sort, add up repeats and transpose by scipy; what leads both ways is its own transpose."""
    num_vertices, src, dst, directed = arrays
    if not directed:
        src, dst = np.concatenate([src, dst]), np.concatenate([dst, src])
    ones, shape = np.ones(len(src), np.float32), (num_vertices, num_vertices)
    by_row = scipy.sparse.coo_array((ones, (src, dst)), shape=shape).tocsr()
    return (by_row, by_row.tocsc()) if directed else (by_row,)


def in_turn_with_scipy(name: str, rounds: int) -> Iterator[Row]:
    """Let emv and scipy take turns on one graph."""
    arrays = arrays_of(name)
    calls = {"emv build": lambda: build(arrays), "scipy": lambda: with_scipy(arrays)}
    for who, ms in medians(calls, rounds).items():
        missed = who == "emv build" and ms > 1000 * MOST_S
        yield {"graph": name, "what": who, "seconds": ms / 1000, "missed": missed}


def weigh(name: str) -> Row:
    """Build a graph once; return its seconds and the peak of memory beside what was given."""
    num_vertices, src, dst, directed = arrays = arrays_of(name)
    few = FIRST_COMPILED * WORTH_IMPORT
    build((num_vertices, src[:few], dst[:few], directed))  # loads the kernels
    with process_peak() as peak:
        ms = timed(lambda: build(arrays))[0]
    arcs = len(src) if directed else 2 * len(src)
    kept = 4 * (5 * arcs + (2 if directed else 1) * (num_vertices + 1))  # two rows, three ids
    return {"graph": name, "what": "memory", "seconds": ms / 1000, **weights(kept, peak.nbytes)}


def weights(kept: int, peak: int) -> Row:
    """Return the bytes that are kept and the most that there were, and if these are too many."""
    share = peak / kept
    return {"kept_bytes": kept, "peak_bytes": peak, "peak": share, "missed": share > MOST_PEAK}


def cores(graphs: tuple[str, ...] = tuple(GRAPHS), rounds: int = 5) -> Iterator[Row]:
    """Time and weigh building on cores, beside scipy; ``"random 100M"`` is a graph, too."""
    for name in graphs:
        yield from in_turn_with_scipy(name, rounds)
        (weighed,) = side_by_side([(weigh, name)], 1)  # in a process of its own
        yield weighed.result()


def wanted(built: Any) -> list[str]:
    """Return the names of the arrays to build on a GPU."""
    return [name for name in NAMES if name != "edge_of_arc" or not built.arcs_are_edges]


def build_on_gpu(ends: Arrays) -> Any:
    """Build everything of ends on the GPU; put on the stream, not waited for."""
    from emv.backends.cuda.index_arrays import DeviceIndexArrays, shape_of

    num_vertices, src, dst, directed = ends
    shape = shape_of(src, dst, num_vertices, directed)
    built = DeviceIndexArrays(src.device, shape, lambda: (src, dst))
    for name in wanted(built):
        built.array(name)
    return built


def measured(on: Any, ends: Arrays, rounds: int) -> Row:
    """Return how long building takes, and how much memory."""
    with pool_peak(on.pool) as peak:
        built = build_on_gpu(ends)
    kept, wait = sum(built.nbytes(each) for each in wanted(built)), until_done(on)
    ms = statistics.median(calls_ms(lambda: build_on_gpu(ends), wait, rounds))
    figures = {"arcs": built.num_arcs, "ms": ms, "written, GB/s": kept / ms / 1e6}
    return figures | weights(kept, peak.nbytes)


def differ(built: Any, arrays: Arrays) -> str:
    """Return which arrays are not those of the CPU, or nothing."""
    right = graph_of(arrays).layouts
    wrong = [
        name
        for name in wanted(built)
        if not np.array_equal(built.array(name).numpy(), right._array(name))
    ]
    return " ".join(wrong)


def measured_graph(on: Any, name: str, rounds: int) -> Row:
    """Return the row of a graph on a GPU."""
    from emv.backends.cuda.array import from_host

    num_vertices, src, dst, directed = arrays = arrays_of(name)
    wait, sent = until_done(on), list[Any]()
    with on.current():
        upload_ms = call_ms(lambda: sent.extend(from_host(on, each) for each in (src, dst)), wait)
        ends = num_vertices, sent[0], sent[1], directed
        first_ms = call_ms(lambda: build_on_gpu(ends), wait)
        row = {"graph": name, "what": "gpu build", **measured(on, ends, rounds)}
        fault = differ(build_on_gpu(ends), arrays)
    row |= {"upload, ms": upload_ms, "first, ms": first_ms}
    row["missed"] = row["missed"] or row["ms"] > MOST_MS
    return {**row, "fault": f"{fault} differ" * bool(fault)}


def gpu(graphs: tuple[str, ...] = tuple(GRAPHS), rounds: int = 5) -> Iterator[Row]:
    """Time and weigh building on a GPU, and compare with the CPU's arrays."""
    from emv.backends.cuda.device import device

    yield from (measured_graph(device(), name, rounds) for name in graphs)


STUDIES = (cores, gpu)

if __name__ == "__main__":
    raise SystemExit(run(*STUDIES))
