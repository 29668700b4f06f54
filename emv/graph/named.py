"""Take what names vertices or edges: truth values, whole numbers, or labels of any kind."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import GraphError
from emv.graph.on_device import lies_on_device, on_host


def truth_values(given: Any, count: int, what: str) -> NDArray[np.bool_] | None:
    """Return the truth values that are given, or None if something else is.

    Parameters
    ----------
    given : array_like
        ``bool[count]``, or names.
    count : int
        How many elements there are.
    what : str
        What an element is, for the message.

    Raises
    ------
    GraphError
        If there are more or fewer.

    Examples
    --------
    >>> truth_values([True, False], 2, "edge"), truth_values([1, 0], 2, "edge")
    (array([ True, False]), None)
    """
    if not (lies_on_device(given) or hasattr(given, "__array__")):
        listed = list(given) if hasattr(given, "__iter__") else []
        if not listed or not all(isinstance(each, bool | np.bool_) for each in listed):
            return None
    values = on_host(given)
    if values.dtype.kind != "b":
        return None
    if values.shape != (count,):
        raise GraphError(
            f"the truth values have shape {values.shape}, one per {what} is ({count},)"
        )
    return values


def as_numbers(given: Any, what: str) -> NDArray[np.int64]:
    """Return keys as whole numbers.

    Raises
    ------
    GraphError
        If they are something else.

    Examples
    --------
    >>> as_numbers([3, 1], "edge")
    array([3, 1])
    """
    values = on_host(given)
    values = values.astype(np.int64) if values.size == 0 else values
    if values.ndim != 1 or values.dtype.kind not in "iu":
        raise GraphError(f"{given!r} names no {what}; give keys or a truth value for each {what}")
    return values.astype(np.int64)


def as_labels(given: Any, what: str) -> Any:
    """Return labels as a sequence; those on a GPU, or in an array, as an array.

    Raises
    ------
    GraphError
        If they are no sequence.

    Examples
    --------
    >>> as_labels(("ann", "bob"), "src")
    ['ann', 'bob']
    """
    if lies_on_device(given) or hasattr(given, "__array__"):
        values = on_host(given)
        if values.ndim == 1:
            return values
    elif not isinstance(given, str) and hasattr(given, "__iter__"):
        return list(given)
    raise GraphError(
        f"{what} is {given!r}, but a sequence was expected",
        remedy="give a list or an array, also for a single one",
    )
