"""What plain functions of the user's name from outside, as a module of kernels writes it.

Kernels stand in a module of their own that knows Python's builtins, `math`, and numpy as `np`. So
what a helper or a combiner's function finds in its module is looked up when its text is taken and
written in those terms, whatever its name is there: a number by its value and type, ``f32`` as
``np.float32``, ``root`` as ``math.sqrt`` after ``from math import sqrt as root``, ``emv.min`` as
``min``, another helper by its own name. All else is refused, in plain Python, too.
"""

from __future__ import annotations

import ast
import builtins
import functools
import math
import types
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from emv.dtypes import SHORT_NAMES
from emv.errors import LanguageError
from emv.lang import words
from emv.lang.calls import PLAIN_CALLS
from emv.lang.source import Source

MISSING = object()
_LIBRARIES = (words.__name__, "numpy")


def outside(function: types.FunctionType, name: str) -> Any:
    """Return what a name means in a function's module, or `MISSING`."""
    spaces = (function.__globals__, vars(builtins))
    return next((space[name] for space in spaces if name in space), MISSING)


def meaning(function: types.FunctionType, dotted: str) -> Any:
    """Return what a dotted name means in a function's module, or `MISSING`."""
    first, *rest = dotted.split(".")
    return functools.reduce(
        lambda whole, name: getattr(whole, name, MISSING), rest, outside(function, first)
    )


def same(now: Any, before: Any) -> bool:
    """Return whether a name means the same: the same object, or an equal number of its type."""
    if now is before:
        return True
    is_number = isinstance(now, bool | int | float | str | np.generic)
    # of equal texts: nan is nan, and -0.0 is not 0.0
    return is_number and type(now) is type(before) and repr(now) == repr(before)


def is_constant(value: Any) -> bool:
    """Return whether a global can be frozen into a body: a number or truth value."""
    if isinstance(value, np.generic):
        return value.dtype.name in SHORT_NAMES
    return isinstance(value, bool | int | float)


class Outside(ast.NodeTransformer):
    """Writes what one function names from outside, and keeps what that was.

    Parameters
    ----------
    function, source
        The function, and its text.
    place : str
        What it is, for errors.
    may_call : bool
        Whether it may call other plain functions.

    Attributes
    ----------
    found : dict
        What was found, by the dotted name that the function has for it.
    """

    def __init__(
        self, function: types.FunctionType, source: Source, place: str, may_call: bool
    ) -> None:
        self.function, self.source, self.place = function, source, place
        self.may_call = may_call
        self.locals = frozenset(function.__code__.co_varnames)
        self.found: dict[str, Any] = {}

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Write a name, unless it is a local."""
        return node if node.id in self.locals else self.written(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """Write a name of a module; attributes of locals stay."""
        first: ast.expr = node
        while isinstance(first, ast.Attribute):
            first = first.value
        if isinstance(first, ast.Name) and first.id not in self.locals:
            return self.written(node)
        self.generic_visit(node)
        return node

    def written(self, node: ast.Name | ast.Attribute) -> ast.expr:
        """Return what is written for a name, with what it means among the `found`."""
        value = self.value(node)
        made = next((write(value) for is_one, write in _KINDS if is_one(value)), None)
        if made is None:
            raise self.no_place(node, value)
        if is_plain(value) and not self.may_call:
            raise LanguageError(
                f"{ast.unparse(node)}() cannot be called in {self.place}",
                self.source.loc(node),
                f"Write what it computes into {self.place}.",
            )
        clash = {each.id for each in ast.walk(made) if isinstance(each, ast.Name)} & self.locals
        if clash:
            raise LanguageError(
                f"{min(clash)} is a variable of {self.function.__name__}() and what "
                f"{ast.unparse(node)} is called in compiled code",
                self.source.loc(node),
                "Give the variable another name.",
            )
        self.found[ast.unparse(node)] = value
        return made

    def no_place(self, node: ast.expr, value: Any) -> LanguageError:
        """Return the error for what compiled code cannot take along."""
        return LanguageError(
            f"{ast.unparse(node)} is {_spelled(value)}, which has no place in {self.place}",
            self.source.loc(node),
            "It may name numbers, the number types, and functions of math and numpy"
            + (", and plain functions." if self.may_call else "."),
        )

    def value(self, node: ast.expr) -> Any:
        """Return what a dotted name means."""
        if isinstance(node, ast.Name):
            value = outside(self.function, node.id)
        else:
            assert isinstance(node, ast.Attribute)
            whole = self.value(node.value)
            if not isinstance(whole, types.ModuleType):
                raise self.no_place(node.value, whole)
            value = getattr(whole, node.attr, MISSING)
        if value is MISSING:
            raise LanguageError(
                f"the name {ast.unparse(node)!r} is not defined in {self.place}",
                self.source.loc(node),
                "Assign it first, import it, or make it a parameter.",
            )
        return value


def constant(value: Any) -> ast.expr:
    """Return a number as an expression of its type.

    Examples
    --------
    >>> print(ast.unparse(constant(np.float32(0.1))), ast.unparse(constant(-2)))
    np.float32(0.10000000149011612) -2
    """
    if isinstance(value, np.generic):
        return ast.Call(_name_in("np", value.dtype.type.__name__), [constant(value.item())], [])
    if isinstance(value, bool):
        return ast.Constant(value)
    number: int | float = float(value) if isinstance(value, float) else int(value)
    if number != number:
        return _name_in("np", "nan")
    size = _name_in("np", "inf") if math.isinf(number) else ast.Constant(abs(number))
    is_negative = math.copysign(1, number) < 0
    return ast.UnaryOp(ast.USub(), size) if is_negative else size


def _name(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _name_in(module: str, name: str) -> ast.expr:
    return ast.Attribute(_name(module), name, ast.Load())


def _is_in(module: Any, value: Any) -> bool:
    name = getattr(value, "__name__", None)
    return isinstance(name, str) and callable(value) and getattr(module, name, None) is value


def _is_known(value: Any) -> bool:
    """Return whether a value is a function that every target knows."""
    return callable(value) and isinstance(value, Hashable) and value in PLAIN_CALLS


def _known(name: str) -> ast.expr:
    return _name(name) if hasattr(builtins, name) and name != "pow" else _name_in("math", name)


def is_plain(value: Any) -> bool:
    """Return whether a value is a plain function of the user's."""
    return isinstance(value, types.FunctionType) and value.__module__ not in _LIBRARIES


def _is_function(value: Any) -> bool:
    return isinstance(value, types.FunctionType | types.BuiltinFunctionType | np.ufunc)


def _spelled(value: Any) -> str:
    if isinstance(value, types.ModuleType):
        return "a module"
    if isinstance(value, type):
        return "a class"
    return "a function" if _is_function(value) else f"a {type(value).__name__}"


_Rule = tuple[Callable[[Any], bool], Callable[[Any], ast.expr]]
_KINDS: tuple[_Rule, ...] = (
    (is_constant, constant),
    (lambda value: value is float, lambda value: _name_in("np", "float64")),  # takes a bool, too
    (_is_known, lambda value: _known(PLAIN_CALLS[value])),  # numba-cuda has no np.sqrt of a number
    (lambda value: _is_in(builtins, value), lambda value: _name(value.__name__)),
    (lambda value: _is_in(math, value), lambda value: _name_in("math", value.__name__)),
    (lambda value: _is_in(np, value), lambda value: _name_in("np", value.__name__)),
    (is_plain, lambda value: _name(value.__name__)),
)
"""What is written for each kind of value; the first that fits."""
