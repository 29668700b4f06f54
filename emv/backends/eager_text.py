"""A user's function as a plain run runs it: its own code, on the numbers of plain runs.

The text stays: its lines, `print` and `breakpoint`. The numbers that it writes or finds outside are
those of `emv.backends.numbers`, and functions of `math` and casts give what compiled code does, in
the width of what they are given: infinity or NaN where Python's own raise.
"""

from __future__ import annotations

import inspect
import math
import types
from collections.abc import Callable, Hashable, Iterable, Mapping
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
from emv.backends.settled import conversions, settled
from emv.dtypes import SHORT_NAMES
from emv.errors import Loc
from emv.ir.body import Const, Type
from emv.lang.call_expressions import hinted
from emv.lang.calls import CASTS, NUMPY_NAMES, PLAIN_CALLS, call_type
from emv.lang.functions import Function
from emv.lang.helpers import folding, plain_function
from emv.lang.outside import is_holder, plain_number
from emv.lang.promote import natural, strong
from emv.lang.source import Source

_ROUNDING = {"floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "round": np.rint}


def runnable(function: Function) -> types.FunctionType:
    """Return a user function with the numbers of plain runs."""
    found = function.analysis
    text = Text(found.helpers.values())
    return text.function(function.python, function.source, found.changed, found.chosen)


def runnable_fold(function: types.FunctionType, kind: Type) -> types.FunctionType:
    """Return a combiner's function, for messages of a type, with the numbers of plain runs."""
    scope = folding(function, strong("i64" if kind == "id" else kind)).scope
    return Text(()).function(function, scope.source, scope.changed, scope.chosen)


class Text:
    """Makes functions runnable that call one another.

    Parameters
    ----------
    helpers : iterable of function
        The plain functions of the user's that are called.
    """

    def __init__(self, helpers: Iterable[types.FunctionType]) -> None:
        self.helpers = set(helpers)
        self.made: dict[types.FunctionType, Callable[..., Any]] = {}

    def function(
        self,
        python: types.FunctionType,
        source: Source,
        changed: Mapping[str, Type],
        chosen: Mapping[Loc, Type],
    ) -> types.FunctionType:
        """Return a copy of a function whose names and constants are replaced.

        Parameters
        ----------
        changed, chosen : mapping
            The variables and choices that convert what they are given, see `settled`.
        """
        code, given = settled(python, source, changed, chosen), python.__globals__
        around = dict(given)
        placed = code.co_argcount + code.co_kwonlyargcount  # a run gives all by their places
        made = types.FunctionType(
            code.replace(
                co_consts=tuple(map(number, code.co_consts)),
                co_argcount=placed,
                co_kwonlyargcount=0,
            ),
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
        around |= conversions(changed, chosen)
        cells = zip(python.__code__.co_freevars, python.__closure__ or (), strict=True)
        inside = {name: cell.cell_contents for name, cell in cells if name in code.co_freevars}
        for name, cell in zip(code.co_freevars, made.__closure__ or (), strict=True):
            cell.cell_contents = self.value(inside[name])
        return made

    def value(self, value: Any) -> Any:
        """Return what a name means in a plain run."""
        if is_holder(value):
            return Holder(value, self)
        if isinstance(value, types.FunctionType) and value in self.helpers:
            return self.helper(value)
        if isinstance(value, Hashable) and not isinstance(value, int | float | np.generic):
            return REPLACED.get(value, value)
        return number(value)

    def helper(self, python: types.FunctionType) -> Callable[..., Any]:
        """Return a plain function of the user's, as it is for the types that it is given."""
        if python in self.made:
            return self.made[python]
        parameters = inspect.signature(python).parameters
        names = tuple(parameters)
        defaults = {name: number(each.default) for name, each in parameters.items()}
        said = [hinted(python, name) for name in names]
        result = hinted(python) or "f64"
        texts: dict[tuple[Any, ...], Callable[..., Any]] = {}

        def call(*args: Any, **named: Any) -> Any:
            if len(args) < len(names):
                args += tuple((defaults | named)[name] for name in names[len(args) :])
            both = zip(args, said, strict=True)
            given = [each if kind is None else held(each, kind) for each, kind in both]
            kinds = tuple(map(kind_of, given))
            if kinds not in texts:
                scope = plain_function(python, kinds, result).scope
                texts[kinds] = self.function(python, scope.source, scope.changed, scope.chosen)
            return converted(texts[kinds](*given), result)

        self.made[python] = call
        return call


class Holder:
    """A module, or another holder of numbers, that a function names: what it holds is replaced."""

    def __init__(self, module: Any, text: Text) -> None:
        self._module, self._text = module, text

    def __repr__(self) -> str:
        return repr(self._module)

    def __getattr__(self, name: str) -> Any:
        return self._text.value(getattr(self._module, name))


def number(value: Any) -> Any:
    """Return a constant with its numbers replaced."""
    value = plain_number(value)
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


def _special(function: Callable[[float], float]) -> Callable[[Any], Any]:
    def call(value: Any) -> Any:
        try:
            return type(value)(function(float(value)))
        except (ValueError, OverflowError) as error:  # at a pole, or of what is too large
            is_gamma = function is math.gamma and isinstance(error, ValueError)
            return type(value)(math.nan if is_gamma and value else math.inf)

    return call


def _divisor(left: Any, right: Any) -> Any:
    return converted(math.gcd(left, right), _type_of("gcd", (left, right)))


def _type_of(name: str, args: tuple[Any, ...]) -> Type:
    loc = Loc("", 0)
    return call_type(name, tuple(Const(str(kind_of(each)), loc, each) for each in args), loc)


def _cast(kind: str) -> Callable[[Any], Any]:
    return lambda value: held(value, kind)


def _length(value: Any) -> I64:
    return I64(len(value))


def _numbers(*bounds: Any) -> Any:
    return map(I64, range(*(int(converted(each, "i64")) for each in bounds)))


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
    elif _name == "gcd":
        REPLACED[_called] = _or_else(_divisor, _called, 2)
    else:
        _function = getattr(np, NUMPY_NAMES.get(_name, _name), None) or _special(_called)
        REPLACED[_called] = _or_else(_of_math(_name, _function), _called, 2)
