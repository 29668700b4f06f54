"""Several GPUs, each with a part of the graph, and an exchange by the host between launches.

One kernel has all steps of the program (`emv.codegen.cuda.steps`), of which a launch runs one, on
all GPUs at once; what the host does between launches says `emv.runtime.targets.division`. A part
has a plan of its own, so one GPU may have several parts. This needs nothing of a machine but its
GPUs, and what it gives is what faster ways must give.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from emv.backends.cuda import kernels
from emv.backends.cuda.array import empty, from_host
from emv.backends.cuda.device import ENTRIES_PER_BLOCK
from emv.codegen.queues import ActiveSet
from emv.codegen.state import FIRST_FREE, PLACES
from emv.config import Grouped
from emv.graph.widths import id_dtype
from emv.ir import schedule as s
from emv.runtime.arrays.plan import Plan
from emv.runtime.targets.division import Division, Traffic
from emv.runtime.targets.gpu import Gpu
from emv_kernels.sizes import MANY

if TYPE_CHECKING:
    from emv.runtime.compile import Compiled

WHOLE_BYTES = 2**18
"""Up to so many bytes an array goes to the host and back whole: that costs less than a kernel."""

OWN = ("BLOCKS", "NUM_THREADS", "ARRIVED", "RELEASED", "ALONE", "ALONE_AT", "NUM_WIDE", "CURSOR")
"""Places of the shared state that are a GPU's own: its blocks, and the barrier among them."""


class Gpus(Gpu):
    """A run on several GPUs; see `emv.runtime.targets.target.Target`.

    Parameters
    ----------
    name : str
        Such as ``cuda:0,1/hash``, see `emv.config.Grouped`.

    Attributes
    ----------
    each : tuple of Gpu
        The GPU of each part; the first is this object.
    traffic : Traffic
        What parts handed each other in the run before.
    """

    kind = "gpus"

    def __init__(self, name: str) -> None:
        grouped = Grouped.of(name)
        super().__init__(grouped.devices[0])
        self.label, self.way = name, grouped.way
        self.each: tuple[Gpu, ...] = (self, *map(Gpu, grouped.devices[1:]))
        self.num_parts = len(self.each)
        self.division: GpuDivision | None = None
        self.traffic = Traffic()

    @contextlib.contextmanager
    def running(self, compiled: Compiled) -> Iterator[None]:
        """Make the first GPU the current one; what other parts hold is given back at the end."""
        with super().running(compiled):
            try:
                yield
            except BaseException:
                self.leave(lambda plan: plan.abandon())
                raise
            finally:
                self.leave(lambda plan: plan.release())

    def leave(self, how: Any) -> None:
        """Let the plans of the other parts go."""
        division, self.division = self.division, None
        self.traffic = self.traffic if division is None else division.traffic
        for gpu, plan in [] if division is None else division.others():
            with gpu.device.current():
                how(plan)
                gpu.held.clear()

    def launch(self, plan: Plan, name: str) -> tuple[bool, float]:
        """Run a step on every part; return whether the program has ended, and the seconds."""
        if self.division is None or self.division.plan is not plan:
            self.leave(lambda plan: plan.abandon())  # of a run that begins anew
            self.division = GpuDivision(plan, self)
        return self.division.launch(name)

    def plans(self, plan: Plan) -> list[Plan]:
        """Return the plans of all parts, of which nothing but the first is bound."""
        others = [
            Plan(
                plan.compiled,
                dataclasses.replace(plan.call, target=gpu),
                plan.ids,
                plan.per_copy,
            )
            for gpu in self.each[1:]
        ]
        return [plan, *others]

    def handed_on(self) -> str:
        """Return what a profile says of what the parts have handed each other."""
        return str(self.traffic if self.division is None else self.division.traffic)

    def collect(self, plan: Plan) -> None:
        """Bring the rows of all parts together, where the results are read."""
        if self.division is not None and self.division.plan is plan:
            self.division.collect()


