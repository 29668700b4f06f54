"""Figures of real files that the tests of other libraries assert, found in what emv reads.

Triangles, components and sizes are those of LAGraph's tests (test_TriangleCount.c,
test_ConnectedComponents.c, test_MMRead.c); they are counted here with scipy, not by emv.
"""

from __future__ import annotations

import pytest
import scipy.sparse as sparse
from graph_files import DATA
from scipy.sparse import csgraph

import emv

TRIANGLES = {"karate": 45, "A": 11, "jagmesh7": 2016, "LFAT5": 0}
COMPONENTS = {"karate": 1, "A": 1, "jagmesh7": 1, "LFAT5": 3}
SIZES = {  # vertices, and entries once both halves of a symmetric matrix are there
    "A": (7, 30),
    "cover": (7, 12),
    "jagmesh7": (1138, 7450),
    "LFAT5": (14, 46),
    "msf1": (6, 8),
    "msf2": (8, 12),
    "msf3": (5, 7),
    "tree-example": (6, 10),
    "west0067": (67, 294),
    "lp_afiro": (27 + 51, 2 * 102),  # both directions of the edges of a bipartite graph
    "karate": (34, 156),
}


def pattern(name: str) -> sparse.csr_array:
    """Return a file's matrix of ones, without its diagonal, as scipy stores it."""
    matrix = emv.read(DATA / "mtx" / f"{name}.mtx").to_scipy(weight=None).tocsr()
    matrix.setdiag(0)
    matrix.eliminate_zeros()
    return (matrix != 0).astype(int)


@pytest.mark.parametrize(("name", "expected"), TRIANGLES.items())
def test_triangles(name, expected):
    ones = pattern(name)
    assert (ones @ ones).multiply(ones).sum() == 6 * expected


@pytest.mark.parametrize(("name", "expected"), COMPONENTS.items())
def test_components(name, expected):
    assert csgraph.connected_components(pattern(name))[0] == expected
    graph = emv.read(DATA / "mtx" / f"{name}.mtx")
    assert graph.stats(parts=True).parts == expected


@pytest.mark.parametrize(("name", "expected"), SIZES.items())
def test_sizes(name, expected):
    graph = emv.read(DATA / "mtx" / f"{name}.mtx")
    assert (graph.num_vertices, graph.num_arcs) == expected
