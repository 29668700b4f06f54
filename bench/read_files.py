"""Time reading text files: emv to a graph, polars and pyarrow to columns.

The files are made in a temporary folder, so they lie in the page cache. The libraries take turns
and a row shows medians; before, what each reads is compared with what was written. emv's time is
that of ``emv.read``: numbers of vertices checked, ids renumbered, arrays handed to the graph; the
others stop at their columns. ``cpu`` is what a library's threads took together, which says more
than the time where other programs share the cores. Exits 1 when a limit is missed or a result is
wrong.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import emv
from bench.study import Row, run
from bench.timing import medians
from emv.graph.io.rows import write_rows

SIZE = 1 << 20  # vertices
FILES = {
    "two.tsv": "two integers",
    "gaps.tsv": "ids with gaps",
    "weights.tsv": "with decimals",
    "named.csv": "named columns",
}
LEAST_MB_PER_S = 400  # of edge lists, on two cores
FASTER = 1.0  # times as fast as others, at least
UNLIMITED = "gaps.tsv"  # renumbering takes longer than reading; the others do none

Columns = list[NDArray[Any]]


def read_emv(path: Path) -> Any:
    """Read a graph; of a table with a header, by the names of its columns."""
    if path.suffix == ".csv":
        return emv.read(path, source="from", target="to", columns=["weight"])
    return emv.read(path)


def read_polars(path: Path) -> Any:
    """Read columns with polars."""
    import polars

    is_named = path.suffix == ".csv"
    return polars.read_csv(path, separator="," if is_named else "\t", has_header=is_named)


def read_pyarrow(path: Path) -> Any:
    """Read columns with pyarrow."""
    from pyarrow import csv

    if path.suffix == ".csv":
        return csv.read_csv(path)
    names = csv.ReadOptions(autogenerate_column_names=True)
    return csv.read_csv(path, read_options=names, parse_options=csv.ParseOptions(delimiter="\t"))


READERS = {"emv": read_emv, "polars": read_polars, "pyarrow": read_pyarrow}


def columns_of(result: Any) -> Columns:
    """Return what a library read as columns."""
    if isinstance(result, emv.Graph):
        ends, labels = [result.edges.src, result.edges.dst], result.labels
        ends = ends if labels is None else [labels[each] for each in ends]
        return [*ends, result.edges.weight] if "weight" in result.edges else ends
    columns = result.get_columns() if hasattr(result, "get_columns") else result.columns
    return [np.asarray(each) for each in columns]


def drawn(name: str, num_edges: int) -> Columns:
    """Return what is written into a file; with weights it has five edges in place of eight."""
    rng = np.random.default_rng(1)
    src, dst = rng.integers(0, SIZE, (2, num_edges))
    src[0], dst[0] = 0, SIZE - 1
    if name == "two.tsv":
        return [src, dst]
    if name == "gaps.tsv":
        return [997 * src, 997 * dst]
    few = num_edges * 5 // 8
    return [src[:few], dst[:few], np.round(1000 * rng.random(few), 3)]


def write_file(path: Path, columns: Columns) -> None:
    """Write columns as lines, without a comment, which polars would take for an edge."""
    src, dst, *values = columns
    is_named = path.suffix == ".csv"
    with path.open("wb") as out:
        out.write(b"from,to,weight\n" * is_named)
        write_rows(out, (src, dst), values[0] if values else None, b"," if is_named else b"\t", 0)


def fault_of(columns: Columns, result: Any) -> str:
    """Compare what a library read with what was written."""
    got = columns_of(result)[: len(columns)]
    same = len(got) == len(columns) and all(map(np.array_equal, got, columns))
    return "" if same else "read otherwise than it was written"


def measured(path: Path, columns: Columns, peers: tuple[str, ...], rounds: int) -> Iterator[Row]:
    """Let the libraries take turns on one file."""
    readers = {name: read for name, read in READERS.items() if name in ("emv", *peers)}
    faults = {name: fault_of(columns, read(path)) for name, read in readers.items()}
    spent: dict[str, list[float]] = {name: [] for name in readers}

    def read(name: str) -> Any:
        began = time.process_time()
        found = readers[name](path)
        spent[name].append(time.process_time() - began)
        return found  # freed when the clock has been read

    taken_ms = medians({name: partial(read, name) for name in readers}, rounds)
    megabytes = path.stat().st_size / 1e6
    for name, ms in taken_ms.items():
        row = {"file": FILES[path.name], "read by": name, "MB": megabytes, "seconds": ms / 1000}
        row |= {"cpu, s": statistics.median(spent[name]), "MB/s": 1000 * megabytes / ms}
        row |= {"emv is faster by": ms / taken_ms["emv"], "fault": faults[name]}
        slow = ms / taken_ms["emv"] < FASTER or (name == "emv" and row["MB/s"] < LEAST_MB_PER_S)
        yield row | {"missed": slow and path.name != UNLIMITED}


def read_files(
    rounds: int = 5,
    edges: int = 16_000_000,
    files: tuple[str, ...] = tuple(FILES),
    peers: tuple[str, ...] = tuple(READERS)[1:],
) -> Iterator[Row]:
    """Time reading text files beside other libraries."""
    with tempfile.TemporaryDirectory() as folder:
        for name in files:
            path, columns = Path(folder, name), drawn(name, edges)
            write_file(path, columns)
            yield from measured(path, columns, peers, rounds)


if __name__ == "__main__":
    raise SystemExit(run(read_files))
