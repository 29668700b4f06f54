"""What a version of a graph has that the one before has not, and its new arcs in rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emv.config import config
from emv.device import Device, DeviceArray, EdgeChange, Gone, Indexed
from emv.graph.build import FIRST_COMPILED
from emv.graph.on_device import moved_to, on_host

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
    num_loops : int
        How many of the new edges are loops, if they lie on a device.
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
        self.gone, self.ends = gone, (src, dst)
        self.vertex_table, self.num_loops = vertex_table, 0
        self.num_arcs_gone: int | None = None
        self.ahead: Ahead | None = None

    @property
    def num_added(self) -> int:
        """How many edges are new."""
        return len(self.ends[0])

    @property
    def num_gone(self) -> int:
        """How many edges go."""
        return len(self.gone) if isinstance(self.gone, np.ndarray) else self.gone.count

    @cached_property
    def edges_gone(self) -> NDArray[np.int64]:
        """The edges that go, int64[num_gone], on the host."""
        return self.gone if isinstance(self.gone, np.ndarray) else self.gone.numpy()

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
        src, dst = (moved_to(device, each) for each in self.ends)
        return EdgeChange(src, dst, gone, self.num_arcs_gone)


@dataclass(frozen=True)
class NewRows:
    """The arcs of new edges in rows: where these begin, and of each arc what its name says."""

    first: NDArray[Any]
    row: NDArray[Any]
    other: NDArray[Any]
    edge: NDArray[Any]
    is_back: NDArray[np.bool_]


def new_rows(src: NDArray[Any], dst: NDArray[Any], directed: bool, first: NDArray[Any]) -> NewRows:
    """Return the arcs of new edges in rows.

    Parameters
    ----------
    src, dst : uint32|uint64[num_edges]
        The ends of the edges.
    directed : bool
        Whether every edge has one arc.
    first : uint32|uint64[num_vertices + 1]
        Zeros, which are overwritten.

    Examples
    --------
    >>> rows = new_rows(np.array([1, 0]), np.array([0, 0]), False, np.zeros(3, np.uint32))
    >>> rows.first, rows.other, rows.edge
    (array([0, 2, 3], dtype=uint32), array([0, 1, 0]), array([1, 0, 0], dtype=uint32))
    """
    if len(src) >= FIRST_COMPILED:
        from emv_kernels.cpu import merge

        return NewRows(first, *merge.rows_of(src, dst, directed, first, config.num_threads))
    edges = np.arange(len(src), dtype=first.dtype)
    back = np.zeros(len(src), np.bool_) if directed else src != dst
    senders = np.concatenate([src, dst[back]])
    order = np.argsort(senders, kind="stable")
    counts = np.bincount(senders.astype(np.int64), minlength=len(first) - 1)
    np.cumsum(counts, out=first[1:])
    other = np.concatenate([dst, src[back]])[order]
    edges = np.concatenate([edges, edges[back]])[order]
    return NewRows(first, senders[order], other, edges, order >= len(src))
