"""A device as graphs see it, and the registry that hands devices to whoever places a graph.

Graphs can lie on a GPU and be made simple, oriented and drawn there. `Device` is all that they
know of one. The backends, which stand above graphs, register the kinds of devices that they have;
a graph that is placed, ``g.on("cuda:1")``, gets its device from here by that name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from emv.forms import Beginning, Begun, InPieces, Look, Lowering, Ordering, Shape, Spread


class Place(Protocol):
    """Where an array lies."""

    face: Any
    """The `Device` that it is; None until somebody has asked for that by its label."""

    @property
    def label(self) -> str:
        """What `Graph.on` calls it, such as ``cuda:0``."""


class DeviceArray(Protocol):
    """A 1-D array on a device.

    Attributes
    ----------
    dtype : dtype
        Of its entries.
    size : int
        Entries.
    """

    dtype: np.dtype[Any]
    size: int

    @property
    def address(self) -> int:
        """Where it begins, a number of the device."""

    @property
    def device(self) -> Place:
        """Where it lies."""

    @property
    def shape(self) -> tuple[int, ...]:
        """``(size,)``."""

    @property
    def itemsize(self) -> int:
        """Bytes of an entry."""

    def __len__(self) -> int:
        """Return its entries' number."""

    def __getitem__(self, part: slice) -> DeviceArray:
        """Return a part of the same memory."""

    def numpy(self) -> NDArray[Any]:
        """Return a copy on the host; waits until it is there."""

    def wait(self) -> None:
        """Wait for what is under way on its device."""


class Gone(Protocol):
    """Which rows go, as a device has them: so many; of edges how many are loops, if known."""

    count: int
    num_loops: int | None

    @property
    def entries(self) -> DeviceArray:
        """Their ids, ascending."""

    def numpy(self) -> NDArray[np.int64]:
        """Return their ids on the host, ascending; waits until they are there."""

    def left_of(self, *values: DeviceArray) -> list[DeviceArray]:
        """Return columns of all rows without those of the rows that go."""

    def numbers_left(self, dtype: np.dtype[Any]) -> DeviceArray:
        """Return the rows that are left, ascending."""

    def num_equal(self, one: DeviceArray, other: DeviceArray) -> int:
        """Return of how many rows that go two columns have the same; waits for it."""

    def recount(self) -> tuple[bool, int]:
        """Return whether they are all different, as they were taken to be, and how many none."""


@dataclass(frozen=True)
class EdgeChange:
    """Which edges a version has that the one before has not, and the other way round.

    Attributes
    ----------
    src, dst, gone : DeviceArray, DeviceArray, Gone or None
        The ends of the new edges, and the edges that go.
    num_arcs_gone, look : int or None, Look or None
        How many arcs these have, if known; and what asks about the ends, if nobody has.
    begun : Begun or None
        What a device has begun of the version, which has no other changes then.
    """

    src: DeviceArray
    dst: DeviceArray
    gone: Gone | None
    num_arcs_gone: int | None
    look: Look | None = None
    begun: Begun | None = None

    def __len__(self) -> int:
        return len(self.src) + (0 if self.gone is None else self.gone.count)


class Indexed(Protocol):
    """The index arrays of a graph on a device, and what makes columns by arc of those before."""

    num_arcs: int
    on: Place
    follows: Any

    @property
    def made(self) -> Mapping[str, DeviceArray]:
        """Those that are there, by name."""


Ends = Callable[[], tuple[DeviceArray, DeviceArray]]
"""Returns the ends of edges on a device."""

Columns = Mapping[str, DeviceArray]
"""Columns of edges by name."""


