"""The parts of one run on GPUs, whose rows go from one to another by the host.

A part has a plan of its own. The kernel runs one step a launch (`emv.codegen.cuda.steps`).
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.backends.cuda import kernels
from emv.backends.cuda.array import empty, from_host
from emv.backends.cuda.device import ENTRIES_PER_BLOCK
from emv.backends.cuda.together import THREADS
from emv.codegen.queues import ActiveSet
from emv.codegen.state import FIRST_FREE, PLACES
from emv.graph.widths import id_dtype
from emv.ir import schedule as s
from emv.passes.needs import Right, changed_by
from emv.runtime.arrays.plan import Plan
from emv.runtime.targets.division import EDGES, Division, Some, size_of
from emv.runtime.targets.gpu import Gpu
from emv_kernels.sizes import MANY

WHOLE_BYTES = 2**18
"""Up to so many bytes an array goes to the host and back whole: that costs less than a kernel."""

FEW_STRETCHES = 2**10
"""Up to so many stretches of vertices, results are copied one by one."""

GRID = ("BLOCKS", "NUM_THREADS", "ARRIVED", "RELEASED", "ALONE", "ALONE_AT", "NUM_WIDE", "CURSOR")
HELD = (
    *("NUM_EDGES", "NUM_ARCS", "NUM_HUBS", "NUM_PIECES", "NUM_SENDERS"),
    *("HAS_WIDE", "HAS_ORDER", "HAS_POSITION"),
)
OWN = (*GRID, *HELD)
"""Places of the shared state that are a part's own: blocks and their barrier; edges and arcs."""


