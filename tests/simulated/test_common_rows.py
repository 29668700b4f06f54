"""Common neighbours on a simulated GPU whose warps are whole, so that rows go into tables.

Where lanes ask who runs beside them, the simulator lets them wait for those of their warp that can
still come. Here all 32 come to that place in each round, since there are 32 edges for each.
"""

from __future__ import annotations

import numpy as np
import pytest
from simulated_gpu import SimulatedDriver, install

import emv
from emv import Edge, Graph, Vertex, edge, i32, i64, program
from emv.algorithms import num_triangles
from emv.algorithms.similarity import shared_by_pairs
from emv.graph import busy, hashed, shared_rows
from emv_kernels.cuda import search, short_rows


class Corner(Vertex):
    seen: i64 = 0


class Side(Edge[Corner]):
    length: i32
    shared: i32 = 0


@edge
def share(side: Side):
    found = 0
    for left, right in emv.common(side.src, side.dst):
        found += left.length * (side.dst.id + 2 * left.src.id)
        left.dst.seen += right.length * (left.dst.id + right.src.id)
        right.shared += 1
    return found


@program(bind={"length": Side.length})
def shared(g, length):
    found = emv.total(share(g.edges))
    return found, g.vertices.seen, g.edges.shared


class Walker(Vertex):
    met: i64 = 0


@edge
def meet(side: Edge[Walker]):
    found = 0
    for _left, _right in emv.common(side.src, side.dst):
        found += 1
    side.src.met += found


@program
def met(g):
    meet(g)
    return g.vertices.met


@edge
def meet_twice(side: Edge[Walker]):
    found, ids = 0, 0
    for _left, _right in emv.common(side.src, side.dst):
        found += 1
    for left, _right in emv.common(side.src, side.dst):
        ids += left.dst.id
    side.src.met += found * 1000 + ids


@program
def met_twice(g):
    meet_twice(g)
    return g.vertices.met


@edge
def count(side: Edge[Walker]):
    found = 0
    for _left, _right in emv.common(side.dst, side.src):
        found += 2
    return found


@program
def counted_beside(g):
    meet(g)
    return emv.total(count(g.edges)), g.vertices.met


@pytest.fixture(params=[8, shared_rows.LONG_ROW])
def whole(request, monkeypatch):
    """Make a GPU of one warp, all of whose lanes are side by side; rows are long, or none is."""
    for module in (search, shared_rows, busy):
        monkeypatch.setattr(module, "LONG_ROW", request.param)
    install(SimulatedDriver(multiprocessors=1, splits=0), monkeypatch)


def filled(src, dst, num_vertices: int, directed: bool) -> Graph:
    """Return a graph with a loop at the last vertex as often as the last warp is to be full."""
    missing = -len(src) % 32
    last = np.full(missing, num_vertices - 1)
    ends = np.append(src, last), np.append(dst, last)
    return Graph.from_edges(*ends, num_vertices=num_vertices, directed=directed)


def same(graph: Graph) -> None:
    length = np.arange(graph.num_edges) % 5
    found = shared(graph, length, backend="cuda")
    wanted = shared(graph, length, backend="python")
    assert found[0] == wanted[0] > 0
    np.testing.assert_array_equal(found[1], wanted[1])
    np.testing.assert_array_equal(found[2], wanted[2])


