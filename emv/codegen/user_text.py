"""What of the user's text stands in a module of kernels: plain functions, and lines to point at."""

from __future__ import annotations

import re

from emv.codegen.expressions import helper_name
from emv.ir import body as b
from emv.ir import schedule as s


def user_helpers(schedule: s.Schedule, decorator: str) -> list[str]:
    """Return the plain functions of the user's that kernels call, with a target's decorator."""
    found: dict[str, str] = {}
    for launch in s.launches_in(schedule.body):
        for function in s.functions_of(launch):
            for helper in function.body.helpers:
                found[helper.name] = helper.source
        for fold in launch.folds:
            for op in fold.ops:
                if op.loc is not None:
                    found[op.function.__name__] = op.source()
    names = "|".join(map(re.escape, found))
    calls = re.compile(rf"(?<![\w.])({names})(?=\()")
    return [
        f"\n\n{decorator}\n" + calls.sub(lambda match: helper_name(match[1]), source)
        for source in found.values()
    ]


def counts_bits(schedule: s.Schedule) -> bool:
    """Return whether a function of the user's says ``x.bit_count()``."""
    return any(
        isinstance(expr, b.Call) and expr.name == "bit_count"
        for launch in s.launches_in(schedule.body)
        for function in s.functions_of(launch)
        for expr in b.expressions_in(function.body.statements)
    )


def user_lines(text: str) -> dict[int, tuple[str, int]]:
    """Return which lines of the text came from which lines of the user's files."""
    found = {}
    for number, line in enumerate(text.splitlines(), 1):
        match = re.search(r"  # (\S+\.\w+|<[^>]+>):(\d+)$", line)
        if match:
            found[number] = (match[1], int(match[2]))
    return found
