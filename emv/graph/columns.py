"""The columns of a graph: one number per vertex (``g.vertices``) or per edge (``g.edges``).

A column is a 1-D array of a numeric dtype or bool with exactly one entry per row. Columns are
copied when they come in, so that the graph owns them; an array on a GPU is kept as it is, and is
what reading the column gives. Vertex columns are lent out writable. Edge columns are lent out
read-only, because layouts keep permuted copies of them: to change one, also one on a GPU, assign it
anew, ``g.edges.weight = values``. Rows are added at the end, one by one or in bulk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from emv.dtypes import SHORT_NAMES, short_name
from emv.errors import ColumnError, did_you_mean
from emv.graph.column_values import SCALAR_TYPES, checked_column, fits
from emv.graph.counting import Counting
from emv.graph.ends import Ends, GrowingEnds
from emv.graph.growing_array import GrowingArray
from emv.graph.kinds import refuse_kind
from emv.graph.on_device import DeviceColumn, checked_device_column, lies_on_device
from emv.graph.widths import public_dtype
from emv.tracebacks import end_at_caller, ends_at_caller

Column = GrowingArray | DeviceColumn
"""What holds the values of a column, on the host or on a GPU."""

NewRows = dict[str, Column]
"""New rows of every column, which have been checked."""

_put = object.__setattr__  # of what is no column, a dozen times for each version


class MissingColumnError(ColumnError, AttributeError):
    """The graph has no column of that name; also an AttributeError, so that hasattr works."""


class Columns:
    """A store of named columns; base of `VertexColumns` and `EdgeColumns`.

    ``store.rank`` and ``store["rank"]`` read a column, the same with ``= values`` sets it (an
    array, or a scalar for all rows), and ``del store.rank`` removes it.
    """

    __slots__ = ("_absent", "_columns", "_num_rows")
    _rows = "rows"
    _derived: ClassVar[Mapping[str, Callable[[Any], NDArray[Any]]]] = {}

    _columns: Counting[str, Column]
    _absent: dict[str, str]
    _num_rows: int

    def __init__(self) -> None:
        _put(self, "_columns", Counting())
        _put(self, "_absent", {})
        _put(self, "_num_rows", 0)

    def __len__(self) -> int:
        return self._num_rows

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def names(self) -> list[str]:
        """Return the names of the columns, in the order they were added."""
        return list(self._columns)

    @ends_at_caller
    def __getitem__(self, name: str) -> NDArray[Any]:
        if name in self._derived:
            return self._derived[name](self)
        on_device = self.on_device(name)
        return self._lend(self.stored(name)) if on_device is None else on_device

    @ends_at_caller
    def __setitem__(self, name: str, values: Any) -> None:
        self._check_settable(name)
        self._columns[name] = self._new_column(name, values, self._num_rows, self._rows)
        self._absent.pop(name, None)

    @ends_at_caller
    def __delitem__(self, name: str) -> None:
        self.stored(name)
        del self._columns[name]

    @ends_at_caller
    def __getattr__(self, name: str) -> NDArray[Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __setattr__(self, name: str, values: Any) -> None:
        if name.startswith("_"):  # one of its own
            return _put(self, name, values)
        try:
            if hasattr(type(self), name):
                where = f"g.{self._rows}"
                said = f"'{name}' is a method of {where}, so it cannot be set as an attribute"
                remedy = f'write {where}["{name}"] = ... or choose another name'
                raise ColumnError(said, remedy=remedy)
            self[name] = values
        except Exception as error:
            end_at_caller(error)
            raise

    def __delattr__(self, name: str) -> None:
        del self[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._columns]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._num_rows} {self._rows}: {self.summary()})"

    def summary(self) -> str:
        """Return names and types in short, ``weight f64, year i32``, or ``no columns``."""
        listed = (f"{name} {short_name(self.stored(name).dtype)}" for name in self._columns)
        return ", ".join(listed) or "no columns"

    def stored(self, name: str) -> NDArray[Any]:
        """Return the graph's own array of a column: the same object until it changes.

        For kernels and layouts, which must not write it; a ColumnError if there is none.
        """
        if name not in self._columns:
            raise self._missing(name)
        return self._columns[name].read()

    def on_device(self, name: str) -> Any:
        """Return the array on a GPU that a column is, or None for one on the host."""
        column = self._columns.get(name)
        return column.given if isinstance(column, DeviceColumn) else None

    def moved(self, name: str, array: Any) -> Any:
        """Return where an array on a GPU lies by now that a column may have been."""
        held = self._columns.get(name)
        return held.moved(array) if isinstance(held, DeviceColumn) else array

    def is_adoptable(self, array: NDArray[Any]) -> bool:
        """Return whether `adopt` takes this array: it is such as the store makes itself."""
        as_stored = array.dtype.name in SHORT_NAMES and array.dtype.isnative
        return as_stored and array.shape == (self._num_rows,) and array.flags.carray

    def adopt(self, name: str, array: NDArray[Any]) -> None:
        """Set a column to this very array, without a copy; the caller gives the array up.

        Raises
        ------
        ColumnError
            If the array is not such as the store makes itself: one entry per row, of a number
            type, contiguous, writable, in the machine's byte order.
        """
        self._check_settable(name)
        if not self.is_adoptable(array):
            raise ColumnError(
                f"column '{name}' of {self._rows} cannot take over {array.dtype}{array.shape}",
                remedy=f"assign it, g.{self._rows}.{name} = ..., so that it is checked and copied",
            )
        self._columns[name] = GrowingArray(array)
        self._absent.pop(name, None)

    def note_absent(self, name: str, reason: str) -> None:
        """Remember why a column that one could expect is not there, for the error message."""
        self._absent[name] = reason

    def absent(self) -> dict[str, str]:
        """Return the names of columns that one could expect, and why they are not there."""
        return dict(self._absent)

    def _lend(self, column: NDArray[Any]) -> NDArray[Any]:
        return column

    @classmethod
    def can_be_named(cls, name: str) -> bool:
        """Return whether a column can have this name."""
        return name.isidentifier() and not name.startswith("_") and name not in cls._derived

    def _check_settable(self, name: str) -> None:
        if not isinstance(name, str) or not name.isidentifier() or name.startswith("_"):
            raise ColumnError(f"{name!r} is no column name; a column name is a Python identifier")
        if name in self._derived:
            said = f"'{name}' of {self._rows} follows from the graph and cannot be set"
            raise ColumnError(said, remedy="choose another name")

    def _missing(self, name: str) -> MissingColumnError:
        if name in self._absent:
            return MissingColumnError(self._absent[name])
        there = ", ".join(self._columns) or "none"
        return MissingColumnError(
            f"the {self._rows} of this graph have no column '{name}'; columns: {there}."
            + did_you_mean(name, self._columns)
        )

    def _check_fields(self, given: Mapping[str, Any]) -> None:
        """Refuse rows that lack a column, or bring one that the rows before them lack."""
        lacking = [name for name in self._columns if name not in given]
        if lacking:
            raise ColumnError(
                f"the new {self._rows} have no value for column '{lacking[0]}'",
                remedy=f"give {lacking[0]}=..., or del g.{self._rows}.{lacking[0]} first",
            )
        unknown = [name for name in given if name not in self._columns]
        for name in unknown:
            self._check_settable(name)
        if unknown and self._num_rows:
            raise ColumnError(
                f"the {self._num_rows} {self._rows} there are have no column '{unknown[0]}'."
                + did_you_mean(unknown[0], self._columns),
                remedy=f"set g.{self._rows}.{unknown[0]} for them first",
            )

    def append_row(self, fields: Mapping[str, Any]) -> int:
        """Add one row and return its id; `fields` has one number per column."""
        self._check_fields(fields)
        ready = {name: self._one_value(name, value) for name, value in fields.items()}
        for name, value in ready.items():
            if name in self._columns:
                self._columns[name] = held = self._growing(name)
                held.append(value)
            else:
                self._columns[name] = GrowingArray(np.array([value]))
        self._num_rows += 1
        return self._num_rows - 1

    def append_rows(self, count: int, columns: Mapping[str, Any]) -> int:
        """Add `count` rows and return the first new id; `columns` has an array or scalar each."""
        return self.take_rows(count, self.checked_rows(count, columns))

    def checked_rows(self, count: int, columns: Mapping[str, Any]) -> NewRows:
        """Return new rows that fit the ones there are, or say why these do not; add nothing."""
        if columns or self._columns:
            self._check_fields(columns)
        return {name: self._new_column(name, each, count) for name, each in columns.items()}

    def take_rows(self, count: int, rows: NewRows) -> int:
        """Add rows that `checked_rows` has given and return the first new id."""
        for name, column in rows.items():
            held = self._columns.get(name)
            if held is None:
                self._columns[name] = column
            elif isinstance(held, DeviceColumn) and held.is_constant:
                added = column.given if isinstance(column, DeviceColumn) else column.read()
                self._columns[name] = held.extended(added)
            else:
                self._columns[name] = grown = self._growing(name)
                grown.extend(column.read())
        _put(self, "_num_rows", self._num_rows + count)
        return self._num_rows - count

    def take_over(
        self, before: Columns, num_rows: int, left: Callable[[Column], Column] | None
    ) -> None:
        """Have the columns of an earlier version, which stay as they are.

        Parameters
        ----------
        before : Columns
            Those of the earlier version.
        num_rows : int
            Rows of it that are left.
        left : callable or None
            Returns of a column the rows that are left; None where all are.
        """
        _put(self, "_num_rows", num_rows)
        _put(self, "_absent", dict(before._absent))
        for name, column in before._columns.items():
            self._columns[name] = (left or self._twin)(column)

    def _twin(self, column: Column) -> Column:
        """Return a column for another version; host columns may be lent out to be written."""
        return GrowingArray(column.read().copy()) if isinstance(column, GrowingArray) else column

    def _new_column(self, name: str, values: Any, count: int, rows: str = "") -> Column:
        """Return a column of so many rows, by default new ones; on a GPU if that is where it is."""
        rows = rows or f"new {self._rows}"
        if not lies_on_device(values):
            return GrowingArray(checked_column(name, values, count, rows))
        given = checked_device_column(name, values, count, rows)
        return DeviceColumn(given, is_constant=self._rows == "edges")

    def _ids(self) -> NDArray[Any]:
        return np.arange(len(self), dtype=public_dtype(len(self)))

    def _growing(self, name: str) -> GrowingArray:
        """Return a column as one that can grow."""
        column = self._columns[name]
        return column.grown() if isinstance(column, DeviceColumn) else column

    def _one_value(self, name: str, value: Any) -> Any:
        """Return one row's value, having made sure that it fits the column."""
        if isinstance(value, SCALAR_TYPES):
            dtype = self._growing(name).dtype_with(value) if name in self else np.result_type(value)
            if dtype.name in SHORT_NAMES and fits(value, dtype):
                return value
        refuse_kind(name, value, self._rows)
        raise ColumnError(f"column '{name}' of {self._rows} cannot hold {value!r}")


