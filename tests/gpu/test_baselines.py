"""The hand-written kernels on a GPU against scipy."""

import importlib.util

import numpy as np
import pytest

from bench import libraries, peers
from bench.graphs import load

if importlib.util.find_spec("numba_cuda") is None:
    pytest.skip("needs numba-cuda", allow_module_level=True)

from numba import cuda

if not cuda.is_available():
    pytest.skip("needs a GPU", allow_module_level=True)

from tests.baselines import (
    bfs_harish,
    bfs_hybrid,
    bfs_merrill,
    bfs_virtual_warp,
    pagerank_pull,
    sssp_harish,
)
from tests.oracles import checks

GRAPHS = [load("rmat12"), load("kron12"), load("road60")]


@pytest.fixture(params=GRAPHS, ids=lambda graph: graph.name)
def graph(request):
    return request.param


def rows_of(graph):
    first, other, weight = graph.rows()
    return cuda.to_device(first.astype(np.uint32)), cuda.to_device(other.astype(np.uint32)), weight


def expected(graph, problem):
    return libraries.peer("scipy", graph).solver(problem, {})()()


SEARCHES = {
    "harish": bfs_harish.prepare,
    **{
        f"virtual_warp_{lanes}": lambda *rows, lanes=lanes: bfs_virtual_warp.prepare(*rows, lanes)
        for lanes in bfs_virtual_warp.LANES
    },
    **{
        f"merrill_{blocks}": lambda *rows, blocks=blocks: bfs_merrill.prepare(*rows, blocks)
        for blocks in bfs_merrill.BLOCKS_PER_MULTIPROCESSOR
    },
    **{
        f"hybrid_{blocks}": lambda *rows, blocks=blocks: bfs_hybrid.prepare(*rows, blocks)
        for blocks in bfs_merrill.BLOCKS_PER_MULTIPROCESSOR
    },
}


@pytest.mark.parametrize("search", list(SEARCHES.values()), ids=list(SEARCHES))
def test_bfs(graph, search):
    first, other, _ = rows_of(graph)
    run = search(first, other)
    for _ in range(3):
        assert (run(graph.source).copy_to_host() == expected(graph, "bfs")).all()


def test_sssp(graph):
    first, other, weight = rows_of(graph)
    run = sssp_harish.prepare(first, other, cuda.to_device(weight))
    for _ in range(2):
        assert (run(graph.source).copy_to_host() == expected(graph, "sssp")).all()


@pytest.mark.parametrize("blocks", pagerank_pull.BLOCKS_PER_MULTIPROCESSOR)
@pytest.mark.parametrize("lanes", pagerank_pull.LANES)
def test_pagerank(graph, lanes, blocks):
    src, dst, _ = graph.arcs()
    order = np.lexsort((src, dst))
    first = np.zeros(graph.num_vertices + 1, np.uint32)
    np.cumsum(np.bincount(dst, minlength=graph.num_vertices), out=first[1:])
    rows = cuda.to_device(first), cuda.to_device(src[order].astype(np.uint32))
    degree = np.bincount(src, minlength=graph.num_vertices).astype(np.int32)
    run = pagerank_pull.prepare(*rows, cuda.to_device(degree), lanes, blocks)
    ranks = expected(graph, "pagerank")
    for _ in range(2):
        rank = run(peers.NUM_ITERATIONS).copy_to_host()
        assert checks.rank_fault(np, ranks, rank) == ""
