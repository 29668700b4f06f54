"""Changes of a graph, collected and checked call by call, and made all at once: a later version.

Vertices are named by their labels where the graph has labels, else by their ids, and edges by
their keys: names stay what they are, while ids are places in one version. A truth value for each
vertex or edge of the version that is changed names them, too. Of one change removal beats
addition, as the calls have no order: what is added between vertices that are removed, or between
two of which the edges are removed, is dropped and counted (in Pregel additions come last; Malewicz
et al., SIGMOD 2010, section 3.4).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emv.device import DeviceArray, Gone
from emv.errors import GraphError
from emv.forms import Begun
from emv.graph.columns import NewRows
from emv.graph.grow import checked_count
from emv.graph.ids import own_ends, refuse_masked, whole_numbers
from emv.graph.labels import Labels
from emv.graph.named import as_labels, as_numbers, truth_values
from emv.graph.new_ends import LateLook, MiscountedError, ends_on_device, unseen_ends
from emv.graph.store import Store
from emv.graph.there import LateCount, begun_with, device_under, late_rows, rows_there
from emv.graph.widths import public_dtype

Made = TypeVar("Made")


@dataclass
class Collected:
    """What has been said in one change. Vertices are those there are, then the new ones."""

    num_vertices: int
    labels: Labels | None
    num_loops: int | None = 0  # of the new edges, where the others lie on a GPU; None if unknown
    look: LateLook | None = None  # at the new edges' ends, if nobody has looked
    vertices: list[tuple[int, NewRows]] = field(default_factory=list)
    edges: list[tuple[Any, Any, NewRows]] = field(default_factory=list)
    vertices_gone: list[NDArray[np.int64]] = field(default_factory=list)
    edges_gone: list[NDArray[np.int64] | Gone] = field(default_factory=list)
    pairs_gone: list[tuple[Any, Any]] = field(default_factory=list)
    count: LateCount | None = None  # of the edges that go, if nobody has counted them
    begun: Begun | None = None  # of the version, if a device is at work

    def wait(self, ends: DeviceArray) -> None:
        """Wait for what is done with new edges' ends, and hear of what nobody has looked at."""
        (self.look or ends).wait()
        if self.count is not None:
            self.count.check()


