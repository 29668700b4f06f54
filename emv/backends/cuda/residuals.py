"""Values on a GPU that go on to a fixed point; see `emv_kernels.cuda.residuals`."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from emv.backends.cuda.array import DeviceArray, empty
from emv.backends.cuda.index_arrays import DeviceIndexArrays
from emv.backends.cuda.kernels import launch
from emv.backends.cuda.marks import flagged
from emv.forms import Spread
from emv_kernels.sizes import LOWER_PIECE, RESIDUAL_SUMS, SUMS

UNITS = 2.0**60  # that all values sum to
MESH_ARCS = 8  # of a vertex, in the mean, up to which few lanes walk a row side by side
LANES_OF_MESH, LANES = 2, 5  # of a row, as powers of two
BLOCKS = 4  # of a multiprocessor
NEAR_ROUNDS = 8  # in which ends of new edges push alone; on a mesh none do
MOST_ROUNDS = 512  # of a launch, which hears no signals; whoever needs more goes another way
WORDS = SUMS + 4 * RESIDUAL_SUMS


def arcs_of(rows: DeviceIndexArrays) -> tuple[DeviceArray, ...] | None:
    """Return rows by sender and by receiver, with where arcs lead and begin; None if not there."""
    made = rows.made
    if not rows.directed:  # both are the same, but for the order within a row
        found = (made.get("out_first"), made.get(rows.in_any_order("out_other"))) * 2
    else:
        names = ("out_first", "out_other", "in_first", "in_other")
        found = tuple(made.get(each) for each in names)
    there = tuple(each for each in found if each is not None)
    return there if len(there) == len(found) else None


def _taken_times(rows: DeviceIndexArrays, factor: float) -> float:
    """Return what residuals are taken times, by Frankel: 1 where edges lead one way."""
    return 1.0 if rows.directed else 2.0 / (1.0 + math.sqrt(max(0.0, 1.0 - factor * factor)))


def settled(
    rows: DeviceIndexArrays,
    before: DeviceIndexArrays,
    values: DeviceArray,
    ends: Sequence[DeviceArray],
    total: float,
    how: Spread,
) -> tuple[DeviceArray, float, int] | None:
    """Return what `emv.device.Device.settled` asks for."""
    ways, earlier = arcs_of(rows), before.made.get("out_first")
    if ways is None or earlier is None:
        return None
    on, size, whole = values.device, values.size, np.dtype(np.int64)
    unit, is_mesh = UNITS / total, rows.num_arcs <= MESH_ARCS * size
    zeros = empty(on, WORDS + 2 * size * is_mesh, whole)
    on.driver.fill(zeros.address, b"\0", zeros.nbytes, on.stream)
    numbers_of = [empty(on, size, whole) for _ in range(3)]
    room, made = size + rows.num_arcs // LOWER_PIECE, empty(on, size, values.dtype)
    dtypes = (2 - is_mesh) * (rows.vertex_dtype, rows.arc_dtype)
    queues = [empty(on, room, dtype) for dtype in dtypes]
    told, given = empty(on, 3, np.dtype(np.float64)), empty(on, size, values.dtype)
    numbers = [size, rows.num_arcs, round(how.base * unit), float(how.received), float(how.lost)]
    numbers += [unit, how.bound * unit]
    if is_mesh:
        kernel, arrays = "residual_sweeps.settle", [*numbers_of, zeros[WORDS:], given]
        numbers += [_taken_times(rows, how.received), LANES_OF_MESH, MOST_ROUNDS]
        begin = [*ways, earlier, values, made]
    else:
        kernel, arrays = "residuals.settle", [*numbers_of, given]
        numbers += [LANES, NEAR_ROUNDS, MOST_ROUNDS]
        begin = [*ways, earlier, values, flagged(on, size, ends), made]
    blocks = BLOCKS * on.driver.num_multiprocessors
    launch(on, kernel, [*begin, *arrays, *queues, told, zeros], numbers, blocks=blocks)
    change, rounds, is_there = told.tolist()
    return (made, change, int(rounds)) if is_there else None
