"""A graph that a program changes while it runs: version after version, and the last one at the end.

Between two supersteps all that one asked for becomes a version (`emv.graph.versions`), so what has
index arrays keeps them, merged. Where too much changes for that, the edges that are left and those
that come are put side by side, each array in one pass; on a GPU, where both lie there. Vertices
keep their ids as long as the program runs, since it holds them in columns and messages: who was
deleted is marked, has no edges, and stands in nobody's way; only when the run is over do those that
are left move together. Edges move together at once: the id of an edge is its place in the version.

The columns that a program works on are columns of the version, so that they change with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.device import Device, DeviceArray, Gone
from emv.errors import GraphError
from emv.graph.changes import Collected
from emv.graph.columns import EdgeColumns, NewRows
from emv.graph.growing_array import GrowingArray
from emv.graph.keys import Keys
from emv.graph.merged import MERGED, is_much
from emv.graph.on_device import DeviceColumn, lies_on_device, moved_to, on_host
from emv.graph.picked import Counted, Picked, Rows, as_array, put_all
from emv.graph.renumber import place_among
from emv.graph.splice import NOTHING
from emv.graph.store import Store
from emv.graph.versions import later
from emv.graph.widths import public_dtype

Key = tuple[str, str]
"""``vertex`` or ``edge``, and the name of a column."""

Columns = dict[Key, NDArray[Any]]

SORTED_BYTES = 48  # that a new edge takes while it is put in order on a device
ENDS_BYTES = 24  # that an edge takes beside its columns: two ends and a key


@dataclass
class Requests:
    """What a superstep asks for. Vertices are those there are, then the new ones.

    Attributes
    ----------
    src, dst : int32[n] or int64[n]
        Ends of new edges, in the order in which they are to stand.
    num_vertices : int
        How many vertices are new.
    columns : dict
        What the new edges and vertices have in each column of the program.
    edges_gone : bool[num_edges]
        Which edges are deleted.
    cleared, vertices_gone : bool[num_vertices]
        Of which vertices the edges go that begin there, or that they have; and which go themselves.
    """

    src: NDArray[Any]
    dst: Rows
    num_vertices: int
    columns: Mapping[Key, Rows]
    edges_gone: NDArray[np.bool_]
    cleared: NDArray[np.bool_]
    vertices_gone: NDArray[np.bool_]

    @property
    def is_empty(self) -> bool:
        """Whether nothing is asked for."""
        gone = self.edges_gone, self.cleared, self.vertices_gone
        return not (len(self.src) or self.num_vertices or any(map(np.any, gone)))


@dataclass
class RequestsThere:
    """What a superstep asks for of edges, on a device.

    Attributes
    ----------
    on : Device
        Where.
    src, dst, columns : DeviceArray, DeviceArray, dict
        New edges, as those of `Requests`.
    gone : Gone or None
        Which edges are deleted, if any are.
    """

    on: Device
    src: DeviceArray | None
    dst: DeviceArray | None
    columns: Mapping[Key, DeviceArray]
    gone: Gone | None

    @property
    def num_added(self) -> int:
        """How many edges are new."""
        return 0 if self.src is None else len(self.src)

    @property
    def num_gone(self) -> int:
        """How many edges are deleted."""
        return 0 if self.gone is None else self.gone.count

    @property
    def is_empty(self) -> bool:
        """Whether nothing is asked for."""
        return not (self.num_added or self.num_gone)


@dataclass
class Evolving:
    """The version that a program runs on.

    Attributes
    ----------
    store : Store
        What it runs on now; at first the graph that it was given.
    is_gone, num_gone : bool[num_vertices], int
        Who was deleted, and how many these are.
    dropped : int
        How many edges were to be added to vertices that are deleted.
    versions : int
        How often the graph has changed.
    began_there : bool
        Whether the edges of what it was given lie on a GPU; else the last version comes down.
    """

    store: Store
    is_gone: NDArray[np.bool_] = field(init=False)
    num_gone: int = 0
    dropped: int = 0
    versions: int = 0

    def __post_init__(self) -> None:
        self.is_gone = np.zeros(self.store.num_vertices, np.bool_)
        self.began_there = self.store.edges.ends().on_device is not None

    @property
    def num_vertices(self) -> int:
        """How many vertices are not deleted."""
        return len(self.is_gone) - self.num_gone

    def change(self, asked: Requests, columns: Mapping[Key, NDArray[Any]]) -> NDArray[np.bool_]:
        """Make the next version; return which edges are gone of those before.

        Parameters
        ----------
        columns : dict
            What the program's columns hold; those that it has not changed since the last version
            may be left out.
        """
        is_gone = np.append(
            self.is_gone | asked.vertices_gone, np.zeros(asked.num_vertices, np.bool_)
        )
        goes = self._edges_that_go(asked, is_gone)
        num_changed = int(np.count_nonzero(goes)) + len(asked.src)
        if is_gone.any() or asked.num_vertices or not is_much(num_changed, len(goes)):
            self._merge(asked, columns, goes, is_gone)
        else:
            self._put_together(asked, columns, goes)
        self.versions += 1
        return goes

    def _merge(
        self,
        asked: Requests,
        columns: Mapping[Key, NDArray[Any]],
        goes: NDArray[np.bool_],
        is_gone: NDArray[np.bool_],
    ) -> None:
        """Make the next version of the one before, with its index arrays."""
        self._hold(columns)
        store, new = self.store, {key: as_array(each) for key, each in asked.columns.items()}
        ends = asked.src, as_array(asked.dst)
        stays = ~(is_gone[ends[0]] | is_gone[ends[1]])
        said = Collected(store.num_vertices + asked.num_vertices, self._labels(asked.num_vertices))
        said.edges_gone.append(np.flatnonzero(goes))
        if asked.num_vertices:
            self._forget_others("vertex", new)
            rows = {name: each for (kind, name), each in new.items() if kind == "vertex"}
            checked = store.vertices.checked_rows(asked.num_vertices, rows)
            said.vertices.append((asked.num_vertices, checked))
        if stays.any():
            self._forget_others("edge", new)
            self._add_edges(said, ends, new, stays)
        self.store, _ = later(store, said)
        self.is_gone, self.num_gone = is_gone, int(np.count_nonzero(is_gone))
        self.dropped += len(stays) - int(np.count_nonzero(stays))

    def _put_together(
        self, asked: Requests, columns: Mapping[Key, NDArray[Any]], goes: NDArray[np.bool_]
    ) -> None:
        """Make the next version of the edges that are left and the new ones, without index arrays.

        The columns of the vertices pass into it, as nobody has the version before any more.
        """
        self._hold({key: each for key, each in columns.items() if key[0] == "vertex"})
        store, added = self.store, len(asked.src)
        left = np.flatnonzero(~goes)
        made, jobs = Store(store.directed), list[tuple[NDArray[Any], Rows]]()

        def joined(old: NDArray[Any], new: Rows, dtype: np.dtype[Any]) -> NDArray[Any]:
            values = np.empty(len(left) + added, dtype)
            jobs.append((values[: len(left)], Picked(old, left)))
            jobs.append((values[len(left) :], new))
            return values

        ends = zip(store.edges.endpoints(), (asked.src, asked.dst), strict=True)
        src, dst = (joined(old, new, old.dtype) for old, new in ends)
        rows = {}
        names = [*store.edges, *(name for kind, name in columns if kind == "edge")]
        for name in dict.fromkeys(names):
            new = asked.columns.get(("edge", name), goes[:0])
            if len(new) == added:  # else new edges have no value there
                old = columns.get(("edge", name))
                old = store.edges.stored(name) if old is None else old
                rows[name] = joined(old, new, old.dtype)
        made.keys = store.keys
        if len(left) < len(goes) or not store.keys.are_ids:
            first = store.keys.next_edge(len(goes))
            known = store.keys.read(len(goes))
            keys = joined(known, Counted(first, added), public_dtype(first + added))
            made.keys = Keys.restored(keys, first + added, store.keys.next_vertex)
        put_all(jobs)
        made.vertices, made.edges = store.vertices, EdgeColumns(store.vertices)
        made.edges.take_edges(src, dst, {name: GrowingArray(each) for name, each in rows.items()})
        made.labels, self.store = store.labels, made

    def is_made_there(self, added: int, gone: Gone | None, free_bytes: int) -> bool:
        """Return whether a device makes the next version: no index arrays are to be merged.

        It must have room for so many new edges, sorted, and for all beside those of before.
        """
        edges = self.store.edges
        rows = ENDS_BYTES + sum(self.there(("edge", name)).itemsize for name in edges)
        if SORTED_BYTES * added + 2 * rows * (len(edges) + added) > free_bytes:
            return False
        num_changed = added + (0 if gone is None else gone.count)
        if not self.store.has_layouts or is_much(num_changed, len(edges)):
            return True
        layouts = self.store.layouts
        is_built = any(each.made for each in layouts.placed.values())
        return not (is_built or any(map(layouts.has, MERGED)))

    def change_there(self, asked: RequestsThere, columns: Mapping[Key, Any]) -> None:
        """Make the next version on a device, without index arrays; see `_put_together`."""
        self._hold({key: each for key, each in columns.items() if key[0] == "vertex"})
        store, on, added = self.store, asked.on, asked.num_added
        held, more = list(store.edges.ends().on(on)), list[Any]([asked.src, asked.dst])
        names = [*store.edges, *(name for kind, name in columns if kind == "edge")]
        rows = dict[str, Any]()
        for name in dict.fromkeys(names):
            new = asked.columns.get(("edge", name))
            if new is not None or not added:  # else new edges have no value there
                rows[name] = len(held)
                old = columns.get(("edge", name))
                held.append(moved_to(on, self.there(("edge", name)) if old is None else old))
                more.append(new)
        left = held if asked.gone is None else asked.gone.left_of(*held)
        made = Store(store.directed)
        gone = NOTHING if asked.gone is None else asked.gone
        made.keys = store.keys.after_there(on, len(store.edges), gone, added)
        if added:
            pairs = zip(left, more, strict=True)
            left = [on.extended(old, on.convert(new, old.dtype)) for old, new in pairs]
        made.vertices, made.edges = store.vertices, EdgeColumns(store.vertices)
        of_edges: NewRows = {name: DeviceColumn(left[at], True) for name, at in rows.items()}
        made.edges.take_edges(left[0], left[1], of_edges)
        made.labels, self.store = store.labels, made
        self.versions += 1

    def there(self, key: Key) -> Any:
        """Return a column of the version where it lies."""
        columns = self.store.vertices if key[0] == "vertex" else self.store.edges
        on_device = columns.on_device(key[1])
        return columns.stored(key[1]) if on_device is None else on_device

    def last(self, columns: Mapping[Key, NDArray[Any]]) -> Store:
        """Return the version that is left, without the deleted vertices, and these columns."""
        self._hold(columns)
        if not self.began_there and self.store.edges.ends().on_device is not None:
            self.store = _brought_down(self.store)
        if not self.is_gone.any():
            return self.store
        said = Collected(self.store.num_vertices, self._labels(0))
        said.vertices_gone.append(np.flatnonzero(self.is_gone))
        return later(self.store, said)[0]

    def column(self, key: Key) -> NDArray[Any]:
        """Return a column of the version, to be copied before it is changed."""
        columns = self.store.vertices if key[0] == "vertex" else self.store.edges
        return columns.stored(key[1])

    def _hold(self, columns: Mapping[Key, NDArray[Any]]) -> None:
        """Have the columns of the program, in a store of the run's own."""
        if not self.versions:
            self.store = _own(self.store)
        for (kind, name), values in columns.items():
            store = self.store.vertices if kind == "vertex" else self.store.edges
            if lies_on_device(values):
                store[name] = values
            elif name not in store or store.stored(name) is not values:
                store.adopt(name, np.array(values))

    def _edges_that_go(self, asked: Requests, is_gone: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which edges go: deleted, of a cleared vertex, or of one that is gone."""
        src, dst = self.store.edges.endpoints()
        goes = asked.edges_gone
        if asked.cleared.any():
            goes = goes | asked.cleared[src]
            goes = goes if self.store.directed else goes | asked.cleared[dst]
        return goes | is_gone[src] | is_gone[dst] if asked.vertices_gone.any() else goes

    def _add_edges(
        self,
        said: Collected,
        ends: tuple[NDArray[Any], NDArray[Any]],
        new: Columns,
        stays: NDArray[np.bool_],
    ) -> None:
        def left(values: NDArray[Any]) -> NDArray[Any]:
            return values if stays.all() else values[stays]

        dtype = public_dtype(said.num_vertices)
        rows = {name: left(each) for (kind, name), each in new.items() if kind == "edge"}
        src, dst = (left(each).astype(dtype, copy=False) for each in ends)
        said.edges.append((src, dst, self.store.edges.checked_rows(len(src), rows)))

    def _forget_others(self, kind: str, known: Columns) -> None:
        """Leave out columns that the program does not speak of: what is new has no value there."""
        columns = self.store.vertices if kind == "vertex" else self.store.edges
        for name in [name for name in columns if (kind, name) not in known]:
            del columns[name]

    def _labels(self, num_new: int) -> Any:
        """Return the labels of the next version, before any are lost."""
        if self.store.labels is None:
            return None
        labels, first = self.store.labels.twin(), self.store.keys.next_vertex
        if num_new and first is None:
            raise GraphError(
                "the vertices of this graph have labels, and those that a program adds have none",
                remedy="Run it on a graph without labels: the same edges by their ids.",
            )
        if num_new and first is not None:
            labels.append_numbers(first, num_new)
        return labels


def ids_now(ids: NDArray[np.int64], is_gone: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return what those are called by now that are left, where others move together.

    Examples
    --------
    >>> ids_now(np.array([3, 0, 1]), np.array([True, False, False, False]))
    array([2, 0])
    """
    left = ids[~is_gone[ids]]
    return place_among(~is_gone)[left] if len(left) else left


def _own(store: Store) -> Store:
    """Return a store of the same vertices and edges, whose columns can be set by themselves."""
    made = Store(store.directed, store.edges.growing_ends.twin())
    made.vertices.take_over(store.vertices, store.num_vertices, None)
    made.edges.take_over(store.edges, len(store.edges), None)
    made.labels, made.keys = store.labels, store.keys
    if store.has_layouts:
        layouts = store.layouts
        built = {name: layouts.array(name) for name in MERGED if layouts.has(name)}
        made.layouts.take_merged(layouts, built, {})
    return made


def _brought_down(store: Store) -> Store:
    """Return a store whose edges lie on a GPU as one on the host."""
    made = Store(store.directed)
    made.vertices, made.edges = store.vertices, EdgeColumns(store.vertices)
    rows: NewRows = {name: GrowingArray(on_host(store.edges[name])) for name in store.edges}
    made.edges.take_edges(*store.edges.endpoints(), rows)
    made.labels, made.keys = store.labels, store.keys
    return made
