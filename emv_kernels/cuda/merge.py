"""Where new arcs stand among those of the version before, and which of those go, on a GPU.

One thread looks for one arc at a time, by bisection in its row: an arc's place follows from the ids
of edges in the row of its sender, and a slot's from the senders, or the arcs, in that of its
receiver. In an undirected graph the arcs of a row's own edges stand before the ways back. What goes
are ranks of `emv_kernels.cuda.marks`, unless ``has_gone == 0``. See `emv.graph.merge`, which does
the same on the host.
"""

from __future__ import annotations

import numpy as np
from numba import cuda, int64

from emv_kernels.cuda.atomics import fetch_add
from emv_kernels.cuda.jit import device
from emv_kernels.cuda.marks import ALL, place_left, put_mark, set_before, take_mark
from emv_kernels.cuda.search import first_not_below
from emv_kernels.cuda.sort import first_not_below as first_of_all
from emv_kernels.cuda.warps import total_of


@device
def row_of(first, vertex, num_rows):
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
def _moved(place, i, ranks, has_gone):
    """Return where the new entry of a number stands then that stood before an old place."""
    if has_gone != 0:
        place -= set_before(ranks, place)
    return place + i


@device
def place_arcs(
    order,
    src,
    dst,
    senders,
    first,
    ranks,
    receivers,
    edges,
    at,
    places,
    num_rows,
    next_edge,
    num_added,
    has_gone,
    count,
):
    """Write the receiver, the edge, the old place and the new one of every new arc.

    ``order`` are the places of the arcs among the new edges, `num_added`, and their ways back. An
    arc stands behind its row.
    """
    i = np.int64(cuda.grid(1))
    while i < count:
        edge = np.int64(order[i])
        receivers[i], edges[i] = np.int64(dst[edge]), next_edge + edge
        place = row_of(first, np.int64(senders[i]), num_rows)[1]
        at[i], places[i] = place, _moved(place, i, ranks, has_gone)
        i += cuda.gridsize(1)


@device
def place_ways(
    order,
    src,
    dst,
    senders,
    first,
    ranks,
    receivers,
    edges,
    at,
    places,
    old_edges,
    old_src,
    num_rows,
    next_edge,
    num_added,
    has_gone,
    count,
):
    """Do as `place_arcs` where edges lead both ways: new edges stand before the old ways back."""
    i = np.int64(cuda.grid(1))
    while i < count:
        edge, vertex = np.int64(order[i]), np.int64(senders[i])
        begin, place = row_of(first, vertex, num_rows)
        if edge < num_added:
            receivers[i] = np.int64(dst[edge])
            place = _first_back(old_edges, old_src, begin, place, vertex)
        else:
            edge -= num_added
            receivers[i] = np.int64(src[edge])
        edges[i], at[i], places[i] = next_edge + edge, place, _moved(place, i, ranks, has_gone)
        i += cuda.gridsize(1)


@device
def slots_by_sender(
    first, old_senders, receivers, order, senders, ranks, own, at, places, num_rows, has_gone, count
):
    """Write the sender, the old place and the new one of new slots: behind those of its sender.

    ``order`` are the places of the slots among the new arcs, whose ``senders`` are given.
    """
    i = np.int64(cuda.grid(1))
    while i < count:
        begin, end = row_of(first, np.int64(receivers[i]), num_rows)
        sender = np.int64(senders[np.int64(order[i])])
        place = first_not_below(old_senders, begin, end, sender + 1)
        own[i], at[i], places[i] = sender, place, _moved(place, i, ranks, has_gone)
        i += cuda.gridsize(1)


@device
def slots_by_arc(
    first,
    old_arcs,
    receivers,
    order,
    senders,
    ranks,
    own,
    at,
    places,
    arcs,
    num_rows,
    has_gone,
    count,
):
    """Do as `slots_by_sender`: before the slots of later arcs; ``arcs`` are old places of arcs."""
    i = np.int64(cuda.grid(1))
    while i < count:
        begin, end = row_of(first, np.int64(receivers[i]), num_rows)
        arc = np.int64(order[i])
        place = first_not_below(old_arcs, begin, end, np.int64(arcs[arc]))
        own[i], at[i] = np.int64(senders[arc]), place
        places[i] = _moved(place, i, ranks, has_gone)
        i += cuda.gridsize(1)


@device
def rows_moved(first, keys, ranks, result, num_rows, num_added, has_gone, count):
    """Write where rows begin by now: ``keys`` are the rows of new entries.

    A block takes neighbouring rows, so that it looks among the new entries of these only.
    """
    bounds = cuda.shared.array(2, int64)
    block, blocks = np.int64(cuda.blockIdx.x), np.int64(cuda.gridDim.x)
    low, high = block * count // blocks, (block + 1) * count // blocks
    cuda.syncthreads()  # another call of the same launch may still read its bounds
    if cuda.threadIdx.x < 2:
        wanted = low if cuda.threadIdx.x == 0 else high
        bounds[cuda.threadIdx.x] = first_of_all(keys, num_added, wanted)
    cuda.syncthreads()
    i = low + cuda.threadIdx.x
    while i < high:
        begin = np.int64(first[min(i, num_rows)])
        added = first_not_below(keys, bounds[0], bounds[1], i)
        result[i] = _moved(begin, added, ranks, has_gone)
        i += cuda.blockDim.x


