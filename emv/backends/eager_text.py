"""A user's function as a plain run runs it: its own code, on the numbers of plain runs.

The text stays: its lines, `print` and `breakpoint`. The numbers that it writes or finds outside are
those of `emv.backends.numbers`, and functions of `math` and casts give what compiled code does, in
the width of what they are given: infinity or NaN where Python's own raise.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from emv.backends.numbers import (
    COMPARED,
    I64,
    LARGEST,
    SMALLEST,
    TURN,
    U64,
    Ratio,
    converted,
    held,
    kind_of,
)
from emv.backends.numbers import whole as without_fraction
from emv.dtypes import SHORT_NAMES
from emv.errors import Loc
from emv.ir.body import Const, Type
from emv.lang.call_expressions import hinted
from emv.lang.calls import CASTS, PLAIN_CALLS, call_type
from emv.lang.promote import natural

_NUMPY_NAMES = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2"}
_NUMPY_NAMES |= {"pow": "power"}
_ROUNDING = {"floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "round": np.rint}


def runnable(python: types.FunctionType, helpers: Any = ()) -> types.FunctionType:
    """Return a function with the numbers of plain runs.

    Parameters
    ----------
    helpers : iterable of function
        The plain functions of the user's that it calls, and those that they call.
    """
    return Text(helpers).function(python)


class Text:
    """Makes functions runnable that call one another."""

    def __init__(self, helpers: Any) -> None:
        self.helpers = set(helpers)
        self.made: dict[types.FunctionType, Callable[..., Any]] = {}

    def function(self, python: types.FunctionType) -> types.FunctionType:
        """Return a copy of a function whose names and constants are replaced."""
        code, given = python.__code__, python.__globals__
        around = dict(given)
        made = types.FunctionType(
            code.replace(co_consts=tuple(map(number, code.co_consts))),
            around,
            python.__name__,
            python.__defaults__,
            tuple(types.CellType() for _ in code.co_freevars),
        )
        made.__kwdefaults__ = python.__kwdefaults__
        builtin = around.get("__builtins__", {})
        builtin = builtin if isinstance(builtin, dict) else vars(builtin)
        for name in code.co_names:
            if name in given:  # of what was given: a widened function makes its own
                around[name] = self.value(given[name])
            elif (value := builtin.get(name)) is not (replaced := self.value(value)):
                around[name] = replaced
        for cell, old in zip(made.__closure__ or (), python.__closure__ or (), strict=True):
            cell.cell_contents = self.value(old.cell_contents)
        return made

    def value(self, value: Any) -> Any:
        """Return what a name means in a plain run."""
        if isinstance(value, types.ModuleType):
            return Module(value, self)
        if isinstance(value, types.FunctionType) and value in self.helpers:
            return self.helper(value)
        if isinstance(value, Hashable) and not isinstance(value, int | float | np.generic):
            return REPLACED.get(value, value)
        return number(value)

    def helper(self, python: types.FunctionType) -> Callable[..., Any]:
        """Return a plain function of the user's, which gives what its annotation says."""
        if python not in self.made:
            kind, inside = hinted(python), list[Any]()

            def call(*args: Any) -> Any:
                made = inside[0](*args)
                return made if kind is None else converted(made, kind)

            self.made[python] = call
            inside.append(self.function(python))
        return self.made[python]


class Module:
    """A module that a function names: what it holds is replaced as names are."""

    def __init__(self, module: types.ModuleType, text: Text) -> None:
        self._module, self._text = module, text

    def __repr__(self) -> str:
        return repr(self._module)

    def __getattr__(self, name: str) -> Any:
        return self._text.value(getattr(self._module, name))


def number(value: Any) -> Any:
    """Return a constant with its numbers replaced."""
    if isinstance(value, tuple):
        return tuple(map(number, value))
    if isinstance(value, np.generic):
        return (
            held(value, SHORT_NAMES[value.dtype.name]) if value.dtype.name in SHORT_NAMES else value
        )
    if type(value) is int and SMALLEST <= value < TURN:
        return I64(value) if value <= LARGEST else U64(value)
    return Ratio(value) if type(value) is float else value


def _smaller(name: str) -> Callable[..., Any]:
    compare = COMPARED["lt" if name == "min" else "gt"]

    def call(*args: Any) -> Any:
        kind = _type_of(name, args)
        found, *more = (converted(each, natural(kind)) for each in args)
        for each in more:
            found = each if compare(each, found) else found
        return Ratio(found) if kind == "float" else found

    return call


def _rounding(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def call(value: Any) -> Any:
        if not isinstance(value, float | np.floating):
            return converted(value, "i64")
        return I64(without_fraction(function(np.float64(value))))

    return call


def _of_math(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        kind = _type_of(name, args)
        if kind == "bool":
            return bool(function(np.float64(args[0])))
        with np.errstate(all="ignore"):
            made = function(*(converted(each, natural(kind)) for each in args))
        return Ratio(made) if kind == "float" else made

    return call


def _type_of(name: str, args: tuple[Any, ...]) -> Type:
    loc = Loc("", 0)
    return call_type(name, tuple(Const(str(kind_of(each)), loc, each) for each in args), loc)


def _cast(kind: str) -> Callable[[Any], Any]:
    return lambda value: held(value, kind)


def _length(value: Any) -> I64:
    return I64(len(value))


def _numbers(*bounds: Any) -> Any:
    return map(I64, range(*map(int, bounds)))


def _or_else(made: Callable[..., Any], known: Callable[..., Any], most: int) -> Callable[..., Any]:
    """Return a function of numbers that leaves all else, as in a `print`, to the known one."""

    def call(*args: Any, **named: Any) -> Any:
        is_of_numbers = not named and 1 <= len(args) <= most
        if is_of_numbers and all(kind_of(each) is not None for each in args):
            return made(*args)
        return known(*args, **named)

    return call


REPLACED: dict[Any, Any] = {len: _length, range: _numbers}
"""What is called in place of a function; whatever is not here is called itself."""

for _called, _kind in CASTS.items():
    REPLACED[_called] = _or_else(_cast(_kind), _called, 1)
for _called, _name in PLAIN_CALLS.items():
    if _name in ("min", "max"):
        REPLACED[_called] = _or_else(_smaller(_name), _called, 9)
    elif _name in _ROUNDING:
        REPLACED[_called] = _or_else(_rounding(_ROUNDING[_name]), _called, 1)
    elif _name == "abs":
        REPLACED[_called] = abs
    else:
        _function = getattr(np, _NUMPY_NAMES.get(_name, _name))
        REPLACED[_called] = _or_else(_of_math(_name, _function), _called, 2)
