"""The columns of a graph or program, as a program function holds them while it is traced."""

from __future__ import annotations

from typing import Any

from emv.errors import FieldError, Loc, TypeMismatchError
from emv.ir import program as ir
from emv.lang.fits import not_whole, replaced
from emv.lang.slips import Spot, caller_spot
from emv.lang.source import caller_loc
from emv.lang.traced import TracedDomain, TracedScalar, no_value
from emv.tracebacks import users_loc


class ColumnFace:
    """What a column is not, traced or eager: a number, or an array to compute with."""

    column: ir.Column

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise TypeMismatchError(
            f"g.{self.column} is a column, not a number: a program does not compute with it",
            users_loc(),  # numpy's functions may stand between
            "Compute in a @vertex or @edge function, or fold it into one number: emv.total, "
            f"emv.largest, emv.smallest or emv.count of g.{self.column}.",
        )

    def __getattr__(self, name: str) -> Any:
        raise FieldError(
            f"g.{self.column} has no {name!r} in a program",
            caller_loc(),
            "One number of a column is emv.total, emv.largest, emv.smallest or emv.count of it; "
            "what a program returns is an array.",
        )

    def __getitem__(self, key: Any) -> Any:
        raise no_value(f"an item of g.{self.column}")

    def __bool__(self) -> bool:
        raise no_value(f"g.{self.column}")

    __hash__ = object.__hash__
    __array_ufunc__ = __array__ = __iter__ = _refuse
    __float__ = __int__ = __index__ = __len__ = __neg__ = __abs__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _refuse
    __pow__ = __rpow__ = __and__ = __or__ = __invert__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _refuse


class TracedColumn(ColumnFace):
    """A column of the graph or of the program."""

    def __init__(self, tracer: Any, column: ir.Column, spot: Spot) -> None:
        self._tracer = tracer
        self.column = column
        self.spot = spot

    def __setitem__(self, key: Any, value: Any) -> None:
        if key != slice(None):
            raise not_whole(self.column, caller_loc())
        self._tracer.fill(self.column, value)

    def combine(self, operator: Any, initial: Any, by: str | None) -> Any:
        """Fold an edge column per source or destination, or ask whether any or all are set."""
        if by is None and operator.name in ("any", "all"):
            return any_or_all(self, operator.name)
        return self._tracer.combine_column(operator, self.column, initial, by)

    @property
    def num_rows(self) -> TracedScalar:
        """Return how many entries the column has."""
        kind = "num_vertices" if self.column.kind == "vertex" else "num_edges"
        return TracedScalar(ir.GraphNumber("i64", kind))

    def aggregate(self, word: str) -> Any:
        """Fold the column into one number."""
        return self._tracer.aggregate_column(word, self.column)

    def apply(self, function: Any, args: dict[str, Any], loc: Loc) -> Any:
        """Record a call on the vertices in a mask."""
        domain = self._tracer.mask_domain(self.column, loc)
        return self._tracer.apply(function, domain, args, loc)


def any_or_all(column: Any, word: str) -> Any:
    """Return whether any or all entries of a column are something else than zero."""
    num_set = column.aggregate("count")
    return num_set > 0 if word == "any" else num_set == column.num_rows


class TracedColumns(TracedDomain):
    """``g.vertices`` and ``g.edges``: a domain; whatever is asked of it by name is a column."""

    def __init__(self, tracer: Any, kind: str) -> None:
        super().__init__(tracer, ir.Domain("edges" if kind == "edge" else "all"))
        self._kind = kind

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("_"):
            return object.__getattribute__(self, name)
        return TracedColumn(self._tracer, ir.Column(self._kind, name), caller_spot())

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            object.__setattr__(self, name, value)
            return
        raise replaced(ir.Column(self._kind, name), caller_loc())

    def __len__(self) -> int:
        raise no_value("the number of rows")
