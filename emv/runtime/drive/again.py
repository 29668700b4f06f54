"""A run on cores that equals the last one on a plan: what stays is known, nothing is looked up.

A kernel that has used all caches leaves nothing of Python's in them. Every function of Python, and
every object that one looks at, then takes a microsecond or more before the next kernel and behind
it, ten times what a small graph takes. So a run of which only the seed is new is done here by a few
long functions over what was put together before: without a driver, without arrays by their names,
and in the memory of results that nobody holds any more.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from threading import get_ident
from typing import Any, NamedTuple

import numpy as np

from emv.backends import compiling, cpu
from emv.codegen.state import PLACES, REASONS, VOTES
from emv.ir import schedule as s
from emv.ir.slots import Slot
from emv.runtime.arrays.plan import Plan, wrapped
from emv.runtime.arrays.taken import FLIPPED, FLIPPED_EDGES, Taken
from emv.runtime.compile import is_early
from emv.runtime.drive.driver import (
    BAD_INDEX,
    BUDGET,
    FIRST_BUDGET,
    STOPPED,
    SUPERSTEPS,
    Driver,
    learn,
    refuse_bad_index,
)
from emv.runtime.drive.early import put
from emv.runtime.run import Asked, LaunchTime, Run, Said, begun_run
from emv.runtime.targets.filling import Filling, address
from emv.runtime.targets.fills import LARGE
from emv.runtime.targets.spare import Kept, Spare
from emv_kernels.aside import MAIN

LISTENS, SEED = PLACES["LISTENS"], PLACES["SEED"]
KEEP_GOING, ACTIVATED, HALT = (PLACES[vote] for vote in VOTES)
IDS = np.dtype(np.int64)  # of disjoint sets in results
WIDE = "{} widened"
TRUTH = np.dtype(np.bool_)
clock = time.perf_counter

Spent = tuple[str, int, float, int]
"""What `LaunchTime` has."""


def again_on_cores(plan: Plan) -> Again | None:
    """Return what runs a plan again that nobody runs now; None where it takes a driver.

    Loops around loops, and results that are neither columns of the program's nor scalars, are
    worked out by one. Where this thread does not work for launches, or one may wait for ever,
    another makes them.
    """
    compiled, begun = plan.compiled, plan.begun
    if plan.target.kind != "cpu" or begun is None or begun.fresh is None or compiled.meant is None:
        return None
    if compiled.source.may_wait or not cpu.caller_works() or plan.arguments.copies:
        return None
    if any(key is None and not isinstance(slot, Slot) for key, slot in compiled.result_places[0]):
        return None
    steps = compiled.late_steps
    if not steps or not all(is_plain(step, compiled.names) for step in steps):
        return None
    return Again(plan)


def is_plain(step: Any, names: dict[int, str]) -> bool:
    """Return whether a step is one function of the kernels, or sets a scalar."""
    if isinstance(step, s.LoopStep):
        return bool(step.compiled)
    return id(step) in names or isinstance(step, s.SetScalar)


class Step(NamedTuple):
    """A function of the kernels that Python calls.

    Attributes
    ----------
    number : int
    name, call, taken : str, callable, Taken
        Its name, the function, and what it takes.
    loop : LoopStep or None
        What it is, if it is one.
    counter, place : memoryview, int
        Where that counts.
    """

    number: int
    name: str
    call: Callable[..., Any]
    taken: Taken
    loop: s.LoopStep | None = None
    counter: Any = None
    place: int = 0


class Put(NamedTuple):
    """A scalar that is set; to which number, if that was known before the run and has been put."""

    step: s.SetScalar
    numbers: Any
    place: int
    known: list[Any]


class Result(NamedTuple):
    """A result: a column by its key, else a number of the control block."""

    key: Any
    numbers: Any = None
    place: int = 0


class Ready:
    """What a run does with arrays that it has anew.

    Attributes
    ----------
    small, copied : list of (array, Any)
        Small arrays, and the number or the array that is put into them.
    filling, widening : Filling
        What threads write before the first launch, and behind the last.
    late : list of (array, array)
        Where ids will be, and those that one thread widens.
    columns : list of (Key, array, dtype)
        Of which results are views.
    taken : dict
        What a step takes, by its number and by which queues have changed places.
    """

    def __init__(self, again: Again, kept: Kept) -> None:
        self.arrays, self.small = kept.arrays, [*again.resident.small]
        self.copied: list[tuple[Any, Any]] = []
        self.filling, self.widening = Filling(), Filling()
        self.late: list[tuple[Any, Any]] = []
        self.taken: dict[tuple[int, int, int], tuple[Any, ...]] = {}
        for array, words in again.resident.large:
            self.filling.add(array, words)
        for name, start in again.starts.items():
            if start.words is not None:
                self.filling.add(self.arrays[name], start.words)
            elif start.values is not None:
                listed = self.copied if isinstance(start.values, np.ndarray) else self.small
                listed.append((self.arrays[name], start.values))
        self.columns: list[tuple[Any, Any, Any]] = []
        for key, name, field in again.written:
            is_truth = field.dtype.kind == "b" and not field.disjoint
            found = self.arrays[WIDE.format(name) if field.disjoint else name]
            self.columns.append((key, found, TRUTH if is_truth else found.dtype))
            if field.disjoint:
                self.widen(found, self.arrays[name])
        self.filling.get_ready()
        self.widening.get_ready()

    def widen(self, wide: Any, ids: Any) -> None:
        """Note that ids are widened."""
        if ids.nbytes < LARGE or ids.dtype == IDS:
            self.late.append((wide, ids))
        else:
            self.widening.add(wide, (0, 0), ids)


class Again:
    """Runs a plan again.

    Parameters
    ----------
    plan : Plan
        One that has run at least twice.
    """

    def __init__(self, plan: Plan) -> None:
        begun, self.compiled = plan.begun, plan.compiled
        assert begun is not None
        assert self.compiled.meant is not None
        self.meant, self.name = self.compiled.meant, self.compiled.program.name
        cores: Any = plan.target
        self.num_threads, self.label = cores.num_threads, cores.label
        self.resident, self.start, self.lasting = begun.resident, begun.start, begun.lasting
        self.view, self.state = self.resident.control_view, self.lasting["state"].data
        self.given = {name: give() for name, give in begun.kept}
        self.starts, self.written = dict(begun.fresh or ()), plan.table.written
        self.widens = any(field.disjoint for _, _, field in self.written)
        arrays = {name: (start.size, start.dtype) for name, start in self.starts.items()}
        for _, name, field in self.written:
            if field.disjoint:
                arrays[WIDE.format(name)] = self.starts[name].size, IDS
        spares = self.resident.spares  # which plans for other arguments have, too
        self.spare: Spare = spares.setdefault(tuple(arrays.items()), Spare(arrays))
        self.ready: dict[Kept, Ready] = {}
        self.results = [self.result(*each) for each in self.compiled.result_places[0]]
        self.is_several = isinstance(self.compiled.program.results, tuple)
        self.only = None if self.is_several else self.results[0].key
        self.steps = [self.step(*each) for each in enumerate(self.compiled.late_steps)]

    def result(self, key: Any, slot: Any) -> Result:
        """Return where a result is found."""
        if key is not None:
            return Result(key)
        numbers = self.lasting[slot.array].data
        return Result(None, numbers.cast("B").cast("Q") if slot.unsigned else numbers, slot.index)

    def step(self, number: int, step: Any) -> Step | Put:
        """Return a step as a run makes it that begins as the last one did."""
        if isinstance(step, s.SetScalar):
            return Put(step, self.lasting[step.slot.array].data, step.slot.index, [])
        control = memoryview(self.start).cast("q")
        at = address(self.lasting["state"]) - address(self.resident.control_bytes)
        name = self.compiled.called.function_of(step, control[at // control.itemsize :])
        call, taken = getattr(self.compiled.module, name), self.compiled.taken[name]
        if not isinstance(step, s.LoopStep):
            return Step(number, name, call, taken)
        counter = self.lasting[step.step.array].data
        return Step(number, name, call, taken, step, counter, step.step.index)

    def with_one_of(
        self, left: list[Plan] | None, graph: Any, seed: int, asked: Asked
    ) -> Run | None:
        """Return what came of a run of a plan that waits; None if there is none, or as below."""
        if left is None:
            return None
        try:
            plan = left.pop()
        except IndexError:  # another thread has it
            return None
        plan.left, begun, run = left, plan.begun, None
        if begun is not None and begun.again is self:
            run = self(plan, graph, seed, asked)
        if run is None:
            plan.left = None
            left.append(plan)
        return run

    def __call__(self, plan: Plan, graph: Any, seed: int, asked: Asked) -> Run | None:
        """Return what came of a run; None if it does not equal the last one, or others have begun.

        Parameters
        ----------
        plan : Plan
            The one that this was made for. It is not held here, as it holds this.
        graph, seed, asked : Graph, int, Asked
            All in which the run may differ.
        """
        idle, resident = plan._idle, self.resident
        if not (self.meant.standing.holds() or self.meant.holds()):
            return None
        if cpu.FORKED and self.num_threads > 1:
            return None
        try:
            found = idle.pop()
        except IndexError:  # another thread has it
            return None
        if found is not resident:
            idle.append(found)
            return None
        plan.resident = resident
        try:
            run = self.run(plan, graph, seed, asked)
        except BaseException:
            plan.abandon()
            raise
        plan.resident = None
        idle.append(resident)
        left, plan.left = plan.left, None
        if left is not None:
            left.append(plan)
        return run

    def run(self, plan: Plan, graph: Any, seed: int, asked: Asked) -> Run:
        """Make the arrays of a run, go through the steps, and say what came of it.

        What can be done is done before the first of them, where all that it is about has just been
        looked at.
        """
        state, columns, spent = self.state, {}, []  # type: ignore[var-annotated]
        ready = self.ready.get(kept := self.spare.take()) or self.get_ready(kept)
        self.view[:] = self.start
        state[SEED] = seed if 0 <= seed < 2**63 else wrapped(seed)
        state[LISTENS] = get_ident() == MAIN[0]
        for key, array, dtype in ready.columns:
            columns[key] = array.view(dtype)
        sizes = graph._store.edges._columns.told or Said.sizes_of(graph)
        rest = columns, functools.partial(launches, spent), asked, sizes
        run = begun_run(rest, self.name, columns.get(self.only), self.label, graph)
        if self.compiled.seconds:
            run.compile_seconds = self.compiled.take_seconds()
        began = clock()
        self.fill(ready)
        for step in self.steps:
            if isinstance(step, Step):
                self.launch(step, ready, spent, (plan, graph))
            else:
                self.put(step, plan)
        if self.widens:
            self.widen(ready)
        run.seconds = clock() - began
        run.supersteps, run.stopped = state[SUPERSTEPS], REASONS[state[STOPPED]]
        if self.only is None:
            self.give(run, columns)
        return run

    def get_ready(self, kept: Kept) -> Ready:
        """Return what is done with arrays that no run of the plan had, or forgot others for."""
        before, sets = compiling.CLOCK.seconds, self.spare.sets
        made = Ready(self, kept)
        self.ready = {each: ready for each, ready in self.ready.items() if each in sets}
        if kept in sets:
            self.ready[kept] = made
        self.compiled.seconds += compiling.CLOCK.seconds - before  # of the kernel that fills
        return made

    def fill(self, ready: Ready) -> None:
        """Fill arrays; numba's threads are as many as the run has from here on."""
        if self.num_threads > 1:
            cpu.keep_threads(self.num_threads)
        if ready.filling.count:
            ready.filling(self.num_threads)
        for array, number in ready.small:
            array.fill(number)
        for array, values in ready.copied:
            array[:] = values

    def launch(self, step: Step, ready: Ready, spent: list[Spent], of: tuple[Plan, Any]) -> None:
        """Call a function of the kernels."""
        number, name, call, _, loop, counter, place = step
        state = self.state
        key = number, state[FLIPPED], state[FLIPPED_EDGES]
        taken = ready.taken.get(key) or self.take(step, ready, key)
        if loop is not None:
            counter[place] = 0
            state[KEEP_GOING] = state[ACTIVATED] = state[HALT] = 0
            state[BUDGET] = self.resident.budget or FIRST_BUDGET
        before, start = state[SUPERSTEPS], clock()
        has_ended = call(*taken)
        spent.append((name, 1, clock() - start, state[SUPERSTEPS] - before))
        if state[BAD_INDEX]:
            refuse_bad_index(self.name, state)
        if not has_ended and loop is not None:
            self.go_on(loop, ready, spent, of)

    def take(self, step: Step, ready: Ready, key: tuple[int, int, int]) -> tuple[Any, ...]:
        """Return what a step takes, which is kept for runs with the same arrays."""
        arrays = self.lasting | self.given | ready.arrays
        found = tuple(arrays[name] for name in step.taken.named(key[1:]))
        ready.taken[key] = found
        return found

    def go_on(
        self, loop: s.LoopStep, ready: Ready, spent: list[Spent], of: tuple[Plan, Any]
    ) -> None:
        """Let a driver call a loop until it ends that has used up its budget."""
        (plan, graph), (name, calls, seconds, steps) = of, spent[-1]
        plan.whole = graph
        plan.arrays = self.lasting | self.given | ready.arrays
        learn(self.resident, steps, seconds)
        driver = Driver(plan)
        driver.go_on(loop)
        plan.arrays = {}
        del plan.whole
        more = driver.times[name]
        spent[-1] = name, calls + more.calls, seconds + more.seconds, steps + more.supersteps

    def put(self, step: Put, plan: Plan) -> None:
        """Set a scalar."""
        _, numbers, place, known = step
        if known:
            numbers[place] = known[0]
            return
        plan.arrays = self.lasting
        put(plan, step.step.slot, step.step.expr)
        plan.arrays = {}
        if is_early(step.step):
            known.append(numbers[place])

    def widen(self, ready: Ready) -> None:
        """Widen ids, the large ones by threads."""
        if ready.widening.count:
            ready.widening(self.num_threads)
        for wide, ids in ready.late:
            wide[:] = ids

    def give(self, run: Run, columns: dict[Any, Any]) -> None:
        """Tell a run its results, where they are more than a column."""
        found = []
        for key, numbers, place in self.results:
            found.append(columns[key] if key else numbers[place])
        run.result = tuple(found) if self.is_several else found[0]


def launches(spent: list[Spent]) -> list[LaunchTime]:
    """Return the launches of a run."""
    return [LaunchTime(*each) for each in spent]
