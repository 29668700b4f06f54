"""How much memory is taken at most: by this process, as Linux tells it, or of a GPU's pool."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class Peak:
    """The bytes that were taken at most beyond those before, once it is known."""

    nbytes: int = 0


@contextlib.contextmanager
def process_peak() -> Iterator[Peak]:
    """Tell the peak of this process while something runs."""
    peak = Peak()
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = status("VmRSS")
    yield peak
    peak.nbytes = status("VmHWM") - before


@contextlib.contextmanager
def pool_peak(pool: Any) -> Iterator[Peak]:
    """Tell the peak of what is held of a GPU's pool while something runs."""
    gc.collect()
    peak, taken, before = Peak(), pool.taken, pool.used_bytes

    def note(nbytes: int, place: int) -> Any:
        memory = taken(nbytes, place)
        peak.nbytes = max(peak.nbytes, pool.used_bytes - before)
        return memory

    pool.taken = note
    try:
        yield peak
    finally:
        del pool.taken


def peak_of(target: str) -> contextlib.AbstractContextManager[Peak]:
    """Tell the bytes that are taken at most while something runs: of a GPU's pool there."""
    if target == "cpu":
        return process_peak()
    from emv.backends.cuda.device import device

    return pool_peak(device().pool)


def status(name: str) -> int:
    """Return a figure of this process in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(name + ":"))
