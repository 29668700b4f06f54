"""Join sets along edges, on several threads (`emv_kernels.cpu.sets`)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv_kernels.aside import all_at_once
from emv_kernels.cpu.entry import entry
from emv_kernels.cpu.sets import flatten, join


@entry()
def _join(shared, parent, src, dst, begin, end):
    """Join the sets of the ends of a stretch of edges."""
    for i in range(np.uintp(begin), np.uintp(end)):
        join(shared, parent, np.int64(src[i]), np.int64(dst[i]))


@entry()
def _flatten(parent, begin, end):
    """Point every vertex of a stretch at the first of its set."""
    flatten(parent, begin, end)


def join_edges(
    parent: NDArray[np.int64], src: NDArray[Any], dst: NDArray[Any], num_threads: int
) -> None:
    """Join the sets of the ends of edges, and call every vertex after the first of its set."""
    bounds = [len(src) * each // num_threads for each in range(num_threads + 1)]
    shared = num_threads > 1
    all_at_once(
        lambda begin, end: _join(shared, parent, src, dst, begin, end), bounds[:-1], bounds[1:]
    )
    bounds = [len(parent) * each // num_threads for each in range(num_threads + 1)]
    all_at_once(lambda begin, end: _flatten(parent, begin, end), bounds[:-1], bounds[1:])