class GpuDivision(Division):
    """The parts of one run on GPUs.

    What every part does alike comes out alike but for the order of atomics: it is no more relied on
    than what each does for its own, so whatever a launch changes is right at its owners.

    Parameters
    ----------
    each : tuple of Gpu
        The GPU of each part.
    plans : list of Plan
        The plan of each part, of which the first is bound.
    way : str
        How the graph is divided; see `Graph.parts`.

    Attributes
    ----------
    own_places : tuple of str
        Places of the shared state that are a part's own.
    """

    own_places: tuple[str, ...] = OWN

    def __init__(self, each: tuple[Gpu, ...], plans: list[Plan], way: str) -> None:
        self.each, self.plans, self.way = each, plans, way
        plan = plans[0]
        self.bind_others(plan)
        self.numbers = {name: k for k, name in enumerate(plan.compiled.names.values())}
        self.places: dict[tuple[int, int], Any] = {}  # lists of rows, on their GPUs
        super().__init__(plan, [one.arrays for one in plans], way)
        for gpu in each:  # what index arrays are made on is another stream
            with gpu.device.current():
                gpu.device.driver.synchronize_all()

    def bind_others(self, first: Plan) -> None:
        """Make the arrays of all parts but the first; if that fails, those of none are kept."""
        for number, (gpu, plan) in enumerate(self.others()):
            try:
                with gpu.device.current():
                    self.bind(plan, first)
            except BaseException:
                for _, bound in self.others()[: number + 1]:
                    bound.abandon()
                raise

    def bind(self, plan: Plan, first: Plan) -> None:
        """Make the arrays of another part; those that the run was given are copied."""
        for name in first.given & plan.table.arrays.keys():
            plan.arrays[name] = plan.target.copied(first.arrays[name])
        plan.bind()

    def others(self) -> list[tuple[Gpu, Plan]]:
        """Return the GPUs and plans of all parts but the first."""
        return list(zip(self.each[1:], self.plans[1:], strict=True))

    def run(self, name: str) -> tuple[bool, float]:
        """Run a step on all parts, side by side where they are on different GPUs."""
        for arrays in self.parts:
            arrays["state"][PLACES["STEP"]] = self.numbers[name]
        return False, self.run_all()[1]

    def run_all(self) -> tuple[bool, float]:
        """Launch the kernels of all parts, and wait for all.

        Nothing but launches comes between the first and the last: they may wait for each other.
        Those that do begin when all are on their streams, and so do their clocks.
        """
        began, ended = [], []
        try:
            for gpu, plan in zip(self.each, self.plans, strict=True):
                with gpu.device.current():
                    plan.resident.send_control(gpu.stream)
            self.hold()
            for gpu, plan in zip(self.each, self.plans, strict=True):
                with gpu.device.current():
                    began.append(self.begin(gpu, plan))
            for gpu, plan in zip(self.each, self.plans, strict=True):
                with gpu.device.current():
                    self.start(gpu, plan)
            self.let_go()
            for gpu, plan in zip(self.each, self.plans, strict=True):
                with gpu.device.current():
                    gpu.device.driver.record(plan.resident.events[-1], gpu.stream)
                    plan.resident.fetch_control(gpu.stream)
            for gpu, plan, when in zip(self.each, self.plans, began, strict=True):
                with gpu.device.current():
                    ended.append(self.end(gpu, plan, when))
        except BaseException:  # of a handler, too: no part may wait for one that is left
            self.stop()
            raise
        return all(done for done, _ in ended), max(seconds for _, seconds in ended)

    def hold(self) -> None:
        """Let no launch begin before `let_go`, where kernels wait for each other."""

    def let_go(self) -> None:
        """Let the launches begin that are on their streams."""

    def begin(self, gpu: Gpu, plan: Plan) -> Any:
        """Let the clock of a part begin, its control block being on its way; return when."""
        first, later, _ = plan.resident.events
        began = later if gpu.launched is plan else first  # a run that begins anew has a new plan
        gpu.launched = plan
        gpu.device.driver.record(began, gpu.stream)
        return began

    def start(self, gpu: Gpu, plan: Plan) -> None:
        """Put a launch on a part's stream."""
        resident, driver = plan.resident, gpu.device.driver
        function, parameters = resident.kernel.function, resident.parameters
        driver.launch(function, resident.blocks, THREADS, parameters, gpu.stream)

    def end(self, gpu: Gpu, plan: Plan, began: Any) -> tuple[bool, float]:
        """Wait for a part; return whether the program has ended there, and the seconds."""
        driver = gpu.device.driver
        gpu.wait(lambda: bool(driver.is_done(gpu.stream)), self.leave)
        ended = plan.resident.events[-1]
        is_done = bool(plan.arrays["state"][PLACES["DONE"]])
        return is_done, float(driver.seconds_between(began, ended))

    def elapsed(self) -> float:
        """Return the seconds from the first launch of the first part to its last."""
        first, _, ended = self.plan.resident.events
        return float(self.each[0].device.driver.seconds_between(first, ended))

    def leave(self) -> None:
        """Let the launches of all parts be left: none may wait for one that has gone."""
        for gpu, plan in zip(self.each, self.plans, strict=True):
            with contextlib.suppress(Exception), gpu.device.current():  # another error says more
                plan.resident.pause()

    def stop(self) -> None:
        """Wait until no part works any more: each stores into memory of others."""
        self.let_go()
        self.leave()
        for gpu in self.each:
            with contextlib.suppress(Exception), gpu.device.current():
                gpu.device.driver.synchronize(gpu.stream)

    # Arrays.

    def write(self, part: int, array: Any, values: NDArray[Any]) -> None:
        gpu = self.each[part]
        with gpu.device.current():
            gpu.device.upload(values.astype(array.dtype, copy=False), array, gpu.stream)

    def taken(self, part: int, name: str, rows: Some) -> NDArray[Any]:
        array, gpu = self.parts[part][name], self.each[part]
        found: NDArray[Any]
        if array.nbytes <= WHOLE_BYTES:
            found = array.numpy()[rows]
            return found
        with gpu.device.current():
            if isinstance(rows, slice):
                found = array.view(rows.start, size_of(rows), array.dtype).numpy()
                return found
            packed = empty(gpu.device, len(rows), array.dtype)
            self.move("gather", part, [array, self.listed(part, rows), packed])
            return packed.numpy()

    def put(self, part: int, name: str, rows: Some, values: NDArray[Any]) -> None:
        array, gpu = self.parts[part][name], self.each[part]
        if array.nbytes <= WHOLE_BYTES:
            whole = array.numpy()
            whole[rows] = values
            self.write(part, array, whole)
            return
        if isinstance(rows, slice):
            self.write(part, array.view(rows.start, size_of(rows), array.dtype), values)
            return
        with gpu.device.current():
            packed = from_host(gpu.device, values)
            self.move("scatter", part, [packed, self.listed(part, rows), array])
            gpu.device.driver.synchronize(gpu.device.stream)

    def move(self, how: str, part: int, arrays: list[Any]) -> None:
        """Put the kernel that gathers or scatters entries on the stream of a part."""
        on, count = self.each[part].device, len(arrays[1])
        blocks = -(-count // ENTRIES_PER_BLOCK)
        kernels.launch(on, f"moves.{how}", arrays, [count], blocks=blocks)

    def listed(self, part: int, rows: NDArray[np.int64]) -> Any:
        """Return a list of rows on the GPU of a part, kept for the next exchange if the list is."""
        key = part, id(rows)
        if key in self.places:
            return self.places[key][0]
        narrow = rows.astype(id_dtype(int(rows.max(initial=0)) + 1))
        found = from_host(self.each[part].device, narrow)
        if not rows.flags.writeable:
            self.places[key] = found, rows  # which holds its id
        return found

    def gather(self, name: str) -> None:
        """Bring rows together; those of few stretches of vertices are copied from GPU to GPU."""
        stretches = self.stretches()
        if stretches and self.is_of_vertices(name):
            self.copy_stretches(name, stretches)
        else:
            super().gather(name)

    def is_of_vertices(self, name: str) -> bool:
        """Return whether an array has so many entries for each vertex, and parts own some."""
        array = self.parts[0].get(name)
        if array is None or self.level_of(name) >= Right.EVERYWHERE:
            return False
        size = self.plan.table.arrays[name].size
        is_of_edges = size is not None and size.text in EDGES
        return not is_of_edges and len(array) % max(1, len(self.owner)) == 0

    def stretches(self) -> list[tuple[int, int, int]]:
        """Return which vertices, from one to another, belong to a part; none if these are many.

        They are kept with the graph.
        """
        kept, size = self.plan.whole.layouts.stretches, len(self.owner)
        key = len(self.parts), self.way
        if key not in kept:
            changes = np.flatnonzero(self.owner[1:] != self.owner[:-1]) + 1
            is_few = size > 0 and len(changes) < FEW_STRETCHES
            bounds = itertools.pairwise([0, *changes.tolist(), size] if is_few else ())
            kept[key] = [(begin, end, int(self.owner[begin])) for begin, end in bounds]
        found: list[tuple[int, int, int]] = kept[key]
        return found

    def copy_stretches(self, name: str, stretches: list[tuple[int, int, int]]) -> None:
        """Copy the own rows of all parts but the first to that one, all GPUs side by side."""
        first = self.parts[0][name]
        row_bytes = first.nbytes // max(1, len(self.owner))
        for part, (gpu, _) in enumerate(self.others(), 1):
            theirs = self.parts[part][name]
            with gpu.device.current():
                for begin, end, owner in stretches:
                    if owner == part:
                        target, source = (a.address + begin * row_bytes for a in (first, theirs))
                        nbytes = (end - begin) * row_bytes
                        gpu.device.driver.copy(target, source, nbytes, gpu.stream)
        for gpu, _ in self.others():
            with gpu.device.current():
                gpu.device.driver.synchronize(gpu.stream)

    # Control.

    def spread_control(self) -> None:
        """Let all parts begin with the same counts and scalars; their active sets are the same."""
        own = [PLACES[name] for name in self.own_places]
        for arrays in self.parts[1:]:
            kept = arrays["state"][own]
            arrays["state"][:FIRST_FREE] = self.state[:FIRST_FREE]
            arrays["state"][own] = kept
            for name in ("ints", "floats"):
                arrays[name][:] = self.parts[0][name]

    def fold_control(self, launch: s.Launch) -> None:
        """Fold votes and queues; that queues have grown is a vote, as loops are the host's."""
        super().fold_control(launch)
        for upper in ("", "_EDGES"):
            waiting = self.state[PLACES[f"NUM_PENDING{upper}"]]
            if waiting > self.before[PLACES[f"NUM_PENDING{upper}"]]:
                self.state[PLACES["ACTIVATED"]] = 1
            self.state[PLACES[f"PENDING_BEFORE{upper}"]] = waiting

    def joins(self, launch: s.Launch) -> bool:
        """Return whether parts may have activated different elements, or in another order."""
        return any("activate" in each.effects.acts for each in s.functions_of(launch))

    def changed_apart(self, launch: s.Launch) -> Iterator[str]:
        """Yield the arrays whose rows are right at their owners alone once a launch is over.

        Values by arc are found by all parts, each by one thread.
        """
        for name in changed_by(launch, senders=True, returned=True):
            array = self.plan.table.arrays.get(name)
            if array is None or array.size is None or array.size.text != "A":
                yield name

    def mark(self, members: ActiveSet, found: NDArray[Any]) -> None:
        """Note of elements that they wait in the set of the pending: by its stamp, and arcs."""
        arcs = PLACES["PENDING_ARCS"]
        if members.kind == "vertex" and any(arrays["state"][arcs] for arrays in self.parts):
            degrees = self.plan.whole.layouts.degrees("out")[found >> self.plan.copies.shift]
            self.state[arcs] = self.before[arcs] + int(np.minimum(degrees, MANY).sum())
        name = f"queued{members.suffix}"
        stamp = np.uint32(self.state[PLACES[f"TURNS{members.upper}"]] + 1)
        for part, arrays in enumerate(self.parts):
            if name in arrays:  # of a piece of a run, perhaps the first part's alone
                self.put(part, name, found.astype(np.int64), np.full(len(found), stamp))
