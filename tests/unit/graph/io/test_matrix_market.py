"""Matrix Market: what direction, symmetry and shape make of the entries."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from graph_files import edges_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from emv.errors import ArgumentError, GraphFormatError
from emv.graph.io import read, text

SYMMETRIC = "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 5\n2 1 .5\n3 2 -2\n"
GENERAL = "%%MatrixMarket matrix coordinate integer general\n3 3 3\n1 2 5\n2 1 6\n3 3 -7\n"
SKEW = "%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 2\n2 1 5\n3 2 -7\n"
WIDE = "%%MatrixMarket matrix coordinate pattern general\n2 3 3\n1 1\n2 3\n1 3\n"


@pytest.mark.parametrize(
    ("text", "directed", "edges", "weight", "is_directed"),
    [
        (SYMMETRIC, None, [[0, 0], [0, 1], [1, 2]], [5, 0.5, -2], False),
        (SYMMETRIC, True, [[0, 0], [1, 0], [2, 1], [0, 1], [1, 2]], [5, 0.5, -2, 0.5, -2], True),
        (GENERAL, None, [[0, 1], [1, 0], [2, 2]], [5, 6, -7], True),
        (GENERAL, False, [[0, 1], [0, 1], [2, 2]], [5, 6, -7], False),
        (SKEW, None, [[1, 0], [2, 1], [0, 1], [1, 2]], [5, -7, -5, 7], True),
        (WIDE, None, [[0, 2], [1, 4], [0, 4]], None, False),
        (WIDE, True, [[0, 2], [1, 4], [0, 4]], None, True),
    ],
)
def test_symmetry_and_direction_make_the_edges(
    write, text, directed, edges, weight, is_directed
) -> None:
    g = read(write(text, "a.mtx"), directed)
    assert g.directed is is_directed
    assert edges_of(g).tolist() == edges
    assert ("weight" in g.edges) == (weight is not None)
    if weight is not None:
        assert g.edges.weight.tolist() == weight
    assert g.labels is None


def test_undirected_skew_symmetric_is_refused(write) -> None:
    with pytest.raises(ArgumentError, match="negated weight"):
        read(write(SKEW, "a.mtx"), directed=False)


def test_types_of_values(write) -> None:
    assert read(write(GENERAL, "a.mtx")).edges.weight.dtype == np.int64
    assert read(write(SYMMETRIC, "a.mtx")).edges.weight.dtype == np.float64
    unsigned = GENERAL.replace("integer", "unsigned-integer").replace("-7", str(2**64 - 1))
    assert read(write(unsigned, "a.mtx")).edges.weight.tolist() == [5, 6, 2**64 - 1]


def test_isolated_vertices_and_no_entries(write) -> None:
    g = read(write("%%MatrixMarket matrix coordinate pattern general\n4 4 0\n", "a.mtx"))
    assert (g.num_vertices, g.num_edges) == (4, 0)
    g = read(write("%%MatrixMarket matrix coordinate pattern general\n0 0 0\n", "a.mtx"))
    assert (g.num_vertices, g.num_edges) == (0, 0)


@pytest.mark.parametrize(
    ("text", "edges", "weight"),
    [
        ("real general\n2 3\n1\n0\n2\n3\n0\n4\n", [[0, 2], [0, 3], [1, 3], [1, 4]], [1, 2, 3, 4]),
        ("integer symmetric\n2 2\n7\n8\n0\n", [[0, 0], [0, 1]], [7, 8]),
        ("real skew-symmetric\n3 3\n1\n2\n0\n", [[1, 0], [2, 0], [0, 1], [0, 2]], [1, 2, -1, -2]),
    ],
)
def test_elements_of_dense_arrays_that_are_not_zero_are_edges(write, text, edges, weight) -> None:
    g = read(write(f"%%MatrixMarket matrix array {text}", "a.mtx"))
    assert edges_of(g).tolist() == edges
    assert g.edges.weight.tolist() == weight


def test_the_banner_counts_whatever_the_name(write) -> None:
    assert read(write(SYMMETRIC, "a.txt")).num_edges == 3
    assert read(write(SYMMETRIC, "a.edgelist")).num_edges == 3
    assert read(write(SYMMETRIC, "a.gr"), format="matrix-market").num_edges == 3
    assert read(write(SYMMETRIC, "a.mtx.gz")).num_edges == 3
    assert read(write("\ufeff" + SYMMETRIC, "a.mtx")).num_edges == 3


def test_without_a_banner_a_size_line_makes_a_matrix(write) -> None:
    g = read(write("3 3 2\n1 2\n3 1\n", "a.mtx"))
    assert (g.num_vertices, edges_of(g).tolist()) == (3, [[0, 1], [2, 0]])
    assert "weight" not in g.edges


def test_without_banner_and_size_line_it_is_an_edge_list(write, caplog) -> None:
    with caplog.at_level(logging.WARNING, "emv.graph.io"):
        g = read(write("2 1\n3 1\n7 3\n", "a.mtx"))
    assert g.labels.tolist() == [1, 2, 3, 7]
    assert "no %%MatrixMarket banner" in caplog.text


def test_nan_is_kept_and_told(write, caplog) -> None:
    with caplog.at_level(logging.WARNING, "emv.graph.io"):
        g = read(write(SYMMETRIC.replace("-2", "nan"), "a.mtx"))
    assert np.isnan(g.edges.weight[2])
    assert "nan" in caplog.text


def test_header_is_for_edge_lists(write) -> None:
    with pytest.raises(ArgumentError, match="header=True"):
        read(write(SYMMETRIC, "a.mtx"), header=True)


def test_unknown_format_names_are_refused(write) -> None:
    with pytest.raises(ArgumentError, match="'matrix-market' or "):
        read(write(SYMMETRIC, "a.mtx"), format="mtx")


@pytest.mark.parametrize(
    ("old", "new", "line", "what"),
    [
        ("3 3 3\n", "3 3\n", 2, "the size line is '3 3', expected rows columns entries"),
        ("3 3 3\n", "3 -3 3\n", 2, "the size line is '3 -3 3'"),
        ("3 3 3\n", "3 4 3\n", 2, "a symmetric matrix of 3 rows and 4 columns is not square"),
        ("3 3 3\n", "3 3 4\n", 2, "the size line announces 4 entries, only 3 follow"),
        ("3 3 3\n", "3 3 2\n", 5, "the size line announces 2 entries, here is another"),
        ("3 3 3\n", "3 3 1000000000000\n", 2, "announces 1000000000000 entries, only 3"),
        (
            "3 3 3\n",
            "1000000000000 1000000000000 3\n",
            2,
            "1000000000000 vertices for 3 entries",
        ),
        ("2 1 .5", "0 1 .5", 4, "vertex number '0' is out of range, expected 1 to 3"),
        ("2 1 .5", "2 4 .5", 4, "vertex number '4' is out of range, expected 1 to 3"),
        ("2 1 .5", "2 1 x.5", 4, "'x.5' is not a number"),
        ("2 1 .5", "2 1", 4, "'2 1' has 2 fields, expected 3: row, column, value"),
        ("2 1 .5", "2 1 .5 .5", 4, "'2 1 .5 .5' has 4 fields"),
        ("2 1 .5", "2 1 1_0", 4, "'1_0' is not a number"),
        ("real", "integer", 4, "'.5' is not an integer"),
        ("real", "complex", 1, "complex and hermitian"),
        ("symmetric", "hermitian", 1, "complex and hermitian"),
        ("coordinate ", "", 1, "has 3 words, expected %%MatrixMarket object layout"),
        ("real", "pattern", 3, "'1 1 5' has 3 fields, expected 2: row, column"),
    ],
)
def test_errors_name_the_line(write, old, new, line, what) -> None:
    assert old in SYMMETRIC
    path = write(SYMMETRIC.replace(old, new), "a.mtx")
    with pytest.raises(GraphFormatError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert what in str(caught.value)


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        (SKEW.replace("2 1 5", "2 2 5"), 3, "nothing on its diagonal"),
        (SKEW.replace("5", str(-(2**63))), 3, "negated value does not fit"),
        (SKEW.replace("5", str(2**63)), 3, "does not fit int64"),
        (SKEW.replace("integer", "pattern"), 1, "a pattern cannot be coordinate skew-symmetric"),
        ("%%MatrixMarket matrix coordinate real general\n% nothing\n", None, "ends before the"),
        ("%%MatrixMarket matrix array real general\n9 9\n1\n", 2, "announces 81 entries, only 1"),
        ("3 3 2\n1 2\n", 1, "the size line announces 2 entries, only 1 follow"),
    ],
)
def test_other_errors(write, text, line, what) -> None:
    path = write(text, "a.mtx")
    with pytest.raises(GraphFormatError) as caught:
        read(path)
    assert caught.value.line == line
    assert what in str(caught.value)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.integers(1, 12).flatmap(
        lambda n: st.lists(
            st.tuples(
                st.integers(0, n - 1),
                st.integers(0, n - 1),
                st.floats(allow_nan=False, allow_infinity=False).filter(bool),
            ),
            unique_by=lambda entry: entry[:2],
        ).map(lambda entries: (n, entries))
    )
)
def test_what_scipy_writes_comes_back(tmp_path: Path, matrix) -> None:
    n, entries = matrix
    src, dst, weight = (
        (list(column) for column in zip(*entries, strict=True))
        if entries
        else (
            [],
            [],
            [],
        )
    )
    A = scipy.sparse.coo_array((np.array(weight, float), (src, dst)), shape=(n, n))
    scipy.io.mmwrite(tmp_path / "a.mtx", A, symmetry="general", precision=17)
    g = read(tmp_path / "a.mtx")
    assert g.num_vertices == n
    assert edges_of(g).tolist() == [list(entry[:2]) for entry in entries]
    assert g.edges.weight.tolist() == weight


def test_a_size_line_is_one_wherever_a_chunk_ends(write, monkeypatch) -> None:
    """The line below says whether the first is an edge, and it may come much later."""
    path = write("3 3 2\n" + "% and so on\n" * 20 + "1 2\n2 3\n", "a.mtx")
    expected = read(path)
    assert expected.num_edges == 2
    for chunk_bytes in (1, 7, 50, 200):
        monkeypatch.setattr(text, "CHUNK_BYTES", chunk_bytes)
        assert repr(read(path)) == repr(expected)
