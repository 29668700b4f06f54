"""What supersteps and exchanges of parts cost here: constants of a model, measured once a process.

The model is `emv.graph.parts.Parts.seconds`. What kernels do is told by bandwidth: for an arc an id
and a value are read, for a vertex a value read and written. An exchange by the host is timed with
few and with many rows, which gives what it costs at least, and its bytes a second.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from emv.graph.parts import Costs

BYTES_OF_ARC, BYTES_OF_VERTEX = 12, 16
FEW, MANY = 2**8, 2**20  # rows
ROUNDS = 5


@functools.cache
def costs_of_cores() -> Costs:
    """Return the constants of parts on cores, which run one after another in one memory."""
    rng = np.random.default_rng(0)
    values, rows = np.zeros(MANY), rng.permutation(MANY)

    def exchange(number: int) -> None:
        whole = np.empty(MANY)
        whole[rows[:number]] = values[rows[:number]]
        values[rows[:number]] = whole[rows[:number]]

    latency, rate = line(exchange)
    fold = fastest(lambda: np.bincount(rows >> 4, values)) / MANY
    copy = fastest(values.copy) / MANY
    return Costs(fold, copy, latency, latency, 8 * rate)


@functools.cache
def costs_of_gpu(device: Any) -> Costs:
    """Return the constants of parts on GPUs like this one, with the exchange by the host."""
    from emv.runtime.profile.recording import device_copy_bandwidth  # it stands above

    values = np.zeros(MANY)

    def exchange(number: int) -> None:
        device.upload(values[:number]).numpy()

    with device.current():
        latency, rate = line(exchange)
    bandwidth = device_copy_bandwidth(device)
    arc, vertex = BYTES_OF_ARC / bandwidth, BYTES_OF_VERTEX / bandwidth
    return Costs(arc, vertex, latency, latency, 8 * rate)


def fastest(work: Callable[[], Any]) -> float:
    """Return the least seconds of some rounds."""
    found = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        work()
        found.append(time.perf_counter() - began)
    return min(found)


def line(work: Callable[[int], Any]) -> tuple[float, float]:
    """Return the seconds that work takes at least, and how much of it is done in a second."""
    few, many = (fastest(functools.partial(work, number)) for number in (FEW, MANY))
    each = max(many - few, 1e-9) / (MANY - FEW)
    return max(few - FEW * each, 1e-7), 1 / each
