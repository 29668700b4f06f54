"""Where new arcs stand among those of the version before, and which of those go, on a GPU.

One thread looks for one arc at a time, by bisection in its row: an arc's place follows from the ids
of edges in the row of its sender, and a slot's from the senders, or the arcs, in that of its
receiver. In an undirected graph the arcs of a row's own edges stand before the ways back. See
`emv.graph.merge`, which does the same on the host.
"""

from __future__ import annotations

import numpy as np
from numba import cuda

from emv_kernels.cuda.atomics import fetch_or
from emv_kernels.cuda.jit import device
from emv_kernels.cuda.marks import put_mark
from emv_kernels.cuda.search import first_not_below
from emv_kernels.cuda.sort import first_not_below as first_of_all


@device
def _row(first, vertex, num_rows):
    """Return where a row begins and ends; that of a new vertex is empty, at the end."""
    begin = np.int64(first[min(vertex, num_rows)])
    return begin, np.int64(first[min(vertex + 1, num_rows)])


@device
def _first_back(edges, src, begin, end, vertex):
    """Return the first way back in the row of a vertex."""
    while begin < end:
        middle = (begin + end) >> 1
        if np.int64(src[np.int64(edges[middle])]) == vertex:
            begin = middle + 1
        else:
            end = middle
    return begin


@device
def arcs_at(first, senders, at, num_rows, count):
    """Write before which old arc every new one stands: behind its row."""
    i = np.int64(cuda.grid(1))
    while i < count:
        at[i] = _row(first, np.int64(senders[i]), num_rows)[1]
        i += cuda.gridsize(1)


@device
def ways_at(first, edges, src, senders, order, at, num_rows, num_added, count):
    """Do as `arcs_at` where edges lead both ways: new edges stand before the old ways back.

    ``order`` are the places of the new arcs among the edges, `num_added`, and their ways back.
    """
    i = np.int64(cuda.grid(1))
    while i < count:
        vertex = np.int64(senders[i])
        begin, end = _row(first, vertex, num_rows)
        if np.int64(order[i]) < num_added:
            end = _first_back(edges, src, begin, end, vertex)
        at[i] = end
        i += cuda.gridsize(1)


@device
def slots_by_sender(first, old_senders, receivers, senders, at, num_rows, count):
    """Write before which old slot every new one stands: behind those of its sender."""
    i = np.int64(cuda.grid(1))
    while i < count:
        begin, end = _row(first, np.int64(receivers[i]), num_rows)
        at[i] = first_not_below(old_senders, begin, end, np.int64(senders[i]) + 1)
        i += cuda.gridsize(1)


@device
def slots_by_arc(first, old_arcs, receivers, arcs, at, num_rows, count):
    """Write before which old slot every new one stands: before those of later arcs."""
    i = np.int64(cuda.grid(1))
    while i < count:
        begin, end = _row(first, np.int64(receivers[i]), num_rows)
        at[i] = first_not_below(old_arcs, begin, end, np.int64(arcs[i]))
        i += cuda.gridsize(1)


@device
def rows_moved(first, keys, gone, result, num_rows, num_added, num_gone, count):
    """Write where rows begin by now: ``keys`` are the rows of new entries, ``gone`` old entries."""
    i = np.int64(cuda.grid(1))
    while i < count:
        begin = np.int64(first[min(i, num_rows)])
        added = first_of_all(keys, num_added, i)
        result[i] = begin + added - first_of_all(gone, num_gone, begin)
        i += cuda.gridsize(1)


@device
def mark_arcs(edges_gone, src, dst, first, edges, words, both_ways, count):
    """Set the bits of the arcs of edges that go."""
    i = np.int64(cuda.grid(1))
    while i < count:
        edge = np.int64(edges_gone[i])
        one, other = np.int64(src[edge]), np.int64(dst[edge])
        begin, end = np.int64(first[one]), np.int64(first[one + 1])
        if both_ways != 0:
            end = _first_back(edges, src, begin, end, one)
        put_mark(words, first_not_below(edges, begin, end, edge))
        if both_ways != 0 and one != other:
            begin, end = np.int64(first[other]), np.int64(first[other + 1])
            begin = _first_back(edges, src, begin, end, other)
            put_mark(words, first_not_below(edges, begin, end, edge))
        i += cuda.gridsize(1)


@device
def mark_slots(arcs_gone, receivers, first, arcs, words, count):
    """Set the bits of the slots of arcs that go."""
    i = np.int64(cuda.grid(1))
    while i < count:
        arc = np.int64(arcs_gone[i])
        vertex = np.int64(receivers[arc])
        begin, end = np.int64(first[vertex]), np.int64(first[vertex + 1])
        put_mark(words, first_not_below(arcs, begin, end, arc))
        i += cuda.gridsize(1)


@device
def mark_alike(arcs_gone, receivers, out_first, first, senders, words, num_rows, count):
    """Do as `mark_slots` where equal senders of a row need not be told apart.

    Of those that are alike, the first that no other thread has taken goes.
    """
    i = np.int64(cuda.grid(1))
    while i < count:
        arc = np.int64(arcs_gone[i])
        vertex = np.int64(receivers[arc])
        sender = first_of_all(out_first, num_rows + 1, arc + 1) - 1
        begin, end = np.int64(first[vertex]), np.int64(first[vertex + 1])
        slot = first_not_below(senders, begin, end, sender)
        while not _take_mark(words, slot):
            slot += 1
        i += cuda.gridsize(1)


@device
def _take_mark(words, entry):
    """Set the bit of an entry; return whether this thread has."""
    bit = np.uint32(np.uint32(1) << np.uint32(entry & 31))
    before = np.uint32(fetch_or(words, entry >> 5, bit))
    return np.uint32(before & bit) == np.uint32(0)
