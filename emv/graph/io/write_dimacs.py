"""A graph as a DIMACS file: a directed one with weights as ``a u v w``, or PACE's bare edges."""

from __future__ import annotations

import io
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import GraphError
from emv.graph.io.packing import open_packed
from emv.graph.io.rows import ROWS_AT_ONCE, refuse_columns, refuse_labels, write_rows
from emv.graph.io.write_metis import check_weights
from emv.graph.tables import Tables

TITLE = "a DIMACS file"


def write_dimacs(tables: Tables, path: Path) -> None:
    """Write a directed graph with weights, or an undirected one without.

    Raises
    ------
    GraphError
        If the graph is another one, has labels, columns but ``weight``, or a weight that is not
        finite.
    """
    refuse_labels(tables, TITLE)
    refuse_columns(tables, TITLE)
    weight = tables.edge_columns.get("weight")
    if (weight is None) == tables.directed:
        what = "undirected graphs with" if weight is not None else "directed graphs without"
        remedy = "read or make the graph with directed=True, so that both arcs of an edge are there"
        raise GraphError(
            f"{TITLE} has no place for {what} weights",
            remedy=remedy
            if weight is not None
            else "add an edge column weight, of ones if need be",
        )
    if weight is not None:
        check_weights(weight, TITLE)
    counts = f"{tables.num_vertices} {len(tables.src)}\n"
    with open_packed(path) as file:
        if weight is None:
            file.write(f"p tw {counts}".encode())
            write_rows(file, (tables.src, tables.dst), None, b" ", first_id=1)
            return
        file.write(f"p sp {counts}".encode())
        _write_arcs(file, np.asarray(tables.src), np.asarray(tables.dst), weight)


def _write_arcs(
    file: IO[bytes], src: NDArray[Any], dst: NDArray[Any], weight: NDArray[Any]
) -> None:
    for first in range(0, len(src), ROWS_AT_ONCE):
        rows = slice(first, first + ROWS_AT_ONCE)
        text = io.BytesIO()
        write_rows(text, (src[rows], dst[rows]), weight[rows], b" ", first_id=1)
        file.write(b"a " + text.getvalue()[:-1].replace(b"\n", b"\na ") + b"\n")
