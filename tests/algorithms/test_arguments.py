"""Arguments that mean nothing are refused before a run, whose loops might not end with them."""

import networkx as nx
import numpy as np
import pytest
from backends_available import BACKENDS

from emv import Graph, batch
from emv.algorithms import (
    betweenness_centrality,
    closeness_centrality,
    diameter_bounds,
    edge_betweenness_centrality,
    ego_graph,
    eigenvector_centrality,
    harmonic_centrality,
    hits,
    icm,
    influence_maximization,
    jaccard,
    k_core,
    k_hop,
    k_truss,
    katz_centrality,
    label_propagation,
    louvain,
    ltm,
    pagerank,
    random_walks,
    sample_neighbors,
)
from emv.errors import ArgumentError, ColumnError, TypeMismatchError

WRONG = (ArgumentError, TypeMismatchError)
RING = Graph.from_edges([0, 1, 2], [1, 2, 0], cost=[1.0, -1.0, 1.0], free=[0, 1, 1])
PATH = Graph.from_edges([0, 1, 2], [1, 2, 3], directed=False)
SEARCHES = [
    betweenness_centrality,
    edge_betweenness_centrality,
    closeness_centrality,
    harmonic_centrality,
]


def by_length(search, length, **named):
    """Return the scores of a search by length in the ring."""
    name = "weight" if "betweenness" in search.name else "distance"
    return search(RING, **{name: length}, **named)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("length", [-1, -0.5, [1, 1, -1], np.array([1, -1, 1]), "cost"])
@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: search.name)
def test_searches_refuse_lengths_below_0_with_which_they_would_not_end(search, length, backend):
    with pytest.raises(ArgumentError, match="has a length"):
        by_length(search, length, backend=backend)


@pytest.mark.parametrize("length", [0, [1, 1, 0], "free"])
@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: search.name)
def test_only_searches_that_count_paths_refuse_lengths_of_0(search, length):
    if "betweenness" in search.name:
        with pytest.raises(ArgumentError, match="has a length of 0 or less\nLengths are above 0"):
            by_length(search, length, precision="double")
    else:
        assert by_length(search, length).shape == (3,)


class ComparingArray:
    """An array that a GPU library would have: it compares and sums, and becomes no NumPy array."""

    __cuda_array_interface__ = None

    def __init__(self, values):
        self.values = np.asarray(values)

    def __lt__(self, other):
        return self.values < other

    def sum(self):
        return self.values.sum()

    def __array__(self, *_args, **_named):
        raise TypeError("copied to the host")


def test_lengths_on_a_gpu_are_compared_where_they_lie():
    with pytest.raises(ArgumentError, match="has a length below 0"):
        closeness_centrality(RING, ComparingArray([1.0, -1.0, 1.0]))


def test_checks_leave_other_mistakes_to_the_run():
    with pytest.raises(ArgumentError, match=r"runs on an emv.Graph"):
        betweenness_centrality([1], weight=-1)
    with pytest.raises(ArgumentError, match="supplies a column"):
        betweenness_centrality(RING, weight=batch([1, 2]))
    with pytest.raises(ArgumentError, match="it takes"):
        betweenness_centrality(RING, None, True, 1.0, False, None, 3)


@pytest.mark.parametrize("threshold", [-1, -1e-9, float("nan")])
def test_louvain_refuses_thresholds_that_every_level_meets(threshold):
    with pytest.raises(ArgumentError, match="threshold="):
        louvain(PATH, threshold=threshold)


def test_a_column_that_is_asked_for_and_not_there_is_missed():
    with pytest.raises(ColumnError, match="nope"):
        louvain(PATH, weight="nope")
    assert louvain(PATH, weight="weight")[1] == louvain(PATH)[1]


@pytest.mark.parametrize("weight", [[1, 2], [1, 2, 3, 4], [1.0], [[1, 2, 3]]])
def test_weights_of_other_numbers_than_of_edges_are_refused(weight):
    for start in (
        lambda: louvain(PATH, weight=weight),
        lambda: random_walks(PATH, [0], 3, weight=weight),
    ):
        with pytest.raises(ColumnError, match="but there are 3\nGive one number for each edge"):
            start()


