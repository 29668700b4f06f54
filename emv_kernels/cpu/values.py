"""The vertices that have one value of a column, found by an order that is made once.

Ids are sorted by value with a count of each (Seward, 1954): values are often levels, of which there
are fewer than vertices. Values that are no possible id are looked for among all vertices.
"""

from __future__ import annotations

import numpy as np

from emv_kernels.cpu.jit import called


@called
def index_values(column, count, first, order):
    """Put the ids of each value ``x`` into ``order[first[x]:first[x + 1]]``, ascending.

    Values stop at the largest, often far below ``count``: ``first[count + 1]`` is how many there
    are up to it, and what stands in between is left as it is.
    """
    num_values = 0
    for v in range(count):
        x = column[v]
        if 0 <= x < count:
            num_values = max(num_values, np.int64(x) + 1)
    first[count + 1] = num_values
    for x in range(num_values + 1):
        first[x] = 0
    for v in range(count):
        x = column[v]
        if 0 <= x < count:
            first[x + 1] += 1
    for x in range(num_values):
        first[x + 1] += first[x]
    for v in range(count):
        x = column[v]
        if 0 <= x < count:
            order[first[x]] = v
            first[x] += 1
    for x in range(num_values, 0, -1):
        first[x] = first[x - 1]
    first[0] = 0


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
