"""Make a graph simple: of edges that join the same vertices keep one, and fold their columns.

numpy sorts words of both ends and the edge's number, so that repeats stand side by side in the
order in which they were added. More edges are put into rows by the compiled twins in
`emv_kernels.cpu.simple`, which tell apart those of a row. Both fold in the order of the edges, so
that sums have the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from emv.config import config
from emv.device import device_of
from emv.errors import ArgumentError, ColumnError, did_you_mean
from emv.graph.build import ByNumpy, is_compiled
from emv.graph.on_device import lies_on_device
from emv.graph.widths import index_dtype, with_dtype
from emv_kernels.aside import leavable

FOLDS = ("first", "min", "sum")
"""What may become of a column's values on edges that are one."""

Folded = tuple[NDArray[Any], NDArray[Any], dict[str, NDArray[Any]]]


def simple_edges(
    src: NDArray[Any],
    dst: NDArray[Any],
    num_vertices: int,
    directed: bool,
    columns: Mapping[str, NDArray[Any]],
    how: str = "first",
) -> Folded:
    """Return the edges without repeats, sorted by src and then dst, and their columns.

    Loops are kept, once each. The order of the result lets a directed graph of it share the
    storage of the ends: nothing has to be sorted again.

    Parameters
    ----------
    src, dst : int32|int64|uint32|uint64[num_edges]
        The ends, all in ``range(num_vertices)``; not checked. Where they are arrays of emv on a
        GPU, with columns there too, so is all that is returned.
    num_vertices : int
        Vertices of the graph.
    directed : bool
        Whether ``(0, 1)`` and ``(1, 0)`` differ. If not, every edge comes back as
        ``src <= dst``.
    columns : mapping of str to any[num_edges]
        The columns of the edges.
    how : {"first", "min", "sum"}
        What becomes of the values of edges that are one: the first in the order of the edges, the
        least (nan if one of them is), or the sum, added in that order; sums of whole numbers have
        64 bits.

    Returns
    -------
    src, dst : int[num_simple]
        In the dtype of `src`.
    columns : dict
        ``any[num_simple]`` by name, in the dtypes they had but for sums of whole numbers.

    Raises
    ------
    ArgumentError
        If `how` is none of the three.
    ColumnError
        If truth values are to be summed, or a sum of whole numbers does not fit 64 bits; sums on
        a GPU are not looked at.

    Examples
    --------
    >>> src, dst = np.array([1, 0, 1, 1]), np.array([0, 1, 0, 2])
    >>> simple_edges(src, dst, 3, True, {"weight": np.array([5, 6, 2, 9])}, "min")
    (array([0, 1, 1]), array([1, 0, 2]), {'weight': array([6, 2, 9])})
    >>> simple_edges(src, dst, 3, False, {"weight": np.array([5, 6, 2, 9])}, "sum")
    (array([0, 1]), array([1, 2]), {'weight': array([13,  9])})
    """
    check_fold(how, columns)
    if lies_on_device(src):
        found: Folded = _on_device(src, dst, num_vertices, directed, columns, how)
        return found
    folded: Folded = leavable(
        lambda: _simple_on_host(src, dst, num_vertices, directed, columns, how), len(src)
    )
    return folded


def _simple_on_host(
    src: NDArray[Any],
    dst: NDArray[Any],
    num_vertices: int,
    directed: bool,
    columns: Mapping[str, NDArray[Any]],
    how: str,
) -> Folded:
    """Return what `simple_edges` does of arrays on the host."""
    dtype = index_dtype(num_vertices)
    low, high = with_dtype(src, dtype), with_dtype(dst, dtype)
    if not directed:
        low, high = np.minimum(low, high), np.maximum(low, high)
    found = _told_apart(low, high, num_vertices)
    folded = {}
    for name, values in columns.items():
        ready = _summable(values, how)
        if how == "sum":
            repeats = len(low) - len(found.lows) + 1  # of one edge, at most
            wrong = _overflowing(ready, repeats, lambda each: found.folded(each, how))
            if wrong is not None:
                _refuse_sum(name, ready.dtype, int(found.lows[wrong]), int(found.highs[wrong]))
        folded[name] = found.folded(ready, how)
    return with_dtype(found.lows, src.dtype), with_dtype(found.highs, src.dtype), folded


def _on_device(src: Any, *rest: Any) -> Any:
    """Return what `simple_edges` does of arrays on a GPU."""
    return device_of(src).simplify(src, *rest)


