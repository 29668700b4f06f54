"""Queues that many threads append to, and the sharing out of work in blocks.

A thread collects ids in a row of its own and copies them to the queue when the row is full, so that
the queue's length is touched once per row (GAP's ``QueueBuffer``, Beamer et al., 2015).
Work is taken in numbered blocks from a shared counter, which balances threads of unequal speed.
"""

from __future__ import annotations

import numpy as np

from emv_kernels.cpu.atomics import fetch_add, take_flag
from emv_kernels.cpu.jit import called, inlined, stay_apart
from emv_kernels.cpu.signals import NO_BLOCK, is_left
from emv_kernels.sizes import ROW

BACK = 2**32  # what a block from the back adds to the counter of blocks
SIFTS = 2**14 - 1  # of a heapsort between two looks at the signals


@inlined
def flush(queue, state, length, row, count):
    """Append the ``count`` ids of a thread's row to the queue; ``state[length]`` is its length.

    What does not fit is left out: then the length says so.
    """
    if count > 0:
        start = np.uint64(fetch_add(state, length, count))
        if start + np.uint64(count) > np.uint64(len(queue)):
            return
        for k in range(np.uint64(count)):
            queue[start + k] = row[k]


@inlined
def append(queue, state, length, row, count, value):
    """Put an id into a thread's row; return the row's new count."""
    row[np.uint64(count)] = value
    count += 1
    if count == ROW:
        flush(queue, state, length, row, count)
        return 0
    return count


@inlined
def append_new(shared, flags, queue, state, length, row, count, value):
    """Put an id into a thread's row unless its flag is set, and set it; return the new count.

    One thread alone writes in any case, and counts what is new: whether a vertex was met before, a
    processor guesses wrong every other time.
    """
    if shared:
        if take_flag(shared, flags, value):
            return append(queue, state, length, row, count, value)
        return count
    is_new = flags[value] == 0
    flags[value] = 1
    row[np.uint64(count)] = value
    count += np.int64(is_new)
    if count == ROW:
        flush(queue, state, length, row, count)
        return 0
    return count


@called
def leave_row(shared, queue, state, length, row, count):
    """Append a thread's row, or leave it to `gather_rows` if others have theirs."""
    stay_apart()
    if shared:
        row[ROW] = count
    else:
        flush(queue, state, length, row, count)


@called
def gather_rows(queue, state, length, rows, num_threads):
    """Append the rows that threads have left, from the first thread's to the last one's."""
    for thread in range(num_threads):
        flush(queue, state, length, rows[thread], np.int64(rows[thread][ROW]))


@inlined
def next_block(thread, shared, state, cursor, num_blocks):
    """Take the number of the next block of work, or one behind the last.

    Every other thread takes blocks from the last one on. What was appended by the first thread
    stands in front, so whoever found a vertex mostly goes on with it, and its data stay in the
    caches of one core. The counter counts both ends, the back in its upper half.
    """
    if is_left(thread, state):
        return NO_BLOCK
    if shared:
        from_back = thread & 1
        taken = fetch_add(state, cursor, BACK if from_back else 1)
        front, back = taken & (BACK - 1), taken >> 32
        if front + back >= num_blocks:
            return num_blocks
        return num_blocks - 1 - back if from_back else front
    taken = state[cursor]
    state[cursor] = taken + 1
    return taken


@inlined
def row_of(first, arc, low, high):
    """Return the row that holds a position: the last ``v`` with ``first[v] <= arc``."""
    while high - low > 1:
        middle = (low + high) // 2
        if first[middle] <= arc:
            low = middle
        else:
            high = middle
    return low


@inlined
def clear_flags(flags, queue, count):
    """Set the flags of the queued ids to zero."""
    for k in range(count):
        flags[queue[k]] = 0


@inlined
def checked(index, count, state, bad):
    """Return an id that a user computed, or 0 with the mistake noted in ``state[bad]``."""
    if index < 0 or index >= count:
        state[bad] = 1
        state[bad + 1] = index
        return 0
    return index


