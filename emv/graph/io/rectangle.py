"""Matrices as graphs: a square one joins equal vertices, any other one two sides.

A matrix that is not square is bipartite: its rows are the first vertices and its columns follow;
the vertex column ``side`` tells them apart.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import GraphError, GraphFormatError
from emv.graph.convert import check_symmetric
from emv.graph.tables import Tables

SIDE = "side"

# A vertex costs memory whether it has edges or not, and only the file's word says that it exists.
MOST_UNCHECKED_VERTICES = 2**22
MOST_VERTICES_PER_ENTRY = 1000


def refuse_unlikely(
    num_vertices: int, num_entries: int, file: str, line: int | None = None
) -> None:
    """Refuse vertices that a file claims and its entries do not make believable.

    Raises
    ------
    GraphFormatError
        If there are more than `MOST_UNCHECKED_VERTICES` and `MOST_VERTICES_PER_ENTRY` times the
        entries.
    """
    if num_vertices > max(MOST_UNCHECKED_VERTICES, MOST_VERTICES_PER_ENTRY * num_entries):
        raise GraphFormatError(
            f"{num_vertices} vertices for {num_entries} entries",
            file,
            line,
            "renumber the vertices, so that few are without an edge",
        )


def side_column(num_rows: int, num_columns: int) -> NDArray[np.uint8]:
    """Return the column ``side`` of rows and then columns.

    Examples
    --------
    >>> side_column(2, 1)
    array([0, 0, 1], dtype=uint8)
    """
    return np.repeat(np.array([0, 1], np.uint8), [num_rows, num_columns])


def rectangle_of(tables: Tables) -> tuple[int, int] | None:
    """Return rows and columns of a graph that is a matrix with two sides; None of any other.

    It has the vertex column ``side``, 0 for all rows and then 1 for all columns, and every edge
    leads from a row to a column.

    Examples
    --------
    >>> side = np.array([0, 0, 1], np.uint8)
    >>> src, dst = np.array([0, 1]), np.array([2, 2])
    >>> rectangle_of(Tables(3, src, dst, False, vertex_columns={"side": side}))
    (2, 1)
    """
    side = tables.vertex_columns.get(SIDE)
    if side is None or side.dtype.kind not in "iub":
        return None
    num_rows = int(np.count_nonzero(side == 0))
    if (side[:num_rows] != 0).any() or (side[num_rows:] != 1).any():
        return None
    if (tables.src >= num_rows).any() or (tables.dst < num_rows).any():
        return None
    num_columns = tables.num_vertices - num_rows
    return None if num_rows == num_columns else (num_rows, num_columns)


def matrix_tables(
    shape: tuple[int, int],
    entries: tuple[NDArray[Any], NDArray[Any], NDArray[Any]],
    directed: bool | None,
    file: str,
) -> Tables:
    """Return the graph of a matrix without a word on its symmetry, all of whose entries are in it.

    Parameters
    ----------
    shape : (int, int)
        Its rows and columns.
    entries : (int[n], int[n], any[n])
        Row, column and value of each.
    directed : bool or None
        A square matrix is directed unless this is False; then it must be symmetric, and each pair
        across the diagonal is one edge. Any other matrix is undirected unless this is True.

    Raises
    ------
    GraphFormatError
        If the matrix is to be undirected and is not symmetric.
    """
    num_rows, num_columns = shape
    src, dst, values = entries
    if num_rows != num_columns:
        refuse_unlikely(num_rows + num_columns, len(src), file)
        dst = dst.astype(np.int64) + num_rows
        return Tables(
            num_rows + num_columns,
            src,
            dst,
            bool(directed),
            vertex_columns={SIDE: side_column(num_rows, num_columns)},
            edge_columns={"weight": values},
        )
    refuse_unlikely(num_rows, len(src), file)
    is_directed = directed is None or directed
    if not is_directed:
        try:
            check_symmetric(src, dst, values)
        except GraphError as error:
            raise GraphFormatError(
                error.what,
                file,
                remedy="leave out directed=False, or give symmetrise=True in its place",
            ) from None
        upper = src <= dst
        src, dst, values = src[upper], dst[upper], values[upper]
    return Tables(num_rows, src, dst, is_directed, edge_columns={"weight": values})
