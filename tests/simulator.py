"""One thread block of a GPU in plain Python: numba's CUDA simulator, with what it lacks.

numba's simulator has no warp intrinsics, and its threads race each other for Python's lock. Here a
seeded draw decides who runs (`simulated_block`), and a thread stops now and then before it touches
memory, so that what others may do between a test and its atomic is tried too. A number read from
memory has 64 bits, as in numba's arithmetic, and a pointer refuses what lies outside its array.

``NUMBA_ENABLE_CUDASIM=1`` must be set before numba is imported, so tests that use this run in a
process of their own (`tests/simulated`).
"""

from __future__ import annotations

import contextlib
import functools
import operator
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from interpreted_cpu import Numbers, wrapping
from numba import cuda
from numba.core import config as numba_config
from numba.cuda.np.numpy_support import as_dtype
from numba.cuda.simulator import kernel, kernelapi
from simulated_block import Block, current_lane, place_of_caller
from simulated_warp import LANES, MASK, UnsignedWord, Warp, Word

from emv.backends.files import cache_folder, keep, load_module
from emv.config import config
from emv.ir.kernel import KernelSource

SIMULATED = bool(numba_config.ENABLE_CUDASIM)


WORDS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
NUMPY = Numbers(**{name: wrapping(getattr(np, name)) for name in WORDS})
"""What a text finds as numpy: a cast keeps the low bits, and arithmetic has 64, as in numba."""


def computed_in_64_bits(name: str) -> Callable[[Any], Any]:
    """Return a cast whose result computes as numba's does."""
    cast = wrapping(getattr(np, name))
    kind = {"int32": Word, "uint32": UnsignedWord}.get(name, np.int64)
    return lambda value: kind(cast(value))


for _name in set(WORDS) - {"int64", "uint64"}:
    setattr(NUMPY, _name, computed_in_64_bits(_name))


class Pointer:
    """An array as a kernel sees it: elements one by one, and nothing outside it."""

    def __init__(self, name: str, array: np.ndarray) -> None:
        self.name, self.array, self.size = name, array, len(array)
        kind, width = array.dtype.kind, array.dtype.itemsize
        word = UnsignedWord if kind == "u" else Word
        as_read = {"i": np.int64, "u": np.int64, "f": array.dtype.type, "b": np.bool_}[kind]
        self.as_read = word if width == 4 and kind in "iu" else as_read
        if array.dtype == np.uint64:
            self.as_read = np.uint64

    def place(self, index: Any) -> int:
        number = operator.index(index)
        if not 0 <= number < self.size:
            raise IndexError(f"{self.name}[{number}] of {self.size}")
        lane = current_lane()
        lane.block.touch(lane)
        return number

    def read(self, number: int) -> Any:
        return self.as_read(self.array[number])

    def write(self, number: int, value: Any) -> None:
        if self.array.dtype.kind in "iu" and type(value) is int:
            value = np.uint64(value & 0xFFFFFFFFFFFFFFFF)  # a GPU keeps the bits that fit
        self.array[number] = np.asarray(value).astype(self.array.dtype)

    def __getitem__(self, index: Any) -> Any:
        return self.read(self.place(index))

    def __setitem__(self, index: Any, value: Any) -> None:
        self.write(self.place(index), value)


