"""A process that is made by fork, or that ends, while another thread compiles.

A child has one thread, and what others were in the midst of is never ended there: before a fork all
locks behind which kernels are imported and compiled are taken, and given back behind it in both
processes. Where a process ends, LLVM's memory goes while threads may still run, and so none may
enter LLVM any more.
"""

from __future__ import annotations

import atexit
import os
import sys
from typing import Any

LOCKS: list[tuple[int, Any]] = []
"""Locks and their places in the order of taking, numba's and LLVM's left out."""
HELD: list[Any] = []  # what was taken before a fork, in order


def wait_for(lock: Any, place: int) -> None:
    """Let every fork wait for a lock.

    Parameters
    ----------
    lock : context manager
        The lock.
    place : int
        In the order in which threads take several of them.
    """
    LOCKS.append((place, lock))


def compilers_locks() -> list[tuple[int, Any]]:
    """Return the locks of numba and LLVM, and their places, if they are loaded.

    A process that only runs what others compiled never loads them.
    """
    numba = sys.modules.get("numba.core.compiler_lock")
    return ([(1, numba.global_compiler_lock)] if numba else []) + [
        (3, lock) for lock in llvm_lock()
    ]


def llvm_lock() -> list[Any]:
    """Return LLVM's lock, if it is loaded."""
    llvm = sys.modules.get("llvmlite.binding.ffi")
    return [llvm.lib._lock] if llvm else []


def before_fork() -> None:
    """Wait until no thread is in the midst of compiling."""
    for _, lock in sorted([*LOCKS, *compilers_locks()], key=lambda each: each[0]):
        lock.__enter__()
        HELD.append(lock)


def after_fork() -> None:
    """Give back what was taken before, in the parent and in the child."""
    while HELD:
        HELD.pop().__exit__(None, None, None)


def at_exit() -> None:
    """Let no thread enter LLVM any more."""
    for lock in llvm_lock():
        lock.__enter__()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=before_fork, after_in_parent=after_fork, after_in_child=after_fork)
atexit.register(at_exit)
