"""Time the building of index arrays on a GPU, and compare them with the CPU's, bit for bit.

The ends lie on the GPU already; copying them there is a row of its own. A build makes CSR, CSC and
the ids between them; its phases are timed in builds of their own, which wait after each. See
`bench.build`; graphs too large for the CPU are built by `tests.stress.large_builds`.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from bench.build_inputs import GRAPHS, LIMITS, PHASES, arrays_of

LIMITS_GPU = {"build_ms": 40.0, "peak": 2.0}  # of NUM_ARCS; in what is kept
NAMES = [name for names in PHASES.values() for name in names]


def describe(machine: dict[str, Any]) -> dict[str, Any]:
    """Return the machine with its GPU."""
    from emv.backends.cuda.device import device

    on = device()
    machine["gpu"] = on.driver.name
    machine["multiprocessors"] = on.driver.num_multiprocessors
    machine["gpu_memory_bytes"] = on.driver.memory()[1]
    return machine


def builder(src: Any, dst: Any, num_vertices: int, directed: bool) -> Any:
    """Return what builds the index arrays of ends on the GPU."""
    from emv.backends.cuda.index_arrays import DeviceIndexArrays, shape_of

    shape = shape_of(src, dst, num_vertices, directed)
    return DeviceIndexArrays(src.device, shape, lambda: (src, dst))


def wanted(built: Any) -> list[str]:
    """Return the names of the arrays to build."""
    return [name for name in NAMES if name != "edge_of_arc" or not built.arcs_are_edges]


def timed(on: Any, call: Callable[[], Any]) -> tuple[float, Any]:
    """Return the milliseconds of a call until the GPU is done, and what it returns."""
    on.driver.synchronize(on.stream)
    start = time.perf_counter()
    made = call()
    on.driver.synchronize(on.stream)
    return 1000 * (time.perf_counter() - start), made


def build(ends: tuple[Any, Any, int, bool]) -> Any:
    """Build everything; put on the stream, not waited for."""
    built = builder(*ends)
    for name in wanted(built):
        built.array(name)
    return built


def phases(ends: tuple[Any, Any, int, bool]) -> dict[str, float]:
    """Return the milliseconds of each phase, waited for one by one."""
    on = ends[0].device
    taken = {}
    taken["survey"], built = timed(on, lambda: builder(*ends))
    taken["sort arcs"], _ = timed(on, lambda: built.array("out_other"))
    taken["sort slots"], _ = timed(on, lambda: built.array("arc_of_slot"))
    taken["senders"], _ = timed(on, lambda: built.array("in_other"))
    taken["reverse ids"], _ = timed(on, lambda: built.array("slot_of_arc"))
    return taken


def orders(built: Any) -> Any:
    """Build the orders in which programs pull and gather."""
    from emv.backends.cuda.orders import DeviceOrders

    made = DeviceOrders(built)
    for name in ("pull_order", "pull_bins", "pull_piece_begin", "gather_first", "gather_slot"):
        made.array(name)
    return made


def median_ms(on: Any, call: Callable[[], Any], rounds: int) -> tuple[float, list[float]]:
    """Return the median of some rounds, and all."""
    all_ms = [timed(on, call)[0] for _ in range(rounds)]
    return statistics.median(all_ms), all_ms


def measure_graph(name: str, rounds: int) -> dict[str, Any]:
    """Measure one graph of `bench.build`; return its row."""
    from emv.backends.cuda.array import from_host
    from emv.backends.cuda.device import device

    on, arrays = device(), arrays_of(name)
    num_vertices, src, dst, directed = arrays
    with on.current():
        upload_ms, uploaded = timed(on, lambda: (from_host(on, src), from_host(on, dst)))
        ends = (*uploaded, num_vertices, directed)
        first = {"first_ms": timed(on, lambda: build(ends))[0]}
        row = {"graph": name, "what": "gpu build", **measure_ends(on, ends, rounds)}
        parts = [phases(ends) for _ in range(rounds)]
        built = build(ends)
        orders_ms = median_ms(on, lambda: orders(built), rounds)[0]
        fault = differ(built, arrays)
    medians = {part: statistics.median(each[part] for each in parts) for part in parts[0]}
    times = {"parts_ms": medians, "orders_ms": orders_ms, "upload_ms": upload_ms}
    return row | first | times | {"fault": fault}


def measure_ends(on: Any, ends: tuple[Any, Any, int, bool], rounds: int) -> dict[str, Any]:
    """Return how long building takes, and how much memory."""
    peak, (arcs, kept) = peak_bytes(on, lambda: build(ends))
    ms, all_ms = median_ms(on, lambda: build(ends), rounds)
    return {
        "arcs": arcs,
        "ms": ms,
        "all_ms": all_ms,
        "kept_bytes": kept,
        "peak_bytes": peak,
        "written_gb_per_s": kept / ms / 1e6,
    }


def peak_bytes(on: Any, call: Callable[[], Any]) -> tuple[int, tuple[int, int]]:
    """Return the most bytes that a build holds at one time, its arcs, and the bytes of its arrays.

    What is held before does not count.
    """
    take, before, most = on.pool.take, on.pool.used_bytes, [0]

    def note(nbytes: int) -> Any:
        memory = take(nbytes)
        most.append(on.pool.used_bytes - before)
        return memory

    on.pool.take = note
    try:
        built = call()
    finally:
        del on.pool.take
    return max(most), (built.num_arcs, sum(built.nbytes(each) for each in wanted(built)))


def differ(built: Any, arrays: tuple[int, Any, Any, bool]) -> str:
    """Return which arrays are not those of the CPU, or nothing."""
    from emv import Graph

    num_vertices, src, dst, directed = arrays
    graph = Graph.from_edges(src, dst, num_vertices=num_vertices, directed=directed)
    wrong = [
        name
        for name in wanted(built)
        if not np.array_equal(built.array(name).numpy(), graph.layouts._array(name))
    ]
    return " ".join(wrong)


def missed(row: dict[str, Any]) -> bool:
    """Return whether a row is wrong or above a limit."""
    too_slow = row["graph"] in GRAPHS and row["ms"] > LIMITS_GPU["build_ms"]
    too_large = row["peak_bytes"] > LIMITS["peak"] * row["kept_bytes"]
    return bool(row["fault"] or too_slow or too_large)


def line(row: dict[str, Any]) -> str:
    """Return the line of the table for a row."""
    parts = "  ".join(f"{name} {ms:.2f}" for name, ms in row.get("parts_ms", {}).items())
    more = "".join(
        f"  {name.removesuffix('_ms')} {row[name]:.1f}"
        for name in ("orders_ms", "upload_ms", "first_ms")
        if name in row
    )
    share, right = row["peak_bytes"] / row["kept_bytes"], row["fault"] or "right"
    return f"{row['graph']:<12}{row['ms']:9.2f} ms  {parts}{more}  peak {share:.2f}  {right}"


def measure(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure what was asked for."""
    rows = []
    for name in options.graphs:
        rows.append(measure_graph(name, options.rounds))
        print(line(rows[-1]), flush=True)
    return rows
