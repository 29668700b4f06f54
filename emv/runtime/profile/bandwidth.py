"""How fast a large copy is: what the bytes of a profile are compared with."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

COPIES = 5  # of which the fastest counts
COPY_BYTES = 2**30  # of a copy on a GPU; its caches hold far less
CPU_COPY_BYTES = 2**27


def cpu_copy_bandwidth(num_threads: int) -> float:
    """Return the bytes per second that a copy by numpy reads and writes, a part per thread."""
    source = np.ones(CPU_COPY_BYTES // 8)
    target = np.zeros_like(source)
    parts = [
        (into, out)
        for into, out in zip(
            np.array_split(target, num_threads), np.array_split(source, num_threads), strict=True
        )
    ]
    with ThreadPoolExecutor(num_threads) as threads:  # numpy lets go of Python's lock meanwhile

        def copy() -> float:
            started = time.perf_counter()
            list(threads.map(lambda part: np.copyto(*part), parts))
            return time.perf_counter() - started

        return fastest(copy, source.nbytes)


def device_copy_bandwidth(device: Any) -> float:
    """Return the bytes per second that a copy within a GPU's memory reads and writes."""
    driver, stream = device.driver, device.stream
    with device.current():
        nbytes = min(COPY_BYTES, driver.memory()[0] // 4)
        target, source = driver.allocate(nbytes), driver.allocate(nbytes)
        began, ended = driver.new_event(), driver.new_event()

        def copy() -> float:
            driver.record(began, stream)
            driver.copy(target, source, nbytes, stream)
            driver.record(ended, stream)
            driver.synchronize(stream)
            return float(driver.seconds_between(began, ended))

        try:
            return fastest(copy, nbytes)
        finally:
            for address in (target, source):
                driver.free(address)
            for event in (began, ended):
                driver.free_event(event)


def fastest(copy: Callable[[], float], nbytes: int) -> float:
    """Return the bandwidth of the fastest of some copies, after one that does not count."""
    copy()
    seconds = min(copy() for _ in range(COPIES))
    return 2 * nbytes / seconds if seconds > 0 else 0.0
