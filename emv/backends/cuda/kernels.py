"""Kernels written by hand: a device function of `emv_kernels.cuda`, launched over arrays.

The function is wrapped in a program of three lines, which takes the compile path and the cache of
generated programs: where the cache has the binary, numba is not imported. Its parameters are the
arrays, as bare pointers, and then numbers, by value: ints of 64 bits and floats of 64 bits. A
launch is one step: blocks must not wait for each other unless the function says so, and the next
launch on the same stream finds what this one wrote.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Sequence
from typing import Any

from emv.backends.cuda.device import THREADS, Device, Kernel
from emv.ir.kernel import KernelSource

BY_VALUE = "="
"""What the dtype of a parameter begins with that is a number, not an array."""


Ready = tuple[Kernel, struct.Struct, tuple[int, ...]]
"""A kernel, how its parameters are laid out, and zeros in the place of their addresses."""


def source_of(function: str, num_arrays: int, num_numbers: int) -> KernelSource:
    r"""Return the program that calls a device function.

    Parameters
    ----------
    function : str
        Its module below `emv_kernels.cuda` and its name, such as ``"sort.scatter"``.
    num_arrays, num_numbers : int
        How many of its parameters, which come in this order, are arrays and numbers.

    Examples
    --------
    >>> print(source_of("sort.count_digits", 2, 1).text.splitlines()[-2])
    def program(a0, a1, n0):
    """
    module, _, name = function.rpartition(".")
    arrays = tuple(f"a{k}" for k in range(num_arrays))
    names = (*arrays, *(f"n{k}" for k in range(num_numbers)))
    listed = ", ".join(names)
    text = (
        f'"""{function} as a kernel."""\n\nfrom emv_kernels.cuda.{module} import {name}\n\n\n'
        f"def program({listed}):\n    {name}({listed})\n"
    )
    return KernelSource(function, text, {"program": names}, {})


def dtypes_of(source: KernelSource, kinds: Sequence[str]) -> dict[str, str]:
    """Return what the compiler is told of the parameters: name to dtype, in order."""
    return dict(zip(source.functions["program"], kinds, strict=True))


def kernel_of(on: Device, function: str, num_arrays: int, kinds: tuple[str, ...]) -> Kernel:
    """Return a kernel ready to launch; compiled or read from the cache when first asked for."""
    key = (function, kinds)
    if key not in on.by_hand:
        from emv.backends.cuda import compile as compiler  # only a new kernel needs it

        source = source_of(function, num_arrays, len(kinds) - num_arrays)
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
    kernel, layout, room = _ready(on, function, arrays, numbers)
    words = array("Q", layout.pack(*(each.address for each in arrays), *numbers, *room))
    begin, count = words.buffer_info()[0], len(room)
    for k in range(count):
        words[count + k] = begin + 8 * k
    blocks = max(1, min(blocks, kernel.most_blocks))
    stream = on.stream if stream is None else stream
    on.driver.launch(kernel.function, blocks, THREADS, begin + 8 * count, stream)


def _ready(
    on: Device, function: str, arrays: Sequence[Any], numbers: Sequence[int | float]
) -> Ready:
    """Return a kernel for parameters of some types; found again without asking for their names."""
    key = (function, *[each.dtype.num for each in arrays], *map(type, numbers))
    if key not in on.ready:
        is_float = [isinstance(each, float) for each in numbers]
        values = (f"{BY_VALUE}{'float64' if each else 'int64'}" for each in is_float)
        kinds = (*(each.dtype.name for each in arrays), *values)
        kernel = kernel_of(on, function, len(arrays), kinds)
        layout = "".join("d" if each else "q" for each in is_float)
        count = len(kinds)
        on.ready[key] = kernel, struct.Struct(f"={len(arrays)}Q{layout}{count}Q"), (0,) * count
    return on.ready[key]
