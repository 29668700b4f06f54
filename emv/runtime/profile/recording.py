"""Run a program so that every phase is timed, and make a `Profile` of what was found.

On a GPU the program is compiled from a text that keeps records (`emv.codegen.cuda.tracing`); the
host reads them between launches, whose budget of supersteps is so small that all of them fit. On
the CPU a compiled loop is called for one superstep at a time, and on several GPUs one call after
another. Each way the program runs once before, so that kernels are loaded and layouts built.
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
from emv.runtime.arguments import Call
from emv.runtime.arrays.plan import Plan
from emv.runtime.arrays.taken import current
from emv.runtime.compile import Compiled
from emv.runtime.drive.driver import Driver
from emv.runtime.drive.execute import execute
from emv.runtime.profile.profile import BETWEEN, Record, make_profile
from emv.runtime.profile.traffic import Seen, Traffic
from emv.shown.profile import Profile

COPIES = 5  # of which the fastest counts
COPY_BYTES = 2**30  # of a copy on a GPU; its caches hold far less
CPU_COPY_BYTES = 2**27


def profiled(compiled: Compiled, call: Call) -> Profile:
    """Run a program twice and return the profile of the second time.

    Parameters
    ----------
    compiled : Compiled
        For a GPU, from the traced text.
    """
    execute(compiled, call)
    drivers: list[Any] = []

    def drive(plan: Plan, callback: Any) -> Driver:
        drivers.append((GpuRecorder if plan.target.kind == "cuda" else CoresRecorder)(plan))
        recorder: Driver = drivers[-1]
        return recorder

    execute(compiled, call, drive)
    recorder, target = drivers[-1], call.target
    if target.device is not None:
        backend = f"{target.label} ({target.device.driver.name}{target.handed_on()})"
        bandwidth = device_copy_bandwidth(target.device)
    else:
        threads = target.workers(0)["T"]
        backend = f"{target.label} ({threads} thread{'s' * (threads != 1)}{target.handed_on()})"
        bandwidth = cpu_copy_bandwidth(threads)
    num_ids = {name: len(ids) for name, ids in recorder.plan.ids.items()}
    return make_profile(
        recorder.records,
        Traffic(compiled.schedule, call.graph, num_ids),
        bandwidth,
        program=compiled.program.name,
        backend=backend,
        graph=str(call.graph),
        tick_s=recorder.tick_s,
        lost=recorder.lost,
    )


class CoresRecorder(Driver):
    """Runs compiled loops one superstep at a time.

    Attributes
    ----------
    records : list of Record
        One per call.
    """

    tick_s, lost = 0.0, 0

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.records: list[Record] = []
        numbered = {id(step): step for step in s.steps_in(self.schedule.body)}
        self.step_of = {name: numbered[number] for number, name in self.compiled.names.items()}
        for number, (name, _) in self.compiled.relaxing.items():
            self.step_of[name] = numbered[number]

    def call(self, name: str) -> bool:
        """Call a compiled function and keep a record."""
        step, before = self.step_of[name], self.place("SUPERSTEPS")
        seen = self.seen()
        self.state[PLACES["BUDGET"]] = 1
        known = self.times[name].seconds if name in self.times else 0.0
        has_ended = super().call(name)
        seconds = self.times[name].seconds - known
        now = self.place("SUPERSTEPS")
        # A step that holds a claim has chosen its direction as that does.
        if any(isinstance(each.shortcut, s.Claim) for each in s.launches_in((step,))):
            seen = Seen(seen.active, seen.arcs, seen.active_edges, bool(self.place("PULLING")))
        ran = now > before or not isinstance(step, s.LoopStep)
        found = Record(name_of(step), "", step if ran else None, seconds, now, seen)
        self.records.append(found)
        return has_ended

    def seen(self) -> Seen:
        """Return the active sets that the next superstep finds."""
        active, arcs = self.num_active(), 0
        queue = "pending" if self.place("STALE") else "active"
        if queue in self.arrays:
            first = self.plan.whole.layouts.out_rows.first
            ids = current(self.arrays, queue)[:active] >> self.plan.copies.shift
            arcs = int((first[ids + 1].astype(np.int64) - first[ids]).sum())
        edges = self.place("NUM_PENDING_EDGES" if self.place("STALE_EDGES") else "NUM_ACTIVE_EDGES")
        pulling = arcs * PULL_SHARE > self.plan.whole.num_arcs * self.plan.copies.size
        return Seen(active, arcs, edges, pulling)


class GpuRecorder(Driver):
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

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.records: list[Record] = []
        self.tick_s, self.lost = 0.0, 0
        source = self.compiled.source
        self.labels = [labels_of(each, self.schedule) for each in source.labels]
        sites = source.text.count("record(state, trace, ")
        self.most = max(1, tracing.RECORDS // sites - 1)  # a superstep passes each at most once

    def call(self, name: str) -> bool:
        """Launch the kernel for so many supersteps that all records fit, and read them."""
        budget = PLACES["BUDGET"]
        self.state[budget] = min(self.state[budget], self.most)
        self.state[tracing.TRACED] = 0
        has_ended = super().call(name)
        self.read_records(int(self.state[tracing.TRACED]))
        return has_ended

    def read_records(self, count: int) -> None:
        """Copy the records of a launch to the host."""
        kept = min(count, tracing.RECORDS)
        self.lost += count - kept
        rows = np.empty((kept, len(tracing.FIELDS)), np.int64)
        self.target.device.download(self.arrays["trace"].address, rows, self.target.stream)
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
    for step in s.steps_in(schedule.body):
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


def name_of(step: Any) -> str:
    """Return what a profile calls a step."""
    if isinstance(step, s.Launch):
        return f"launch {step.number} {step.name}"
    if isinstance(step, s.LoopStep):
        names = ", ".join(each.name for each in s.launches_in(step.body))
        return f"loop {step.number}: {names}"
    return " ".join(str(step).split())


# The bandwidth of a copy, which the bytes of a profile are compared with.


def cpu_copy_bandwidth(num_threads: int) -> float:
    """Return the bytes per second that a copy by numpy reads and writes, a part per thread."""
    source = np.ones(CPU_COPY_BYTES // 8)
    target = np.zeros_like(source)
    both = (np.array_split(each, num_threads) for each in (target, source))
    parts = list(zip(*both, strict=True))
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
