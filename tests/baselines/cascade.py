"""A cascade by hand on one core: a serial loop with a queue, as a careful C program has it.

Independent cascades of D. Kempe, J. Kleinberg, E. Tardos, KDD 2003; coins by SplitMix64 (G. Steele,
D. Lea, C. Flood, OOPSLA 2014), the cheapest generator whose bits are good.
"""

from __future__ import annotations

import numpy as np
from numba import njit

STEP, FIRST, SECOND = (
    np.uint64(each) for each in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)
S30, S27, S31, S11 = (np.uint64(each) for each in (30, 27, 31, 11))


@njit
def cascade(first, dst, seeds, p, state, told_at, queue):
    """Fill ``told_at`` with the step of every vertex; return how many know, and the next state."""
    told_at[:] = -1
    head = tail = 0
    now, bound = np.uint64(state), np.uint64(p * 2.0**53)
    for v in seeds:
        told_at[v] = 0
        queue[tail] = v
        tail += 1
    while head < tail:
        v = queue[head]
        head += 1
        for k in range(first[v], first[v + 1]):
            u = dst[k]
            if told_at[u] < 0:
                now += STEP
                z = (now ^ (now >> S30)) * FIRST
                z = (z ^ (z >> S27)) * SECOND
                if ((z ^ (z >> S31)) >> S11) < bound:
                    told_at[u] = told_at[v] + 1
                    queue[tail] = u
                    tail += 1
    return tail, now
