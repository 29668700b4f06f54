"""The ends of edges: on the host, or where they were given on a GPU and copied down when asked for.

A graph of arrays on a GPU keeps them there, so that its index arrays are built on the GPU without
a copy. Facts that decide which index arrays there are come from wherever the ends lie.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.device import Device, DeviceArray, device_of
from emv.graph.growing_array import GrowingArray
from emv.graph.on_device import (
    DeviceColumn,
    device_array,
    extended,
    lies_on_device,
    moved_to,
    on_host,
)
from emv.graph.pieces import ascends, num_equal
from emv.graph.ranges import LateArray

_Held = NDArray[Any] | DeviceColumn | LateArray | GrowingArray

NONE = np.empty(0, np.int32)
LOOKED_AT = 2**16  # edges of which the order is looked at together


class Ends:
    """The ends of the edges there are at one time; later ones do not change it.

    Parameters
    ----------
    src, dst : int32|int64[num_edges], DeviceColumn or LateArray
        Where edges begin and where they point to.

    Examples
    --------
    >>> ends = Ends(np.array([0, 1, 1]), np.array([1, 1, 0]))
    >>> ends.num_edges, ends.num_loops, ends.is_sorted, ends.on_device
    (3, 1, True, None)
    """

    def __init__(self, src: _Held, dst: _Held) -> None:
        self._src, self._dst = src, dst

    @property
    def src(self) -> NDArray[Any]:
        """Where edges begin, on the host."""
        return self._src if isinstance(self._src, np.ndarray) else self._src.read()

    @property
    def dst(self) -> NDArray[Any]:
        """Where edges point to, on the host."""
        return self._dst if isinstance(self._dst, np.ndarray) else self._dst.read()

    @property
    def on_device(self) -> tuple[Any, Any] | None:
        """Both as arrays on the GPU that they lie on; None if they lie on the host."""
        return _there(self._src, self._dst)

    @property
    def drawing(self) -> Any:
        """What draws them where they are needed, a `emv.graph.drawn.Drawing`; None if held."""
        return getattr(self._src, "drawing", None)

    def on(self, device: Device) -> tuple[DeviceArray, DeviceArray]:
        """Return both on a device; copied there unless that is where they lie."""
        if self.drawing is not None:
            return self.drawing.whole(device)  # type: ignore[no-any-return]
        src, dst = self.on_device or (self.src, self.dst)
        return moved_to(device, src), moved_to(device, dst)

    def follow(self, before: Ends, num_loops: int | None) -> None:
        """Know of ends on a device what those say, if they were asked, that they follow.

        So many more of these are loops, if that is known. Ends of which the order was lost stay
        without one, also where the edges that stood in its way are gone by now.
        """
        known = vars(before)
        if num_loops is not None and "num_loops" in known:
            self.num_loops = before.num_loops + num_loops
        if not known.get("is_sorted", True):
            self.is_sorted = False

    @property
    def num_edges(self) -> int:
        """Edges."""
        src = self._src
        return len(src.given if isinstance(src, DeviceColumn) else src)

    @cached_property
    def num_loops(self) -> int:
        """Edges from a vertex to itself."""
        if self.on_device is not None:
            return self._facts["loops"]
        return num_equal(self.src, self.dst)

    @cached_property
    def is_sorted(self) -> bool:
        """Whether no edge begins at a lower vertex than the one before it; drawn ones count not."""
        if self.drawing is not None:
            return False
        if self.on_device is not None:
            return self._ascends_there()
        src = self.src  # most orders show early that they are none
        return ascends(src[:LOOKED_AT]) and ascends(src)

    def _ascends_there(self) -> bool:
        """Return whether ends on a device are sorted; most show early that they are not."""
        assert self.on_device is not None
        if "_facts" not in vars(self) and self.num_edges > LOOKED_AT:
            first = [device_array(each)[:LOOKED_AT] for each in self.on_device]
            if device_of(first[0]).survey(*first)["descents"]:
                return False
        return self._facts["descents"] == 0

    @cached_property
    def _facts(self) -> dict[str, int]:
        assert self.on_device is not None
        return device_of(self.on_device[0]).survey(*self.on_device)


class GrowingEnds:
    """The ends of edges, to which more are added: on a GPU where all lie there.

    Parameters
    ----------
    src, dst : int32|int64[num_edges], on the host or a GPU, or LateArray, optional
        The first ones; they are kept, not copied.

    Attributes
    ----------
    wide_for : int
        For how many vertices somebody has seen that they are as wide as ids; -1 at first.
    """

    __slots__ = ("_dst", "_src", "wide_for")

    def __init__(self, src: Any = None, dst: Any = None) -> None:
        self._src: GrowingArray | DeviceColumn | LateArray
        self._dst: GrowingArray | DeviceColumn | LateArray
        self.wide_for = -1
        if src is None:
            self._src, self._dst = GrowingArray(NONE), GrowingArray(NONE)
        else:
            self._src, self._dst = _kept(src), _kept(dst)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the ends."""
        return self._src.dtype

    @property
    def there(self) -> tuple[Any, Any] | None:
        """Both as arrays on the GPU that they lie on; None if they lie on the host."""
        return _there(self._src, self._dst)

    @property
    def device(self) -> Device | None:
        """The device that both lie on; None if they lie on the host."""
        there = _there(self._src, self._dst)
        return None if there is None else device_of(device_array(there[0]))

    def now(self) -> Ends:
        """Return the ends there are."""
        return Ends(_unmoved(self._src), _unmoved(self._dst))

    def since(self, first: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the ends of edges from one on, on the host; others stay where they are."""
        src, dst = (_since(each, first) for each in (self._src, self._dst))
        return src, dst

    def begins_as(self, other: GrowingEnds, count: int) -> bool:
        """Return whether so many first edges surely are another's: both share their memory."""
        pairs = zip((self._src, self._dst), (other._src, other._dst), strict=True)
        return all(_begins_as(*each, count) for each in pairs)

    def twin(self) -> GrowingEnds:
        """Return ends that grow apart from these and share their memory."""
        made = GrowingEnds.__new__(GrowingEnds)
        src, dst = self._src, self._dst
        made._src = src.twin() if isinstance(src, GrowingArray) else src
        made._dst = dst.twin() if isinstance(dst, GrowingArray) else dst
        made.wide_for = self.wide_for
        return made

    def widen(self, dtype: np.dtype[Any]) -> None:
        """Make the ends wider, if they are not of this dtype."""
        if self.dtype != dtype:
            self._src, self._dst = (
                GrowingArray(each.read().astype(dtype)) for each in (self._src, self._dst)
            )

    def begin(self) -> None:
        """Make ready for more edges.

        Raises
        ------
        GraphError
            If edges are drawn where they are needed: nobody adds any.
        """
        if getattr(self._src, "drawing", None) is not None:
            self._grown()

    def append(self, src: int, dst: int) -> None:
        """Add the ends of one edge."""
        for ends, vertex in zip(self._grown(), (src, dst), strict=True):
            ends.append(vertex)

    def extend(self, src: Any, dst: Any) -> None:
        """Add the ends of some edges; those on a device stay there, if these lie there, too."""
        one, other = self._src, self._dst
        are_there = isinstance(one, DeviceColumn) and isinstance(other, DeviceColumn)
        if are_there and lies_on_device(src):
            self._src, self._dst = extended([one, other], [src, dst])  # type: ignore[list-item]
            return
        for ends, vertices in zip(self._grown(), (src, dst), strict=True):
            ends.extend(on_host(vertices))

    def _grown(self) -> tuple[GrowingArray, GrowingArray]:
        """Return the ends as arrays that can grow, which are kept as such."""
        src, dst = self._src, self._dst
        src = src if isinstance(src, GrowingArray) else src.grown()
        dst = dst if isinstance(dst, GrowingArray) else dst.grown()
        self._src, self._dst = src, dst
        return src, dst


def _there(src: _Held, dst: _Held) -> tuple[Any, Any] | None:
    if not (isinstance(src, DeviceColumn) and isinstance(dst, DeviceColumn)):
        return None
    one, other = src.given, dst.given
    return (one, other) if lies_on_device(one) and lies_on_device(other) else None


def _kept(ends: Any) -> GrowingArray | DeviceColumn | LateArray:
    if isinstance(ends, LateArray):
        return ends
    return DeviceColumn(ends, is_constant=True) if lies_on_device(ends) else GrowingArray(ends)


def _since(ends: Any, first: int) -> NDArray[Any]:
    if isinstance(ends, GrowingArray):
        return ends.since(first)
    if isinstance(ends, DeviceColumn) and lies_on_device(ends.given):
        return device_array(ends.given)[first:].numpy()
    whole: NDArray[Any] = ends.read()
    return whole[first:]


def _begins_as(one: Any, other: Any, count: int) -> bool:
    if isinstance(one, GrowingArray) and isinstance(other, GrowingArray):
        return one.begins_as(other, count)
    if not (isinstance(one, DeviceColumn) and isinstance(other, DeviceColumn)):
        return False
    held = [device_array(each.given) for each in (one, other)]
    is_same = held[0].address == held[1].address and held[0].dtype == held[1].dtype
    return is_same and count <= min(map(len, held))


def _unmoved(ends: GrowingArray | DeviceColumn | LateArray) -> _Held:
    if isinstance(ends, GrowingArray):
        return ends.twin() if ends.is_late else ends.read()
    return ends
