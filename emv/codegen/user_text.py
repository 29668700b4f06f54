"""What of the user's text stands in a module of kernels: plain functions, and lines to point at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from emv.codegen.expressions import helper_name
from emv.errors import LanguageError, Loc
from emv.ir import body as b
from emv.ir import schedule as s
from emv.lang.helpers import fold_text


def user_helpers(schedule: s.Schedule, decorator: str) -> list[str]:
    """Return the plain functions of the user's that kernels call, with a target's decorator.

    Raises
    ------
    LanguageError
        If two of them have one name.
    """
    found: dict[str, str] = {}
    for name, source, loc in [*helpers_in(schedule), *folds_in(schedule)]:
        if found.setdefault(name, source) != source:
            raise LanguageError(
                f"two plain functions of this program are called {name}()",
                loc,
                "Give one of them another name.",
            )
    names = "|".join(map(re.escape, found))
    calls = re.compile(rf"(?<![\w.])({names})(?=\()")
    return [
        f"\n\n{decorator}\n" + calls.sub(lambda match: helper_name(match[1]), source)
        for source in found.values()
    ]


def helpers_in(schedule: s.Schedule) -> Iterator[tuple[str, str, Loc]]:
    """Yield the plain functions that user functions call: name, text and place."""
    for launch in s.launches_in(schedule.body):
        for function in s.functions_of(launch):
            for helper in function.body.helpers:
                yield helper.name, helper.source, helper.loc


def folds_in(schedule: s.Schedule) -> Iterator[tuple[str, str, Loc]]:
    """Yield the functions of the user's combiners: name, text and place."""
    for op in combiners_in(schedule):
        yield op.function.__name__, fold_text(op.function), op.loc


def combiners_in(schedule: s.Schedule) -> Iterator[Any]:
    """Yield the user's combiners."""
    for launch in s.launches_in(schedule.body):
        for fold in launch.folds:
            yield from (op for op in fold.ops if op.loc is not None)


def counts_bits(schedule: s.Schedule) -> bool:
    """Return whether a function of the user's says ``x.bit_count()``."""
    return any(
        isinstance(expr, b.Call) and expr.name == "bit_count"
        for launch in s.launches_in(schedule.body)
        for function in s.functions_of(launch)
        for expr in b.expressions_in(function.body.statements)
    )
