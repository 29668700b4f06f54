"""Run a program whose loops all run on a device: launch, look, launch again until it is done.

A launch comes back when the program has ended or its budget of supersteps is used up. The budget is
learnt, so that launches take a fraction of a second: then callbacks and Ctrl-C are heard.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from emv.codegen.state import PLACES, REASONS, place_of_loop
from emv.ir import schedule as s
from emv.runtime.device_plan import DevicePlan
from emv.runtime.driver import LONGEST_CALL_S, Driver
from emv.runtime.run import LaunchTime

MOST_SUPERSTEPS = 2**20  # of one launch
FASTER = 8  # how much longer than the last a launch may become


class DeviceDriver(Driver):
    """Runs one plan on a device."""

    plan: DevicePlan

    def __init__(
        self,
        plan: DevicePlan,
        slots: dict[Any, s.Slot],
        callback: Callable[[int, dict[str, Any]], Any] | None,
    ) -> None:
        super().__init__(plan, None, {}, slots, callback)
        self.loops = s.loops_in(plan.schedule.body)

    def run(self) -> None:
        """Run the program."""
        resident, state = self.plan.resident, self.state
        assert resident is not None
        spent = self.times.setdefault("program", LaunchTime("program"))
        while True:
            before = self.place("SUPERSTEPS")
            state[PLACES["BUDGET"]] = resident.budget
            self.plan.upload_control()
            started = time.perf_counter()
            spent.seconds += self.plan.launch()
            seconds = time.perf_counter() - started
            spent.calls += 1
            steps = self.place("SUPERSTEPS") - before
            spent.supersteps += steps
            self.check_ids()
            if steps and self.loops:
                self.report(self.current_loop())
                budget = next_budget(resident.budget, seconds / steps)
                is_used_up = steps == resident.budget
                resident.budget = budget if is_used_up else min(budget, resident.budget)
            if self.place("DONE"):
                return
            if self.is_called_off:  # all loops end, and what follows them still runs
                if "CALLED_OFF" not in PLACES:
                    return
                state[PLACES["CALLED_OFF"]] = 1

    def seconds(self) -> float:
        """Return the seconds that the launches took by the device's clock."""
        return self.plan.elapsed_s()

    def current_loop(self) -> s.LoopStep:
        """Return the loop that the program is in, or was in last."""
        places = {place_of_loop(loop.number): loop for loop in self.loops}
        within = [loop for place, loop in places.items() if self.state[place]]
        return within[-1] if within else self.loops[-1]

    def stopped(self) -> str:
        """Return why the last loop ended."""
        return "callback" if self.is_called_off else REASONS[self.place("STOPPED")]


def next_budget(budget: int, superstep_s: float) -> int:
    """Return how many supersteps the next launch may run.

    Examples
    --------
    >>> next_budget(64, 0.1), next_budget(64, 1e-6), next_budget(64, 1.0)
    (2, 512, 1)
    """
    affordable = int(LONGEST_CALL_S / max(superstep_s, 1e-9))
    return max(1, min(affordable, FASTER * budget, MOST_SUPERSTEPS))
