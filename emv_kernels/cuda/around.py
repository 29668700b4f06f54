"""What comes before a program's kernel and behind it, so that the host puts nothing else there.

Before: arrays get their start values, numbers or copies, and the control block comes up from the
host's memory, which a GPU reads at the host's own addresses. Behind: the control block goes back,
with the times between which the program ran; then the word is set for which the host looks. A fill
or a copy of the driver's own takes longer than most of these do, and each waits for the one before.

What is to be done comes over the bus once, for the first block, which hands it to the others: where
each block read it there, each took a third of a microsecond, one after another.
"""

from __future__ import annotations

from numba import cuda, int64, uint64

from emv_kernels.cuda.atomics import fetch_max
from emv_kernels.cuda.grid import load_acquire, load_now, store_release
from emv_kernels.cuda.jit import device
from emv_kernels.cuda.tracing import nanoseconds
from emv_kernels.sizes import AROUND_FILLS, AROUND_GIVEN, AROUND_HANDED, AROUND_PLACES

AROUND_ORDERS = AROUND_PLACES - AROUND_GIVEN  # words of the table that the host writes
ARE_HERE, HANDED = 1, AROUND_HANDED - AROUND_ORDERS  # behind the time at which a program began


@device
def around(control, began, home, table, count):
    """Do what comes before a program, or where ``count`` is not negative what comes behind it.

    Parameters
    ----------
    control, home : uint64[n]
        The control block here, and at home with the host; all addresses are told from the first.
    began : int64[AROUND_HANDED]
        When the program last began; whether the first block has handed on what is to be done, which
        begins and ends as 0; and that.
    table : int64[n]
        With the host: whether all is done, when the program began and ended; then how many words
        go up, how many arrays are filled, and of each where it begins, its words and the word; one
        that is a copy has its words below 0, and in place of the word where the other begins.
    count : int
        How many words come down, 0 or more; before the program -1 less as many, which surely go up.
    """
    if count < 0:
        begin(control, began, home, table, -1 - count)
    else:
        finish(control, began, home, table, count)


@device
def begin(control, began, home, table, surely):
    """Fill arrays and copy some, bring the control block up, and note when that is done.

    What surely goes up is asked for while the orders are on their way: the bus takes a microsecond.
    """
    orders = cuda.shared.array(AROUND_ORDERS, int64)
    thread = cuda.threadIdx.x
    me = int64(cuda.blockIdx.x) * cuda.blockDim.x + thread
    threads = int64(cuda.gridDim.x) * cuda.blockDim.x
    first = home[me] if me < surely else uint64(0)
    take_orders(orders, began, table)
    if me < surely:
        control[me] = first
    cuda.syncthreads()
    for place in range(me if me >= surely else me + threads, orders[0], threads):
        control[place] = home[place]
    fill(control, orders, me, threads)
    cuda.syncthreads()
    if thread == 0:
        fetch_max(began, 0, nanoseconds())  # of the blocks the last


@device
def fill(control, orders, me, threads):
    """Fill arrays, and copy those of which orders say so."""
    for k in range(orders[1]):
        first = orders[AROUND_FILLS + 3 * k]
        count = orders[AROUND_FILLS + 3 * k + 1]
        word = orders[AROUND_FILLS + 3 * k + 2]
        for place in range(first + me, first + count, threads):
            control[place] = word
        for place in range(me, -count, threads):
            control[first + place] = control[word + place]


@device
def take_orders(orders, began, table):
    """Read what is to be done, the first block over the bus and the others as it hands that on."""
    thread = cuda.threadIdx.x
    if cuda.blockIdx.x == 0:
        for place in range(thread, AROUND_ORDERS, cuda.blockDim.x):
            orders[place] = table[AROUND_GIVEN + place]
            began[HANDED + place] = orders[place]
        cuda.syncthreads()
        if thread == 0:
            cuda.threadfence()
            store_release(began, ARE_HERE, 1)
    else:
        while thread == 0 and load_acquire(began, ARE_HERE) == 0:
            pass
        cuda.syncthreads()
        for place in range(thread, AROUND_ORDERS, cuda.blockDim.x):
            orders[place] = load_now(began, HANDED + place)


@device
def finish(control, began, home, table, count):
    """Bring the control block home, and then say that all is done; one block."""
    ended, thread = nanoseconds(), cuda.threadIdx.x
    for place in range(thread, count, cuda.blockDim.x):
        home[place] = control[place]
    if thread == 0:
        table[1], table[2] = began[0], ended
        began[ARE_HERE] = 0
    cuda.threadfence_system()
    cuda.syncthreads()
    if thread == 0:
        table[0] = 1
