"""The operations of a warp that numba's CUDA simulator lacks, for any simulator of threads.

A simulator says how the lanes of a mask meet and what each of them brought; what they make of it
is written here once. numba's own simulator, in which every thread is a thread of Python, gets
them by `install`: there all 32 lanes of a warp must take part.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
from numba.cuda import libdevice
from numba.cuda.simulator import kernelapi

from emv.backends.simulated.integers import made_once

MASK = 0xFFFFFFFF
LANES = 32


class Word(np.int64):
    """A 32-bit integer: numba computes with it in 64 bits, but counts its bits in 32."""


class UnsignedWord(Word):
    """A 32-bit number without a sign: with one of 64 bits and no sign it makes another."""

    def __add__(self, other: Any) -> Any:
        if isinstance(other, UnsignedWord):
            return made_once(UnsignedWord)[int(self) + int(other)]
        mine = np.uint64(int(self)) if isinstance(other, np.uint64) else np.int64(self)
        return mine + other


def signed(bits: int) -> Word:
    """Return 32 bits as numba types them: as a signed number."""
    return made_once(Word)[(bits ^ 0x80000000) - 0x80000000]


def width_of(value: Any) -> int:
    """Return how many bits numba's type for a number has."""
    if isinstance(value, Word):
        return 32
    return value.dtype.itemsize * 8 if isinstance(value, np.generic) else 64


def bits_of(value: Any) -> int:
    """Return the bits of a number as a whole number from 0 on."""
    return int(value) & ((1 << width_of(value)) - 1)


def shuffle(source: Callable[[int, Any], int], name: str) -> Callable[..., Any]:
    """Return a shuffle; ``source`` says from which lane one takes."""

    def take(self: Any, mask: Any, value: Any, step: Any) -> Any:
        lane, group = self.meet_as(name, mask, value)
        wanted = source(lane, step if type(step) is int else int(step))
        if not 0 <= wanted < LANES:
            return value
        if wanted not in group:
            raise RuntimeError(f"{name}: lane {lane} takes from lane {wanted}, which is not there")
        return group[wanted]

    return take


class Group(dict[int, Any]):
    """What the threads of a meeting bring: by lane, or by thread where a block meets."""

    made: Any = None

    def once(self, make: Callable[[Group], Any]) -> Any:
        """Return what is made of it, the same for all threads, which one of them makes."""
        if self.made is None:
            self.made = make(self)
        return self.made


def ballot(votes: Group) -> Word:
    """Return the lanes that vote for something."""
    return signed(sum(1 << lane for lane, vote in votes.items() if vote))


def alike(brought: Group) -> dict[Any, Word]:
    """Return the lanes that bring each value."""
    found: dict[Any, int] = {}
    for lane, value in brought.items():
        found[value] = found.get(value, 0) | 1 << lane
    return {value: signed(lanes) for value, lanes in found.items()}


def total(brought: Group) -> UnsignedWord:
    """Return the sum of what is brought, in 32 bits."""
    return UnsignedWord(sum(map(int, brought.values())) & MASK)


class Warp:
    """What a kernel finds in ``cuda`` for the lanes of a warp."""

    def meet_as(self, name: str, mask: Any, value: Any = None) -> tuple[int, Group]:
        """Meet the lanes of a mask; return one's own lane, and what each brought by lane."""
        raise NotImplementedError

    def meet(self, name: str, mask: Any, value: Any = None) -> Group:
        """Meet the lanes of a mask; return what each brought, by lane."""
        return self.meet_as(name, mask, value)[1]

    shfl_sync = shuffle(lambda lane, source: source % LANES, "shfl_sync")
    shfl_up_sync = shuffle(lambda lane, step: lane - step, "shfl_up_sync")
    shfl_down_sync = shuffle(lambda lane, step: lane + step, "shfl_down_sync")
    shfl_xor_sync = shuffle(lambda lane, step: lane ^ step, "shfl_xor_sync")

    def ballot_sync(self, mask: Any, predicate: Any) -> Word:
        found: Word = self.meet("ballot_sync", mask, predicate).once(ballot)
        return found

    def any_sync(self, mask: Any, predicate: Any) -> bool:
        return any(self.meet("any_sync", mask, predicate).values())

    def all_sync(self, mask: Any, predicate: Any) -> bool:
        return all(self.meet("all_sync", mask, predicate).values())

    def eq_sync(self, mask: Any, predicate: Any) -> bool:
        return len(set(map(bool, self.meet("eq_sync", mask, predicate).values()))) == 1

    def reduce_add_sync(self, mask: Any, value: Any) -> UnsignedWord:
        """Return the sum over the lanes of a mask, in 32 bits."""
        found: UnsignedWord = self.meet("reduce_add_sync", mask, value).once(total)
        return found

    def match_any_sync(self, mask: Any, value: Any) -> Word:
        lanes: dict[Any, Word] = self.meet("match_any_sync", mask, value).once(alike)
        return lanes[value]

    def syncwarp(self, mask: Any = MASK) -> None:
        self.meet("syncwarp", mask)

    def lanemask_lt(self) -> Word:
        return Word((1 << self.laneid) - 1)

    def popc(self, value: Any) -> int:
        return bits_of(value).bit_count()

    def ffs(self, value: Any) -> int:
        bits = bits_of(value)
        return (bits & -bits).bit_length()

    def clz(self, value: Any) -> int:
        return width_of(value) - bits_of(value).bit_length()


for hint in ("ldca", "ldcg", "ldcs", "ldlu", "ldcv"):
    setattr(Warp, hint, lambda self, pointer, index: pointer[index])
for hint in ("stcg", "stcs", "stwb", "stwt"):
    setattr(Warp, hint, lambda self, pointer, index, value: pointer.__setitem__(index, value))

_lock = threading.Lock()
_warps: dict[Any, tuple[threading.Barrier, list[Any]]] = defaultdict(
    lambda: (threading.Barrier(LANES), [None] * LANES)
)


def meet_all(self: Any, name: str, mask: Any, value: Any = None) -> tuple[int, Group]:
    """Meet the lanes of a warp of numba's simulator."""
    thread = threading.current_thread()
    place = thread.threadIdx.x
    with _lock:
        barrier, values = _warps[thread._manager, place // LANES]  # there is a manager per block
    values[place % LANES] = value
    barrier.wait()
    found = Group(enumerate(values))
    barrier.wait()
    return place % LANES, found


def install() -> None:
    """Give numba's simulator the operations, before a kernel is launched."""
    for name in vars(Warp):
        if not name.startswith("__"):
            setattr(kernelapi.FakeCUDAModule, name, vars(Warp)[name])
    kernelapi.FakeCUDAModule.meet_as = meet_all
    libdevice.float_as_int = lambda value: np.float32(value).view(np.int32)
