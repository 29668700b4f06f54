"""``emv convert``: a graph out of one file into another, with less in it if asked for."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

from emv.cli.convert_options import options_of
from emv.cli.failures import about
from emv.cli.graph_file import duration, graph_line, read_graph
from emv.cli.progress import Progress
from emv.errors import ArgumentError, shown_path
from emv.graph.io import find_writer, write
from emv.graph.io.source import is_address


def execute(options: argparse.Namespace) -> str:
    """Read, prepare and write the graph; return two lines about it, or with ``--json`` an object.

    Raises
    ------
    ArgumentError
        If the file cannot be written, which is found out before anything is read.
    """
    _check_out(options)
    with about(options.graph):
        graph, read_seconds = read_graph(options, **options_of(options))
    started = time.perf_counter()
    with about(options.out), Progress(sys.stderr).stage(f"writing {shown_path(options.out)}"):
        write(graph, options.out, format=options.to, drop=options.drop)
    write_seconds = time.perf_counter() - started
    if options.json:
        facts = {
            "graph": options.graph,
            "out": options.out,
            "vertices": graph.num_vertices,
            "edges": graph.num_edges,
            "directed": graph.directed,
            "read_seconds": read_seconds,
            "write_seconds": write_seconds,
        }
        return json.dumps(facts) + "\n"
    wrote = f"saved to {shown_path(options.out)} in {duration(write_seconds)}\n"
    told = graph_line(options.graph, graph, read_seconds) + wrote
    if options.out == "-":  # where the graph has gone
        sys.stderr.write(told)
        return ""
    return told


def _check_out(options: argparse.Namespace) -> None:
    """Refuse a file that cannot be written."""
    path = Path(options.out)
    find_writer(path, options.to)
    if options.out == "-" and options.json:
        raise ArgumentError("--json and the graph would both go to standard output, name a file")
    if options.out == "-" or is_address(options.out):
        return
    if not path.parent.is_dir():
        raise ArgumentError(f"there is no folder {path.parent}, create it first")
    if path.exists() and Path(options.graph).exists() and path.samefile(options.graph):
        raise ArgumentError(f"{options.out} is the graph's own file, choose another")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise ArgumentError(f"{options.out} may not be written, choose another file")
