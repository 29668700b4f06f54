"""Run a program so that every phase is timed, and make a `Profile` of what was found.

On a GPU the program is compiled from a text that keeps records (`emv.codegen.cuda.tracing`); the
host reads them between launches, whose budget of supersteps is so small that all of them fit. On
the CPU a compiled loop is called for one superstep at a time. Both ways the program runs once
before, so that kernels are loaded and layouts built.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.codegen.cpu.regions import PULL_SHARE
from emv.codegen.cuda import tracing
from emv.codegen.state import PLACES
from emv.ir import schedule as s
from emv.runtime.arguments import Arguments
from emv.runtime.compile import Compiled
from emv.runtime.device_driver import DeviceDriver, next_budget
from emv.runtime.driver import Driver
from emv.runtime.execute import execute
from emv.runtime.profile import BETWEEN, Profile, Record, make_profile
from emv.runtime.run import LaunchTime
from emv.runtime.targets import Callback
from emv.runtime.traffic import Seen, Traffic

COPIES = 5  # of which the fastest counts
COPY_BYTES = 2**30  # of a copy on a GPU; its caches hold far less
CPU_COPY_BYTES = 2**27


def profiled(
    compiled: Compiled, graph: Any, arguments: Arguments, seed: int, target: Any
) -> Profile:
    """Run a program twice and return the profile of the second time.

    Parameters
    ----------
    compiled : Compiled
        For a GPU, from the traced text.
    target : Target
        Where to run.
    """
    execute(compiled, graph, arguments, seed, None, target)
    profiling = Profiling(target)
    execute(compiled, graph, arguments, seed, None, profiling)
    driver, plan = profiling.used, profiling.planned
    num_ids = {name: len(ids) for name, ids in plan.ids.items()}
    return make_profile(
        driver.records,
        Traffic(compiled.schedule, graph, num_ids),
        profiling.copy_bandwidth(),
        program=compiled.program.name,
        backend=profiling.label,
        graph=str(graph),
        tick_s=driver.tick_s,
        lost=driver.lost,
    )


class Profiling:
    """A target that drives what another target plans, and keeps the records.

    Attributes
    ----------
    used : CpuProfiler or DeviceProfiler
        The driver of the run.
    planned : Plan
        The plan of the run.
    """

    def __init__(self, target: Any) -> None:
        self.target = target
        self.label = target.label
        self.used: Any = None
        self.planned: Any = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.target, name)

    def plan(self, compiled: Compiled, graph: Any, arguments: Arguments, ids: Any) -> Any:
        """Return the plan of a run."""
        self.planned = self.target.plan(compiled, graph, arguments, ids)
        return self.planned

    def driver(self, plan: Any, compiled: Compiled, callback: Callback) -> Driver:
        """Return the driver that keeps records."""
        if self.target.kind == "cuda":
            self.used = DeviceProfiler(plan, compiled.slots, callback)
            self.label = f"{self.target.label} ({self.target.device.driver.name})"
        else:
            made = (plan, compiled.module, compiled.names, compiled.slots, callback)
            self.used = CpuProfiler(*made)
            count = self.target.num_threads
            self.label = f"cpu ({count} thread{'s' * (count != 1)})"
        driver: Driver = self.used
        return driver

    def copy_bandwidth(self) -> float:
        """Return the bytes per second that a large copy reads and writes together."""
        if self.target.kind == "cuda":
            return device_copy_bandwidth(self.target.device)
        return cpu_copy_bandwidth(self.target.num_threads)


class CpuProfiler(Driver):
    """Runs compiled loops one superstep at a time.

    Attributes
    ----------
    records : list of Record
        One per call.
    """

    tick_s, lost = 0.0, 0

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        self.records: list[Record] = []
        numbered = {id(step): step for step in steps_in(self.plan.schedule.body)}
        self.step_of = {name: numbered[number] for number, name in self.names.items()}

    def call(self, name: str) -> Any:
        """Call a compiled function and keep a record."""
        step, before = self.step_of[name], self.place("SUPERSTEPS")
        seen = self.seen(step)
        self.budget = self.state[PLACES["BUDGET"]] = 1
        known = self.times.get(name, LaunchTime(name)).seconds
        result = super().call(name)
        seconds = self.times[name].seconds - known
        now = self.place("SUPERSTEPS")
        if is_claim(step):
            seen = Seen(seen.active, seen.arcs, seen.active_edges, bool(self.place("PULLING")))
        ran = now > before or not isinstance(step, s.LoopStep)
        found = Record(name_of(step), "", step if ran else None, seconds, now, seen)
        self.records.append(found)
        return result

    def seen(self, step: Any) -> Seen:
        """Return the active sets that the next superstep finds."""
        active, arcs = self.num_active(), 0
        queue = "pending" if self.place("STALE") else "active"
        if queue in self.plan.arrays:
            first = self.plan.graph.layouts.out_rows.first
            ids = self.array(queue)[:active] >> self.plan.copies.shift
            arcs = int((first[ids + 1].astype(np.int64) - first[ids]).sum())
        edges = self.place("NUM_PENDING_EDGES" if self.place("STALE_EDGES") else "NUM_ACTIVE_EDGES")
        pulling = arcs * PULL_SHARE > self.place("NUM_ARCS")
        return Seen(active, arcs, edges, pulling)


class DeviceProfiler(DeviceDriver):
    """Reads the records of a traced program between its launches.

    Attributes
    ----------
    records : list of Record
        One per phase, in order.
    tick_s : float
        How often the clock moves.
    lost : int
        Records that did not fit.
    """

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        self.records: list[Record] = []
        self.tick_s, self.lost = 0.0, 0
        source = self.plan.source
        self.labels = [labels_of(each, self.plan.schedule) for each in source.labels]
        sites = source.text.count("record(state, trace, ")
        self.most = max(1, tracing.RECORDS // sites - 1)  # a superstep passes each at most once

    def run(self) -> None:
        """Run the program."""
        resident, state = self.plan.resident, self.state
        assert resident is not None
        spent = self.times.setdefault("program", LaunchTime("program"))
        budget = resident.budget
        while True:
            before = self.place("SUPERSTEPS")
            state[PLACES["BUDGET"]] = min(budget, self.most)
            state[tracing.TRACED] = 0
            self.plan.upload_control()
            seconds = self.plan.launch()
            spent.seconds += seconds
            spent.calls += 1
            steps = self.place("SUPERSTEPS") - before
            spent.supersteps += steps
            self.check_ids()
            self.read_records(int(state[tracing.TRACED]))
            if self.place("DONE"):
                return
            if steps:
                budget = next_budget(budget, seconds / steps)

    def read_records(self, count: int) -> None:
        """Copy the records of a launch to the host."""
        resident = self.plan.resident
        assert resident is not None
        kept = min(count, tracing.RECORDS)
        self.lost += count - kept
        rows = np.empty((kept, len(tracing.FIELDS)), np.int64)
        address = int(resident.words[resident.number["trace"]])
        self.plan.device.download(address, rows, self.plan.stream)
        self.records += records_of(rows, self.labels)
        tick = int(np.gcd.reduce(np.diff(rows[:, 1]))) if kept > 1 else 0
        self.tick_s = float(np.gcd(tick, round(1e9 * self.tick_s))) / 1e9


Label = tuple[str, str, Any]  # names of launch and phase, and the step


def records_of(rows: NDArray[np.int64], labels: list[list[Label]]) -> Iterator[Record]:
    """Yield the records of one launch; each lasted since the one before.

    Where no barrier stands between phases, the time is that of the last.
    """
    before = 0
    for phase, now, superstep, active, arcs, edges, pulling, alone in rows.tolist():
        if phase != tracing.START:
            seen = Seen(active, arcs, edges, bool(pulling))
            for k, (launch, name, step) in enumerate(labels[phase], 1):
                seconds = max(0, now - before) / 1e9 if k == len(labels[phase]) else 0.0
                yield Record(launch, name, step, seconds, superstep, seen, bool(alone))
        before = now


def labels_of(names: str, schedule: s.Schedule) -> list[Label]:
    """Return what the work functions between two barriers belong to."""
    labels = [label_of(each, schedule) for each in names.split() or [""]]
    launch, phase, _ = labels[-1]
    where = f" (with {phase})" if len({each[0] for each in labels}) == 1 else f" (with {launch})"
    return [(name, own + where, step) for name, own, step in labels[:-1]] + labels[-1:]


def label_of(name: str, schedule: s.Schedule) -> Label:
    """Return what a work function belongs to: names of launch and phase, and the step."""
    found: tuple[int, Label] = (0, (BETWEEN, "", None))
    for step in steps_in(schedule.body):
        for prefix in prefixes_of(step):
            if name.startswith(prefix) and len(prefix) > found[0]:
                found = (len(prefix), (name_of(step), name.removeprefix(prefix).strip("_"), step))
    return found[1]


def prefixes_of(step: Any) -> list[str]:
    """Return what the names of a step's work functions begin with."""
    if isinstance(step, s.Launch):
        return [f"{step.name}_{step.number}_", f"relax_{step.number}_"]
    if isinstance(step, s.FillColumn):
        return [f"fill_{step.column.name}_"]
    if isinstance(step, s.FoldColumn):
        return [f"fold_{step.column.name}_{step.values.id}"]
    if isinstance(step, s.AggregateValues):
        return [f"aggregate_{step.slot.array}_{step.slot.index}"]
    return []


