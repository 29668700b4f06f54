"""Plain functions of the user's that user functions call, and those of combiners.

A helper has no types of its own but those of its annotations. It is built once for each list of
types that it is called with (monomorphisation), by the rules of the language, so that arithmetic in
it is what it is in the functions that call it. Its returns stay where they are, since a backend
writes it as a function of its own.
"""

from __future__ import annotations

import ast
import types
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from emv.errors import LanguageError, TypeMismatchError
from emv.ir import body as ir
from emv.lang import words
from emv.lang.call_expressions import hinted
from emv.lang.calls import CASTS
from emv.lang.outside import is_holder, is_plain, meaning, spelled_value
from emv.lang.promote import passed, spelled, strong
from emv.lang.scope import Scope, two_helpers
from emv.lang.source import Source, definition_loc, read_lambda, read_source
from emv.lang.spelling import kind_of
from emv.lang.statements import Statements
from emv.lang.ways import always_ends

_REFUSED = (
    ast.Try, ast.With, ast.Raise, ast.Assert, ast.Delete, ast.Global, ast.Nonlocal, ast.Import,
    ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Lambda, ast.ListComp, ast.SetComp,
    ast.DictComp, ast.GeneratorExp, ast.Dict, ast.Set, ast.List, ast.JoinedStr, ast.Yield,
    ast.YieldFrom, ast.Await, ast.NamedExpr, ast.Starred, ast.Match,
)  # fmt: skip
HELPER, FOLD = "a helper of user functions", "a combiner's function"
_SOURCES: WeakKeyDictionary[types.FunctionType, Source] = WeakKeyDictionary()
_NAMES: WeakKeyDictionary[types.FunctionType, list[str]] = WeakKeyDictionary()  # of combiners'


@dataclass(frozen=True)
class Plain:
    """A plain function for arguments of certain types.

    Attributes
    ----------
    helper : Helper
        What backends compile.
    scope : Scope
        What it names, which of its variables and choices convert, and whom it calls.
    """

    helper: ir.Helper
    scope: Scope


class PlainStatements(Statements):
    """Builds the statements of a plain function.

    Parameters
    ----------
    place : str
        What the function is, for errors.
    result : Type
        What it returns.
    """

    def __init__(self, scope: Scope, place: str, result: ir.Type) -> None:
        super().__init__(scope)
        self.place = place
        self.result = result

    def block(self, nodes: list[ast.stmt], in_loop: bool = False) -> tuple[ir.Stmt, ...]:
        """Build a list of statements; what stands behind a ``return`` is never reached."""
        built: list[ir.Stmt] = []
        for node in nodes:
            built.extend(self.statement(node, in_loop))
            if isinstance(node, ast.Return):
                break
        return tuple(built)

    def build_Return(self, node: ast.Return, in_loop: bool) -> list[ir.Stmt]:
        """Build ``return``."""
        value = None if node.value is None else self.value(node.value)
        if value is None or num_parts(value.type) != num_parts(self.result):
            raise TypeMismatchError(
                f"{self.scope.function.__name__}() returns {spelled(strong(self.result))}, and "
                + ("nothing here" if value is None else spelled(strong(value.type))),
                self.loc(node),
                f"Return a {spelled(strong(self.result))} on every way.",
            )
        return [ir.Return(self.loc(node), value)]

    def visit(self, node: ast.expr) -> Any:
        """Build any expression, and take note of what it names from outside."""
        found = super().visit(node)
        if isinstance(node, ast.Name | ast.Attribute) and not isinstance(found, ir.Expr | tuple):
            self.check_place(node, found)
            self.scope.captured[ast.unparse(node)] = found
        return found

    def check_place(self, node: ast.expr, found: Any) -> None:
        """Refuse what a plain function names and compiled code cannot take along."""
        if is_plain(found) and self.place == FOLD:
            raise self.refuse(
                f"{ast.unparse(node)}() cannot be called in {FOLD}",
                node,
                f"Write what it computes into {FOLD}.",
            )
        if not self.has_place(found):
            raise self.refuse(
                f"{ast.unparse(node)} is {spelled_value(found)}, which has no place in "
                f"{self.place}",
                node,
                "It may name numbers, the number types, and functions of math"
                + (", and plain functions." if self.place == HELPER else "."),
            )

    def has_place(self, found: Any) -> bool:
        """Return whether a plain function may name something."""
        if isinstance(found, type):
            return found in CASTS or found is range or is_holder(found)
        return callable(found) or is_holder(found)

    def visit_Subscript(self, node: ast.Subscript) -> ir.Expr:
        """Build ``pair[1]``; which part of a vector it is must stand in the text."""
        found = super().visit_Subscript(node)
        if isinstance(found, ir.Part):
            raise self.refuse(
                f"a computed part of a vector has no place in {self.place}",
                node,
                "Write the number of the part: a[0].",
            )
        return found


