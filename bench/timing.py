"""How things are timed: calls in turn, and the clocks of cores and of a GPU.

`in_turn` is the way for everything that has variants: they take turns, so that a machine's drift
meets all of them. Kernels by hand are timed on a GPU between two events on their stream. A kernel
that only sleeps goes ahead, so that the host's work for a launch is done before the first event:
what is measured is the device, as in a library that prepares its launches. CuPy is imported when
called.
"""

from __future__ import annotations

import functools
import gc
import math
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from emv.errors import EmvError
from emv.graph.on_device import on_host

BUDGET_MS = 3000.0  # for all rounds of one measurement
SLEEP = r"""
extern "C" __global__ void rest(long long cycles) {
    long long start = clock64();
    while (clock64() - start < cycles) {}
}
"""
SLEPT_CYCLES = 400_000  # about 0.2 ms


def in_turn(
    calls: dict[str, Callable[[], Any]],
    rounds: int = 0,
    slow_s: float = math.inf,
    counts: dict[str, int] | None = None,
) -> dict[str, list[float]]:
    """Return the milliseconds of every round of every call, after one that compiles.

    A call that returns a `Run` took the seconds that this says, from the first launch to the last;
    any other what the clock says. What takes longer than `slow_s` is run only once more. `counts`
    are the rounds of each call, where they have been called before.

    Examples
    --------
    >>> sorted(in_turn({"a": lambda: sum(range(99)), "b": lambda: None}, rounds=3))
    ['a', 'b']
    """
    if counts is None:
        first = {name: ms_of(call) for name, call in calls.items()}
        counts = {name: rounds if ms <= 1000 * slow_s else 1 for name, ms in first.items()}
    found: dict[str, list[float]] = {name: [] for name in calls}
    for turn in range(max(counts.values(), default=0)):
        for name, call in calls.items():
            if turn < counts[name]:
                gc.collect()  # what the round before left
                found[name].append(ms_of(call))
    return found


def medians(calls: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Return the median milliseconds of every call: see `in_turn`."""
    return {name: statistics.median(each) for name, each in in_turn(calls, rounds).items()}


def compared(
    variants: dict[str, Callable[[], Any]],
    rounds: int,
    exact: bool = True,
    slow_s: float = math.inf,
    most: int | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield a row for each variant: its median, that over the first one's, what is wrong.

    Each returns a `Run`, or what has ``seconds`` and ``result`` as well. Results, of `most`
    vertices if that is given, must be that of the first: to the last bit where they are `exact`.
    """
    rows: dict[str, dict[str, Any]] = {}
    same = np.array_equal if exact else lambda a, b: np.allclose(a, b, rtol=1e-4, atol=0)
    right: Any = None
    for name, call in variants.items():
        try:
            found = on_host(call().result)[:most]
        except EmvError as error:
            rows[name] = {"skipped": str(error).splitlines()[0]}
            continue
        right = found if right is None else right
        rows[name] = {"fault": "" if same(found, right) else "results differ"}
    left = {name: call for name, call in variants.items() if "fault" in rows[name]}
    all_ms, first = in_turn(left, rounds, slow_s), 0.0
    for name, row in rows.items():
        if name in all_ms:
            ms = statistics.median(all_ms[name])
            first = first or ms
            row = {"ms": ms, "times the first": ms / first, "all_ms": all_ms[name], **row}
        yield {"variant": name, **row}


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return the milliseconds of a call by the clock, and what it returns."""
    start = time.perf_counter()
    found = call()
    return 1000 * (time.perf_counter() - start), found


def ms_of(call: Callable[[], Any]) -> float:
    """Return the milliseconds of a call: of a `Run` those on its device."""
    ms, found = timed(call)
    return 1000 * float(found.seconds) if hasattr(found, "seconds") else ms


def rounds_within(first_ms: float, rounds: int, budget_ms: float = BUDGET_MS) -> int:
    """Return how many rounds to run: fewer when one takes long, at least three.

    Examples
    --------
    >>> rounds_within(1.0, 10), rounds_within(500.0, 10), rounds_within(9000.0, 10)
    (10, 6, 3)
    """
    return max(min(3, rounds), min(rounds, int(budget_ms / max(first_ms, 1e-3))))


def call_ms(call: Callable[[], Any], wait: Callable[[], Any]) -> float:
    """Return the milliseconds from a call to the end of what it started."""
    wait()
    return timed(lambda: (call(), wait()))[0]


def calls_ms(call: Callable[[], Any], wait: Callable[[], Any], rounds: int) -> list[float]:
    """Return the milliseconds of every round of a call: see `call_ms`."""
    return [call_ms(call, wait) for _ in range(rounds)]


class HostClock:
    """Stands where a GPU's clock would: nothing to wait for."""

    cupy: Any = np

    def wait(self) -> None:
        """Return at once."""

    free = wait


class DeviceClock:
    """Times work on the default stream by events; see the module's text."""

    def __init__(self) -> None:
        import cupy

        self.cupy = cupy
        self.rest = cupy.RawKernel(SLEEP, "rest")
        self.start, self.end = cupy.cuda.Event(), cupy.cuda.Event()

    def ms(self, call: Callable[[], Any]) -> float:
        """Return the milliseconds of a call's work on the device."""
        self.wait()
        self.rest((1,), (1,), (self.cupy.int64(SLEPT_CYCLES),))
        self.start.record()
        call()
        self.end.record()
        self.end.synchronize()
        return float(self.cupy.cuda.get_elapsed_time(self.start, self.end))

    def wait(self) -> None:
        """Wait for all work on the device."""
        self.cupy.cuda.runtime.deviceSynchronize()

    def median_ms(self, call: Callable[[], Any], rounds: int) -> float:
        """Warm up, then return the median."""
        first_ms = min(self.ms(call), self.ms(call))
        return statistics.median(self.ms(call) for _ in range(rounds_within(first_ms, rounds)))

    def free(self) -> None:
        """Give CuPy's unused memory back, so that others can have it."""
        self.cupy.get_default_memory_pool().free_all_blocks()


def clock_of(target: str) -> Any:
    """Return the clock of a target."""
    return DeviceClock() if target == "cuda" else HostClock()


def until_done(on: Any) -> Callable[[], None]:
    """Return what waits for a device of emv's own."""
    return functools.partial(on.driver.synchronize, on.stream)