def steps_in(steps: tuple[Any, ...]) -> Iterator[Any]:
    """Yield every step, loops and those in them included."""
    for step in steps:
        yield step
        if isinstance(step, s.LoopStep):
            yield from steps_in(step.body)


def is_claim(step: Any) -> bool:
    """Return whether a step chooses its direction as a `Claim` does."""
    return any(isinstance(each.shortcut, s.Claim) for each in s.launches_in((step,)))


def name_of(step: Any) -> str:
    """Return what a profile calls a step."""
    if isinstance(step, s.Launch):
        return f"launch {step.number} {step.name}"
    if isinstance(step, s.LoopStep):
        names = ", ".join(each.name for each in s.launches_in(step.body))
        return f"loop {step.number}: {names}"
    return " ".join(str(step).split())


# The bandwidth of a copy.


def cpu_copy_bandwidth(num_threads: int) -> float:
    """Return the bytes per second that a copy by numpy reads and writes, a part per thread."""
    source = np.ones(CPU_COPY_BYTES // 8)
    target = np.zeros_like(source)
    parts = [
        (into, out)
        for into, out in zip(
            np.array_split(target, num_threads), np.array_split(source, num_threads), strict=True
        )
    ]
    with ThreadPoolExecutor(num_threads) as threads:  # numpy lets go of Python's lock meanwhile

        def copy() -> float:
            started = time.perf_counter()
            list(threads.map(lambda part: np.copyto(*part), parts))
            return time.perf_counter() - started

        return fastest(copy, source.nbytes)


def device_copy_bandwidth(device: Any) -> float:
    """Return the bytes per second that a copy within a GPU's memory reads and writes."""
    driver, stream = device.driver, device.stream
    with device.current():
        nbytes = min(COPY_BYTES, driver.memory()[0] // 4)
        target, source = driver.allocate(nbytes), driver.allocate(nbytes)
        began, ended = driver.new_event(), driver.new_event()

        def copy() -> float:
            driver.record(began, stream)
            driver.copy(target, source, nbytes, stream)
            driver.record(ended, stream)
            driver.synchronize(stream)
            return float(driver.seconds_between(began, ended))

        try:
            return fastest(copy, nbytes)
        finally:
            for address in (target, source):
                driver.free(address)
            for event in (began, ended):
                driver.free_event(event)


def fastest(copy: Callable[[], float], nbytes: int) -> float:
    """Return the bandwidth of the fastest of some copies, after one that does not count."""
    copy()
    seconds = min(copy() for _ in range(COPIES))
    return 2 * nbytes / seconds if seconds > 0 else 0.0
