"""Arrays of draws: made on the cores of the host, or on a GPU by the twin of the same kernel.

A draw is a function of the seed, what it is for (its stream), its index and its number, so the
arrays are the same however many threads share them and wherever they are made; see
`emv_kernels.generate`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.config import config
from emv.device import device_named
from emv.graph.drawn import Drawing, DrawnArray
from emv.graph.widths import public_dtype

STREAMS = ("edges", "weights", "points", "ids", "kept", "places", "sizes", "members")
"""What draws are for: those of two streams of one seed have nothing to do with each other."""

WORD = 2**64


def key_of(seed: int, stream: str) -> int:
    """Return the 64 bits that draws of a seed for a purpose depend on, as a signed number.

    Examples
    --------
    >>> key_of(0, "edges") != key_of(0, "weights") != key_of(1, "weights")
    True
    """
    state = (seed * 0x9E3779B97F4A7C15 + (STREAMS.index(stream) + 1) * 0xD1342543DE82EF95) % WORD
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        state = (state ^ (state >> shift)) * factor % WORD
    return state - WORD if state >= WORD // 2 else state


def filled(
    kernel: str,
    count: int,
    dtypes: Sequence[Any],
    numbers: Sequence[Any],
    device: str | None,
) -> list[Any]:
    """Return arrays filled by a kernel of `emv_kernels.cpu.generate`, or by its twin on a GPU.

    Parameters
    ----------
    kernel : str
        Its name, the same on both.
    count : int
        Entries of each array.
    dtypes : sequence of dtype
        Of each array.
    numbers : sequence
        What the kernel is told; a tuple counts as its members.
    device : str or None
        A GPU, such as ``"cuda"``, on which the arrays stay; None is the host.
    """
    return filled_parts(kernel, dtypes, [(count, numbers)], device)


def ends_of(
    kernel: str,
    num_vertices: int,
    num_edges: int,
    numbers: Sequence[Any],
    device: str | None,
    held: bool,
) -> tuple[int, Any, Any]:
    """Return the number of vertices, and the ends of edges that a kernel draws; see `filled`.

    Where they are not held, what stands for them is drawn whenever it is needed.
    """
    if held:
        dtypes = [public_dtype(num_vertices)] * 2
        src, dst = filled(kernel, num_edges, dtypes, numbers, device)
        return num_vertices, src, dst
    drawing = Drawing(kernel, num_vertices, num_edges, tuple(numbers), device or "cuda")
    return num_vertices, DrawnArray(drawing), DrawnArray(drawing)


def filled_parts(
    kernel: str,
    dtypes: Sequence[Any],
    parts: Sequence[tuple[int, Sequence[Any]]],
    device: str | None,
) -> list[Any]:
    """Return arrays filled part after part: of so many entries each, made from these numbers."""
    total = sum(count for count, _ in parts)
    if device is not None:
        return [*device_named(device).draw(kernel, dtypes, parts)]
    from emv_kernels.cpu import generate  # numba loads only to draw

    arrays = [np.empty(total, dtype) for dtype in dtypes]
    begin = 0
    for count, numbers in parts:
        part = tuple(each[begin : begin + count] for each in arrays)
        generate.fill(kernel, part, tuple(numbers), config.num_threads)
        begin += count
    return arrays


def words(seed: int, stream: str, count: int, number: int = 1) -> NDArray[np.uint64]:
    """Return 64 random bits for each of `count` indices: the n-th of their sequences.

    Examples
    --------
    >>> a, b = words(7, "kept", 1000), words(7, "kept", 1000, number=2)
    >>> bool((words(7, "kept", 10) == a[:10]).all()), bool((a == b).any())
    (True, False)
    """
    key = key_of(seed, stream)
    values: NDArray[np.uint64] = filled("words", count, [np.uint64], [key, number], None)[0]
    return values


def below(bits: NDArray[np.uint64], bound: Any) -> NDArray[np.int64]:
    """Return ``bits * bound >> 64``: numbers below a bound of at most 32 bits, or one for each.

    Examples
    --------
    >>> below(np.array([0, 2**63, 2**64 - 1], np.uint64), 10)
    array([0, 5, 9])
    """
    bound, low = np.asarray(bound, np.uint64), np.uint64(0xFFFFFFFF)
    half = np.uint64(32)
    high = (bits >> half) * bound + (((bits & low) * bound) >> half)
    drawn: NDArray[np.int64] = (high >> half).astype(np.int64)
    return drawn


def happens(bits: NDArray[np.uint64], chance: Any) -> NDArray[np.bool_]:
    """Return where something of a chance, or of one each, happens: 53 bits decide.

    Examples
    --------
    >>> happens(words(1, "kept", 4), 0.0).any(), happens(words(1, "kept", 4), 1.0).all()
    (np.False_, np.True_)
    """
    return (bits >> np.uint64(11)).astype(np.float64) < np.asarray(chance) * 2.0**53


def fractions(bits: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Return numbers in [0, 1) of 53 bits."""
    return (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53
