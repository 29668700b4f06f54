"""``emv bench``: algorithms on a graph of one's own, timed beside scipy and networkx.

Libraries take turns in one process, the graph in each one's own form made before and not counted,
nor compiling. Every result of emv is checked by the algorithm's own check, every other answer
against emv's. With ``--suite`` and ``--report`` it runs the whole benchmark, which needs a clone.
"""

from __future__ import annotations

import argparse
import gc
import inspect
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

import emv
from emv import algorithms, datasets
from emv.cli.arguments import Call, parameters_of, plan_call
from emv.cli.bench_peers import LIBRARIES, PEERS, Forms
from emv.cli.failures import about
from emv.cli.graph_file import graph_line, read_graph
from emv.cli.progress import Progress
from emv.errors import ArgumentError, did_you_mean
from emv.graph import Graph
from emv.graph.on_device import lies_on_device, on_host
from emv.runtime.program import ProgramFunction

DEFAULT = "bfs,sssp,pagerank,components"
SLOW_S = 3.0  # a library that needs more is timed once
MOST_NETWORKX_ARCS = 1_000_000  # of a graph that networkx is given unasked
CLONE = Path(emv.__file__).resolve().parent.parent
WHOLE = {"suite": "bench.suite", "report": "docs.build_benchmarks"}  # modules of a clone, by option


@dataclass
class Row:
    """What one algorithm came to, in milliseconds.

    Attributes
    ----------
    algorithm : str
        Which.
    all_ms : dict of str to list of float
        Every round by library, ``emv`` among them; on a GPU its result stays there.
    with_result_ms : list of float
        On a GPU: rounds with the result copied to the host.
    first_ms : float
        emv's first call, which compiles.
    faults : dict of str to str
        What is wrong with emv's result, or how a library's differs from it.
    """

    algorithm: str
    all_ms: dict[str, list[float]] = field(default_factory=dict)
    with_result_ms: list[float] = field(default_factory=list)
    first_ms: float = 0.0
    faults: dict[str, str] = field(default_factory=dict)

    def medians(self) -> dict[str, float]:
        """Return the median of every library."""
        return {name: statistics.median(each) for name, each in self.all_ms.items()}


def execute(options: argparse.Namespace) -> str:
    """Return the table, or with ``--json`` an object."""
    for option, module in WHOLE.items():
        given = getattr(options, option)
        if given is not None:
            return run_in_clone(option, module, given)
    if options.graph is None:
        raise ArgumentError("emv bench needs a graph: a file, or a name of emv.datasets")
    if options.rounds < 1:
        raise ArgumentError(f"--rounds {options.rounds} is none, give 1 or more")
    names = [each for text in options.algorithms or [DEFAULT] for each in text.split(",") if each]
    calls = [plan_call(name, [], [], algorithms.ALGORITHMS) for name in dict.fromkeys(names)]
    graph, line = graph_of(options)
    sources = plan_call("bfs", [], options.source).named(graph)
    source = sources.get("source", busiest(graph))
    if not isinstance(source, int):
        raise ArgumentError("emv bench searches from one vertex, give one --source")
    forms, peers = Forms(graph), wanted_peers(options, graph)
    rows = []
    for call in calls:
        with Progress(sys.stderr).stage(f"timing {call.program.name}"), about(options.graph):
            rows.append(measured(call, forms, source, peers, options))
    if options.json:
        return as_json(options, graph, source, rows)
    left = "" if "networkx" in peers else networkx_left_out(options, graph)
    return line + "\n".join([*table(rows), *left.splitlines()]) + "\n"


def run_in_clone(option: str, module: str, given: list[str]) -> str:
    """Run the whole benchmark, or write its page, in a process of its own.

    Raises
    ------
    ArgumentError
        If emv is not run from a clone, or the process failed.
    """
    if not (CLONE / f"{module.replace('.', '/')}.py").exists():
        raise ArgumentError(
            f"--{option} needs a clone of the repository: bench/ is no part of the package",
            remedy="'emv bench GRAPH' works everywhere",
        )
    done = subprocess.run([sys.executable, "-m", module, *given], cwd=CLONE)
    if done.returncode:
        raise ArgumentError(f"{module} ended with {done.returncode}")
    return ""


def graph_of(options: argparse.Namespace) -> tuple[Graph, str]:
    """Return the graph of a file, or one of `emv.datasets`, and the line about it."""
    if options.graph in datasets.names() and not Path(options.graph).exists():
        found = datasets.load(options.graph, scale=options.scale)
        graph = found.graph
        shown = f"{graph.num_vertices:,} vertices, {graph.num_edges:,} edges"
        return graph, f"{found.name}: {found.kind}, {shown}. {found.title}\n"
    graph, seconds = read_graph(options)
    return graph, graph_line(options.graph, graph, seconds)


def busiest(graph: Graph) -> int:
    """Return the vertex with the most out-arcs, the first of several."""
    return int(graph.out_degrees().argmax()) if graph.num_vertices else 0


def wanted_peers(options: argparse.Namespace, graph: Graph) -> tuple[str, ...]:
    """Return the libraries to compare with: those asked for, else networkx on small graphs only."""
    if options.peers is not None:
        given = [each for each in options.peers.split(",") if each != "none"]
        if unknown := [each for each in given if each not in LIBRARIES]:
            raise ArgumentError(
                f"emv bench does not know '{unknown[0]}'.{did_you_mean(unknown[0], LIBRARIES)}",
                remedy=f"There are: {', '.join(LIBRARIES)}, none.",
            )
        return tuple(given)
    return ("scipy", "networkx") if graph.num_arcs <= MOST_NETWORKX_ARCS else ("scipy",)


