"""Reading the graph that a command line names, with the options that say how."""

from __future__ import annotations

import argparse
import sys
import time
from typing import Unpack

from emv.cli.parser import ANSWERS
from emv.cli.progress import Progress
from emv.errors import shown_path
from emv.graph import Graph
from emv.graph.io import find_format, read_source
from emv.graph.io.format import Hints
from emv.graph.io.source import Source, path_of
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
    source = Source(path_of(options.graph))
    with Progress(sys.stderr).stage(f"reading {shown_path(options.graph)}"):
        found: str = options.format or find_format(source).name
        directed = False if options.undirected else None
        hints = Hints(directed, ANSWERS[options.header], ANSWERS[options.verify])
        graph = read_source(source, hints, found, steps)
    return graph, found, time.perf_counter() - started


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
