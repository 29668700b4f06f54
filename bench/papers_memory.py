"""How fields and messages lie in memory: what the papers chose, beside what emv does.

S160, *records*: the fields of a vertex side by side (AoS) or each in a column (SoA), by the same
kernel by hand with other strides, for sums over in-neighbours and for a pass over all vertices.
S163, *passes*: the buffer that Mars and Medusa's array scheme need where nobody knows who sends how
much: count, prefix sum, write, and grouping by receiver (He et al., Mars, PACT 2008); beside emv's
``grouped`` and ``slots`` with the same messages. On cores kernels are one thread's.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import emv
from bench.ablation_programs import heard_by
from bench.graphs import directed_rmat
from bench.papers_setting import Setting
from bench.study import Row
from bench.timing import in_turn
from emv import Graph
from emv.config import config

FIELDS = 4  # of a vertex: rank, share of an arc, and two that nobody reads here
SCALES = {"cpu": 18, "cuda": 20}
TINY = 5
SENDS = 3


def pull(first, other, fields, step, column, total, v):
    """Sum rank times share over the in-neighbours of v; where fields lie, strides say."""
    found = np.float32(0.0)
    for k in range(first[v], first[v + 1]):
        at = other[k] * step
        found += fields[at] * fields[at + column]
    total[v] = found


def update(fields, step, column, total, v):
    """Take over the sum of v, and say what an arc's share is."""
    fields[v * step] = np.float32(0.15) + np.float32(0.85) * total[v]
    fields[v * step + 2 * column] = total[v]


def count(first, counts, v):
    """Say how many messages v will send."""
    counts[v] = first[v + 1] - first[v]


def write(first, other, value, place, who, sent, v):
    """Write the messages of v to where its part of the array begins."""
    at = place[v] - (first[v + 1] - first[v])
    for k in range(first[v], first[v + 1]):
        who[at] = other[k]
        sent[at] = value[v]
        at += 1


def read(begins, order, sent, total, v):
    """Sum the messages of v, which lie side by side in an order."""
    found = np.float32(0.0)
    for k in range(begins[v], begins[v + 1]):
        found += sent[order[k]]
    total[v] = found


def for_all(body: Callable[..., None], on_gpu: bool) -> Callable[..., None]:
    """Return what does something for every vertex: ``(n, *arrays and numbers)``."""
    if not on_gpu:
        from numba import njit

        one: Any = njit(body)

        @njit
        def loop(n: int, given: Any) -> None:
            for v in range(n):
                one(*given, v)

        return lambda n, *given: loop(n, given)
    from numba import cuda

    from bench.baselines.launch import THREADS, blocks_of

    inner: Any = cuda.jit(device=True)(body)

    @cuda.jit
    def kernel(n: int, given: Any) -> None:
        v = cuda.grid(1)
        if v < n:
            inner(*given, v)

    def launch(n: int, *given: Any) -> None:
        is_array = [hasattr(each, "__cuda_array_interface__") for each in given]
        pairs = zip(given, is_array, strict=True)
        arrays = tuple(cuda.as_cuda_array(each) if found else each for each, found in pairs)
        kernel[blocks_of(n), THREADS](n, arrays)

    launch.kernel = kernel  # type: ignore[attr-defined]  # for tests, which compile it
    return launch


def median_ms(setting: Setting, call: Callable[[], Any]) -> float:
    """Return the median milliseconds of a call after one that compiles."""
    if hasattr(setting.clock, "median_ms"):
        return float(setting.clock.median_ms(call, setting.rounds))
    return statistics.median(in_turn({"call": call}, min(setting.rounds, 5))["call"])


