"""Values on a GPU that are lowered along arcs, from new edges on; see `emv_kernels.cuda.lower`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from emv.backends.cuda.array import DeviceArray, empty, several
from emv.backends.cuda.index_arrays import DeviceIndexArrays
from emv.backends.cuda.kernels import launch
from emv.forms import Lowered
from emv_kernels.sizes import LOWER_PIECE, ROUNDS, SUMMED

MESH_ARCS = 8  # of a vertex, in the mean, up to which few arcs are looked at side by side
LANES_OF_MESH, LANES = 2, 5  # of a row, as powers of two: threads divide by them in every round
BLOCKS_OF_MESH, BLOCKS = 2, 1  # of a multiprocessor
BY_ITSELF = 64  # rounds for which a block of a mesh goes on before it meets the others
ROOM_STEP = 1 << 16  # entries by which rooms differ, so that a version's is the next one's
HALF = np.dtype(np.uint32)
NUM_QUEUES = 4  # by turns
MOST_ROUNDS = 1 << 14  # of a launch, between which Python hears signals
WORDS = SUMMED + 1


def lowered(
    rows: DeviceIndexArrays,
    ends: Sequence[DeviceArray],
    values: DeviceArray,
    far: int | float,
    lengths: Sequence[DeviceArray],
    most: float,
) -> Lowered | None:
    """Return what `emv.device.Device.lowered` asks for."""
    on, size, stream = values.device, values.size, values.device.stream
    made, each = empty(on, size, values.dtype), int(bool(lengths))
    on.driver.copy(made.address, values.address, values.nbytes, stream)
    is_mesh = rows.num_arcs <= MESH_ARCS * size
    blocks = (BLOCKS_OF_MESH if is_mesh else BLOCKS) * on.driver.num_multiprocessors
    words = 2 * (WORDS + 2 * blocks)  # words of 32 bits, of which some come back
    room = size + rows.num_arcs // LOWER_PIECE
    room += -room % ROOM_STEP
    zeros, *queue, leasts, one = several(
        on,
        (words + size, HALF),
        (2 * room, rows.vertex_dtype),
        (2 * room, rows.arc_dtype),
        (NUM_QUEUES, values.dtype),
        (1, values.dtype),
    )
    on.driver.fill(zeros.address, b"\0", zeros.nbytes, stream)
    state = zeros.view(0, WORDS, np.dtype(np.int64))
    summary = zeros.view(2 * WORDS, 2 * blocks, np.dtype(np.float64))
    reach = BY_ITSELF if is_mesh and not each else 0  # where lengths differ, to wait took longer
    if reach:
        on.driver.fill(leasts.address, values.dtype.type(far).tobytes(), leasts.size, stream)
    if not lengths:
        on.driver.fill(one.address, values.dtype.type(1).tobytes(), 1, stream)
        lengths = one, one
    by_arc, added = lengths
    others = rows.array("out_other" if each else rows.in_any_order("out_other"))
    arrays = [rows.array("out_first"), others, by_arc, made, *ends, added]
    arrays += [zeros.view(words, size, HALF), *queue, summary, leasts, state]
    how = (LANES_OF_MESH, BY_ITSELF) if is_mesh else (LANES, 0)
    told = int(not rows.directed), ends[0].size, room, *how, MOST_ROUNDS
    numbers = far, type(far)(reach), most, each, *told
    while True:
        launch(on, "lower.along_arcs", arrays, numbers, blocks=blocks)
        found = zeros.view(2 * ROUNDS, words - 2 * ROUNDS, HALF).numpy()
        rounds, *queued, num_bad, summed = found.view(np.int64)[: WORDS - ROUNDS].tolist()
        if num_bad:
            return None
        if not queued[(rounds + 1) & 3]:
            break
    by_block = found.view(np.float64)[WORDS - ROUNDS :].reshape(-1, 2)[:summed]
    least, total = float(by_block[:, 0].min()), float(by_block[:, 1].sum())
    return Lowered(made, rounds, least, total)
