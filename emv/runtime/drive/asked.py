"""What a superstep of a compiled run asks to add, out of the messages in which it says so.

Messages stand in the order in which threads found places for them; the key of each says which
instance sent it, and how many it had sent before (`emv.codegen.appended`). So what is added comes
in an order of its own: by row, call, instance and place in the text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.backends.eager_changes import no_vertex
from emv.codegen.state import Own, place_of_launch
from emv.graph.on_device import lies_on_device, on_host
from emv.lang.apart import Apart
from emv.runtime.arrays.plan import Plan


@dataclass(frozen=True)
class Asked:
    """A call whose messages say what is added: ``edge`` or ``vertex``, its number, its pieces."""

    kind: str
    call: int
    pieces: Apart


@dataclass
class Heard:
    """What one call adds, in the order of its instances: the order key and the components."""

    asked: Asked
    key: NDArray[np.int64]
    parts: list[NDArray[Any]]


def heard_in(plan: Plan, number: int, asked: Asked) -> list[Heard]:
    """Return what a launch was sent and keeps, by part where there are several."""
    found = []
    for arrays in plan.target.arrays_of_parts(plan):
        count = int(arrays["state"][place_of_launch(number, Own.COUNT)])
        key = entries(arrays[f"key{number}"], count)
        taken = key >= 0
        size = 1 + len(asked.pieces.columns["vertex"])
        size = 2 + len(asked.pieces.columns["edge"]) if asked.kind == "edge" else size
        parts = [entries(arrays[f"stored{number}_{k}"], count)[taken] for k in range(size)]
        found.append(Heard(asked, key[taken].astype(np.int64), parts))
    return found


def entries(array: Any, count: int) -> NDArray[Any]:
    """Return the first entries of an array, on the host."""
    if not lies_on_device(array):
        copied: NDArray[Any] = np.array(array[:count])
        return copied
    if count == 0:
        return np.empty(0, array.dtype)
    return on_host(array.view(0, count, array.dtype))


def check_ends(heard: Heard, number: int) -> None:
    """Refuse edges to or from what is no vertex, at the line that adds the first."""
    for ends in heard.parts[:2]:
        bad = np.flatnonzero((ends < 0) | (ends >= number))
        if len(bad):
            site = heard.asked.pieces.sites
            loc = site[0].loc if len(site) == 1 else None
            raise no_vertex("add_edge", int(ends[bad[0]]), number, loc)


def new_edges(heard: list[Heard], num_vertices: int) -> list[NDArray[Any]]:
    """Return the components of new edges, in order: ends, and the columns of the program.

    Raises
    ------
    ArgumentError
        If an end is none of so many vertices.
    """
    heard = [each for each in heard if each.asked.kind == "edge"]
    if not heard:
        return [np.empty(0, np.int64), np.empty(0, np.int64)]
    for each in heard:
        check_ends(each, num_vertices)
    parts = joined(heard)
    calls = np.repeat([each.asked.call for each in heard], [len(each.key) for each in heard])
    order = np.lexsort((np.concatenate([each.key for each in heard]), calls, parts[0]))
    return [each[order] for each in parts]


def new_vertices(heard: list[Heard]) -> list[NDArray[Any]]:
    """Return the columns of new vertices, by their ids."""
    heard = [each for each in heard if each.asked.kind == "vertex"]
    if not heard:
        return []
    parts = joined(heard)
    order = np.argsort(parts[0])
    return [each[order] for each in parts[1:]]


def joined(heard: list[Heard]) -> list[NDArray[Any]]:
    """Return the components of what several calls add."""
    return [np.concatenate(both) for both in zip(*(each.parts for each in heard), strict=True)]