@device
def _way_there(edges, src, begin, end, vertex, edge):
    """Return where the arc of an edge stands in the row that it leads from, of ways there and back.

    What stands before it are ways there, which are no ways back.
    """
    while begin < end:
        middle = (begin + end) >> 1
        found = np.int64(edges[middle])
        if found < edge and np.int64(src[found]) == vertex:
            begin = middle + 1
        else:
            end = middle
    return begin


@device
def _way_back(edges, src, begin, end, vertex, edge):
    """Return where the way back of an edge stands in its row: behind all ways there."""
    while begin < end:
        middle = (begin + end) >> 1
        found = np.int64(edges[middle])
        if found < edge or np.int64(src[found]) == vertex:
            begin = middle + 1
        else:
            end = middle
    return begin


@device
def mark_arcs(edges_gone, src, dst, first, edges, words, num_gone, count):
    """Set the bits of the arcs of edges that go: first of all ways there, then of ways back."""
    i = np.int64(cuda.grid(1))
    while i < count:
        edge = np.int64(edges_gone[i if i < num_gone else i - num_gone])
        one, other = np.int64(src[edge]), np.int64(dst[edge])
        row = one if i < num_gone else other
        begin, end = np.int64(first[row]), np.int64(first[row + 1])
        if count == num_gone:
            put_mark(words, first_not_below(edges, begin, end, edge))
        elif i < num_gone:
            put_mark(words, _way_there(edges, src, begin, end, one, edge))
        elif one != other:
            put_mark(words, _way_back(edges, src, begin, end, other, edge))
        i += cuda.gridsize(1)


@device
def _find_arc(edge, ranks, words, i):
    """Set the bits of a warp's arcs that go."""
    gone = cuda.ballot_sync(ALL, place_left(ranks, edge) < 0)
    if cuda.laneid == 0 and gone != 0:
        words[i >> 5] = np.uint32(gone)


@device
def find_arcs(edges, ranks, words, count):
    """Do as `mark_arcs` by looking at the edges of all arcs; a warp takes 32 side by side."""
    step = np.int64(cuda.gridsize(1))
    i = np.int64(cuda.grid(1))
    whole = count >> 5 << 5
    while i + 3 * step < whole:
        one, two, three, four = edges[i], edges[i + step], edges[i + 2 * step], edges[i + 3 * step]
        _find_arc(one, ranks, words, i)
        _find_arc(two, ranks, words, i + step)
        _find_arc(three, ranks, words, i + 2 * step)
        _find_arc(four, ranks, words, i + 3 * step)
        i += 4 * step
    while i < whole:
        _find_arc(edges[i], ranks, words, i)
        i += step
    if i < count and place_left(ranks, edges[i]) < 0:
        put_mark(words, i)


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
def mark_alike(edges_gone, src, dst, first, senders, words, num_gone, count):
    """Set the bits of slots of edges that go, where equal senders need not be told apart.

    Of those that are alike, the first that no other thread has taken goes. First come the slots of
    all ways there, then those of ways back.
    """
    i = np.int64(cuda.grid(1))
    while i < count:
        edge = np.int64(edges_gone[i if i < num_gone else i - num_gone])
        one, other = np.int64(src[edge]), np.int64(dst[edge])
        if i < num_gone:
            _mark_sender(first, senders, words, other, one)
        elif one != other:
            _mark_sender(first, senders, words, one, other)
        i += cuda.gridsize(1)


@device
def mark_at_once(
    edges_gone,
    src,
    dst,
    first,
    edges,
    in_first,
    senders,
    words,
    of_arcs,
    of_slots,
    facts,
    num_edges,
    count,
):
    """Set the bits of edges that lead one way, and of the slot and arc of each that is new there.

    Those that are none are counted in ``facts[0]``.
    """
    wrong = np.int64(0)
    i = np.int64(cuda.grid(1))
    while i < count:
        edge = np.int64(edges_gone[i])
        if not 0 <= edge < num_edges:
            wrong += 1
        elif take_mark(words, edge):
            one, other = np.int64(src[edge]), np.int64(dst[edge])
            _mark_sender(in_first, senders, of_slots, other, one)
            begin, end = np.int64(first[one]), np.int64(first[one + 1])
            put_mark(of_arcs, first_not_below(edges, begin, end, edge))
        i += cuda.gridsize(1)
    if wrong > 0:
        fetch_add(facts, 0, wrong)


@device
def _mark_sender(first, senders, words, vertex, sender):
    """Set the bit of a slot of a vertex that has a sender."""
    begin, end = np.int64(first[vertex]), np.int64(first[vertex + 1])
    slot = first_not_below(senders, begin, end, sender)
    while not take_mark(words, slot):
        slot += 1


@device
def count_equal(entries, one, other, facts, count):
    """Count the entries of which two columns have the same."""
    total = np.int64(0)
    i = np.int64(cuda.grid(1))
    while i < count:
        entry = np.int64(entries[i])
        total += np.int64(one[entry] == other[entry])
        i += cuda.gridsize(1)
    total = total_of(total)
    if cuda.laneid == 0 and total > 0:
        fetch_add(facts, 0, total)
