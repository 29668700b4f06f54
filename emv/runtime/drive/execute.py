"""One compiled run: bind the arrays, drive the schedule, collect the results."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from emv.config import config
from emv.dtypes import dtype_named
from emv.ir import program as p
from emv.ir import schedule as s
from emv.ir.body import VectorType
from emv.ir.slots import Slot
from emv.runtime import admission
from emv.runtime.arguments import Call
from emv.runtime.arrays.columns import Key
from emv.runtime.arrays.memory import plan_memory
from emv.runtime.arrays.plan import Plan
from emv.runtime.batches import apart
from emv.runtime.compile import LATE, Compiled
from emv.runtime.drive.driver import SUPERSTEPS, Driver, NoRoomError, begin
from emv.runtime.drive.early import plan_for, plan_of, put_scalars
from emv.runtime.marks import marked
from emv.runtime.parameters import Met
from emv.runtime.run import Run, Said, begun_run

Drive = Callable[[Plan, Any], Driver]
"""Makes what drives a plan, given it and the callback."""


def execute(compiled: Compiled, call: Call, drive: Drive = Driver) -> Run:
    """Run compiled kernels and return what came of it."""
    if call.arguments.schedule.hops == "auto" and not compiled.grids:
        call.target.costs(call.graph.num_vertices)  # by runs of their own, before this one begins
    run: Run = run_bound(compiled, call, finished, {}, drive)
    if compiled.seconds:
        run.compile_seconds = compiled.take_seconds()
    return run


def run_again(plan: Plan, graph: Any, met: Met, seed: int, callback: Any, asked: Any) -> Run | None:
    """Return what a run gives that begins as the one did which left its plan; None if it does not.

    What it is about is put down when it has begun, so while a GPU works, and whether all names
    still mean what they meant is asked then; nobody sees a run of which they do not. It cannot find
    more messages than room: such leave no plan.
    """
    target, compiled = plan.target, plan.compiled
    with target.running(compiled):
        try:
            if not plan.begin_again(seed):
                return None  # `run_bound` goes on with the plan
            if compiled.meant is None or not compiled.meant.holds():
                plan.abandon()
                return None
            plan.again(Call(graph, met.arguments, target, seed, callback, met, plan, asked))
            run = finished(plan)
        except BaseException:
            plan.abandon()
            raise
        plan.release()
    if compiled.seconds:
        run.compile_seconds = compiled.take_seconds()
    return run


def run_bound(
    compiled: Compiled,
    call: Call,
    work: Callable[..., Any],
    shared: Mapping[str, Any],
    *given: Any,
) -> Any:
    """Return what some work on a plan gives whose arrays are bound.

    Messages that find no room are counted and dropped, and the work begins anew with more room; a
    callback hears of its supersteps again. That leaves nothing of the first attempt, as a run
    changes neither the graph nor what it is given. A piece of a run that the host drives does
    change what earlier pieces made: that is put aside before, and put back.

    Parameters
    ----------
    work : callable
        Is given a plan, and what is given for it.
    shared : dict
        The arrays that earlier pieces of the run made, by name.
    """
    target = call.target
    with target.running(compiled):
        while True:
            plan, aside = (plan_of if shared else plan_for)(compiled, call), {}
            if shared:
                plan.arrays.update(shared)
            try:
                if config.nvtx:
                    with marked(f"{plan.compiled.program.name}: arrays"):
                        plan.bind()
                else:
                    plan.bind()  # layouts are built by compiled kernels, too
                if plan.table.rooms:
                    changed = [name for name in shared if name in plan.table.arrays]
                    aside = {name: target.copied(shared[name], shared[name]) for name in changed}
                put_scalars(plan)
                found = work(plan, *given)
            except NoRoomError as short:
                for name, copy in aside.items():
                    target.copy(shared[name], copy)
                plan.abandon()
                plan.grow(short.needs)
                admission.ask(lambda: plan_memory(plan_of(compiled, call)))
                continue
            except BaseException:
                plan.abandon()
                raise
            plan.release()
            return found


def finished(plan: Plan, drive: Drive = Driver) -> Run:
    """Drive a plan to its end and return what came of it."""
    is_here = plan.is_under_way or not plan.target.begins_ahead
    if not is_here and drive is Driver and not config.nvtx:
        begin(plan)
    driver = drive(plan, plan.call.callback)
    results = Results(plan, driver)
    if plan.target.begins_ahead or not plan.call.arguments.copies:  # cores copy what copies left
        plan.meanwhile = results
    driver.run()
    return results.run()


class Results:
    """Turns what the program returns into arrays and numbers.

    Parameters
    ----------
    columns : dict, optional
        Those that the run worked on, in their declared types; by default those of the plan.
    """

    def __init__(self, plan: Plan, driver: Driver, columns: dict[Key, Any] | None = None) -> None:
        self.plan, self.driver = plan, driver
        self.begun: Run | None = None  # what is known of the run before it is over
        self.early: list[Any] = []  # of results that are late: see `Compiled.result_places`
        self.columns = columns or {}

    def __call__(self) -> None:
        """Put down what is known before the run is over, as where a GPU's arrays lie."""
        if self.begun is not None:  # of several launches, the first has seen to it
            return
        plan, call, compiled = self.plan, self.plan.call, self.plan.compiled
        self.columns = columns = written_columns(plan)
        places, has_late = compiled.result_places
        early = [columns.get(key, late) for key, late in places]  # which lie there already
        if call.arguments.copies:
            columns = {key: self.apart(values) for key, values in columns.items()}
            early, has_late = [LATE] * len(early), True
        self.early = early if has_late else []
        launches: Any = functools.partial(list, self.driver.times.values())
        self.begun = begun_run(
            (columns, launches, call.asked, Said.sizes_of(plan.whole)),
            compiled.program.name,
            early[0],
            plan.target.label,
            plan.whole,
        )

    def run(self) -> Run:
        """Return what came of the run, once it is over."""
        if self.begun is None:
            self()
        run, plan, driver = self.begun, self.plan, self.driver
        assert run is not None
        if self.early:
            run.result = self.result(plan.compiled.program.results)
        run.supersteps, run.stopped = driver.state[SUPERSTEPS], driver.stopped()
        run.seconds = plan.target.elapsed(plan)
        return run

    def result(self, result: Any) -> Any:
        """Return what the program returns, of which `early` has a part."""
        if isinstance(result, tuple):
            return tuple(map(self.behind, result, self.early))
        return self.behind(result, self.early[0])

    def behind(self, value: Any, early: Any) -> Any:
        """Return a result once the run is over, of which it is said what is known before."""
        if isinstance(early, Slot):
            number = self.driver.arrays[early.array].data[early.index]
            return number & 2**64 - 1 if early.unsigned else number
        return p.changed_results(value, self.of) if early is LATE else early

    def apart(self, value: Any) -> Any:
        """Return what all copies of a batch left as one row per copy; else what is there."""
        plan, arguments = self.plan, self.plan.call.arguments
        if not arguments.copies:
            return value
        return apart(value, arguments.num_copies, plan.counts["N"], plan.copies.size)

    def of(self, value: Any) -> Any:
        """Return one value of a result."""
        if isinstance(value, p.Column):
            return self.apart(self.column(value))
        if isinstance(value, p.Ref):
            return self.apart(self.values(self.plan.schedule.values[value.id]))
        if isinstance(value, p.Scalar):
            number = self.driver.scalar(value)
            return self.apart(number.item() if isinstance(number, np.generic) else number)
        return value

    def column(self, column: p.Column) -> Any:
        """Return a column, or an attribute of the graph."""
        key, graph = (column.kind, column.name), self.plan.whole
        if column.name == "id":
            rows = graph.num_vertices if column.kind == "vertex" else graph.num_edges
            return self.plan.target.copied(np.arange(rows))
        if column.name in ("out_degree", "in_degree") and column.kind == "vertex":
            ask = graph.out_degrees if column.name == "out_degree" else graph.in_degrees
            return self.plan.target.copied(ask())
        return self.columns[key] if key in self.columns else declared(self.plan, key).copy()

    def values(self, values: s.Values) -> Any:
        """Return kept values, one array per component."""
        kinds = s.component_types(values.type)
        arrays = [
            self.plan.target.kept(self.plan.arrays[name], dtype_named(kind))
            for name, kind in zip(values.names, kinds, strict=True)
        ]
        if isinstance(values.type, VectorType):
            return np.stack([np.asarray(each) for each in arrays], axis=1)
        return tuple(arrays) if isinstance(values.type, tuple) else arrays[0]


def written_columns(plan: Plan) -> dict[Key, Any]:
    """Return the columns that the run worked on, in their declared types."""
    arrays, declared = plan.arrays, plan.target.declared
    return {key: declared(field, arrays[name]) for key, name, field in plan.table.written}


def declared(plan: Plan, key: Key) -> Any:
    """Return a column in the type its record declares."""
    return plan.target.declared(plan.columns.fields[key], plan.column(key))
