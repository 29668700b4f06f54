"""Run a schedule: call launches, drive loops that hold other loops, give compiled loops budgets.

On cores the functions of the kernels are called one by one; a loop without inner loops is one of
them. On a GPU the whole program is one. What holds loops comes back after a bounded number of
supersteps, so that progress can be shown, a callback can end the run, and Ctrl-C is heard; the
bound is learnt, so that a call takes a fraction of a second.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import methodcaller
from typing import Any

import numpy as np

from emv.backends.patience import Patience
from emv.codegen.queues import ACTIVE_SETS
from emv.codegen.state import PLACES, REASONS, VOTES, Own, place_of_launch, room_place
from emv.config import config
from emv.errors import ArgumentError, EmvError
from emv.ir import program as p
from emv.ir import schedule as s
from emv.ir.slots import Slot
from emv.runtime.admission import is_only_asked
from emv.runtime.arrays.plan import Plan
from emv.runtime.arrays.taken import current
from emv.runtime.drive.early import put, scalar
from emv.runtime.marks import marked
from emv.runtime.run import LaunchTime
from emv_kernels.aside import leavable

FIRST_BUDGET = 64  # supersteps of a program's first launch on a graph
LONGEST_CALL_S = 0.2
MOST_SUPERSTEPS = 2**20  # of one launch
FASTER = 8  # how much longer than the last a launch may become
KEEP_GOING, ACTIVATED, HALT = (PLACES[vote] for vote in VOTES)
STALE, NUM_ACTIVE = (PLACES[each] for each in ("STALE", "NUM_ACTIVE"))
SUPERSTEPS, BAD_INDEX, BUDGET, STOPPED = (
    PLACES[each] for each in ("SUPERSTEPS", "BAD_INDEX", "BUDGET", "STOPPED")
)


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
    """Runs one plan.

    Parameters
    ----------
    plan : Plan
        With its arrays bound.
    callback : callable or None
        Told how far the run is; it may call the run off.
    """

    def __init__(
        self, plan: Plan, callback: Callable[[int, dict[str, Any]], Any] | None = None
    ) -> None:
        self.plan, self.target, self.arrays = plan, plan.target, plan.arrays
        self.compiled, self.schedule = plan.compiled, plan.compiled.schedule
        self.callback = callback
        self.is_told = callback is not None and not is_only_asked(callback)
        self.state: memoryview = plan.arrays["state"].data  # is read and written without numpy
        self.times: dict[str, LaunchTime] = {}
        self.is_called_off = False  # the callback asked to end the run

    def supersteps(self) -> int:
        """Return how many supersteps have begun."""
        return int(self.state[SUPERSTEPS])

    def place(self, name: str) -> int:
        """Return a place of the shared state."""
        return int(self.state[PLACES[name]])

    def scalar(self, expr: p.Scalar) -> Any:
        """Evaluate a scalar expression over the slots."""
        return scalar(self.plan, expr)

    def run(self) -> None:
        """Run all steps."""
        if self.target.kind == "cuda" or self.compiled.grids:
            self.whole_program()
        else:
            self.steps(self.compiled.late_steps)
        self.target.collect(self.plan)

    def steps(self, steps: tuple[Any, ...]) -> None:
        """Run a list of steps."""
        acts = self.compiled.acts.get(id(steps))
        if acts is None:
            acts = self.compiled.acts[id(steps)] = acts_of(steps, self.compiled.names)
        for act in acts:
            act(self)

    def put(self, slot: Slot, expr: p.Scalar) -> None:
        """Put the value of an expression into its slot."""
        put(self.plan, slot, expr)

    def call(self, name: str) -> bool:
        """Call a function of the kernels; return whether it has ended."""
        spent, state = self.times.get(name), self.state
        if spent is None:
            spent = self.times[name] = LaunchTime(name)
        before = 0 if self.plan.is_under_way else state[SUPERSTEPS]
        if config.nvtx:
            with marked(f"{self.schedule.program.name}: {name}"):
                has_ended, seconds = self.target.launch(self.plan, name)
        else:
            has_ended, seconds = self.target.launch(self.plan, name)
        steps = state[SUPERSTEPS] - before
        spent.calls += 1
        spent.seconds += seconds
        if state[BAD_INDEX] or self.compiled.source.rooms:
            self.check_ids()
        if steps:
            spent.supersteps += steps
            last = self.plan.resident.budget
            if steps == last or seconds * last > LONGEST_CALL_S * steps:
                learn(self.plan.resident, steps, seconds)
        return has_ended

    def check_ids(self) -> None:
        """Refuse ids that a function asked for and that do not exist, and what found no room.

        Raises
        ------
        ArgumentError
            If there was such an id.
        NoRoomError
            If there were more messages than room; whoever runs the program begins anew with more.
        """
        rooms = self.compiled.source.rooms
        if rooms:
            needs = {name: int(self.state[room_place(name, Own.NEED)]) for name in rooms}
            if any(needs.values()):
                raise NoRoomError({name: need for name, need in needs.items() if need})
        if self.state[BAD_INDEX]:
            refuse_bad_index(self.schedule.program.name, self.state)

    def take_active(self, kind: str) -> None:
        """Make the pending set the active one, if somebody could have activated."""
        members, state = ACTIVE_SETS[kind], self.state
        suffix, upper, stem = members.suffix, members.upper, members.stem
        kept = {f"pending{suffix}", f"pending_{stem}"} & self.arrays.keys()
        if not (kept and self.place(f"STALE{upper}")):  # nothing kept: nobody activated such yet
            return
        if self.schedule.all_active:
            active, pending = (self.arrays[f"{each}_{stem}"] for each in ("active", "pending"))
            active[:], pending[:] = pending, 0
            state[PLACES[f"STALE{upper}"]] = 0
            state[PLACES[f"NUM_ACTIVE{upper}"]] = int(np.count_nonzero(active))
            return
        count = self.place(f"NUM_PENDING{upper}")
        queue = current(self.arrays, f"pending{suffix}")
        state[PLACES[f"STALE{upper}"]] = 0
        state[PLACES[f"FLIPPED{upper}"]] ^= 1
        state[PLACES[f"NUM_ACTIVE{upper}"]] = count
        state[PLACES[f"NUM_PENDING{upper}"]] = 0
        if self.target.device is not None:  # by the stamp of a turn; whoever walks a queue sorts it
            state[PLACES[f"PENDING_BEFORE{upper}"]] = 0
            state[PLACES[f"TURNS{upper}"]] += 1
            if kind == "vertex":
                state[PLACES["ACTIVE_ARCS"]] = self.place("PENDING_ARCS")
                state[PLACES["PENDING_ARCS"]] = 0
            return
        if self.schedule.flagged:
            self.arrays[f"queued{suffix}"][queue[:count]] = 0
        if self.schedule.sorted_queues:
            leavable(queue[:count].sort, count)

    def begin(self, loop: s.LoopStep) -> tuple[int, int, int]:
        """Set a loop's step and votes to their start; return the votes of the loop around."""
        self.arrays[loop.step.array].data[loop.step.index] = 0
        state = self.state
        around = state[KEEP_GOING], state[ACTIVATED], state[HALT]
        state[KEEP_GOING] = state[ACTIVATED] = state[HALT] = 0
        return around

    def report(self, loop: s.LoopStep) -> None:
        """Tell the callback how far the run is; it may call the run off."""
        if self.callback is None or self.is_called_off:
            return
        info = {"active": self.num_active(), "line": loop.loc.line} if self.is_told else {}
        if self.callback(self.supersteps(), info):
            self.is_called_off = True
            self.state[PLACES["STOPPED"]] = REASONS.index("callback")

    def num_active(self) -> int:
        """Return how many vertices the active set has, or will have when it is asked for."""
        if self.schedule.all_active:
            name = "pending_flags" if self.place("STALE") else "active_flags"
            return int(np.count_nonzero(np.asarray(self.arrays[name])))
        if not self.state[STALE]:
            return int(self.state[NUM_ACTIVE])
        return self.place("ALL_PENDING" if self.compiled.grids else "NUM_PENDING")

    def whole_program(self) -> None:
        """Run a program that needs no host; once called off, what follows its loops still runs."""
        state, patience = self.state, None
        while True:
            before = 0
            if not self.plan.is_under_way:  # else the state is the kernel's
                before = state[SUPERSTEPS]
                give_budget(self.plan)
            has_ended = self.call("program")
            if has_ended and not self.is_told:
                return
            loops = self.plan.table.loops
            if self.supersteps() > before and loops:
                if not has_ended:  # what ends at once tries nobody's patience
                    patience = patience or self.patience(loops[-1])
                    patience.look(self.supersteps())
                if self.callback is not None:
                    self.report(loops[-1] if has_ended else self.innermost(loops))
            if has_ended:
                return
            state[PLACES["CALLED_OFF"]] = self.is_called_off

    def innermost(self, loops: Any) -> s.LoopStep:
        """Return the loop that a launch has come back from, the last where it was in none."""
        running = (place_of_launch(each.number, Own.RUNNING) for each in loops)
        within = [e for e, at in zip(loops, running, strict=True) if self.state[at]]
        found: s.LoopStep = (within or loops)[-1]
        return found

    def compiled_loop(self, loop: s.LoopStep) -> None:
        """Run an innermost loop in calls of bounded length."""
        if self.is_called_off:
            return
        around = self.begin(loop)
        self.go_on(loop)
        self.restore(around)

    def go_on(self, loop: s.LoopStep) -> None:
        """Call an innermost loop that has begun until it ends."""
        name, has_ended = self.compiled.called.function_of(loop, self.state), False
        patience = None
        while not (has_ended or self.is_called_off):
            give_budget(self.plan)
            has_ended = self.call(name)
            if not has_ended:  # what ends at once tries nobody's patience
                patience = patience or self.patience(loop)
                patience.look(int(self.arrays[loop.step.array][loop.step.index]))
            if self.is_told or not has_ended:
                self.report(loop)

    def patience(self, loop: s.LoopStep) -> Patience:
        """Return what warns of a loop that may have no end, or says nothing where it has one."""
        limit = loop.limit.value if isinstance(loop.limit, p.Number) else None
        endless = limit == p.NO_LIMIT and loop.until is None
        return Patience(loop.loc, self.plan.whole.num_vertices, endless)

    def stopped(self) -> str:
        """Return why the last loop ended."""
        return "callback" if self.is_called_off else REASONS[self.state[STOPPED]]

    def restore(self, votes: tuple[int, int, int]) -> None:
        """Put back the votes of the loop around."""
        state = self.state
        state[KEEP_GOING], state[ACTIVATED], state[HALT] = votes

    def host_loop(self, loop: s.LoopStep) -> None:
        """Run a loop that holds other loops."""
        if self.is_called_off:
            return
        around, patience = self.begin(loop), self.patience(loop)
        ints = self.arrays[loop.step.array]
        reason = "limit"
        while ints[loop.step.index] < self.scalar(loop.limit):
            self.state[PLACES["SUPERSTEPS"]] += 1
            for vote in ("KEEP_GOING", "ACTIVATED"):
                self.state[PLACES[vote]] = 0
            self.steps(loop.body)
            ints[loop.step.index] += 1
            patience.look(int(ints[loop.step.index]))
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