class Changes(Generic[Made]):
    """Changes of a graph that are made together, at the end of a ``with`` block.

    `Graph.changes` makes one. The calls are those of the graph; here they give names instead of
    graphs. A block that an error ends makes no version.

    Attributes
    ----------
    graph : Graph
        The later version, when the block is over.
    dropped : int
        Edges that were to be added but whose ends were removed, or the edges between them, by the
        same change; when the block is over.

    Examples
    --------
    >>> from emv.graph import Graph
    >>> g = Graph.from_edges([0, 1, 2], [1, 2, 0])
    >>> with g.changes() as c:
    ...     new = c.add_vertices(1)
    ...     c.remove_vertices([1])
    ...     keys = c.add_edges([0, 1], [new[0], 0])
    >>> c.graph, c.graph.labels, c.graph.edge_keys, c.dropped
    (Graph(3 vertices, 2 edges, directed), array([0, 2, 3]), array([2, 3], dtype=int32), 1)
    """

    def __init__(
        self,
        store: Store,
        make: Callable[[Store, Collected], tuple[Made, int]],
        is_one: bool = False,
    ) -> None:
        self._store, self._make, self._is_one = store, make, is_one
        self._seen = store.num_vertices, len(store.edges)
        labels = None if store.labels is None else store.labels.twin()
        self._collected = Collected(store.num_vertices, labels)
        self._next_key = store.keys.next_edge(len(store.edges))
        self._is_open = True
        self.graph: Made
        self.dropped: int

    def __repr__(self) -> str:
        made = self._collected
        added = sum(len(src) for src, *_ in made.edges), sum(count for count, _ in made.vertices)
        state = "open" if self._is_open else f"closed, {self.dropped} dropped"
        return f"Changes(+{added[0]} edges, +{added[1]} vertices, {state})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.close()
        self._is_open = False

    def close(self) -> Made:
        """Make the later version and return it; a ``with`` block does at its end."""
        self._check_open()
        made: tuple[Made, int] | None = None
        try:
            made = self._make(self._store, self._collected)
        except MiscountedError:  # so there are others than were made; all is known now
            self._collected.look = self._collected.count = self._collected.begun = None
        self.graph, self.dropped = made or self._make(self._store, self._collected)
        self._is_open = False
        return self.graph

    def find(self, names: ArrayLike) -> NDArray[np.int64]:
        """Return the vertices of names, those added here too; -1 where no vertex is called so.

        New ones have the ids that follow, which `remove_vertices` moves together at the end.
        """
        made = self._collected
        given = as_labels(names, "names")
        if made.labels is not None:
            return made.labels.find(given)
        ids = np.asarray(given)
        if ids.dtype.kind not in "iu":
            return np.full(len(given), -1)
        return np.where((ids >= 0) & (ids < made.num_vertices), ids, -1).astype(np.int64)

    def add_vertices(
        self, count: int, labels: ArrayLike | None = None, **columns: ArrayLike
    ) -> NDArray[Any]:
        """Add vertices and return their names: ids, or labels where the graph has labels."""
        self._check_open()
        made, store = self._collected, self._store
        count = checked_count(count, "count", made.num_vertices)
        rows = store.vertices.checked_rows(count, columns)
        first = made.num_vertices
        if store.labels is None and labels is None:
            names: NDArray[Any] = np.arange(first, first + count)
        else:
            names = self._new_labels(count, labels)
        made.num_vertices += count
        made.vertices.append((count, rows))
        return names

    def remove_vertices(self, vertices: ArrayLike) -> None:
        """Remove vertices, and with them all edges that begin or end there."""
        self._check_open()
        marked = truth_values(vertices, self._seen[0], "vertex")
        rows = self._rows_of(vertices, "vertices") if marked is None else np.flatnonzero(marked)
        self._collected.vertices_gone.append(rows)

    def add_edges(self, src: ArrayLike, dst: ArrayLike, **columns: ArrayLike) -> range:
        """Add edges and return their keys."""
        self._check_open()
        begins, points_to, num_loops = self._ends(src, dst)
        count = len(begins)
        rows = self._store.edges.checked_rows(count, columns)
        self._collected.edges.append((begins, points_to, rows))
        if num_loops is None or self._collected.num_loops is None:
            self._collected.num_loops = None
        else:
            self._collected.num_loops += num_loops
        first, self._next_key = self._next_key, self._next_key + count
        return range(first, self._next_key)

    def remove_edges(
        self,
        edges: ArrayLike | None = None,
        *,
        src: ArrayLike | None = None,
        dst: ArrayLike | None = None,
    ) -> None:
        """Remove edges by their keys, or all edges from each of `src` to that of `dst`."""
        self._check_open()
        if (edges is None) == (src is None) or (src is None) != (dst is None):
            raise GraphError(
                "edges are removed by their keys or by both their ends",
                remedy="give keys or truth values, or src= and dst=",
            )
        if src is not None and dst is not None:
            self._collected.pairs_gone.append(self._ends(src, dst)[:2])
            return
        if self._is_one and (late := late_rows(self._store, edges)) is not None:
            self._collected.count, self._collected.begun = late, late.begun
            self._collected.edges_gone.append(late.gone)
            return
        if (there := rows_there(self._store, edges)) is not None:
            self._collected.edges_gone.append(there)
            return
        marked = truth_values(edges, self._seen[1], "edge")
        if marked is None:
            rows = self._store.keys.rows_of(as_numbers(edges, "edge"), self._seen[1])
        else:
            rows = np.flatnonzero(marked)
        self._collected.edges_gone.append(rows)

    def _ends(self, src: ArrayLike, dst: ArrayLike) -> tuple[Any, Any, int | None]:
        """Return the ends of edges as vertices there are or are to be, and the number of loops.

        They stay on a GPU if the graph's edges lie on one, too. Of one call that makes a version
        by itself, `later` looks at them in a directed graph, where nobody needs the number; in
        others few edges are put among those there are at once, and looked at meanwhile.
        """
        made, directed = self._collected, self._store.directed
        if self._is_one and made.labels is None:
            look = unseen_ends(src, dst, made.num_vertices, self._next_key)
            begun = None if look is None else begun_with(self._store, look)
            if look is not None and begun is not None:
                made.begun, num_loops = begun
                made.look = look if directed else None
                return *look.ends, num_loops
            if look is not None and directed and device_under(self._store) is not None:
                made.look = look
                return *look.ends, None
        if made.labels is None and device_under(self._store) is not None:
            there = ends_on_device(src, dst, made.num_vertices, self._next_key)
            if there is not None:
                return there.src, there.dst, there.num_loops
        if made.labels is None:
            src, dst, _ = own_ends(src, dst, made.num_vertices, self._next_key)
        else:
            refuse_masked(src, "src")
            refuse_masked(dst, "dst")
            ends = self._rows_of(src, "src"), self._rows_of(dst, "dst")
            if len(ends[0]) != len(ends[1]):
                raise GraphError(
                    f"src has {len(ends[0])} labels and dst has {len(ends[1])}; "
                    "an edge needs one of each"
                )
            dtype = public_dtype(made.num_vertices)
            src, dst = (each.astype(dtype) for each in ends)
        counts = device_under(self._store) is not None
        return src, dst, int(np.count_nonzero(src == dst)) if counts else 0

    def _rows_of(self, names: Any, what: str) -> NDArray[np.int64]:
        """Return the vertices of names, among those there are and the new ones.

        Raises
        ------
        GraphError
            If there is none; the message names the first.
        """
        made = self._collected
        if made.labels is None:
            given = whole_numbers(names, what)
            rows = np.where((given >= 0) & (given < made.num_vertices), given, -1)
        else:
            given = as_labels(names, what)
            rows = made.labels.find(given)
        if (rows < 0).any():
            raise self._unknown(given[int(np.argmin(rows))], what)
        return rows.astype(np.int64)

    def _unknown(self, name: Any, what: str) -> GraphError:
        """Return the error of a vertex that is not there."""
        end = self._store.keys.next_vertex
        if end is not None and isinstance(name, int | np.integer) and 0 <= name < end:
            return GraphError(
                f"{what}: vertex {name} was removed before",
                remedy="name vertices of g.labels, which keep the ids that they began with",
            )
        if self._collected.labels is not None:
            return GraphError(
                f"{what}: no vertex has the label {name!r}",
                remedy="name vertices by their labels, g.labels[id], or give truth values",
            )
        there = f"0..{self._collected.num_vertices - 1}" if self._collected.num_vertices else "none"
        return GraphError(f"{what}: {name} is no vertex; the graph has vertices {there}")

    def _new_labels(self, count: int, labels: ArrayLike | None) -> NDArray[Any]:
        """Add labels of new vertices, given or the next numbers, and return them."""
        made, first = self._collected, self._store.keys.next_vertex
        if labels is None and first is not None and made.labels is not None:
            first += len(made.labels) - self._seen[0]
            made.labels.append_numbers(first, count)
            return np.arange(first, first + count)
        if first is not None or (self._store.labels is None and self._seen[0]):
            raise GraphError(
                "the vertices of this graph have no labels, but the new ones have",
                remedy="leave out labels=: new vertices are numbered on",
            )
        given = [] if labels is None else as_labels(labels, "labels")
        if len(given) != count:
            raise GraphError(
                f"{len(given)} labels given for {count} vertices of a graph that has labels",
                remedy="give labels=, one for each new vertex",
            )
        if made.labels is None:
            made.labels = Labels([])
        made.labels.extend(given)
        return made.labels.read()[len(made.labels) - count :]

    def _check_open(self) -> None:
        if self._is_one:
            return  # begun and ended by one call
        if not self._is_open:
            raise GraphError(
                "these changes have been made already",
                remedy="begin others: with graph.changes() as c",
            )
        if self._seen != (self._store.num_vertices, len(self._store.edges)):
            raise GraphError(
                "the graph has grown while its changes were collected",
                remedy="call add_vertex and add_edge before g.changes()",
            )
