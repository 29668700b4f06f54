"""The cache of kernels, killed while it is written and damaged bit by bit: part of `trust`.

The work is small kernels of each kind that is kept: a function of the package, a generated module
for cores, and a binary for a GPU where its compilers are installed. Each attempt is a fork of a
process that has loaded numba and no kernel yet. Whatever has happened to the files, it must end,
and compute what is right.
"""

from __future__ import annotations

import collections
import logging
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np

from emv.backends import compiling, cpu
from emv.backends.cuda import compile as cuda_compile
from emv.config import config
from emv.imports import is_installed
from emv.ir.kernel import KernelSource
from emv_kernels.cache import GENERATED
from emv_kernels.cpu import renumber

Counts = collections.Counter[str]

DOUBLE = KernelSource(
    "double",
    '''"""Kernels by hand."""
from numba import njit


@njit(cache=True)
def double(values):
    for place in range(len(values)):
        values[place] *= 2
''',
    {"double": ("values",)},
    {},
)
HALVE = KernelSource(
    "halve",
    '''"""A program by hand."""
from numba import cuda


def program(state):
    state[cuda.grid(1)] //= 2
''',
    {"program": ("state",)},
    {},
)


def run_package() -> None:
    """Run a kernel of the package, or raise."""
    mark = numba.njit(nogil=True, cache=True)(renumber.mark.py_func)  # as in a new process
    words = np.zeros(2, np.uint64)
    mark(np.array([0, 2, 65]), words)
    if words.tolist() != [5, 2]:
        raise AssertionError(words)


def run_generated() -> None:
    """Run a generated kernel, or raise."""
    sys.modules.pop(f"{GENERATED}{DOUBLE.digest(cpu.toolchain())}", None)
    values = np.array([3, 4])
    compiling.call(cpu.load(DOUBLE), "double", [values], DOUBLE, ())
    if values.tolist() != [6, 8]:
        raise AssertionError(values)


def run_binary() -> None:
    """Compile a program for a GPU, or read it; raise unless it is one."""
    cuda_compile.loaded.clear()
    binary = cuda_compile.load(HALVE, {"state": "int64"})
    facts = (binary.registers > 0, binary.spill_bytes, binary.stack_bytes, binary.shared_bytes)
    if binary.cubin[:4] != b"\x7fELF" or facts != (True, 0, 0, 0):
        raise AssertionError(facts)


KINDS: dict[str, tuple[Callable[[], None], str]] = {
    "text": (run_generated, f"{GENERATED}*.py"),
    "bytecode": (run_generated, f"{GENERATED}*.code"),
    "generated code": (run_generated, f"{GENERATED}*.nbc"),
    "package's code": (run_package, "renumber.*.nbc"),
    **({"GPU binary": (run_binary, "*.binary")} if is_installed("numba_cuda") else {}),
}
"""What is kept: what makes or uses it, and which files it is in."""


def started(do: Callable[[], None]) -> int:
    """Fork a process that does something; return its id."""
    process = os.fork()
    if process == 0:
        status = 1
        try:
            logging.getLogger("emv").setLevel(logging.CRITICAL)
            do()
            status = 0
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        finally:
            os._exit(status)
    return process


def ending(process: int) -> str:
    """Wait for a process, and return how it ended: ``right``, ``WRONG`` or a signal."""
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    return "right" if status == 0 else "WRONG" if status > 0 else signal.Signals(-status).name


def damaged(kind: str, times: int, seed: int, cache: Path) -> Counts:
    """Flip a bit of a kept file at random places, and count how whoever needs it ends."""
    do, pattern = KINDS[kind]
    chance, counts = random.Random(f"{kind} {seed}"), collections.Counter[str]()
    counts["first " + ending(started(do))] += 1
    path = max(cache.rglob(pattern), key=lambda each: each.stat().st_size)
    for _ in range(times):
        whole = bytearray(path.read_bytes())
        whole[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
        path.write_bytes(whole)
        counts[ending(started(do))] += 1
        counts["NOT MENDED"] += path.read_bytes() == whole
    return counts


def killed(kind: str, times: int, seed: int, cache: Path) -> Counts:
    """Kill who writes to the cache, at random moments, and count how the next one ends."""
    do, _ = KINDS[kind]
    chance, counts = random.Random(f"{kind} {seed}"), collections.Counter[str]()
    begun = time.perf_counter()
    counts["first " + ending(started(do))] += 1
    whole = time.perf_counter() - begun
    for number in range(times):
        empty(cache)
        process = started(do)
        if number % 2:
            time.sleep(whole * chance.uniform(0.0, 1.2))
        else:
            wait_for_file(cache, chance.choice([1, 1, 2, 3]), whole)
        os.kill(process, signal.SIGKILL)
        counts["killed " + str(ending(process))] += 1
        counts["left beside it"] += bool(list(cache.rglob("*.part")))
        counts[ending(started(do))] += 1
        counts["LEFT FOR GOOD"] += bool(list(cache.rglob("*.part")))
    return counts


def empty(cache: Path) -> None:
    """Remove all that is kept; the folders stay, as processes have looked at them."""
    for path in cache.rglob("*"):
        if path.is_file():
            path.unlink()


def wait_for_file(cache: Path, number: int, most_seconds: float) -> None:
    """Wait until so many files have come, so that the next kill meets who writes one."""
    end = time.perf_counter() + most_seconds
    while time.perf_counter() < end:
        if sum(path.is_file() for path in cache.rglob("*")) >= number:
            return


def faults(counts: dict[str, int]) -> dict[str, int]:
    """Return what must not be of what was counted."""
    fine = {"right", "first right", "killed right", "killed SIGKILL", "left beside it"}
    return {what: number for what, number in counts.items() if number and what not in fine}


def work(job: dict[str, Any]) -> dict[str, int]:
    """Do one of the jobs of `trust` in this process, with a cache of its own."""
    cache = Path(tempfile.mkdtemp(dir=job.get("within")))
    before = os.environ.get("EMV_CACHE")
    os.environ["EMV_CACHE"] = str(cache)
    try:
        with config.using(cache=cache):
            do = {"killed": killed, "flipped bits": damaged}[job["what"]]
            return dict(do(job["name"], job["times"], job["seed"], cache))
    finally:
        os.environ.pop("EMV_CACHE")
        if before is not None:
            os.environ["EMV_CACHE"] = before
        shutil.rmtree(cache)


def jobs(times: int, seed: int, **_: Any) -> list[dict[str, Any]]:
    """Return jobs: who writes each kind is killed so often, and each kind damaged so often.

    A few times are for the tests, which damage binaries for GPUs elsewhere.
    """
    kinds = [name for name in KINDS if name != "GPU binary" or times >= 10]
    writers = [name for name in kinds if name not in ("text", "bytecode")]
    return [
        {"what": what, "name": name, "times": times, "seed": seed}
        for what, names in (("killed", writers), ("flipped bits", kinds))
        for name in names
    ]