def networkx_left_out(options: argparse.Namespace, graph: Graph) -> str:
    """Say that networkx was left out, where nobody asked for that."""
    if options.peers is not None:
        return ""
    return (
        f"networkx is left out: {graph.num_arcs:,} arcs are more than {MOST_NETWORKX_ARCS:,}; "
        "--peers scipy,networkx insists"
    )


def arguments_of(call: Call, graph: Graph, source: int) -> dict[str, Any]:
    """Return what an algorithm is called with: where it starts, and weight 1 if there is none."""
    parameters = parameters_of(call.program)
    named: dict[str, Any] = {}
    if call.vertex_parameter:
        named[call.vertex_parameter] = source
    if "weight" in parameters and "weight" not in graph.edges:
        named["weight"] = 1
    return named


def measured(
    call: Call,
    forms: Forms,
    source: int,
    libraries: tuple[str, ...],
    options: argparse.Namespace,
) -> Row:
    """Check and time one algorithm, each library in turn."""
    graph, program, row = forms.graph, call.program, Row(call.program.name)
    assert isinstance(program, ProgramFunction)  # as all of these are
    named = arguments_of(call, graph, source)
    placed = graph if options.device is None else graph.on(options.device)

    def run() -> Any:
        return program(placed, **named)

    row.first_ms, result = timed(run)
    right = on_host(result)
    if wrong := own_fault(program.name, graph, right, named):
        row.faults["emv"] = wrong
    turns = rehearsed(row, libraries, forms, named, right)
    for _ in range(options.rounds):
        row.all_ms.setdefault("emv", []).append(timed(run)[0])
        if lies_on_device(result):
            row.with_result_ms.append(timed(lambda: on_host(run()))[0])
        for library, solve in turns.items():
            row.all_ms[library].append(timed(solve)[0])
    for library in turns:
        del row.all_ms[library][0]  # the rehearsal
    return row


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return the milliseconds of a call, and what it returned; garbage waits until it is over."""
    collects = gc.isenabled()
    gc.disable()
    try:
        start = time.perf_counter()
        answer = call()
        return 1000 * (time.perf_counter() - start), answer
    finally:
        if collects:
            gc.enable()


def own_fault(name: str, graph: Graph, result: NDArray[Any], named: dict[str, Any]) -> str:
    """Say what the algorithm's own check finds wrong; nothing, or where it has no check either."""
    check = getattr(algorithms, f"check_{name}", None)
    if check is None:
        return ""
    known = inspect.signature(check).parameters
    try:
        check(graph, result, **{key: each for key, each in named.items() if key in known})
    except algorithms.WrongResultError as error:
        return error.what
    return ""


def rehearsed(
    row: Row,
    libraries: tuple[str, ...],
    forms: Forms,
    named: dict[str, Any],
    right: NDArray[Any],
) -> dict[str, Callable[[], Any]]:
    """Let every library solve once; note its time and its fault, return those to time further."""
    turns: dict[str, Callable[[], Any]] = {}
    for peer in PEERS.get(row.algorithm, ()):
        if peer.name not in libraries or (forms.graph.directed and not peer.directed):
            continue
        try:
            solve = peer.prepare(forms, named)
            first_ms, found = timed(solve)
            wrong = peer.fault(found, right)
        except Exception as error:
            row.faults[peer.name] = f"{type(error).__name__}: {error}".splitlines()[0]
            continue
        row.all_ms[peer.name] = [first_ms]
        if wrong:
            row.faults[peer.name] = wrong
        if first_ms <= 1000 * SLOW_S:
            turns[peer.name] = solve
    return turns


def table(rows: list[Row]) -> list[str]:
    """Return the lines: a row for every algorithm, then what is wrong and where emv is slower."""
    names = [name for name in LIBRARIES if any(name in row.all_ms for row in rows)]
    on_gpu = any(row.with_result_ms for row in rows)
    width = max(9, *(len(row.algorithm) for row in rows)) if rows else 9
    head = f"{'algorithm':<{width}}  {'emv ms':>9}{' with result' if on_gpu else ''}"
    lines = ["", head + "".join(f"  {name + ' ms':>12}  {'ratio':>7}" for name in names)]
    for row in rows:
        ms = row.medians()
        line = f"{row.algorithm:<{width}}  {shown_ms(ms['emv']):>9}"
        if on_gpu:
            line += f" {shown_ms(statistics.median(row.with_result_ms)):>11}"
        for name in names:
            ratio = f"{ms['emv'] / ms[name]:.2f}" if name in ms else ""
            line += f"  {shown_ms(ms.get(name)):>12}  {ratio:>7}"
        lines.append(line.rstrip())
    lines += ["", "medians; a ratio is emv's time over the library's, below 1 emv is faster"]
    for row in rows:
        lines += [f"{row.algorithm}: {name}: {why}" for name, why in row.faults.items()]
    return lines


def shown_ms(value: float | None) -> str:
    """Return milliseconds with three digits that count.

    Examples
    --------
    >>> shown_ms(0.1234), shown_ms(1234.5), shown_ms(None)
    ('0.123', '1,234', '')
    """
    if value is None:
        return ""
    return f"{value:.3f}" if value < 1 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def as_json(options: argparse.Namespace, graph: Graph, source: int, rows: list[Row]) -> str:
    """Return the rows as one JSON object."""
    fields = {
        "graph": options.graph,
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        "directed": graph.directed,
        "source": source,
        "rounds": options.rounds,
        "device": options.device,
        "rows": [{**asdict(row), "median_ms": row.medians()} for row in rows],
    }
    return json.dumps(fields) + "\n"
