"""One thread block of a GPU in plain Python: numba's CUDA simulator, with what it lacks.

numba's simulator has no warp intrinsics, and its threads race each other for Python's lock. Here a
seeded draw decides who runs (`block`), and who touches memory is watched (`pointer`, `races`).

``NUMBA_ENABLE_CUDASIM=1`` must be set before numba is imported, so tests that use this run in a
process of their own (`tests/simulated`).
"""

from __future__ import annotations

import contextlib
import functools
import sys
import time
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
from numba import cuda
from numba.core import config as numba_config
from numba.cuda.simulator import kernel, kernelapi

from emv.backends.files import load_module
from emv.backends.simulated.block import (
    MACHINERY,
    Grid,
    current_lane,
    meeting_of,
)
from emv.backends.simulated.clocks import acquire, release
from emv.backends.simulated.ieee_math import MATH
from emv.backends.simulated.integers import as_typed, numbers, wrapping
from emv.backends.simulated.pointer import COMPUTED, Atomic, Pointer, Shared
from emv.backends.simulated.races import MakesError, Races
from emv.backends.simulated.shadow import shadow_of
from emv.backends.simulated.warp import MASK, Group, Warp, Word, signed
from emv.ir.kernel import KernelSource
from emv_kernels import cuda as device_code
from emv_kernels.cuda import grid, meeting, sweeps, tracing

SIMULATED = bool(numba_config.ENABLE_CUDASIM)

WORDS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
NUMPY = numbers(**{name: wrapping(getattr(np, name)) for name in WORDS})
"""What a text finds as numpy: a cast keeps the low bits, and arithmetic has 64, as in numba."""


for _name in set(WORDS) - {"int64", "uint64"}:
    setattr(NUMPY, _name, wrapping(getattr(np, _name), COMPUTED.get(_name, np.int64)))


def load_acquire(pointer: Pointer, index: Any) -> Any:
    """Return an element and know of all that was done before it was released."""
    return acquired(pointer, index, "load_acquire")


def load_pair(pointer: Pointer, index: Any) -> tuple[Any, Any]:
    """Return two elements that are stored at once, likewise, whichever part has released them.

    Who waits watches the clock.
    """
    found = acquired(pointer, index + 1, "load_pair", is_system=True)
    pointer.shadow.scope(current_lane(), int(index), is_system=True)
    return pointer.read(int(index)), found


def acquired(pointer: Pointer, index: Any, name: str, is_system: bool = False) -> Any:
    """Return an element that is acquired.

    Who asks again and finds the same number waits until somebody has released another; at system
    scope also until nobody else can do anything, and time passes.
    """
    lane = current_lane()
    number = pointer.place(index, lane)
    pointer.shadow.scope(lane, number, is_system)
    what = pointer, number
    if lane.asked == (what, pointer.read(number)):
        if is_system:
            lane.grid.dozing.append((what, lane))
        lane.grid.watch(lane, what, name)
    value = pointer.read(number)
    lane.asked = what, value
    pointer.shadow.change(lane, number, False)
    known = lane.grid.released.get(what)
    if known is not None:
        acquire(lane, known)
    return value


def store_release(pointer: Pointer, index: Any, value: Any) -> None:
    """Store an element; who acquires it knows of all that was done before."""
    released(pointer, index, value)


def store_pair(pointer: Pointer, index: Any, value: Any, number: Any) -> None:
    """Store two elements at once; who acquires the second knows of all that was done before."""
    pointer.shadow.scope(current_lane(), int(index), is_system=True)
    released(pointer, index + 1, number, is_system=True, beside=value)


def released(
    pointer: Pointer, index: Any, value: Any, is_system: bool = False, beside: Any = None
) -> None:
    """Store an element that is released, and at once what stands before it, if that is given."""
    lane = current_lane()
    number = pointer.place(index, lane)
    pointer.shadow.scope(lane, number, is_system)
    if beside is not None:
        pointer.write(number - 1, beside)
    is_same = pointer.write(number, value)
    pointer.shadow.change(lane, number, not is_same)
    lane.grid.released[pointer, number] = release(lane)
    lane.grid.changed((pointer, number))