class GpuDivision(Division):
    """The parts of one run on GPUs.

    What every part does alike comes out alike but for the order of atomics: it is no more relied on
    than what each does for its own, so whatever a launch changes is right at its owners.
    """

    def __init__(self, plan: Plan, target: Gpus) -> None:
        self.each = target.each
        self.plans = target.plans(plan)
        for gpu, other in zip(self.each[1:], self.plans[1:], strict=True):
            with gpu.device.current():
                self.bind(other, plan)
        self.numbers = {name: k for k, name in enumerate(plan.compiled.names.values())}
        self.places: dict[tuple[int, bytes], Any] = {}  # lists of rows, on their GPUs
        super().__init__(plan, [each.arrays for each in self.plans], target.way)

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
        began = []
        for gpu, plan in zip(self.each, self.plans, strict=True):
            plan.arrays["state"][PLACES["STEP"]] = self.numbers[name]
            with gpu.device.current():
                began.append(gpu.start(plan))
        seconds = 0.0
        for gpu, plan, when in zip(self.each, self.plans, began, strict=True):
            with gpu.device.current():
                seconds = max(seconds, gpu.end(plan, when)[1])
        return False, seconds

    # Arrays.

    def write(self, part: int, array: Any, values: NDArray[Any]) -> None:
        """Write all entries of an array of a part, or of a stretch of one."""
        gpu = self.each[part]
        with gpu.device.current():
            gpu.device.upload(values.astype(array.dtype, copy=False), array, gpu.stream)

    def taken(self, part: int, name: str, rows: NDArray[np.int64]) -> NDArray[Any]:
        """Return some entries of an array of a part."""
        array, gpu = self.parts[part][name], self.each[part]
        if array.nbytes <= WHOLE_BYTES:
            found: NDArray[Any] = array.numpy()[rows]
            return found
        with gpu.device.current():
            packed = empty(gpu.device, len(rows), array.dtype)
            self.move("gather", part, [array, self.listed(part, rows), packed])
            return packed.numpy()

    def put(self, part: int, name: str, rows: NDArray[np.int64], values: NDArray[Any]) -> None:
        """Write some entries of an array of a part."""
        array, gpu = self.parts[part][name], self.each[part]
        if array.nbytes <= WHOLE_BYTES:
            whole = array.numpy()
            whole[rows] = values
            self.write(part, array, whole)
            return
        with gpu.device.current():
            packed = from_host(gpu.device, values)
            self.move("scatter", part, [packed, self.listed(part, rows), array])
            gpu.device.driver.synchronize(gpu.stream)

    def move(self, how: str, part: int, arrays: list[Any]) -> None:
        """Put the kernel that gathers or scatters entries on the stream of a part."""
        on, count = self.each[part].device, len(arrays[1])
        blocks = -(-count // ENTRIES_PER_BLOCK)
        kernels.launch(on, f"moves.{how}", arrays, [count], blocks=blocks)

    def listed(self, part: int, rows: NDArray[np.int64]) -> Any:
        """Return a list of rows on the GPU of a part, kept for the next exchange."""
        key = part, rows.tobytes()
        if key not in self.places:
            narrow = rows.astype(id_dtype(int(rows.max(initial=0)) + 1))
            self.places[key] = from_host(self.each[part].device, narrow)
        return self.places[key]

    # Control.

    def spread_control(self) -> None:
        """Let all parts begin with the same counts and scalars; their active sets are the same."""
        own = [PLACES[name] for name in OWN]
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
        """Yield the arrays whose rows are right at their owners alone once a launch is over."""
        return self.arrays_changed(launch, [launch.send], with_returned=True)

    def mark(self, members: ActiveSet, found: NDArray[Any]) -> None:
        """Note of elements that they wait in the set of the pending: by its stamp, and arcs."""
        arcs = PLACES["PENDING_ARCS"]
        if members.kind == "vertex" and any(arrays["state"][arcs] for arrays in self.parts):
            degrees = self.plan.graph.layouts.degrees("out")[found >> self.plan.copies.shift]
            self.state[arcs] = self.before[arcs] + int(np.minimum(degrees, MANY).sum())
        name = f"queued{members.suffix}"
        if name in self.parts[0]:
            stamp = np.uint32(self.state[PLACES[f"TURNS{members.upper}"]] + 1)
            for part in range(len(self.parts)):
                self.put(part, name, found.astype(np.int64), np.full(len(found), stamp))
