"""A batch of new arcs, sorted and looked for in the rows there are: one launch for all of it.

What `sort_few` and `merge` do one after another, blocks meeting in between. Of a small batch
launching takes longer than the work.
"""

from __future__ import annotations

import numpy as np
from numba import cuda

from emv_kernels.cuda.atomics import fetch_add
from emv_kernels.cuda.build import both_ways, take_ends
from emv_kernels.cuda.grid import meet
from emv_kernels.cuda.jit import device
from emv_kernels.cuda.merge import place_arcs, place_ways, slots_by_sender
from emv_kernels.cuda.sort_few import sort_behind


@device
def _look(src, dst, keys, heads, wrong, num_rows, count):
    """Write both ends of edges; those that have an end that is no row are counted, and lead to 0.

    So what follows may go on, and is thrown away.
    """
    faults = np.int64(0)
    i = np.int64(cuda.grid(1))
    while i < count:
        one, other = np.int64(src[i]), np.int64(dst[i])
        if not (0 <= one < num_rows and 0 <= other < num_rows):
            faults += 1
            one, other = np.int64(0), np.int64(0)
        keys[i], heads[i] = one, other
        i += cuda.gridsize(1)
    if faults > 0:
        fetch_add(wrong, 0, faults)


@device
def place_batch(*given):
    """Place new arcs and slots, as `place_arcs` or `place_ways` and `slots_by_sender` do.

    The keys of arcs are sorted from ``a`` to ``b``, those of slots from ``c`` to ``d``, and end in
    the arrays that are called by what they are then: ``order`` and ``senders``, ``slot_order`` and
    ``slot_receivers``, each the last of its two. Where edges lead one way, ``is_both == 0``,
    ``wrong[0]``, which begins as 0, says how many have an end that is no vertex; others must have
    been looked at. With ``slots_alone`` nobody asks where arcs stand.
    """
    src, dst, keys, heads, wrong, first, in_first, in_other, old_edges, old_src = given[:10]
    no_ranks, state, counts, keys_a, ids_a, keys_b, ids_b = given[10:17]
    keys_c, ids_c, keys_d, ids_d, order, senders, slot_order, slot_receivers = given[17:25]
    receivers, edges, at, places, own, slot_at, slot_places = given[25:32]
    num_rows, new_rows, next_edge, num_added, count, is_both, slots_alone = given[32:39]
    chunk, num_chunks, bits, passes, slot_passes = given[39:]
    generation, num_keys = np.int64(0), num_added
    if is_both != 0:
        both_ways(src, dst, keys, new_rows, num_added)
        generation, num_keys = meet(state, generation), 2 * num_added
    else:
        _look(src, dst, keys, heads, wrong, new_rows, num_added)
        generation = meet(state, generation)
    generation = sort_behind(
        *(keys, state, counts, keys_a, ids_a, keys_b, ids_b),
        *(num_keys, chunk, num_chunks, bits, passes, generation),
    )
    if slots_alone != 0:
        take_ends(order, src, dst, receivers, edges, num_added, count)
    elif is_both != 0:
        place_ways(
            *(order, src, dst, senders, first, no_ranks, receivers, edges, at, places),
            *(old_edges, old_src, num_rows, next_edge, num_added, 0, count),
        )
    else:
        place_arcs(
            *(order, src, heads, senders, first, no_ranks, receivers, edges, at, places),
            *(num_rows, next_edge, num_added, 0, count),
        )
    generation = meet(state, generation)
    sort_behind(
        *(receivers, state, counts, keys_c, ids_c, keys_d, ids_d),
        *(count, chunk, num_chunks, bits, slot_passes, generation),
    )
    slots_by_sender(
        *(in_first, in_other, slot_receivers, slot_order, senders, no_ranks),
        *(own, slot_at, slot_places, num_rows, 0, count),
    )
