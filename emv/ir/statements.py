"""The statements of a body, each with its place in the user's source."""

from __future__ import annotations

from emv.errors import Loc
from emv.ir.expressions import Element, Expr
from emv.ir.frozen import dataclass


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
class Left:
    """What the rounds of a loop leave of a local in whichever order they run.

    Attributes
    ----------
    name : str
        The local.
    how : str
        ``sum``, ``min``, ``max``; ``once``, what one round or all that do anything assign;
        ``best``, the one before which no other comes.
    best : str
        The local that takes the kind, which breaks ties.
    ops : (str, str)
        How a worth and a kind compare with what they replace: ``<`` or ``>``.
    """

    name: str
    how: str
    best: str = ""
    ops: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class ForMessages(Stmt):
    """``for m in heard``: the messages of the own vertex, in slot order, or ``sorted(heard)``.

    With ``is_tally`` they are sorted and come kind by kind, as ``emv.tally(heard)`` says. Where
    ``left`` says what the rounds leave, they may run in any order.
    """

    name: str
    body: tuple[Stmt, ...]
    is_sorted: bool = False
    is_tally: bool = False
    left: tuple[Left, ...] | None = None


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
class AddEdge(Stmt):
    """``v.add_edge(target, weight=...)``: an edge from a vertex to the one whose id is ``target``.

    ``names`` are edge columns and ``values`` what the edge has there. ``site`` numbers what the
    function adds.
    """

    element: Element
    target: Expr
    names: tuple[str, ...]
    values: tuple[Expr, ...]
    site: int


@dataclass(frozen=True)
class AddVertex(Stmt):
    """``name = emv.add_vertex(rank=...)``: a vertex, and its id in a local."""

    name: str
    names: tuple[str, ...]
    values: tuple[Expr, ...]
    site: int


@dataclass(frozen=True)
class Delete(Stmt):
    """``element.delete()``: a vertex with all its edges, or an edge."""

    element: Element


@dataclass(frozen=True)
class ClearEdges(Stmt):
    """``v.clear_edges()``: the edges in the list of a vertex are removed."""

    element: Element


@dataclass(frozen=True)
class Return(Stmt):
    """``return value``, which only plain functions of the user's have."""

    value: Expr
