"""The arithmetic rule of the language: which type an operation of two types gives.

Integers count in 64 bits and are narrowed when stored, so the type of an integer expression only
says how wide a message of it is. ``"int"`` and ``"float"`` are plain Python numbers, which take
the type of what they meet. A float meeting an integer keeps its width (the rule of JAX, not of
numpy): ``f32 / i64`` is ``f32``, so nobody pays for a wide accumulator by dividing by a degree.
"""

from __future__ import annotations

import functools
from typing import Any

from emv.ir.types import Type, VectorType

SMALL = ("bool", "i8", "u8", "i16", "u16", "i32", "u32", "f32")
_FLOATS = {"f32": 1, "f64": 2}
_WIDTH = {"i8": 8, "u8": 8, "i16": 16, "u16": 16, "i32": 32, "u32": 32, "i64": 64, "u64": 64}


def is_float(kind: Type) -> bool:
    """Return whether a type is a float, plain Python's included."""
    return kind in ("float", "f32", "f64")


def is_integer(kind: Type) -> bool:
    """Return whether a type is an integer, plain Python's included; truth values are not."""
    return kind in ("int", "id") or kind in _WIDTH


def is_number(kind: Type) -> bool:
    """Return whether a type is one number or truth value, not a tuple."""
    return kind == "bool" or is_float(kind) or is_integer(kind)


def strong(kind: Type) -> Type:
    """Return the stored type: plain ``int`` is ``i64``, plain ``float`` is ``f64``.

    Examples
    --------
    >>> strong("int"), strong(("float", "i32"))
    ('i64', ('f64', 'i32'))
    """
    if isinstance(kind, tuple):
        return type(kind)(strong(each) for each in kind)
    return {"int": "i64", "float": "f64"}.get(kind, kind)


def natural(kind: Type) -> str:
    """Return the type that numbers of a type are computed in: integers count in 64 bits.

    Examples
    --------
    >>> natural("i8"), natural("float"), natural("u64")
    ('i64', 'f64', 'u64')
    """
    if kind in ("f32", "f64", "bool", "u64"):
        return str(kind)
    return "f64" if kind == "float" else "i64"


def passed(kind: Type) -> Type:
    """Return the type that a number of a type has in a variable of plain Python.

    Examples
    --------
    >>> passed("i8"), passed("float"), passed(("bool", "u64"))
    ('i64', 'float', ('bool', 'u64'))
    """
    if isinstance(kind, tuple):
        return type(kind)(passed(each) for each in kind)
    return "float" if kind == "float" else natural(kind)


def has_key(kind: Type) -> bool:
    """Return whether values have a key of 64 bits: numbers, and pairs of at most 32 bits each.

    Examples
    --------
    >>> has_key("f64"), has_key(("i32", "f32")), has_key(("i32", "f64"))
    (True, True, False)
    """
    if not isinstance(kind, tuple):
        return is_number(kind)
    is_plain = len(kind) == 2 and not isinstance(kind, VectorType)
    return is_plain and all(each in SMALL for each in kind)


def has_spare_key(kind: Type | None) -> bool:
    """Return whether the largest key is that of no message, or of a NaN that another may be.

    Examples
    --------
    >>> has_spare_key(("i32", "f32")), has_spare_key("i32"), has_spare_key("u16")
    (True, False, True)
    """
    last = kind[-1] if isinstance(kind, tuple) else kind
    return (
        kind is not None
        and has_key(kind)
        and last in ("bool", "i8", "u8", "i16", "u16", "f32", "f64")
    )


def join(left: Type, right: Type) -> Type | None:
    """Return the type that holds values of both, or None when there is none.

    Examples
    --------
    >>> join("float", "f32"), join("i32", "int"), join("f32", ("f32", "i32"))
    ('f32', 'i32', None)
    """
    if left == right:
        return left
    if isinstance(left, tuple) or isinstance(right, tuple):
        if not (isinstance(left, tuple) and isinstance(right, tuple) and len(left) == len(right)):
            return None
        items = [join(a, b) for a, b in zip(left, right, strict=True)]
        whole = VectorType if VectorType in (type(left), type(right)) else tuple
        return None if None in items else whole(items)
    if left == "bool":
        return right
    if right == "bool":
        return left
    return arithmetic("+", left, right)


@functools.cache
def arithmetic(op: str, left: str, right: str) -> str:
    """Return the type of ``left op right``.

    Examples
    --------
    >>> arithmetic("+", "f32", "int"), arithmetic("/", "i32", "int"), arithmetic("*", "i32", "i64")
    ('f32', 'float', 'i64')
    """
    left, right = ("int" if kind == "id" else kind for kind in (left, right))
    floats = [kind for kind in (left, right) if kind in _FLOATS]
    if floats:
        return max(floats, key=lambda kind: _FLOATS[kind])
    if op == "/" or "float" in (left, right):
        return "float"
    if left == right == "bool" and op in "&|^":
        return "bool"
    widths = [kind for kind in (left, right) if kind in _WIDTH]
    if not widths:
        return "int"
    if len(widths) == 1 or widths[0] == widths[1]:
        return widths[0]
    return _wider(widths[0], widths[1])


def _wider(left: str, right: str) -> str:
    if "u64" in (left, right):
        return "u64"
    if left[0] == right[0]:
        return max(left, right, key=lambda kind: _WIDTH[kind])
    signed, unsigned = (left, right) if left[0] == "i" else (right, left)
    return signed if _WIDTH[signed] > _WIDTH[unsigned] else f"i{2 * _WIDTH[unsigned]}"


def storable(value: Type, place: Type) -> bool:
    """Return whether a value may be stored in a place: no float into an integer, no tuple mix-up.

    Examples
    --------
    >>> storable("f64", "f32"), storable("f32", "i32"), storable("int", "f32")
    (True, False, True)
    """
    if isinstance(value, tuple) or isinstance(place, tuple):
        return (
            isinstance(value, tuple)
            and isinstance(place, tuple)
            and len(value) == len(place)
            and all(storable(a, b) for a, b in zip(value, place, strict=True))
        )
    if place == "bool":
        return value == "bool"
    if is_integer(place):
        return is_integer(value) or value == "bool"
    return is_number(value)


def spelled(kind: Any) -> str:
    """Return a type as the user would write it.

    Examples
    --------
    >>> spelled(("f32", "i32"))
    'tuple[f32, i32]'
    """
    if isinstance(kind, VectorType):
        return f"Vector[{kind[0]}, {len(kind)}]"
    if isinstance(kind, tuple):
        return f"tuple[{', '.join(spelled(each) for each in kind)}]"
    return str(kind)
