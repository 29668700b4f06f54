"""Disjoint sets in one array: ``parent[v] <= v``, a root is its own parent.

Roots are hooked below the smaller root by compare-and-swap, so a set is named by its smallest
member whatever the order of the joins; paths are halved on the way (Jayanti and Tarjan, PODC 2016;
the lock-free hooking is that of ECL-CC, Jaiganesh and Burtscher, HPDC 2018).
"""

from __future__ import annotations

from emv_kernels.cpu.atomics import _compare_exchange_bits
from emv_kernels.cpu.jit import called, inlined

SAMPLE = 1024  # members that are asked which set is the largest


@inlined
def root_of(parent, member):
    """Return the root of a member, halving the path to it."""
    above = parent[member]
    while above != member:
        higher = parent[above]
        if higher != above:
            parent[member] = higher
        member, above = above, higher
    return above


@inlined
def join(shared, parent, first, second):
    """Join the sets of two members."""
    a, b = parent[first], parent[second]
    while a != b:
        a, b = root_of(parent, a), root_of(parent, b)
        if a == b:
            return
        high, low = (a, b) if a > b else (b, a)
        if not shared:
            parent[high] = low
            return
        if _compare_exchange_bits(parent, high, high, low) == high:
            return


@inlined
def flatten(parent, low, high):
    """Point every member of a range of ids straight at its root."""
    for member in range(low, high):
        above = parent[member]
        while above != parent[above]:
            above = parent[above]
        parent[member] = above


@called
def often(parent):
    """Return a set that very many members are in, if there is one: the majority of a sample.

    By Boyer and Moore's votes; whatever is returned is some set's name.
    """
    step, found, votes = len(parent) // SAMPLE + 1, -1, 0
    for member in range(0, len(parent), step):
        if votes == 0:
            found = parent[member]
        votes += 1 if parent[member] == found else -1
    return found
