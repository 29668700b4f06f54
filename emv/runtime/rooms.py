"""Rooms for messages whose number only a run can tell.

A run begins with some room, or with what an earlier one on the graph needed. Messages that find
none are counted and dropped, the run ends, and it begins anew with more room: it changes neither
the graph nor what it is given, so nothing of the first attempt is left. A piece of a run that the
host drives does change what earlier pieces made; that is put aside before, and put back.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def rooms_of(plan: Any) -> dict[str, int]:
    """Return the rooms that a run begins with, by name."""
    found = plan.compiled.rooms.get(plan.graph.layouts, {})
    return {
        name: max(plan.size(start), found.get(name, 0)) for name, start in plan.source.rooms.items()
    }


def grow(plan: Any, needs: dict[str, int]) -> None:
    """Remember what found no room, so that the run, begun anew, and later ones have it.

    At least twice the room, so that runs whose need grows begin anew rarely. What a device keeps
    for runs with less goes.
    """
    compiled, layouts = plan.compiled, plan.graph.layouts
    kept = compiled.rooms.setdefault(layouts, {})
    for name, need in needs.items():
        kept[name] = max(need, 2 * plan.rooms[name], kept.get(name, 0))
    compiled.residents.pop(layouts, None)


def put_aside(plan: Any, shared: dict[str, Any]) -> dict[str, Any]:
    """Return copies of the arrays that a piece of a run may change and may have to begin anew on.

    Parameters
    ----------
    shared : dict
        The arrays that earlier pieces made, by name.
    """
    if not plan.source.rooms:
        return {}
    named = {name: array for name, array in shared.items() if name in plan.source.buffers}
    return {name: _copied(plan, array) for name, array in named.items()}


def put_back(plan: Any, shared: dict[str, Any], kept: dict[str, Any]) -> None:
    """Put the copies back."""
    for name, copy in kept.items():
        if isinstance(copy, np.ndarray):
            shared[name][:] = copy
        else:
            plan.copy(shared[name], copy)


def _copied(plan: Any, array: Any) -> Any:
    if isinstance(array, np.ndarray):
        return array.copy()
    copy = plan.empty(array.size, array.dtype)
    plan.copy(copy, array)
    return copy
