"""``emv run``: an algorithm on a graph file, its result summed up on stdout or saved."""

from __future__ import annotations

import argparse
import json
import math
import sys
from typing import Any

import numpy as np

from emv.cli.arguments import Call, plan_call, require_arguments
from emv.cli.failures import about
from emv.cli.functions import RUNNABLE
from emv.cli.graph_file import check_device, counted, duration, graph_line, read_graph
from emv.cli.output import check_out, finite, write_results
from emv.cli.progress import Progress
from emv.cli.results import RESULTS, Meaning, Summary, label_of, meaning_of
from emv.errors import ArgumentError, shown_path
from emv.graph import Graph
from emv.graph.on_device import on_host
from emv.runtime.run import Run


def execute(options: argparse.Namespace) -> str:
    """Run what the options say and return what is to be printed."""
    call = plan_call(options.algorithm, options.settings, options.source, RUNNABLE)
    require_arguments(call)
    check_device(options.device)
    check_parts(options)
    if options.out is not None:
        check_results(call, options)
    graph, read_seconds = read_graph(options)
    if options.gpus is not None:
        graph = graph.on("cuda", gpus=options.gpus, by=options.by or "ranges")
    with about(options.graph):
        run = _run(call, graph, options)
    meaning = meaning_of(call, graph, run.result)
    result = tuple(run.result.values()) if isinstance(run.result, dict) else run.result
    results = {name: on_host(each) for name, each in meaning.named(result).items()}
    if options.out is not None:
        write_results(
            options.out,
            graph,
            results,
            per_edge=meaning.per_edge,
            are_vertices=meaning.are_vertices,
            has_rows=meaning.has_rows,
        )
    shown = results[meaning.column if meaning.parts else "value"]
    summary = meaning.summary(graph, shown, call)
    if options.json:
        return _json(options, graph, read_seconds, run, (meaning, results, summary))
    return graph_line(options.graph, graph, read_seconds) + _text(options, graph, run, summary)


def check_parts(options: argparse.Namespace) -> None:
    """Refuse parts that are asked for where there are none, before anything is read."""
    if options.gpus is not None and options.device != "cuda":
        raise ArgumentError("--gpus goes with --device cuda", remedy="Add --device cuda.")
    if options.by is not None and options.gpus is None:
        raise ArgumentError("--by says how a graph is divided among GPUs, add --gpus N")


def check_results(call: Call, options: argparse.Namespace) -> None:
    """Refuse a file that has no room for the results, before anything is read or run."""
    if call.is_own:
        check_out(options.out, options.graph)
        return
    meaning = RESULTS[call.program.name]
    if meaning.is_number:
        raise ArgumentError(f"{call.program.name} returns one number, leave --out out")
    check_out(options.out, options.graph, meaning.names, has_rows=meaning.has_rows)


def _run(call: Call, graph: Graph, options: argparse.Namespace) -> Run:
    """Run the program, with a line on a terminal."""
    progress = Progress(sys.stderr)
    doing = "running" if options.device == "python" else "compiling and running"

    def report(step: int, info: dict[str, Any]) -> bool:
        progress.step(step, call.program.name)
        return False  # do not stop

    with progress.stage(f"{doing} {call.program.name}", call.value("max_iter")):
        return call.program.run(
            graph,
            backend=options.device if options.gpus is None else graph.device,
            rng=options.seed,
            callback=report,
            **call.named(graph),
        )


def _text(options: argparse.Namespace, graph: Graph, run: Run, summary: Summary) -> str:
    """Return the lines that tell of a run and its result."""
    compiled = f", compiled in {duration(run.compile_seconds)}" if run.compile_seconds else ""
    steps = f"{counted(run.supersteps, 'superstep')} ({run.stopped}), " if run.stopped else ""
    lines = [f"{run.program} on {run.backend}: {steps}{duration(run.seconds)}{compiled}"]
    if options.out is not None:
        lines.append(f"saved to {shown_path(options.out)}")
    if summary.sentence:
        lines += ["", summary.sentence]
    if summary.top:
        lines += ["", *_table(graph, summary)]
    return "\n".join(lines) + "\n"


def _table(graph: Graph, summary: Summary) -> list[str]:
    """Return the lines of two columns, aligned to the right."""
    shown = [(str(label_of(graph, vertex)), _number(value)) for vertex, value in summary.top]
    rows = [summary.heading, *shown]
    first, second = (max(len(row[column]) for row in rows) for column in (0, 1))
    return [f"{row[0]:>{first}}  {row[1]:>{second}}" for row in rows]


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.6g}"


def _json(
    options: argparse.Namespace,
    graph: Graph,
    read_seconds: float,
    run: Run,
    found: tuple[Meaning, dict[str, Any], Summary],
) -> str:
    """Return the run and its results as one JSON object."""
    meaning, results, summary = found
    top = [
        {"vertex": label_of(graph, vertex), "value": _finite(value)}
        for vertex, value in summary.top
    ]
    counts = {name: _finite(count) for name, count in summary.counts.items()}
    fields = {
        "algorithm": run.program,
        "graph": options.graph,
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        "directed": graph.directed,
        "device": run.backend,
        "seed": options.seed,
        "source": options.source,
        "set": options.settings,
        "supersteps": run.supersteps if run.stopped else None,
        "stopped": run.stopped or None,
        "seconds": run.seconds,
        "compile_seconds": run.compile_seconds,
        "read_seconds": read_seconds,
        "reached": None if run.reached is None else _finite(run.reached),
        "result": {"column": meaning.column, **counts, "top": top},
        "results": {name: _kind(each) for name, each in results.items()},
    }
    if options.out is not None:
        fields["out"] = options.out
    return json.dumps(fields, allow_nan=False) + "\n"


def _kind(value: Any) -> dict[str, Any]:
    """Return the type and the shape of a result; of a single number the number, too."""
    array = np.asarray(value)
    told = {"type": array.dtype.name, "shape": list(array.shape)}
    return told if array.ndim else {**told, "value": finite(array.item())}


def _finite(value: float) -> float | None:
    """Return a number that JSON can hold; null stands for inf and NaN."""
    return value if math.isfinite(value) else None
