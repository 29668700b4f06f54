"""The expressions of a function's body: resolved, typed, with a `Loc` on every node.

Types are written as short names (``"f32"``). ``"int"`` and ``"float"`` are the types of plain
Python numbers: they take the width of what they meet. A tuple type is a tuple of names.
"""

from __future__ import annotations

from typing import Any

from emv.errors import Loc
from emv.ir.frozen import dataclass
from emv.ir.types import Type as Type
from emv.ir.types import VectorType as VectorType


@dataclass(frozen=True)
class Element:
    """A vertex or an edge that the body speaks of.

    ``role`` says how it is reached: ``own`` is the instance itself, ``src`` and ``dst`` its ends,
    ``link`` the edge at hand in the loop over an edge list, ``link_dst`` that edge's far end,
    ``far`` an element named by its id; in a loop over common neighbours ``left`` and ``right`` are
    the two arcs, ``left_src`` and ``right_src`` where they begin, ``common`` where both lead.
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
class ChooseBoth(Choose):
    """``a if condition else b``, where both are computed and a guess of which would be wrong."""


@dataclass(frozen=True)
class Call(Expr):
    """A function of plain values that every backend knows: ``abs``, ``min``, ``sqrt``, a cast."""

    name: str
    args: tuple[Expr, ...]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.args))})"


@dataclass(frozen=True)
class HelperCall(Expr):
    """A call of a plain function of the user's, as it is for arguments of some ``kinds``."""

    helper: str
    kinds: tuple[Type, ...]
    args: tuple[Expr, ...]

    def __str__(self) -> str:
        return f"{self.helper}({', '.join(map(str, self.args))})"


@dataclass(frozen=True)
class OutArc(Expr):
    """Of a vertex's out-arc number ``index``: where it leads (``dst``), or its ``edge``'s id."""

    element: Element
    what: str  # "dst" or "edge"
    index: Expr

    def __str__(self) -> str:
        return f"{self.element}.out_{self.what}({self.index})"


@dataclass(frozen=True)
class Random(Expr):
    """A counter-based draw; ``call`` numbers the draws written in the function.

    ``bound`` is None for a float in [0, 1), else the exclusive upper end of an integer draw. A draw
    with two whole numbers as its ``name`` depends on them and the seed alone.
    """

    call: int
    bound: Expr | None = None
    name: tuple[Expr, ...] = ()

    def __str__(self) -> str:
        if self.name:
            return f"random({', '.join(map(str, self.name))})"
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
class Part(Expr):
    """A part of a vector at an index that is computed; negative ones count from the end."""

    whole: Expr
    index: Expr

    def __str__(self) -> str:
        return f"{self.whole}[{self.index}]"
