"""The walk that points every member of disjoint sets at its root, several at a time.

A thread waits for a member's parent, and then for that one's. Where sets are many that is all that
such a walk takes, so those of several members are under way at once.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

TOGETHER = 4  # members, as `emv_kernels.cuda.sets.flatten_four` takes


@contextlib.contextmanager
def walk_roots(worker: Any, array: str, goes_on: str = "k < size") -> Iterator[range]:
    """Write the walk over all vertices; inside, ``root_0`` is the root of ``v_0``, and so on.

    Beyond the last one a thread finds that again.
    """
    writer, numbers = worker.writer, range(TOGETHER)
    writer.add(f"size, stride, k = np.int64({worker.vertices}), np.int64(threads), np.int64(me)")
    with writer.block(f"while {goes_on}:"):
        for each in numbers:
            writer.add(f"v_{each} = {worker.number}(min(k + {each} * stride, size - 1))")
        roots, members = (", ".join(f"{name}_{k}" for k in numbers) for name in ("root", "v"))
        writer.add(f"{roots} = flatten_four({array}, {members})")
        yield numbers
        writer.add(f"k += {TOGETHER} * stride")
