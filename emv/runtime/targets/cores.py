"""The cores of this machine: arrays are numpy's, kernels are functions that take them."""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from emv.codegen.state import PLACES
from emv.config import config
from emv.graph.on_device import on_host
from emv.runtime.arrays.columns import as_bytes
from emv.runtime.arrays.memory import is_returned_as
from emv.runtime.arrays.store import Store, host_store
from emv.runtime.arrays.table import Array, Kind
from emv.runtime.targets.costs import costs_of
from emv.runtime.targets.fills import LARGE, Start, start_of, words_of
from emv.runtime.targets.spare import Spare
from emv.runtime.targets.target import Target
from emv_kernels import aside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from emv.graph.supersteps import Costs
    from emv.runtime.arrays.plan import Plan
    from emv.runtime.compile import Compiled


LISTENS = PLACES["LISTENS"]


class Cores(Target):
    """A run on cores; see `emv.runtime.targets.target.Target`.

    Attributes
    ----------
    began, ended : float or None, float
        When that launch did, and when the last one did.
    late : list of (int64[n], uint[n]) or None
        Where ids will be, and those that are widened when the run is over; None behind that.
    beside : float
        The seconds in which arrays were filled and widened.
    """

    kind = label = "cpu"
    device = stream = None
    control, ids_bytes = "shared state", 0
    delta_arcs = 8

    def __init__(self, num_threads: int | None = None) -> None:
        self.num_threads = num_threads or config.num_threads
        self.asked = -1  # threads that the knob said when they were set
        self.within: Running | None = None
        self.began: float | None = None
        self.ended = self.beside = 0.0
        self.late: list[tuple[NDArray[Any], NDArray[Any]]] | None = None

    def running(self, compiled: Compiled) -> Running:
        """Load a program's kernels, and count what numba takes while they run."""
        compiling, cpu = modules()
        if compiled.module is None:
            started = time.perf_counter()
            compiled.module = cpu.load(compiled.source)
            compiled.seconds += time.perf_counter() - started
        if self.is_here():
            cpu.keep_threads(self.num_threads)
        else:
            self.asked = config.num_threads
            self.num_threads = cpu.set_threads(self.asked)
        self.began, self.late, self.beside = None, [], 0.0
        if self.within is None or self.within.compiled is not compiled:
            self.within = Running(compiled, compiling.CLOCK)
        return self.within

    @property
    def place(self) -> tuple[Any, ...]:
        return (self.num_threads,)

    def is_here(self) -> bool:
        has_all = self.num_threads == 1 or not modules()[1].FORKED  # since they were counted
        return has_all and self.asked == config.num_threads

    def workers(self, entries: int) -> dict[str, int]:
        """Return how many threads there are."""
        return {"T": self.num_threads}

    def costs(self, vertices: int) -> Costs:
        return costs_of(self.label, vertices, True)

    def arc_room(self) -> float:
        """Return the bytes that arcs of a part may take: they have one memory."""
        return math.inf

    def store(self, layouts: Any) -> Store:
        return host_store(layouts)

    def resident(self, plan: Plan) -> HostResident:
        return HostResident(plan)

    def launch(self, plan: Plan, name: str) -> tuple[bool, float]:
        """Call a compiled function with the arrays of the plan.

        What is known of the run is put down before the first of them, as whatever that has put out
        of the caches takes many times as long.
        """
        if self.began is None:
            plan.meanwhile()
        return self.run(plan, name, plan.arrays)

    def run(self, plan: Plan, name: str, given: dict[str, Any]) -> tuple[bool, float]:
        """Call a compiled function with those that it names of some arrays."""
        compiling, cpu = modules()
        compiled, state = plan.compiled, given["state"]
        arrays = compiled.taken[name](given)
        call = compiled.calls.get(name)
        if call is None:
            later = functools.partial(coming, compiled, name, given)
            told = name, arrays, compiled.source, compiled.files, later
            call = compiled.calls[name] = compiling.ready(compiled.module, *told)
        counted = compiling.CLOCK
        started = time.perf_counter() - counted.seconds
        self.began = started if self.began is None else self.began
        is_main = aside.is_main()
        if is_main and (compiled.source.may_wait or not cpu.caller_works()):
            work = functools.partial(call, arrays)
            ended = self.elsewhere(work, lambda: state.put(PLACES["LEAVING"], 1))
        else:
            state.data[LISTENS] = is_main  # numpy would be the one thing here that needs it
            ended = call(arrays)
        self.ended = time.perf_counter() - counted.seconds
        return bool(ended), self.ended - started

    def elsewhere(self, call: Callable[[], Any], leave: Callable[[], Any] | None = None) -> Any:
        """Return what a call of kernels gives on another thread, while this one hears signals."""
        _, cpu = modules()

        def work() -> Any:
            cpu.set_threads(self.num_threads)  # of the thread that this runs on
            return call()

        return aside.aside(work, leave)

    def elapsed(self, plan: Plan) -> float:
        """Return the seconds of filling and of all launches, without compiling."""
        return self.beside + (0.0 if self.began is None else self.ended - self.began)

    def collect(self, plan: Plan) -> None:
        late, self.late = self.late, None
        for found, values in late or ():
            self.widen(found, values)

    def empty(self, size: int, dtype: np.dtype[Any]) -> NDArray[Any]:
        return np.empty(size, dtype)

    def fill(self, array: NDArray[Any], value: Any) -> None:
        began = time.perf_counter()
        array.fill(value)
        self.beside += time.perf_counter() - began

    def copy(self, array: NDArray[Any], source: NDArray[Any]) -> None:
        array[:] = source

    def start(self, size: int, dtype: np.dtype[Any], number: Any, ids: Any) -> Start:
        return start_of(size, dtype, number, ids)

    def copied(self, values: NDArray[Any], given: Any = None) -> NDArray[Any]:
        is_own = given is None or not np.may_share_memory(values, given)
        found: NDArray[Any] = as_bytes(values if is_own else values.copy())
        return found

    def array_behind(self, source: Any, columns: Any) -> NDArray[Any]:
        return columns.stored(source) if isinstance(source, str) else on_host(source)

    def reads(self, array: NDArray[Any]) -> bool:
        return bool(array.flags.c_contiguous and array.flags.writeable)

    def taken_bytes(self, nbytes: int, array: Array | None = None) -> int:
        """Return so many bytes."""
        return nbytes

    def has_space(self, plan: Plan) -> bool:
        return bool(plan.idle())

    def declared(self, field: Any, values: NDArray[Any]) -> NDArray[Any]:
        if field.disjoint:
            return self.widened(values)
        return values.view(np.bool_) if field.dtype.kind == "b" else values

    def widened(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return ids as results have them, or where these will be when the run is over."""
        found = np.empty(len(values), np.int64)
        if self.late is None:
            self.widen(found, values)
        else:
            self.late.append((found, values))
        return found

    def widen(self, found: NDArray[Any], values: NDArray[Any]) -> None:
        """Widen ids, as a part of the run."""
        began = time.perf_counter()
        found[:] = values
        self.beside += time.perf_counter() - began

    def kept(self, values: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
        return values.view(dtype) if is_returned_as(values.dtype, dtype) else values.astype(dtype)


class Running:
    """Adds what numba takes in a ``with`` block to a program's seconds; no generator, for speed."""

    def __init__(self, compiled: Compiled, clock: Any) -> None:
        self.compiled, self.clock = compiled, clock

    def __enter__(self) -> None:
        self.before = self.clock.seconds

    def __exit__(self, *_: object) -> None:
        self.compiled.seconds += self.clock.seconds - self.before


@functools.cache
def modules() -> tuple[Any, Any]:
    """Return the modules that load numba, which is done only to run."""
    from emv.backends import compiling, cpu

    return compiling, cpu


def coming(
    compiled: Compiled, name: str, given: dict[str, Any]
) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield the functions that a run will probably call after one, and what they take."""
    for each in compiled.called.after(name, given["state"]):
        taken = compiled.taken[each]
        if given.keys() >= set(taken.names):  # else it takes what is not made yet
            yield each, taken(given)


class HostResident:
    """What one run of a program on a graph after another takes over.

    Attributes
    ----------
    arrays : dict
        Index arrays, the shared state and working space.
    facts : tuple of (int, int)
        Places of the shared state, and what they hold in every run: here none.
    budget : int
        How many supersteps the next launch may run, learnt from the last ones; 0 at first.
    control_bytes, start : uint8[n], uint8[n] or None
        The shared state and the scalars, side by side; what they hold when a run begins, once that
        is known.
    small, large : list
        Working space and what it is filled with: a number, or words (`emv.runtime.targets.fills`).
    spares : dict
        Memory of results of equal calls, by what arrays these are.
    """

    facts = ()
    blocks = 0
    start: NDArray[Any] | None = None

    def __init__(self, plan: Plan) -> None:
        self.budget = 0
        self.arrays: dict[str, NDArray[Any]] = {}
        self.make_control(plan)
        for array in plan.table.of(Kind.INDEX):
            self.arrays[array.name] = plan.store.index(plan.graph, array.key)
        self.initial: list[tuple[NDArray[Any], Any]] = []
        for array in plan.table.working():
            made = self.arrays[array.name] = zeros(plan, array)
            if array.initial is not None:
                self.initial.append((made, array.initial))
        self.small = [each for each in self.initial if each[0].nbytes < LARGE]
        self.large = [
            (array, words_of(array.dtype, value))
            for array, value in self.initial
            if array.nbytes >= LARGE
        ]
        self.spares: dict[Any, Spare] = {}

    def make_control(self, plan: Plan) -> None:
        """Make the shared state and the scalars, whose entries have eight bytes each."""
        control = plan.table.control
        sizes = [array.nbytes(plan.counts) for array in control]
        self.control_bytes = np.zeros(sum(sizes) // 8, np.int64).view(np.uint8)
        self.control_view = self.control_bytes.data
        parts = np.split(self.control_bytes, np.cumsum(sizes)[:-1])
        for array, part in zip(control, parts, strict=True):
            self.arrays[array.name] = part.view(array.dtype(plan.counts))

    def begin(self, plan: Plan) -> None:
        """Put the start values into the working space."""
        for array, value in self.initial:
            plan.target.fill(array, value)

    def lasting(self) -> dict[str, Any]:
        """Return the arrays that the next run finds, too."""
        return self.arrays

    def kept(self) -> bytes:
        """Return the control block as it is, for runs that begin with the same."""
        return self.control_view.tobytes()

    def restore(self, kept: bytes) -> None:
        """Make the control block what it was."""
        self.control_view[:] = kept

    def put_ids(self, plan: Plan, ids: NDArray[Any]) -> NDArray[Any]:
        """Return a list of ids as kernels read it."""
        return ids

    def end(self) -> None:
        """Leave everything as it is: a run clears what it needs."""


def zeros(plan: Plan, array: Array) -> NDArray[Any]:
    """Return a new array of zeros."""
    made = np.zeros(array.length(plan.counts), array.dtype(plan.counts))
    return made.reshape(plan.counts["T"], -1) if array.is_per_thread else made
