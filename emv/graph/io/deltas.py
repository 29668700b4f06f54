"""What a later version of a stored graph has that the one before has not, as arrays of a folder.

::

    vertices_gone  edges_gone        rows of the version before, ascending
    src  dst  keys                   the new edges: ends, as ids of the version, and keys
    labels, or labels.json           what the new vertices are called, where vertices have labels
    vertices.NAME  edges.NAME        columns of the new rows
    whole.vertices.NAME  ...         columns that are others by now, or new: all rows

Whether it is a later version is compared (`emv.graph.common`), and so are columns, by their bits.
What is not such is written whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.graph.carried import with_difference
from emv.graph.columns import Columns, NewRows
from emv.graph.common import common_with
from emv.graph.difference import Difference
from emv.graph.growing_array import GrowingArray
from emv.graph.io.contents import WHOLE, Delta
from emv.graph.keys import Keys
from emv.graph.labels import Labels
from emv.graph.store import Store
from emv.graph.widths import public_dtype

Arrays = dict[str, NDArray[Any]]


def delta_of(old: Store, new: Store) -> Arrays | None:
    """Return what a later version changes; None if it is no later version.

    Labels of new vertices are whole numbers or objects.

    Examples
    --------
    >>> from emv.graph.changes import Changes
    >>> from emv.graph.versions import later
    >>> old = Store(directed=True)
    >>> change = Changes(old, later)
    >>> _ = change.add_vertices(2), change.add_edges([0, 1], [1, 0])
    >>> delta = delta_of(old, change.close())
    >>> delta["src"], delta["keys"], len(delta["edges_gone"])
    (array([0, 1], dtype=int32), array([0, 1], dtype=int32), 0)
    """
    common = common_with(old, new)
    if common is None:
        return None
    vertices, edges = common.vertices, np.asarray(common.edges)
    num_left, ends = (len(vertices), len(edges)), new.edges.endpoints()
    if (new.edge_keys[num_left[1] :] < old.keys.next_edge(len(old.edges))).any():
        return None  # a key of another line of versions, which was given to an edge that is gone
    arrays: Arrays = {
        "vertices_gone": np.delete(np.arange(old.num_vertices), vertices),
        "edges_gone": common.edges_gone(len(old.edges)),
        "src": ends[0][num_left[1] :],
        "dst": ends[1][num_left[1] :],
        "keys": new.edge_keys[num_left[1] :],
    }
    if new.labels is not None:
        arrays["labels"] = new.labels.read()[num_left[0] :]
    arrays |= _columns(old.vertices, new.vertices, vertices, "vertices")
    return arrays | _columns(old.edges, new.edges, edges, "edges")


def _columns(old: Columns, new: Columns, left: NDArray[np.int64], kind: str) -> Arrays:
    """Return the columns of new rows; whole ones where the rows that are left have others."""
    found: Arrays = {}
    for name in new:
        values = new.stored(name)
        was = old.stored(name) if name in old else None
        is_kept = was is not None and was.dtype == values.dtype
        if is_kept and was is not None:
            bits = np.dtype(f"u{values.dtype.itemsize}")
            kept = was if len(left) == len(was) else was[left]
            is_kept = np.array_equal(kept.view(bits), values[: len(left)].view(bits))
        found[f"{kind}.{name}" if is_kept else f"{WHOLE}{kind}.{name}"] = (
            values[len(left) :] if is_kept else values
        )
    return found


def with_delta(old: Store, arrays: Mapping[str, NDArray[Any]], delta: Delta) -> Store:
    """Return the version that a delta makes of the one before.

    Raises
    ------
    ValueError
        If the arrays are no such delta.
    GraphError
        If a label is there twice.
    """
    left = [
        np.delete(np.arange(size), _gone(arrays[f"{kind}_gone"], size))
        for kind, size in (("vertices", old.num_vertices), ("edges", len(old.edges)))
    ]
    num_new = delta.num_vertices - len(left[0]), delta.num_edges - len(left[1])
    _check_new(arrays, delta, num_new, old)
    table = None
    if len(arrays["vertices_gone"]):
        table = np.zeros(old.num_vertices, public_dtype(delta.num_vertices))
        table[left[0]] = np.arange(len(left[0]))
        stays = [np.isin(each[left[1]], left[0]).all() for each in old.edges.endpoints()]
        if not all(stays):
            raise ValueError("edges stay whose ends are gone")
    difference = Difference(
        arrays["vertices_gone"],
        num_new[0],
        arrays["edges_gone"],
        arrays["src"].astype(public_dtype(delta.num_vertices)),
        arrays["dst"].astype(public_dtype(delta.num_vertices)),
        table,
    )
    rows = [
        _new_rows(columns, arrays, kind, count)
        for columns, kind, count in zip(
            (old.vertices, old.edges), ("vertices", "edges"), num_new, strict=True
        )
    ]
    made = with_difference(old, difference, rows[0], rows[1])
    _put_columns(made.vertices, arrays, "vertices")
    _put_columns(made.edges, arrays, "edges")
    made.labels = _labels(old, arrays, left[0]) if delta.has_labels else None
    made.keys = _keys(old, arrays["keys"], left[1], delta)
    return made


def _gone(rows: NDArray[Any], size: int) -> NDArray[np.int64]:
    if rows.dtype != np.int64 or (len(rows) and (rows[0] < 0 or rows[-1] >= size)):
        raise ValueError("rows are gone that there are not")
    if (rows[1:] <= rows[:-1]).any():
        raise ValueError("rows are gone in no order")
    return rows


def _check_new(
    arrays: Mapping[str, NDArray[Any]], delta: Delta, num_new: tuple[int, int], old: Store
) -> None:
    """Raise a ValueError if what is new has not as many rows as it should, or no vertex's ids."""
    for name, values in arrays.items():
        bare, is_whole = name.removeprefix(WHOLE), name.startswith(WHOLE)
        of_vertices = bare.startswith(("vertices.", "labels"))
        counts = (delta.num_vertices, delta.num_edges) if is_whole else num_new
        if not name.endswith("_gone") and len(values) != counts[0 if of_vertices else 1]:
            raise ValueError(f"{name} has {len(values)} entries")
        if values.dtype == np.bool_ and (values.view(np.uint8) > 1).any():
            raise ValueError(f"{name} holds what is neither true nor false")
    for end in (arrays["src"], arrays["dst"]):
        if end.dtype.kind != "i" or (
            len(end) and not 0 <= int(end.min()) <= int(end.max()) < delta.num_vertices
        ):
            raise ValueError("an edge ends at no vertex")
    keys = arrays["keys"]
    first = old.keys.next_edge(len(old.edges))
    if keys.dtype.kind != "i" or (keys[1:] <= keys[:-1]).any():
        raise ValueError("keys do not ascend")
    if len(keys) and not first <= int(keys[0]) <= int(keys[-1]) < delta.next_edge:
        raise ValueError("keys are given twice")


