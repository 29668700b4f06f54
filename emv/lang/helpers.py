"""Plain functions of the user's that user functions call: what they may say, and their text."""

from __future__ import annotations

import ast
import types
from typing import Any

import numpy as np

from emv.errors import LanguageError
from emv.lang.source import Source, definition_loc, read_lambda, read_source
from emv.lang.spelling import kind_of

WORDS = "emv.lang.words"

_REFUSED = (
    ast.Try, ast.With, ast.Raise, ast.Assert, ast.Delete, ast.Global, ast.Nonlocal, ast.Import,
    ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Lambda, ast.ListComp, ast.SetComp,
    ast.DictComp, ast.GeneratorExp, ast.Dict, ast.Set, ast.List, ast.JoinedStr, ast.Yield,
    ast.YieldFrom, ast.Await, ast.NamedExpr, ast.Starred, ast.Match,
)  # fmt: skip


def check_helper(function: types.FunctionType, source: Source) -> None:
    """Refuse a helper that compiled code cannot take along.

    Raises
    ------
    LanguageError
        If it is nested or decorated, has syntax that user functions lack too, or speaks of the
        running program.
    """
    if function.__closure__ is not None or source.tree.decorator_list:
        raise LanguageError(
            f"{function.__name__}() cannot be called from a user function",
            definition_loc(function),
            "A helper is a plain function at module level: no decorators, no variables of an "
            "enclosing function.",
        )
    for node in ast.walk(source.tree):
        if isinstance(node, _REFUSED) and node is not source.tree:
            raise LanguageError(
                f"{kind_of(node)} has no place in a helper of user functions",
                source.loc(node),
                "A helper computes with numbers: assignments, if, loops over range(), return.",
            )
        if isinstance(node, ast.Call) and _is_word(node.func, function.__globals__):
            raise LanguageError(
                f"{ast.unparse(node.func)}() has no place in a helper of user functions",
                source.loc(node),
                "Say it in the decorated function, and hand the helper numbers.",
            )


def _is_word(called: ast.expr, around: dict[str, Any]) -> bool:
    """Return whether an expression names a word that speaks of the running program."""
    value = None
    if isinstance(called, ast.Name):
        value = around.get(called.id)
    elif isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
        value = getattr(around.get(called.value.id), called.attr, None)
    return isinstance(value, types.FunctionType) and value.__module__ == WORDS


def fold_text(function: types.FunctionType) -> str:
    """Return the text of a combiner's function, a def or a lambda, as a def of its name.

    Raises
    ------
    LanguageError
        If compiled code cannot take it along.
    """
    is_def = function.__code__.co_name != "<lambda>"
    source = read_source(function) if is_def else read_lambda(function)
    check_helper(function, source)
    used = {name: function.__globals__.get(name) for name in function.__code__.co_names}
    for name, value in used.items():
        if isinstance(value, types.FunctionType):
            raise LanguageError(
                f"{name}() cannot be called in a combiner's function",
                definition_loc(function),
                "Write what it computes into the combiner's function.",
            )
    numbers = (bool, int, float, np.generic)
    return helper_text(source, {name: v for name, v in used.items() if isinstance(v, numbers)})


def helper_text(source: Source, constants: dict[str, Any]) -> str:
    """Return a helper's text without annotations and docstring, its constants as numbers."""
    tree = ast.fix_missing_locations(ast.parse(ast.unparse(source.tree)))
    function: Any = tree.body[0]
    function.returns = None
    for arg in function.args.args:
        arg.annotation = None
    if function.body and ast.get_docstring(function) is not None:
        function.body = function.body[1:] or [ast.Pass()]
    frozen = _Freeze(constants)
    function.body = [frozen.visit(stmt) for stmt in function.body]
    return ast.unparse(tree)


class _Freeze(ast.NodeTransformer):
    """Replace the names of captured constants by their values."""

    def __init__(self, constants: dict[str, Any]) -> None:
        self.constants = constants

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Replace one name."""
        if isinstance(node.ctx, ast.Load) and node.id in self.constants:
            value = self.constants[node.id]
            return ast.Constant(value.item() if isinstance(value, np.generic) else value)
        return node
