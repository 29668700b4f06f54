"""A graph as a METIS file: the neighbours of each vertex, every edge in the lists of both its ends.

A loop stands once in the list of its vertex. METIS itself takes neither loops nor repeats and only
integers as weights; what goes beyond that is written as NetworKit does, with a warning.
"""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import GraphError
from emv.graph.build import first_positions, grouped
from emv.graph.io.packing import open_packed
from emv.graph.io.rows import number_texts, refuse_columns, refuse_labels
from emv.graph.io.text import logger
from emv.graph.tables import Tables
from emv.graph.widths import index_dtype

TITLE = "a METIS file"
_ENTRIES_AT_ONCE = 1 << 16


def write_metis(tables: Tables, path: Path) -> None:
    """Write an undirected graph as lists of neighbours.

    Raises
    ------
    GraphError
        If the graph is directed, has labels, or columns that the format has no place for: it
        takes ``weight`` (or ``weight_0``, ``weight_1`` and so on) and ``size`` of vertices,
        integers from 0 on, and ``weight`` of edges.
    """
    if tables.directed:
        raise GraphError(
            f"{TITLE} holds undirected graphs only",
            remedy="give symmetrise=True to make edges lead both ways, or write another format",
        )
    refuse_labels(tables, TITLE)
    names = _number_names(tables)
    refuse_columns(tables, TITLE, vertex_columns=names)
    numbers = _numbers(tables, names)
    weight = tables.edge_columns.get("weight")
    if weight is not None:
        check_weights(weight, TITLE)
    counts, dst, edge = _entries(tables)
    _warn(tables, weight, path)
    fmt = f"{int('size' in names)}{int(len(names) > ('size' in names))}{int(weight is not None)}"
    ncon = len(names) - ("size" in names)
    with open_packed(path) as file:
        header = [tables.num_vertices, len(tables.src)]
        tail = "" if fmt == "000" else f" {fmt.lstrip('0')}{f' {ncon}' if ncon > 1 else ''}"
        file.write(f"{header[0]} {header[1]}{tail}\n".encode())
        values = None if weight is None or edge is None else weight[edge]
        _write_lists(file, numbers, counts, dst, values)


def check_weights(weight: NDArray[Any], title: str) -> None:
    """Refuse weights that are no numbers of 64 bits with a sign, or not finite.

    Raises
    ------
    GraphError
        With the first of them.
    """
    wrong = np.flatnonzero(
        ~np.isfinite(weight) if weight.dtype.kind == "f" else weight > np.iinfo(np.int64).max
    )
    if len(wrong):
        raise GraphError(
            f"{title} cannot hold the weight {weight[wrong[0]]} of edge {wrong[0]}",
            remedy="expected finite numbers, and integers below 2**63",
        )


def _number_names(tables: Tables) -> tuple[str, ...]:
    """Return the vertex columns that METIS has a place for, in its order."""
    columns = tables.vertex_columns
    sizes = ("size",) if "size" in columns else ()
    if "weight" in columns:
        return (*sizes, "weight")
    weights: list[str] = []
    while f"weight_{len(weights)}" in columns:
        weights.append(f"weight_{len(weights)}")
    return (*sizes, *weights) if len(weights) != 1 else sizes


def _numbers(tables: Tables, names: tuple[str, ...]) -> NDArray[np.int64]:
    """Return what stands before the neighbours, int64[num_vertices, len(names)]."""
    for name in names:
        column = tables.vertex_columns[name]
        if column.dtype.kind not in "iub":
            raise GraphError(
                f"{TITLE} cannot hold the vertex column '{name}' of {column.dtype}",
                remedy="make it integers from 0 on",
            )
        wrong = np.flatnonzero((column < 0) | (column > np.iinfo(np.int64).max))
        if len(wrong):
            raise GraphError(
                f"{TITLE} cannot hold the {name} {column[wrong[0]]} of vertex {wrong[0]}",
                remedy="expected integers from 0 on, below 2**63",
            )
    columns = [tables.vertex_columns[name].astype(np.int64) for name in names]
    if not columns:
        return np.empty((tables.num_vertices, 0), np.int64)
    return np.stack(columns, axis=1)


def _entries(
    tables: Tables,
) -> tuple[NDArray[np.int64], NDArray[Any], NDArray[np.int64] | None]:
    """Return the length of each list, the neighbours in them, and the edge of each if weighed."""
    dtype = index_dtype(tables.num_vertices)
    src, dst = np.asarray(tables.src).astype(dtype), np.asarray(tables.dst).astype(dtype)
    back = np.flatnonzero(src != dst)
    ends = np.concatenate([src, dst[back]])
    first = first_positions(ends, tables.num_vertices)
    others = grouped(ends, np.concatenate([dst, src[back]]), first)
    edge = None
    if "weight" in tables.edge_columns:
        edge = grouped(ends, np.concatenate([np.arange(len(src)), back]), first)
    counts: NDArray[np.int64] = np.diff(first).astype(np.int64)
    return counts, others, edge


def _warn(tables: Tables, weight: NDArray[Any] | None, path: Path) -> None:
    """Say what METIS itself does not take."""
    if (tables.src == tables.dst).any():
        logger.warning("%s: METIS itself takes no loops, and there are some", path)
    if weight is not None and (weight.dtype.kind == "f" or (weight <= 0).any()):
        logger.warning("%s: METIS itself takes only integers above 0 as weights of edges", path)


def _write_lists(
    file: IO[bytes],
    numbers: NDArray[np.int64],
    counts: NDArray[np.int64],
    dst: NDArray[Any],
    weight: NDArray[Any] | None,
) -> None:
    """Write the lists, some `_ENTRIES_AT_ONCE` neighbours at a time."""
    from emv_kernels.cpu.write_lists import MOST_BYTES_PER_NUMBER, format_lists

    ends = np.cumsum(counts + 1)  # a list takes time without neighbours too
    row = entry = 0
    while row < len(counts):
        begin = int(ends[row - 1]) if row else 0
        stop = max(row + 1, int(np.searchsorted(ends, begin + _ENTRIES_AT_ONCE, "right")))
        last = entry + int(counts[row:stop].sum())
        texts = b""
        if weight is not None and last > entry:
            texts = ("\n".join(number_texts(weight[entry:last])) + "\n").encode()
        num_numbers = numbers[row:stop].size + last - entry
        out = np.empty(MOST_BYTES_PER_NUMBER * num_numbers + 2 * len(texts) + stop - row, np.uint8)
        num_bytes = format_lists(
            numbers[row:stop],
            counts[row:stop],
            dst[entry:last].astype(np.int64) + 1,
            np.frombuffer(texts, np.uint8),
            out,
        )
        file.write(out[:num_bytes].data)
        row, entry = stop, last
