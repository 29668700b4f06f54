"""The body of one user function after the front end: resolved, typed, with a `Loc` on every node.

This is what every compiled backend reads; the eager backend runs the user's own text instead. The
differences from Python's AST: names are resolved to locals, elements or constants; each field
access says whose field it is; every expression has a type; ``return`` is gone (a value is assigned
to the local `RESULT` and what followed the return stands under an ``if``).

Types are written as short names (``"f32"``). ``"int"`` and ``"float"`` are the types of plain
Python numbers: they take the width of what they meet. A tuple type is a tuple of names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from emv.dtypes import SHORT_NAMES
from emv.errors import Loc

Type: TypeAlias = "str | tuple[Any, ...]"

RESULT = "_result"  # no name that users choose


@dataclass(frozen=True)
class Element:
    """A vertex or an edge that the body speaks of.

    ``role`` says how it is reached: ``own`` is the instance itself, ``src`` and ``dst`` its ends,
    ``link`` the edge at hand in the loop over an edge list, ``link_dst`` that edge's far end, and
    ``far`` an element named by its id.
    """

    kind: str  # "vertex" or "edge"
    role: str
    record: Any  # the user's record class
    index: Expr | None = None  # the id, for role "far"

    def __str__(self) -> str:
        return f"{self.kind}[{self.index}]" if self.role == "far" else self.role


@dataclass(frozen=True)
class Expr:
    """An expression: a type and a place in the user's source."""

    type: Type
    loc: Loc


@dataclass(frozen=True)
class Const(Expr):
    """A number or truth value known while compiling; ``name`` is the global it came from."""

    value: Any
    name: str = ""

    def __str__(self) -> str:
        return repr(self.value)


@dataclass(frozen=True)
class Local(Expr):
    """A local variable or parameter."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Load(Expr):
    """A field of an element: ``src.dist``."""

    element: Element
    field: str

    def __str__(self) -> str:
        return f"{self.element}.{self.field}"


@dataclass(frozen=True)
class Attribute(Expr):
    """A system attribute of an element: ``id``, ``out_degree`` or ``in_degree``."""

    element: Element
    name: str

    def __str__(self) -> str:
        return f"{self.element}.{self.name}"


@dataclass(frozen=True)
class Binary(Expr):
    """An arithmetic or bit operation, by its Python operator."""

    op: str
    left: Expr
    right: Expr

    def __str__(self) -> str:
        return f"({self.left} {self.op} {self.right})"


@dataclass(frozen=True)
class Compare(Expr):
    """One comparison; chains are split and joined with ``and``."""

    op: str
    left: Expr
    right: Expr

    def __str__(self) -> str:
        return f"({self.left} {self.op} {self.right})"


@dataclass(frozen=True)
class Logic(Expr):
    """``and`` / ``or`` of truth values, evaluated left to right only as far as needed."""

    op: str
    parts: tuple[Expr, ...]

    def __str__(self) -> str:
        return "(" + f" {self.op} ".join(map(str, self.parts)) + ")"


@dataclass(frozen=True)
class Unary(Expr):
    """``-x``, ``+x``, ``~x`` or ``not x``."""

    op: str
    operand: Expr

    def __str__(self) -> str:
        return f"({self.op} {self.operand})"


@dataclass(frozen=True)
class Choose(Expr):
    """``a if condition else b``."""

    condition: Expr
    yes: Expr
    no: Expr

    def __str__(self) -> str:
        return f"({self.yes} if {self.condition} else {self.no})"


@dataclass(frozen=True)
class Call(Expr):
    """A function of plain values that every backend knows: ``abs``, ``min``, ``sqrt``, a cast."""

    name: str
    args: tuple[Expr, ...]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.args))})"


@dataclass(frozen=True)
class HelperCall(Expr):
    """A call of a plain Python function of the user's; ``helper`` indexes `Body.helpers`."""

    helper: str
    args: tuple[Expr, ...]

    def __str__(self) -> str:
        return f"{self.helper}({', '.join(map(str, self.args))})"


@dataclass(frozen=True)
class Random(Expr):
    """A counter-based draw; ``call`` numbers the draws written in the function.

    ``bound`` is None for a float in [0, 1), else the exclusive upper end of an integer draw.
    """

    call: int
    bound: Expr | None = None

    def __str__(self) -> str:
        return f"random#{self.call}({'' if self.bound is None else self.bound})"


@dataclass(frozen=True)
class Find(Expr):
    """The representative of an element in a disjoint-set column."""

    element: Element
    field: str

    def __str__(self) -> str:
        return f"find({self.element}.{self.field})"


@dataclass(frozen=True)
class Tuple(Expr):
    """Several values that travel as one message or value."""

    items: tuple[Expr, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.items))})"


@dataclass(frozen=True)
class Item(Expr):
    """A component of a tuple or a field of a message."""

    whole: Expr
    position: int

    def __str__(self) -> str:
        return f"{self.whole}[{self.position}]"


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
    op: str | None = None  # "add", "mul", "min", "max", "or", "and", "xor"


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
    """``for m in heard``: the messages of the own vertex, in slot order."""

    name: str
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


def blocks_of(stmt: Stmt) -> list[tuple[Stmt, ...]]:
    """Return the blocks of statements inside a statement."""
    if isinstance(stmt, If):
        return [stmt.then, stmt.otherwise]
    if isinstance(stmt, ForRange | ForLinks | ForMessages | While):
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
    found: list[Expr] = []
    waiting = [expr for stmt in statements_in(block) for expr in parts_of(stmt)]
    while waiting:
        expr = waiting.pop()
        found.append(expr)
        waiting.extend(parts_of(expr))
    return found


def type_of(dtype: Any) -> str:
    """Return the type of a column of a dtype."""
    return SHORT_NAMES[dtype.name]
