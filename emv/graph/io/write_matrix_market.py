"""A graph as a Matrix Market file: entry (u + 1, v + 1) for each edge from u to v.

A directed graph is a general matrix. An undirected one is a symmetric matrix, each edge below the
diagonal, unless it has two sides of different sizes as `emv.graph.io.rectangle` defines them: then
it is a general matrix that is not square, with the one side as rows and the other as columns.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from emv.graph.io.packing import open_packed
from emv.graph.io.rectangle import SIDE, rectangle_of
from emv.graph.io.rows import refuse_columns, refuse_labels, write_rows
from emv.graph.tables import Tables

_TITLE = "a Matrix Market file"
_FIELDS = {"f": "real", "i": "integer", "u": "integer", "b": "integer"}


def write_matrix_market(tables: Tables, path: Path) -> None:
    """Write a graph as a sparse matrix.

    Raises
    ------
    GraphError
        If it has labels, or columns but ``weight`` and ``side``.
    """
    rectangle = None if tables.directed else rectangle_of(tables)
    refuse_labels(tables, _TITLE)
    refuse_columns(tables, _TITLE, vertex_columns=() if rectangle is None else (SIDE,))
    weight = tables.edge_columns.get("weight")
    src, dst = tables.src, tables.dst
    if rectangle is not None:
        dst = dst - rectangle[0]
    elif not tables.directed:
        src, dst = np.maximum(src, dst), np.minimum(src, dst)
    num_rows, num_columns = rectangle or (tables.num_vertices, tables.num_vertices)
    field = "pattern" if weight is None else _FIELDS[weight.dtype.kind]
    if weight is not None and weight.dtype == np.uint64 and (weight >= 2**63).any():
        field = "unsigned-integer"
    symmetry = "general" if tables.directed or rectangle is not None else "symmetric"
    with open_packed(path) as file:
        file.write(f"%%MatrixMarket matrix coordinate {field} {symmetry}\n".encode())
        file.write(f"{num_rows} {num_columns} {len(src)}\n".encode())
        write_rows(file, (src, dst), weight, b" ", first_id=1)
