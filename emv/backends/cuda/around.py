"""What is put on a GPU's stream when a program is launched: one thing, whatever comes before.

A fill, two copies, a launch and two marks of time are seven calls of the driver, and each waits on
the GPU for the one before. Here a kernel fills and copies before the program's and one behind it
copies back (`emv_kernels.cuda.around`), the three are one graph of the driver's, and the host looks
at a word of its own memory to see that all is done.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.backends.cuda.device import Device, Kernel
from emv.backends.cuda.kernels import kernel_of
from emv.backends.cuda.pool import Pinned
from emv_kernels.sizes import AROUND_PLACES, MOST_FILLS, PER_FILL

WORD = 8  # bytes
ARRAYS = ("uint64", "int64", "uint64", "int64")  # of what `around.around` takes
COUNTS = 3  # numbers behind them: what comes down, what goes up, how many arrays are filled
KINDS = (*ARRAYS, *("=int64",) * (COUNTS + PER_FILL * MOST_FILLS))
CALLED = "around.around", len(ARRAYS), len(KINDS) - len(ARRAYS)
UP = len(ARRAYS) + 1  # where what may change begins
WORDS_PER_BLOCK = 4096  # of fills, that are worth a block

Fill = tuple[int, int, int]
"""Where an array begins on the GPU, its words, and the word that it is filled with.

Of one that is a copy the words are below 0, and then comes where the other one begins.
"""


class Around:
    """Launches one kernel again and again, each time with its control block.

    Parameters
    ----------
    device : Device
        Where.
    kernel, blocks : Kernel, int
        What is launched, on how many blocks.
    parameters : (uint64[n], int)
        What its parameters are when it is launched, which may change until then; where the
        addresses of these lie.
    control : (int, int, int)
        The addresses of the control block, on the GPU and with the host, and of a word on the GPU
        that is 0 at first: when the program began.
    nbytes : (int, int)
        What of the block comes down; what the arrays hold that are filled, more or less.
    """

    def __init__(
        self,
        device: Device,
        kernel: Kernel,
        blocks: int,
        parameters: tuple[NDArray[np.uint64], int],
        control: tuple[int, int, int],
        nbytes: tuple[int, int],
    ) -> None:
        self.device, self.kernel, self.blocks = device, kernel, blocks
        self.words, self.parameters = parameters
        self.control, self.home, self.began_at = control
        self.num_down = nbytes[0] // WORD
        self.wide = max(1, nbytes[1] // (WORD * WORDS_PER_BLOCK))
        self.pinned = Pinned(device.driver, WORD * AROUND_PLACES)
        self.table = memoryview(self.pinned.bytes).cast("q")
        given = self.control, self.began_at, self.home, self.pinned.address
        rest = [0] * (len(KINDS) - len(ARRAYS) - 1)
        self.before = np.array([*given, -1, *rest], np.int64)
        self.behind = np.array([*given, self.num_down, *rest], np.int64)
        self.go: Callable[[int, int, Sequence[Fill]], None] | None = None

    def start(self, fills: Sequence[Fill], bytes_up: int, stream: int) -> None:
        """Put a launch on a stream, with what is filled and copied before it."""
        self.table[0] = 0
        if self.go is None:
            self.go = self.device.driver.round(self)
        self.go(stream, -(-bytes_up // WORD), fills)

    def order(self, up: int, fills: Sequence[Fill]) -> None:
        """Put what is copied up and filled into the parameters of the kernel before the program."""
        control, told = self.control, [up, len(fills)]
        for address, count, word in fills:
            there = word if count > 0 else (word - control) // WORD
            told += (address - control) // WORD, count, there
        self.before[UP : UP + len(told)] = told

    def is_done(self) -> bool:
        """Return whether what was started last is over."""
        return self.table[0] != 0

    @property
    def times(self) -> tuple[int, int]:
        """When the program began and ended, in nanoseconds of the GPU's clock."""
        return self.table[1], self.table[2]

    def launches(self) -> list[tuple[Any, int, NDArray[np.uint64]]]:
        """Return the kernels before and behind the program: function, blocks, parameters."""
        kernel = kernel_of(self.device, [CALLED], KINDS)
        wide = min(self.wide, kernel.most_blocks)
        return [
            (kernel.function, wide, self.before.view(np.uint64)),
            (kernel.function, 1, self.behind.view(np.uint64)),
        ]


def copy_of(address: int, source: int, nbytes: int) -> Fill:
    """Return the copy of an array; of nothing, if it is empty.

    Examples
    --------
    >>> copy_of(512, 1024, 20)
    (512, -3, 1024)
    """
    return address, -nbytes // WORD, source


def fill_of(address: int, pattern: bytes, count: int) -> Fill:
    r"""Return the fill of an array with a pattern of 1, 2, 4 or 8 bytes.

    Blocks of memory are whole words, so the last one may be filled to its end.

    Examples
    --------
    >>> fill_of(512, b"\1\0", 5)
    (512, 2, 281479271743489)
    """
    times = WORD // len(pattern)
    return address, -(-count // times), int.from_bytes(pattern * times, "little", signed=True)
