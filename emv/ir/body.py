"""The body of one user function after the front end: resolved, typed, with a `Loc` on every node.

This is what every compiled backend reads; the eager backend runs the user's own text instead. The
differences from Python's AST: names are resolved to locals, elements or constants; each field
access says whose field it is; every expression has a type; ``return`` is gone (a value is assigned
to the local `RESULT` and what followed the return stands under an ``if``).

Its expressions and statements are those of `emv.ir.expressions` and `emv.ir.statements`, reached
from here as well.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, TypeGuard, TypeVar

from emv.dtypes import SHORT_NAMES
from emv.errors import Loc
from emv.ir.expressions import (
    Attribute,
    Binary,
    Call,
    Choose,
    ChooseBoth,
    Compare,
    Const,
    Element,
    Expr,
    Find,
    HelperCall,
    Item,
    Load,
    Local,
    Logic,
    OutArc,
    Part,
    Random,
    Tuple,
    Type,
    Unary,
    VectorType,
)
from emv.ir.frozen import dataclass
from emv.ir.statements import (
    Activate,
    AddEdge,
    AddVertex,
    Assign,
    AssignItem,
    Break,
    ClearEdges,
    Continue,
    Delete,
    EagerOnly,
    ForCommon,
    ForLinks,
    ForMessages,
    ForRange,
    If,
    Left,
    Return,
    Send,
    Stmt,
    Store,
    Union,
    Vote,
    While,
)

__all__ = [
    "RESULT",
    "Activate",
    "AddEdge",
    "AddVertex",
    "Assign",
    "AssignItem",
    "Attribute",
    "Binary",
    "Body",
    "Break",
    "Call",
    "Choose",
    "ChooseBoth",
    "ClearEdges",
    "Compare",
    "Const",
    "Continue",
    "Delete",
    "EagerOnly",
    "Element",
    "Expr",
    "Find",
    "ForCommon",
    "ForLinks",
    "ForMessages",
    "ForRange",
    "Helper",
    "HelperCall",
    "If",
    "Item",
    "Left",
    "Load",
    "Local",
    "Logic",
    "OutArc",
    "Part",
    "Random",
    "Return",
    "Send",
    "Stmt",
    "Store",
    "Tuple",
    "Type",
    "Unary",
    "Union",
    "VectorType",
    "Vote",
    "While",
    "blocks_of",
    "element_of",
    "expressions_in",
    "inside",
    "is_local",
    "only_test",
    "parts_of",
    "reads",
    "statements_in",
    "type_of",
    "with_blocks",
    "with_elements",
    "with_parts",
]

RESULT = "_result"  # no name that users choose


@dataclass(frozen=True)
class Helper:
    """A plain function of the user's, for arguments of certain types.

    Attributes
    ----------
    name : str
        Its own, which helpers for other types have, too.
    kinds : tuple of Type
        Of what it is given: the types in which numbers are computed.
    parameters : tuple of str
        The locals that take what it is given.
    body : Body
        What it does; its result has a type, and it sends nothing.
    loc : Loc
        Where it is defined.
    """

    name: str
    kinds: tuple[Type, ...]
    parameters: tuple[str, ...]
    body: Body
    loc: Loc


@dataclass(frozen=True)
class Body:
    """A whole function.

    Attributes
    ----------
    statements : tuple of Stmt
        In order; no ``return`` among them.
    locals : dict
        The type of every local variable that the body assigns, in order of first assignment.
    result : Type or None
        The type of what the function returns; None when it returns nothing.
    message : Type or None
        The type of what it sends; None when it sends nothing.
    helpers : tuple of Helper
        Plain functions that it calls, and that those call, each for the types it is called with.
    """

    statements: tuple[Stmt, ...]
    locals: dict[str, Type]
    result: Type | None
    message: Type | None
    helpers: tuple[Helper, ...]

    @functools.cached_property
    def nodes(self) -> tuple[Expr | Stmt, ...]:
        """Every statement and expression, found once: programs ask call by call."""
        return (*statements_in(self.statements), *expressions_in(self.statements))

    @functools.cached_property
    def elements(self) -> tuple[Element, ...]:
        """The elements that the body speaks of, one for each time."""
        values = (value for node in self.nodes for value in vars(node).values())
        return tuple(each for each in values if isinstance(each, Element))


def parts_of(node: Expr | Stmt) -> list[Expr]:
    """Return the expressions directly inside an expression or statement."""
    found: list[Expr] = []
    for value in vars(node).values():
        for each in value if isinstance(value, tuple) else (value,):
            if isinstance(each, Expr):
                found.append(each)
            elif isinstance(each, Element) and each.index is not None:
                found.append(each.index)
    return found


Node = TypeVar("Node", bound="Expr | Stmt")


def with_parts(node: Node, change: Callable[[Expr], Expr]) -> Node:
    """Return an expression or statement whose direct expressions are changed, as `parts_of`."""

    def changed(value: Any) -> Any:
        if isinstance(value, Expr):
            return change(value)
        if isinstance(value, Element) and value.index is not None:
            return dataclasses.replace(value, index=change(value.index))
        if type(value) is tuple and value and isinstance(value[0], Expr):
            return tuple(change(each) for each in value)
        return value

    fields = vars(node).items()
    made = {name: found for name, value in fields if (found := changed(value)) is not value}
    return dataclasses.replace(node, **made) if made else node


def with_blocks(stmt: Stmt, change: Callable[[tuple[Stmt, ...]], tuple[Stmt, ...]]) -> Stmt:
    """Return a statement whose blocks are changed, as `blocks_of`."""
    if isinstance(stmt, If):
        then, otherwise = change(stmt.then), change(stmt.otherwise)
        return dataclasses.replace(stmt, then=then, otherwise=otherwise)
    if isinstance(stmt, ForRange | ForLinks | ForMessages | ForCommon | While):
        return dataclasses.replace(stmt, body=change(stmt.body))
    return stmt


def blocks_of(stmt: Stmt) -> list[tuple[Stmt, ...]]:
    """Return the blocks of statements inside a statement."""
    if isinstance(stmt, If):
        return [stmt.then, stmt.otherwise]
    if isinstance(stmt, ForRange | ForLinks | ForMessages | ForCommon | While):
        return [stmt.body]
    return []


def statements_in(block: tuple[Stmt, ...]) -> list[Stmt]:
    """Return every statement of a block, those nested in others included, in order."""
    found: list[Stmt] = []
    for stmt in block:
        found.append(stmt)
        for inner in blocks_of(stmt):
            found.extend(statements_in(inner))
    return found


def expressions_in(block: tuple[Stmt, ...]) -> list[Expr]:
    """Return every expression of a block, nested ones included."""
    outer = [expr for stmt in statements_in(block) for expr in parts_of(stmt)]
    return [expr for each in outer for expr in inside(each)]


def inside(expr: Expr) -> list[Expr]:
    """Return an expression and every expression in it."""
    return [expr, *(inner for part in parts_of(expr) for inner in inside(part))]


@functools.cache  # to make a dtype's name takes longer than all else that asks
def type_of(dtype: Any) -> str:
    """Return the type of a column of a dtype."""
    return SHORT_NAMES[dtype.name]


def with_ids(kind: Any, id_type: str) -> Any:
    """Return a type with ``id`` replaced by the width that a graph's ids have."""
    if isinstance(kind, tuple):
        return type(kind)(with_ids(each, id_type) for each in kind)
    return id_type if kind == "id" else kind


# What an expression or statement speaks of.


def element_of(node: Expr | Stmt) -> Element | None:
    """Return the element that an expression or statement reaches; None if it reaches none."""
    return getattr(node, "element", None)


def with_elements(expr: Expr, change: Callable[[Element], Element]) -> Expr:
    """Return an expression whose elements, those of its parts included, are changed."""
    made: Any = with_parts(expr, lambda part: with_elements(part, change))
    element = element_of(made)
    found: Expr = made if element is None else dataclasses.replace(made, element=change(element))
    return found


def reads(expr: Expr | None, role: str, field: str | None = None) -> TypeGuard[Load]:
    """Return whether an expression is a field, or a certain one, of the element in a role."""
    return isinstance(expr, Load) and expr.element.role == role and field in (None, expr.field)


def is_local(expr: Expr, name: str | None) -> TypeGuard[Local]:
    """Return whether an expression is a certain local or parameter."""
    return isinstance(expr, Local) and expr.name == name


def only_test(block: tuple[Stmt, ...]) -> If | None:
    """Return the test behind which all stands that a block does; None if there is none such."""
    first = block[0] if len(block) == 1 else None
    return first if isinstance(first, If) and not first.otherwise else None
