"""Whether a user's combiner can fold messages in groups: its laws, tried on samples.

Messages are folded in whatever groups a schedule makes, in their order, each group begun with the
identity. So the function must be associative, and f(identity, x) must be x. A sample speaks only if
the identity leaves it unchanged: who means 10**9 as "none yet" sends no larger number, and must not
be refused for what the function would make of one. Negative samples are tried if the identity is
negative. The function is called as an eager run calls it, its results narrowed.
"""

from __future__ import annotations

import itertools
import types
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from emv.dtypes import dtype_named
from emv.errors import LanguageError, TypeMismatchError
from emv.ir.body import Type
from emv.lang.helpers import folding, names_in_fold
from emv.lang.narrowing import bare, narrow
from emv.lang.promote import is_float, spelled, strong
from emv.lang.source import caller_loc

# Combiners found to be lawful: their functions, with what they were tried with.
LAWFUL: WeakKeyDictionary[types.FunctionType, set[Any]] = WeakKeyDictionary()

OUTSIDE = object()  # a result that a function has not: it raises
ROUNDED = {"f32": 1e-4, "f64": 1e-10}  # of a few operations, relative to the largest number
EXACT = {"f32": 1e-6, "f64": 1e-14}  # of one
MOST = 7  # samples that are tried in threes: less than a millisecond for numbers
WHOLE = (0, 1, 7)
REAL = (0.0, 1.0, 2.5, 7.0, 100.0)
NEGATIVE = (-1, -5)


def check_laws(operator: Any, kind: Type) -> None:
    """Refuse a combiner of the user's that cannot fold messages of a type.

    Parameters
    ----------
    operator : Combiner
        Those of emv itself are lawful.

    Raises
    ------
    LanguageError
        At the combiner's line, with the values that show it.
    """
    if operator.loc is None:
        check_bitwise(operator, kind)
        return
    kind = _plain(strong(kind))
    named = repr(sorted(map(repr, names_in_fold(operator.function).items())))
    tried, key = LAWFUL.setdefault(operator.function, set()), (repr(operator.identity), kind, named)
    if key in tried:
        return
    with np.errstate(all="ignore"):
        try:
            folding(operator.function, kind)  # refuses what compiled code cannot take along
        except TypeMismatchError:
            Laws(operator, kind).check()  # which shows it by an example
            raise
        Laws(operator, kind).check()
    tried.add(key)


def check_bitwise(operator: Any, kind: Type) -> None:
    """Refuse bitwise operators of floats, at the line of the fold."""
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if operator.name == "bitwise_or" and any(map(is_float, kinds)):
        raise TypeMismatchError(
            f"emv.bitwise_or folds integers and truth values, not {spelled(strong(kind))}",
            caller_loc(),
            "Send integers: e.send(int(x)).",
        )


