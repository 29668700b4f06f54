"""What comes before a program's kernel and behind it, so that the host puts nothing else there.

Before: arrays get their start values, numbers or copies, and the control block comes up from the
host's memory, which a GPU reads at the host's own addresses. Behind: the control block goes back,
with the times between which the program ran; then the word is set for which the host looks. A fill
or a copy of the driver's own takes longer than most of these do, and each waits for the one before.

What is to be done are parameters of the kernel, which are there when it begins: to read them over
the bus takes a microsecond, for all blocks at one time, or a third of one for each.
"""

from __future__ import annotations

from numba import cuda, int64, uint64

from emv_kernels.cuda.atomics import fetch_max
from emv_kernels.cuda.jit import device
from emv_kernels.cuda.tracing import nanoseconds
from emv_kernels.sizes import MOST_FILLS, PER_FILL

NUM_ORDERS = PER_FILL * MOST_FILLS


@device
def around(control, began, home, table, count, up, num_fills, *fills):
    """Do what comes before a program, or where ``count`` is not negative what comes behind it.

    Parameters
    ----------
    control, home : uint64[n]
        The control block here, and at home with the host; all addresses are told from the first.
    began : int64[1]
        When the program last began.
    table : int64[AROUND_PLACES]
        With the host: whether all is done, when the program began and ended.
    count, up : int
        How many words come down, and -1 before the program; how many go up before it.
    num_fills, *fills : int
        How many arrays are filled, and of each where it begins, its words and the word; one that is
        a copy has its words below 0, and in place of the word where the other begins.
    """
    if count < 0:
        begin(control, began, home, up, num_fills, fills)
    else:
        finish(control, began, home, table, count)


@device
def begin(control, began, home, up, num_fills, fills):
    """Fill arrays and copy some, bring the control block up, and note when that is done.

    What goes up is asked for first, as the bus takes a microsecond. No loop is a ``range`` with a
    step, which is divided by to count it.
    """
    orders = cuda.shared.array(NUM_ORDERS, int64)
    me = int64(cuda.blockIdx.x) * cuda.blockDim.x + cuda.threadIdx.x
    threads = int64(cuda.gridDim.x) * cuda.blockDim.x
    first = home[me] if me < up else uint64(0)
    if cuda.threadIdx.x == 0:
        put_all(orders, fills)
    cuda.syncthreads()
    for k in range(num_fills):
        fill(control, orders, PER_FILL * k, me, threads)
    place = me
    while place < up:
        control[place] = first if place == me else home[place]
        place += threads
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        fetch_max(began, 0, nanoseconds())  # of the blocks the last


@device
def put_all(o, fills):
    """Put parameters where one may ask for any: each by its own number, else it is searched for."""
    # fmt: off
    (
        o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7], o[8], o[9], o[10], o[11],
        o[12], o[13], o[14], o[15], o[16], o[17], o[18], o[19], o[20], o[21], o[22], o[23],
        o[24], o[25], o[26], o[27], o[28], o[29], o[30], o[31], o[32], o[33], o[34], o[35],
    ) = fills
    # fmt: on


@device
def fill(control, orders, at, me, threads):
    """Fill an array, or copy it, as the orders from a place on say."""
    first, count, word = orders[at], orders[at + 1], orders[at + 2]
    place = me
    while place < count:
        control[first + place] = word
        place += threads
    while place < -count:
        control[first + place] = control[word + place]
        place += threads


@device
def finish(control, began, home, table, count):
    """Bring the control block home, and then say that all is done; one block."""
    ended, thread = nanoseconds(), cuda.threadIdx.x
    place = int64(thread)
    while place < count:
        home[place] = control[place]
        place += cuda.blockDim.x
    if thread == 0:
        table[1], table[2] = began[0], ended
    cuda.threadfence_system()
    cuda.syncthreads()
    if thread == 0:
        table[0] = 1
