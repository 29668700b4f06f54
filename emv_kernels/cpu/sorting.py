"""Keys in ascending order, on CPU cores: a quicksort in three parts, since many keys are equal.

Dijkstra's partition puts the keys equal to the pivot in the middle, where they stay, so a stretch
of few different keys takes few passes (Sedgewick and Bentley, Quicksort is optimal, 2002). A
stretch that has been halved too often is sorted as a heap.
"""

from __future__ import annotations

from numba import njit

FEW = 24  # keys that are inserted one by one
DEEPEST = 64  # partitions in a row before a heap takes over


@njit(error_model="numpy", _nrt=False, no_cfunc_wrapper=True)
def sort_keys(keys, begin, end):
    """Sort ``keys[begin:end]``."""
    place = begin + 1
    while place < end and keys[place - 1] <= keys[place]:
        place += 1
    if place < end:
        _part(keys, begin, end, DEEPEST)


@njit(error_model="numpy", _nrt=False, no_cfunc_wrapper=True)
def _part(keys, begin, end, depth):
    """Sort a stretch: its smaller part by a call, its larger part in the same loop."""
    while end - begin > FEW:
        if depth == 0:
            _heap(keys, begin, end)
            return
        depth -= 1
        pivot = _median(keys[begin], keys[(begin + end) // 2], keys[end - 1])
        low, place, high = begin, begin, end
        while place < high:
            key = keys[place]
            if key < pivot:
                keys[place] = keys[low]
                keys[low] = key
                low += 1
                place += 1
            elif key > pivot:
                high -= 1
                keys[place] = keys[high]
                keys[high] = key
            else:
                place += 1
        if low - begin < end - high:
            _part(keys, begin, low, depth)
            begin = high
        else:
            _part(keys, high, end, depth)
            end = low
    for place in range(begin + 1, end):
        key = keys[place]
        free = place
        while free > begin and keys[free - 1] > key:
            keys[free] = keys[free - 1]
            free -= 1
        keys[free] = key


@njit(error_model="numpy", forceinline=True, _nrt=False, no_cfunc_wrapper=True)
def _median(one, two, three):
    """Return the middle one of three keys."""
    return max(min(one, two), min(max(one, two), three))


@njit(error_model="numpy", _nrt=False, no_cfunc_wrapper=True)
def _heap(keys, begin, end):
    """Sort a stretch by a heap."""
    count = end - begin
    for parent in range(count // 2 - 1, -1, -1):
        _sift(keys, begin, parent, count)
    for last in range(count - 1, 0, -1):
        key = keys[begin + last]
        keys[begin + last] = keys[begin]
        keys[begin] = key
        _sift(keys, begin, 0, last)


@njit(error_model="numpy", _nrt=False, no_cfunc_wrapper=True)
def _sift(keys, begin, parent, count):
    """Let a key sink until no child is larger."""
    key = keys[begin + parent]
    while 2 * parent + 1 < count:
        child = 2 * parent + 1
        if child + 1 < count and keys[begin + child] < keys[begin + child + 1]:
            child += 1
        if keys[begin + child] <= key:
            break
        keys[begin + parent] = keys[begin + child]
        parent = child
    keys[begin + parent] = key
