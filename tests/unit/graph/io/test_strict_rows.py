"""Rows that contradict their format are refused, at the line that is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from emv.errors import GraphFormatError
from emv.graph.io import read, text

MATRIX = "%%MatrixMarket matrix coordinate real {}\n"
COMMA = "has a comma, but this format parts columns by blanks"


def error_of(path) -> GraphFormatError:
    with pytest.raises(GraphFormatError) as caught:
        read(path)
    return caught.value


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("a.mtx", MATRIX.format("general") + "3 3 2\n1,2,5\n2,3,6\n", 3),
        ("a.mtx", MATRIX.format("general") + "3 3 2\n1 2 5\n% a, b\n2, 3 6\n", 5),
        ("a.mtx", MATRIX.format("general") + "3,3,2\n1 2 5\n2 3 6\n", 2),
        ("a.mtx", "3 3 2\n1 2 5\n2 3,6\n", 3),
        ("a.mtx", "%%MatrixMarket matrix array real general\n2 1\n1,5\n2\n", 3),
        ("a.mtx", MATRIX.format("general") + "3 3 2\r1 2 5\r2,3 6\r", 4),
        ("a.gr", "c a, b\np sp 3 2\na 1 2 3\nc 1, 2\na 2,3 4\n", 5),
        ("a.gr", "p tw 3 1\n1,2\n", 2),
        ("a.graph", "3 2\n2\n1,3\n2\n", 3),
        ("a.graph", "3,2\n2\n1 3\n2\n", 1),
    ],
)
def test_commas_part_nothing_in_formats_of_blanks(write, monkeypatch, name, content, line) -> None:
    for chunk_bytes in (text.CHUNK_BYTES, 7):
        monkeypatch.setattr(text, "CHUNK_BYTES", chunk_bytes)
        error = error_of(write(content, name))
        assert COMMA in str(error)
        assert error.line == line


def test_commas_of_data_sets_of_graphalytics(write) -> None:
    write("1\n2\n", "a.v")
    error = error_of(write("1 2\n2,1\n", "a.e"))
    assert (COMMA in str(error), error.line) == (True, 2)


def test_the_first_fault_is_named_before_a_comma(write) -> None:
    error = error_of(write(MATRIX.format("general") + "3 3 3\n1 2 5\n1 x 5\n2,3 6\n", "a.mtx"))
    assert (error.line, COMMA in str(error)) == (4, False)


def test_commas_in_comments_are_none(write) -> None:
    content = MATRIX.format("general") + "% a, b\n3 3 2 % c, d\n1 2 5 # e, f\n// g,\n2 3 6\n"
    assert read(write(content, "a.mtx")).num_edges == 2


@pytest.mark.parametrize("symmetry", ["symmetric", "skew-symmetric"])
@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ("2 1 5\n1 2 5\n", 4),
        ("1 2 5\n2 1 5\n", 4),
        ("2 1 5\n3 1 4\n% x\n3 2 1\n1 3 4\n1 2 5\n", 7),
        ("1 3 5\n2 1 4\n2 1 4\n1 2 4\n1 2 4\n3 1 5\n", 6),
    ],
)
def test_both_triangles_of_a_symmetric_matrix_are_refused(write, symmetry, rows, line) -> None:
    count = rows.count("\n") - rows.count("%")
    error = error_of(write(MATRIX.format(symmetry) + f"3 3 {count}\n{rows}", "a.mtx"))
    assert "are both there, and each implies the other" in str(error)
    assert error.line == line


@pytest.mark.parametrize("rows", ["2 1 5\n3 1 4\n2 2 1\n", "1 2 5\n1 3 4\n", "2 1 5\n1 3 4\n"])
def test_one_of_each_pair_is_a_symmetric_matrix_in_whatever_triangle(write, rows) -> None:
    scipy_io = pytest.importorskip("scipy.io")
    path = write(MATRIX.format("symmetric") + f"3 3 {rows.count(chr(10))}\n{rows}", "a.mtx")
    expected = np.asarray(scipy_io.mmread(path).todense())
    assert np.array_equal(read(path).to_scipy().toarray(), expected)
    assert np.array_equal(read(path, directed=True).to_scipy().toarray(), expected)


def test_pairs_are_found_among_many(write) -> None:
    chance = np.random.default_rng(1)
    pairs = np.unique(np.sort(chance.integers(1, 500, (3000, 2)), axis=1), axis=0)
    pairs = pairs[pairs[:, 0] < pairs[:, 1]]
    pairs[::3] = pairs[::3, ::-1]
    chance.shuffle(pairs)
    head = MATRIX.format("symmetric").replace("real", "pattern")
    rows = "".join(f"{row} {column}\n" for row, column in pairs)
    assert read(write(f"{head}500 500 {len(pairs)}\n{rows}", "a.mtx")).num_edges == len(pairs)
    row, column = pairs[77]
    text = f"{head}500 500 {len(pairs) + 1}\n{rows}{column} {row}\n"
    error = error_of(write(text, "a.mtx"))
    assert error.line == 3 + len(pairs)
    assert f"({column}, {row}) and ({row}, {column})" in str(error)


@pytest.mark.parametrize(
    ("rows", "line"),
    [("a 1 2\na 2 3 5\n", 2), ("a 2 3 5\na 1 2\n", 3), ("a 1 2\na 2 3\n", 2)],
)
def test_an_arc_of_dimacs_without_its_weight_is_the_wrong_line(write, rows, line) -> None:
    error = error_of(write(f"p sp 4 2\n{rows}", "a.gr"))
    assert (error.line, "'a 1 2' has 2 fields, expected 3" in str(error)) == (line, True)
