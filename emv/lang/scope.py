"""What the names in a user function mean while its body is being built.

A name is, in this order: a parameter or local, a variable of an enclosing function, a module
global, a builtin. Numbers found outside are frozen into the body and remembered, so that a changed
global leads to a new body and never to a stale one.
"""

from __future__ import annotations

import ast
import builtins
import types
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from emv.dtypes import SHORT_NAMES
from emv.errors import LanguageError, Loc
from emv.ir.body import Element, Helper, Type
from emv.lang.promote import join
from emv.lang.source import Source, definition_loc, read_source

MISSING = object()


@dataclass(frozen=True)
class ListRef:
    """A parameter that is a list: the out-edges or the messages of the own vertex."""

    kind: str  # "edges" or "messages"
    record: Any
    type: Type | None = None


@dataclass
class Scope:
    """The names of one function, and what building its body has found so far."""

    source: Source
    function: types.FunctionType
    names: dict[str, Any]  # parameters and loop variables: Element, ListRef or a Type
    records: dict[str, Any] = field(default_factory=dict)  # locals that are message records
    locals: dict[str, Type] = field(default_factory=dict)
    captured: dict[str, Any] = field(default_factory=dict)
    helpers: dict[str, Helper] = field(default_factory=dict)
    num_sends: int = 0
    num_draws: int = 0
    message: Type | None = None
    sent_record: Any = None  # the record class of the messages, if they are records
    result: Type | None = None

    def loc(self, node: Any) -> Loc:
        """Return where a node of the function's tree stands."""
        return self.source.loc(node)

    def outside(self, name: str) -> Any:
        """Return what a name means outside the function, or `MISSING`."""
        code = self.function.__code__
        if name in code.co_freevars and self.function.__closure__ is not None:
            cell = self.function.__closure__[code.co_freevars.index(name)]
            try:
                return cell.cell_contents
            except ValueError:
                return MISSING
        spaces = (self.function.__globals__, vars(builtins))
        return next((space[name] for space in spaces if name in space), MISSING)

    def assign(self, name: str, kind: Type, loc: Loc) -> None:
        """Record that a local takes a value of a type; its type is the join of all of them."""
        before = self.locals.get(name, kind)
        joined = join(before, kind)
        if joined is None:
            raise LanguageError(
                f"{name!r} holds values of two kinds that have no common type",
                loc,
                "Use two names: in compiled code a variable has one type.",
            )
        self.locals[name] = joined

    def add_helper(self, function: types.FunctionType) -> str:
        """Take a plain function along, with the plain functions it calls itself."""
        name = function.__name__
        known = self.helpers.get(name)
        loc = definition_loc(function)
        if known is not None:
            return name
        source = read_source(function)
        if function.__closure__ is not None or source.tree.decorator_list:
            raise LanguageError(
                f"{name}() cannot be called from a user function",
                loc,
                "A helper is a plain function at module level: no decorators, no variables of an "
                "enclosing function.",
            )
        self.helpers[name] = Helper(name, "", loc)
        inner: dict[str, Any] = {}
        for used in function.__code__.co_names:
            value = function.__globals__.get(used, MISSING)
            if isinstance(value, types.FunctionType) and value.__module__ != "emv.lang.words":
                self.add_helper(value)
            elif is_constant(value):
                inner[used] = value
                self.captured[f"{name}.{used}"] = value
        self.helpers[name] = Helper(name, _helper_text(source, inner), loc)
        return name

    def element(self, name: str) -> Element | None:
        """Return the element a name stands for, if it does."""
        found = self.names.get(name)
        return found if isinstance(found, Element) else None


def is_constant(value: Any) -> bool:
    """Return whether a global can be frozen into a body: a number or truth value."""
    return isinstance(value, bool | int | float | np.generic)


def _helper_text(source: Source, constants: dict[str, Any]) -> str:
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
            return ast.Constant(self.constants[node.id])
        return node


def constant_type(value: Any) -> str:
    """Return the type of a captured number."""
    if isinstance(value, bool | np.bool_):
        return "bool"
    if isinstance(value, np.generic):
        return SHORT_NAMES[value.dtype.name]
    return "int" if isinstance(value, int) else "float"
