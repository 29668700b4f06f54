"""Runs as plain Python: the eager backend's columns and result as a `Run`."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from emv.backends.eager_graph import EagerColumn
from emv.backends.eager_program import run_eagerly
from emv.backends.eager_scalar import known
from emv.backends.python import EagerRun
from emv.backends.values import EagerValues
from emv.ir.program import ArrayParameter, changed_results
from emv.lang.listed import ArrayStandIn
from emv.lang.source import definition_loc
from emv.runtime.arguments import Arguments
from emv.runtime.batches import each_copy, stacked_runs
from emv.runtime.report import tell_end, tell_start
from emv.runtime.run import Run, run_columns


def run_each_plainly(
    python: Any, graph: Any, arguments: Arguments, seed: int, callback: Any, is_of_host: bool
) -> Run:
    """Run a program function as plain Python, or one copy of a batch after another."""
    runs = [
        run_plainly(python, graph, each, seed, callback, is_of_host)
        for each in each_copy(arguments)
    ]
    return stacked_runs(runs) if arguments.copies else runs[0]


def run_plainly(
    python: Any,
    graph: Any,
    arguments: Arguments,
    seed: int,
    callback: Any,
    is_of_host: bool = False,
) -> Run:
    """Run a program function as plain Python.

    Parameters
    ----------
    callback : callable or None
        Called after every superstep.
    is_of_host : bool
        Whether Python may leave its loops.
    """
    run = EagerRun(graph, seed, arguments.bindings)
    run.callback = callback
    tell_start(python.__name__, "python", 1, graph)
    started = time.perf_counter()
    given = arguments.values | arguments.arrays
    if not is_of_host:
        stand_ins = {name: ArrayParameter(name) for name in arguments.arrays}
        given |= {name: ArrayStandIn(each, given[name]) for name, each in stand_ins.items()}
    results = run_eagerly(python, run, given, is_of_host)
    result = changed_results(results, lambda value: eager_result(value, run))
    seconds = time.perf_counter() - started
    outcome = Run(
        python.__name__,
        result,
        *run_columns({key: left_of(key[0], each, run) for key, each in run.columns.items()}),
        run.supersteps,
        run.stopped,
        seconds,
        "python",
    )
    if run.changes.version:
        outcome.graph, outcome.dropped = run.changes.last(), run.changes.evolving.dropped
    tell_end(outcome)
    return outcome


def left_of(kind: str, values: Any, run: EagerRun) -> Any:
    """Return a column without the rows of vertices that the run has deleted."""
    gone = run.changes.gone
    if isinstance(values, tuple):
        return tuple(left_of(kind, each, run) for each in values)
    return np.delete(values, sorted(gone), 0) if kind == "vertex" and gone else values


def eager_result(value: Any, run: EagerRun) -> Any:
    """Return a value of a program's result: columns as arrays, aggregates as plain numbers."""
    if isinstance(value, EagerColumn):
        return left_of(value.kind, value.values().copy(), run)
    if isinstance(value, EagerValues):
        value.check_fresh(definition_loc(run.python), run)
        return left_of(value.of_kind, value.as_array(), run)
    value = known(value)
    return value.item() if isinstance(value, np.generic) else value
