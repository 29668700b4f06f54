"""Edges, weights and points of random graphs on several threads; see `emv_kernels.generate`.

Every entry is a function of its index, so each thread fills one stretch. R-MAT goes level by level
through a block of edges that stays in the cache: the loop over the block is one that the compiler
turns into vector instructions, five times as fast as edge after edge.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv_kernels.aside import all_at_once, leavable
from emv_kernels.cpu.entry import entry
from emv_kernels.cpu.jit import inlined
from emv_kernels.generate import (
    draw_functions,
    lattice_function,
    rmat_functions,
    scramble_function,
)

mix, place, word, below = draw_functions(inlined)
rmat_level, rmat_edge = rmat_functions(inlined, word)
scrambled = scramble_function(inlined)
along_axis = lattice_function(inlined)

BLOCK = 512  # edges whose shares are kept at one time


@entry(_nrt=True)
def _rmat(src, dst, first, key, num_ids, shares, spread, loops, scale, hiding):
    a, b, c, d = shares
    spread = np.uint64(spread)
    starts = np.zeros(BLOCK, np.uint64)
    share_a, share_b = np.empty(BLOCK, np.uint32), np.empty(BLOCK, np.uint32)
    share_c, share_d = np.empty(BLOCK, np.uint32), np.empty(BLOCK, np.uint32)
    sources, targets = np.empty(BLOCK, np.uint32), np.empty(BLOCK, np.uint32)
    for begin in range(0, len(src), BLOCK):
        size = np.uintp(min(BLOCK, len(src) - begin))
        for i in range(size):
            starts[i] = place(key, np.uint64(first + begin) + np.uint64(i))
        share_a[:], share_b[:], share_c[:], share_d[:] = a, b, c, d
        sources[:], targets[:] = 0, 0
        step, number = np.uint64(num_ids) >> np.uint64(1), np.uint64(0)
        while step != np.uint64(0):
            number += np.uint64(1)
            for i in range(np.uintp(BLOCK)):
                share_a[i], share_b[i], share_c[i], share_d[i], down, right = rmat_level(
                    word(starts[i], number), share_a[i], share_b[i], share_c[i], share_d[i], spread
                )
                sources[i] += np.uint32(step * down)
                targets[i] += np.uint32(step * right)
            step >>= np.uint64(1)
        for i in range(size):
            u, v, used = np.uint64(sources[i]), np.uint64(targets[i]), number
            while u == v and not loops:
                u, v, used = rmat_edge(starts[i], used, num_ids, a, b, c, d, spread)
            if scale > 0:
                u = scrambled(u, np.uint64(scale), np.uint64(hiding))
                v = scrambled(v, np.uint64(scale), np.uint64(hiding))
            src[np.uintp(begin) + i] = u
            dst[np.uintp(begin) + i] = v


@entry()
def _uniform(src, dst, first, key, num_src, first_dst, num_dst, loops):
    for i in range(np.uintp(len(src))):
        start = place(key, np.uint64(first) + np.uint64(i))
        number = np.uint64(1)
        u = below(word(start, number), num_src)
        v = below(word(start, number + np.uint64(1)), num_dst) + np.uint64(first_dst)
        while u == v and not loops:
            number += np.uint64(2)
            u = below(word(start, number), num_src)
            v = below(word(start, number + np.uint64(1)), num_dst) + np.uint64(first_dst)
        src[i] = u
        dst[i] = v


@entry()
def _along_axis(src, dst, first, length, after, lanes):
    for i in range(np.uintp(len(src))):
        src[i], dst[i] = along_axis(np.uint64(first) + np.uint64(i), length, after, lanes)


@entry()
def _words(values, first, key, number):
    for i in range(np.uintp(len(values))):
        values[i] = word(place(key, np.uint64(first) + np.uint64(i)), np.uint64(number))


@entry()
def _integers(values, first, key, low, span):
    for i in range(np.uintp(len(values))):
        bits = place(key, np.uint64(first) + np.uint64(i))
        values[i] = low + np.int64(below(bits, span))


@entry()
def _floats(values, first, key, low, span):
    for i in range(np.uintp(len(values))):
        bits = place(key, np.uint64(first) + np.uint64(i))
        values[i] = low + span * (np.float64(bits >> np.uint64(11)) * 2.0**-53)


def fill(
    name: str, arrays: tuple[NDArray[Any], ...], numbers: tuple[Any, ...], num_threads: int
) -> None:
    """Run the kernel of a name over arrays of one length, a stretch of them on each thread.

    Parameters
    ----------
    name : {"rmat", "uniform", "along_axis", "words", "integers", "floats"}
        Which.
    arrays : tuple of arrays
        What it writes.
    numbers : tuple
        What it is told besides the index of the first entry.
    num_threads : int
        Threads, at most.
    """
    kernel = KERNELS[name]
    count = len(arrays[0])

    def part(begin: int, end: int) -> None:
        kernel(*(each[begin:end] for each in arrays), begin, *numbers)

    num_parts = max(1, min(num_threads, count // BLOCK))
    in_parts(part, [count * each // num_parts for each in range(num_parts + 1)], num_threads)


KERNELS = {
    "rmat": _rmat,
    "uniform": _uniform,
    "along_axis": _along_axis,
    "words": _words,
    "integers": _integers,
    "floats": _floats,
}


def in_parts(task: Callable[[int, int], None], bounds: list[int], num_threads: int) -> None:
    """Run a task for every stretch between bounds, several at the same time."""
    if len(bounds) == 2:
        leavable(lambda: task(*bounds), bounds[1] - bounds[0])
    else:
        all_at_once(task, bounds[:-1], bounds[1:], num_threads=num_threads)