def nanoseconds() -> int:
    """Return the time: the machine's, and what has passed while nobody could do anything."""
    return time.perf_counter_ns() + current_lane().grid.skipped_ns


def add_acquire_release(pointer: Pointer, index: Any, value: Any) -> Any:
    """Add to an element, ordered both ways; return the old value."""
    lane = current_lane()
    number = pointer.place(index, lane)
    pointer.shadow.scope(lane, number)
    old = pointer.read(number)
    pointer.write(number, old + value)
    pointer.shadow.change(lane, number, True)
    known = lane.grid.released.get((pointer, number))
    if known is not None:
        acquire(lane, known)
    lane.grid.released[pointer, number] = release(lane)
    lane.grid.changed((pointer, number))
    return old


def fresh(pointer: Pointer, index: Any) -> Any:
    """Return an element as it is now, which others may be about to change."""
    return pointer.read(pointer.place(index, current_lane()))


INSTEAD = {
    grid.load_acquire: load_acquire,
    grid.store_release: store_release,
    grid.add_acquire_release: add_acquire_release,
    grid.add_release: add_acquire_release,
    sweeps.fresh: fresh,
    sweeps.early: fresh,
    meeting.load_pair: load_pair,
    meeting.store_pair: store_pair,
    tracing.nanoseconds: nanoseconds,
}
"""What stands in the places of device functions that order memory, or need no order."""


THREADS = 512  # of a block on a GPU


class Device(Warp, kernelapi.FakeCUDAModule):
    """What a kernel finds as ``cuda``."""

    def __init__(self, size: int, grid: int, shared_bytes: int, races: Races) -> None:
        # numba's own would set a hundred types of vectors, and be looked up slower for it
        self.gridDim, self.blockDim = kernelapi.Dim3(grid, 1, 1), kernelapi.Dim3(size, 1, 1)
        self._local, self._atomic = kernelapi.FakeCUDALocal(), Atomic()
        self._shared, self.size = Shared(shared_bytes, races), size

    @property
    def laneid(self) -> int:
        return current_lane().laneid

    @property
    def threadIdx(self) -> Any:  # noqa: N802
        return current_lane().threadIdx

    @property
    def blockIdx(self) -> Any:  # noqa: N802
        return current_lane().blockIdx

    def grid(self, dimensions: int) -> int:
        """Return the number of a thread among those of all blocks."""
        lane = current_lane()
        return lane.block.number_in_part * self.size + lane.thread_id

    def gridsize(self, dimensions: int) -> int:
        """Return how many threads there are in all blocks."""
        return self.gridDim.x * self.size

    def meet_as(self, name: str, mask: Any, value: Any = None) -> tuple[int, Group]:
        lane = current_lane()
        meeting = meeting_of(name, int(mask) & MASK, lane.warp)
        return lane.laneid, lane.block.meet(lane, meeting, value)

    def syncwarp(self, mask: Any = MASK) -> None:
        lane = current_lane()
        lane.block.meet(lane, meeting_of("syncwarp", int(mask) & MASK, lane.warp))

    def syncthreads(self) -> None:
        current_lane().syncthreads()

    def activemask(self) -> Word:
        """Return the lanes that come here together."""
        lane = current_lane()
        return signed(lane.grid.gather(lane))


@functools.lru_cache(256)
def names_to_replace(module: ModuleType) -> list[str]:
    """Return what a module calls the device, its functions and those that stand for others."""
    known = {id(each) for each in (cuda, *INSTEAD)}
    named = vars(module).items()
    is_device = kernel.FakeCUDAKernel
    return [name for name, each in named if id(each) in known or isinstance(each, is_device)]


