"""One compiled run: bind the arrays, drive the schedule, collect the results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from emv.runtime.arguments import Call
from emv.runtime.arrays.plan import Plan
from emv.runtime.compile import Compiled
from emv.runtime.drive.driver import Driver, NoRoomError
from emv.runtime.drive.early import plan_of, put_scalars
from emv.runtime.drive.results import Results
from emv.runtime.run import Run

Drive = Callable[[Plan, Any], Driver]
"""Makes what drives a plan, given it and the callback."""


def execute(compiled: Compiled, call: Call, drive: Drive = Driver) -> Run:
    """Run compiled kernels and return what came of it."""
    run: Run = run_bound(
        compiled, call, lambda plan: finished(plan, drive(plan, call.callback)), {}
    )
    run.compile_seconds = compiled.take_seconds()
    return run


def run_bound(
    compiled: Compiled, call: Call, work: Callable[[Plan], Any], shared: Mapping[str, Any]
) -> Any:
    """Return what some work on a plan gives whose arrays are bound.

    Messages that find no room are counted and dropped, and the work begins anew with more room; a
    callback hears of its supersteps again. That leaves nothing of the first attempt, as a run
    changes neither the graph nor what it is given. A piece of a run that the host drives does
    change what earlier pieces made: that is put aside before, and put back.

    Parameters
    ----------
    shared : dict
        The arrays that earlier pieces of the run made, by name.
    """
    target = call.target
    with target.running(compiled):
        while True:
            plan, aside = plan_of(compiled, call), {}
            plan.arrays.update(shared)
            try:
                plan.bind()  # layouts are built by compiled kernels, too
                if plan.table.rooms:
                    changed = [name for name in shared if name in plan.table.arrays]
                    aside = {name: target.copied(shared[name], shared[name]) for name in changed}
                put_scalars(plan)
                found = work(plan)
            except NoRoomError as short:
                for name, copy in aside.items():
                    target.copy(shared[name], copy)
                plan.abandon()
                plan.grow(short.needs)
                continue
            except BaseException:
                plan.abandon()
                raise
            plan.release()
            return found


def finished(plan: Plan, driver: Driver) -> Run:
    """Drive a plan to its end and return what came of it."""
    driver.run()
    seconds = plan.target.elapsed(plan)
    results = Results(plan, driver)
    return Run(
        plan.compiled.program.name,
        results.of(plan.compiled.program.results),
        *results.columns_of_run(),
        driver.place("SUPERSTEPS"),
        driver.stopped(),
        seconds,
        plan.target.label,
        launches=list(driver.times.values()),
    )
