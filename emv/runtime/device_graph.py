"""What of a graph stays on a device between runs: index arrays and edge columns.

Kept as long as the graph's layouts are, and only once: arrays that share their storage on the host
share it on the device too. Edge columns may be kept because only an assignment changes them.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.backends.cuda import array as arrays
from emv.runtime import device_build
from emv.runtime.device_build import DeviceBuild

ColumnKey = tuple[str, str, str, str]
"""Kind, name, dtype and order of a column."""


class DeviceGraph:
    """The resident arrays of one graph on one device.

    Attributes
    ----------
    device : Device
        Where they are.
    build : DeviceBuild or None
        What builds index arrays there; None where the host does.
    """

    def __init__(self, device: Any, build: DeviceBuild | None) -> None:
        self.device = device
        self.build = build
        self.named: dict[str, Any] = {}
        self.columns: dict[ColumnKey, tuple[Any, Any]] = {}
        self.placed: dict[tuple[int, int], tuple[NDArray[Any], Any]] = {}

    def index(self, name: str, make: Callable[[], NDArray[Any]], is_kept: bool = True) -> Any:
        """Return an index array on the device, uploaded when first asked for.

        Parameters
        ----------
        name : str
            What it goes by.
        make : callable
            Returns the array on the host.
        is_kept : bool
            Whether the host keeps it, so that others may share its storage.
        """
        if name not in self.named:
            values = make()
            self.named[name] = self.shared(values) if is_kept else self.uploaded(values)
        return self.named[name]

    def built(self, name: str, id_dtype: np.dtype[Any]) -> Any:
        """Return an index array that is built on the device, when first asked for."""
        if name not in self.named:
            assert self.build is not None
            self.named[name] = self.build.array(name, id_dtype)
        return self.named[name]

    def uploaded(self, values: NDArray[Any]) -> Any:
        """Return a new copy of a host array on the device."""
        return arrays.from_host(self.device, values)

    def shared(self, values: NDArray[Any]) -> Any:
        """Return a host array's copy on the device: the one there is of that storage, or a new one.

        The host array is kept, so that no other can come to lie in its place.
        """
        place = (values.__array_interface__["data"][0], values.nbytes)
        if place not in self.placed:
            self.placed[place] = values, self.uploaded(values)
        array = self.placed[place][1]
        return array.view(0, len(values), values.dtype)

    def column(self, key: ColumnKey, stored: Any, make: Callable[[], Any]) -> Any:
        """Return an edge column on the device; a new copy once the graph's own has changed.

        What `make` returns is copied up, unless it is on the device already.
        """
        kept = self.columns.get(key)
        if kept is None or kept[0] is not stored:
            self.forget(key)
            values = make()
            if not isinstance(values, np.ndarray):
                self.columns[key] = stored, values
                return values
            is_kept = key[3] != "edge" or np.may_share_memory(values, stored)
            array = self.shared(values) if is_kept else self.uploaded(values)
            self.columns[key] = kept = stored, array
        return kept[1]

    def forget(self, key: ColumnKey) -> None:
        """Drop a column that is no longer the graph's."""
        _, array = self.columns.pop(key, (None, None))
        if array is not None:
            held = {id(each.owner) for _, each in self.columns.values()}
            held |= {id(each.owner) for each in self.named.values()}
            self.placed = {
                place: kept
                for place, kept in self.placed.items()
                if kept[1].owner is not array.owner or id(array.owner) in held
            }

    def has_column(self, key: ColumnKey, stored: Any) -> bool:
        """Return whether an edge column is there and current."""
        kept = self.columns.get(key)
        return kept is not None and kept[0] is stored

    def ids(self, size: int, dtype: np.dtype[Any]) -> Any:
        """Return the array ``0..size-1``, from which disjoint sets begin."""
        return self.index(f"ids {dtype.name} {size}", lambda: np.arange(size, dtype=dtype), False)


_graphs: weakref.WeakKeyDictionary[Any, dict[Any, DeviceGraph]] = weakref.WeakKeyDictionary()


def device_graph(layouts: Any, device: Any) -> DeviceGraph:
    """Return what of a graph is on a device."""
    by_device = _graphs.setdefault(layouts, {})
    if device not in by_device:
        is_large = layouts.num_edges >= device_build.FIRST_ON_DEVICE
        build = device_build.DeviceBuild(layouts, device) if is_large else None
        by_device[device] = DeviceGraph(device, build)
    return by_device[device]
