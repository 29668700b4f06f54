"""One compiled run: bind the arrays, drive the schedule, collect the results."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.backends.eager_graph import check_ids
from emv.codegen.state import PLACES, REASONS
from emv.dtypes import dtype_named
from emv.ir import program as p
from emv.ir import schedule as s
from emv.runtime.arguments import Arguments
from emv.runtime.compile import Compiled
from emv.runtime.driver import OPERATIONS, Driver
from emv.runtime.plan import Plan
from emv.runtime.run import Run, RunColumns


def id_lists(compiled: Compiled, arguments: Arguments, graph: Any) -> dict[str, NDArray[Any]]:
    """Return the ids that every ``g.only(...)`` of the program means in this run.

    Raises
    ------
    ArgumentError
        If one of them is no vertex.
    """
    lists = {}
    for launch in s.launches_in(compiled.schedule.body):
        ids = launch.domain.ids
        if launch.ids is None:
            continue
        if isinstance(ids, p.ArrayParameter):
            given: Any = arguments.arrays[ids.name]
        elif launch.late_id is not None:
            lists[launch.ids] = np.zeros(1, np.int64)  # the launch puts the id there
            continue
        elif isinstance(ids, p.Scalar):
            given = [evaluate_early(ids, arguments, graph)]
        else:
            given = list(ids)
        listed = np.unique(np.asarray(given, np.int64))
        lists[launch.ids] = check_ids(listed, graph.num_vertices)
    return lists


def evaluate_early(expr: p.Scalar, arguments: Arguments, graph: Any) -> Any:
    """Return a scalar that is known before the run: a number, a parameter or a count."""
    if isinstance(expr, p.Number):
        return expr.value
    if isinstance(expr, p.ScalarParameter):
        return arguments.numbers[expr.name]
    if isinstance(expr, p.Operation):
        given = [evaluate_early(each, arguments, graph) for each in expr.args]
        with np.errstate(all="ignore"):
            return OPERATIONS[expr.op](*given)
    assert isinstance(expr, p.GraphNumber), expr
    return getattr(graph, expr.name)


def make_plan(compiled: Compiled, graph: Any, arguments: Arguments, num_threads: int) -> Plan:
    """Return the plan of a run, nothing allocated yet."""
    ids = id_lists(compiled, arguments, graph)
    return Plan(compiled, graph, arguments.bindings, ids, num_threads)


def execute(
    compiled: Compiled,
    graph: Any,
    arguments: Arguments,
    seed: int,
    callback: Callable[[int, dict[str, Any]], Any] | None,
    num_threads: int,
) -> Run:
    """Run compiled kernels on a graph."""
    clock = importlib.import_module("emv.backends.compiling").CLOCK  # numba is loaded by now
    compiled_s = clock.seconds
    plan = make_plan(compiled, graph, arguments, num_threads)
    plan.bind()  # layouts are built by compiled kernels, too
    set_seed(plan, seed)
    for leaf, slot in compiled.slots.items():
        if isinstance(leaf, p.ScalarParameter | p.GraphNumber):
            plan.arrays[slot.array][slot.index] = evaluate_early(leaf, arguments, graph)
    driver = Driver(plan, compiled.module, compiled.names, compiled.slots, callback)
    started = time.perf_counter()
    driver.run()
    seconds = time.perf_counter() - started - driver.compile_seconds
    columns = written_columns(plan)
    result = Results(plan, driver, columns).of(compiled.program.results)
    plan.release()
    return Run(
        compiled.program.name,
        result,
        RunColumns({name: values for (kind, name), values in columns.items() if kind == "vertex"}),
        RunColumns({name: values for (kind, name), values in columns.items() if kind == "edge"}),
        int(plan.arrays["state"][PLACES["SUPERSTEPS"]]),
        REASONS[int(plan.arrays["state"][PLACES["STOPPED"]])],
        seconds,
        "cpu",
        compiled.take_seconds() + clock.seconds - compiled_s,
        list(driver.times.values()),
    )


def set_seed(plan: Plan, seed: int) -> None:
    """Put a run's seed into the shared state; any integer is taken modulo 2**64."""
    plan.arrays["state"][PLACES["SEED"]] = np.uint64(seed & (2**64 - 1)).view(np.int64)


def written_columns(plan: Plan) -> dict[tuple[str, str], NDArray[Any]]:
    """Return the columns that the run worked on, in their declared types."""
    found = {}
    for buffer in plan.source.buffers.values():
        if buffer.source == "column" and buffer.key in plan.schedule.written:
            found[buffer.key] = as_declared(plan, buffer.key)
    return found


def as_declared(plan: Plan, key: tuple[str, str]) -> NDArray[Any]:
    """Return a column's array in the type its record declares."""
    field = plan.schedule.program.fields[key]
    values = plan.column(*key)
    if field.disjoint:
        return values.astype(np.int64)
    return values.view(np.bool_) if field.dtype.kind == "b" else values


class Results:
    """Turns what the program returns into arrays and numbers."""

    def __init__(self, plan: Plan, driver: Driver, columns: dict[Any, NDArray[Any]]) -> None:
        self.plan = plan
        self.driver = driver
        self.columns = columns

    def of(self, value: Any) -> Any:
        """Return one result."""
        if isinstance(value, tuple):
            return tuple(self.of(each) for each in value)
        if isinstance(value, dict):
            return {name: self.of(each) for name, each in value.items()}
        if isinstance(value, p.Column):
            return self.column(value)
        if isinstance(value, p.Ref):
            return self.values(self.plan.schedule.values[value.id])
        if isinstance(value, p.Scalar):
            with np.errstate(all="ignore"):
                number = self.driver.scalar(value)
            return number.item() if isinstance(number, np.generic) else number
        return value

    def column(self, column: p.Column) -> NDArray[Any]:
        """Return a column, or an attribute of the graph."""
        key, graph = (column.kind, column.name), self.plan.graph
        if column.name == "id":
            return np.arange(graph.num_vertices if column.kind == "vertex" else graph.num_edges)
        if column.name in ("out_degree", "in_degree") and column.kind == "vertex":
            degrees: NDArray[Any] = (
                graph.out_degrees() if column.name == "out_degree" else graph.in_degrees()
            )
            return degrees
        if key in self.columns:
            return self.columns[key]
        return as_declared(self.plan, key).copy()

    def values(self, values: s.Values) -> Any:
        """Return kept values, one array per component."""
        kinds = s.component_types(values.type)
        arrays = [
            self.plan.arrays[name].astype(dtype_named(kind))
            for name, kind in zip(values.names, kinds, strict=True)
        ]
        return tuple(arrays) if isinstance(values.type, tuple) else arrays[0]
