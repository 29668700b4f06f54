"""The plain functions that compiled user code may call, by the object the user's name means."""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from emv.errors import Loc, TypeMismatchError
from emv.ir.body import Expr, Type
from emv.lang import words
from emv.lang.promote import is_float, join, strong

MATH = tuple(
    "sqrt exp expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh "
    "asinh acosh atanh degrees radians".split()
)
SPECIAL = ("erf", "erfc", "gamma", "lgamma")  # numpy has none of them
PAIRS = ("pow", "atan2", "hypot", "copysign", "fmod")
_ROUNDING = ("floor", "ceil", "trunc")
_TESTS = ("isnan", "isinf", "isfinite")
NUMPY_NAMES = {
    **{name: f"arc{name[1:]}" for name in ("asin", "acos", "atan", "asinh", "acosh", "atanh")},
    "atan2": "arctan2",
    "pow": "power",
}

PLAIN_CALLS: dict[Any, str] = {
    builtins.abs: "abs",
    builtins.min: "min",
    builtins.max: "max",
    words.min: "min",
    words.max: "max",
    builtins.round: "round",
    math.fabs: "abs",
    math.gcd: "gcd",
    np.abs: "abs",
    np.minimum: "min",
    np.maximum: "max",
}
for _name in (*MATH, *_ROUNDING, *_TESTS):
    PLAIN_CALLS[getattr(math, _name)] = _name
    PLAIN_CALLS[getattr(np, NUMPY_NAMES.get(_name, _name))] = _name
for _name in (*SPECIAL, *PAIRS):
    PLAIN_CALLS[getattr(math, _name)] = _name
for _name in PAIRS[1:]:  # numpy's power of whole numbers is another
    PLAIN_CALLS[getattr(np, NUMPY_NAMES.get(_name, _name))] = _name

OF_MATH = (*MATH, *_ROUNDING, *_TESTS, "fabs", *SPECIAL, *PAIRS, "gcd")

CASTS: dict[Any, str] = {
    builtins.bool: "bool",
    builtins.int: "i64",
    builtins.float: "f64",
    np.bool_: "bool",
    np.int8: "i8",
    np.int16: "i16",
    np.int32: "i32",
    np.int64: "i64",
    np.uint8: "u8",
    np.uint16: "u16",
    np.uint32: "u32",
    np.uint64: "u64",
    np.float32: "f32",
    np.float64: "f64",
}

_NUM_ARGS = {"min": (2, 9), "max": (2, 9), "gcd": (2, 2), **dict.fromkeys(PAIRS, (2, 2))}


def call_type(name: str, args: tuple[Expr, ...], loc: Loc) -> Type:
    """Return the type a call gives.

    Raises
    ------
    TypeMismatchError
        If the number of arguments is wrong.
    """
    low, high = _NUM_ARGS.get(name, (1, 1))
    if not low <= len(args) <= high:
        raise TypeMismatchError(
            f"{name.removeprefix('cast:')}() takes {low if low == high else f'{low} or more'} "
            f"argument{'s' if high > 1 else ''}, not {len(args)}",
            loc,
        )
    kinds = [each.type for each in args]
    if name.startswith("cast:"):
        return name.removeprefix("cast:")
    if name in _TESTS:
        return "bool"
    if name in _ROUNDING or name == "round":
        return "i64"
    if name in ("abs", "min", "max"):
        kind: Type | None = kinds[0]
        for each in kinds[1:]:
            kind = join(kind, each) if kind is not None else None
        assert kind is not None
        return "int" if kind == "bool" else kind
    if name == "gcd":
        if any(map(is_float, kinds)):
            raise TypeMismatchError("gcd() takes whole numbers", loc, "Write gcd(int(x), n).")
        return "u64" if "u64" in kinds else "i64"
    floats = [kind for kind in kinds if kind in ("f32", "f64")]
    if floats:
        return "f64" if "f64" in floats else "f32"
    return "float" if any(map(is_float, kinds)) else strong("float")
