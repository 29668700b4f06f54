"""How wide the ids and offsets of a graph are: 32 bits while they fit, 64 when they must.

Half the bytes per id is half the memory traffic of a superstep. What users see is signed, since
``-1`` is a useful id of nothing; what kernels index with is unsigned, since numba then leaves out
the test for negative indices. Both thresholds are module constants, so that a test can lower
them instead of allocating 2**32 of anything.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

FIRST_WIDE_SIGNED = 2**31
FIRST_WIDE_UNSIGNED = 2**32
NARROW, WIDE = np.dtype(np.uint32), np.dtype(np.uint64)


def public_dtype(num_ids: int) -> np.dtype[Any]:
    """Return the dtype of ids below `num_ids` that users see: int32, or int64 when needed.

    Examples
    --------
    >>> public_dtype(1000), public_dtype(2**31)
    (dtype('int32'), dtype('int64'))
    """
    return np.dtype(np.int32 if num_ids < FIRST_WIDE_SIGNED else np.int64)


def index_dtype(num_ids: int) -> np.dtype[Any]:
    """Return the dtype of ids below `num_ids` inside layouts: uint32, or uint64 when needed.

    Examples
    --------
    >>> index_dtype(2**31), index_dtype(2**32)
    (dtype('uint32'), dtype('uint64'))
    """
    return np.dtype(np.uint32 if num_ids < FIRST_WIDE_UNSIGNED else np.uint64)


def id_dtype(num_ids: int) -> np.dtype[Any]:
    """Return the dtype of ids below `num_ids` in kernels: uint32 while `public_dtype` is int32.

    Examples
    --------
    >>> id_dtype(2**31 - 1), id_dtype(2**31)
    (dtype('uint32'), dtype('uint64'))
    """
    return NARROW if num_ids < FIRST_WIDE_SIGNED else WIDE


def with_dtype(ids: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return non-negative ids as `dtype`: a view where only the sign differs, else a copy.

    Examples
    --------
    >>> ids = np.array([3, 1], np.int32)
    >>> with_dtype(ids, np.dtype("uint32")).base is ids
    True
    """
    if ids.dtype.itemsize == dtype.itemsize:
        return ids.view(dtype)
    return ids.astype(dtype)
