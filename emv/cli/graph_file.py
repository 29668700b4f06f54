"""Reading the graph that a command line names, with the options that say how."""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any, Unpack

from emv.cli.common_options import ANSWERS
from emv.cli.progress import Progress
from emv.config import config
from emv.device import device_named
from emv.errors import ArgumentError, shown_path
from emv.graph import Graph
from emv.graph.io import find_format, read_source
from emv.graph.io.format import Hints
from emv.graph.io.options import ReadOptions, split_options
from emv.graph.io.source import source_of
from emv.graph.prepare import Options


def read_graph(options: argparse.Namespace, **steps: Unpack[Options]) -> tuple[Graph, float]:
    """Return the graph, prepared by these steps, and the seconds it took to read.

    Raises
    ------
    GraphFormatError
        If the file cannot be read.
    """
    graph, _, seconds = read_with_format(options, **steps)
    return graph, seconds


def read_with_format(
    options: argparse.Namespace, **steps: Unpack[Options]
) -> tuple[Graph, str, float]:
    """Return also the format, between the two."""
    started = time.perf_counter()
    of_table = table_options(options)
    source = source_of(options.graph)

    def read_so_far() -> tuple[int, int]:
        return source.bytes_done(), source.num_bytes

    doing = f"reading {shown_path(options.graph)}"
    with Progress(sys.stderr).stage(doing, bytes_of=read_so_far):
        directed = False if options.undirected else None
        hints = Hints(directed, ANSWERS[options.header], ANSWERS[options.verify], **of_table)
        found: str = options.format or find_format(source, hints).name
        graph = read_source(source, hints, found, steps)
    return graph, found, time.perf_counter() - started


def check_device(asked: str | None) -> None:
    """Refuse a GPU that is not there, before anything is read.

    Raises
    ------
    BackendUnavailableError
        If there is none.
    """
    device = asked or config.backend
    if device.startswith("cuda"):
        device_named(device)


def table_options(options: argparse.Namespace) -> dict[str, Any]:
    """Return what is said of a table, as `emv.read` has it.

    Raises
    ------
    ArgumentError
        If an option is not what it should be.
    """
    asked: dict[str, Any] = {"separator": options.separator}
    asked["vertices"] = getattr(options, "vertices", None)  # a file of changes has no such table
    if options.ends is not None:
        ends = options.ends.split(",")
        if len(ends) != 2 or not all(ends):
            raise ArgumentError(f"--ends {options.ends} is no A,B, such as from,to")
        asked |= {"source": ends[0], "target": ends[1]}
    if options.columns is not None:
        pairs = [each.partition("=") for each in options.columns.split(",") if each]
        asked["columns"] = {name: way or None for name, _, way in pairs}
    said = {name: each for name, each in asked.items() if each is not None}
    return split_options(ReadOptions(**said))[0]  # type: ignore[typeddict-item]


def graph_line(path: str, graph: Graph, read_seconds: float) -> str:
    """Return the line that tells of a graph."""
    kind = "directed" if graph.directed else "undirected"
    counts = f"{counted(graph.num_vertices, 'vertex')}, {counted(graph.num_edges, 'edge')}"
    return f"{shown_path(path)}: {counts}, {kind}, read in {duration(read_seconds)}\n"


def counted(count: int, noun: str) -> str:
    """Return a count with its noun.

    Examples
    --------
    >>> counted(1, "vertex"), counted(7115, "vertex")
    ('1 vertex', '7,115 vertices')
    """
    plural = {"vertex": "vertices"}.get(noun, f"{noun}s")
    return f"{count:,} {noun if count == 1 else plural}"


def duration(seconds: float) -> str:
    """Return a time in ms or s.

    Examples
    --------
    >>> duration(0.0123), duration(12.3)
    ('12.3 ms', '12.3 s')
    """
    return f"{1e3 * seconds:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"
