"""No page returns NaN or an infinity that it was not given without a word."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pytest
from backends_available import BACKENDS

from emv import Graph, algorithms
from emv.algorithms import (
    average_clustering,
    betweenness_centrality,
    closeness_centrality,
    eigenvector_centrality,
    harmonic_centrality,
    hits,
    katz_centrality,
    modularity,
)
from emv.errors import ArgumentError, EmvError, NotFiniteWarning

over_backends = pytest.mark.parametrize("backend", BACKENDS)
MEANT = {"source": 0, "seeds": [0], "radius": 2, "k": 2, "starts": [0], "length": 3, "n": 0}
PAGES = [
    name
    for name in algorithms.__all__
    if name[0].islower() and not name.startswith("check") and name != "sssp"  # inf is no path
]
SHAPES = {
    "empty": ([], [], 0),
    "single": ([], [], 1),
    "apart": ([], [], 2),
    "loop": ([0], [0], 1),
    "edge": ([0], [1], 3),
    "ring": ([0, 1, 2], [1, 2, 0], 4),
}
CASES = [(name, 1.0) for name in SHAPES]
CASES += [("ring", weight) for weight in (0.0, 1e-320, 1e-200, 1e-40, 1e39, 1e200, 1e308, -1.0)]


def calls_of(name: str, graph: Graph):
    """Call a page with all that it needs, and once more along the weights."""
    page = getattr(algorithms, name)
    function = getattr(page, "python", page)
    parameters = list(inspect.signature(function).parameters.values())[1:]
    needed = [each.name for each in parameters if each.default is each.empty]
    given = {each: MEANT.get(each, np.zeros(graph.num_vertices, int)) for each in needed}
    usual = {"fanout": 2, "max_iter": 60, "runs": 3, "epsilon": 0.9}
    given |= {each.name: usual[each.name] for each in parameters if each.name in usual}
    along = [each.name for each in parameters if each.name in ("weight", "distance")]
    yield lambda: page(graph, **given)
    if along:
        yield lambda: page(graph, **given, **dict.fromkeys(along, "weight"))


def floats_in(result):
    parts = result if isinstance(result, tuple) else (result,)
    return [each for each in map(np.asarray, parts) if each.dtype.kind == "f"]


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("name", PAGES)
def test_no_page_is_silent_about_it(name, directed):
    for shape, weight in CASES:
        src, dst, size = SHAPES[shape]
        graph = Graph.from_edges(src, dst, num_vertices=size, directed=directed).on("python")
        graph.edges.weight = np.full(graph.num_edges, weight)
        for call in calls_of(name, graph):
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                try:
                    found = floats_in(call())
                except EmvError:
                    continue
            is_finite = all(np.isfinite(each).all() for each in found)
            assert is_finite or any(each.category is NotFiniteWarning for each in told)


TINY = Graph.from_edges([0, 1, 2], [1, 2, 0], num_vertices=4, weight=[1e-320] * 3)


@over_backends
@pytest.mark.parametrize("page", [closeness_centrality, harmonic_centrality])
def test_scores_of_lengths_that_floats_hardly_hold(page, backend):
    with pytest.warns(NotFiniteWarning, match=rf"{page.name}\(\): 3 of the results") as told:
        assert page(TINY, "weight", backend=backend).tolist() == [np.inf] * 3 + [0]
    assert told[0].filename == __file__
    assert isinstance(page.attempt(TINY, "weight", backend=backend).trouble, NotFiniteWarning)


@over_backends
@pytest.mark.parametrize(
    "page", [closeness_centrality, harmonic_centrality, betweenness_centrality]
)
def test_lengths_whose_sums_are_infinite_are_refused(page, backend):
    name = "weight" if page is betweenness_centrality else "distance"
    path = Graph.from_edges([0, 1, 2], [1, 2, 3], length=[1e308, 1e308, 1.0])
    with pytest.raises(ArgumentError, match=r"has lengths whose sum over paths is more"):
        page(path, **{name: "length"}, backend=backend)
    path.edges.length = [1e300, np.inf, 1.0]  # what is infinite is never taken
    assert np.isfinite(page(path, **{name: "length"}, backend=backend)).all()


@over_backends
def test_modularity_does_not_depend_on_the_scale_of_weights(backend):
    for scale in (1e-300, 1e-40, 1e200):
        graph = Graph.from_edges([0, 1, 2], [1, 2, 3], directed=False, weight=[scale] * 3)
        assert modularity(graph, [0, 0, 2, 2], backend=backend) == pytest.approx(1 / 6)
    graph.edges.weight = [0.0, 0.0, 0.0]
    with pytest.warns(NotFiniteWarning, match=r"modularity\(\): 1 of the results"):
        assert np.isnan(modularity(graph, [0, 0, 2, 2], backend=backend))
    with pytest.warns(NotFiniteWarning, match="average_clustering"):
        assert np.isnan(average_clustering(Graph(), backend=backend))


@over_backends
def test_numbers_that_are_infinite_do_not_become_zeros(backend):
    ring = Graph.from_edges([0, 1, 2], [1, 2, 0], weight=[np.inf] * 3)
    for page in (eigenvector_centrality, hits, katz_centrality):
        with pytest.warns(NotFiniteWarning, match=page.name):
            found = floats_in(page(ring, weight="weight", backend=backend))
        assert all(np.isnan(each).all() for each in found) or page is hits
    with pytest.raises(ArgumentError, match=r"beta has 1e\+200, and floats hold no products"):
        katz_centrality(ring, beta=1e200, backend=backend)
