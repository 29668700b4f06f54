"""What all runs of a program on a graph at one place have in common, kept for the next one.

A run asks of a graph, of a text and of a place what none of them changes: how long arrays are,
which columns are filled with which number, where the index arrays lie. To ask again takes longer
than a small run. What is kept goes with the layouts of the graph, which growth replaces, or with
the kernels, which a new meaning of a name replaces (`emv.runtime.meant`); so it holds neither, and
nothing of a run: columns of the graph and all arguments are looked at anew in each.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from emv.runtime.arrays.table import Counts, is_small
from emv.runtime.parameters import Left

MOST_PLANS = 64
"""Of so many calls with other arguments the plans are kept, for one graph."""

Compiled = Any
"""A program of `emv.runtime.compile`, which stands above."""
Plan = Any
"""A plan of `emv.runtime.arrays.plan`, which stands above."""


class Prepared:
    """What is known of the runs of a program on a graph at a place.

    Attributes
    ----------
    store : Store
        What of the graph stays there.
    counts : Counts
        What sizes mean, but for what differs from run to run.
    is_small : bool
        Whether a run takes so little memory that nobody asks how much there is.
    supplies : dict
        Where columns come from, as far as the text alone says it.
    fills : dict
        Of columns that begin with a number of the text: their entries, type and that number.
    idle : dict
        The residents that no run has, by the rooms that they have.
    """

    def __init__(self, plan: Plan) -> None:
        target = plan.target
        self.store = target.store(plan.graph.layouts)
        self.counts = Counts(plan.graph, plan.copies, plan.whole.num_arcs)
        self.counts.update(target.workers(self.counts.entries()))
        self.is_small = not plan.table.rooms and is_small(plan.table, self.counts)
        self.counts.keep(plan.table.varying)
        self.supplies: dict[tuple[str, str], Any] = {}
        self.fills: dict[str, tuple[int, np.dtype[Any], Any]] = {}
        self.idle: dict[tuple[int, ...], list[Any]] = {}


def prepared_for(plan: Plan) -> Prepared:
    """Return what is known of the runs of a plan's program on its graph, where it is called."""
    known: dict[Any, Prepared] = plan.compiled.prepared.setdefault(plan.whole.layouts, {})
    place = plan.target.place, plan.hops
    found = known.get(place)
    return known.setdefault(place, Prepared(plan)) if found is None else found


def plans_left(compiled: Compiled, call: Any) -> list[Plan] | None:
    """Return the plans that runs with the same arguments left for others on a graph; None of some.

    Calls of plain numbers and words have the same arguments where they are equal. Lists are looked
    at in each call, rooms for messages may have grown since, and parts have plans of their own.
    """
    arguments, target, met = call.arguments, call.target, call.met
    if not arguments.is_known or compiled.table.rooms or target.part_of or target.num_parts > 1:
        return None
    known: dict[Any, Left] = compiled.plans.setdefault(call.graph.layouts, {})
    key = id(arguments), target.place  # plans hold what they are known by
    found = known.get(key)
    if found is None:
        if len(known) >= MOST_PLANS:
            known.clear()
        found = known.setdefault(key, Left())
    if met is not None and met.compiled is compiled and met.layouts() is call.graph.layouts:
        met.left = weakref.ref(found)
    return found
