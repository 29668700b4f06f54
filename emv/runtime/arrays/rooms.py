"""Rooms for messages whose number only a run can tell.

A run begins with some room, or with what an earlier one on the graph needed. Messages that find
none are counted and dropped, the run ends, and it begins anew with more room: it changes neither
the graph nor what it is given, so nothing of the first attempt is left. A piece of a run that the
host drives does change what earlier pieces made; that is put aside before, and put back.
"""

from __future__ import annotations

from typing import Any

from emv.runtime.arrays.plan import Plan


def grow(plan: Plan, needs: dict[str, int]) -> None:
    """Remember what found no room, so that the run, begun anew, and later ones have it.

    At least twice the room, so that runs whose need grows begin anew rarely. What is kept for runs
    with less goes.
    """
    compiled, layouts = plan.compiled, plan.graph.layouts
    kept = compiled.rooms.setdefault(layouts, {})
    for name, need in needs.items():
        kept[name] = max(need, 2 * plan.counts[name], kept.get(name, 0))
    compiled.residents.pop(layouts, None)


def put_aside(plan: Plan, shared: dict[str, Any]) -> dict[str, Any]:
    """Return copies of the arrays that a piece of a run may change and may have to begin anew on.

    Parameters
    ----------
    shared : dict
        The arrays that earlier pieces made, by name.
    """
    if not plan.table.rooms:
        return {}
    named = {name: array for name, array in shared.items() if name in plan.table.arrays}
    return {name: plan.target.copied(array, array) for name, array in named.items()}


def put_back(plan: Plan, shared: dict[str, Any], kept: dict[str, Any]) -> None:
    """Put the copies back."""
    for name, copy in kept.items():
        plan.target.copy(shared[name], copy)