@pytest.mark.parametrize("backend", BACKENDS)
def test_bounds_of_a_diameter_need_a_vertex_to_start_from(backend):
    with pytest.raises(ArgumentError, match="there is no vertex 0\nThe graph is empty"):
        diameter_bounds(Graph(directed=False), backend=backend)
    with pytest.raises(ArgumentError, match=r"there is no vertex 4\nThe graph's vertex ids"):
        diameter_bounds.profile(PATH, 4, backend=backend)
    with pytest.raises(ArgumentError, match=r"source is a vertex id, not \[0\]"):
        diameter_bounds(PATH, source=[0], backend=backend)
    assert diameter_bounds(PATH, np.int32(0), sweeps=1, backend=backend) == (3, 6)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("program", "named", "said"),
    [
        (betweenness_centrality, {"k": 0}, "k=0\nGive a whole number from 1 on"),
        (betweenness_centrality, {"k": 2**31}, "k=2147483648, but the graph has 4 vertices"),
        (betweenness_centrality, {"k": batch([1, 5])}, "k=5, but the graph has 4 vertices"),
        (edge_betweenness_centrality, {"k": 5}, "k=5, but the graph has 4 vertices"),
        (edge_betweenness_centrality, {"k": -1}, "k=-1"),
        (betweenness_centrality, {"wide": 3}, "wide=3\nGive True or False"),
        (k_hop, {"source": 0, "k": -1}, "k=-1"),
        (k_hop, {"source": 0, "k": batch([1, -2])}, "k=-2"),
        (k_hop, {"source": 0, "k": 1.5}, r"k=1\.5"),
        (label_propagation, {"max_iter": -5}, "max_iter=-5"),
        (hits, {"max_iter": -5}, "max_iter=-5"),
        (katz_centrality, {"max_iter": -5}, "max_iter=-5"),
        (eigenvector_centrality, {"max_iter": -5}, "max_iter=-5"),
        (pagerank, {"max_iter": -5}, "max_iter=-5"),
        (pagerank, {"max_iter": True}, "max_iter=True"),
        (pagerank, {"alpha": "x"}, "alpha='x'\nGive a number"),
        (pagerank, {"alpha": float("nan")}, "alpha is NaN"),
        (hits, {"tol": None}, "tol=None\nGive a number"),
        (katz_centrality, {"alpha": None}, "alpha=None"),
        (eigenvector_centrality, {"max_iter": None}, "max_iter=None"),
        (eigenvector_centrality, {"nstart": [1, -1, 0, 0]}, "nstart sums to 0"),
        (
            eigenvector_centrality,
            {"weight": [1e200, 1, 1]},
            r"weight has 1e\+200, and floats hold no products",
        ),
        (hits, {"nstart": [0, 0, 0, 0]}, "nstart sums to 0"),
        (hits, {"weight": [1e-200, 0, 0]}, "weight has 1e-200, and floats hold no products"),
        (pagerank, {"tol": "x"}, "tol='x'\nGive a number"),
        (k_core, {"k": "x"}, "k='x'"),
    ],
)
def test_numbers_that_mean_nothing_are_refused(program, named, said, backend):
    with pytest.raises(WRONG, match=said):
        program(PATH, **named, backend=backend)


