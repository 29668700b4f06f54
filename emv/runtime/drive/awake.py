"""Who is active, or will be, brought from one version of a graph to the next.

The sets are queues that pieces of a run hand on (`emv.codegen.queues`): ids, of which the state
tells how many, and for each element whether it is pending.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.graph.widths import id_dtype
from emv.runtime.drive.asked import entries

Awake = dict[tuple[str, str], NDArray[np.int64]]
"""Ids by ``ACTIVE`` or ``PENDING``, and the end of the queue's name: of edges ``_edges``."""


def who_is_awake(shared: dict[str, Any], state: dict[str, int]) -> Awake:
    """Return who is active and who is pending; the two queues of a set may have changed places."""
    found: Awake = {}
    for suffix in ("", "_edges"):
        names = [f"active{suffix}", f"pending{suffix}"]
        names = names[::-1] if state[f"FLIPPED{suffix.upper()}"] else names
        for word, name in zip(("ACTIVE", "PENDING"), names, strict=True):
            if name in shared:
                count = state[f"NUM_{word}{suffix.upper()}"]
                found[word, suffix] = entries(shared[name], count).astype(np.int64)
    return found


def queues_of(awake: Awake, graph: Any, state: dict[str, int], target: Any) -> dict[str, Any]:
    """Return the queues in which these are awake on a graph, and let the state say so."""
    made: dict[str, Any] = {}
    state["FLIPPED"] = state["FLIPPED_EDGES"] = 0
    for (word, suffix), ids in awake.items():
        size = graph.num_edges if suffix else graph.num_vertices
        queue = np.zeros(size, id_dtype(graph.num_vertices))
        queue[: len(ids)] = ids
        made[f"{word.lower()}{suffix}"] = target.copied(queue)
        state[f"NUM_{word}{suffix.upper()}"] = len(ids)
        if not suffix:
            state[f"{word}_ARCS"] = int(graph.out_degrees()[ids].sum()) if len(ids) else 0
        if word == "PENDING":
            made[f"queued{suffix}"] = target.copied(pending(ids, size, state, suffix, target))
    return made


def pending(
    ids: NDArray[np.int64], size: int, state: dict[str, int], suffix: str, target: Any
) -> NDArray[Any]:
    """Return for each element whether it is pending: on a GPU by the number of the turn."""
    is_device = target.device is not None
    marks = np.zeros(size, np.uint32 if is_device else np.uint8)
    marks[ids] = state[f"TURNS{suffix.upper()}"] + 1 if is_device else 1
    return marks
