"""What fuzzing found: files that were read as another graph, or not by the rules of the page."""

from __future__ import annotations

import io

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

import emv
from emv.errors import GraphFormatError
from emv.graph.io import text


@pytest.mark.parametrize(
    ("name", "content", "line", "said"),
    [
        ("a.gr", b"p sp\x0b2 1\na 1 2 3\n", 1, "the problem line is"),
        ("a.ncol", b"ann\tbob\n\tbob\tcy\n", 2, "is no edge"),
        ("a.txt", b"# Nodes: 4 Edges: 3\n1 1\n2 1 5\n2 0 6\n0 2 3\n", 2, "has 2 fields, the next"),
    ],
)
def test_is_refused(tmp_path, name, content, line, said):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(GraphFormatError, match=said) as caught:
        emv.read(path)
    assert caught.value.line == line


def test_a_line_of_edges_that_is_no_text_is_no_empty_file(tmp_path):
    (tmp_path / "a.v").write_bytes(b"0\n1\n")
    (tmp_path / "a.e").write_bytes(b"\x0b")
    with pytest.raises(GraphFormatError):
        emv.read(tmp_path / "a.e")


def test_one_column_beside_the_numbers_of_rows_is_no_edge(tmp_path):
    (tmp_path / "a.csv").write_text(",A\n0,5\n")
    with pytest.raises(GraphFormatError, match="one column, 'A', beside the numbers"):
        emv.read(tmp_path / "a.csv")


@pytest.mark.parametrize("chunk_bytes", [7, 100, 1 << 20])
def test_what_is_nearly_a_banner_is_seen_behind_many_comments(tmp_path, monkeypatch, chunk_bytes):
    monkeypatch.setattr(text, "CHUNK_BYTES", chunk_bytes)
    path = tmp_path / "a.mtx"
    path.write_text("% one\n" * 30 + "%%MatrixMarket matrix coordinate real symmetric\n2 2 0\n")
    with pytest.raises(GraphFormatError, match="nearly a banner") as caught:
        emv.read(path)
    assert caught.value.line == 31


def test_a_table_whose_columns_are_cut_off_is_refused(tmp_path):
    """Its footer says that a column has no values, and the table six rows."""
    sink = io.BytesIO()
    table = pyarrow.table({"src": np.arange(6), "dst": np.arange(6), "weight": np.arange(6)})
    parquet.write_table(table, sink, compression="none", use_dictionary=False, store_schema=False)
    whole = sink.getvalue()
    refused = 0
    for place in range(len(whole) // 2, len(whole) - 8):
        for value in (0, 2):
            content = bytearray(whole)
            content[place] = value
            (tmp_path / "a.parquet").write_bytes(content)
            try:
                assert len(emv.read(tmp_path / "a.parquet").edges.weight) == 6
            except (GraphFormatError, AttributeError):
                refused += 1
    assert refused