class Laws:
    """The laws of one combiner for one type of messages."""

    def __init__(self, operator: Any, kind: Type) -> None:
        self.operator, self.kind = operator, kind
        given = operator.identity
        if isinstance(kind, tuple) and not isinstance(given, tuple):
            given = (given,) * len(kind)
        if not (_is_of(given, kind) or (kind == "bool" and given in (0, 1))):
            raise self.error(f"{operator.identity!r} is no {spelled(kind)}", "another identity")
        self.identity = narrow(given, kind)

    def error(self, what: str, remedy: str) -> LanguageError:
        """Return the error for a law that does not hold."""
        return LanguageError(
            f"emv.combiner cannot fold {spelled(self.kind)}: {what}",
            self.operator.loc,
            f"Messages are folded in groups, in any grouping: give {remedy}. What has no such form "
            "is computed in an @mlist function, from the messages one by one.",
        )

    def fold(self, left: Any, right: Any) -> Any:
        """Return the function of two values, as a message holds it."""
        made = self.operator.function(left, right)
        if not _is_of(made, self.kind):
            raise _WrongType(made)
        return narrow(made, self.kind)

    def check(self) -> None:
        """Try all laws."""
        failure, spoken = "", list[Any]()
        for sample in samples_of(self.kind, self.identity):
            value = narrow(sample, self.kind)
            if value != self.identity:
                said = self.not_neutral(value)
                failure = failure or said
                spoken += [] if said else [value]
        columns = list(zip(*map(_parts, spoken), strict=True))
        if not columns or any(
            all(each == start for each in column)
            for column, start in zip(columns, _parts(self.identity), strict=True)
        ):
            raise self.error(failure, "an identity that changes no message folded into it")
        self.check_grouping(spoken[:MOST])

    def not_neutral(self, sample: Any) -> str:
        """Return how the identity changes a sample; nothing if it does not."""
        called = f"f{_pair(self.identity, sample)}"
        try:
            made = self.fold(self.identity, sample)
        except _WrongType as wrong:
            return f"{called} is {wrong}, no {spelled(self.kind)}"
        except Exception as error:
            return f"{called} raises {type(error).__name__}: {error}"
        if self.near(made, sample, (sample,), EXACT):
            return ""
        return f"{called} is {_shown(made)}, so {_shown(self.identity)} changes it"

    def check_grouping(self, samples: list[Any]) -> None:
        """Try associativity on every three samples."""
        numbers = range(len(samples))
        pairs = [[self.try_fold(a, b) for b in samples] for a in samples]
        for i, j, k in itertools.product(numbers, numbers, numbers):
            given = (samples[i], samples[j], samples[k])
            left = self.try_fold(pairs[i][j], samples[k])
            right = self.try_fold(samples[i], pairs[j][k])
            if left is OUTSIDE or right is OUTSIDE or self.near(left, right, given, ROUNDED):
                continue
            a, b, c = map(_shown, given)
            raise self.error(
                f"f(f({a}, {b}), {c}) is {_shown(left)}, f({a}, f({b}, {c})) is {_shown(right)}",
                "a function that is associative",
            )

    def try_fold(self, left: Any, right: Any) -> Any:
        """Return the function of two values, or `OUTSIDE` where it has none."""
        if left is OUTSIDE or right is OUTSIDE:
            return OUTSIDE
        try:
            return self.fold(left, right)
        except _WrongType as wrong:
            raise self.error(
                f"f{_pair(left, right)} is {wrong}, no {spelled(self.kind)}",
                f"a function that returns a {spelled(self.kind)}",
            ) from None
        except Exception:
            return OUTSIDE

    def near(self, left: Any, right: Any, given: tuple[Any, ...], error: dict[str, float]) -> bool:
        """Return whether two results are one, but for the rounding of floats."""
        if left == right:
            return True
        kinds, rows = _parts(self.kind), [_parts(each) for each in (left, right, *given)]
        if not any(map(is_float, kinds)):
            return False
        sizes = [
            abs(x) for row in rows for x, kind in zip(row, kinds, strict=True) if is_float(kind)
        ]
        largest = max((each for each in sizes if each < np.inf), default=0)
        return all(
            a == b or (a != a and b != b) or abs(a - b) <= error.get(kind, 0) * largest
            for a, b, kind in zip(rows[0], rows[1], kinds, strict=True)
        )


class _WrongType(Exception):  # noqa: N818 - a finding, not a mistake of ours
    """The function returned a value of another type."""

    def __str__(self) -> str:
        return _shown(self.args[0])


def samples_of(kind: Type, identity: Any) -> list[Any]:
    """Return values of a type, those that say least first.

    Examples
    --------
    >>> samples_of("i32", 0)
    [0, 1, 7, 2147483647]
    """
    kinds, begin = (kind, identity) if isinstance(kind, tuple) else ((kind,), (identity,))
    columns = [_numbers(each, start) for each, start in zip(kinds, begin, strict=True)]
    if not isinstance(kind, tuple):
        return columns[0]
    patterns = [(1, 0), (1,), (0, 1), (2, 1), (1, 2), (0,), (-1,)]
    rows = [
        tuple(column[min(p[at % len(p)], len(column) - 1)] for at, column in enumerate(columns))
        for p in patterns
    ]
    return list(dict.fromkeys(rows))


def _numbers(kind: str, start: Any) -> list[Any]:
    if kind == "bool":
        return [False, True]
    if is_float(kind):
        return [*REAL, *(map(float, NEGATIVE) if start < 0 else ())]
    limits = np.iinfo(dtype_named(kind))
    negative = [*NEGATIVE, int(limits.min)] if start < 0 else []
    wide = [(3 << 32) + 5, (3 << 32) + 1] if limits.bits == 64 else []  # packed pairs with a tie
    return [*WHOLE, *wide, *negative, int(limits.max)]


def _is_of(value: Any, kind: Type) -> bool:
    """Return whether a Python value is one that a message of a type can hold."""
    value = bare(value)
    if isinstance(kind, tuple):
        return (
            isinstance(value, tuple) and len(value) == len(kind) and all(map(_is_of, value, kind))
        )
    if isinstance(value, bool | np.bool_):
        return True
    if kind == "bool":
        return False
    if isinstance(value, int | np.integer):
        return True
    return is_float(kind) and isinstance(value, float | np.floating)


def _plain(kind: Type) -> Type:
    """Return a type with ids as the integers they are."""
    if isinstance(kind, tuple):
        return tuple(map(_plain, kind))
    return "i64" if kind == "id" else kind


def _parts(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_shown, value))})"
    return repr(value.item() if isinstance(value, np.generic) else value)


def _pair(left: Any, right: Any) -> str:
    return f"({_shown(left)}, {_shown(right)})"
