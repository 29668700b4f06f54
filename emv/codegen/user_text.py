"""What of the user's text stands in a module of kernels: plain functions, under names apart."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from emv.codegen.expressions import helper_name
from emv.errors import LanguageError, Loc
from emv.ir import schedule as s
from emv.lang.helpers import fold_text


class Renamed(ast.NodeTransformer):
    """Gives plain functions the names that they have in kernels, and a decorator.

    A function of the user's may also have a local of such a name, which stays.
    """

    def __init__(self, names: set[str], decorator: str) -> None:
        self.names = names
        self.decorator = decorator

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Rename the function itself."""
        self.generic_visit(node)
        node.name = helper_name(node.name)
        node.decorator_list = [ast.Name(self.decorator, ast.Load())]
        return node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        """Rename what is called."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in self.names:
            node.func = ast.Name(helper_name(node.func.id), ast.Load())
        return node


def user_helpers(schedule: s.Schedule, decorator: str) -> dict[str, ast.FunctionDef]:
    """Return the plain functions of the user's that kernels call, by their names there.

    Parameters
    ----------
    decorator : str
        What compiles them for a target.

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
    renamed = Renamed({*found}, decorator)
    trees = [ast.parse(source).body[0] for source in found.values()]
    return {tree.name: tree for tree in map(renamed.visit, trees)}


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
