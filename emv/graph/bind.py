"""Which array a record's field means for one graph and one run.

In this order: what a program parameter supplies, the field's default, the graph's column of that
name. A field that none of them gives is an error that says what there is, unless the program fills
the column before it reads it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.dtypes import short_name
from emv.errors import ColumnError, did_you_mean
from emv.graph.cast import cast_column
from emv.graph.columns import Columns
from emv.graph.on_device import device_array, host_array, lies_on_device, on_host
from emv.graph.tables import UNWEIGHTED
from emv.lang.records import REQUIRED


def refuse_left_out(store: Columns, name: str) -> None:
    """Refuse that a default stands in for values that were given, but could not be kept.

    Raises
    ------
    ColumnError
        If the column was left out, with the reason; not if nobody gave it, or wanted it.
    """
    if name not in store and store.absent().get(name, UNWEIGHTED) != UNWEIGHTED:
        store.stored(name)


def source_of(graph: Any, field: Any, bound: tuple[Any, bool] | None) -> Any:
    """Return where a field's values come from: a column's name, a number or an array.

    Parameters
    ----------
    bound : (value, is_default) or None
        What the program parameter that supplies the column was given, and whether that is the
        parameter's own default. A default that names a column which nobody gave the graph gives way
        to the field's default, as networkx counts a missing weight as 1; a column asked for by name
        must exist, and one that was given but left out is missed in either case.

    Raises
    ------
    ColumnError
        If the graph lacks the column; if it was left out, with the reason.
    """
    store = graph.vertices if field.kind == "vertex" else graph.edges
    if bound is None:
        source = field.name if field.default is REQUIRED else field.default
    else:
        source, is_default = bound
        if isinstance(source, str) and source not in store and is_default:
            refuse_left_out(store, source)
            source = source if field.default is REQUIRED else field.default
    if isinstance(source, str) and source not in store:
        refuse_left_out(store, source)
        raise missing_column(store, source, field)
    return source


def dtype_behind(graph: Any, field: Any, bound: tuple[Any, bool] | None) -> np.dtype[Any]:
    """Return the dtype of what a field's values come from; see `source_of`."""
    source = source_of(graph, field, bound)
    if isinstance(source, str):
        store = graph.vertices if field.kind == "vertex" else graph.edges
        on_device = store.on_device(source)
        source = store.stored(source) if on_device is None else on_device
    values = device_array(source) if lies_on_device(source) else host_array(source)
    return np.dtype(values.dtype)


def column_values(graph: Any, field: Any, source: Any) -> NDArray[Any]:
    """Return a field's values, one per row, in the declared dtype; may share the graph's memory.

    Raises
    ------
    ColumnError
        If an array has the wrong length, is not of numbers, or has a value that does not fit.
    """
    rows = graph.num_vertices if field.kind == "vertex" else graph.num_edges
    store = graph.vertices if field.kind == "vertex" else graph.edges
    values = on_host(store[source] if isinstance(source, str) else source)
    if values.ndim > 1 or (values.ndim == 1 and len(values) != rows):
        raise ColumnError(
            f"{field.record.__name__}.{field.name} needs {rows} values, one per {field.kind}, "
            f"not an array of shape {values.shape}"
        )
    if values.dtype.kind not in "iufb":
        raise ColumnError(
            f"{field.record.__name__}.{field.name} is {short_name(field.dtype)}, but the values "
            f"are {values.dtype}",
            field.loc,
            "Convert the column, or declare the field with another type.",
        )
    fitting = cast_column(field.name, values.reshape(-1), field.dtype)
    return np.full(rows, fitting[0], field.dtype) if values.ndim == 0 else fitting


def missing_column(store: Any, name: str, field: Any) -> ColumnError:
    """Return the error for a record whose column the graph lacks."""
    known = list(store.names())
    where = "vertices" if field.kind == "vertex" else "edges"
    return ColumnError(
        f"{field.record.__name__}.{field.name} needs the column {name!r}, which the graph's "
        f"{where} lack",
        field.loc,
        f"They have: {', '.join(known) or 'no columns'}.{did_you_mean(name, known)} Set it, "
        f"g.{where}.{name} = values, give the field a default, or fill it in the program.",
    )
