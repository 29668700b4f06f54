"""Values on a GPU that are lowered along arcs, from new edges on; see `emv_kernels.cuda.lower`.

Often that takes less than Python needs to ask for it. So what goes before it is on the stream
before its parameters are known, it is one launch, and the host hears of its end without a copy.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from emv.backends.cuda.array import DeviceArray, empty, from_host
from emv.backends.cuda.device import Device
from emv.backends.cuda.index_arrays import DeviceIndexArrays
from emv.backends.cuda.kernels import Ready
from emv.backends.cuda.pool import Memory
from emv.backends.cuda.prepared import Laid, Step, prepared
from emv.backends.cuda.telling import LONG, TELL, Call
from emv.forms import Lowered
from emv_kernels.sizes import ENDS, IS_BAD, IS_LEFT, LOWER_PIECE, LOWER_WORDS

MESH_ARCS = 8  # of a vertex, in the mean, up to which few arcs are looked at side by side
LANES_OF_MESH, LANES = 2, 5  # of a row, as powers of two: threads divide by them in every round
BLOCKS_OF_MESH, BLOCKS = 2, 1  # of a multiprocessor
BY_ITSELF = 192, 64  # rounds for which a block of a mesh goes on alone: by arcs, or by lengths
REACHES = 128, 64  # arcs above the least in the queue up to which a vertex of a mesh goes on
ROOM_STEP = 1 << 16  # entries by which rooms differ, so that a version's is the next one's
HALF, DOUBLE = np.dtype(np.uint32), np.dtype(np.float64)
NUM_QUEUES = 4  # by turns
MOST_ROUNDS = 1 << 14  # of a launch, between which Python hears signals
NUMBERS = 11  # of `emv_kernels.cuda.lower.along_arcs`; these are floats, or whole as values are
FAR, REACH, MOST = 1, 2, 3
SEEN = LONG.itemsize  # where it puts what it saw of lengths, behind the first fact
Dtypes = tuple[np.dtype[Any], ...]


@functools.lru_cache(maxsize=64)
def laid_for(size: int, room: int, blocks: int, dtypes: Dtypes) -> Laid:
    """Return how a block is laid out: what begins as zeros, then the queues, and what blocks sum.

    Parameters
    ----------
    dtypes : dtypes
        Of values, vertices and arcs.
    """
    values, vertex, arc = dtypes
    zeros = (LOWER_WORDS, LONG), (NUM_QUEUES, values), (size, HALF)
    return Laid(*zeros, (2 * room, vertex), (2 * room, arc), (2 * blocks, DOUBLE))


def planned(on: Device, kind: tuple[Any, ...]) -> Ready:
    """Return the launch for arrays of some types, which is kept; see `lowered` of these."""
    _, values, arc, vertex, src, dst, by_arc, added = kind
    given = arc, vertex, by_arc, values, src, dst, added
    own = HALF, vertex, arc, DOUBLE, values, LONG, LONG, LONG, DOUBLE
    floats = (FAR, REACH, MOST) if values.kind == "f" else (MOST,)
    step = Step("lower.along_arcs", (*given, *own), NUMBERS, floats)
    ready = on.ready[kind] = prepared(on, step, TELL)
    return ready


def one_of(on: Device, dtype: np.dtype[Any]) -> DeviceArray:
    """Return a number on a device that is 1, which is kept."""
    key = "one", dtype
    if key not in on.ready:
        on.ready[key] = from_host(on, np.ones(1, dtype))
    one: DeviceArray = on.ready[key]
    return one


class Lowering:
    """Values that are being lowered, on the stream when this is made.

    Parameters
    ----------
    made : DeviceArray
        What comes of them.
    memory : Memory
        The block that the kernel works in.
    arrays, numbers : tuples
        What the kernel is given, but for what each launch has of its own.
    """

    __slots__ = ("_arrays", "_blocks", "_call", "_made", "_memory", "_numbers", "_ready")

    def __init__(  # noqa: PLR0913 - what a launch has
        self,
        call: Call,
        ready: Ready,
        blocks: int,
        made: DeviceArray,
        memory: Memory,
        arrays: tuple[int, ...],
        numbers: tuple[int | float, ...],
    ) -> None:
        self._ready, self._blocks, self._made, self._memory = ready, blocks, made, memory
        self._arrays, self._numbers = arrays, numbers
        self._launch(call, 0)

    def _launch(self, call: Call, rounds: int) -> None:
        """Put a launch on the stream, behind so many rounds."""
        room, on, self._call = call.room, self._made.device, call
        own = room.state, room.facts, room.facts + SEEN, *call.arrays()
        values = (*self._arrays, *own, rounds, *self._numbers, *call.numbers)
        self._ready.start(on, values, self._blocks, call.stream, True)
        call.is_launched()

    def __call__(self) -> Lowered | None:
        """Return what was found, None if a length is bad; waits for it."""
        on = self._made.device
        with on.current():
            ended, *lengths = self._call.hear()
            while ended % ENDS == IS_LEFT:
                self._launch(Call(on), ended // ENDS)
                ended, *lengths = self._call.hear()
        least, total = struct.unpack("=2d", struct.pack("=2q", *lengths))
        return None if ended % ENDS == IS_BAD else Lowered(self._made, ended // ENDS, least, total)


def lowered(
    rows: DeviceIndexArrays,
    ends: Sequence[DeviceArray],
    values: DeviceArray,
    far: int | float,
    lengths: Sequence[DeviceArray],
    most: float,
) -> Lowering:
    """Return what `emv.device.Device.lowered` asks for."""
    on, size, dtype, call = values.device, values.size, values.dtype, Call(values.device)
    is_mesh, each = rows.num_arcs <= MESH_ARCS * size, int(bool(lengths))
    blocks = (BLOCKS_OF_MESH if is_mesh else BLOCKS) * on.driver.num_multiprocessors
    room = size + rows.num_arcs // LOWER_PIECE
    room += -room % ROOM_STEP
    laid = laid_for(size, room, blocks, (dtype, rows.vertex_dtype, rows.arc_dtype))
    memory, own = on.pool.taken(laid.nbytes, call.place), empty(on, size, dtype)
    counts, lows, stamps, *queue, summary = laid.at(memory.address)
    on.driver.fill(counts, b"\0", stamps - counts + size * HALF.itemsize, call.stream)
    if size:
        on.driver.copy(own.address, values.address, values.nbytes, call.stream)
    (src, dst), (by_arc, added) = ends, lengths or (one_of(on, dtype),) * 2
    first = rows.array("out_first")
    other = rows.array("out_other" if each else rows.in_any_order("out_other"))
    kind = "lower", dtype, first.dtype, other.dtype, src.dtype, dst.dtype, by_arc.dtype, added.dtype
    ready = on.ready.get(kind) or planned(on, kind)
    waits = is_mesh and isinstance(far, int)  # of floats `far` is infinite, and all as far below it
    reach = REACHES[each] if waits else 0
    how = (LANES_OF_MESH, BY_ITSELF[each]) if is_mesh else (LANES, 0)
    arrays = (
        *(first.address, other.address, by_arc.address, own.address, src.address, dst.address),
        *(added.address, stamps, *queue, summary, lows, counts),
    )
    told = far, type(far)(reach), most, each, int(not rows.directed), src.size, room, *how
    return Lowering(call, ready, blocks, own, memory, arrays, (*told, MOST_ROUNDS))
