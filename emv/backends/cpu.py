"""The CPU backend: generated modules become real files, are imported and compiled by numba.

A module is named after the hash of its text and of everything that compiles it, so what is kept of
it is right in every later process. The text holds the user's helper functions
too: nothing outside the file decides what it means, except `emv_kernels`, whose sources are hashed.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import os
from types import ModuleType

import numba
from numba.np.ufunc import parallel

from emv.backends.files import load_module
from emv.ir.kernel import KernelSource
from emv_kernels.aside import aside
from emv_kernels.cache import GENERATED, toolchain

SPINS = "1000"  # rounds of waiting before a thread sleeps: a microsecond or two
FORKED: list[bool] = []  # not empty in a process that cannot have threads

log = logging.getLogger("emv")


def load(source: KernelSource) -> ModuleType:
    """Return the module of generated kernels, written to the cache folder unless it is there."""
    return load_module(f"{GENERATED}{source.digest(toolchain())}", source.text, toolchain())


def set_threads(count: int) -> int:
    """Use at most ``count`` threads; return how many there are."""
    begin_threads()
    count = max(1, min(count, numba.config.NUMBA_NUM_THREADS))
    if count > 1 and FORKED:
        tell_of_fork(os.getpid())
        count = 1
    keep_threads(count)
    return count


def keep_threads(count: int) -> None:
    """Use as many threads as `set_threads` has found, where somebody else may have set others."""
    if count > 1 and parallel._get_num_threads() != count:  # kernels told of one ask for none
        parallel._set_num_threads(count)  # numba's own words take a lock at every call


@functools.cache
def begin_threads() -> None:
    """Begin numba's threads, of which those that wait sleep after some microseconds.

    GNU's OpenMP lets them spin for milliseconds by default, on cores that other work could use and
    that the thread they wait for may need: beside two endless loops on two cores, a breadth-first
    search of 5,000 edges took hundreds of times as long. How long is read when its library is
    loaded, so the variable need not stay, for other libraries and for children. numba takes a lock
    meanwhile, which a Ctrl-C between two bytecodes of the main thread would leave taken.
    """
    aside(load_threads)


def load_threads() -> None:
    """Let numba load what shares loops out, and begin its threads."""
    asked = {"GOMP_SPINCOUNT", "OMP_WAIT_POLICY"} & os.environ.keys()
    if not asked:  # else whoever runs the process knows better
        os.environ["GOMP_SPINCOUNT"] = SPINS
    try:
        numba.get_num_threads()  # to ask how many there are begins them
    finally:
        if not asked:
            del os.environ["GOMP_SPINCOUNT"]


@functools.cache
def caller_works() -> bool:
    """Return whether the thread that calls a launch works for it, and not only others."""
    begin_threads()
    return str(numba.threading_layer()) != "workqueue"


def after_fork() -> None:
    """Note in a child made by fork that its parent had begun GNU's OpenMP.

    Its threads are gone in the child, which would wait for them or be ended: it cannot begin anew,
    as numba's other threading layers do. Kernels that are told of one thread never call it.
    """
    with contextlib.suppress(ValueError):  # no threads yet: the child may have its own
        if numba.threading_layer() == "omp" and openmp_vendor() == "GNU":
            FORKED.append(True)


def openmp_vendor() -> str:
    """Return whose OpenMP numba was built with."""
    from numba.np.ufunc import omppool

    return str(omppool.openmp_vendor)


@functools.cache
def tell_of_fork(process: int) -> None:
    """Say once in a process why it runs programs on one thread."""
    log.warning(
        "process %d was made by fork after programs had run in its parent, which GNU's OpenMP does "
        'not survive: here they run on one thread; multiprocessing\'s context "spawn" keeps all',
        process,
    )


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=after_fork)
