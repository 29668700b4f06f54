"""METIS partition files: one part number a line."""

from __future__ import annotations

import numpy as np
import pytest

import emv
from emv.errors import ArgumentError, GraphFormatError


@pytest.mark.parametrize("name", ["a.graph.part.8", "a.part.gz"])
def test_written_parts_are_read_back(tmp_path, name) -> None:
    parts = np.random.default_rng(1).integers(0, 8, 70_000)
    emv.write_partition(parts, tmp_path / name)
    again = emv.read_partition(tmp_path / name, num_vertices=70_000)
    assert again.dtype == np.int32
    assert np.array_equal(again, parts)


def test_no_parts_are_no_lines(tmp_path) -> None:
    emv.write_partition([], tmp_path / "a")
    assert emv.read_partition(tmp_path / "a", num_vertices=0).shape == (0,)


@pytest.mark.parametrize(
    ("content", "line", "what"),
    [
        ("0\n1\n", None, "has the parts of 2 vertices, expected 3"),
        ("0\n1\n0\n1\n", 4, "has the parts of 4 vertices, expected 3"),
        ("0\n\n1\n", 2, "the line has no part number"),
        ("0\r\n1\r\n \t\r\n1\r\n", 3, "the line has no part number"),
        ("0\r1\r\r", 3, "the line has no part number"),
        ("\n0\n1\n", 1, "the line has no part number"),
        ("0\n1\n0\n\n", 4, "the line has no part number"),
        ("0\n% more\n1\n1\n", 2, "the line has no part number"),
        ("0\n-1\n0\n", 2, "the part is -1, expected 0 to 2147483647"),
        ("0\n1\n2147483648\n", 3, "the part is 2147483648"),
        ("0\n1 1\n0\n", 2, "'1 1' has 2 fields, expected 1: part"),
        ("0\n1.5\n0\n", 2, "'1.5' is not an integer"),
        ("", None, "has the parts of 0 vertices"),
    ],
)
def test_a_bad_line_is_named(write, content, line, what) -> None:
    with pytest.raises(GraphFormatError) as caught:
        emv.read_partition(write(content, "a.part"), num_vertices=3)
    assert caught.value.line == line
    assert what in str(caught.value)


@pytest.mark.parametrize("parts", [[0.5], [[0, 1]], [-1], [2**31], ["a"]])
def test_parts_that_are_none_are_refused(tmp_path, parts) -> None:
    with pytest.raises(ArgumentError, match="parts are"):
        emv.write_partition(parts, tmp_path / "a")
