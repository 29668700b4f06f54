"""`emv.common(u, v)`: the arcs from two vertices to each neighbour that they share."""

from collections import defaultdict

import numpy as np
import pytest
from backends_available import BACKENDS
from hypothesis import given, settings
from strategies import graphs

import emv
from emv import Edge, EdgeList, Graph, Vertex, edge, elist, i8, i32, i64, program, vertex
from emv.errors import LanguageError, OwnershipError, TypeMismatchError
from emv_kernels.sizes import ROOM


class Corner(Vertex):
    seen: i64 = 0


class Side(Edge[Corner]):
    length: i32
    shared: i32 = 0


@edge
def share(side: Side):
    found = 0
    for left, right in emv.common(side.src, side.dst):
        found += left.length
        left.dst.seen += right.length * (left.dst.id + 1)
        right.shared += 1
    return found


@program(bind={"length": Side.length})
def shared(g, length):
    found = emv.total(share(g.edges))
    return found, g.vertices.seen, g.edges.shared


def plain(graph, length):
    """Say in plain Python what `shared` computes."""
    first = {}
    src, dst = graph.arcs()
    edges = graph.layouts.edge_of_arc
    for arc in range(graph.num_arcs):
        edge_id = arc if edges is None else edges[arc]
        first.setdefault((src[arc], dst[arc]), int(edge_id))
    found, seen, hit = 0, [0] * graph.num_vertices, [0] * graph.num_edges
    for u, v in zip(*graph.edges.endpoints(), strict=True):
        for w in range(graph.num_vertices):
            if (u, w) in first and (v, w) in first:
                found += length[first[u, w]]
                seen[w] += length[first[v, w]] * (w + 1)
                hit[first[v, w]] += 1
    return found, seen, hit


@pytest.mark.parametrize("backend", BACKENDS)
@settings(max_examples=60)
@given(graph=graphs())
def test_arcs_to_shared_neighbours(backend, graph):
    length = np.arange(graph.num_edges) % 5
    found, seen, hit = shared(graph, length, backend=backend)
    assert (found, list(seen), list(hit)) == plain(graph, length)


@edge
def share_alone(side: Side):
    found = 0
    for left, right in emv.common(side.src, side.dst):
        if right.dst.id % 3 == 1:
            continue
        left.dst.seen += 1
        found += left.dst.id
        if found > 40:
            break
    return found


@program
def shared_alone(g):
    return emv.total(share_alone(g.edges)), g.vertices.seen


def plain_alone(graph):
    """Say in plain Python what `shared_alone` computes, from the sets of neighbours."""
    near = defaultdict(set)
    for u, v in zip(*graph.arcs(), strict=True):
        near[u].add(v)
    found, seen = 0, np.zeros(graph.num_vertices, np.int64)
    for u, v in zip(*graph.edges.endpoints(), strict=True):
        total = 0
        for w in sorted(near[u] & near[v]):
            if total <= 40 and w % 3 != 1:
                seen[w] += 1
                total += int(w)
        found += total
    return found, seen


@pytest.mark.parametrize("backend", BACKENDS)
@settings(max_examples=60)
@given(graph=graphs())
def test_shared_neighbours_without_their_arcs(backend, graph):
    found, seen = shared_alone(graph, backend=backend)
    wanted = plain_alone(graph)
    assert found == wanted[0]
    assert np.array_equal(seen, wanted[1])


@pytest.mark.parametrize("apart", [1, 50_000])
def test_shared_neighbours_of_edges_in_any_order(backend, apart):
    """On cores threads mark one row and ask of another, unless ids are many: then they merge."""
    count = 20_000 if backend in ("cpu", "cuda") else 2_000  # by hand, in Python
    src, dst = np.random.default_rng(7).integers(0, 90, (2, count)) * apart
    graph = Graph.from_edges(src, dst, num_vertices=90 * apart)
    found, seen = shared_alone(graph, backend=backend)
    wanted = plain_alone(graph)
    assert found == wanted[0] > 0
    assert np.array_equal(seen, wanted[1])


class Node(Vertex):
    links: i64 = 0


@elist
def count_closed(v: Node, links: EdgeList[Edge[Node]]):
    for link in links:
        for left, _right in emv.common(v, link.dst):
            if left.dst.id == v.id:
                continue
            v.links += 1
            if v.links > 20:
                break


