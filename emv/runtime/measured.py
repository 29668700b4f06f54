"""What parts cost at a place, kept for later processes: to measure it takes them seconds.

It lies in the cache folder, under all that it was measured with: the machine and its GPUs, the
sources of the kernels and the version. A machine may have been slow on the day, and drivers change,
so that what is older than `DAYS` is measured anew.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import os
import platform
import time
from collections.abc import Callable
from pathlib import Path

from emv.config import Grouped, config
from emv.graph.supersteps import Costs
from emv.version import __version__
from emv_kernels.kept import cache_folder, digest_of_kernels, keep, kept

DAYS = 7
PROCESSORS = Path("/proc/cpuinfo")


def kept_costs(label: str, measure: Callable[[], Costs], *given: object) -> Costs:
    """Return constants of a place as they were measured once, or measure and keep them.

    Parameters
    ----------
    label : str
        The name of the place.
    measure : callable
        Returns them.
    *given : object
        What else they were measured for, and by what.
    """
    path = path_for(label, *given)
    if path is None:
        return measure()
    found = read(path)
    if found is None:
        found = measure()
        told = {"when": time.time(), "costs": dataclasses.asdict(found)}
        keep(path, json.dumps(told).encode())
    return found


def path_for(label: str, *given: object) -> Path | None:
    """Return the file in which constants are kept; None where nothing can be."""
    folder = cache_folder(config.cache, digest_of_kernels())
    if folder is None:
        return None
    named = [each.name for each in dataclasses.fields(Costs)]
    known = "\n".join(map(str, (__version__, named, machine(), places(label), *given)))
    return folder / f"costs_{hashlib.sha256(known.encode()).hexdigest()[:16]}.kept"


def read(path: Path) -> Costs | None:
    """Return the constants in a file; None if there are none, or they are too old."""
    content = kept(path)
    if content is None:
        return None
    told = json.loads(content)
    age = time.time() - told["when"]
    return Costs(**told["costs"]) if 0 <= age < DAYS * 86400 else None


def places(label: str) -> str:
    """Return the name of a place, with what GPUs it has or how many threads there are."""
    if not label.startswith("cuda"):
        return f"{label} {config.num_threads}"
    from emv.backends.cuda.device import device  # which cores do without

    return f"{label} {[device(each).driver.name for each in Grouped.of(label).devices]}"


@functools.cache
def machine() -> str:
    """Return what tells a machine from others: its processors, and how many a process has."""
    try:
        lines = PROCESSORS.read_text().splitlines()
    except OSError:
        lines = []
    models = {each for each in lines if each.startswith("model name")}
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{platform.machine()} {platform.system()} {sorted(models)} {usable}"
