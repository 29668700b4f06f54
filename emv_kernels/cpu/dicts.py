"""Values of a dict set one after the other, as Python's C API does it.

``found.update(zip(found, values))`` makes a pair for each key and takes it apart again; that is
half of its time. The manual allows what is done here: values may be set while `PyDict_Next` walks,
as long as the keys stay. Python's lock is held throughout; where a key's own hash or comparison
raises, the call is left with that exception.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from emv_kernels.cpu.entry import entry
from emv_kernels.cpu.signals import leave_if

_WORD, _INT = types.uintp, types.intc
_next = types.ExternalFunction("PyDict_Next", _INT(_WORD, _WORD, _WORD, _WORD))
_set = types.ExternalFunction("PyDict_SetItem", _INT(_WORD, _WORD, _WORD))
_SIZE = np.dtype(np.uintp).itemsize


@entry("void(uintp, uintp[::1], int64[::1], uintp[::1], uintp)", nogil=False)
def _set_all(found, values, which, walk, address):
    """Set the values of a dict; `walk` lies at an address and holds place, key and value."""
    for i in range(max(len(values), len(which))):
        _next(found, address, address + _SIZE, address + 2 * _SIZE)
        value = values[which[i]] if len(which) else values[i]
        leave_if(_set(found, walk[1], value) != 0)


def set_values(found: dict[Any, Any], values: NDArray[Any], which: NDArray[Any] | None) -> None:
    """Set the values of a dict in the order of its keys.

    Parameters
    ----------
    found : dict
        It has a key for each.
    values : object[n]
        What they are set to.
    which : int64[len(found)], optional
        The places among `values` of those for each key; by default they stand in order.
    """
    count = len(values if which is None else which)
    if count != len(found):
        raise ValueError(f"{count} values for {len(found)} keys")
    if not count:
        return
    places = np.zeros(0, np.int64) if which is None else np.ascontiguousarray(which, np.int64)
    if len(places) and not 0 <= places.min() <= places.max() < len(values):
        raise ValueError(f"places are 0 to {len(values) - 1}")
    kept = (ctypes.c_size_t * len(values)).from_address(values.ctypes.data)
    walk = np.zeros(3, np.uintp)
    _set_all(id(found), np.ctypeslib.as_array(kept), places, walk, walk.ctypes.data)