@program
def closed(g):
    count_closed(g)
    return g.vertices.links


@vertex
def count_with_next(v: Node):
    if v.id % 2 == 0:
        for left, right in emv.common(v, Node.at(v.id + 1)):
            v.links += left.src.id + right.src.id + right.dst.id


@program
def paired(g):
    count_with_next(g)
    return g.vertices.links


def test_lists_and_far_vertices(backend):
    graph = Graph.from_edges(*np.random.default_rng(3).integers(0, 12, (2, 60)), num_vertices=12)
    for each in (closed, paired):
        assert list(each(graph, backend=backend)) == list(each(graph, backend="python"))
    assert closed(graph, backend="python").max() > 0
    assert paired(graph, backend="python").max() > 0


@edge
def nested(side: Side):
    found = 0
    for left, _right in emv.common(side.src, side.dst):
        for _a, _b in emv.common(side.src, left.dst):
            found += 1
    return found


@edge
def sending(side: Side):
    for _left, _right in emv.common(side.src, side.dst):
        side.send(1)


@edge
def of_numbers(side: Side):
    for _left, _right in emv.common(side.src.id, side.dst.id):
        side.shared = 1


@edge
def one_name(side: Side):
    for _left in emv.common(side.src, side.dst):
        side.shared = 1


@edge
def assigning(side: Side):
    for left, _right in emv.common(side.src, side.dst):
        left.shared = side.length


@pytest.mark.parametrize(
    ("function", "error", "words"),
    [
        (nested, LanguageError, "inside another one"),
        (sending, LanguageError, "messages cannot be sent"),
        (of_numbers, TypeMismatchError, "takes two vertices"),
        (one_name, LanguageError, "for left, right in"),
        (assigning, OwnershipError, "belongs to another element"),
    ],
)
def test_what_is_refused(function, error, words):
    with pytest.raises(error, match=words):
        _ = function.body


def test_long_rows(backend):
    """Rows of some entries are looked up by the lanes of a GPU together."""
    src, dst = np.random.default_rng(5).integers(0, 24, (2, 500))
    graph = Graph.from_edges(src, dst, num_vertices=24, directed=False)
    length = np.arange(graph.num_edges) % 5
    found, seen, hit = shared(graph, length, backend=backend)
    assert (found, list(seen), list(hit)) == plain(graph, length)


def test_rows_longer_than_a_table(backend):
    """On a GPU the row of vertex 0 is looked up in pieces; two of them meet in an edge's copies."""
    many = np.repeat(np.arange(1, 271), 2)
    many = np.append(many, [255, 256, 257])
    few = [(k, other) for k in range(1, 41) for other in (0, 7 * k % 50, 256, 2 * k + 190)]
    src = np.concatenate([np.zeros(len(many), int), [k for k, _ in few]])
    dst = np.concatenate([many, [other for _, other in few]])
    graph = Graph.from_edges(src, dst, num_vertices=300)
    length = np.arange(graph.num_edges) % 5
    found, seen, hit = shared(graph, length, backend=backend)
    assert (found, list(seen), list(hit)) == plain(graph, length)
    assert found > 0


class Weighed(Vertex):
    seen: i64 = 0
    small: i8 = 0


@edge
def share_by_two(side: Edge[Weighed]):
    for left, right in emv.common(side.src, side.dst):
        left.dst.seen += side.src.id + 1
        if right.dst.id % 2 == 0:
            right.dst.small += 1
    side.dst.seen += 1


@program
def shared_by_two(g):
    share_by_two(g.edges)
    return g.vertices.seen, g.vertices.small


def test_more_shared_neighbours_than_sums_are_kept_of(backend):
    """On cores a thread has room for so many sums of a row, and adds to the others at once."""
    size = ROOM + 500 if backend.startswith("cpu") else 300
    low, far = np.repeat([0, 1, 2], size), np.tile(np.arange(3, size + 3), 3)
    graph = Graph.from_edges([*low, 0, 1], [*far, 1, 2], num_vertices=size + 3)
    seen, small = shared_by_two(graph, backend=backend)
    assert list(seen[:3]) == [0, 1, 1]
    assert (seen[3:] == 3 + 1 + 2).all()  # once by each of its edges, and by those two
    assert (small == 2 * ((np.arange(size + 3) % 2 == 0) & (np.arange(size + 3) > 2))).all()
