"""Kernels written by hand: a device function of `emv_kernels.cuda`, launched over arrays.

The function is wrapped in a program of three lines, which takes the compile path and the cache of
generated programs: where the cache has the binary, numba is not imported. Its parameters are the
arrays, as bare pointers, and then numbers, by value: ints of 64 bits and floats of 64 bits. A
launch is one step: blocks must not wait for each other unless the function says so, and the next
launch on the same stream finds what this one wrote.
"""

from __future__ import annotations

import struct
import threading
from array import array
from collections.abc import Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from emv.backends.cuda.device import THREADS, Device, Kernel
from emv.ir.kernel import KernelSource

BY_VALUE = "="
"""What the dtype of a parameter begins with that is a number, not an array."""


class Ready:
    """A kernel, and where its parameters are put: who launches it next takes the same room.

    Parameters
    ----------
    kernel : Kernel
        Which.
    layout : str
        How its parameters are packed, 8 bytes each; see `struct`.
    count : int
        How many they are.
    """

    __slots__ = ("_begin", "_lock", "_pack", "_places", "_words", "kernel")

    def __init__(self, kernel: Kernel, layout: str, count: int) -> None:
        self.kernel = kernel
        self._pack, self._lock = struct.Struct(layout).pack_into, threading.Lock()
        self._words = array("Q", bytes(8 * count))
        begin = self._words.buffer_info()[0]
        self._places = array("Q", range(begin, begin + 8 * count, 8))
        self._begin = self._places.buffer_info()[0]

    def start(
        self, on: Device, values: Sequence[int | float], blocks: int, stream: int, meets: bool
    ) -> None:
        """Launch the kernel with some parameters, which the driver copies."""
        blocks = max(1, min(blocks, self.kernel.most_blocks) if meets else blocks)
        with self._lock:
            self._pack(self._words, 0, *values)
            on.driver.launch(self.kernel.function, blocks, THREADS, self._begin, stream, meets)


Called = tuple[str, int, int]
"""A device function, and how many of its parameters are arrays and numbers, in this order."""


DTYPE, ADDRESS = attrgetter("dtype"), attrgetter("address")


class Task(NamedTuple):
    """A device function over arrays and numbers, and how many blocks it is worth."""

    function: str
    arrays: Sequence[Any]
    numbers: Sequence[int | float]
    blocks: int


def source_of(*called: Called) -> KernelSource:
    r"""Return the program that calls device functions, one after another.

    Parameters
    ----------
    *called : (str, int, int)
        The module below `emv_kernels.cuda` and the name of each, such as ``"sort.scatter"``, and
        how many arrays and numbers it takes. The program takes all arrays, then all numbers.

    Examples
    --------
    >>> print(source_of(("sort.count_digits", 2, 1)).text.splitlines()[-2])
    def program(a0, a1, n0):
    >>> many = source_of(("moves.gather", 3, 1), ("moves.number", 1, 2))
    >>> print("\n".join(many.text.splitlines()[-3:]))
    def program(a0, a1, a2, a3, n0, n1, n2):
        gather(a0, a1, a2, n0)
        number(a3, n1, n2)
    """
    arrays, numbers, calls, imports = list[str](), list[str](), list[str](), list[str]()
    for function, num_arrays, num_numbers in called:
        module, _, name = function.rpartition(".")
        own = [f"a{len(arrays) + k}" for k in range(num_arrays)]
        told = [f"n{len(numbers) + k}" for k in range(num_numbers)]
        calls.append(f"    {name}({', '.join([*own, *told])})\n")
        imports.append(f"from emv_kernels.cuda.{module} import {name}\n")
        arrays, numbers = arrays + own, numbers + told
    names, whole = (*arrays, *numbers), " and ".join(each for each, _, _ in called)
    text = (
        f'"""{whole} as a kernel."""\n\n{"".join(dict.fromkeys(imports))}\n\n'
        f"def program({', '.join(names)}):\n{''.join(calls)}"
    )
    return KernelSource(whole, text, {"program": names}, {})