class Device(Beginning, InPieces, Ordering, Lowering, Protocol):
    """One device, as a graph sees it. Results stay there; arrays that are given lie there."""

    @property
    def label(self) -> str:
        """What `Graph.on` calls it, such as ``cuda:0``."""

    def upload(self, values: NDArray[Any]) -> DeviceArray:
        """Return a copy of a 1-D host array; waits until it is made."""

    def convert(self, values: DeviceArray, dtype: np.dtype[Any]) -> DeviceArray:
        """Return values in another type: the same memory where only the sign differs."""

    def survey(self, src: DeviceArray, dst: DeviceArray) -> dict[str, int]:
        """Return facts about the ends of edges; waits for them.

        Returns
        -------
        dict
            ``lowest`` and ``highest`` id (0 and -1 if there are no edges), number of ``loops``,
            and number of edges whose src is lower than that of the edge before, ``descents``.
        """

    def grown(
        self, pairs: Sequence[tuple[DeviceArray, DeviceArray]]
    ) -> list[tuple[DeviceArray, DeviceArray]]:
        """Return what has room for others behind, itself or a copy, and both: the same memory."""

    def extended(self, values: DeviceArray, added: DeviceArray) -> DeviceArray:
        """Return values with others of the same dtype behind; the same memory where it has room."""

    def numbers(self, first: int, count: int, dtype: np.dtype[Any]) -> DeviceArray:
        """Return so many numbers from a first on."""

    def rows_of_keys(self, known: DeviceArray, keys: DeviceArray) -> DeviceArray:
        """Return where keys stand among ascending ones, int64[n]; -1 of those not there."""

    def rows_gone(self, size: int, given: Sequence[DeviceArray], ends: Any = None) -> Gone | None:
        """Return which of so many rows arrays name; waits until they are counted.

        None if an id is none of a row.

        Parameters
        ----------
        size : int
            Rows there are.
        given : sequence of array
            Ids, repeated or not and in any order, or ``bool[size]``.
        ends : (DeviceArray, DeviceArray), optional
            Of the rows, which are edges then, so that loops are counted.
        """

    def flagged(self, size: int, given: Sequence[DeviceArray]) -> DeviceArray:
        """Return a truth value for each of so many entries: whether an array of ids names it."""

    def merged(
        self, before: Indexed, shape: Shape, ends: Ends, change: EdgeChange
    ) -> Indexed | None:
        """Return the index arrays of a later version, made of what is there of those before.

        None where ids or offsets have another width by then, or more changes than there was.
        """

    def take_columns(self, rows: Indexed, column: Callable[[str], DeviceArray | None]) -> None:
        """Make the columns in the order of arcs that the version before has, of merged arrays.

        Parameters
        ----------
        rows : Indexed
            What `merged` has returned.
        column : callable
            Returns the later version's column of edges of a name, or None.
        """

    def simplify(
        self,
        src: DeviceArray,
        dst: DeviceArray,
        num_vertices: int,
        directed: bool,
        columns: Columns,
        how: str,
    ) -> tuple[DeviceArray, DeviceArray, dict[str, DeviceArray]]:
        """Return what `emv.graph.simple.simple_edges` does, which has checked the options."""

    def orient(
        self, src: DeviceArray, dst: DeviceArray, num_vertices: int, directed: bool
    ) -> tuple[DeviceArray, DeviceArray, DeviceArray | None]:
        """Return the ends of the oriented edges, and of directed ones how many ways each led."""

    def repel(
        self, place: Sequence[DeviceArray], mass: DeviceArray, theta: float, near: float
    ) -> Sequence[DeviceArray]:
        """Return what `emv_kernels.cpu.repulsion.repelled` does, a row of each coordinate."""

    def compare(self, values: DeviceArray, before: DeviceArray) -> tuple[int, int]:
        """Return how many first values are not as before, and how many of all are below 0.

        Both have the same dtype. What is no number counts as both.
        """

    def offering(
        self,
        ends: Sequence[DeviceArray],
        values: DeviceArray,
        far: int | float,
        lengths: DeviceArray | None,
        both_ways: bool,
    ) -> NDArray[np.int64]:
        """Return which vertices offer other ends of edges less than these have; waits for them.

        Parameters
        ----------
        ends : src, dst
            Of the edges.
        values : DeviceArray
            What vertices have.
        far : number
            What those have who offer nothing.
        lengths : DeviceArray or None
            What every edge adds; None where that is only known not to be below 0.
        both_ways : bool
            Whether edges lead both ways.
        """

    def settled(
        self,
        rows: Indexed,
        before: Indexed,
        values: DeviceArray,
        ends: Sequence[DeviceArray],
        total: float,
        how: Spread,
    ) -> tuple[DeviceArray, float, int] | None:
        """Return values that go on to a fixed point, how much they move, and the rounds; or None.

        Of rows ``before`` are the values, which sum to ``total``; ``ends`` are those of new edges.
        """

    def joined(self, names: DeviceArray, ends: Sequence[DeviceArray], size: int) -> DeviceArray:
        """Return the names of sets, by members, after those of the ends of edges are joined.

        Sets are called by their smallest members; there are `size` by now, of which new ones are
        alone at first. Waits until it is done.
        """

    def summed_up(self, values: DeviceArray) -> tuple[float, float]:
        """Return the least and the mean of entries, of which there are some; waits for them.

        Both are nan where an entry is.
        """

    def gathered(self, values: DeviceArray, places: DeviceArray) -> DeviceArray:
        """Return ``values[places]``."""

    def set_bits(
        self, words: Any, rows: int, first: int, dtype: np.dtype[Any]
    ) -> tuple[DeviceArray, DeviceArray]:
        """Return what `emv.graph.on_device.set_bits` does, in a type of integers."""


class Devices(Protocol):
    """The devices of one kind."""

    def device(self, name: str) -> Device:
        """Return a device by the name that `Graph.on` takes.

        Raises
        ------
        BackendUnavailableError
            If there is no such device, or what it needs is missing.
        """

    def count(self) -> int:
        """Return how many there are.

        Raises
        ------
        BackendUnavailableError
            If there are none, or what they need is missing.
        """

    def reach_each_other(self, names: Sequence[str]) -> bool:
        """Return whether each of some devices can read and write the memory of every other."""

    def adopt(self, value: Any, stream: int | None) -> DeviceArray:
        """Return another library's array on a device as one of emv: the same memory.

        Parameters
        ----------
        value : array
            On a device of this kind.
        stream : int or None
            What will work on it, and waits for what is under way; None for the device's own.
        """


_KINDS: dict[str, Callable[[], Devices]] = {}


def register(kind: str, load: Callable[[], Devices]) -> None:
    """Enter a kind of devices under the first part of their names.

    Parameters
    ----------
    kind : str
        Such as ``cuda``.
    load : callable
        Returns the devices; called when one is first needed, so that a backend is loaded then.
    """
    _KINDS[kind] = load


def device_named(name: str) -> Device:
    """Return a device by the name that `Graph.on` takes; see `Devices.device`."""
    first = name.partition("/")[0].partition(",")[0]  # of several
    return _KINDS[first.partition(":")[0]]().device(first)


def num_devices(kind: str) -> int:
    """Return how many devices of a kind there are; see `Devices.count`."""
    return _KINDS[kind]().count()


def reach_each_other(names: Sequence[str]) -> bool:
    """Return whether devices of one kind reach each other's memory, one alone its own."""
    return len(names) < 2 or _KINDS[names[0].partition(":")[0]]().reach_each_other(names)


def device_of(array: DeviceArray) -> Device:
    """Return the device that an array lies on."""
    return array.device.face or device_named(array.device.label)


def adopted(kind: str, value: Any, stream: int | None = None) -> DeviceArray:
    """Return another library's array on a device of some kind; see `Devices.adopt`."""
    return _KINDS[kind]().adopt(value, stream)
