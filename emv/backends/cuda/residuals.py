"""Values on a GPU that go on to a fixed point; see `emv_kernels.cuda.residuals`."""

from __future__ import annotations

import numpy as np

from emv.backends.cuda.array import DeviceArray, empty
from emv.backends.cuda.index_arrays import DeviceIndexArrays
from emv.backends.cuda.kernels import launch
from emv.forms import Spread
from emv_kernels.sizes import LOWER_PIECE, RESIDUAL_SUMS, SUMS

UNITS = 2.0**60  # that all values sum to
MESH_ARCS = 8  # of a vertex, in the mean, up to which few lanes walk a row side by side
LANES_OF_MESH, LANES = 2, 5  # of a row, as powers of two
BLOCKS = 4  # of a multiprocessor
NEAR_ROUNDS = 8  # in which ends of new edges push alone
MOST_ROUNDS = 512  # of a launch, which hears no signals; whoever needs more goes another way
WORDS = SUMS + 2 * RESIDUAL_SUMS


def out_arcs(rows: DeviceIndexArrays) -> tuple[DeviceArray, DeviceArray] | None:
    """Return rows by sender and where their arcs lead, in any order; None if that is not there."""
    names = ("out_other",) if rows.directed else ("out_other", "in_other")
    others = [rows.made[each] for each in names if each in rows.made]
    first = rows.made.get("out_first")
    return None if first is None or not others else (first, others[0])


def settled(
    rows: DeviceIndexArrays,
    before: DeviceIndexArrays,
    values: DeviceArray,
    near: DeviceArray,
    total: float,
    how: Spread,
) -> tuple[DeviceArray, float, int] | None:
    """Return what `emv.device.Device.settled` asks for."""
    ways, earlier = out_arcs(rows), before.made.get("out_first")
    if ways is None or earlier is None:
        return None
    on, size, whole = values.device, values.size, np.dtype(np.int64)
    unit = UNITS / total
    zeros = empty(on, WORDS, whole)
    on.driver.fill(zeros.address, b"\0", zeros.nbytes, on.stream)
    held, rest, moved = (empty(on, size, whole) for _ in range(3))
    room, made = size + rows.num_arcs // LOWER_PIECE, empty(on, size, values.dtype)
    queue = [empty(on, room, dtype) for dtype in (rows.vertex_dtype, rows.arc_dtype)]
    told = empty(on, 3, np.dtype(np.float64))
    arrays = [*ways, earlier, values, near, made, held, rest, moved, *queue, told, zeros]
    base = round(how.base * unit)
    lanes = LANES_OF_MESH if rows.num_arcs <= MESH_ARCS * size else LANES
    numbers = [size, rows.num_arcs, base, float(how.received), float(how.lost), int(how.is_shared)]
    numbers += [unit, how.bound * unit, lanes, NEAR_ROUNDS, MOST_ROUNDS]
    launch(on, "residuals.settle", arrays, numbers, blocks=BLOCKS * on.driver.num_multiprocessors)
    change, rounds, is_there = told.tolist()
    return (made, change, int(rounds)) if is_there else None
