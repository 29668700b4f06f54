"""Residuals pushed along arcs until little of them is left, on a GPU.

Of ``y = base + L y``, where L hands a vertex's value, times a factor, along its out-arcs in equal
shares, the residual of a vertex is what the next superstep would add to its value. To push it
is to add it now, and to hand its part on to the receivers' residuals; who has little waits, so that
work goes where values move (Ohsaka, Maehara and Kawarabayashi, KDD 2015). Who pushes in a round is
chosen by what it has for an arc, beside what all have. An atomic for each arc takes several times
as long as a load, so where those who have much hold little of all, everybody hands on at once, and
receivers sum up.

What all vertices get of those without out-arcs is one factor: if ``y`` solves the above, then
``whole * y`` solves ``x = base + spread * lost(x) + L x``. Two kinds of residuals would shrink by
the factor a round and no faster, and do not go that way: those of vertices that hand on to each
other what they have (two that were alone and are joined) are pushed by themselves first, and summed
up as a geometric series (Aitken); and where most residuals have one sign, all values are scaled so
that they sum to nothing.

Numbers are whole, in units of 2**-60 of what the values sum to: then sums are the same in whatever
order threads come. Every phase ends where all blocks meet.
"""

from __future__ import annotations

import math

import numpy as np
from numba import cuda, int32, int64

from emv_kernels.cuda.grid import meet
from emv_kernels.cuda.jit import device
from emv_kernels.cuda.residual_phases import (
    ARCS,
    LEAST_OF_BOUND,
    LOST,
    MUCH,
    NET,
    PLACES,
    QUEUED,
    SIZE,
    begin_tally,
    clear,
    look,
    pull,
    push,
    share_to_scale,
    start,
    sums_of,
    take,
    take_all,
    write,
)
from emv_kernels.sizes import RELEASED

LEAST = 16.0  # times what all have for an arc, from which a vertex pushes
WORTH = 0.2  # of all that is left, for which those push who have much
PUSHED = 6.0  # times what a load for each arc takes


@device
def _push_near(rows, near, values, queue, factor, rounds, lanes, base, tally, state, generation):
    """Let those near the change push alone; return how often blocks have met."""
    size, first, other = rows
    _, rest, moved = values
    sums, number = sums_of(0), np.int64(0)
    look(True, 0.0, 0.0, base, size, first, near, values, queue, tally, state, sums)
    generation = meet(state, generation)
    count = state[sums + QUEUED]
    while number < rounds:
        number += 1
        take(first, queue, count, values, number == rounds)
        generation = meet(state, generation)
        push(first, other, queue, count, rest, 0, moved, factor, lanes)
        generation = meet(state, generation)
    return generation


@device
def _is_little(large, much, arcs, num_arcs):
    """Return whether those who have much are not worth a round, or cost more than all."""
    costs = PUSHED * arcs * np.float64(large)
    return much < WORTH * large or costs > num_arcs * np.float64(much)


@device
def settle(
    first, other, in_first, in_other, first_before, old, near, made, held, rest, moved, given,
    vertices, begins, all_vertices, all_begins, told, state,
    size, num_arcs, base, factor, spread, unit, bound, lanes, near_rounds, most_rounds,
):  # fmt: skip
    """Go on from values given until a superstep would move them by less than a bound, in all.

    ``base`` and ``bound`` are in ``unit`` parts of 1. ``first_before`` are the rows that the old
    values are of, and ``2**lanes`` threads push along a row. ``told`` says by how much a superstep
    would still move them, how many rounds there were, and whether the bound was reached.
    """
    tally = cuda.shared.array(PLACES, int64), cuda.shared.array(1, int32)
    begin_tally(tally)
    values, queue, everything = (held, rest, moved), (vertices, begins), (all_vertices, all_begins)
    count, bad, num_pieces, generation = start(
        False, (size, first, first_before), (in_first, in_other), old, everything, values, given,
        (base, factor, spread, unit), tally, state, state[RELEASED],
    )  # fmt: skip
    if bad == 0:
        generation = _push_near(
            (size, first, other), near, values, queue, factor, near_rounds, lanes, base, tally,
            state, generation,
        )  # fmt: skip
    large, lost, whole, limit, by = np.int64(0), np.int64(0), 1.0, math.inf, 0.0
    number = np.int64(0)
    while bad == 0:
        number += 1
        sums = sums_of(number)
        look(False, by, limit, base, size, first, near, values, queue, tally, state, sums)
        generation = meet(state, generation)
        large, lost = state[sums + SIZE], lost + state[sums + LOST]
        whole = base / (base - spread * lost)
        if large * whole < bound or number >= most_rounds:
            write(size, values, made, whole / unit)
            break
        by = share_to_scale(large, state[sums + NET], count, base)
        limit = max(LEAST_OF_BOUND * bound / whole, LEAST * large) / num_arcs
        clear(state, sums_of(number + 2))
        if _is_little(large, state[sums + MUCH], state[sums + ARCS], num_arcs):
            after = sums_of(number + 1)
            take_all(size, first, by, base, values, given, factor, tally, state, after)
            generation, by = meet(state, generation), 0.0
            pull(in_first, in_other, everything, num_pieces, rest, given)
        else:
            take(first, queue, state[sums + QUEUED], values, False)
            generation = meet(state, generation)
            push(first, other, queue, state[sums + QUEUED], rest, 0, moved, factor, lanes)
        generation = meet(state, generation)
    if cuda.grid(1) == 0:
        told[0], told[1] = large * whole / unit, number + near_rounds + 1
        told[2] = 1 if bad == 0 and large * whole < bound else 0
