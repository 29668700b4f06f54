"""`sssp` gives networkx's distances on every backend, and its check knows wrong ones."""

import pickle
import warnings

import networkx as nx
import numpy as np
import pytest
from algorithm_cases import REAL_CASES, busiest_vertex, by_vertex, networkx_of, real_graph
from backends_available import BACKENDS
from hypothesis import given
from hypothesis import strategies as st
from strategies import graphs

from emv import Graph
from emv.algorithms import NegativeCycleError, WrongResultError, bfs, check_sssp, sssp
from emv.errors import ArgumentError, ColumnError, NotFiniteWarning

over_backends = pytest.mark.parametrize("backend", BACKENDS)


NOWHERE = 2**63 - 1


def exact_distances(graph, lengths):
    """The distances from vertex 0 in Python's own numbers, which neither round nor wrap."""
    oracle = nx.MultiDiGraph()
    oracle.add_nodes_from(range(graph.num_vertices))
    src, dst = (ends.tolist() for ends in graph.edges.endpoints())
    oracle.add_weighted_edges_from(zip(src, dst, lengths, strict=True))
    return nx.single_source_bellman_ford_path_length(oracle, 0)


def distances(graph, source, column):
    lengths = nx.single_source_dijkstra_path_length(networkx_of(graph, column), source)
    return by_vertex(lengths, graph.num_vertices, np.inf)


@over_backends
@given(data=st.data(), graph=graphs(min_vertices=1, weighted=True))
def test_distances_are_networkxs(backend, data, graph):
    source = data.draw(st.integers(0, graph.num_vertices - 1))
    found = sssp(graph, source, backend=backend)
    assert found.dtype == np.float64
    assert found.tolist() == distances(graph, source, "weight").tolist()
    check_sssp(graph, found, source)


@pytest.mark.parametrize(("backend", "name"), REAL_CASES)
def test_distances_in_real_graphs(backend, name):
    graph = real_graph(name)
    source = busiest_vertex(graph)
    found = sssp(graph, source, weight="cost", backend=backend)
    assert found.tolist() == distances(graph, source, "cost").tolist()
    check_sssp(graph, found, source, "cost")


@over_backends
def test_lengths_that_round_are_near_networkxs(backend):
    graph = real_graph("football")
    lengths = np.random.default_rng(3).random(graph.num_edges)
    found = sssp(graph, 0, weight=lengths, backend=backend)
    oracle = networkx_of(graph)
    for (_, _, fields), length in zip(oracle.edges(data=True), lengths, strict=True):
        fields["weight"] = length
    expected = nx.single_source_dijkstra_path_length(oracle, 0)
    np.testing.assert_allclose(found, by_vertex(expected, graph.num_vertices, np.inf), rtol=1e-6)
    check_sssp(graph, found, 0, lengths)


@over_backends
@given(data=st.data(), graph=graphs(min_vertices=1))
def test_edges_without_weight_are_1_long(backend, data, graph):
    source = data.draw(st.integers(0, graph.num_vertices - 1))
    found, depth = sssp(graph, source, backend=backend), bfs(graph, source, backend=backend)
    assert found.tolist() == [float(each) if each >= 0 else np.inf for each in depth]
    check_sssp(graph, found, source)


@over_backends
def test_weight_is_a_column_a_number_or_an_array(backend):
    graph = Graph.from_edges([0, 1], [1, 2], weight=[4.0, 5.0], toll=[7, 8])
    for weight, expected in {"toll": [0, 7, 15], 2: [0, 2, 4], (1.0, 0.5): [0, 1, 1.5]}.items():
        given_weight = np.array(weight) if isinstance(weight, tuple) else weight
        assert sssp(graph, 0, weight=given_weight, backend=backend).tolist() == expected


@over_backends
def test_column_that_is_not_there_is_refused(backend):
    with pytest.raises(
        ColumnError, match="the column 'lenght', which the graph's edges lack"
    ) as caught:
        sssp(Graph.from_edges([0], [1], length=[1.0]), 0, weight="lenght", backend=backend)
    assert "Did you mean 'length'" in str(caught.value)


@over_backends
def test_source_that_is_no_vertex_is_refused(backend):
    with pytest.raises(ArgumentError, match="there is no vertex 2"):
        sssp(Graph.from_edges([0], [1]), 2, backend=backend)


@over_backends
@given(data=st.data(), graph=graphs(min_vertices=1, directed=True), is_whole=st.booleans())
def test_negative_lengths_are_right_unless_a_cycle_is_negative(backend, data, graph, is_whole):
    kinds = [-1, 2**40, 2**40 + 1, 3] if is_whole else [-1.0, -0.5, 1.0, 2.0]
    count = graph.num_edges
    lengths = data.draw(st.lists(st.sampled_from(kinds), min_size=count, max_size=count))
    graph.edges.weight = np.array(lengths, np.int64 if is_whole else np.float32)
    try:
        wanted = exact_distances(graph, lengths)
    except nx.NetworkXUnbounded:
        with pytest.raises(NegativeCycleError) as caught:
            sssp(graph, 0, backend=backend)
        demand_negative_cycle(graph, lengths, caught.value.edge)
        return
    run = sssp.run(graph, 0, backend=backend)
    assert run.stopped == "converged"
    nowhere = NOWHERE if is_whole else np.inf
    assert run.result.tolist() == [wanted.get(v, nowhere) for v in range(graph.num_vertices)]
    check_sssp(graph, run.result, 0)


