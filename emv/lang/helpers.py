"""Plain functions of the user's that user functions call: what they may say, and their text."""

from __future__ import annotations

import ast
import copy
import types
from typing import Any
from weakref import WeakKeyDictionary

from emv.errors import LanguageError
from emv.lang import words
from emv.lang.outside import Outside, meaning, same
from emv.lang.source import Source, definition_loc, read_lambda, read_source
from emv.lang.spelling import kind_of

_REFUSED = (
    ast.Try, ast.With, ast.Raise, ast.Assert, ast.Delete, ast.Global, ast.Nonlocal, ast.Import,
    ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Lambda, ast.ListComp, ast.SetComp,
    ast.DictComp, ast.GeneratorExp, ast.Dict, ast.Set, ast.List, ast.JoinedStr, ast.Yield,
    ast.YieldFrom, ast.Await, ast.NamedExpr, ast.Starred, ast.Match,
)  # fmt: skip
_FOLDS: WeakKeyDictionary[types.FunctionType, tuple[str, dict[str, Any]]] = WeakKeyDictionary()


def check_helper(function: types.FunctionType, source: Source, place: str) -> None:
    """Refuse a helper that compiled code cannot take along.

    Raises
    ------
    LanguageError
        If it is nested or decorated, has syntax that user functions lack too, or speaks of the
        running program.
    """
    if function.__closure__ is not None or source.tree.decorator_list:
        raise LanguageError(
            f"{function.__name__}() cannot be {place}",
            definition_loc(function),
            "It must be a plain function at module level: no decorators, no variables of an "
            "enclosing function.",
        )
    for node in ast.walk(source.tree):
        if isinstance(node, _REFUSED) and node is not source.tree:
            raise LanguageError(
                f"{kind_of(node)} has no place in {place}",
                source.loc(node),
                "It computes with numbers: assignments, if, loops over range(), return.",
            )
        if isinstance(node, ast.Call) and _is_word(node.func, function.__globals__):
            raise LanguageError(
                f"{ast.unparse(node.func)}() has no place in {place}",
                source.loc(node),
                "Say it in the decorated function, and hand over numbers.",
            )


def _is_word(called: ast.expr, around: dict[str, Any]) -> bool:
    """Return whether an expression names a word that speaks of the running program."""
    value = None
    if isinstance(called, ast.Name):
        value = around.get(called.id)
    elif isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
        value = getattr(around.get(called.value.id), called.attr, None)
    return isinstance(value, types.FunctionType) and value.__module__ == words.__name__


def helper_text(function: types.FunctionType) -> tuple[str, dict[str, Any]]:
    """Return the text of a helper, and what it names from outside.

    Raises
    ------
    LanguageError
        If compiled code cannot take it along.
    """
    return _text(function, read_source(function), "a helper of user functions", may_call=True)


def fold_text(function: types.FunctionType) -> str:
    """Return the text of a combiner's function, a def or a lambda, as a def of its name.

    It is kept as long as what the function names from outside stays the same.

    Raises
    ------
    LanguageError
        If compiled code cannot take it along.
    """
    known = _FOLDS.get(function)
    if known is None or not all(same(meaning(function, n), value) for n, value in known[1].items()):
        known = _FOLDS[function] = _fold(function)
    return known[0]


def _fold(function: types.FunctionType) -> tuple[str, dict[str, Any]]:
    is_def = function.__code__.co_name != "<lambda>"
    source = read_source(function) if is_def else read_lambda(function)
    return _text(function, source, "a combiner's function", may_call=False)


def _text(
    function: types.FunctionType, source: Source, place: str, may_call: bool
) -> tuple[str, dict[str, Any]]:
    """Return a function's text without annotations and docstring, and what it names."""
    check_helper(function, source, place)
    tree: Any = copy.deepcopy(source.tree)
    tree.returns = None
    for arg in (*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs):
        arg.annotation = None
    if ast.get_docstring(tree) is not None:
        tree.body = tree.body[1:] or [ast.Pass()]
    names = Outside(function, source, place, may_call)
    written = names.visit(tree)
    return ast.unparse(ast.fix_missing_locations(written)), names.found