def made(setting: Setting) -> tuple[Any, Any, Graph]:
    """Return rows of arcs turned round, for pulls, rows of arcs, and emv's graph."""
    graph = directed_rmat(TINY if setting.tiny else SCALES[setting.target])
    turned = np.argsort(graph.dst, kind="stable")
    into = np.searchsorted(graph.dst[turned], np.arange(graph.num_vertices + 1))
    first, other = graph.rows()[:2]
    xp = setting.clock.cupy
    pulls = xp.asarray(into.astype(np.int64)), xp.asarray(graph.src[turned].astype(np.int64))
    pushes = xp.asarray(first.astype(np.int64)), xp.asarray(other.astype(np.int64))
    placed = Graph.from_edges(graph.src, graph.dst, num_vertices=graph.num_vertices)
    return pulls, pushes, placed.on(setting.device)


def records(setting: Setting) -> Iterator[Row]:
    """Compare fields side by side with columns."""
    (first, other), _, graph = made(setting)
    xp, n, is_gpu = setting.clock.cupy, graph.num_vertices, setting.on_gpu
    pulls, updates = for_all(pull, is_gpu), for_all(update, is_gpu)
    found, sums = {}, []
    for name, step, column in (("AoS", FIELDS, 1), ("SoA", 1, n)):
        fields, total = xp.ones(FIELDS * n, np.float32), xp.zeros(n, np.float32)
        found[f"{name} gather, ms"] = median_ms(
            setting,
            lambda f=fields, s=step, c=column, t=total: pulls(n, first, other, f, s, c, t),
        )
        sums.append(total.copy())
        found[f"{name} update, ms"] = median_ms(
            setting, lambda f=fields, s=step, c=column, t=total: updates(n, f, s, c, t)
        )
    yield {
        "row": "S160",
        "what": f"fields of {n:,} vertices, {graph.num_arcs:,} arcs, by hand",
        **found,
        "paper": "columns, so that neighbouring threads read neighbouring words",
        "fault": "" if bool((sums[0] == sums[1]).all()) else "sums differ",
    }


def passes(setting: Setting) -> Iterator[Row]:
    """Compare two passes with emv's buffers, a superstep each."""
    _, (first, other), graph = made(setting)
    xp, n, is_gpu = setting.clock.cupy, graph.num_vertices, setting.on_gpu
    counts, writes, reads = (for_all(each, is_gpu) for each in (count, write, read))
    number, total = xp.zeros(n, np.int64), xp.zeros(n, np.float32)
    degree = xp.maximum(first[1:] - first[:-1], 1)
    value = (1 / degree).astype(np.float32)
    who, sent = xp.zeros(len(other), np.int32), xp.zeros(len(other), np.float32)
    kept: dict[str, Any] = {}

    def group() -> None:
        kept["order"] = xp.argsort(who, kind="stable")
        kept["begins"] = xp.searchsorted(who[kept["order"]], xp.arange(n + 1))

    steps: dict[str, Callable[[], Any]] = {
        "count": lambda: counts(n, first, number),
        "prefix sum": lambda: kept.update(place=xp.cumsum(number)),
        "write": lambda: writes(n, first, other, value, kept["place"], who, sent),
        "group": group,
        "read": lambda: reads(n, kept["begins"], kept["order"], sent, total),
    }
    found = {f"{name}, ms": median_ms(setting, each) for name, each in steps.items()}
    found["two passes, ms"] = sum(found.values())
    everyone = np.arange(n)
    for word in ("grouped", "slots"):
        schedule = None if setting.device == "python" else emv.buffer(word)
        taken = [
            setting.seconds(heard_by, graph, everyone, SENDS, schedule=schedule) for _ in range(4)
        ]
        found[f"emv {word}, ms"] = 1000 * statistics.median(taken[1:]) / SENDS
    heard = np.asarray(heard_by(graph, everyone, 1))
    by_hand = total.get() if hasattr(total, "get") else total
    note = f"kernels by hand on {'the GPU' if is_gpu else 'one thread'}, emv's {config.num_threads}"
    yield {
        "row": "S163",
        "what": f"{len(other):,} messages to {n:,} vertices",
        **found,
        "paper": "a graph-aware buffer needs neither count nor grouping",
        "note": note,
        "fault": "" if np.allclose(heard, by_hand, rtol=1e-4) else "what was heard differs",
    }
