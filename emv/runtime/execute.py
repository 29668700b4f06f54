"""One compiled run: bind the arrays, drive the schedule, collect the results."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.backends.eager_graph import check_ids
from emv.codegen.state import PLACES
from emv.dtypes import dtype_named
from emv.ir import program as p
from emv.ir import schedule as s
from emv.ir.body import VectorType
from emv.runtime.arguments import Arguments
from emv.runtime.compile import Compiled
from emv.runtime.copies import apart, each_copy, ids_of_copies, of_copies
from emv.runtime.driver import OPERATIONS, Driver, NoRoomError
from emv.runtime.rooms import grow
from emv.runtime.run import Run, RunColumns
from emv.runtime.targets import Callback, Target


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
        if launch.late_id is not None:
            lists[launch.ids] = np.zeros(1, np.int64)  # the launch puts the id there
            continue
        listed = [meant_ids(ids, each, graph) for each in each_copy(arguments)]
        lists[launch.ids] = ids_of_copies(listed, compiled.schedule.copies)
    return lists


def meant_ids(ids: Any, arguments: Arguments, graph: Any) -> NDArray[np.int64]:
    """Return the vertices that ``g.only(ids)`` means, in order and each once.

    Raises
    ------
    ArgumentError
        If one of them is no vertex.
    """
    if isinstance(ids, p.ArrayParameter):
        given: Any = arguments.arrays[ids.name]
    elif isinstance(ids, p.Scalar):
        given = [evaluate_early(ids, arguments, graph)]
    else:
        given = list(ids)
    listed: NDArray[np.int64] = np.unique(np.asarray(given, np.int64))
    check_ids(listed, graph.num_vertices)
    return listed


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


def make_plan(compiled: Compiled, graph: Any, arguments: Arguments, target: Target) -> Any:
    """Return the plan of a run, nothing allocated yet."""
    plan = target.plan(compiled, graph, arguments, id_lists(compiled, arguments, graph))
    plan.delta = arguments.schedule.delta
    plan.num_copies = arguments.num_copies
    plan.per_copy = {
        expr: of_copies(
            [evaluate_early(expr, each, graph) for each in each_copy(arguments)], slot, plan.copies
        )
        for slot, expr in compiled.schedule.per_copy.items()
    }
    return plan


def execute(
    compiled: Compiled,
    graph: Any,
    arguments: Arguments,
    seed: int,
    callback: Callback,
    target: Target,
) -> Run:
    """Run compiled kernels on a graph.

    A run never changes the graph or what it is given, so one that finds more messages than room
    begins anew with more; a callback hears of its supersteps again.
    """
    target.load(compiled)
    compiled_s = target.compile_seconds()
    while True:
        plan = make_plan(compiled, graph, arguments, target)
        try:
            plan.bind()  # layouts are built by compiled kernels, too
            put_scalars(plan, compiled, arguments, seed)
            driver = target.driver(plan, compiled, callback)
            made = finished(plan, compiled, driver)
        except NoRoomError as short:
            plan.abandon()
            grow(plan, short.needs)
            continue
        except BaseException:
            plan.abandon()
            raise
        plan.release()
        made.backend = target.label
        made.compile_seconds = compiled.take_seconds() + target.compile_seconds() - compiled_s
        return made


def finished(plan: Any, compiled: Compiled, driver: Driver) -> Run:
    """Drive a plan to its end and return what came of it."""
    driver.run()
    seconds = driver.seconds()
    columns = written_columns(plan)
    result = Results(plan, driver, columns).of(compiled.program.results)
    if plan.num_copies:
        columns = {key: apart(plan, values) for key, values in columns.items()}
    return Run(
        compiled.program.name,
        result,
        RunColumns({name: values for (kind, name), values in columns.items() if kind == "vertex"}),
        RunColumns({name: values for (kind, name), values in columns.items() if kind == "edge"}),
        driver.place("SUPERSTEPS"),
        driver.stopped(),
        seconds,
        "",
        0.0,
        list(driver.times.values()),
    )


def put_scalars(plan: Any, compiled: Compiled, arguments: Arguments, seed: int) -> None:
    """Put what is known before the run into its scalars; the seed modulo 2**64."""
    plan.arrays["state"][PLACES["SEED"]] = np.uint64(seed & (2**64 - 1)).view(np.int64)
    for leaf, slot in compiled.slots.items():
        if isinstance(leaf, p.ScalarParameter | p.GraphNumber):
            plan.arrays[slot.array][slot.index] = evaluate_early(leaf, arguments, plan.graph)


def written_columns(plan: Any) -> dict[tuple[str, str], Any]:
    """Return the columns that the run worked on, in their declared types."""
    found = {}
    for buffer in plan.source.buffers.values():
        if buffer.source == "column" and buffer.key in plan.schedule.written:
            found[buffer.key] = as_declared(plan, buffer.key)
    return found


def as_declared(plan: Any, key: tuple[str, str]) -> Any:
    """Return a column's array in the type its record declares."""
    return plan.as_declared(plan.schedule.program.fields[key], plan.column(*key))


class Results:
    """Turns what the program returns into arrays and numbers; of a batch, one row per copy."""

    def __init__(self, plan: Any, driver: Driver, columns: dict[Any, Any]) -> None:
        self.plan = plan
        self.driver = driver
        self.columns = columns

    def of(self, value: Any) -> Any:
        """Return one result."""
        is_one = self.plan.num_copies and isinstance(value, p.Column | p.Ref | p.Scalar)
        return apart(self.plan, self.one(value)) if is_one else self.one(value)

    def one(self, value: Any) -> Any:
        """Return one result, of a batch as it stands in memory."""
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

    def column(self, column: p.Column) -> Any:
        """Return a column, or an attribute of the graph."""
        key, graph = (column.kind, column.name), self.plan.graph
        if column.name == "id":
            rows = graph.num_vertices if column.kind == "vertex" else graph.num_edges
            return self.plan.returned(np.arange(rows))
        if column.name in ("out_degree", "in_degree") and column.kind == "vertex":
            ask = graph.out_degrees if column.name == "out_degree" else graph.in_degrees
            return self.plan.returned(ask())
        if key in self.columns:
            return self.columns[key]
        return as_declared(self.plan, key).copy()

    def values(self, values: s.Values) -> Any:
        """Return kept values, one array per component."""
        kinds = s.component_types(values.type)
        arrays = [
            self.plan.values(name, dtype_named(kind))
            for name, kind in zip(values.names, kinds, strict=True)
        ]
        if isinstance(values.type, VectorType):
            return np.stack([np.asarray(each) for each in arrays], axis=1)
        return tuple(arrays) if isinstance(values.type, tuple) else arrays[0]