def test_numbers_at_the_ends_of_what_is_allowed_are_taken():
    for program in (hits, katz_centrality, eigenvector_centrality, pagerank, label_propagation):
        assert program.run(PATH, max_iter=0, backend="python").supersteps == 0
    assert k_hop(PATH, 1, np.int64(0), backend="python").tolist() == [-1, 0, -1, -1]
    for alpha in (0, 1, np.float64(0.5), np.array(0.5)):
        assert pagerank(PATH, alpha, backend="python").sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: ego_graph(PATH, 0, radius="x"), "radius='x'\nGive a number"),
        (lambda: ego_graph(PATH, 0, radius=float("nan")), "radius=nan"),
        (lambda: ego_graph(PATH, 0, radius=None), "radius=None"),
        (lambda: louvain(PATH, max_level=-1), "max_level=-1\nGive a whole number from 1 on"),
        (lambda: louvain(PATH, max_level=1.5), r"max_level=1\.5"),
        (lambda: louvain(PATH, threshold=None), "threshold=None"),
        (lambda: k_truss(PATH, None), "k=None"),
        (lambda: random_walks(PATH, [0], 1.5), r"length=1\.5\nGive a whole number from 0 on"),
        (lambda: random_walks(PATH, [0], "2"), "length='2'"),
        (lambda: random_walks(PATH, [0], None), "length=None"),
        (
            lambda: random_walks(PATH, [True] * 4, 1),
            "starts is a vertex id or a list of vertex ids",
        ),
        (lambda: random_walks(PATH, [[0, 1]], 1), "starts is a vertex id or a list of vertex ids"),
        (lambda: random_walks(PATH, [0], 1, rng="x"), "rng= is a whole number"),
        (lambda: random_walks(PATH, [0], 1, weight=10**20), "edges are object, .*64 bits"),
        (lambda: icm(PATH, 0, p=-0.5), r"icm\(\): p=-0\.5\nIt is a chance, from 0 to 1"),
        (lambda: icm(PATH, 0, p=2), r"icm\(\): p=2\n"),
        (lambda: ltm(PATH, 0, thresholds=1.5), r"ltm\(\): thresholds=1\.5\n"),
        (lambda: influence_maximization(PATH, 1, p=1.5), r"p=1\.5\nIt is a chance"),
        (lambda: sample_neighbors(PATH, [0], "2"), "fanout='2'\nGive a whole number or a list"),
        (lambda: sample_neighbors(PATH, [0], None), "fanout=None"),
        (lambda: sample_neighbors(PATH, [0], [1, 1.5]), r"fanout=\[1, 1\.5\]"),
        (lambda: sample_neighbors(PATH, [True, False], 1), "sources is a vertex id"),
        (lambda: jaccard(PATH, ([0.9], [1.9])), r"there is no vertex 0\.9"),
        (lambda: jaccard(PATH, [(0, 1)]), "pairs= is two lists of vertex ids, not"),
        (lambda: jaccard(PATH, 3), "pairs= is two lists of vertex ids, not 3"),
    ],
)
def test_functions_around_programs_refuse_what_means_nothing(call, said):
    with pytest.raises(WRONG, match=said):
        call()


def test_functions_around_programs_take_numbers_of_numpy():
    found = sample_neighbors(PATH, np.array(0), np.int32(-1))
    assert (found.src.tolist(), found.dst.tolist()) == ([0], [1])
    assert random_walks(PATH, 0.0, np.int64(0)).tolist() == [[0]]
    assert ego_graph(PATH, 0, radius=0).num_vertices == 1
    assert ego_graph(PATH, 0, radius=float("inf")).num_vertices == 4


@pytest.mark.parametrize(
    "function",
    [
        lambda g: ego_graph(g, 0),
        jaccard,
        lambda g: k_truss(g, 3),
        louvain,
        lambda g: random_walks(g, [0], 1),
        lambda g: sample_neighbors(g, [0], 1),
    ],
)
def test_functions_around_programs_say_how_to_convert_a_graph_of_networkx(function):
    with pytest.raises(ArgumentError, match=r"emv\.Graph\.from_networkx\(G\)"):
        function(nx.path_graph(3))


def test_what_networkx_makes_of_numbers_out_of_range_stays():
    oracle = nx.path_graph(4)
    for distance in (None, 1.0):
        assert ego_graph(PATH, 2, radius=-1, distance=distance).labels.tolist() == [2]
    assert list(nx.ego_graph(oracle, 2, radius=-1)) == [2]
