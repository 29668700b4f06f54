"""``--out``: a result as a numpy file, or as a table of comma-separated values."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import ArgumentError
from emv.graph import Graph
from emv.graph.io.drafts import replacing

ROWS_AT_ONCE = 1 << 16


def check_out(out: str, graph_file: str) -> None:
    """Refuse a file that cannot be written, before anything is read or run.

    Raises
    ------
    ArgumentError
        If its name ends in another way, it is the graph's own, or it cannot be written.
    """
    path = Path(out)
    if path.suffix.lower() not in (".npy", ".csv"):
        raise ArgumentError(f"--out {out} is neither FILE.npy nor FILE.csv, choose one of them")
    if path.is_dir():
        raise ArgumentError(f"--out {out} is a folder, name a file")
    if not path.parent.is_dir():
        raise ArgumentError(f"--out {out}: there is no folder {path.parent}, create it first")
    if path.exists() and Path(graph_file).exists() and path.samefile(graph_file):
        raise ArgumentError(f"--out {out} is the graph's own file, choose another")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise ArgumentError(f"--out {out} may not be written, choose another file")


def write_result(
    out: str, graph: Graph, values: NDArray[Any], *, per_edge: bool, are_vertices: bool
) -> None:
    """Write a result to the file of ``--out``.

    Parameters
    ----------
    values : any[num_vertices] or any[num_edges]
        The result. A numpy file holds it as it is; a table holds labels in the place of ids.
    per_edge : bool
        Whether it has a value per edge.
    are_vertices : bool
        Whether its values are ids of vertices.
    """
    path = Path(out)
    if path.suffix.lower() == ".npy":
        with replacing(path) as file:
            np.save(file, values)
        return
    with replacing(path) as file:
        table = io.TextIOWrapper(file, encoding="utf-8", newline="")
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow(["edge", "src", "dst", "value"] if per_edge else ["vertex", "value"])
        for rows in _slices(len(values)):
            names = _ends(graph, rows) if per_edge else [_names(graph, _ids(rows))]
            shown = _names(graph, values[rows]) if are_vertices else _texts(values[rows])
            writer.writerows(zip(*names, shown, strict=True))
        table.detach()


def _slices(num_rows: int) -> Iterator[slice]:
    for first in range(0, num_rows, ROWS_AT_ONCE):
        yield slice(first, min(first + ROWS_AT_ONCE, num_rows))


def _ids(rows: slice) -> NDArray[Any]:
    return np.arange(rows.start, rows.stop)


def _ends(graph: Graph, rows: slice) -> list[list[Any]]:
    """Return the ids of edges, and the vertices at their two ends."""
    src, dst = graph.edges.endpoints()
    return [_ids(rows).tolist(), _names(graph, src[rows]), _names(graph, dst[rows])]


def _names(graph: Graph, vertices: NDArray[Any]) -> list[Any]:
    """Return what the file calls vertices."""
    names = vertices if graph.labels is None else graph.labels[vertices]
    return list(names.tolist())


def _texts(values: NDArray[Any]) -> list[Any]:
    """Return numbers with as many digits as they have, and 1 and 0 for true and false."""
    if values.dtype.kind == "f":
        return list(values.astype(str).tolist())
    return list((values.astype(np.uint8) if values.dtype.kind == "b" else values).tolist())