@called
def measure(queue, count, first, offsets, starts):
    """Lay the arcs of queued vertices end to end; return how many there are.

    The arcs of entry ``k`` are numbers ``offsets[k]`` to ``offsets[k + 1]``; the first of them is
    arc ``starts[k]``.
    """
    total = 0
    for k in range(np.uint64(count)):
        offsets[k] = total
        vertex = queue[k]
        start = np.int64(first[vertex])
        starts[k] = start
        total += np.int64(first[np.uint64(vertex) + np.uint64(1)]) - start
    offsets[np.uint64(count)] = total
    return total


@called
def measure_copies(queue, count, first, offsets, starts, shift):
    """Lay the arcs of queued copies of vertices end to end; return how many there are.

    An id, shifted right, is that of the vertex; see `measure`.
    """
    total = 0
    for k in range(np.uint64(count)):
        offsets[k] = total
        vertex = np.uint64(queue[k]) >> shift
        start = np.int64(first[vertex])
        starts[k] = start
        total += np.int64(first[vertex + np.uint64(1)]) - start
    offsets[np.uint64(count)] = total
    return total


@called
def count_arcs(queue, count, first, shift):
    """Return how many arcs queued vertices have; an id, shifted right, is that of the vertex."""
    total = 0
    for k in range(np.uint64(count)):
        vertex = np.uint64(queue[k]) >> np.uint64(shift)
        total += np.int64(first[vertex + np.uint64(1)]) - np.int64(first[vertex])
    return total


@called
def take_below(queue, values, limit):
    """Make a queue of all vertices whose value is below a limit; return how many there are."""
    count = 0
    for vertex in range(len(values)):
        if values[vertex] < limit:
            queue[count] = vertex
            count += 1
    return count


@inlined
def turn(state, stale, flipped, num_active, num_pending, queue, flags, flagged):
    """Make the pending set the active one: note that the queues change places, and clear flags.

    ``queue`` holds the pending ids. The caller exchanges the two arrays.
    """
    state[stale] = 0
    state[flipped] = 1 - state[flipped]
    count = state[num_pending]
    state[num_active] = count
    state[num_pending] = 0
    if flagged:
        for k in range(count):
            flags[queue[k]] = 0


@called
def sort_ids(queue, count, state):
    """Sort the first ``count`` ids of a queue in place: a heapsort, which needs no memory.

    The calling thread sorts alone, and leaves it where the launch is left.
    """
    for begin in range(count // 2 - 1, -1, -1):
        if begin & SIFTS == 0 and is_left(0, state):
            return
        _sift(queue, begin, count)
    for end in range(count - 1, 0, -1):
        if end & SIFTS == 0 and is_left(0, state):
            return
        queue[0], queue[end] = queue[end], queue[0]
        _sift(queue, 0, end)


@called
def _sift(heap, parent, count):
    """Let an entry sink until no child is larger."""
    while 2 * parent + 1 < count:
        child = 2 * parent + 1
        if child + 1 < count and heap[child] < heap[child + 1]:
            child += 1
        if heap[child] <= heap[parent]:
            return
        heap[parent], heap[child] = heap[child], heap[parent]
        parent = child


@called
def settle_into(mask, wishes):
    """Make wishes the entries of a mask: 0 and 1 as they are, 2 is taken out and 3 put in."""
    for k in range(np.uint64(len(wishes))):
        mask[k] = wishes[k] & 1


@called
def turn_flags(state, stale, num_active, active, pending):
    """Make the pending set the active one, where sets are kept as flags."""
    state[stale] = 0
    count = 0
    for k in range(np.uint64(len(pending))):
        count += pending[k]
        active[k] = pending[k]
        pending[k] = 0
    state[num_active] = count


@called
def copy_into(target, source):
    """Copy an array; a slice assignment would need numba's memory manager."""
    for k in range(np.uint64(len(source))):
        target[k] = source[k]
