"""The warp intrinsics that numba's CUDA simulator lacks, for the hand-written kernels' tests.

A simulated thread is a Python thread, so the lanes of a warp meet at a `threading.Barrier`: each
lays down its value, all wait, each reads, all wait again. All 32 lanes must take part.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from typing import Any

import numpy as np
from numba.cuda import libdevice
from numba.cuda.simulator import kernelapi

_lock = threading.Lock()
_warps: dict[Any, tuple[threading.Barrier, list[Any]]] = defaultdict(
    lambda: (threading.Barrier(32), [None] * 32)
)


def _exchange(value: Any) -> tuple[int, list[Any]]:
    """Return this lane and what every lane of its warp laid down."""
    thread = threading.current_thread()
    place = thread.threadIdx.x
    with _lock:
        barrier, values = _warps[thread._manager, place // 32]  # there is a manager per block
    values[place % 32] = value
    barrier.wait()
    found = list(values)
    barrier.wait()
    return place % 32, found


def _mask(truths: list[bool]) -> int:
    return sum(1 << lane for lane, truth in enumerate(truths) if truth)


class _Warp:
    def syncwarp(self, mask: int = 0) -> None:
        _exchange(None)

    def shfl_sync(self, mask: int, value: Any, source: int) -> Any:
        return _exchange(value)[1][source]

    def shfl_up_sync(self, mask: int, value: Any, delta: int) -> Any:
        lane, values = _exchange(value)
        return values[lane - delta] if lane >= delta else value

    def shfl_xor_sync(self, mask: int, value: Any, other: int) -> Any:
        lane, values = _exchange(value)
        return values[lane ^ int(other)]

    def ballot_sync(self, mask: int, truth: bool) -> int:
        return _mask(_exchange(bool(truth))[1])

    def match_any_sync(self, mask: int, value: Any) -> int:
        return _mask([int(other) == int(value) for other in _exchange(value)[1]])

    def ldcv(self, array: Any, place: int) -> Any:
        return array[place]


def install() -> None:
    """Give the simulator the intrinsics, before a kernel is launched."""
    for name in vars(_Warp):
        if not name.startswith("__"):
            setattr(kernelapi.FakeCUDAModule, name, vars(_Warp)[name])
    libdevice.float_as_int = lambda value: np.float32(value).view(np.int32)
