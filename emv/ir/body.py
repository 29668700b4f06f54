"""The body of one user function after the front end: resolved, typed, with a `Loc` on every node.

This is what every compiled backend reads; the eager backend runs the user's own text instead. The
differences from Python's AST: names are resolved to locals, elements or constants; each field
access says whose field it is; every expression has a type; ``return`` is gone (a value is assigned
to the local `RESULT` and what followed the return stands under an ``if``).

Its expressions are those of `emv.ir.expressions`, reached from here as well.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeGuard, TypeVar

from emv.dtypes import SHORT_NAMES
from emv.errors import Loc
from emv.ir.expressions import (
    Attribute,
    Binary,
    Call,
    Choose,
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

__all__ = [
    "RESULT",
    "Activate",
    "Assign",
    "AssignItem",
    "Attribute",
    "Binary",
    "Body",
    "Break",
    "Call",
    "Choose",
    "Compare",
    "Const",
    "Continue",
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
    "Load",
    "Local",
    "Logic",
    "OutArc",
    "Part",
    "Random",
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
class Stmt:
    """A statement and its place in the user's source."""

    loc: Loc


@dataclass(frozen=True)
class Assign(Stmt):
    """``name = value``."""

    name: str
    value: Expr


@dataclass(frozen=True)
class AssignItem(Stmt):
    """``m.cost = value`` in a `@message` function: one component of the message changes."""

    name: str
    position: int
    value: Expr


@dataclass(frozen=True)
class Store(Stmt):
    """``element.field = value``; with ``op``, the new value is ``op(old, value)``, atomically."""

    element: Element
    field: str
    value: Expr
    op: str | None = None  # "add", "mul", "min", "max", "or", "and", "xor"; "set", "unset"


@dataclass(frozen=True)
class If(Stmt):
    """A branch."""

    condition: Expr
    then: tuple[Stmt, ...]
    otherwise: tuple[Stmt, ...]


@dataclass(frozen=True)
class ForRange(Stmt):
    """``for name in range(start, stop, step)``."""

    name: str
    start: Expr
    stop: Expr
    step: Expr
    body: tuple[Stmt, ...]


@dataclass(frozen=True)
class ForLinks(Stmt):
    """``for link in links``: the out-edges of the own vertex, in their order."""

    name: str
    body: tuple[Stmt, ...]


@dataclass(frozen=True)
class ForMessages(Stmt):
    """``for m in heard``: the messages of the own vertex, in slot order, or ``sorted(heard)``."""

    name: str
    body: tuple[Stmt, ...]
    is_sorted: bool = False


@dataclass(frozen=True)
class ForCommon(Stmt):
    """``for left, right in emv.common(u, v)``: the out-neighbours that two vertices share.

    The roles ``left`` and ``right`` are the arcs from ``first`` and from ``second`` to one of
    them, whose role is ``common``; each vertex comes once, in increasing order of the ids.
    """

    first: Element
    second: Element
    body: tuple[Stmt, ...]


@dataclass(frozen=True)
class While(Stmt):
    """``while condition``."""

    condition: Expr
    body: tuple[Stmt, ...]


@dataclass(frozen=True)
class Break(Stmt):
    """Leave the innermost loop of the function."""


@dataclass(frozen=True)
class Continue(Stmt):
    """Go on with the next round of the innermost loop of the function."""


@dataclass(frozen=True)
class Send(Stmt):
    """A message.

    ``along`` is ``arc`` (the own or the listed edge), ``all`` (every out-edge of the own vertex)
    or ``to`` (the vertex whose id is ``target``). ``site`` numbers the sends of the function.
    """

    along: str
    value: Expr
    site: int
    target: Expr | None = None


@dataclass(frozen=True)
class Activate(Stmt):
    """``element.activate()``."""

    element: Element


@dataclass(frozen=True)
class Vote(Stmt):
    """``emv.keep_going()`` or ``emv.halt()``."""

    word: str


@dataclass(frozen=True)
class EagerOnly(Stmt):
    """``print(...)`` or ``breakpoint()``: works in eager runs, refused by whoever compiles."""

    what: str


@dataclass(frozen=True)
class Union(Stmt):
    """``emv.union(u.field, v.field)``: join the sets of two vertices."""

    first: Element
    second: Element
    field: str


@dataclass(frozen=True)
class Helper:
    """A plain Python function that the body calls, with its own source."""

    name: str
    source: str
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
        Plain functions it calls.
    """

    statements: tuple[Stmt, ...]
    locals: dict[str, Type]
    result: Type | None
    message: Type | None
    helpers: tuple[Helper, ...]


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


def type_of(dtype: Any) -> str:
    """Return the type of a column of a dtype."""
    return SHORT_NAMES[dtype.name]


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