@pytest.mark.usefixtures("whole")
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize(("size", "count"), [(60, 300), (20, 250), (300, 120)])
def test_rows_in_tables(size, count, directed):
    src, dst = np.random.default_rng(count).integers(0, size, (2, count))
    src[: count // 3] %= 4  # some rows are long
    same(filled(src, dst, size, directed))


@pytest.mark.usefixtures("whole")
def test_rows_in_pieces():
    """The row of vertex 0 takes two tables; copies of one edge stand where they meet."""
    many = np.append(np.repeat(np.arange(1, 271), 2), [255, 256, 257])
    few = [(k, other) for k in range(1, 31) for other in (0, 7 * k % 50, 256, 2 * k + 190)]
    src = np.append(np.zeros(len(many), int), [k for k, _ in few])
    dst = np.append(many, [other for _, other in few])
    same(filled(src, dst, 300, True))


@pytest.mark.usefixtures("whole")
def test_more_entries_pass_than_are_listed_at_once():
    """All but two entries of every row are in every other one, and warps have 32 rows of 22."""
    src, dst = np.nonzero(~np.eye(23, dtype=bool))
    assert short_rows.LIST_ROOM < 32 * (22 - 1)
    same(filled(src, dst, 23, True))


@pytest.mark.usefixtures("whole")
def test_walks_over_arcs():
    """Arcs are not in the order of their longer rows: the table is for the first row."""
    src, dst = np.random.default_rng(2).integers(0, 20, (2, 256))
    graph = filled(src, dst, 20, True)
    found, wanted = (met(graph, backend=each) for each in ("cuda", "python"))
    np.testing.assert_array_equal(found, wanted)
    assert wanted.max() > 0


@pytest.mark.usefixtures("whole")
def test_a_row_begins_where_an_empty_one_does():
    """Every other vertex has no neighbours, and each lane compares a vertex with itself."""
    src, dst = 2 * np.random.default_rng(4).integers(0, 32, (2, 300)) + 1
    graph = Graph.from_edges(src, dst, num_vertices=64, directed=False)
    ids = np.arange(64)
    found = shared_by_pairs(graph, ids, ids, backend="cuda")
    wanted = shared_by_pairs(graph, ids, ids, backend="python")
    assert np.asarray(found).tolist() == wanted.tolist()
    assert wanted[0] == 0 < wanted[1]
    assert "busy" not in vars(graph.layouts)  # which only edges ask for that are walked by rows


def upward(size: int, draw: np.random.Generator) -> np.ndarray:
    """Return skewed edges, each from its end of lower degree to that of higher."""
    ends = (size * draw.random((2, 900)) ** 3).astype(int)
    ends = np.unique(np.sort(ends[:, ends[0] != ends[1]], axis=0), axis=1)
    degrees = np.bincount(ends.ravel(), minlength=size)
    low = np.lexsort((ends, degrees[ends]), axis=0)
    return np.take_along_axis(ends, low, axis=0)


@pytest.mark.parametrize("place", ["0,1/ranges/peer", "0,1/hash/host", "0,1,0/metis/peer"])
def test_parts_count_among_the_busy(monkeypatch, place):
    monkeypatch.setattr(busy, "MOST", 20)
    monkeypatch.setattr(busy, "LONG_ROW", 8)
    for k in range(2):
        install(SimulatedDriver(ordinal=k, multiprocessors=1, splits=0), monkeypatch)
    graph = filled(*upward(100, np.random.default_rng(3)), 100, True)
    assert graph.layouts.busy.words == 1
    both = graph.prepared(symmetrise=True)
    wanted = met(graph, backend="python"), num_triangles(both, backend="python")
    found = met(graph.on(f"cuda:{place}")), num_triangles(both.on(f"cuda:{place}"))
    np.testing.assert_array_equal(found[0], wanted[0])
    assert found[1] == wanted[1] > 0


@pytest.mark.usefixtures("whole")
@pytest.mark.parametrize("most", [8, 30, 70])
def test_rounds_are_counted_among_the_busy(monkeypatch, most):
    """Edges lead to the end with more of them: some to busy vertices, whose neighbours all are."""
    monkeypatch.setattr(busy, "MOST", most)
    monkeypatch.setattr(busy, "LONG_ROW", 8)
    src, dst = upward(100, np.random.default_rng(most))
    graph = filled(np.append(src, src[:99]), np.append(dst, dst[:99]), 100, True)  # with repeats
    found, wanted = (met(graph, backend=each) for each in ("cuda", "python"))
    np.testing.assert_array_equal(found, wanted)
    known = graph.layouts.busy
    assert known.words == -(-most // 32)
    is_busy = known.place[dst] > 1
    assert np.any(known.place[dst[is_busy]] & 1)
    assert most == 70 or not np.all(is_busy)
    assert np.any(wanted > 0)


@pytest.mark.parametrize("size", [40, 100, 3000])
def test_rounds_are_counted_by_hashes(monkeypatch, size):
    """Rows are short; some are empty, some begin before a warp's edges and end behind them."""
    install(SimulatedDriver(multiprocessors=1, splits=0), monkeypatch)
    draw = np.random.default_rng(size)
    src, dst = draw.integers(0, min(size, 100), (2, 320))
    src[:60], dst[:20] = 7, draw.integers(0, 10, 20)  # with repeats
    counted(Graph.from_edges(np.sort(src), dst, num_vertices=size))


def test_hashes_pass_in_most_words(monkeypatch):
    """All but one neighbour of each vertex are those of every other one."""
    install(SimulatedDriver(multiprocessors=1, splits=0), monkeypatch)
    counted(Graph.from_edges(*np.nonzero(~np.eye(49, dtype=bool)), num_vertices=49))


def test_neighbours_of_one_hash_are_told_apart(monkeypatch):
    """Vertex 0 leads to some, the others to whom has the same hash, and to few of them."""
    install(SimulatedDriver(multiprocessors=1, splits=0), monkeypatch)
    codes = (np.arange(2**18, dtype=np.uint32) * hashed.GOLDEN) >> 16
    values, counts = np.unique(codes, return_counts=True)
    of_one = np.array([np.flatnonzero(codes == e)[:4] for e in values[counts >= 4][:5]]).ravel()
    src = np.repeat([0, 1, 2], [10, 12, 10])
    dst = np.concatenate([of_one[::2], of_one[:12], [1, 2], of_one[12:]])
    counted(Graph.from_edges(src, dst, num_vertices=2**18))


def test_other_loops_use_the_same_tables(monkeypatch):
    """Another loop in the body, and another function of edges behind it."""
    install(SimulatedDriver(multiprocessors=1, splits=0), monkeypatch)
    src, dst = np.random.default_rng(5).integers(0, 60, (2, 960))
    graph = Graph.from_edges(np.sort(src), dst, num_vertices=60)
    counted(graph)
    found, wanted = (met_twice(graph, backend=each) for each in ("cuda", "python"))
    np.testing.assert_array_equal(found, wanted)
    found, wanted = (counted_beside(graph, backend=each) for each in ("cuda", "python"))
    assert found[0] == wanted[0] > 0
    np.testing.assert_array_equal(found[1], wanted[1])


@pytest.mark.parametrize("place", ["0,1/ranges/peer", "0,1,0/hash/host"])
def test_parts_count_by_hashes(monkeypatch, place):
    for k in range(2):
        install(SimulatedDriver(ordinal=k, multiprocessors=1, splits=0), monkeypatch)
    src, dst = np.random.default_rng(6).integers(0, 100, (2, 640))
    graph = Graph.from_edges(np.sort(src), dst, num_vertices=100)
    both = graph.prepared(symmetrise=True)
    wanted = met(graph, backend="python"), num_triangles(both, backend="python")
    found = met(graph.on(f"cuda:{place}")), num_triangles(both.on(f"cuda:{place}"))
    np.testing.assert_array_equal(found[0], wanted[0])
    assert found[1] == wanted[1] > 0


def counted(graph: Graph) -> None:
    """Count by hashes, and compare with Python."""
    assert len(graph.layouts.hashed.rows) == hashed.num_words(graph.num_vertices, graph.num_arcs)
    found, wanted = (met(graph, backend=each) for each in ("cuda", "python"))
    np.testing.assert_array_equal(found, wanted)
    assert np.any(wanted > 0)
