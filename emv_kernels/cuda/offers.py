"""Which ends of new arcs offer less than what the other end has, on a GPU.

A relaxation that goes on after edges were added need not wake all their ends: an arc whose offer is
no less than what its receiver has changes nothing. One thread looks at one edge, and at both of its
ways where edges lead both ways; the two values that it reads are all there is to look at.
"""

from __future__ import annotations

import numpy as np
from numba import cuda

from emv_kernels.cuda.jit import device
from emv_kernels.cuda.marks import put_mark


@device
def _offers(values, far, sender, receiver, length):
    """Return whether what a sender has, and the length, are less than what a receiver has."""
    own = values[sender]
    return own != far and own + length < values[receiver]


@device
def mark_offering(src, dst, values, lengths, words, far, both_ways, count):
    """Set the bits of senders whose arcs offer less; ``far`` have those who offer nothing."""
    i = np.int64(cuda.grid(1))
    while i < count:
        one, other, length = np.int64(src[i]), np.int64(dst[i]), lengths[i]
        if _offers(values, far, one, other, length):
            put_mark(words, one)
        if both_ways != 0 and _offers(values, far, other, one, length):
            put_mark(words, other)
        i += cuda.gridsize(1)


@device
def mark_below(src, dst, values, words, far, both_ways, count):
    """Do as `mark_offering` where nothing is known of what is added but that it is not negative."""
    i = np.int64(cuda.grid(1))
    while i < count:
        one, other = np.int64(src[i]), np.int64(dst[i])
        if values[one] != far and values[one] < values[other]:
            put_mark(words, one)
        if both_ways != 0 and values[other] != far and values[other] < values[one]:
            put_mark(words, other)
        i += cuda.gridsize(1)