class VertexColumns(Columns):
    """The columns of the vertices. ``id`` is derived: ``int32|int64[num_vertices]``."""

    __slots__ = ()
    _rows = "vertices"
    _derived: ClassVar = {"id": Columns._ids}


class EdgeColumns(Columns):
    """The columns of the edges, one row per edge however many arcs it has.

    ``src``, ``dst`` (as the edges were added) and ``id`` are derived and cannot be set. Arrays
    are lent out read-only; assign a column to change it.

    Parameters
    ----------
    vertices : VertexColumns
        The vertices that edges join; their number decides the width of ``src`` and ``dst``.
    """

    __slots__ = ("_ends", "_vertices")
    _rows = "edges"
    _ends: GrowingEnds
    _vertices: VertexColumns

    def __init__(self, vertices: VertexColumns, ends: GrowingEnds | None = None) -> None:
        super().__init__()
        _put(self, "_vertices", vertices)
        _put(self, "_ends", GrowingEnds() if ends is None else ends)

    def endpoints(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the graph's own ``(src, dst)`` arrays, int32|int64[num_edges]; do not write."""
        ends = self.ends()
        return ends.src, ends.dst

    def ends(self) -> Ends:
        """Return the ends where they lie, on the host or on a GPU."""
        return self.growing_ends.now()

    @property
    def growing_ends(self) -> GrowingEnds:
        """The ends as they are held, of which a part can be read, as wide as ids are."""
        ends, size = self._ends, self._vertices._num_rows
        if ends.wide_for != size:  # as was asked before
            ends.widen(public_dtype(size))
            ends.wide_for = size
        return ends

    def begins_as(self, name: str, other: EdgeColumns, count: int) -> bool:
        """Return whether so many first values of a column surely are another's."""
        one, before = self._columns.get(name), other._columns.get(name)
        if not (isinstance(one, GrowingArray) and isinstance(before, GrowingArray)):
            return False
        return one.begins_as(before, count)

    def _twin(self, column: Column) -> Column:
        """Return a column for another version, of the same memory: nobody writes into it."""
        return column.twin() if isinstance(column, GrowingArray) else column

    def append_edge(self, src: int, dst: int, fields: Mapping[str, Any]) -> int:
        """Add one edge, whose ends have been checked, and return its id."""
        self.growing_ends.begin()
        edge = self.append_row(fields)
        self._ends.append(src, dst)
        return edge

    def append_edges(self, src: Any, dst: Any, columns: Mapping[str, Any]) -> int:
        """Add edges, whose ends have been checked, and return the first new id.

        The first ones stay where they are: on the host without a copy, or on a GPU.
        """
        return self.take_edges(src, dst, self.checked_rows(len(src), columns))

    def take_edges(self, src: Any, dst: Any, rows: NewRows) -> int:
        """Add edges with columns that `checked_rows` has given; see `append_edges`."""
        self.growing_ends.begin()
        if first_edge := self.take_rows(len(src), rows):
            self._ends.extend(src, dst)
        else:
            _put(self, "_ends", GrowingEnds(src, dst))
        return first_edge

    def _lend(self, column: NDArray[Any]) -> NDArray[Any]:
        (lent := column.view()).flags.writeable = False
        return lent

    _derived: ClassVar = {
        "id": Columns._ids,
        "src": lambda self: self._lend(self.endpoints()[0]),
        "dst": lambda self: self._lend(self.endpoints()[1]),
    }
