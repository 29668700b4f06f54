"""The same program in another precision: what its functions name, with f32 read as f64 or i64.

A user function finds its records, types and helpers by name, in the globals of its module and in
the variables of an enclosing function. The widened copy of a function is the same code with other
globals: each name is looked up in the user's own when it is asked for, and what is found is
widened, so that a name that means something else tomorrow, in a notebook, does so here too.

f32 becomes the type; a record becomes a record with its fields retyped, at the same lines; a user
function, a combiner or a helper becomes a copy that names what is widened. A number that was
rounded to f32 before keeps its value. Everything else stays what it is, but for one thing: whole
numbers have no infinity, so with f32 read as i64 `inf` is the largest of them, 2**63 - 1, and
`-inf` its negative.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import dis
import math
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from emv.dtypes import dtype_named
from emv.errors import LanguageError
from emv.ir.types import VectorType
from emv.lang.functions import Function
from emv.lang.records import REQUIRED, Edge, Field, ListOf, Message, RecordType, check_default
from emv.lang.source import definition_loc
from emv.lang.words import Combiner

_LIBRARIES = sys.stdlib_module_names | {"emv", "numba", "numpy", "networkx", "pandas", "scipy"}
_WRITTEN_AS_BY_USERS = ("emv.algorithms", "emv.gas")
LARGEST = 2**63 - 1  # what infinity is read as among whole numbers


class WideGlobals(dict[str, Any]):
    """The globals of a widened function: those of the user's function, widened when asked for.

    Python looks names up in a dict of another class with its methods, so none is copied early.
    """

    def __init__(self, widening: Widening, around: dict[str, Any]) -> None:
        super().__init__({"__builtins__": around.get("__builtins__")})
        self.widening = widening
        self.around = around

    def __getitem__(self, name: str) -> Any:
        return self.widening.of(self.around[name])

    def __contains__(self, name: object) -> bool:
        return name in self.around

    def get(self, name: str, default: Any = None) -> Any:
        """Return what a name means, widened."""
        return self[name] if name in self.around else default


class WideModule(types.ModuleType):
    """A module whose names mean what is widened: ``emv.f32``, ``np.float32``, ``mine.Place``."""

    def __init__(self, widening: Widening, module: types.ModuleType) -> None:
        super().__init__(module.__name__, module.__doc__)
        self.__dict__["_widening"] = widening
        self.__dict__["_module"] = module

    def __getattr__(self, name: str) -> Any:
        return self._widening.of(getattr(self._module, name))


class Widening:
    """One widened copy of everything that a program names, made when it is first asked for.

    Parameters
    ----------
    kind : {"f64", "i64"}
        What f32 is read as.
    """

    def __init__(self, kind: str = "f64") -> None:
        self.kind = kind
        self._made: dict[int, tuple[Any, Any]] = {}  # by the id of the original, which it keeps
        self._cells: list[tuple[types.CellType, types.CellType]] = []
        self._num_filled = 0
        self._depth = 0

    def refresh(self) -> None:
        """Let the variables of enclosing functions have the values that they have now."""
        self._num_filled = 0
        self._fill()

    def of(self, value: Any) -> Any:
        """Return a value widened; itself when nothing in it is an f32."""
        known = self._made.get(id(value))
        if known is not None:
            return known[1]
        self._depth += 1
        widened = next((widen(self, value) for is_one, widen in _KINDS if is_one(value)), value)
        self._depth -= 1
        if widened is not value:
            self._made[id(value)] = (value, widened)
        if not self._depth:  # functions may name each other in their variables
            self._fill()
        return widened

    def _fill(self) -> None:
        """Give variables that have none their values; widening these may add variables."""
        self._depth += 1
        while self._num_filled < len(self._cells):
            narrow, wide = self._cells[self._num_filled]
            self._num_filled += 1
            with contextlib.suppress(ValueError):  # not assigned yet
                wide.cell_contents = self.of(narrow.cell_contents)
        self._depth -= 1

    def record(self, record: Any) -> Any:
        """Return a record with its fields retyped, its name and its lines."""
        if "plain" in vars(record) and record.plain:
            kind = self.of(record.fields["value"].dtype.type)
            return Message.__class_getitem__(kind)
        if record.__module__ == Edge.__module__:  # Vertex, Message, Edge and Edge[Place]
            is_bound = record.__bases__ == (Edge,)
            return Edge.__class_getitem__(self.of(record.vertex)) if is_bound else record
        own = {"__dict__", "__weakref__", "fields", "loc", *record.fields}
        parts = {name: value for name, value in vars(record).items() if name not in own}
        bases = tuple(map(self.of, record.__bases__))
        widened = type.__new__(RecordType, record.__name__, bases, parts)
        widened.loc = record.loc
        widened.take({name: self.field(each, widened) for name, each in record.fields.items()})
        return widened

    def field(self, field: Field, record: Any) -> Field:
        """Return a field retyped, as a field of a widened record."""
        dtype = np.dtype(self.of(field.dtype.type))
        default = self.of(field.default)
        if default is not REQUIRED:
            check_default(record, field.name, dtype, default)
        return dataclasses.replace(field, record=record, dtype=dtype, default=default)

    def function(self, function: Function) -> Function:
        """Return a user function that names what is widened; it has its own analysis."""
        widened = copy.copy(function)
        for name, value in vars(function).items():
            if isinstance(value, types.FunctionType):
                setattr(widened, name, self.plain(value) if name == "python" else self.of(value))
        widened.describe({name: self.of(hint) for name, hint in function.hints.items()})
        return widened

    def plain(self, function: types.FunctionType) -> types.FunctionType:
        """Return the code of a function with other globals and variables around it."""
        _refuse_globals(function.__code__, function)
        cells = tuple(map(self._cell, function.__closure__ or ()))
        around = WideGlobals(self, function.__globals__)
        widened = types.FunctionType(
            function.__code__, around, function.__name__, None, cells or None
        )
        self._made[id(function)] = (function, widened)
        widened.__module__, widened.__doc__ = function.__module__, function.__doc__
        widened.__defaults__ = self.of(function.__defaults__)
        widened.__kwdefaults__ = function.__kwdefaults__
        hints = function.__annotations__.items()
        widened.__annotations__ = {name: self.of(hint) for name, hint in hints}
        return widened

    def _cell(self, narrow: types.CellType) -> types.CellType:
        known = next((wide for other, wide in self._cells if other is narrow), None)
        if known is None:
            known = types.CellType()
            self._cells.append((narrow, known))
        return known


def _refuse_globals(code: types.CodeType, function: types.FunctionType) -> None:
    """Refuse functions that assign to globals: a copy would assign to its own."""
    written = {each.argval for each in dis.get_instructions(code) if each.opname == "STORE_GLOBAL"}
    if written:
        raise LanguageError(
            f"{function.__name__}() assigns to the global {min(written)!r}, so it has no copy in "
            "double precision",
            definition_loc(function),
            "Return the value, or declare the fields as f64 and leave precision= out.",
        )
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            _refuse_globals(inner, function)


def _is_users(module: str | None) -> bool:
    """Return whether what stands in a module is written as a user writes."""
    name = module or "__main__"
    return name.split(".")[0] not in _LIBRARIES or name.startswith(_WRITTEN_AS_BY_USERS)


def _is_module(value: Any) -> bool:
    return isinstance(value, types.ModuleType) and (
        value.__name__ in ("emv", "emv.dtypes", "numpy") or _is_users(value.__name__)
    )


def _tuple(widening: Widening, value: tuple[Any, ...]) -> Any:
    parts = [widening.of(each) for each in value]
    same = all(part is each for part, each in zip(parts, value, strict=True))
    return value if same else tuple(parts)


def _vector(widening: Widening, value: VectorType) -> VectorType:
    return VectorType(widening.kind for _ in value) if value[0] == "f32" else value


def _infinity(widening: Widening, value: float) -> float | int:
    return value if widening.kind == "f64" else int(math.copysign(1, value)) * LARGEST


def _generic(widening: Widening, value: Any) -> Any:
    return value.__origin__[tuple(widening.of(each) for each in value.__args__)]


def _list(widening: Widening, value: ListOf) -> ListOf:
    return dataclasses.replace(value, item=widening.of(value.item))


def _combiner(widening: Widening, value: Combiner) -> Combiner:
    identity = widening.of(value.identity)
    return dataclasses.replace(value, function=widening.of(value.function), identity=identity)


def _is_users_combiner(value: Any) -> bool:
    return isinstance(value, Combiner) and _is_users(getattr(value.function, "__module__", None))


_Rule = tuple[Callable[[Any], bool], Callable[[Widening, Any], Any]]
_KINDS: tuple[_Rule, ...] = (
    (lambda value: value is np.float32, lambda widening, value: dtype_named(widening.kind).type),
    (lambda value: isinstance(value, np.float32), lambda widening, value: np.float64(value)),
    (lambda value: type(value) is float and math.isinf(value), _infinity),
    (lambda value: isinstance(value, RecordType), Widening.record),
    (lambda value: isinstance(value, Function), Widening.function),
    (
        lambda value: isinstance(value, Field),
        lambda widening, value: widening.of(value.record).fields[value.name],
    ),
    (lambda value: isinstance(value, ListOf), _list),
    (lambda value: isinstance(value, VectorType), _vector),
    (lambda value: type(value) is tuple, _tuple),
    (lambda value: isinstance(value, types.GenericAlias), _generic),
    (_is_users_combiner, _combiner),
    (
        lambda value: isinstance(value, types.FunctionType) and _is_users(value.__module__),
        Widening.plain,
    ),
    (_is_module, WideModule),
)
"""What each kind of value becomes; the first that fits."""