def _new_rows(
    columns: Columns, arrays: Mapping[str, NDArray[Any]], kind: str, count: int
) -> NewRows:
    """Return the new rows of all columns there were; zeros for those that are others now."""
    rows: NewRows = {}
    for name in columns:
        dtype = columns.stored(name).dtype
        values = arrays.get(f"{kind}.{name}")
        if values is not None and values.dtype != dtype:
            raise ValueError(f"{kind}.{name} is {values.dtype}, and was {dtype}")
        rows[name] = GrowingArray(np.zeros(count, dtype) if values is None else values)
    return rows


def _put_columns(columns: Columns, arrays: Mapping[str, NDArray[Any]], kind: str) -> None:
    """Leave columns out that are not there any more, and have those that are others."""
    for name in list(columns):
        if f"{kind}.{name}" not in arrays:
            del columns[name]
    for name, values in arrays.items():
        if name.startswith(f"{kind}.") and name.removeprefix(f"{kind}.") not in columns:
            raise ValueError(f"the column {name} was not there before")
        if name.startswith(f"{WHOLE}{kind}."):
            columns.adopt(name.removeprefix(f"{WHOLE}{kind}."), values)


def _labels(old: Store, arrays: Mapping[str, NDArray[Any]], left: NDArray[np.int64]) -> Labels:
    """Return the labels of the vertices that are left and of the new ones."""
    if "labels" not in arrays:
        raise ValueError("the labels are missing")
    names = Labels(np.arange(old.num_vertices)) if old.labels is None else old.labels.twin()
    if len(left) < len(names):
        names = names.of_rows(left).twin()
    names.extend(arrays["labels"])
    return names


def _keys(old: Store, added: NDArray[Any], left: NDArray[np.int64], delta: Delta) -> Keys:
    """Return the keys of the version."""
    count = len(left) + len(added)
    is_plain = len(left) == len(old.edges) and old.keys.are_ids and delta.next_edge == count
    edges = None
    if not is_plain:
        dtype = public_dtype(delta.next_edge)
        edges = np.concatenate([old.edge_keys[left].astype(dtype), added.astype(dtype)])
    return Keys.restored(edges, delta.next_edge, delta.next_vertex)
