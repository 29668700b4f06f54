"""What a version of a graph has that the one before has not, and its new arcs in rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emv.device import Device, DeviceArray, EdgeChange, Gone, Indexed, device_of
from emv.forms import Begun, Look
from emv.graph import build
from emv.graph.on_device import moved_to, on_host
from emv.graph.splice import NOTHING, Splice

if TYPE_CHECKING:
    from emv.graph.ends import Ends


class LateEnds:
    """The ends of a version's edges, as soon as there are any."""

    ends: Ends

    def on(self, device: Device) -> tuple[DeviceArray, DeviceArray]:
        """Return both on a device."""
        return self.ends.on(device)


class Ahead(NamedTuple):
    """Index arrays of a version that devices merge before anything else of it is made.

    They know of its ends, but not the other way round, so that nothing stays that nobody holds.
    """

    placed: dict[str, Indexed]
    late: LateEnds


class Difference:
    """What a version has that the one before has not, and the other way round.

    Parameters
    ----------
    vertices_gone : int64[n]
        Ids of the version before, ascending.
    num_new_vertices : int
        Vertices behind those that are left.
    gone : int64[n] or Gone
        The edges that go: ids of the version before, ascending, on the host or a device.
    src, dst : int32|int64[num_added]
        The ends of the new edges, as ids of the version, on the host or a device.
    vertex_table : int32|int64[num_vertices] or None
        The id in the version of each vertex before; None where ids stay.

    Attributes
    ----------
    num_added, num_gone : int
        How many edges are new, and how many go.
    num_loops : int or None
        How many of the new edges are loops, if they lie on a device; None if nobody knows.
    look : Look or None
        What looks at the new edges' ends, if they lie on a device and nobody has.
    begun : Begun or None
        What a device has begun of the version.
    num_arcs_gone : int or None
        How many arcs the edges that go have, if that was counted.
    ahead : Ahead or None
        What devices have begun to merge.
    """

    def __init__(
        self,
        vertices_gone: NDArray[np.int64],
        num_new_vertices: int,
        gone: NDArray[np.int64] | Gone,
        src: Any,
        dst: Any,
        vertex_table: NDArray[Any] | None,
    ) -> None:
        self.vertices_gone, self.num_new_vertices = vertices_gone, num_new_vertices
        self.gone, self.ends, self.num_added = gone, (src, dst), len(src)
        self.num_gone = len(gone) if isinstance(gone, np.ndarray) else gone.count
        self.vertex_table = vertex_table
        self.num_loops: int | None = 0
        self.look: Look | None = None
        self.begun: Begun | None = None
        self.num_arcs_gone: int | None = None
        self.ahead: Ahead | None = None
        self._left: Splice | None = None

    @cached_property
    def edges_gone(self) -> NDArray[np.int64]:
        """The edges that go, int64[num_gone], on the host."""
        return self.gone if isinstance(self.gone, np.ndarray) else self.gone.numpy()

    def left(self, num_edges: int) -> Splice:
        """Return what leaves the edges that go out of an array of all edges before."""
        if self._left is None:
            self._left = Splice(num_edges, NOTHING, self.edges_gone)
        return self._left

    @cached_property
    def src(self) -> NDArray[Any]:
        """Where the new edges begin, on the host."""
        return on_host(self.ends[0])

    @cached_property
    def dst(self) -> NDArray[Any]:
        """Where the new edges point to, on the host."""
        return on_host(self.ends[1])

    def on(self, device: Device, num_edges: int) -> EdgeChange:
        """Return what happens to so many edges, on a device."""
        gone: Gone | None = None
        if not isinstance(self.gone, np.ndarray):
            gone = self.gone
        elif len(self.gone):
            gone = device.rows_gone(num_edges, [device.upload(self.gone)])
        src, dst = self.ends
        if self.begun is None or device is not device_of(src):
            src, dst = moved_to(device, src), moved_to(device, dst)
        return EdgeChange(src, dst, gone, self.num_arcs_gone, self.look, self.begun)


@dataclass(frozen=True)
class NewRows:
    """The arcs of new edges in rows.

    Attributes
    ----------
    parts : uint32|uint64[num_parts + 1]
        Where the parts of rows begin: a directed graph has one for each vertex, its row; an
        undirected one two, the arcs of a vertex's edges and then its ways back.
    part, other, edge : uint32|uint64[num_arcs]
        Of each arc its part, the receiver and the edge.
    directed : bool
        Whether every edge has one arc.
    """

    parts: NDArray[Any]
    part: NDArray[Any]
    other: NDArray[Any]
    edge: NDArray[Any]
    directed: bool

    @cached_property
    def first(self) -> NDArray[Any]:
        """Where each vertex's row begins."""
        return self.parts if self.directed else np.ascontiguousarray(self.parts[::2])

    @cached_property
    def row(self) -> NDArray[Any]:
        """The sender of each arc."""
        sender = self.part if self.directed else self.part >> 1
        return sender.astype(self.other.dtype, copy=False)


def new_rows(
    src: NDArray[Any],
    dst: NDArray[Any],
    directed: bool,
    num_vertices: int,
    dtype: np.dtype[Any],
    first_edge: int = 0,
) -> NewRows:
    """Return the arcs of new edges in rows.

    Parameters
    ----------
    src, dst : uint32|uint64[num_edges]
        The ends of the edges.
    directed : bool
        Whether every edge has one arc.
    num_vertices : int
        How many rows there are.
    dtype : dtype
        That of offsets.
    first_edge : int
        The id of the first of these edges.

    Examples
    --------
    >>> ends = np.array([1, 0], np.uint32), np.array([0, 0], np.uint32)
    >>> rows = new_rows(*ends, False, 2, np.dtype("u4"))
    >>> rows.first, rows.other, rows.edge
    (array([0, 2, 3], dtype=uint32), array([0, 1, 0], dtype=uint32), array([1, 0, 0], dtype=uint32))
    >>> rows.parts, rows.row
    (array([0, 1, 2, 3, 3], dtype=uint32), array([0, 0, 1], dtype=uint32))
    """
    if directed:
        made = build.sorted_rows(src, dst, num_vertices, dtype, number=first_edge)
    else:
        made = build.sorted_ends(src, dst, num_vertices, dtype, first_edge)
    parts, part, other, edge = made
    assert edge is not None  # asked for
    return NewRows(parts, part, other, edge, directed)
