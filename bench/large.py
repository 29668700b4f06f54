"""A graph that no GPU holds as a whole: built on several, searched, ranked, and checked by itself.

Edges are Graph500's, drawn where they are needed and held nowhere (`emv.generators`, held=False). A
search is validated by Graph500's rules (version 3.0, section 8), and ranks by one more step, both
against the edges as they are drawn, block by block, not against the index arrays that programs ran
over. ``G arcs/s a GPU`` counts each direction of the edges that were reached, once.
"""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import numpy as np

try:
    import cupy
except ImportError:
    cupy = None

from bench.memory import pool_peak
from bench.study import Row
from bench.timing import timed
from emv import generators
from emv.algorithms import bfs, bfs_parents, pagerank
from emv.backends.cuda.device import DEVICES, device
from emv.device import device_named
from tests.oracles.drawn import UNSEEN, rank_fault, tree_faults

xp: Any = cupy or np  # makes graphs and validates, on a GPU where there is one
LOOKED_AT = 2**16  # first vertices, of which those with the most arcs are sources


def large(
    scale: int = 24,
    edge_factor: int = 16,
    gpus: tuple[str, ...] = ("cuda:0", "cuda:1"),
    sources: int = 3,
    iterations: int = 20,
    only: tuple[str, ...] = ("bfs", "pagerank"),
    held: bool = False,
) -> Iterator[Row]:
    """Build, search and rank a graph whose parts are made of edges that nobody holds.

    ``--gpus`` are those of the parts. With ``--held`` results are compared with those of the same
    edges held and divided by the host.
    """
    row = {"graph": f"kronecker{scale}"}
    graph = generators.kronecker(scale, edge_factor, held=False)
    ms, first = timed(lambda: graph.layouts.array("out_first"))
    degrees = np.diff(first[: LOOKED_AT + 1]).astype(np.int64)
    most = np.argsort(-degrees, kind="stable")[:sources]
    yield {**row, "what": "degrees", "arcs": graph.num_arcs, "s": ms / 1000}
    for name in only:
        told = STUDIES_OF[name](graph, list(gpus), most.tolist(), iterations, held)
        yield from (row | each for each in told)


def searched(
    graph: Any, gpus: list[str], sources: list[int], iterations: int, held: bool
) -> Iterator[Row]:
    """Search from some vertices, which are reached alike, and validate the tree of the last."""
    place = graph.on("cuda", gpus=gpus)
    yield from built(graph, gpus, "bfs", lambda: bfs.run(place, sources[0]))
    runs, reached, depth = {}, set[int](), None
    for source in sources:
        run = bfs.run(place, source)
        depth, runs[source] = np.asarray(run.result), (run.seconds, run.supersteps)
        reached.add(int(np.count_nonzero(depth != UNSEEN)))
    yield {"what": "searched", "reached": max(reached), "s": run.seconds}
    ms, run = timed(lambda: bfs_parents.run(place, sources[-1]))
    yield {"what": "tree", "s": run.seconds, "wall s": ms / 1000}
    parent, run = np.asarray(run.result), None
    check = functools.partial(tree_faults, *blocks_of(graph), parent, depth, sources[-1])
    ms, (fault, arcs) = timed(check)
    if held:
        fault = fault or differences(graph, gpus, lambda g: bfs(g, sources[-1]), depth)
    fault = fault or ("" if len(reached) == 1 else "some sources reach other vertices")
    yield {"what": "valid", "arcs": arcs, "s": ms / 1000, "fault": fault}
    for source, (seconds, supersteps) in runs.items():
        rate = arcs / seconds / len(set(gpus)) / 1e9
        told = {"source": source, "supersteps": supersteps, "s": seconds}
        yield {"what": "bfs", **told, "G arcs/s a GPU": rate}


def ranked(graph: Any, gpus: Any, sources: list[int], iterations: int, held: bool) -> Iterator[Row]:
    """Rank by so many iterations, and check that one more changes less."""
    place = graph.on("cuda", gpus=gpus)
    call = functools.partial(pagerank.run, place, max_iter=iterations, tol=0)
    yield from built(graph, gpus, "pagerank", call)
    run = call()
    rank, change, each = np.asarray(run.result), run.reached, run.seconds / iterations
    run, rate = None, graph.num_arcs / each / len(set(gpus)) / 1e9
    yield {"what": "pagerank", "s an iteration": each, "G arcs/s a GPU": rate}
    first = graph.layouts.array("out_first")
    ms, fault = timed(lambda: rank_fault(*blocks_of(graph), rank, first, change))
    if held:
        again = lambda g: pagerank(g, max_iter=iterations, tol=0)  # noqa: E731
        fault = fault or differences(graph, gpus, again, rank)
    yield {"what": "valid", "s": ms / 1000, "fault": fault}


STUDIES_OF = {"bfs": searched, "pagerank": ranked}


def built(graph: Any, gpus: list[str], name: str, first: Callable[[], Any]) -> Iterator[Row]:
    """Tell how long a first run takes, which builds, and what is held at most, and stays."""
    pools = {name: device(name).pool for name in gpus}
    before = {name: pool.used_bytes for name, pool in pools.items()}
    with ExitStack() as watched:
        peaks = {name: watched.enter_context(pool_peak(pool)) for name, pool in pools.items()}
        ms, run = timed(first)
    kept = {name: pool.used_bytes for name, pool in pools.items()}
    del run
    parts = sorted(graph.layouts.slices.items(), key=lambda item: item[0][2])  # in their order
    for gpu, (_, part) in zip(gpus, parts, strict=False):
        arcs, most = part.num_arcs, before[gpu] + peaks[gpu].nbytes
        told = {"GPU": gpu, "arcs": arcs, "GB at most": most / 1e9, "GB kept": kept[gpu] / 1e9}
        yield {"what": f"built {name}", **told, "most/kept": most / kept[gpu], "s": ms / 1000}


def differences(graph: Any, gpus: list[str], call: Callable[[Any], Any], found: Any) -> str:
    """Return what is other than on the same graph whose edges are held."""
    drawing = graph.layouts.ends.drawing
    ends = [each.numpy() for each in drawing.whole(device_named("cuda:0"))]
    whole = type(graph).from_edges(*ends, num_vertices=graph.num_vertices, directed=graph.directed)
    wanted = np.asarray(call(whole.on("cuda", gpus=gpus)))
    return "" if np.array_equal(found, wanted) else "another result than of edges that are held"


def blocks_of(graph: Any) -> tuple[Any, Iterator[tuple[Any, Any]]]:
    """Let go what GPUs have of a graph; return cupy, or numpy, and edges, some at a time."""
    drawing = graph.layouts.ends.drawing
    graph._store.drop_layouts()
    gc.collect()
    for each in list(DEVICES.values()):
        with each.current():
            each.pool.free_all()
    blocks = drawing.blocks(device_named("cuda:0"))
    return xp, ((xp.asarray(src), xp.asarray(dst)) for src, dst in blocks)
