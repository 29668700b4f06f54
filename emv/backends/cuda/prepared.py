"""Launches prepared once for all calls of a shape: their kernels, and how a block is laid out.

What a small change takes on a GPU is over before Python has made an object for each array in it and
looked kernels up by the types of these. A call of a known shape takes one block from the pool, adds
where each array begins there, and hands numbers to kernels that it has.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from emv.backends.cuda.array import APART
from emv.backends.cuda.beside import NOWHERE, here
from emv.backends.cuda.device import Device
from emv.backends.cuda.kernels import BY_VALUE, Ready, kernel_of
from emv.backends.cuda.pool import rounded

Sized = tuple[int, np.dtype[Any]]
"""How many entries an array has, and of which type."""


class Step(NamedTuple):
    """A device function, the types of its arrays, how many numbers it takes, and which are floats.

    All have 64 bits; those that are not floats are whole.
    """

    function: str
    dtypes: tuple[np.dtype[Any], ...]
    num_numbers: int
    floats: tuple[int, ...] = ()


class Laid:
    """How a block is laid out in arrays, each of which begins at a multiple of `APART` bytes.

    Parameters
    ----------
    *sized : (int, dtype)
        The arrays.

    Examples
    --------
    >>> laid = Laid((3, np.dtype("i8")), (100, np.dtype("i4")), (1, np.dtype("i4")))
    >>> laid.nbytes, laid.at(4096)
    (1024, [4096, 4352, 4864])
    """

    __slots__ = ("begins", "nbytes")

    def __init__(self, *sized: Sized) -> None:
        end, begins = 0, list[int]()
        for size, dtype in sized:
            begins.append(end)
            end += -(-size * dtype.itemsize // APART) * APART
        self.begins, self.nbytes = begins, rounded(end)

    def at(self, address: int) -> list[int]:
        """Return where the arrays begin in a block."""
        return [address + each for each in self.begins]


def prepared(on: Device, *steps: Step) -> Ready:
    """Return the kernel of some steps, one after another; its parameters are arrays, then numbers.

    It starts with the addresses of all arrays, and then all numbers, in the order of the steps.
    """
    called = [(each.function, len(each.dtypes), each.num_numbers) for each in steps]
    names = [dtype.name for each in steps for dtype in each.dtypes]
    are_floats = [k in each.floats for each in steps for k in range(each.num_numbers)]
    kinds = (*names, *[f"{BY_VALUE}{'float64' if each else 'int64'}" for each in are_floats])
    layout = "".join("d" if each else "q" for each in are_floats)
    return Ready(kernel_of(on, called, kinds), f"={len(names)}Q{layout}", len(kinds))


def place_of(on: Device) -> tuple[int, int]:
    """Return the number of the place of what the caller does, and its stream."""
    place = here()
    return (NOWHERE, on.own_stream) if place is None else (place.number, on.stream)
