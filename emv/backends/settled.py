"""The code of a user's function in which variables and choices have one type, as compiled ones do.

    least = inf                   # a float of any width
    least = min(least, v.cost)    # f32, and so is what stands there before

In compiled code a variable has the type that holds all it takes, and ``a if c else b`` the type
that holds both; plain Python would go on with whichever it is. So where types differ the function
is compiled once more from its text with a conversion behind the assignment, or around the choice,
at the same lines and columns.
"""

from __future__ import annotations

import ast
import copy
import types
from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

from emv.backends.numbers import converted, kind_of
from emv.errors import Loc
from emv.ir.body import Type
from emv.lang.promote import spelled
from emv.lang.source import Source

_MADE: WeakKeyDictionary[types.FunctionType, dict[str, types.CodeType]] = WeakKeyDictionary()


def converter(kind: Type) -> str:
    """Return what a conversion is called in settled code, which no name of a user's can be."""
    return f"as {spelled(kind)}"


def conversions(changed: Mapping[str, Type], chosen: Mapping[Loc, Type]) -> dict[str, Any]:
    """Return the conversions that settled code calls, by their names."""
    kinds = {converter(kind): kind for kind in (*changed.values(), *chosen.values())}
    return {name: _conversion(kind) for name, kind in kinds.items()}


def _conversion(kind: Type) -> Any:
    return lambda value: settle(value, kind)


def settle(value: Any, kind: Type) -> Any:
    """Return a number, or a tuple of them, in the type in which a type is computed.

    Examples
    --------
    >>> settle((1, 2.5), ("f32", "float"))
    (np.float32(1.0), 2.5)
    """
    if isinstance(kind, tuple):
        is_tuple = isinstance(value, tuple)  # else it is a message record, which converts itself
        return tuple(map(settle, value, kind)) if is_tuple else value
    return value if kind_of(value) is None else converted(value, kind)


class Settling(ast.NodeTransformer):
    """Puts conversions into the tree of a function."""

    def __init__(
        self, source: Source, changed: Mapping[str, Type], chosen: Mapping[Loc, Type]
    ) -> None:
        self.source, self.changed, self.chosen = source, changed, chosen

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        """Convert what is chosen."""
        self.generic_visit(node)
        kind = self.chosen.get(self.source.loc(node))
        return node if kind is None else _converted(node, kind)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Convert the parameters that take other types later."""
        self.generic_visit(node)
        given = node.args
        names = [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
        node.body[:0] = self.behind(names, node.body[0])
        return node

    def visit_Assign(self, node: ast.Assign | ast.AugAssign | ast.AnnAssign) -> list[ast.stmt]:
        """Convert the variables that take something."""
        self.generic_visit(node)
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        found = [each for target in targets for each in ast.walk(target)]
        stored = [
            each.id
            for each in found
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
        ]
        return [node, *self.behind(stored, node)]

    visit_AugAssign = visit_AnnAssign = visit_Assign

    def behind(self, names: list[str], node: ast.stmt) -> list[ast.stmt]:
        """Return the conversions of variables, at the place of a statement."""
        made = []
        for name in names:
            if name in self.changed:
                read = ast.copy_location(ast.Name(name, ast.Load()), node)
                target = ast.copy_location(ast.Name(name, ast.Store()), node)
                value = _converted(read, self.changed[name])
                made.append(ast.copy_location(ast.Assign([target], value), node))
        return made


def _converted(node: ast.expr, kind: Type) -> ast.expr:
    called = ast.copy_location(ast.Name(converter(kind), ast.Load()), node)
    return ast.copy_location(ast.Call(called, [node], []), node)


def settled(
    python: types.FunctionType,
    source: Source,
    changed: Mapping[str, Type],
    chosen: Mapping[Loc, Type],
) -> types.CodeType:
    """Return the code of a function whose variables and choices convert what they are given.

    Parameters
    ----------
    changed : mapping
        The variables that convert, with their types.
    chosen : mapping
        The choices that convert, by their places.
    """
    if not changed and not chosen:
        return python.__code__
    known, key = _MADE.setdefault(python, {}), repr((sorted(changed.items()), [*chosen.items()]))
    if key not in known:
        known[key] = _compiled(python, source, Settling(source, changed, chosen))
    return known[key]


def _compiled(python: types.FunctionType, source: Source, settling: Settling) -> types.CodeType:
    tree: Any = copy.deepcopy(source.tree)
    tree.decorator_list, tree.returns = [], None
    for each in ast.walk(tree.args):
        if isinstance(each, ast.arg):
            each.annotation = None
    free = [ast.arg(each) for each in python.__code__.co_freevars]
    around = ast.arguments(posonlyargs=[], args=free, kwonlyargs=[], kw_defaults=[], defaults=[])
    outer = ast.FunctionDef("around", around, [settling.visit(tree)], [])
    module = ast.fix_missing_locations(ast.Module([outer], []))
    ast.increment_lineno(module, source.first_line - 1 - source.shift)
    code = compile(module, python.__code__.co_filename, "exec", dont_inherit=True)
    for _ in range(2):
        code = next(each for each in code.co_consts if isinstance(each, types.CodeType))
    return code
