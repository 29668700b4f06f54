"""What of the user's stands in a module of kernels as functions: helpers, combiners' functions.

Each stands there once for every list of types that it is called with, under a name that says them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from emv.codegen.expressions import helper_name
from emv.codegen.folding import FoldText
from emv.codegen.place import Place
from emv.codegen.statements import StatementText
from emv.codegen.writer import Buffers, Writer
from emv.errors import LanguageError, Loc
from emv.ir import body as b
from emv.ir import nodes as n
from emv.ir import schedule as s

OWN = "u_"  # before the names of its locals, so that they are no names of the module's


def user_functions(schedule: s.Schedule, decorator: str) -> list[n.Function]:
    """Return the plain functions of the user's that kernels call.

    Parameters
    ----------
    decorator : str
        What compiles them for a target.

    Raises
    ------
    LanguageError
        If two of them have one name.
    """
    places: dict[str, Loc] = {}
    found: dict[str, n.Function] = {}
    for helper in helpers_in(schedule):
        if places.setdefault(helper.name, helper.loc) != helper.loc:
            raise LanguageError(
                f"two plain functions of this program are called {helper.name}()",
                helper.loc,
                "Give one of them another name.",
            )
        name = helper_name(helper.name, helper.kinds)
        if name not in found:
            found[name] = written(helper, name, decorator)
    return [*found.values()]


def written(helper: b.Helper, name: str, decorator: str) -> n.Function:
    """Return a plain function as it stands in a module."""
    writer = Writer(Buffers())
    place = Place(vertex={}, edge={}, prefix=OWN, written=frozenset())
    StatementText(writer, place, helper.name, helper.body).block(helper.body.statements)
    first = tuple(f"{OWN}{each}" for each in helper.parameters)
    return n.Function(name, f"@{decorator}", first, (), writer.body)


def helpers_in(schedule: s.Schedule) -> Iterator[b.Helper]:
    """Yield the plain functions that user functions call, and those of the user's combiners."""
    for launch in s.launches_in(schedule.body):
        for function in s.functions_of(launch):
            yield from function.body.helpers
        for fold in launch.folds:
            yield from FoldText(fold).helpers()


def combiners_in(schedule: s.Schedule) -> Iterator[Any]:
    """Yield the user's combiners."""
    for launch in s.launches_in(schedule.body):
        for fold in launch.folds:
            yield from (op for op in fold.ops if op.loc is not None)
