"""Repeated edges become one on a GPU: what `emv.graph.simple.simple_edges` does there."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from emv.backends.cuda.array import DeviceArray, empty, from_host
from emv.backends.cuda.device import THREADS
from emv.backends.cuda.kernels import launch
from emv.backends.cuda.sorting import (
    add_up,
    bits,
    converted,
    entry_wise,
    gathered,
    sorted_places,
)
from emv.graph.simple import FOLDS
from emv.graph.widths import index_dtype

CHUNK = 1024  # edges that a warp takes
FEW = 256  # repeats of an edge that one thread folds
OF_LANES = ("int32", "int64", "float32", "float64")  # what the lanes of a warp hand each other

Folded = tuple[DeviceArray, DeviceArray, dict[str, DeviceArray]]


def simple_on_device(
    src: DeviceArray,
    dst: DeviceArray,
    num_vertices: int,
    directed: bool,
    columns: Mapping[str, DeviceArray],
    how: str,
) -> Folded:
    """Return the edges without repeats; waits until they are there. The options are checked."""
    on, dtype = src.device, index_dtype(num_vertices)
    if src.size == 0:
        return src, dst, {name: summable(each, how) for name, each in columns.items()}
    low, high = converted(src, dtype), converted(dst, dtype)
    if not directed:
        ends, (low, high) = [low, high], (empty(on, src.size, dtype) for _ in range(2))
        entry_wise(on, "simple.order_ends", [*ends, low, high], src.size)
    lows, highs, order = sorted_by_both(low, high, num_vertices)
    del low, high
    new_low, new_high, starts = distinct(lows, highs)
    folded = {
        name: fold(summable(values, how), order, starts, how) for name, values in columns.items()
    }
    on.driver.synchronize(on.stream)
    return converted(new_low, src.dtype), converted(new_high, src.dtype), folded


def sorted_by_both(
    low: DeviceArray, high: DeviceArray, num_vertices: int
) -> tuple[DeviceArray, DeviceArray, DeviceArray]:
    """Return both ends and the ids of edges, sorted by the low ends and then by the high ones."""
    by_high, _ = sorted_places(high, num_vertices, index_dtype(low.size), keeps_keys=False)
    by_low, lows = sorted_places(gathered(low, by_high), num_vertices, by_high.dtype)
    order = gathered(by_high, by_low)
    assert lows is not None
    return lows, gathered(high, order), order


def distinct(lows: DeviceArray, highs: DeviceArray) -> tuple[DeviceArray, DeviceArray, DeviceArray]:
    """Return the ends of distinct edges, and where each one's repeats begin and end."""
    on, count = lows.device, lows.size
    num_chunks = -(-count // CHUNK)
    sums = from_host(on, np.zeros(num_chunks + 1, np.int64))
    cut = (CHUNK, num_chunks, count)
    entry_wise(on, "simple.count_distinct", [lows, highs, sums], *cut)
    add_up(sums)
    total = int(sums[num_chunks])
    low, high = empty(on, total, lows.dtype), empty(on, total, highs.dtype)
    starts = empty(on, total + 1, index_dtype(count + 1))
    entry_wise(on, "simple.write_distinct", [lows, highs, sums, low, high, starts], *cut)
    return low, high, starts


def fold(values: DeviceArray, order: DeviceArray, starts: DeviceArray, how: str) -> DeviceArray:
    """Return one value per distinct edge."""
    on, result = values.device, empty(values.device, starts.size - 1, values.dtype)
    given = [values, result]
    if how == "first" or values.dtype.kind == "b":
        given = [bits(each) for each in given]
    elif how == "sum" and values.dtype == np.uint64:  # whose sum has the same bits
        given = [each.view(0, each.size, np.dtype(np.int64)) for each in given]
    few = FEW if given[0].dtype.name in OF_LANES else values.size
    most = values.size // few + 1
    long_ones = from_host(on, np.zeros(most + 1, np.int64))
    arrays, number = [given[0], order, starts, given[1], long_ones], FOLDS.index(how)
    entry_wise(on, "simple.fold", arrays, number, few, result.size)
    if few < values.size and how != "first":
        launch(on, "simple.fold_long", arrays, (number,), blocks=-(-32 * most // THREADS))
    return result


def summable(values: DeviceArray, how: str) -> DeviceArray:
    """Return values in the type of their sum."""
    if how != "sum" or values.dtype.kind == "f":
        return values
    return converted(values, np.dtype(np.uint64 if values.dtype.kind == "u" else np.int64))
