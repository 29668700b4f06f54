"""The numbers of plain runs: whole ones of 64 bits that wrap, and floats that never raise.

Python's own integers have no end, and its floats raise where others give infinity. So fields,
parameters and the numbers of a function's text are of the classes below in a plain run. What an
operation gives is what the language says (`emv.lang.promote`), computed as processors do: whole
numbers in two's complement, floats by IEEE 754.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from emv.ir.body import Type
from emv.lang.narrowing import bare, narrow
from emv.lang.promote import arithmetic, join, natural

LARGEST, SMALLEST, TURN = 2**63 - 1, -(2**63), 2**64


def wrapped(number: int) -> I64:
    """Return the number that the low 64 bits of another are, with a sign."""
    if not SMALLEST <= number <= LARGEST:
        number = (number - SMALLEST) % TURN + SMALLEST
    return I64(number)


def kind_of(value: Any) -> str | None:
    """Return the type of a number in a function; None for what is none."""
    if isinstance(value, bool | np.bool_) or getattr(value, "is_truth", False):
        return "bool"
    if isinstance(value, int | np.integer):
        return "u64" if isinstance(value, U64 | np.uint64) else "i64"
    if isinstance(value, np.float32):
        return "f32"
    if isinstance(value, np.float64):
        return "f64"
    return "float" if isinstance(value, float) else None


def converted(value: Any, kind: Type) -> Any:
    """Return a number as one of the type in which numbers of a type are computed.

    Examples
    --------
    >>> converted(-1, "u64"), converted(2.75, "i8"), converted(3, "f32")
    (18446744073709551615, 2, np.float32(3.0))
    """
    if kind == "bool":
        return bool(value)
    if kind in ("f32", "f64", "float"):
        return _as_float(value, str(kind))
    if isinstance(value, float | np.floating):
        value = whole(value, 0 if natural(kind) == "u64" else SMALLEST)
    return U64(int(value) % TURN) if natural(kind) == "u64" else wrapped(int(value))


def _as_float(value: Any, kind: str) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):  # rounded once
        inside = SMALLEST <= value <= LARGEST
        value = np.int64(int(value)) if inside else np.uint64(int(value))
    if kind == "f32":
        return np.float32(value)
    return np.float64(value) if kind == "f64" else Ratio(np.float64(value))


def whole(value: Any, least: int = SMALLEST) -> int:
    """Return a float without its fraction; the nearest number of 64 bits where it is none.

    Numbers from ``least`` on are those of the type: 0 of one without a sign, whose numbers below 0
    wrap.
    """
    if value != value:
        return 0
    most = LARGEST if least else TURN - 1
    return int(value) if SMALLEST <= value < most else (most if value > 0 else SMALLEST)


def held(value: Any, kind: Any) -> Any:
    """Return a value as a message or column of a type holds it.

    Examples
    --------
    >>> held(200, "i8"), held((3, -1), ("f64", "u8"))
    (-56, (np.float64(3.0), 255))
    """
    value = bare(value)
    if isinstance(kind, tuple):
        return tuple(held(each, inner) for each, inner in zip(value, kind, strict=True))
    made = converted(value, kind)
    return made if kind in ("f32", "f64", "bool", "i64", "u64") else I64(narrow(int(made), kind))


def computed(op: str, left: Any, right: Any) -> Any:
    """Return an operation of two numbers, of the type that the language gives it."""
    given = kind_of(left), kind_of(right)
    if None in given:
        return NotImplemented
    kind = arithmetic(op, str(given[0]), str(given[1]))
    if kind == "bool":
        return bool(_OF_INTS[op](int(left), int(right)))
    number = "u64" if kind == "u64" else "i64" if natural(kind) == "i64" else kind
    left, right = converted(left, number), converted(right, number)
    if number in ("i64", "u64"):
        return converted(_OF_INTS[op](int(left), int(right)), number)
    with np.errstate(all="ignore"):
        if number == "float":
            return Ratio(_OF_FLOATS[op](np.float64(left), np.float64(right)))
        return _OF_FLOATS[op](left, right)


def _divided(left: int, right: int) -> int:
    return left // right if right else 0


def _rest(left: int, right: int) -> int:
    return left % right if right else 0


def _left(left: int, right: int) -> int:
    return left << right if 0 <= right < 64 else 0


def _right(left: int, right: int) -> int:
    return left >> right if 0 <= right < 64 else -(left < 0)


def _power(left: int, right: int) -> int:
    return pow(left, right, TURN) if right >= 0 else 0


_OF_INTS: dict[str, Callable[[int, int], int]] = {
    "+": int.__add__,
    "-": int.__sub__,
    "*": int.__mul__,
    "//": _divided,
    "%": _rest,
    "**": _power,
    "&": int.__and__,
    "|": int.__or__,
    "^": int.__xor__,
    "<<": _left,
    ">>": _right,
}
_OF_FLOATS: dict[str, Callable[[Any, Any], Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "//": np.floor_divide,
    "%": np.remainder,
    "**": np.power,
}
COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
}
_NAMES = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "&": "and",
    "|": "or",
    "^": "xor",
    "<<": "lshift",
    ">>": "rshift",
}
_PLAIN = ("+", "-", "*", "&", "|", "^")


class Number:
    """What the numbers of a plain run have in common."""

    __array_ufunc__ = None  # numpy's numbers leave arithmetic with these to them

    def __neg__(self) -> Any:
        return computed("-", self.__class__(0), self)

    def __pos__(self) -> Any:
        return self


class Whole(Number, int):
    """A whole number of 64 bits."""

    __hash__ = int.__hash__

    def __invert__(self) -> Any:
        return computed("^", self, -1)

    def __abs__(self) -> Any:
        return -self if self < 0 else self

    def bit_count(self) -> Any:
        """Return how many bits are set, of a negative number those of its size."""
        return I64(int(self).bit_count())


class I64(Whole):
    """A whole number with a sign."""


class U64(Whole):
    """A whole number from 0 on."""


class Ratio(Number, float):
    """A float that takes the width of what it meets, such as what a division gives."""

    __hash__ = float.__hash__

    def __neg__(self) -> Any:
        return Ratio(float.__neg__(self))

    def __abs__(self) -> Any:
        return Ratio(float.__abs__(self))


def _operator(op: str) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    def method(self: Any, other: Any) -> Any:
        return computed(op, self, other)

    def swapped(self: Any, other: Any) -> Any:
        return computed(op, other, self)

    return method, swapped


def _operator_of_i64(op: str) -> Callable[[Any, Any], Any]:
    plain = _OF_INTS[op]

    def method(self: Any, other: Any) -> Any:
        if other.__class__ is I64:
            return wrapped(plain(self, other))
        return computed(op, self, other)

    return method


def _comparison(name: str) -> Callable[[Any, Any], Any]:
    compare, of_ints = COMPARED[name], getattr(int, f"__{name}__")

    def method(self: Any, other: Any) -> Any:
        if isinstance(self, int) and isinstance(other, int):
            return of_ints(self, other)
        given = kind_of(self), kind_of(other)
        if None in given:
            return NotImplemented
        kind = join(str(given[0]), str(given[1]))
        plain = np.float32 if kind == "f32" else float
        left, right = (converted(each, kind) for each in (self, other))  # type: ignore[arg-type]
        return bool(compare(plain(left), plain(right)))

    return method


for _op, _name in _NAMES.items():
    for _class in (I64, U64, Ratio):
        if _class is Ratio and _op not in _OF_FLOATS:
            continue
        _method, _swapped = _operator(_op)
        setattr(_class, f"__{_name}__", _method)
        setattr(_class, f"__r{_name}__", _swapped)
    if _op in _PLAIN:
        setattr(I64, f"__{_name}__", _operator_of_i64(_op))
for _name in COMPARED:
    for _class in (Whole, Ratio):
        setattr(_class, f"__{_name}__", _comparison(_name))
