"""Which index arrays a later version of a graph is given on a GPU, and which wait.

All that the version before has is merged (`merge`) when the call returns, but for what walks do not
need, which waits until somebody asks (`late`): the edges of arcs, and where edges lead both ways
whom arcs lead to. The rows of slots hold the same there, ascending by sender, and a walk that does
not depend on the order within rows goes along these (`emv.passes.mix_rows`). To merge them takes
nothing of arcs, neither their edges nor where the ways back begin in their rows.
"""

from __future__ import annotations

import functools

from emv.backends.cuda.array import DeviceArray
from emv.backends.cuda.by_arc import ByArc
from emv.backends.cuda.few_arcs import FewArcs
from emv.backends.cuda.few_gone import FewGone
from emv.backends.cuda.few_slots import FewSlots, few_slots, slots_suffice
from emv.backends.cuda.index_arrays import DeviceIndexArrays
from emv.backends.cuda.late import Late
from emv.backends.cuda.merge import BY_ARC, MERGED, ROWS, DeviceMerge
from emv.device import EdgeChange

SLOTS = ("out_first", "in_other")


def merged(
    old: DeviceIndexArrays, new: DeviceIndexArrays, change: EdgeChange
) -> DeviceIndexArrays | None:
    """Return the new index arrays with what the old ones have; None where that cannot be merged."""
    widths = [(each.vertex_dtype, each.arc_dtype) for each in (old, new)]
    if widths[0] != widths[1] or len(change) > old.num_edges:
        return None
    new.is_later, slots_alone = True, slots_suffice(old)
    begun = _begun(old, change, slots_alone and new.num_vertices == old.num_vertices)
    if begun is not None:
        begun.give(new, change)
        if isinstance(begun, FewSlots):
            new.made.update(_late_arcs(old, new, change, change.num_arcs_gone or 0))
        return new
    if slots_alone:
        _have_slots(old)
    merge = DeviceMerge(old, new, change, slots_alone)
    merge.look()
    for name in SLOTS if slots_alone else _names(old, new):
        new.made[name] = merge.array(name)
        if change.gone is not None and name not in ROWS:
            merge.finish()  # the GPU has nothing else to do meanwhile
    merge.finish()
    if slots_alone:
        new.made.update(_late_arcs(old, new, change, merge.num_arcs_gone))
    if change.gone is None:
        new.least_longest = old.least_longest
    if change.gone is None and old.by_arc and "out_other" in new.made:
        new.follows = ByArc(old, merge.arcs, merge.new_edges)
    return new


def _begun(
    old: DeviceIndexArrays, change: EdgeChange, can_begin: bool
) -> FewSlots | FewArcs | FewGone | None:
    """Return what a call has begun of a version, or what begins now, as few edges come."""
    begun = change.begun
    if isinstance(begun, FewSlots | FewArcs | FewGone) and begun.old is old:
        return begun
    if change.gone is not None or not can_begin:
        return None
    slots = few_slots(old, (change.src, change.dst))
    if slots is not None:
        slots.look()  # which was done before: it waits for little
    return slots


def _have_slots(old: DeviceIndexArrays) -> None:
    """Have the slots of a graph, for which those of its arcs served; what else is made goes."""
    before = {*old.made, "in_other"}
    old.array("in_other")
    old.made = {name: array for name, array in old.made.items() if name in before}


def _late_arcs(
    old: DeviceIndexArrays, new: DeviceIndexArrays, change: EdgeChange, num_arcs_gone: int
) -> dict[str, DeviceArray]:
    """Return arrays in the order of arcs that are made when somebody asks for them.

    They are made of those of the version before, if it has all that takes, and of the ends that
    versions keep: given ones are others' by then.
    """
    if "edge_of_arc" not in old.made:
        return {}
    names = ["out_other", "edge_of_arc"] if "out_other" in old.made else ["edge_of_arc"]
    later = LaterArcs(old.twin("out_first", *names), new.twin(), change, num_arcs_gone)
    return {
        name: Late(new.on, new.num_arcs, old.made[name].dtype, functools.partial(later.array, name))
        for name in names
    }


class LaterArcs:
    """Arrays of a version in the order of arcs, to be made of those of the version before.

    Parameters
    ----------
    old, new : DeviceIndexArrays
        Those of the version before that it takes, and of the version none.
    change : EdgeChange
        What changed; given ends are not held.
    num_arcs_gone : int
        How many arcs the edges that go have.
    """

    def __init__(
        self,
        old: DeviceIndexArrays,
        new: DeviceIndexArrays,
        change: EdgeChange,
        num_arcs_gone: int,
    ) -> None:
        self._rows, self._gone = (old, new), (change.gone, num_arcs_gone)
        self._num_added = change.src.size
        self._given = None if self._num_added else (change.src, change.dst)
        self._merge: DeviceMerge | None = None

    def array(self, name: str) -> DeviceArray:
        """Return one of them, put on the stream; asked by one thread at a time."""
        if self._merge is None:
            _, new = self._rows
            src, dst = self._given or (each[each.size - self._num_added :] for each in new.ends)
            self._merge = DeviceMerge(*self._rows, EdgeChange(src, dst, *self._gone))
        return self._merge.made_now(name)


def _names(old: DeviceIndexArrays, new: DeviceIndexArrays) -> list[str]:
    """Return the arrays that are merged, of those that there were: each after what it needs."""
    names = set(old.made) & set(MERGED)
    if old.arcs_are_edges:
        names |= {"edge_of_arc"} if "out_other" in names else set()
        names |= {"edge_of_slot"} if "arc_of_slot" in names else set()
    if new.arcs_are_edges:
        names -= {*BY_ARC, "edge_of_slot"}
    if "slot_of_arc" in names:
        names.add("arc_of_slot")
    return [name for name in MERGED if name in names]
