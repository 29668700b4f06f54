"""What folds begin with and what type they give, while a program is traced and while it runs."""

from __future__ import annotations

from typing import Any

from emv.errors import LanguageError, Loc, TypeMismatchError
from emv.ir.body import Type, VectorType
from emv.lang.promote import is_float, spelled, storable, strong

FIELD_BY_FIELD = ("sum", "prod", "bitwise_or")  # operators that take tuples apart


def aggregated_type(word: str, kind: Type) -> str:
    """Return the type of the number that an aggregator makes of values: i64, u64 or f64.

    Examples
    --------
    >>> aggregated_type("total", "f32"), aggregated_type("count", "f32")
    ('f64', 'i64')
    """
    if word == "count":
        return "i64"
    return "f64" if is_float(kind) else "u64" if kind == "u64" else "i64"


def combined_type(operator: Any, kind: Type) -> Type:
    """Return the type of folded messages.

    Sums and products of integers count in 64 bits, since many small integers make a large one;
    those of u64 stay unsigned.
    """
    kind = strong(kind)
    if by_parts(operator, kind):
        return VectorType(combined_type(operator, each) for each in kind)
    if operator.name in ("any", "all"):
        return "bool"
    if operator.name in FIELD_BY_FIELD and isinstance(kind, tuple):
        return tuple(combined_type(operator, each) for each in kind)
    if operator.name in ("sum", "prod") and kind not in ("f32", "f64", "u64"):
        return "i64"
    return kind


def by_parts(operator: Any, kind: Type) -> bool:
    """Return whether an operator folds messages of a type part by part: vectors, if it is ours."""
    return isinstance(kind, VectorType) and operator.loc is None


def started(initial: Any, kind: Type) -> Any:
    """Return a start value in the shape of the messages: one number counts for every part."""
    if isinstance(kind, tuple) and not isinstance(initial, tuple):
        return (initial,) * len(kind)
    return initial


def check_initial(word: str, given: Any, kind: Type, loc: Loc) -> None:
    """Refuse a start value that messages of a type cannot be folded into.

    One number is a start for messages that are tuples if it is one for every part.

    Parameters
    ----------
    word : str
        The operator, for the message.
    given : Type or None
        The type of ``initial=``; None when it is left out.
    """
    folded = strong(kind)
    if given is None or _begins(given, folded):
        return
    counts = word in FIELD_BY_FIELD and isinstance(folded, tuple) and not isinstance(given, tuple)
    if counts and any(_begins(given, each) for each in folded):
        return  # what a part cannot hold of the number is cut off
    raise TypeMismatchError(
        f"initial= of emv.{word} is {spelled(strong(given))}, the messages are {spelled(kind)}",
        loc,
        "Start from a number of the messages' type, from a tuple or record of them where the "
        "messages are such, or send another type.",
    )


def _begins(given: Type, kind: Type) -> bool:
    if not isinstance(kind, tuple):
        return not isinstance(given, tuple) and (kind == "bool" or storable(given, kind))
    if not isinstance(given, tuple):
        return all(_begins(given, each) for each in kind)
    return len(given) == len(kind) and all(map(_begins, given, kind))


def no_messages(function: Any, loc: Loc) -> LanguageError:
    """Return the error for folding or mapping the messages of a function that sends none."""
    remedy = "Call e.send(x), v.send(x) or v.send_to(id, x) in it."
    if function.body.result is not None:
        remedy += " What it returns is folded by emv.total, emv.largest, emv.smallest, emv.count."
    return LanguageError(f"{function.name}() sends no messages", loc, remedy)


def no_keys_of_messages(operator: Any, loc: Loc) -> TypeMismatchError:
    """Return the error for folding messages by an edge column."""
    what = "by= is for edge columns; messages are always folded per receiver"
    return TypeMismatchError(what, loc, f"Leave by= out: emv.{operator.name}(messages).")


def no_value_of(function: Any, loc: Loc) -> LanguageError:
    """Return the error for folding the values of a function that returns none."""
    what = f"{function.name}() returns no value"
    return LanguageError(what, loc, "End it with a return statement.")
