"""The ends of new edges that lie on a device: looked at there, at once or while they are used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

from emv.device import DeviceArray, device_of
from emv.errors import GraphError
from emv.graph.ids import checked_ends
from emv.graph.on_device import device_array, lies_on_device
from emv.graph.widths import public_dtype

NO_LIMIT = 2**62  # of ids


class EndsThere(NamedTuple):
    """Ends on a device, the number of vertices that they need, and how many edges are loops."""

    src: DeviceArray
    dst: DeviceArray
    num_vertices: int
    num_loops: int


class MiscountedError(Exception):
    """Edges that go are fewer than they were taken to be."""


class LateLook:
    """New edges' ends on a device, of which nobody has asked yet whether they are vertices.

    To ask takes a launch that is waited for, while what the edges are for may ask on the way; see
    `emv.forms.Look`.

    Parameters
    ----------
    src, dst : DeviceArray
        The ends.
    num_vertices : int
        Vertices there are.
    first_edge : int
        Id of the first of these edges, for messages.

    Attributes
    ----------
    ends : (DeviceArray, DeviceArray)
        The ends.
    wrong : callable or None
        As `emv.forms.Look` has it.
    """

    def __init__(
        self, src: DeviceArray, dst: DeviceArray, num_vertices: int, first_edge: int
    ) -> None:
        self.ends, self._num_vertices, self._first_edge = (src, dst), num_vertices, first_edge
        self.wrong: Callable[[], int] | None = None
        self._is_done = False

    def check(self) -> None:
        """Raise a GraphError if an end is no vertex; waits for it."""
        if self.wrong is None:
            _look(self.ends, self._num_vertices, self._first_edge)
        elif self.wrong():
            self.refuse()
        self._is_done = True

    def refuse(self) -> NoReturn:
        """Raise the error of an end that is no vertex."""
        raise _wrong(self.ends, self._num_vertices, self._first_edge)

    def wait(self) -> None:
        """Wait for what is under way on the device, and raise what `check` does."""
        self.ends[0].wait()
        if not self._is_done:
            self.check()


def unseen_ends(src: Any, dst: Any, num_vertices: int, first_edge: int) -> LateLook | None:
    """Return a late look at ends on a GPU as wide as ids of the graph; None of others."""
    if not (lies_on_device(src) and lies_on_device(dst)):
        return None
    one, other, dtype = device_array(src), device_array(dst), public_dtype(num_vertices)
    if one.dtype != dtype or other.dtype != dtype or one.size != other.size:
        return None
    is_there = one.device is other.device and one.size > 0
    return LateLook(one, other, num_vertices, first_edge) if is_there else None


def _look(given: tuple[DeviceArray, DeviceArray], limit: int, first_edge: int) -> dict[str, int]:
    """Return facts about ends on a device, which are vertices below a limit; waits for them.

    Raises
    ------
    GraphError
        If one is none; the message names the first edge that has one.
    """
    facts = device_of(given[0]).survey(*given)
    if given[0].size and not 0 <= facts["lowest"] <= facts["highest"] < limit:
        raise _wrong(given, limit, first_edge)
    return facts


def _wrong(given: tuple[DeviceArray, DeviceArray], limit: int, first_edge: int) -> GraphError:
    """Return the error of ends on a device of which some are no vertices."""
    checked_ends(*given, limit if limit < NO_LIMIT else None, first_edge)
    return GraphError("the ids of edges on a GPU changed while they were looked at")


def ends_on_device(
    src: Any, dst: Any, num_vertices: int | None, first_edge: int = 0
) -> EndsThere | None:
    """Return the ends of new edges where they lie, on a GPU, and what was seen of them.

    None if they do not lie on one GPU, or are no numbers of 32 or 64 bits: then the host takes
    them. They are not copied unless they are wider than ids of the graph.

    Parameters
    ----------
    src, dst : array
        ``int[n]``, of any library.
    num_vertices : int or None
        Vertices there are; None for the largest id plus one.
    first_edge : int
        Id of the first of these edges, for messages.

    Raises
    ------
    GraphError
        If the lengths differ or an id is out of range; the message names the first such edge.
    """
    if not (lies_on_device(src) and lies_on_device(dst)):
        return None
    given = device_array(src), device_array(dst)
    fits = all(each.dtype.kind in "iu" and each.itemsize in (4, 8) for each in given)
    if not fits or given[0].device is not given[1].device or given[0].size != given[1].size:
        return None
    on = device_of(given[0])
    facts = _look(given, NO_LIMIT if num_vertices is None else num_vertices, first_edge)
    size = facts["highest"] + 1 if num_vertices is None else num_vertices
    src, dst = (on.convert(each, public_dtype(size)) for each in given)
    if src.itemsize != given[0].itemsize or dst.itemsize != given[1].itemsize:
        src.wait()  # their survey has waited for the others
    return EndsThere(src, dst, size, facts["loops"])
