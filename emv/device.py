"""A device as graphs see it, and the registry that hands devices to whoever places a graph.

Graphs can lie on a GPU and be made simple, oriented and drawn there. `Device` is all that they
know of one. The backends, which stand above graphs, register the kinds of devices that they have;
a graph that is placed, ``g.on("cuda:1")``, gets its device from here by that name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


class Place(Protocol):
    """Where an array lies."""

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

    def numpy(self) -> NDArray[Any]:
        """Return a copy on the host; waits until it is there."""

    def wait(self) -> None:
        """Wait for what is under way on its device."""


Columns = Mapping[str, DeviceArray]
"""Columns of edges by name."""

Part = tuple[int, Sequence[Any]]
"""How many entries of an array are drawn, and what the kernel that draws them is told."""


class Device(Protocol):
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
        """Return what `emv_kernels.cpu.repulsion.repelled` does, its three rows apart."""

    def draw(self, kernel: str, dtypes: Sequence[Any], parts: Sequence[Part]) -> list[DeviceArray]:
        """Return arrays filled by a kernel of `emv_kernels.cuda.generate`, part after part."""


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
    return device_named(array.device.label)


def adopted(kind: str, value: Any, stream: int | None = None) -> DeviceArray:
    """Return another library's array on a device of some kind; see `Devices.adopt`."""
    return _KINDS[kind]().adopt(value, stream)
