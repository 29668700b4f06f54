"""Give a later version the index arrays of the one before: on the host, and on devices.

What was built is merged (`emv.graph.merge`, and `emv.device.Device.merged`), nothing else.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from emv.device import device_named
from emv.errors import ColumnError
from emv.forms import Shape
from emv.graph.cast import cast_column
from emv.graph.difference import Ahead, Difference, LateEnds
from emv.graph.ends import Ends
from emv.graph.merge import Merge
from emv.graph.on_device import device_array

if TYPE_CHECKING:
    from emv.graph.layouts import Layouts
    from emv.graph.store import Store

MERGED = (
    "out_first",
    "out_other",
    "src_of_arc",
    "edge_of_arc",
    "in_first",
    "in_other",
    "arc_of_slot",
    "slot_of_arc",
    "edge_of_slot",
)
"""The arrays that are merged: what is made of them, such as the order of a pull, is made anew."""

FEW_CHANGED = 2**14  # edges that are always merged
MOST_CHANGED = 8  # of how many edges one may change, else everything is sorted anew


def is_much(num_changed: int, num_edges: int) -> bool:
    """Return whether so many edges change that sorting anew is sooner done than looking them up."""
    return num_changed > max(FEW_CHANGED, num_edges // MOST_CHANGED)


def merge_layouts(old: Layouts, new: Layouts, difference: Difference) -> None:
    """Give the layouts of a version what those of the version before had built.

    Nothing is given where ids or offsets have another width by now, or where so much changed that
    sorting anew is sooner done than looking up what goes and comes; then, as in any new graph, the
    arrays are built when they are asked for.
    """
    _count_arcs(old, new, difference)
    _merge_placed(old, new, difference)
    _take_columns(new)
    if not old.has("out_first"):
        return
    same_width = (old.vertex_dtype, old.arc_dtype) == (new.vertex_dtype, new.arc_dtype)
    changed = difference.num_gone + difference.num_added
    if not same_width or is_much(changed, old.num_edges):
        return
    merge = Merge(old, new, difference)
    arrays = {name: getattr(merge, name)() for name in _names(old, new)}
    new.take_merged(old, arrays, dict(_columns(merge)))
    if not old.directed and "num_forward" in vars(old):
        new.num_forward = merge.num_forward()


def merge_ahead(store: Store, difference: Difference) -> None:
    """Let devices merge the index arrays that they have, and be at work while Python does the rest.

    That is where the counts of the version are known from those of the one before. What is not
    done here, `merge_layouts` does. If no device asks on the way whether new ends are vertices, it
    is asked now.
    """
    _begin(store, difference)
    if difference.look is not None and difference.look.wrong is None:
        difference.look.check()


def _begin(store: Store, difference: Difference) -> None:
    if not store.has_layouts:
        return
    old = store.layouts
    num_before = old.num_edges
    num_edges = num_before + difference.num_added - difference.num_gone
    num_arcs = _known_arcs(old, difference, num_edges)
    if num_arcs is None:
        return
    num_vertices = old.num_vertices + difference.num_new_vertices
    shape = Shape(num_vertices, num_edges, num_arcs, old.directed, arcs_are_edges=False)
    ahead = difference.ahead = Ahead({}, LateEnds())
    for label, rows in old.placed.items():
        device = rows.on.face or device_named(label)
        change = difference.on(device, num_before)
        merged = device.merged(rows, shape, functools.partial(ahead.late.on, device), change)
        if merged is not None:
            ahead.placed[label] = merged


def _known_arcs(old: Layouts, difference: Difference, num_edges: int) -> int | None:
    """Return how many arcs so many edges have; None where that, or their order, is to be asked."""
    known = vars(old.ends)
    if old.directed:
        return None if known.get("is_sorted", True) else num_edges
    num_before = num_edges + difference.num_gone - difference.num_added
    if "num_loops" not in known or old.num_arcs == num_before:
        return None
    more = _more_loops(old, difference)
    num_arcs = num_edges if more is None else 2 * num_edges - old.ends.num_loops - more
    return None if num_arcs == num_edges else num_arcs


def _merge_placed(old: Layouts, new: Layouts, difference: Difference) -> None:
    """Do the same on every device where the version before has index arrays.

    Those of a version that has lost vertices are built there when they are asked for.
    """
    if difference.ahead is not None:
        difference.ahead.late.ends = new.ends
        new.placed.update(difference.ahead.placed)
        return
    if len(difference.vertices_gone):
        return
    for label, rows in old.placed.items():
        device = device_named(label)
        change = difference.on(device, old.num_edges)
        merged = device.merged(rows, new.shape, functools.partial(new.ends.on, device), change)
        if merged is not None:
            new.placed[label] = merged


def _take_columns(new: Layouts) -> None:
    """Let devices put columns in the order in which the version before has them."""
    for label, rows in new.placed.items():
        if rows.follows is not None:
            device_named(label).take_columns(rows, new.column_there)


def _count_arcs(old: Layouts, new: Layouts, difference: Difference) -> None:
    """Note the number of arcs, for which all edges would be looked at otherwise."""
    if new.ends.on_device is not None:
        new.ends.follow(old.ends, _more_loops(old, difference))
        return
    if not difference.num_gone and old.num_arcs == old.num_edges and not _ascends(old, difference):
        new.arcs_are_edges = False  # for which all edges would be read and put in place
    gone, src, dst = difference.edges_gone, difference.src, difference.dst
    if old.directed or "num_arcs" not in vars(old) or 2 * len(gone) > old.num_edges:
        return  # where few edges are left, they are sooner looked at than those that go
    num_gone = len(gone) + np.count_nonzero(old.ends.src[gone] != old.ends.dst[gone])
    num_added = len(src) + np.count_nonzero(src != dst)
    new.num_arcs = old.num_arcs + int(num_added) - int(num_gone)


def _ascends(old: Layouts, difference: Difference) -> bool:
    """Return whether edges may be sorted by src when others follow: no order comes back."""
    if not old.arcs_are_edges or not difference.num_added:
        return old.arcs_are_edges
    is_behind = len(difference.vertices_gone) or old.ends.src[-1:] <= difference.src[0]
    return bool(np.all(is_behind)) and Ends(difference.src, difference.dst).is_sorted


def _more_loops(old: Layouts, difference: Difference) -> int | None:
    """Return how many more loops there are by now; None where nobody needs to know."""
    if not difference.num_gone:
        return difference.num_loops
    ends, loops = old.ends.on_device, difference.num_loops
    if old.directed or ends is None or loops is None or isinstance(difference.gone, np.ndarray):
        return None
    if difference.num_arcs_gone is None:
        equal = difference.gone.num_loops
        if equal is None:
            equal = difference.gone.num_equal(*map(device_array, ends))
        difference.num_arcs_gone = 2 * difference.num_gone - equal
    return loops + difference.num_arcs_gone - 2 * difference.num_gone


def _names(old: Layouts, new: Layouts) -> list[str]:
    """Return the arrays that the version before had; those that are others' views not."""
    names = {name for name in MERGED if old.has(name)}
    if old.arcs_are_edges:
        names |= {"edge_of_arc"} if old.has("out_other") else set()
        names |= {"edge_of_slot"} if old.has("arc_of_slot") else set()
    if new.arcs_are_edges:
        names -= {"out_other", "src_of_arc", "edge_of_arc", "edge_of_slot"}
    return sorted(names)


def _columns(merge: Merge) -> Iterator[tuple[tuple[str, str, str], NDArray[Any]]]:
    """Give the edge columns that were kept in some order, in that order."""
    num_left = merge.old.num_edges - len(merge.difference.edges_gone)
    for key, was, values in merge.old.kept_columns():
        name, dtype, order = key
        stored = merge.new.stored_column(name)
        shared = merge.new.shares_column(stored.dtype, np.dtype(dtype), order)
        if order not in ("edge", "arc", "slot") or stored.dtype != was or shared:
            continue
        try:
            added = cast_column(name, stored[num_left:], np.dtype(dtype))
        except ColumnError:
            continue  # the program that declares it so will say what does not fit
        yield key, merge.column(values, added, order)
