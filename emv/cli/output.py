"""``--out``: all results of a run under their names, as arrays, a table, or JSON.

A table has a row per vertex or per edge, with labels in the place of ids, so all results in it are
of one kind; ``.npz`` and ``.json`` hold any. What cannot be written is refused before a run.
"""

from __future__ import annotations

import csv
import io
import json
import logging
import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import ArgumentError
from emv.graph import Graph
from emv.graph.io.drafts import replacing
from emv.imports import required

logger = logging.getLogger("emv.cli")

ROWS_AT_ONCE = 1 << 16
TABLES = (".csv", ".parquet", ".arrow")
ENDINGS = (".npy", ".npz", ".json", *TABLES)


def check_out(
    out: str, graph_file: str, names: tuple[str, ...] = ("value",), has_rows: bool = True
) -> None:
    """Refuse a file that cannot be written, before anything is read or run.

    Parameters
    ----------
    names : tuple of str
        Of the results, as far as they are known.
    has_rows : bool
        Whether they have a value per vertex or per edge.

    Raises
    ------
    ArgumentError
        If its name ends in another way, it holds fewer results than there are, needs a library that
        is not installed, is the graph's own, or cannot be written.
    """
    path, ending = Path(out), Path(out).suffix.lower()
    if ending not in ENDINGS:
        there = ", ".join(f"FILE{each}" for each in ENDINGS)
        raise ArgumentError(f"--out {out} is none of {there}, choose one of them")
    if ending == ".npy" and len(names) > 1:
        raise ArgumentError(f"--out {out} holds one of {' and '.join(names)}, name a FILE.npz")
    if ending in TABLES and not has_rows:
        raise ArgumentError(
            f"--out {out} has a row for each vertex or edge, and this result has none",
            remedy="name a FILE.npz or a FILE.json",
        )
    if ending in (".parquet", ".arrow"):
        required("pyarrow")
    if path.is_dir():
        raise ArgumentError(f"--out {out} is a folder, name a file")
    if not path.parent.is_dir():
        raise ArgumentError(f"--out {out}: there is no folder {path.parent}, create it first")
    if path.exists() and Path(graph_file).exists() and path.samefile(graph_file):
        raise ArgumentError(f"--out {out} is the graph's own file, choose another")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise ArgumentError(f"--out {out} may not be written, choose another file")


def write_results(
    out: str,
    graph: Graph,
    results: Mapping[str, Any],
    *,
    per_edge: bool,
    are_vertices: bool,
    has_rows: bool = True,
) -> None:
    """Write all results to the file of ``--out``.

    Parameters
    ----------
    results : dict
        By name: arrays on the host, or numbers. Arrays of numbers hold them as they are; a table
        holds labels in the place of ids, and in JSON null stands for inf and NaN.
    per_edge : bool
        Whether they have a value per edge.
    are_vertices : bool
        Whether arrays of whole numbers in them are ids of vertices; below 0 means none.
    has_rows : bool
        Whether they have a value per vertex or edge at all.

    Raises
    ------
    ArgumentError
        If the file holds no such results.
    """
    path = Path(out)
    ending = path.suffix.lower()
    if ending == ".npy" and len(results) > 1:
        raise ArgumentError(f"--out {out} holds one of {' and '.join(results)}, name a FILE.npz")
    num_rows = graph.num_edges if per_edge else graph.num_vertices
    if ending in TABLES:
        lost = [name for name, each in results.items() if np.shape(each) == ()]
        results = {name: each for name, each in results.items() if name not in lost}
        for name in lost if results else ():
            logger.warning("left out of %s: %s, which is one number", out, name)
    if ending in TABLES and (
        not results or any(np.shape(each) != (num_rows,) for each in results.values())
    ):
        raise ArgumentError(
            f"--out {out} has a row for each {'edge' if per_edge else 'vertex'}, and not all "
            "results have, name a FILE.npz or a FILE.json"
        )
    with replacing(path) as file:
        if ending == ".npy":
            np.save(file, next(iter(results.values())))
        elif ending == ".npz":
            arrays: dict[str, Any] = {name: np.asarray(each) for name, each in results.items()}
            np.savez(file, **arrays)
        elif ending == ".json":
            file.write(
                json_of(graph, results, per_edge if has_rows else None, are_vertices).encode()
            )
        elif ending == ".csv":
            write_csv(file, graph, results, per_edge, are_vertices)
        else:
            write_arrow(file, ending, graph, results, per_edge, are_vertices)


