"""The parts of one run on GPUs, whose rows go from one to another by the host.

A part has a plan of its own. The kernel runs one step a launch (`emv.codegen.cuda.steps`).
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.backends.cuda.array import from_host
from emv.backends.cuda.together import THREADS
from emv.codegen.queues import ActiveSet
from emv.codegen.state import FIRST_FREE, PLACES
from emv.ir import schedule as s
from emv.passes.needs import Right, changed_by
from emv.runtime.arrays.plan import Plan
from emv.runtime.arrays.taken import current
from emv.runtime.targets.division import EDGES, Division, Told
from emv.runtime.targets.exchange import Exchange
from emv.runtime.targets.gpu import Gpu
from emv.runtime.targets.hands import Hands, by_hand, entries
from emv_kernels.sizes import MANY

WAITING = [(PLACES[f"NUM_PENDING{u}"], PLACES[f"PENDING_BEFORE{u}"]) for u in ("", "_EDGES")]
FEW_STRETCHES = 2**10
"""Up to so many stretches of vertices, results are copied one by one."""

GRID = ("BLOCKS", "NUM_THREADS", "ARRIVED", "RELEASED", "ALONE", "ALONE_AT", "NUM_WIDE", "CURSOR")
HELD = (
    *("NUM_EDGES", "NUM_ARCS", "NUM_HUBS", "NUM_PIECES", "NUM_SENDERS"),
    *("HAS_WIDE", "HAS_ORDER", "HAS_POSITION", "BUSY_WORDS", "HASHED"),
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
        self.own = np.array([PLACES[name] for name in self.own_places])
        plan = plans[0]
        self.bind_others(plan)
        self.numbers = {name: k for k, name in enumerate(plan.compiled.names.values())}
        self.running_there: dict[tuple[int, int], Any] = {}  # who runs, by part and level
        self.began: dict[Gpu, Any] = {}  # when the last launch of a part did
        super().__init__(plan, [one.arrays for one in plans], way)
        self.hands = Hands(each, self.parts)
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
        """Launch the kernels of all parts, and wait for all."""
        try:
            self.launch_all()
            ended = self.each_does(self.end)
        except BaseException:  # of a handler, too: no part may wait for one that is left
            self.stop()
            raise
        return all(done for done, _ in ended), max(seconds for _, seconds in ended)

    def launch_all(self) -> None:
        """Put all launches on their streams, part by part: none waits for another's."""
        self.each_does(self.send, self.begin, self.start, self.fetch)

    def each_does(self, *works: Callable[[Gpu, Plan], Any]) -> list[Any]:
        """Do some things for each part, on its GPU; return what the last gave."""
        found = []
        for gpu, plan in zip(self.each, self.plans, strict=True):
            with gpu.device.current():
                found.append([work(gpu, plan) for work in works][-1])
        return found

    def send(self, gpu: Gpu, plan: Plan) -> None:
        """Put the control block of a part on its way there."""
        plan.resident.send_control(gpu.stream)

    def begin(self, gpu: Gpu, plan: Plan) -> None:
        """Let the clock of a part begin, its control block being on its way."""
        first, later, _ = plan.resident.events
        self.began[gpu] = later if gpu.launched is plan else first  # one that begins anew is new
        gpu.launched = plan
        gpu.device.driver.record(self.began[gpu], gpu.stream)

    def start(self, gpu: Gpu, plan: Plan) -> None:
        """Put a launch on a part's stream."""
        resident, driver = plan.resident, gpu.device.driver
        function, parameters = resident.kernel.function, resident.parameters
        driver.launch(function, resident.blocks, THREADS, parameters, gpu.stream)

    def fetch(self, gpu: Gpu, plan: Plan) -> None:
        """Let the clock of a part end, and put its control block on its way back."""
        gpu.device.driver.record(plan.resident.events[-1], gpu.stream)
        plan.resident.fetch_control(gpu.stream)

    def end(self, gpu: Gpu, plan: Plan) -> tuple[bool, float]:
        """Wait for a part; return whether the program has ended there, and the seconds."""
        driver = gpu.device.driver
        gpu.wait(lambda: bool(driver.is_done(gpu.stream)), self.leave)
        ended = plan.resident.events[-1]
        is_done = bool(plan.arrays["state"][PLACES["DONE"]])
        return is_done, float(driver.seconds_between(self.began[gpu], ended))

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
        self.leave()
        for gpu in self.each:
            with contextlib.suppress(Exception), gpu.device.current():
                gpu.device.driver.synchronize(gpu.stream)

    # Arrays.

    def write(self, part: int, array: Any, values: NDArray[Any]) -> None:
        gpu = self.each[part]
        with gpu.device.current():
            gpu.device.upload(values.astype(array.dtype, copy=False), array, gpu.stream)

    def wait_for(self, parts: Iterable[int]) -> None:
        """Wait until what was put on the streams of some parts is done."""
        for part in parts:
            gpu = self.each[part]
            with gpu.device.current():
                gpu.device.driver.synchronize(gpu.stream)

    def hand(self, name: str, given: Exchange, number: int, only_first: bool) -> None:
        """Let kernels put rows into memory of the host, and others take them from there.

        Nothing is left under way: what a run gives back, the next may take on another stream.
        """
        gathers, scatters = self.hands.of(name, given, number, only_first)
        for part, work in gathers:
            with self.each[part].device.current():
                work()
        self.wait_for(part for part, _ in gathers)
        for part, work in scatters:
            with self.each[part].device.current():
                work()
        self.wait_for(part for part, _ in scatters)

    def tell_running(self, part: int, level: int) -> None:
        """Tell a part up to which level elements run, by a copy that stays on its GPU."""
        gpu, owned = self.each[part], self.parts[part]["owned"]
        with gpu.device.current():
            if (part, level) not in self.running_there:
                running = self.rounds.running(part, level)
                self.running_there[part, level] = from_host(gpu.device, running)
            there = self.running_there[part, level]
            gpu.device.driver.copy(owned.address, there.address, owned.nbytes, gpu.stream)

    def settle(self) -> None:
        """Wait until nothing is on its way."""
        self.wait_for([*range(len(self.each))])

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
        for arrays in self.parts[1:]:
            kept = arrays["state"][self.own]
            arrays["state"][:FIRST_FREE] = self.state[:FIRST_FREE]
            arrays["state"][self.own] = kept
            for name in ("ints", "floats"):
                arrays[name][:] = self.parts[0][name]

    def fold_control(self, told: Told) -> None:
        """Fold votes and queues; that queues have grown is a vote, as loops are the host's."""
        super().fold_control(told)
        for now, then in WAITING:
            waiting = self.state.item(now)
            if waiting > self.before.item(now):
                self.state[PLACES["ACTIVATED"]] = 1
            self.state[then] = waiting

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

    def pieces(self, name: str, ends: list[int], begin: int) -> list[NDArray[Any]]:
        found, waited = [], []
        for part, (gpu, arrays) in enumerate(zip(self.each, self.parts, strict=True)):
            queue, size = current(arrays, name), ends[part] - begin
            piece = self.hands.room((name, part), size, queue.dtype)
            found.append(entries(piece))
            if size:
                source = queue.view(begin, size, queue.dtype).address
                waited.append(part)
                with gpu.device.current():
                    gpu.device.driver.copy(piece.address, source, piece.nbytes, gpu.stream)
        self.wait_for(waited)
        return found

    def enter(self, members: ActiveSet, begin: int, found: NDArray[Any]) -> None:
        """Let elements wait in all queues, by their stamps, and count their arcs."""
        arcs, suffix = PLACES["PENDING_ARCS"], members.suffix
        if members.kind == "vertex" and any(arrays["state"][arcs] for arrays in self.parts):
            shift = self.plan.copies.shift
            degrees = self.degrees.take(found >> shift if shift else found, mode="clip")
            self.state[arcs] = self.before[arcs] + int(degrees.sum(dtype=np.int64))
        if not len(found):
            return
        listed = self.hands.room(members, len(found), found.dtype)
        entries(listed)[:] = found
        stamp = int(self.state[PLACES[f"TURNS{members.upper}"]]) + 1
        for gpu, arrays in zip(self.each, self.parts, strict=True):
            queue = current(arrays, f"pending{suffix}").view(begin, len(found), found.dtype)
            with gpu.device.current():
                gpu.device.driver.copy(queue.address, listed.address, listed.nbytes, gpu.stream)
                if f"queued{suffix}" in arrays:  # of a piece of a run, perhaps the first part's
                    ends = [queue, arrays[f"queued{suffix}"]]
                    by_hand(gpu, "moves.stamp", ends, [stamp, len(found)])()
        self.settle()

    @property
    def degrees(self) -> NDArray[Any]:
        """How many arcs leave each vertex of the whole graph, as far as a direction asks."""
        if "degrees" not in self.kept:
            degrees = np.minimum(self.plan.whole.layouts.degrees("out"), MANY)
            self.kept["degrees"] = degrees.astype(np.int32)
        found: NDArray[Any] = self.kept["degrees"]
        return found
