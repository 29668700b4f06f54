"""Messages on CPU cores: places in one array, trees of nodes, and the order of a receiver's.

A thread takes some places at a time, so that their counter is touched rarely; what it leaves is
marked. See `emv.codegen.appended` for what they are for.
"""

from __future__ import annotations

import numpy as np

from emv_kernels.cpu.atomics import add_if, compare_exchange
from emv_kernels.cpu.jit import called, inlined
from emv_kernels.hashing import direction_function
from emv_kernels.sizes import CHUNK

scattered = direction_function(called)


@inlined
def next_place(shared, state, counter, near, far):
    """Return the next place of a thread, and what it has left: from ``near`` to ``far``."""
    if near == far:
        near = add_if(shared, state, counter, CHUNK)
        far = near + CHUNK
    return near, near + 1, far


@called
def leave_places(keys, near, far):
    """Mark the places that a thread took and did not use."""
    for place in range(near, min(far, len(keys))):
        keys[place] = -1


@inlined
def take_stretch(shared, state, counter, size):
    """Return where a stretch of some length begins."""
    return add_if(shared, state, counter, size)


@inlined
def _swap(shared, links, place, node):
    """Put a node where none is; return who is there, -1 if nobody was."""
    if shared:
        return compare_exchange(links, place, np.int64(-1), np.int64(node))
    links[place] = node
    return np.int64(-1)


@called
def hang(shared, head, child, receiver, node, key):
    """Hang a node into a receiver's tree; return whether it is the first one there.

    A link is read before it is exchanged, as most are taken near the root.
    """
    found = head[receiver]
    if found < 0:
        found = _swap(shared, head, receiver, node)
        if found < 0:
            return True
    bits = scattered(key, np.int64(receiver))
    left = 31
    while True:
        link = 2 * found + (bits & 1)
        bits >>= 1
        left -= 1
        if left == 0:
            bits, left = scattered(np.int64(node), found), 31
        found = child[link]
        if found < 0:
            found = _swap(shared, child, link, node)
            if found < 0:
                return False


@called
def straighten(head, child, vertex):
    """Turn a tree into a chain by rotations; return how many nodes it has.

    In a chain, the second child of a node is the next node, and none has a first child.
    """
    size = 0
    last = np.int64(-1)
    node = head[vertex]
    while node >= 0:
        first = child[2 * node]
        if first >= 0:  # it goes before the node, with all that hangs from it
            child[2 * node] = child[2 * first + 1]
            child[2 * first + 1] = node
            if last < 0:
                head[vertex] = first
            else:
                child[2 * last + 1] = first
            node = first
        else:
            size += 1
            last = node
            node = child[2 * node + 1]
    return size


@called
def lay_out(head, child, vertex, entries, begin):
    """Write the nodes of a chain to a stretch."""
    node = head[vertex]
    while node >= 0:
        entries[begin] = node
        begin += 1
        node = child[2 * node + 1]


@inlined
def next_row(first, arc, row):
    """Return the row that holds a position behind those of ``row``."""
    while first[row + 1] <= arc:
        row += 1
    return row


@called
def sort_entries(entries, keys, begin, end):
    """Sort a stretch of messages by their keys, all different: a heapsort, unless it is sorted."""
    place = begin + 1
    while place < end and keys[entries[place - 1]] < keys[entries[place]]:
        place += 1
    if place >= end:
        return
    count = end - begin
    for parent in range(count // 2 - 1, -1, -1):
        _sift(entries, keys, begin, parent, count)
    for last in range(count - 1, 0, -1):
        entries[begin], entries[begin + last] = entries[begin + last], entries[begin]
        _sift(entries, keys, begin, 0, last)


@called
def _sift(heap, keys, begin, parent, count):
    """Let an entry sink until no child has a larger key."""
    entry = heap[begin + parent]
    key = keys[entry]
    while 2 * parent + 1 < count:
        child = 2 * parent + 1
        larger = keys[heap[begin + child]]
        if child + 1 < count and larger < keys[heap[begin + child + 1]]:
            child += 1
            larger = keys[heap[begin + child]]
        if larger <= key:
            break
        heap[begin + parent] = heap[begin + child]
        parent = child
    heap[begin + parent] = entry