def acts_of(steps: tuple[Any, ...], names: dict[int, str]) -> list[Callable[[Driver], object]]:
    """Return what a driver does for each step of a list: calls of its methods."""
    return [act_of(step, names) for step in steps]


def act_of(step: Any, names: dict[int, str]) -> Callable[[Driver], object]:
    """Return what a driver does for a step, of which the kernels may have a function."""
    if isinstance(step, s.SetScalar):
        return methodcaller("put", step.slot, step.expr)
    if isinstance(step, s.TakeActive) and id(step) not in names:
        return methodcaller("take_active", step.kind)
    if isinstance(step, s.LoopStep):
        return methodcaller("compiled_loop" if step.compiled else "host_loop", step)
    return methodcaller("call", names[id(step)])


def begin(plan: Plan) -> None:
    """Put the first launch of a program that needs no host on its way; `Driver.run` waits for it.

    What its end is told to, and what is known of the run already, is made while a GPU works.
    """
    give_budget(plan)
    plan.target.begin(plan)


def give_budget(plan: Plan) -> None:
    """Say how many supersteps the next launch may run."""
    resident = plan.resident
    if not resident.budget:
        resident.budget = FIRST_BUDGET
    plan.arrays["state"].data[BUDGET] = resident.budget


def learn(resident: Any, steps: int, seconds: float) -> None:
    """Choose the budget of the next launch; a longer one only where this one was used up."""
    budget, last = next_budget(resident.budget, seconds / steps), resident.budget
    resident.budget = budget if steps == last else min(budget, last)  # others stay as they are


def refuse_bad_index(program: str, state: Any) -> None:
    """Refuse an id that a function has asked for, and that does not exist.

    Raises
    ------
    ArgumentError
    """
    raise ArgumentError(
        f"{program}: element {int(state[BAD_INDEX + 1])} was asked for "
        "by g.only(), .at(), out_dst(), out_edge() or send_to(), and does not exist",
        remedy="Run with backend='python' to see the line.",
    )


def next_budget(budget: int, superstep_s: float) -> int:
    """Return how many supersteps the next launch may run.

    Examples
    --------
    >>> next_budget(64, 0.1), next_budget(64, 1e-6), next_budget(64, 1.0)
    (2, 512, 1)
    """
    affordable = int(LONGEST_CALL_S / max(superstep_s, 1e-9))
    return max(1, min(affordable, FASTER * budget, MOST_SUPERSTEPS))
