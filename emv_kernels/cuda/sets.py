"""Disjoint sets in one array: ``parent[v] <= v``, a root is its own parent.

Roots are hooked below the smaller root by compare-and-swap, so a set is named by its smallest
member whatever the order of the joins; paths are halved on the way (Jayanti and Tarjan, PODC 2016;
the lock-free hooking is that of ECL-CC, Jaiganesh and Burtscher, HPDC 2018).

A parent read from a stale cache is still an ancestor, so only the compare-and-swap must see memory
as it is; where it fails, what it found is the way on.
"""

from __future__ import annotations

import numpy as np
from numba import cuda

from emv_kernels.cuda.atomics import compare_exchange
from emv_kernels.cuda.jit import device

ALL = 0xFFFFFFFF


@device
def root_of(parent, member):
    """Return the root of a member, halving the path to it."""
    above = parent[member]
    while above != member:
        higher = parent[above]
        if higher != above:
            parent[member] = higher
        member = above
        above = higher
    return above


@device
def join(shared, parent, first, second):
    """Join the sets of two members."""
    a = parent[first]
    b = parent[second]
    while a != b:
        a = root_of(parent, a)
        b = root_of(parent, b)
        if a != b:
            if a < b:
                a, b = b, a
            found = compare_exchange(parent, a, a, b)
            if found == a:
                b = a  # joined: the loop ends
            else:
                a = found


@device
def flatten_one(parent, member):
    """Point a member straight at its root."""
    above = parent[member]
    while above != parent[above]:
        above = parent[above]
    parent[member] = above


@device
def flatten_four(parent, one, two, three, four):
    """Point four members straight at their roots, which are asked for side by side; return these.

    Nothing is written to a root, which others may hook meanwhile.
    """
    a, b, c, d = parent[one], parent[two], parent[three], parent[four]
    w, x, y, z = parent[a], parent[b], parent[c], parent[d]
    while a != w or b != x or c != y or d != z:
        a, b, c, d = w, x, y, z
        w, x, y, z = parent[a], parent[b], parent[c], parent[d]
    if a != one:
        parent[one] = a
    if b != two:
        parent[two] = b
    if c != three:
        parent[three] = c
    if d != four:
        parent[four] = d
    return a, b, c, d


@device
def often(parent, other, count, lane):
    """Return a set that very many members are in, if there is one. A warp calls it.

    Each lane asks one member, the end of an arc; these arcs stand equally far apart. Whatever is
    returned is some set's name.
    """
    found = np.int64(other[count * np.int64(lane) >> 5])
    while found != parent[found]:
        found = np.int64(parent[found])
    cuda.syncwarp()  # all is read before the first lane lets blocks go on
    best = np.int32(cuda.popc(cuda.match_any_sync(ALL, found)) << 5 | lane)
    for step in (16, 8, 4, 2, 1):
        best = max(best, cuda.shfl_xor_sync(ALL, best, step))
    return cuda.shfl_sync(ALL, found, best & 31)


@device
def join_ends(src, dst, parent, count):
    """Join the sets of the ends of edges."""
    i = np.int64(cuda.grid(1))
    while i < count:
        join(1, parent, src[i], dst[i])
        i += cuda.gridsize(1)


@device
def flatten_all(parent, count):
    """Point every member straight at its root."""
    member = np.int64(cuda.grid(1))
    while member < count:
        flatten_one(parent, member)
        member += cuda.gridsize(1)
