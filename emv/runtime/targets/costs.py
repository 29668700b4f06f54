"""What supersteps and exchanges of parts cost on cores: constants of a model, measured once.

The model is `emv.graph.parts.Parts.seconds`. An exchange is timed with few and with many rows,
which gives what it costs at least, and its bytes a second. Those of GPUs are told by whole runs
(`emv.runtime.probing`), as the host's own time is the most of them.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from emv.graph.parts import Costs

FEW, MANY = 2**8, 2**20  # rows
ROUNDS = 5


Probe = Callable[[str, int, bool], Costs]
"""Returns constants of GPUs by name, for so many vertices, with or without rounds of hops."""

PROBES: list[Probe] = []
"""What runs the program that tells them; it stands above, and enters itself."""


def costs_of_gpus(label: str, vertices: int, has_rounds: bool) -> Costs:
    """Return the constants of parts on GPUs."""
    return PROBES[0](label, vertices, has_rounds)


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