def demand_negative_cycle(graph, lengths, edge):
    """The edge is on a cycle of negative length: a shortest simple way back makes one with it."""
    src, dst = (ends.tolist() for ends in graph.edges.endpoints())
    oracle = nx.DiGraph()
    for u, v, length in zip(src, dst, lengths, strict=True):
        if u != v and length < oracle.get_edge_data(u, v, {"weight": np.inf})["weight"]:
            oracle.add_edge(u, v, weight=length)
    u, v = src[edge], dst[edge]
    ways = nx.all_simple_paths(oracle, v, u) if u != v else [[u]]
    back = min(nx.path_weight(oracle, way, "weight") for way in ways)
    assert lengths[edge] + back < 0


@over_backends
def test_a_negative_cycle_is_named(backend):
    lengths = [1, -2, 1, 0, 5]
    graph = Graph.from_edges([0, 1, 2, 3, 1], [1, 2, 3, 1, 4], weight=lengths)
    said = r"sssp\(\): a cycle of length -1 can be reached; edge [123] \("
    with pytest.raises(NegativeCycleError, match=said) as caught:
        sssp(graph, 0, backend=backend)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.edge) == (str(caught.value), caught.value.edge)
    assert sssp(graph, 4, backend=backend).tolist() == [NOWHERE] * 4 + [0]  # not reached
    with pytest.raises(NegativeCycleError):
        sssp.batch(graph, [4, 3], backend=backend)


@over_backends
@pytest.mark.parametrize("length", [-1, -1.0, -np.inf])
def test_undirected_edge_below_0_is_a_negative_cycle(backend, length):
    graph = Graph.from_edges([0], [1], directed=False, weight=[length])
    if length == -np.inf:
        assert sssp(graph, 0, backend=backend).tolist() == [-np.inf, -np.inf]
        return
    with pytest.raises(NegativeCycleError, match=r"edge 0 \((0 -> 1|1 -> 0)\)"):
        sssp(graph, 0, backend=backend)


def test_a_long_negative_cycle_is_found_early():
    count = 200_000
    lengths = np.ones(count)
    lengths[-1] = -count
    ring = Graph.from_edges(range(count), [*range(1, count), 0], weight=lengths)
    with pytest.raises(NegativeCycleError, match=r"length -1\.0"):
        sssp(ring, 0)
    grid = nx.to_scipy_sparse_array(nx.grid_2d_graph(150, 150), format="coo")
    lengths = np.random.default_rng(2).random(grid.nnz)
    lengths[7] = -5.0
    reached = []
    with pytest.raises(NegativeCycleError):
        sssp.run(
            Graph.from_edges(*grid.coords, weight=lengths),
            0,
            callback=lambda supersteps, _info: reached.append(supersteps),
        )
    assert reached == []  # found before the run, whose supersteps would be as many as vertices


def test_cycles_of_length_0_whose_sums_round_are_not_called_negative():
    """In single precision a turn may fall a little, as often as there are supersteps."""
    draw, refused = np.random.default_rng(1), []
    for _ in range(100):
        lengths = draw.random(6).astype(np.float32)
        lengths[3:] = -lengths[:3]
        draw.shuffle(lengths)
        graph = Graph.from_edges(range(6), [1, 2, 3, 4, 5, 0], weight=lengths)
        found = sssp(graph, 0, precision="double", backend="python")
        wanted = np.append(0, np.cumsum(lengths[:-1].astype(float)))
        assert found.tolist() == wanted.tolist()
        try:
            found = sssp(graph, 0, backend="python")
        except NegativeCycleError as error:
            refused.append(error.what)
        else:
            np.testing.assert_allclose(found, wanted, atol=1e-6)
    said = "sssp(): rounded sums of lengths fall without end along a cycle; edge"
    assert {each[: len(said)] for each in refused} == {said}
    assert len(refused) < 30


@over_backends
def test_length_that_is_nan_is_never_taken(backend):
    graph = Graph.from_edges([0, 0, 1], [1, 2, 2], weight=[1.0, np.nan, 1.0])
    found = sssp(graph, 0, backend=backend)
    assert found.tolist() == [0.0, 1.0, 2.0]
    check_sssp(graph, found, 0)


@over_backends
@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u4", "i8", "u8", "?"])
def test_whole_lengths_are_added_as_whole_numbers(backend, dtype):
    draw = np.random.default_rng(11)
    lengths = draw.integers(0, 2 if dtype == "?" else 128, 60).astype(dtype)
    graph = Graph.from_edges(*draw.integers(0, 24, (2, 60)), num_vertices=25, weight=lengths)
    found = sssp(graph, 0, backend=backend)
    assert found.dtype == np.int64
    wanted = exact_distances(graph, lengths.astype(int).tolist())
    assert found.tolist() == by_vertex(wanted, 25, NOWHERE).astype(object).tolist()
    check_sssp(graph, found, 0)


