"""The operations on the numbers of a program: their types, and what they give.

A program's numbers are of 64 bits: ``i64``, ``u64``, ``f64`` and truth values. What an operation
gives is said here once, for plain runs and for what is worked out on the host; kernels compute the
same (`emv.codegen.loops`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from emv_kernels import arithmetic as kernels

arithmetic: Any = kernels  # what is compiled for targets has no types of its own

COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
BITWISE = ("&", "|", "^")
SHIFTS = ("<<", ">>")
ROUNDING = ("floor", "ceil", "trunc", "round")
OF_FLOATS = (
    "sqrt exp expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh hypot atan2"
).split()  # functions of numpy by their names in `math`, of which kernels have those
_NUMPY_NAMES = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2"}
UFUNCS: dict[Any, str] = {
    np.add: "+",
    np.subtract: "-",
    np.multiply: "*",
    np.true_divide: "/",
    np.floor_divide: "//",
    np.remainder: "%",
    np.power: "**",
    np.bitwise_and: "&",
    np.bitwise_or: "|",
    np.bitwise_xor: "^",
    np.left_shift: "<<",
    np.right_shift: ">>",
    np.equal: "==",
    np.not_equal: "!=",
    np.less: "<",
    np.less_equal: "<=",
    np.greater: ">",
    np.greater_equal: ">=",
    np.negative: "neg",
    np.absolute: "abs",
    np.minimum: "min",
    np.maximum: "max",
    **{getattr(np, _NUMPY_NAMES.get(name, name)): name for name in OF_FLOATS},
}
"""What numpy's functions of one or two numbers are called here."""

TYPES = {"i64": np.int64, "u64": np.uint64, "f64": np.float64, "bool": np.bool_}


def result_type(op: str, kinds: tuple[str, ...], with_literal: bool = False) -> str | None:
    """Return the type of an operation on numbers of some types; None where there is none.

    Parameters
    ----------
    with_literal : bool
        Whether one of them is written in the program: it takes the type of what it meets.

    Examples
    --------
    >>> result_type("//", ("i64", "f64")), result_type("&", ("bool", "bool")), result_type("~", ())
    ('f64', 'bool', None)
    """
    is_logical = all(kind == "bool" for kind in kinds)
    if op in COMPARISONS:
        return "bool"
    if op == "not" or (op in BITWISE and is_logical):
        return "bool" if is_logical else None
    if op in ROUNDING:
        return "u64" if kinds == ("u64",) else "i64"
    if op == "/" or op in OF_FLOATS:
        return "f64"
    if "f64" in kinds:
        return None if op in BITWISE or op in SHIFTS else "f64"
    if op == "~" or (op in BITWISE and "bool" in kinds):
        return None
    if "u64" not in kinds:
        return "i64"
    if set(kinds) == {"u64"} or with_literal:
        return "u64"
    return None if op in BITWISE or op in SHIFTS else "f64"  # as numpy's numbers


def _whole(op: Callable[..., Any], of_floats: Callable[..., Any]) -> Callable[..., Any]:
    def made(left: Any, right: Any) -> Any:
        return of_floats(left, right) if isinstance(left, np.floating) else op(left, right)

    return made


def _power(base: Any, exponent: Any) -> Any:
    if exponent < 0:
        return base ^ base
    return type(base)(arithmetic.power(np.uint64(int(base) % 2**64), np.uint64(exponent)))


def _rounded(word: str) -> Callable[[Any], Any]:
    of_floats = {
        "floor": arithmetic.floored,
        "ceil": arithmetic.raised,
        "trunc": arithmetic.whole,
        "round": lambda a: arithmetic.whole(np.rint(a)),
    }[word]
    return lambda a: of_floats(a) if isinstance(a, np.floating) else a


def _shifted_right(number: Any, places: Any) -> Any:
    is_signed = isinstance(number, np.signedinteger)
    shift = arithmetic.shifted_right if is_signed else arithmetic.shifted_right_u64
    return shift(number, places)


_MADE: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": _whole(arithmetic.divided, np.floor_divide),
    "%": _whole(arithmetic.remainder, np.remainder),
    "**": _whole(_power, np.power),
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": arithmetic.shifted_left,
    ">>": _shifted_right,
    "neg": operator.neg,
    "abs": abs,
    "not": np.logical_not,
    "min": lambda a, b: b if b < a else a,
    "max": lambda a, b: b if b > a else a,
    **{word: _rounded(word) for word in ROUNDING},
    **{name: ufunc for ufunc, name in UFUNCS.items() if name in OF_FLOATS},
}
_COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def worked_out(op: str, kind: str, args: tuple[Any, ...]) -> Any:
    """Return what an operation gives, as a number of numpy's.

    Parameters
    ----------
    kind : str
        The type of the result, by `result_type`.

    Examples
    --------
    >>> worked_out("//", "i64", (7, 0)), worked_out("sqrt", "f64", (9,))
    (np.int64(0), np.float64(3.0))
    """
    with np.errstate(all="ignore"):
        return applied(op, kind, args)


def applied(op: str, kind: str, args: tuple[Any, ...]) -> Any:
    """Return what `worked_out` does, where numpy is silent about infinities and the like."""
    if op in _COMPARED:
        return np.bool_(_COMPARED[op](*args))
    number = TYPES["f64" if op in OF_FLOATS else kind]
    given = args if op in ROUNDING else tuple(map(number, args))
    return TYPES[kind](_MADE[op](*given))
