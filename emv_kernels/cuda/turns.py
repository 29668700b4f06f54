"""Elements that parts of a graph take in turn, 32 at a time, whoever owns them.

A warp takes neighbouring elements, which have much in common; so it does where there are parts.
"""

from __future__ import annotations

import numpy as np

from emv_kernels.cuda.jit import device


@device
def number_in_turn(count, part, parts):
    """Return how many of so many elements a part takes."""
    rounds = (np.int64(count) + 31) >> 5
    own = (rounds + parts - 1 - part) // parts
    last = rounds > 0 and (rounds - 1) % parts == part
    return (own << 5) - ((rounds << 5) - np.int64(count) if last else 0)


@device
def in_turn(k, part, parts):
    """Return the element that a part takes as number ``k`` of its own."""
    number = np.int64(k)
    return (((number >> 5) * parts + part) << 5) | (number & 31)
