"""``emv replay``: a file of timed changes applied by batches, with a result for every version."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from emv.cli.arguments import Call, plan_call, require_arguments
from emv.cli.failures import about
from emv.cli.graph_file import check_device, counted, duration, table_options
from emv.cli.output import finite
from emv.cli.progress import Progress
from emv.cli.results import Summary, label_of, meaning_of
from emv.errors import ArgumentError, shown_path
from emv.graph import Graph
from emv.graph.io import find_writer, write
from emv.graph.io.format import Hints
from emv.graph.io.source import path_of, source_of
from emv.graph.on_device import on_host
from emv.graph.stream.batches import in_batches
from emv.graph.stream.file import blocks_of
from emv.runtime.replaying import Version, versions_of
from emv.runtime.run import Run

NUM_TOP = 3  # vertices of a summary that a version's line of JSON shows


def execute(options: argparse.Namespace) -> str:
    """Apply the changes and return what is to be printed of the versions."""
    if options.batch < 1:
        raise ArgumentError(f"--batch {options.batch} is no number of changes, give 1 or more")
    if options.out is not None and find_writer(path_of(options.out), None).save is None:
        raise ArgumentError(
            f"--out {shown_path(options.out)} is no folder of emv's, which alone keep versions",
            remedy="name it FOLDER.emv",
        )
    call = _call(options)
    if call is not None:
        require_arguments(call)
    check_device(options.device)
    source = source_of(options.changes)
    hints = Hints(**table_options(options))
    graph = Graph(directed=not options.undirected)
    versions = versions_of(graph, in_batches(blocks_of(source, hints), options.batch), source)
    results, rows = _Results(call, options), list[dict[str, Any]]()
    doing = f"replaying {shown_path(options.changes)}"

    def read_so_far() -> tuple[int, int]:
        return source.bytes_done(), source.num_bytes

    with (
        Progress(sys.stderr).stage(doing, bytes_of=read_so_far),
        about(options.changes),
    ):
        for version in versions:
            if options.out is not None:
                write(version.graph, options.out, keep=bool(rows))
            rows.append(results.row_of(version))
    if not rows:
        raise ArgumentError(f"{shown_path(options.changes)} holds no change")
    results.check()
    if options.json:
        return json.dumps({**_said(options), "versions": rows}, allow_nan=False) + "\n"
    saved = "" if options.out is None else f"saved to {shown_path(options.out)}\n"
    return _table(rows, call is not None) + saved + results.sentence()


def _call(options: argparse.Namespace) -> Call | None:
    """Return the call of the program that is to be run, if one is."""
    if options.run is not None:
        return plan_call(options.run, options.settings, options.source)
    for name, given in (("source", options.source), ("set", options.settings)):
        if given:
            raise ArgumentError(f"--{name} is for a program, and --run names none")
    return None


class _Results:
    """The results of a program, brought from version to version.

    Where it starts from vertices, it runs from the first version on that has them.
    """

    def __init__(self, call: Call | None, options: argparse.Namespace) -> None:
        self._call, self._options = call, options
        self._run: Run | None = None
        self._missing: ArgumentError | None = None
        self._summary = Summary()

    def row_of(self, version: Version) -> dict[str, Any]:
        """Return what there is to say of a version."""
        graph = version.graph
        row: dict[str, Any] = {
            "version": version.number,
            "changes": version.changes,
            "time": version.time,
            "vertices": graph.num_vertices,
            "edges": graph.num_edges,
            "seconds": version.seconds,
        }
        if self._call is None or not self._bring(self._call, graph):
            return row
        assert self._run is not None
        run, meaning = self._run, meaning_of(self._call, graph, self._run.result)
        shown = on_host(meaning.part_of(run.result))
        self._summary = meaning.summary(graph, shown, self._call)
        counts = {name: finite(count) for name, count in self._summary.counts.items()}
        top = [
            {"vertex": label_of(graph, vertex), "value": finite(value)}
            for vertex, value in self._summary.top[:NUM_TOP]
        ]
        told = {"run_seconds": run.seconds, "supersteps": run.supersteps, "updated": run.updated}
        return {**row, **told, "result": {**counts, "top": top}}

    def _bring(self, call: Call, graph: Graph) -> bool:
        """Run on a version, or go on from the one before; False while a vertex is missing."""
        if self._run is not None:
            self._run = call.program.update(self._run, graph)  # type: ignore[union-attr]
            return True
        try:
            named = call.named(graph)
        except ArgumentError as error:
            self._missing = error
            return False
        options = self._options
        self._run = call.program.run(graph, backend=options.device, rng=options.seed, **named)
        return True

    def check(self) -> None:
        """Refuse vertices that no version had."""
        if self._run is None and self._missing is not None:
            raise self._missing

    def sentence(self) -> str:
        """Return the line that sums up the last result."""
        return f"\n{self._summary.sentence.rstrip(':')}\n" if self._summary.sentence else ""


def _said(options: argparse.Namespace) -> dict[str, Any]:
    """Return what was asked for, as JSON has it."""
    return {
        "changes": options.changes,
        "batch": options.batch,
        "directed": not options.undirected,
        "algorithm": options.run,
        "source": options.source,
        "set": options.settings,
        "seed": options.seed,
        "out": options.out,
    }


def _table(rows: list[dict[str, Any]], has_run: bool) -> str:
    """Return a line for every version."""
    columns = [name for name in ("time",) if any(row["time"] is not None for row in rows)]
    heads = ["version", "changes", *columns, "vertices", "edges", "applied in"]
    cells = [
        [f"{row['version']:,}", f"{row['changes']:,}"]
        + [str(row[name]) for name in columns]
        + [f"{row['vertices']:,}", f"{row['edges']:,}", duration(row["seconds"])]
        for row in rows
    ]
    widths = [max(len(line[place]) for line in [heads, *cells]) for place in range(len(heads))]
    lines = [
        "  ".join(f"{cell:>{width}}" for cell, width in zip(line, widths, strict=True))
        for line in [heads, *cells]
    ]
    if has_run:
        told = ["result"] + [
            "no such vertex yet"
            if "run_seconds" not in row
            else f"{duration(row['run_seconds'])}, {row['updated'] or 'the first run'}"
            for row in rows
        ]
        lines = [f"{line}  {each}" for line, each in zip(lines, told, strict=True)]
    total = sum(row["seconds"] for row in rows)
    lines.append(f"{counted(len(rows), 'version')}, applied in {duration(total)}")
    return "\n".join(lines) + "\n"