def json_of(
    graph: Graph, results: Mapping[str, Any], per_edge: bool | None, are_vertices: bool
) -> str:
    """Return one JSON object: the names of rows, if there are any, and every result by name."""
    shown: dict[str, Any] = {}
    if per_edge is not None:
        rows = slice(0, graph.num_edges if per_edge else graph.num_vertices)
        shown = dict(zip(row_names(per_edge), ends_of(graph, rows, per_edge), strict=True))
    for name, values in results.items():
        is_named = are_vertices and are_ids(values)
        shown[name] = finite(names_of(graph, values) if is_named else np.asarray(values).tolist())
    return json.dumps(shown, allow_nan=False) + "\n"


def finite(value: Any) -> Any:
    """Return numbers that JSON can hold, in lists of any depth."""
    if isinstance(value, list):
        return [finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def write_csv(
    file: IO[bytes], graph: Graph, results: Mapping[str, Any], per_edge: bool, are_vertices: bool
) -> None:
    """Write a table of comma-separated values."""
    table = io.TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow([*row_names(per_edge), *results])
    for rows in slices(graph.num_edges if per_edge else graph.num_vertices):
        parts = [values[rows] for values in results.values()]
        shown = [
            names_of(graph, each) if are_vertices and are_ids(each) else texts_of(each)
            for each in parts
        ]
        writer.writerows(zip(*ends_of(graph, rows, per_edge), *shown, strict=True))
    table.detach()


def write_arrow(
    file: IO[bytes],
    ending: str,
    graph: Graph,
    results: Mapping[str, Any],
    per_edge: bool,
    are_vertices: bool,
) -> None:
    """Write a table of Arrow's, as its own file or as Parquet."""
    arrow = required("pyarrow")
    rows = slice(0, graph.num_edges if per_edge else graph.num_vertices)
    columns = dict(zip(row_names(per_edge), ends_of(graph, rows, per_edge), strict=True))
    for name, values in results.items():
        columns[name] = names_of(graph, values) if are_vertices and are_ids(values) else values
    table = arrow.table(columns)
    if ending == ".parquet":
        required("pyarrow.parquet").write_table(table, file)
        return
    with required("pyarrow.ipc").new_file(file, table.schema) as writer:
        writer.write_table(table)


def slices(num_rows: int) -> Iterator[slice]:
    """Yield the rows of a table, so many at once."""
    for first in range(0, num_rows, ROWS_AT_ONCE):
        yield slice(first, min(first + ROWS_AT_ONCE, num_rows))


def row_names(per_edge: bool) -> list[str]:
    """Return what the columns are called that say which vertex or edge a row is of."""
    return ["edge", "src", "dst"] if per_edge else ["vertex"]


def ends_of(graph: Graph, rows: slice, per_edge: bool) -> list[list[Any]]:
    """Return the vertices of some rows; of edges their ids, and the vertices at their two ends."""
    ids = np.arange(rows.start, rows.stop)
    if not per_edge:
        return [names_of(graph, ids)]
    src, dst = graph.edges.endpoints()
    return [ids.tolist(), names_of(graph, src[rows]), names_of(graph, dst[rows])]


def are_ids(values: Any) -> bool:
    """Return whether values may be ids of vertices: whole numbers, and more than one number."""
    return np.ndim(values) > 0 and np.asarray(values).dtype.kind in "iu"


def names_of(graph: Graph, vertices: NDArray[Any]) -> list[Any]:
    """Return what the file calls vertices; where it calls them by labels, None for ids below 0."""
    if np.ndim(vertices) > 1:
        return [names_of(graph, row) for row in vertices]
    if graph.labels is None:
        return list(vertices.tolist())
    names = graph.labels[np.maximum(vertices, 0)].tolist()
    return [
        None if vertex < 0 else name for vertex, name in zip(vertices.tolist(), names, strict=True)
    ]


def texts_of(values: NDArray[Any]) -> list[Any]:
    """Return numbers with as many digits as they have, and 1 and 0 for true and false."""
    if values.dtype.kind == "f":
        return list(values.astype(str).tolist())
    return list((values.astype(np.uint8) if values.dtype.kind == "b" else values).tolist())
