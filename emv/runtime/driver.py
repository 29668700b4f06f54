"""Run a schedule: call launches, drive loops that hold other loops, give compiled loops budgets.

Loops without inner loops are one compiled call that returns after a bounded number of supersteps,
so that progress can be shown, a callback can end the run, and Ctrl-C is heard.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from emv.codegen.state import PLACES, REASONS, need_place
from emv.errors import ArgumentError, EmvError
from emv.ir import program as p
from emv.ir import schedule as s
from emv.runtime.plan import Plan
from emv.runtime.run import LaunchTime

FIRST_BUDGET = 64
LONGEST_CALL_S = 0.2

OPERATIONS: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: np.float64(a) / np.float64(b),
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "**": lambda a, b: a**b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "&": lambda a, b: bool(a) and bool(b),
    "|": lambda a, b: bool(a) or bool(b),
    "neg": lambda a: -a,
    "abs": abs,
    "not": lambda a: not a,
    "min": lambda a, b: b if b < a else a,
    "max": lambda a, b: b if b > a else a,
}


class Stopped(Exception):  # noqa: N818 - a signal, not a mistake
    """The callback asked to end the run."""


class NoRoomError(EmvError):
    """There were more messages than room.

    Attributes
    ----------
    needs : dict
        How many there were, by the name of the room.
    """

    def __init__(self, needs: dict[str, int]) -> None:
        super().__init__(f"more messages than room: {needs}")
        self.needs = needs


class Driver:
    """Runs one plan."""

    def __init__(
        self,
        plan: Plan,
        module: Any,
        names: dict[int, str],
        slots: dict[Any, s.Slot],
        callback: Callable[[int, dict[str, Any]], Any] | None,
    ) -> None:
        self.plan = plan
        self.module = module
        self.names = names
        self.slots = slots
        self.callback = callback
        self.state = plan.arrays["state"]
        self.times: dict[str, LaunchTime] = {}
        self.budget = FIRST_BUDGET
        self.started = time.perf_counter()
        self.compile_seconds = 0.0
        self.is_called_off = False  # the callback asked to end the run
        self.files = files_of(plan.schedule)

    def seconds(self) -> float:
        """Return the seconds since the driver was made, without compiling."""
        return time.perf_counter() - self.started - self.compile_seconds

    def place(self, name: str) -> int:
        """Return a place of the shared state."""
        return int(self.state[PLACES[name]])

    def scalar(self, expr: p.Scalar) -> Any:
        """Evaluate a scalar expression over the slots."""
        if isinstance(expr, p.Number):
            return expr.value
        if isinstance(expr, p.Operation):
            return OPERATIONS[expr.op](*map(self.scalar, expr.args))
        slot = self.slots[expr]
        number = self.plan.arrays[slot.array][slot.index]
        return number.view(np.uint64) if slot.unsigned else number

    def run(self) -> None:
        """Run all steps."""
        with np.errstate(all="ignore"):
            self.steps(self.plan.schedule.body)

    def steps(self, steps: tuple[Any, ...]) -> None:
        """Run a list of steps."""
        for step in steps:
            if isinstance(step, s.SetScalar):
                number = self.scalar(step.expr)
                number = (
                    np.uint64(int(number) & 2**64 - 1).view(np.int64)
                    if step.slot.unsigned
                    else number
                )
                self.plan.arrays[step.slot.array][step.slot.index] = number
            elif isinstance(step, s.TakeActive):
                self.take_active(step.kind)
            elif isinstance(step, s.LoopStep):
                if not self.is_called_off:
                    self.compiled_loop(step) if step.compiled else self.host_loop(step)
            else:
                self.call(self.names[id(step)])

    def call(self, name: str) -> Any:
        """Call a compiled function with the arrays it names."""
        arrays = [self.array(each) for each in self.plan.source.functions[name]]
        from emv.backends import compiling  # numba loads only to run

        compiled_s, started = compiling.CLOCK.seconds, time.perf_counter()
        result = compiling.call(self.module, name, arrays, self.plan.source, self.files)
        seconds = time.perf_counter() - started
        compiled_s = compiling.CLOCK.seconds - compiled_s
        self.compile_seconds += compiled_s
        spent = self.times.setdefault(name, LaunchTime(name))
        spent.calls += 1
        spent.seconds += seconds - compiled_s
        self.check_ids()
        return result

    def check_ids(self) -> None:
        """Refuse ids that a function asked for and that do not exist, and what found no room.

        Raises
        ------
        ArgumentError
            If there was such an id.
        NoRoomError
            If there were more messages than room; whoever runs the program begins anew with more.
        """
        rooms = self.plan.source.rooms
        needs = {name: int(self.state[need_place(name)]) for name in rooms}
        if any(needs.values()):
            raise NoRoomError({name: need for name, need in needs.items() if need})
        if self.place("BAD_INDEX"):
            bad = int(self.state[PLACES["BAD_INDEX"] + 1])
            raise ArgumentError(
                f"{self.plan.schedule.program.name}: element {bad} was asked for "
                "by g.only(), .at(), out_dst(), out_edge() or send_to(), and does not exist",
                remedy="Run with backend='python' to see the line.",
            )

    def array(self, name: str) -> Any:
        """Return an array by name; the two queues of a set change places."""
        for suffix in ("", "_edges"):
            if name in (f"active{suffix}", f"pending{suffix}") and self.place(
                f"FLIPPED{suffix.upper()}"
            ):
                other = "pending" if name.startswith("active") else "active"
                return self.plan.arrays[f"{other}{suffix}"]
        return self.plan.arrays[name]

    def take_active(self, kind: str) -> None:
        """Make the pending set the active one, if somebody could have activated."""
        suffix = "_edges" if kind == "edge" else ""
        upper, state = suffix.upper(), self.state
        stem = "edge_flags" if kind == "edge" else "flags"
        kept = {f"pending{suffix}", f"pending_{stem}"} & self.plan.arrays.keys()
        if not (kept and self.place(f"STALE{upper}")):  # nothing kept: nobody activated such yet
            return
        if self.plan.schedule.all_active:
            active, pending = (self.plan.arrays[f"{each}_{stem}"] for each in ("active", "pending"))
            active[:], pending[:] = pending, 0
            state[PLACES[f"STALE{upper}"]] = 0
            state[PLACES[f"NUM_ACTIVE{upper}"]] = np.count_nonzero(active)
            return
        count = self.place(f"NUM_PENDING{upper}")
        queue = self.array(f"pending{suffix}")
        state[PLACES[f"STALE{upper}"]] = 0
        state[PLACES[f"FLIPPED{upper}"]] ^= 1
        state[PLACES[f"NUM_ACTIVE{upper}"]] = count
        state[PLACES[f"NUM_PENDING{upper}"]] = 0
        if self.plan.schedule.flagged:
            self.plan.arrays[f"queued{suffix}"][queue[:count]] = 0
        if self.plan.schedule.sorted_queues:
            queue[:count].sort()

    def begin(self, loop: s.LoopStep) -> None:
        """Set a loop's step and votes to their start."""
        self.plan.arrays[loop.step.array][loop.step.index] = 0
        for vote in ("KEEP_GOING", "ACTIVATED", "HALT"):
            self.state[PLACES[vote]] = 0

    def report(self, loop: s.LoopStep) -> None:
        """Tell the callback how far the run is; it may call the run off."""
        if self.callback is None or self.is_called_off:
            return
        info = {"active": self.num_active(), "line": loop.loc.line}
        if self.callback(self.place("SUPERSTEPS"), info):
            self.is_called_off = True
            self.state[PLACES["STOPPED"]] = REASONS.index("callback")

    def num_active(self) -> int:
        """Return how many vertices the active set has, or will have when it is asked for."""
        if self.plan.schedule.all_active:
            name = "pending_flags" if self.place("STALE") else "active_flags"
            return int(np.count_nonzero(np.asarray(self.plan.values(name, np.dtype(np.uint8)))))
        return self.place("NUM_PENDING" if self.place("STALE") else "NUM_ACTIVE")

    def compiled_loop(self, loop: s.LoopStep) -> None:
        """Run an innermost loop in calls of bounded length."""
        votes, name = self.votes(), self.names[id(loop)]
        before = self.place("SUPERSTEPS")
        self.begin(loop)
        has_ended = False
        while not (has_ended or self.is_called_off):
            self.state[PLACES["BUDGET"]] = self.budget
            started = time.perf_counter()
            has_ended = bool(self.call(name))
            spent = time.perf_counter() - started
            self.report(loop)
            if spent < LONGEST_CALL_S / 4 and not has_ended:  # else it was not used up
                self.budget *= 4
            elif spent > LONGEST_CALL_S:
                self.budget = max(1, self.budget // 2)
        self.times[name].supersteps += self.place("SUPERSTEPS") - before
        self.restore(votes)

    def stopped(self) -> str:
        """Return why the last loop ended."""
        return REASONS[self.place("STOPPED")]

    def votes(self) -> list[int]:
        """Return the votes of the loop around."""
        return [self.place(vote) for vote in ("KEEP_GOING", "ACTIVATED", "HALT")]

    def restore(self, votes: list[int]) -> None:
        """Put back the votes of the loop around."""
        for vote, value in zip(("KEEP_GOING", "ACTIVATED", "HALT"), votes, strict=True):
            self.state[PLACES[vote]] = value

    def host_loop(self, loop: s.LoopStep) -> None:
        """Run a loop that holds other loops."""
        around = self.votes()
        self.begin(loop)
        ints = self.plan.arrays[loop.step.array]
        reason = "limit"
        while ints[loop.step.index] < self.scalar(loop.limit):
            self.state[PLACES["SUPERSTEPS"]] += 1
            for vote in ("KEEP_GOING", "ACTIVATED"):
                self.state[PLACES[vote]] = 0
            self.steps(loop.body)
            ints[loop.step.index] += 1
            self.report(loop)
            ended = "callback" if self.is_called_off else self.ending(loop)
            if ended is not None:
                reason = ended
                break
        self.state[PLACES["STOPPED"]] = REASONS.index(reason)
        self.restore(around)

    def ending(self, loop: s.LoopStep) -> str | None:
        """Return why a loop ends after the superstep just run, or None."""
        if self.place("HALT"):
            return "halt"
        if loop.by_votes and not (self.place("KEEP_GOING") or self.place("ACTIVATED")):
            return "converged"
        if loop.until is not None and bool(self.scalar(loop.until)):
            return "until"
        return None


def files_of(schedule: s.Schedule) -> list[str]:
    """Return the files that hold the user's functions."""
    found = {schedule.program.loc.file: None}
    for launch in s.launches_in(schedule.body):
        found |= dict.fromkeys(function.loc.file for function in s.functions_of(launch))
    return list(found)