@over_backends
@pytest.mark.parametrize("first", [2**24, 2**53, 2**60])
def test_long_whole_lengths_keep_every_digit(backend, first):
    count = 40
    lengths = [first] + [1] * (count - 1)
    graph = Graph.from_edges(range(count), range(1, count + 1), weight=lengths)
    found = sssp(graph, 0, backend=backend)
    assert found.tolist() == [0, *range(first, first + count)]
    check_sssp(graph, found, 0)
    with pytest.raises(WrongResultError):
        check_sssp(graph, sssp(graph, 0, precision="single", backend=backend), 0)


@over_backends
def test_long_lengths_of_double_precision_keep_their_digits(backend):
    graph = Graph.from_edges(range(100), range(1, 101), weight=np.full(100, 0.1))
    found = sssp(graph, 0, backend=backend)
    assert found.tolist() == [0.0, *np.cumsum(np.full(100, 0.1)).tolist()]
    check_sssp(graph, found, 0)
    narrow = sssp(graph, 0, precision="single", backend=backend)
    assert narrow.dtype == np.float32
    check_sssp(graph, narrow, 0, precision="single")
    with pytest.raises(WrongResultError):
        check_sssp(graph, narrow, 0)


@over_backends
def test_lengths_of_single_precision_stay_so(backend):
    graph = Graph.from_edges([0, 1], [1, 2], weight=np.array([2**24, 1], np.float32))
    found = sssp(graph, 0, backend=backend)
    assert found.dtype == np.float32
    assert found.tolist() == [0, 2**24, 2**24]
    check_sssp(graph, found, 0)
    wide = sssp(graph, 0, precision="double", backend=backend)
    assert wide.tolist() == [0, 2**24, 2**24 + 1]
    check_sssp(graph, wide, 0, precision="double")


@over_backends
def test_whole_lengths_that_may_overflow_are_refused(backend):
    graph = Graph.from_edges([0, 1], [1, 2], weight=[2**62, 2**62 - 2])
    assert sssp(graph, 0, backend=backend).tolist() == [0, 2**62, 2**63 - 2]
    graph.edges.weight = [2**62, 2**62 - 1]
    said = "lengths of up to 4611686018427387904 may add up to 9223372036854775807"
    with pytest.raises(ArgumentError, match=said):
        sssp(graph, 0, backend=backend)
    assert sssp(graph, 0, precision="double", backend=backend).tolist() == [0, 2**62, 2.0**63]
    graph.edges.weight = [-(2**62), 0]  # three supersteps might walk it thrice
    with pytest.raises(ArgumentError, match="may add up to"):
        sssp(graph, 0, backend=backend)


@over_backends
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_distances_beyond_floats_are_told(backend, dtype):
    most = float(np.finfo(dtype).max)
    graph = Graph.from_edges([0, 1, 0], [1, 2, 3], weight=np.array([most, most, np.inf], dtype))
    with pytest.warns(NotFiniteWarning, match="a path leads to vertex 2") as told:
        found = sssp(graph, 0, backend=backend)
    assert found.tolist() == [0, most, np.inf, np.inf]
    assert told[0].filename == __file__
    graph.edges.weight = np.array([most, 0, np.inf], dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sssp(graph, 0, backend=backend).tolist() == [0, most, most, np.inf]


def test_batches_are_as_wide_as_lengths():
    graph = Graph.from_edges([0, 1], [1, 2], weight=[2**53, 1])
    wanted = [[0, 2**53, 2**53 + 1], [NOWHERE, 0, 1]]
    for backend in BACKENDS:
        assert sssp.batch(graph, [0, 1], backend=backend).tolist() == wanted


TRIANGLE = Graph.from_edges(
    [0, 0, 1, 3, 4], [1, 2, 2, 4, 3], num_vertices=5, weight=[1.0, 5.0, 2.5, 0.0, 0.0]
)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([1, 1, 3.5, np.inf, np.inf], "source 0 has distance 1.0"),
        ([0, 1, 5, np.inf, np.inf], "arc 1 -> 2 shortens 5.0 to 3.5"),
        ([0, 1, 3, np.inf, np.inf], "no path to vertex 2 is 3.0 long"),
        ([0, 1, 3.5, 2, 2], "no path to vertex 3 is 2.0 long"),
        ([0, 1, np.inf, np.inf, np.inf], "arc 0 -> 2 shortens inf to 5.0"),
        ([0, 1, 3.5, np.inf], "shape"),
    ],
)
def test_check_finds_wrong_distances(wrong, message):
    check_sssp(TRIANGLE, np.array([0, 1, 3.5, np.inf, np.inf], np.float32), 0)
    with pytest.raises(WrongResultError, match=message):
        check_sssp(TRIANGLE, np.array(wrong, np.float32), 0)
