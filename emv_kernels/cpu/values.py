"""The vertices that have one value of a column, found by an order that is made once.

Ids are sorted by value with a count of each (Seward, 1954): values are often levels, of which there
are fewer than vertices. Values that are no possible id are looked for among all vertices.
"""

from __future__ import annotations

import numpy as np

from emv_kernels.cpu.jit import called
from emv_kernels.cpu.threads import by_threads, tell

LEAST = 2**15  # ids of a thread, at least
FIND, COUNT, PLACE = 0, 1, 2  # what threads do with their shares of the ids


@called
def index_values(column, count, first, order, num_threads):
    """Put the ids of each value ``x`` into ``order[first[x]:first[x + 1]]``, ascending.

    Values stop at the largest, often far below ``count``: ``first[count + 1]`` is how many there
    are up to it. Each thread counts the values of its share of the ids, to know where these go. It
    counts in what is left of ``first``, if there is room for all threads.
    """
    shares = max(min(num_threads, count // LEAST), 1)
    share_out(FIND, column, count, first, order, shares, 0)
    num_values = 0
    for share in range(shares):
        num_values = max(num_values, first[share])
    if shares * (num_values + 1) > count + 1:
        shares = 1
    share_out(COUNT, column, count, first, order, shares, num_values)
    total = 0
    for x in range(num_values):
        for share in range(shares):
            place = share * (num_values + 1) + x
            here = first[place]
            first[place] = total
            total += here
    share_out(PLACE, column, count, first, order, shares, num_values)
    last = (shares - 1) * (num_values + 1)  # whose places are now where the next value begins
    for x in range(num_values, 0, -1):
        first[x] = first[last + x - 1]
    first[0] = 0
    first[count + 1] = num_values


@called
def share_out(step, column, count, first, order, shares, num_values):
    """Let each thread do one step with its share of the ids."""
    if shares == 1:
        index_share(np.int64(0), step, column, count, first, order, shares, num_values)
    else:
        told = tell(step, column, count, first, order, shares, num_values)
        by_threads(shares, index_share, told)


@called
def index_share(share, step, column, count, first, order, shares, num_values):
    """Find the largest value among some ids, count their values, or put them in order."""
    low, high = count * share // shares, count * (share + 1) // shares
    row = share * (num_values + 1)
    if step == FIND:
        most = 0
        for v in range(low, high):
            x = np.int64(column[v])
            if x < count:
                most = max(most, x + 1)
        first[share] = most
    elif step == COUNT:
        for x in range(num_values):
            first[row + x] = 0
        for v in range(low, high):
            x = np.int64(column[v])
            if 0 <= x < count:
                first[row + x] += 1
    else:
        for v in range(low, high):
            x = np.int64(column[v])
            if 0 <= x < count:
                order[first[row + x]] = v
                first[row + x] += 1


@called
def take_value(column, count, first, order, value, taken):
    """Copy the ids that have a value; return how many they are."""
    num_taken = 0
    if 0 <= value < count:
        if value >= first[count + 1]:
            return 0
        for k in range(first[value], first[value + 1]):
            taken[num_taken] = order[k]
            num_taken += 1
        return num_taken
    for v in range(count):
        if column[v] == value:
            taken[num_taken] = v
            num_taken += 1
    return num_taken
