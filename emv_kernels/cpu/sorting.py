"""Keys in ascending order, on CPU cores: short stretches by insertion, which are then merged.

Merging goes to and fro between the keys and an array of the same length, in sequence, so that no
memory is taken and no function calls itself, which numba cannot load from its cache (Knuth, vol. 3,
algorithm 5.2.4S).
"""

from __future__ import annotations

from emv_kernels.cpu.jit import called

FEW = 16  # keys that are inserted one by one


@called
def sort_keys(keys, spare, begin, end):
    """Sort ``keys[begin:end]``; what ``spare[begin:end]`` holds is lost."""
    place = begin + 1
    while place < end and keys[place - 1] <= keys[place]:
        place += 1
    if place >= end:
        return
    for low in range(begin, end, FEW):
        _insert(keys, low, min(low + FEW, end))
    size = FEW
    while size < end - begin:
        for low in range(begin, end, 2 * size):
            _merge(keys, spare, low, min(low + size, end), min(low + 2 * size, end))
        size *= 2
        if size >= end - begin:
            for place in range(begin, end):
                keys[place] = spare[place]
            return
        for low in range(begin, end, 2 * size):
            _merge(spare, keys, low, min(low + size, end), min(low + 2 * size, end))
        size *= 2


@called
def _insert(keys, begin, end):
    """Sort a short stretch."""
    for place in range(begin + 1, end):
        key = keys[place]
        free = place
        while free > begin and keys[free - 1] > key:
            keys[free] = keys[free - 1]
            free -= 1
        keys[free] = key


@called
def _merge(source, target, begin, middle, end):
    """Merge two sorted stretches that stand side by side into another array."""
    left, right, place = begin, middle, begin
    while left < middle and right < end:
        one, other = source[left], source[right]
        is_left = one <= other  # which one cannot be foreseen: no branch
        target[place] = one if is_left else other
        left += is_left
        right += not is_left
        place += 1
    for rest in range(left, middle):
        target[place + rest - left] = source[rest]
    for rest in range(right, end):
        target[place + rest - right] = source[rest]
