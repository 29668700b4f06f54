"""Run the hand-written kernels in numba's CUDA simulator; a process of its own, see the test."""

from __future__ import annotations

import sys
import threading
import time
from dataclasses import replace

import numpy as np
from numba import cuda
from numba.cuda.simulator import kernel

from bench import libraries
from bench.graphs import BenchGraph, edge_weights, from_edges, load
from emv.backends.simulated import warp as simulated_warp
from tests.baselines import (
    bfs_harish,
    bfs_hybrid,
    bfs_merrill,
    bfs_virtual_warp,
    matching,
    pagerank_pull,
    sssp_harish,
)
from tests.oracles import checks
from tests.oracles.checks import matching_fault

BY_VERTEX = ("harish", "sssp_harish", "matching")  # a thread for each, however long its row


def star_and_path() -> BenchGraph:
    """A hub of 300 arcs, one of 40, a path: rows for the block, the warp and the thread."""
    hub = np.column_stack([np.zeros(300, np.int32), np.arange(1, 301, dtype=np.int32)])
    side = np.column_stack([np.full(40, 7, np.int32), np.arange(290, 330, dtype=np.int32)])
    path = np.column_stack([np.arange(329, 331), np.arange(330, 332)]).astype(np.int32)
    src, dst = np.concatenate([hub, side, path]).T.copy()
    return BenchGraph("star", 340, src, dst, edge_weights(src, dst), True, 0)


def check(name: str, graph: BenchGraph) -> None:
    """Run one method on a graph, twice, and compare with scipy."""
    first, other, weight = graph.rows()
    rows = cuda.to_device(first.astype(np.uint32)), cuda.to_device(other.astype(np.uint32))
    known = libraries.peer("scipy", graph)
    modules = {
        "harish": bfs_harish,
        "virtual_warp": bfs_virtual_warp,
        "merrill": bfs_merrill,
        "hybrid": bfs_hybrid,
    }
    if name == "matching":
        check_matching(graph)
    elif name in modules:
        search, expected = modules[name].prepare(*rows), known.solver("bfs", {})()()
        for _ in range(2 if graph.num_vertices < 100 else 1):  # the star takes long
            assert (search(graph.source).copy_to_host() == expected).all(), name
    elif name == "sssp_harish":
        search = sssp_harish.prepare(*rows, cuda.to_device(weight))
        assert (search(graph.source).copy_to_host() == known.solver("sssp", {})()()).all()
    else:
        check_ranks(graph)


def check_matching(graph: BenchGraph) -> None:
    """Match the graph between its first and its second half, with other draws each time."""
    n, half = graph.num_vertices, graph.num_vertices // 2
    src, dst = np.minimum(graph.src, graph.dst), np.maximum(graph.src, graph.dst)
    across = (src < half) & (dst >= half)
    ends = src[across], dst[across]
    made = BenchGraph("halves", n, *ends, edge_weights(*ends), False, 0)
    arcs = from_edges(made, np)
    first, other = (cuda.to_device(each.astype(np.uint32)) for each in arcs.out_rows(np)[:2])
    match = matching.prepare(first, other, cuda.to_device((np.arange(n) >= half).astype(np.uint8)))
    for draw in range(2):
        mate = match(draw).copy_to_host()
        assert (mate >= 0).any()
        assert matching_fault(np, arcs, mate) == ""


def check_ranks(graph: BenchGraph) -> None:
    """Run two iterations on the graph turned round: the hub and its rows are in-rows."""
    first, other, _ = graph.rows()
    degree = np.bincount(graph.dst, minlength=graph.num_vertices).astype(np.int32)
    in_rows = [cuda.to_device(array.astype(np.uint32)) for array in (first, other)]
    turned = replace(graph, src=graph.dst, dst=graph.src)
    expected = checks.power_iteration(np, turned, 2)
    rank = pagerank_pull.prepare(*in_rows, cuda.to_device(degree), lanes=2)(2).copy_to_host()
    assert checks.rank_fault(np, expected, rank) == ""


class PatientThread(kernel.BlockThread):
    """A thread of a block that lets others run when it is asked whether it does.

    numba asks all threads in an endless loop, which would have Python's lock half of the time.
    """

    def is_alive(self) -> bool:
        if self.thread_id == 0:  # once in a round
            time.sleep(0)
        return threading.Thread.is_alive(self)


if __name__ == "__main__":
    simulated_warp.install()
    kernel.BlockThread = PatientThread
    pagerank_pull.HUB = 128  # so that the star has a hub and a row for a warp
    made = [load("rmat5")]
    if sys.argv[1] not in BY_VERTEX:  # the others have ways of their own for long rows
        made.append(star_and_path())
    for graph in made:
        check(sys.argv[1], graph)