@contextlib.contextmanager
def as_cuda(device: Device, program: str) -> Iterator[None]:
    """Put a device in the place of `cuda` in a program and all modules of device code.

    Functions stand there as they were written: `FakeCUDAKernel` would only call them.
    """
    instead = {id(known): other for known, other in [(cuda, device), *INSTEAD.items()]}
    helpers = [each for each in vars(device_code).values() if isinstance(each, ModuleType)]
    places = [
        (vars(module), name, vars(module)[name])
        for module in (sys.modules[program], *helpers)
        for name in names_to_replace(module)
    ]
    call = kernel.FakeCUDAKernel.__call__
    kernel.FakeCUDAKernel.__call__ = lambda function, *args: function.fn(*args)
    for names, name, value in places:
        function = getattr(value, "fn", value)
        names[name] = instead.get(id(value)) or as_typed(name, function, NUMPY.int64)
    try:
        yield
    finally:
        kernel.FakeCUDAKernel.__call__ = call
        for names, name, value in places:
            names[name] = value


def simulate(
    source: KernelSource, arrays: dict[str, Any], block: int = 64, blocks: int = 1, **order: Any
) -> None:
    """Run ``program`` once, and look for races; see `simulate_parts`."""
    simulate_parts(source, [arrays], block, blocks, **order)


def simulate_parts(
    source: KernelSource,
    parts: list[dict[str, Any]],
    block: int = 64,
    blocks: int = 1,
    **order: Any,
) -> None:
    """Run ``program`` once on each of several parts, side by side, and look for races.

    Parameters
    ----------
    source : KernelSource
        Its text, in which the CUDA module must be named `cuda`.
    parts : list of dict
        For each part, one-dimensional array by parameter of the program; changed in place. What is
        no array is given as it is. Parts that have one array have it in common.
    block, blocks : int
        Threads of a block, a multiple of 32, and how many blocks there are of each part.
    **order
        In which threads run: parameters of `Grid`.

    Raises
    ------
    DeadlockError
        If threads wait for others that have returned or wait elsewhere, or there are no turns left.
    IndexError
        If one touches what lies outside an array.
    RaceError
        If two touch one element, and nothing orders them; see `races`.
    ScopeError
        If threads of several parts do by operations of which not all are at system scope.
    """
    if not SIMULATED:
        raise RuntimeError("set NUMBA_ENABLE_CUDASIM=1 before numba is imported")
    name = f"emv_simulated_{source.digest()}"
    module = load_module(name, source.text, "simulated")
    vars(module).update(np=NUMPY, math=MATH)
    program = module.program
    program = getattr(program, "py_func", program)
    is_sweep = ", in place" in (module.__doc__ or "")  # as the schedule says of a loop
    names = source.functions["program"]
    memory = {id(each): each for arrays in parts for each in arrays.values()}
    memory = {key: each for key, each in memory.items() if isinstance(each, np.ndarray)}

    def run(dropped: dict[Any, MakesError]) -> Races:
        races = Races(source.lines, MACHINERY, is_sweep, dropped)
        called = {id(arrays[name]): name for arrays in parts for name in names}
        pointers = {
            key: Pointer(called[key], each, shadow_of(called[key], races))
            for key, each in memory.items()
            if key in called
        }
        given = [[pointers.get(id(arrays[n]), arrays[n]) for n in names] for arrays in parts]
        device = Device(block, blocks, source.shared_bytes * block // THREADS, races)
        with as_cuda(device, name):
            grids = Grid(**order)
            grids.run(blocks, block, lambda: program(*given[current_lane().block.part]), len(parts))
        return races

    before = {key: np.copy(each) for key, each in memory.items()}
    suspects = run({}).suspects
    if suspects:  # once more, in the same order: is what those reads bring of any use?
        for key, each in before.items():
            memory[key][:] = each
        assert run(suspects).met == suspects.keys()
