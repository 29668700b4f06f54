"""Messages on CPU cores: places in one array, lists and trees of nodes, a receiver's order.

A thread takes some places at a time, so that their counter is touched rarely; what it leaves is
marked. See `emv.codegen.appended` and `emv.codegen.lists` for what they
are for.
"""

from __future__ import annotations

import numpy as np

from emv_kernels.cpu.atomics import add_if, compare_exchange, exchange
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
def put_first(shared, head, behind, receiver, node, origin):
    """Put a node at the head of a receiver's list; return whether it is alone there."""
    if shared:
        before = exchange(head, receiver, origin + node)
    else:
        before = head[receiver]
        head[receiver] = origin + node
    behind[node] = before
    return before < origin


@inlined
def _set(shared, links, place, found, address, origin):
    """Make a link that leads nowhere lead to an address; return where it leads now."""
    if not shared:
        links[place] = address
        return address
    while found < origin:  # what was found is of an earlier superstep, or an older one still
        before = compare_exchange(links, place, found, address)
        if before == found:
            return address
        found = before
    return found


@called
def hang(shared, head, child, receiver, node, origin):
    """Hang a node into a receiver's tree; return whether it is the first one there.

    A link is read before it is exchanged, as most are taken near the root.
    """
    address = origin + node
    found = head[receiver]
    if found < origin:
        found = _set(shared, head, receiver, found, address, origin)
        if found == address:
            return True
    bits = scattered(np.int64(node), np.int64(receiver))
    left = 31
    while True:
        link = 2 * (found - origin) + (bits & 1)
        bits >>= 1
        left -= 1
        if left == 0:
            bits, left = scattered(found, np.int64(node)), 31
        found = child[link]
        if found < origin:
            found = _set(shared, child, link, found, address, origin)
            if found == address:
                return False


@called
def straighten(head, child, vertex, origin, most):
    """Turn a tree into a list by rotations, or its begin if it has more than ``most`` nodes.

    In a list, the second child of a node is the next node, and none has a first child.
    """
    size = 0
    last = np.int64(-1)
    node = head[vertex] - origin
    while node >= 0 and size <= most:
        first = child[2 * node] - origin
        if first >= 0:  # it goes before the node, with all that hangs from it
            child[2 * node] = child[2 * first + 1]
            child[2 * first + 1] = origin + node
            if last < 0:
                head[vertex] = origin + first
            else:
                child[2 * last + 1] = origin + first
            node = first
        else:
            size += 1
            last = node
            node = child[2 * node + 1] - origin


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
