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
    LOST,
    MUCH,
    NET,
    PLACES,
    QUEUED,
    SIZE,
    begin_tally,
    list_all,
    look,
    look_back,
    pull,
    push,
    take,
    take_all,
    take_over,
    write,
)
from emv_kernels.sizes import RELEASED, RESIDUAL_SUMS, SUMS

LEAST_OF_BOUND = 0.5  # for an arc, from which a vertex pushes; and of what all have:
LEAST_ON_MESH, LEAST = 0.9, 16.0
WORTH = 0.2  # of all that is left, for which those push who have much
PUSHED = 6.0  # times what a load for each arc takes
ONE_SIDED = 0.2  # of all residuals, from which on their sum is made nothing


@device
def _share_to_scale(large, net, count, base):
    """Return by which share values are to grow for their residuals to sum to nothing; 0 if few."""
    room = np.float64(base) * count - net
    return net / room if abs(net) > ONE_SIDED * large and room > 0 else 0.0


@device
def _clear(state, sums):
    """Begin the sums of a round to come."""
    if cuda.grid(1) < RESIDUAL_SUMS:
        state[sums + np.int64(cuda.grid(1))] = 0


@device
def _sums_of(number):
    """Return where the sums of a round stand, of four rounds by turns."""
    return SUMS + RESIDUAL_SUMS * (number & 3)


@device
def _push_near(rows, near, values, queue, factor, rounds, lanes, base, tally, state, generation):
    """Let those near the change push alone; return how often blocks have met."""
    size, first, other = rows
    _, rest, moved = values
    sums, number = _sums_of(0), np.int64(0)
    look(True, False, 0.0, 0.0, base, size, first, near, values, queue, tally, state, sums)
    generation = meet(state, generation)
    count = state[sums + QUEUED]
    while number < rounds:
        number += 1
        take(first, queue, count, values, number == rounds)
        generation = meet(state, generation)
        push(first, other, queue, count, rest, moved, factor, lanes)
        generation = meet(state, generation)
    return generation


@device
def _is_little(large, much, arcs, num_arcs):
    """Return whether those who have much are not worth a round, or cost more than all."""
    costs = PUSHED * arcs * np.float64(large)
    return much < WORTH * large or costs > num_arcs * np.float64(much)


@device
def _start(rows, rows_in, old, everything, values, given, numbers, tally, state, generation):
    """Take the old values over, with what all hand on, where they are good.

    Returns how many vertices hand on, how many old values are bad, the pieces of all rows, and how
    often blocks have met.
    """
    size, first, first_before = rows
    in_first, in_other = rows_in
    base, factor, spread, unit = numbers
    look_back(size, first, first_before, old, unit, tally, state, _sums_of(0))
    list_all(size, in_first, everything, tally, state, _sums_of(3))
    generation = meet(state, generation)
    count, bad, lost = state[SUMS + SIZE], state[SUMS + NET], state[SUMS + LOST]
    num_pieces = state[_sums_of(3) + QUEUED]
    if bad == 0:
        scale, sums = unit * base / (base + spread * lost), _sums_of(1)
        take_over(size, first, old, scale, base, values, given, factor, tally, state, sums)
        generation = meet(state, generation)
        pull(in_first, in_other, everything, num_pieces, values[1], given)
        generation = meet(state, generation)
    return count, bad, num_pieces, generation


@device
def settle(
    first, other, in_first, in_other, first_before, old, near, made, held, rest, moved, given,
    vertices, begins, all_vertices, all_begins, told, state,
    size, num_arcs, base, factor, spread, unit, bound, lanes, is_mesh, near_rounds, most_rounds,
):  # fmt: skip
    """Go on from values given until a superstep would move them by less than a bound, in all.

    ``base`` and ``bound`` are in ``unit`` parts of 1. ``first_before`` are the rows that the old
    values are of, and ``2**lanes`` threads push along a row. ``told`` says by how much a superstep
    would still move them, how many rounds there were, and whether the bound was reached.
    """
    tally = cuda.shared.array(PLACES, int64), cuda.shared.array(1, int32)
    begin_tally(tally)
    values, queue, everything = (held, rest, moved), (vertices, begins), (all_vertices, all_begins)
    count, bad, num_pieces, generation = _start(
        (size, first, first_before), (in_first, in_other), old, everything, values, given,
        (base, factor, spread, unit), tally, state, state[RELEASED],
    )  # fmt: skip
    if bad == 0 and near_rounds > 0:
        generation = _push_near(
            (size, first, other), near, values, queue, factor, near_rounds, lanes, base, tally,
            state, generation,
        )  # fmt: skip
    large, lost, whole, limit, by = np.int64(0), np.int64(0), 1.0, math.inf, 0.0
    number, takes, least = np.int64(0), is_mesh != 0, LEAST_ON_MESH if is_mesh != 0 else LEAST
    while bad == 0:
        number += 1
        sums = _sums_of(number)
        look(False, takes, by, limit, base, size, first, near, values, queue, tally, state, sums)
        generation = meet(state, generation)
        large, lost = state[sums + SIZE], lost + state[sums + LOST]
        whole = base / (base - spread * lost)
        if large * whole < bound or number >= most_rounds:
            write(size, values, made, whole / unit)
            break
        by = _share_to_scale(large, state[sums + NET], count, base)
        limit = max(LEAST_OF_BOUND * bound / whole, least * large) / num_arcs
        _clear(state, _sums_of(number + 2))
        if not takes and _is_little(large, state[sums + MUCH], state[sums + ARCS], num_arcs):
            after = _sums_of(number + 1)
            take_all(size, first, by, base, values, given, factor, tally, state, after)
            generation, by = meet(state, generation), 0.0
            pull(in_first, in_other, everything, num_pieces, rest, given)
        else:
            if not takes:
                take(first, queue, state[sums + QUEUED], values, False)
                generation = meet(state, generation)
            push(first, other, queue, state[sums + QUEUED], rest, moved, factor, lanes)
        generation = meet(state, generation)
    if cuda.grid(1) == 0:
        told[0], told[1] = large * whole / unit, number + near_rounds + 1
        told[2] = 1 if bad == 0 and large * whole < bound else 0