def num_parts(kind: ir.Type) -> int:
    """Return how many numbers a tuple has, 0 of what is none."""
    return len(kind) if isinstance(kind, tuple) else 0


def plain_function(
    function: types.FunctionType, kinds: tuple[ir.Type, ...], result: ir.Type, place: str = HELPER
) -> Plain:
    """Return a plain function for arguments of some types.

    Raises
    ------
    LanguageError
        If compiled code cannot take it along.
    """
    source = source_of(function, place)
    arguments = source.tree.args
    listed = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    names = [each.arg for each in listed]
    known = dict(zip(names, kinds, strict=True))
    while True:  # each round widens the types of its locals
        scope = Scope(source, function, {}, locals=dict(known), assigned={*names})
        statements = PlainStatements(scope, place, result).block(source.tree.body)
        if scope.locals == known:
            break
        known = dict(scope.locals)
    if not always_ends(source.tree.body):
        raise LanguageError(
            f"{function.__name__}() returns a value on some ways through it and none on others",
            definition_loc(function),
            "End every way with a return statement: return 0, for instance.",
        )
    loc, taken, first = definition_loc(function), list[str](), list[ir.Stmt]()
    for name, kind in zip(names, kinds, strict=True):
        scope.convert(name, kind, known[name])
        if name not in scope.changed:
            taken.append(name)
            continue
        taken.append(scope.hidden(f"{name}_given"))
        first.append(ir.Assign(loc, name, ir.Local(kind, loc, taken[-1])))
    locals_ = {name: strong(kind) for name, kind in known.items()}
    body = ir.Body((*first, *statements), locals_, strong(result), None, ())
    return Plain(ir.Helper(function.__name__, kinds, tuple(taken), body, loc), scope)


def helpers_called(scope: Scope) -> tuple[ir.Helper, ...]:
    """Return the plain functions that a function calls, and those that they call.

    What they name from outside is added to what the function names, each name behind that of the
    helper that has it.

    Raises
    ------
    LanguageError
        If compiled code cannot take one along, or two have one name.
    """
    found: dict[tuple[str, tuple[ir.Type, ...]], ir.Helper] = {}
    waiting = [*reversed(scope.helper_calls)]
    while waiting:
        key = name, kinds = waiting.pop()
        if key in found:
            continue
        function = scope.helpers[name]
        made = plain_function(function, kinds, hinted(function) or "f64")
        found[key] = made.helper
        scope.captured |= {f"{name}.{used}": one for used, one in made.scope.captured.items()}
        for other in made.scope.helpers.values():
            if scope.helpers.setdefault(other.__name__, other) is not other:
                raise two_helpers(other)
        waiting += reversed(made.scope.helper_calls)
    return tuple(found.values())


def folding(function: types.FunctionType, kind: ir.Type) -> Plain:
    """Return a combiner's function, a def or a lambda, for messages of a type.

    Raises
    ------
    LanguageError
        If compiled code cannot take it along.
    """
    return plain_function(function, (passed(kind), passed(kind)), kind, FOLD)


def names_in_fold(function: types.FunctionType) -> dict[str, Any]:
    """Return what a combiner's function names from outside, and what that means now."""
    if function not in _NAMES:
        tree, own = source_of(function, FOLD).tree, function.__code__.co_varnames
        found = (each for each in ast.walk(tree) if isinstance(each, ast.Name | ast.Attribute))
        dotted = dict.fromkeys(map(ast.unparse, found))
        _NAMES[function] = [each for each in dotted if each.partition(".")[0] not in own]
    return {each: meaning(function, each) for each in _NAMES[function]}


def source_of(function: types.FunctionType, place: str) -> Source:
    """Return the source of a plain function, which is refused if it has no place in kernels."""
    if function not in _SOURCES:
        is_lambda = function.__code__.co_name == "<lambda>"
        source = read_lambda(function) if is_lambda else read_source(function)
        check_helper(function, source, place)
        _SOURCES[function] = source
    return _SOURCES[function]


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
