"""One compiled run: bind the arrays, drive the schedule, collect the results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from emv.runtime.arguments import Call
from emv.runtime.arrays.plan import Plan
from emv.runtime.arrays.rooms import grow
from emv.runtime.compile import Compiled
from emv.runtime.drive.driver import Driver, NoRoomError
from emv.runtime.drive.early import plan_of, put_scalars
from emv.runtime.drive.results import Results
from emv.runtime.run import Run

Drive = Callable[[Plan, Any], Driver]


def execute(compiled: Compiled, call: Call, drive: Drive = Driver) -> Run:
    """Run compiled kernels.

    A run never changes the graph or what it is given, so one that finds more messages than room
    begins anew with more; a callback hears of its supersteps again.

    Parameters
    ----------
    drive : callable
        Makes what drives a plan, given it and the callback.
    """
    with call.target.running(compiled):
        while True:
            plan = plan_of(compiled, call)
            try:
                plan.bind()  # layouts are built by compiled kernels, too
                put_scalars(plan)
                made = finished(plan, drive(plan, call.callback))
            except NoRoomError as short:
                plan.abandon()
                grow(plan, short.needs)
                continue
            except BaseException:
                plan.abandon()
                raise
            plan.release()
            break
    made.compile_seconds = compiled.take_seconds()
    return made


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