def atomic(change: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """Return an operation of ``cuda.atomic``."""

    def apply(self: Any, pointer: Pointer, index: Any, *values: Any) -> Any:
        number = pointer.place(index)
        old = pointer.read(number)
        pointer.write(number, change(old, *values))
        return old

    return apply


class Atomic:
    """What a kernel finds as ``cuda.atomic``; no thread stops inside an operation."""

    add = atomic(operator.add)
    sub = atomic(operator.sub)
    and_ = atomic(operator.and_)
    or_ = atomic(operator.or_)
    xor = atomic(operator.xor)
    exch = atomic(lambda old, value: value)
    min = atomic(lambda old, value: min(value, old))
    max = atomic(lambda old, value: max(value, old))
    cas = atomic(lambda old, expected, value: value if old == expected else old)


class Shared:
    """What a kernel finds as ``cuda.shared``: one array per line that asks for one.

    Those without a length have the one that a launch gives them.
    """

    def __init__(self, given_bytes: int) -> None:
        self.arrays: dict[str, Pointer] = {}
        self.given_bytes = given_bytes

    def array(self, shape: int, dtype: Any) -> Pointer:
        name, kind = place_of_caller(), np.dtype(as_dtype(dtype))
        if name not in self.arrays:
            length = shape or self.given_bytes // kind.itemsize
            self.arrays[name] = Pointer(name, np.full(length, 113, kind))
        return self.arrays[name]


THREADS = 512  # of a block on a GPU


@functools.cache
def lanes_of(mask: int, first: int) -> tuple[int, ...]:
    """Return the threads of a mask in the warp that begins at a thread."""
    return tuple(first + each for each in range(LANES) if mask >> each & 1)


class Device(Warp, kernelapi.FakeCUDAModule):
    """What a kernel finds as ``cuda``."""

    def __init__(self, size: int, grid: int = 1, shared_bytes: int = 0) -> None:
        super().__init__((grid, 1, 1), (size, 1, 1), 0)
        self._atomic, self._shared = Atomic(), Shared(shared_bytes)

    def meet(self, name: str, mask: Any, value: Any = None) -> dict[int, Any]:
        lane, bits = current_lane(), int(mask) & MASK
        members = lanes_of(bits, lane.thread_id // LANES * LANES)
        return lane.meet(f"{name} of {bits:#x}", members, value).by_lane

    def nanosleep(self, nanoseconds: Any) -> None:
        lane = current_lane()
        lane.block.ready.append(lane)
        lane.block.pause(lane)


@contextlib.contextmanager
def as_cuda(device: Device) -> Iterator[None]:
    """Put a device in the place of `cuda` in every module of device code."""
    places = [
        (vars(module), name)
        for key, module in list(sys.modules.items())
        if key.startswith(("emv_simulated_", "emv_kernels.cuda"))
        for name, value in list(vars(module).items())
        if value is cuda
    ]
    call = kernel.FakeCUDAKernel.__call__
    kernel.FakeCUDAKernel.__call__ = lambda function, *args: function.fn(*args)
    for names, name in places:
        names[name] = device
    try:
        yield
    finally:
        kernel.FakeCUDAKernel.__call__ = call
        for names, name in places:
            names[name] = cuda


def simulate(
    source: KernelSource,
    arrays: dict[str, Any],
    block: int = 64,
    seed: int = 0,
    stops: float = 0.02,
    grid: int = 1,
) -> None:
    """Run ``program`` once, as one block or as some that do not wait for each other.

    Parameters
    ----------
    source : KernelSource
        Its text, in which the CUDA module must be named `cuda`.
    arrays : dict
        One-dimensional array by parameter of the program; changed in place. What is no array is
        given as it is.
    block : int
        Threads, a multiple of 32.
    seed : int
        Of the order in which threads run.
    stops : float
        How likely a thread stops before it touches memory.
    grid : int
        Blocks, which run one after the other, the last one first.

    Raises
    ------
    DeadlockError
        If threads wait for others that have returned or wait elsewhere.
    IndexError
        If one touches what lies outside an array.
    """
    if not SIMULATED:
        raise RuntimeError("set NUMBA_ENABLE_CUDASIM=1 before numba is imported")
    name = f"emv_simulated_{source.digest()}"
    path = cache_folder(config.cache, "simulated") / f"{name}.py"
    keep(path, source.text.encode())
    module = load_module(name, path)
    vars(module)["np"] = NUMPY
    program = module.program
    program = getattr(program, "py_func", program)
    given = [
        Pointer(name, arrays[name]) if isinstance(arrays[name], np.ndarray) else arrays[name]
        for name in source.functions["program"]
    ]
    for number in reversed(range(grid)):
        with as_cuda(Device(block, grid, source.shared_bytes * block // THREADS)):
            Block(block, seed, stops, number).run(lambda: program(*given))
