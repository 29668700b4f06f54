"""The generated text of the CPU backend, run as plain Python that notes what it touches.

What `interpreted_cpu` runs; so a test can say how much work a superstep is, in which order messages
are put into a buffer, and for which of them a user's helper was called.
"""

from __future__ import annotations

import contextlib
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
from interpreted_cpu import Checked, InterpretedKernels, interpreted

from emv.ir.kernel import KernelSource

HELPER = re.compile(r"^def (user_noted__\w*)\(", re.MULTILINE)
"""What a text calls a user's helper `noted`, whose arguments are kept."""


class Watched(Checked):
    """An array that notes which of its elements are touched."""

    def __init__(self, array: np.ndarray, writes: list[int], kernels: WatchedKernels) -> None:
        super().__init__(array)
        self.writes, self.kernels = writes, kernels

    def place(self, index: Any) -> int:
        self.kernels.touched += 1
        return super().place(index)

    def write(self, number: int, value: Any) -> None:
        self.writes.append(number)
        super().write(number, value)


class WatchedKernels(InterpretedKernels):
    """Loads texts whose arrays are watched.

    Attributes
    ----------
    touched : int
        How many elements were read or written.
    writes : dict
        Of every array by name: the places written, in order.
    given : list
        What the user's helper `noted` was given.
    """

    def __init__(self) -> None:
        super().__init__()
        self.touched = 0
        self.writes: dict[str, list[int]] = defaultdict(list)
        self.given: list[Any] = []
        self.modules["numba"].noting = self.noting

    def noting(self, function: Any) -> Any:
        """Return a function that keeps what it is given."""

        def call(value: Any) -> Any:
            self.given.append(int(value))
            return function(value)

        return call

    def text_of(self, source: KernelSource) -> str:
        found = HELPER.findall(source.text)
        noting = [f"{name} = noting({name})" for name in found]
        return "\n".join([source.text, "from numba import noting", *noting, ""])

    def checked(self, name: str, array: np.ndarray) -> Watched:
        return Watched(array, self.writes[name], self)


@contextlib.contextmanager
def watched() -> Iterator[WatchedKernels]:
    """Watch what the CPU backend would compile.

    Examples
    --------
    >>> with watched() as kernels:
    ...     kernels.touched
    0
    """
    with interpreted(WatchedKernels()) as kernels:
        assert isinstance(kernels, WatchedKernels)
        yield kernels
