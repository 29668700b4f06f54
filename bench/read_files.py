"""Time reading text files: emv to a graph, polars and pyarrow to columns, scipy to a matrix.

The files are made in a temporary folder, so they lie in the page cache. The libraries take turns
and a row shows medians; in the first turn, which is not counted, what each read is compared with
what was written. emv's time is that of ``emv.read``: numbers of vertices checked, ids renumbered,
arrays handed to the graph; the others stop at their columns. ``cpu`` is what a library's threads
took together, which says more than the time where other programs share the cores. Exits 1 when
a limit is missed or a result is wrong.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import emv
from bench.study import Row, run

LEAST_MB_PER_S = 400  # of edge lists, on two cores
LIMITS = {"polars": 1.0, "pyarrow": 1.0, "scipy": 0.8}  # how many times as fast as they are
UNLIMITED = "ids with gaps"  # are renumbered, which takes longer than reading; the others don't

Columns = list[NDArray[Any]]


@dataclass
class File:
    """A file, what was written into it, and who reads it."""

    name: str
    text: str
    columns: Columns
    readers: dict[str, Callable[[str], Any]] = field(default_factory=dict)


def read_emv(path: str) -> Any:
    """Read a graph; of a table with a header, by the names of its columns."""
    if path.endswith(".csv"):
        return emv.read(path, source="from", target="to", columns=["weight"])
    return emv.read(path)


def read_polars(path: str) -> Any:
    """Read columns with polars."""
    import polars

    is_named = path.endswith(".csv")
    return polars.read_csv(path, separator="," if is_named else "\t", has_header=is_named)


def read_pyarrow(path: str) -> Any:
    """Read columns with pyarrow."""
    from pyarrow import csv

    if path.endswith(".csv"):
        return csv.read_csv(path)
    names = csv.ReadOptions(autogenerate_column_names=True)
    return csv.read_csv(path, read_options=names, parse_options=csv.ParseOptions(delimiter="\t"))


def read_scipy(path: str) -> Any:
    """Read a matrix with scipy, which uses all cores."""
    import scipy.io

    return scipy.io.mmread(path)


def columns_of(result: Any) -> Columns:
    """Return what a library read as columns."""
    if isinstance(result, emv.Graph):
        ends = [result.edges.src, result.edges.dst]
        labels = result.labels
        ends = ends if labels is None else [labels[each] for each in ends]
        return [*ends, result.edges.weight] if "weight" in result.edges else ends
    if hasattr(result, "tocsr"):
        return [result.row, result.col, result.data]
    columns = result.get_columns() if hasattr(result, "get_columns") else result.columns
    return [np.asarray(each) for each in columns]


def make_files(num_edges: int, folder: Path, chosen: tuple[str, ...]) -> list[File]:
    """Write the files that are chosen, with emv."""
    rng = np.random.default_rng(1)
    src, dst = rng.integers(0, 1 << 20, (2, num_edges))
    src[0], dst[0] = 0, (1 << 20) - 1
    few = num_edges * 5 // 8
    weight = np.round(1000 * rng.random(few), 3)
    tables = {"polars": read_polars, "pyarrow": read_pyarrow}
    matrices = {"scipy": read_scipy}
    files = [
        File("two.tsv", "two integers", [src, dst], dict(tables)),
        File("gaps.tsv", UNLIMITED, [997 * src, 997 * dst], dict(tables)),
        File("weights.tsv", "with decimals", [src[:few], dst[:few], weight], dict(tables)),
        File("named.csv", "named columns", [src[:few], dst[:few], weight], dict(tables)),
        File("pattern.mtx", "matrix, pattern", [src, dst], dict(matrices)),
        File("real.mtx", "matrix, real", [src[:few], dst[:few], weight], dict(matrices)),
    ]
    files = [each for each in files if each.name in (chosen or (each.name,))]
    for each in files:
        write_file(each, folder / each.name)
    return files


def write_file(file: File, path: Path) -> None:
    """Write the columns as lines, without a comment, which polars would take for an edge."""
    from emv.graph.io.rows import write_rows

    src, dst, *values = file.columns
    is_matrix = path.suffix == ".mtx"
    with path.open("wb") as out:
        if is_matrix:
            kind = "real" if values else "pattern"
            size = f"{1 << 20} {1 << 20} {len(src)}"
            out.write(f"%%MatrixMarket matrix coordinate {kind} general\n{size}\n".encode())
        if path.suffix == ".csv":
            out.write(b"from,to,weight\n")
        between = b"," if path.suffix == ".csv" else b"\t"
        write_rows(out, (src, dst), values[0] if values else None, between, int(is_matrix))


def fault_of(file: File, result: Any) -> str:
    """Compare what a library read with what was written."""
    got = columns_of(result)[: len(file.columns)]
    same = all(map(np.array_equal, got, file.columns))
    return "" if same and len(got) == len(file.columns) else "read otherwise than it was written"


def measured(file: File, path: Path, rounds: int) -> Iterator[Row]:
    """Let the libraries take turns on one file."""
    readers: dict[str, Callable[[str], Any]] = {"emv": read_emv, **file.readers}
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in readers}
    faults = {name: fault_of(file, reader(str(path))) for name, reader in readers.items()}
    for _ in range(rounds):
        for name, reader in readers.items():
            started, cpu_started = time.perf_counter(), time.process_time()
            result = reader(str(path))
            times[name].append((time.perf_counter() - started, time.process_time() - cpu_started))
            del result
    megabytes = path.stat().st_size / 1e6
    ours = statistics.median(wall for wall, _ in times["emv"])
    for name, each in times.items():
        seconds = statistics.median(wall for wall, _ in each)
        yield {
            "file": file.text,
            "read by": name,
            "MB": megabytes,
            "seconds": seconds,
            "cpu, s": statistics.median(cpu for _, cpu in each),
            "MB/s": megabytes / seconds,
            "emv is faster by": seconds / ours,
            "missed": is_missed(file, name, megabytes / seconds, seconds / ours),
            "fault": faults[name],
        }


def is_missed(file: File, name: str, speed: float, faster: float) -> bool:
    """Return whether emv is slower than it should be."""
    if file.text == UNLIMITED:
        return False
    if name != "emv":
        return faster < LIMITS[name]
    return not file.name.endswith(".mtx") and speed < LEAST_MB_PER_S


def read_files(
    rounds: int = 5,
    edges: int = 16_000_000,
    files: tuple[str, ...] = (),
    peers: tuple[str, ...] = tuple(LIMITS),
) -> Iterator[Row]:
    """Time reading text files beside other libraries."""
    with tempfile.TemporaryDirectory() as name:
        for file in make_files(edges, Path(name), files):
            for peer in file.readers.keys() - set(peers):
                del file.readers[peer]
            yield from measured(file, Path(name, file.name), rounds)


if __name__ == "__main__":
    raise SystemExit(run(read_files))