def check_fold(how: str, columns: Mapping[str, NDArray[Any]]) -> None:
    """Refuse what `simple_edges` cannot do with columns."""
    if how not in FOLDS:
        raise ArgumentError(
            f"repeated edges can be folded by {', '.join(FOLDS)}, not by {how!r}."
            + did_you_mean(str(how), FOLDS)
        )
    for name, values in columns.items():
        if how == "sum" and values.dtype.kind == "b":
            raise ColumnError(
                f"column '{name}' holds truth values, which have no sum",
                remedy="fold it by 'first' or 'min' (all of them true), or make it a number",
            )


def _overflowing(
    values: NDArray[Any], repeats: int, fold: Callable[[NDArray[Any]], NDArray[Any]]
) -> int | None:
    """Return the first distinct edge whose sum does not fit, None if all do.

    Sums that may not fit are made anew of the upper and the lower halves of the values.
    """
    if values.dtype.kind == "f" or len(values) == 0:
        return None
    least, most = int(np.iinfo(values.dtype).min), int(np.iinfo(values.dtype).max)
    if repeats * int(values.min()) >= least and repeats * int(values.max()) <= most:
        return None
    upper = fold(values >> 32) + (fold(values & 0xFFFFFFFF) >> 32)
    is_wrong = (upper < least >> 32) | (upper > most >> 32)
    return int(np.argmax(is_wrong)) if is_wrong.any() else None


def _refuse_sum(name: str, dtype: np.dtype[Any], low: int, high: int) -> NoReturn:
    raise ColumnError(
        f"the sum of column '{name}' over the edges from {low} to {high} does not fit {dtype}",
        remedy=f"make floats of it first, g.edges.{name} = g.edges.{name}.astype(float)",
    )


class Sorted(NamedTuple):
    """The different edges, sorted by both ends, and their repeats; `Distinct` is its twin.

    Attributes
    ----------
    lows, highs : uint32|uint64[num_distinct]
        Their ends.
    order : int64[num_edges]
        The edges sorted by both ends, repeats in order.
    is_new : bool[num_edges]
        Whether each of these is no repeat of the one before.
    """

    lows: NDArray[Any]
    highs: NDArray[Any]
    order: NDArray[np.int64]
    is_new: NDArray[np.bool_]

    def folded(self, values: NDArray[Any], how: str) -> NDArray[Any]:
        """Return one value per different edge."""
        ordered = values[self.order]
        result: NDArray[Any] = ordered[self.is_new]
        if how == "sum":  # one after the other, as `reduceat` does not
            repeated = np.flatnonzero(~self.is_new)
            group = np.cumsum(self.is_new)[repeated] - 1
            np.add.at(result, group, ordered[repeated])
        elif how == "min" and len(result):
            result = np.minimum.reduceat(ordered, np.flatnonzero(self.is_new))
        return result


def _told_apart(low: NDArray[Any], high: NDArray[Any], num_vertices: int) -> Any:
    """Return the different ones among edges, ends of one unsigned type, that fold columns."""
    if is_compiled(len(low)):
        from emv_kernels.cpu.simple import told_apart

        dtype = index_dtype(len(low))
        return told_apart(low, high, num_vertices, dtype, config.num_threads)
    order = _order_by_both(low, high, num_vertices)
    lows, highs = low[order], high[order]
    is_new = np.ones(len(order), np.bool_)
    is_new[1:] = (lows[1:] != lows[:-1]) | (highs[1:] != highs[:-1])
    return Sorted(lows[is_new], highs[is_new], order, is_new)


def _order_by_both(low: NDArray[Any], high: NDArray[Any], num_vertices: int) -> NDArray[np.int64]:
    """Return the edges sorted by both ends, repeats in order; where that fits as one word each."""
    ByNumpy.entries += len(low)
    bits, own_bits = num_vertices.bit_length(), len(low).bit_length()
    if 2 * bits + own_bits > 64:
        return np.lexsort((high, low))
    words = low.astype(np.uint64)
    words <<= np.uint64(bits)
    words |= high
    words <<= np.uint64(own_bits)
    words |= np.arange(len(low), dtype=np.uint64)
    words.sort()
    words &= np.uint64(2**own_bits - 1)
    return words.view(np.int64)


def _summable(values: NDArray[Any], how: str) -> NDArray[Any]:
    """Return values in the type of their sum."""
    if how != "sum" or values.dtype.kind == "f":
        return values
    return values.astype(np.uint64 if values.dtype.kind == "u" else np.int64, copy=False)
