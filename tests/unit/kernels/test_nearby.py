"""Distances within a set of vertices, beside scipy's."""

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csgraph

from emv_kernels.cpu import nearby

GRAPHS = {
    "path": nx.path_graph(200),
    "star": nx.star_graph(150),
    "dense": nx.gnm_random_graph(130, 6000, seed=1),
    "sparse, not connected": nx.gnm_random_graph(300, 330, seed=2),
    "one": nx.empty_graph(1),
    "loops": nx.Graph([(0, 0), (0, 1), (1, 2), (2, 2)]),
}


@pytest.mark.parametrize("most", [64, 100, 4096])
@pytest.mark.parametrize("name", GRAPHS)
def test_sums_are_those_of_scipys_distances(name, most, monkeypatch):
    monkeypatch.setattr(nearby, "MOST", most)
    matrix = nx.to_scipy_sparse_array(GRAPHS[name], format="csr")
    starts, others = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)
    place = np.full(len(starts) - 1, -1)
    chance = np.random.default_rng(3)
    for size in (len(place), (len(place) + 1) // 2):
        near = chance.permutation(len(place))[:size]
        far = csgraph.shortest_path(matrix[near][:, near], unweighted=True).ravel()
        expected = (1 / far[far > 0]).sum()
        assert nearby.sum_of_inverses(starts, others, near, place) == pytest.approx(expected)
        assert (place == -1).all()