def dtypes_of(source: KernelSource, kinds: Sequence[str]) -> dict[str, str]:
    """Return what the compiler is told of the parameters: name to dtype, in order."""
    return dict(zip(source.functions["program"], kinds, strict=True))


def kernel_of(on: Device, called: Sequence[Called], kinds: tuple[str, ...]) -> Kernel:
    """Return a kernel ready to launch; compiled or read from the cache when first asked for."""
    key = (" and ".join(each for each, _, _ in called), kinds)
    if key not in on.by_hand:
        from emv.backends.cuda import compile as compiler  # only a new kernel needs it

        source = source_of(*called)
        binary = compiler.load(source, dtypes_of(source, kinds), arch=on.arch)
        on.by_hand[key] = on.kernel(binary.cubin, binary.kernel)
    return on.by_hand[key]


def launch(
    on: Device,
    function: str,
    arrays: Sequence[Any],
    numbers: Sequence[int | float] = (),
    *,
    blocks: int,
    stream: int | None = None,
) -> None:
    """Put a kernel on a stream; returns before it is done.

    Parameters
    ----------
    on : Device
        Which GPU; it must be the current one, ``with on.current():``.
    function : str
        Such as ``"sort.scatter"``, see `source_of`.
    arrays : sequence of DeviceArray
        What its pointers point to; their dtypes are part of what is compiled.
    numbers : sequence of int or float
        What it is given by value, after the arrays: int64 and float64.
    blocks : int
        Blocks of `THREADS` threads, at most; no more are launched than the GPU runs at one time,
        so the function must walk over its entries with the stride of the whole grid.
    stream : int, optional
        Where to; by default the device's own.

    Raises
    ------
    CompileError
        If numba cannot translate the function for arrays of these dtypes.
    """
    values = *map(ADDRESS, arrays), *numbers
    stream = on.stream if stream is None else stream
    ready(on, function, arrays, numbers).start(on, values, blocks, stream, True)


def ready(
    on: Device, function: str, arrays: Sequence[Any], numbers: Sequence[int | float]
) -> Ready:
    """Return a kernel for parameters of such types, compiled when it is first asked for."""
    key = (function, *map(DTYPE, arrays), *map(type, numbers))
    if key not in on.ready:
        on.ready[key] = _ready(on, [(function, len(arrays), len(numbers))], arrays, numbers)
    found: Ready = on.ready[key]
    return found


def launch_together(on: Device, tasks: Sequence[Task], meets: bool = True) -> None:
    """Put kernels on the device's stream as one launch: none finds what another one writes.

    Where no block waits for others, there may be as many as they are worth: so those that are done
    sooner take more, which copies do that move much.
    """
    if not tasks:
        return
    arrays = [array for each in tasks for array in each.arrays]
    numbers = [number for each in tasks for number in each.numbers]
    names = tuple([each.function for each in tasks])
    key = (names, *map(DTYPE, arrays), *map(type, numbers))
    if key not in on.ready:
        called = [(each.function, len(each.arrays), len(each.numbers)) for each in tasks]
        on.ready[key] = _ready(on, called, arrays, numbers)
    blocks = max([each.blocks for each in tasks])
    on.ready[key].start(on, (*map(ADDRESS, arrays), *numbers), blocks, on.stream, meets)


def _ready(
    on: Device,
    called: Sequence[Called],
    arrays: Sequence[Any],
    numbers: Sequence[int | float],
) -> Ready:
    """Return a kernel for parameters of some types, and room for these."""
    is_float = [isinstance(each, float) for each in numbers]
    values = (f"{BY_VALUE}{'float64' if each else 'int64'}" for each in is_float)
    kinds = (*(each.dtype.name for each in arrays), *values)
    layout = "".join("d" if each else "q" for each in is_float)
    kernel = kernel_of(on, called, kinds)
    return Ready(kernel, f"={len(arrays)}Q{layout}", len(kinds))
