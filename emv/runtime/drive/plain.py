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
from emv.ir.program import ArrayParameter
from emv.lang.listed import ArrayStandIn
from emv.runtime.arguments import Arguments
from emv.runtime.report import tell_end, tell_start
from emv.runtime.run import Run, run_columns


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
    result = eager_result(run_eagerly(python, run, given, is_of_host))
    seconds = time.perf_counter() - started
    outcome = Run(
        python.__name__,
        result,
        *run_columns(run.columns),
        run.supersteps,
        run.stopped,
        seconds,
        "python",
    )
    tell_end(outcome)
    return outcome


def eager_result(value: Any) -> Any:
    """Return a program's result with columns as arrays and aggregates as plain numbers."""
    if isinstance(value, tuple | list):
        return tuple(eager_result(each) for each in value)
    if isinstance(value, dict):
        return {name: eager_result(each) for name, each in value.items()}
    if isinstance(value, EagerColumn):
        return value.values().copy()
    if isinstance(value, EagerValues):
        return value.as_array()
    value = known(value)
    return value.item() if isinstance(value, np.generic) else value
