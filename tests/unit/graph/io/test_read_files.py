"""Every copied file reads as `expected.json`, LAGraph and fast_matrix_market say."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from graph_files import DATA, EXPECTED, WIKI_VOTE, edges_of

from emv.errors import GraphFormatError
from emv.graph.io import read

LAGRAPH = DATA / "messy" / "lagraph"
REFUSED_BY_LAGRAPH = sorted(path.name for path in LAGRAPH.glob("mangled*"))
READ_BY_LAGRAPH = sorted(
    path.name for path in LAGRAPH.glob("*.mtx") if not path.name.startswith(("mangled", "complex"))
)


@pytest.mark.parametrize("name", EXPECTED)
def test_counts_are_those_of_the_inventory(name: str) -> None:
    expected = EXPECTED[name]
    g = read(DATA / name, directed=expected["directed"])
    ends = edges_of(g)
    assert g.num_vertices == expected["vertices"]
    assert g.num_edges == expected["entries"]
    assert np.count_nonzero(ends[:, 0] == ends[:, 1]) == expected["loops"]
    assert len(np.unique(ends, axis=0)) == expected["edges"]


@pytest.mark.parametrize(
    "name", [name for name in EXPECTED if name.startswith("mtx/") or "foodweb" in name]
)
def test_direction_is_found_where_the_file_says_it(name: str) -> None:
    assert read(DATA / name).directed == EXPECTED[name]["directed"]


@pytest.mark.parametrize("name", [name for name in EXPECTED if "expanded" in EXPECTED[name]])
def test_arcs_are_the_entries_of_the_expanded_matrix(name: str) -> None:
    rows, columns, entries = EXPECTED[name]["expanded"]
    g = read(DATA / name)
    if rows == columns:
        assert g.num_arcs == entries
    else:
        assert (g.num_vertices, g.num_edges) == (rows + columns, entries)


@pytest.mark.parametrize("name", [name for name in EXPECTED if name.startswith("mtx/")])
def test_matrices_are_those_that_scipy_reads(name: str) -> None:
    A = scipy.io.mmread(DATA / name, spmatrix=False).tocoo()
    if A.shape[0] != A.shape[1]:
        A = scipy.sparse.coo_array(
            (A.data, (A.row, A.col + A.shape[0])), shape=(sum(A.shape), sum(A.shape))
        )
    g = read(DATA / name, directed=True)
    src, dst = g.arcs()
    weight = g.layouts.edge_column("weight", np.float64, "arc") if "weight" in g.edges else None
    ours = scipy.sparse.coo_array(
        (np.ones(len(src)) if weight is None else weight, (src, dst)), shape=A.shape
    )
    assert (ours.tocsr() != A.astype(np.float64).tocsr()).nnz == 0


def test_wiki_vote_keeps_its_ids_as_labels() -> None:
    g = read(WIKI_VOTE)
    assert (g.num_vertices, g.num_edges, g.directed) == (7115, 103689, True)
    assert g.labels is not None
    assert g.labels[-1] == 8297
    assert np.all(np.diff(g.labels) > 0)
    first = edges_of(g)[0]
    assert g.labels[first].tolist() == [30, 1412]


@pytest.mark.parametrize("name", REFUSED_BY_LAGRAPH)
def test_what_lagraph_refuses_is_refused(name: str) -> None:
    with pytest.raises(GraphFormatError) as caught:
        read(LAGRAPH / name)
    assert str(caught.value).startswith(f"{LAGRAPH / name}:")
    assert caught.value.line is not None


@pytest.mark.parametrize("name", READ_BY_LAGRAPH)
def test_what_lagraph_reads_is_read(name: str) -> None:
    assert read(LAGRAPH / name).num_vertices > 0


@pytest.mark.parametrize(
    ("name", "extremes"),
    [
        ("matrix_int64.mtx", (-9223372036854775800, 9223372036854775807)),
        ("matrix_uint64.mtx", (0, 18446744073709551615)),
        ("matrix_fp64.mtx", (-np.inf, np.inf)),
        ("matrix_bool.mtx", (0, 1)),
    ],
)
def test_extreme_values_are_exact(name: str, extremes: tuple[float, float]) -> None:
    weight = read(LAGRAPH / name).edges.weight
    assert (weight.min(), weight.max()) == extremes


def test_jumbled_and_bare_west0067_are_west0067() -> None:
    def matrix(path):
        g = read(path)
        ends = edges_of(g)
        order = np.lexsort((ends[:, 1], ends[:, 0]))
        return ends[order].tolist(), g.edges.weight[order].tolist()

    plain = matrix(DATA / "mtx" / "west0067.mtx")
    assert matrix(LAGRAPH / "west0067_jumbled.mtx") == plain
    assert matrix(LAGRAPH / "west0067_noheader.mtx") == plain


@pytest.mark.parametrize(
    ("name", "vertices", "edges"),
    [
        ("coordinate_pattern_symmetric_row_general_dup.mtx", 3, 4),
        ("coordinate_skew_symmetric_row.mtx", 3, 4),
        ("coordinate_symmetric_row.mtx", 3, 3),
        ("eye3.mtx", 3, 3),
        ("eye3_pattern.mtx", 3, 3),
        ("eye3_str.mtx", 3, 3),
        ("kepner_gilbert_graph.mtx", 7, 12),
        ("nist_ex1.mtx", 5, 8),
        ("nist_ex1_freeformat.mtx", 5, 8),
        ("nist_ex1_more_freeformat.mtx", 5, 8),
        ("permissive_banner_leading_spaces_eye3.mtx", 3, 3),
        ("permissive_lines_indented.mtx", 1, 1),
        ("windows_lineendings_nist_ex1_more_freeformat.mtx", 5, 8),
        ("windows_newlines.mtx", 3, 3),
    ],
)
def test_unusual_layouts_are_read(name: str, vertices: int, edges: int) -> None:
    g = read(DATA / "messy" / "fast_matrix_market" / name)
    assert (g.num_vertices, g.num_edges) == (vertices, edges)


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("karate_str.mtx", ":1: '9q' is not a vertex number"),
        ("karate_mod.mtx", ":79: '35' has 1 field, expected 2"),
        ("negative-vertex-id.csv", ":1: '-1' is negative"),
        ("karate.adjlist", ": an adjacency list is not read"),
        ("gap-4.graph", ":2: vertex 1 lists vertex 2, but vertex 2 does not list vertex 1"),
        ("gap-4w.graph", ":1: the first line announces 53 edges, each in two lists"),
        ("lagraph/garbage.lagraph", ": LAGraph's binary format is not read"),
        ("lagraph/complex.mtx", ":1: complex and hermitian matrices"),
    ],
)
def test_what_is_no_graph_to_read_is_refused(name: str, place: str) -> None:
    path = DATA / "messy" / name
    with pytest.raises(GraphFormatError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}{place}")


@pytest.mark.parametrize(
    ("name", "vertices", "edges"),
    [
        ("comments.edgelist", 10, 20),
        ("spaceseparated_weighted.edgelist", 3, 3),
        ("karate-asymmetric.csv", 34, 78),
        ("karate_multi_edge.csv", 34, 160),
        ("LFAT5_networkit.mtx", 14, 30),
    ],
)
def test_odd_lists_are_read(name: str, vertices: int, edges: int) -> None:
    g = read(DATA / "messy" / name)
    assert (g.num_vertices, g.num_edges) == (vertices, edges)
