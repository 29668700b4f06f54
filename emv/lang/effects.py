"""What a function reads, writes and does, found from its body alone.

Fusion, double buffering, atomics, direction and later the replicas on other devices follow from
these sets. ``where`` is ``own``, ``src``, ``dst``, ``link`` (an edge of the own list) or ``far``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from emv.errors import OwnershipError
from emv.ir import body as ir


@dataclass(frozen=True, order=True)
class Access:
    """One field reached in one way; ``op`` is the operator of a write, or ``constant``."""

    where: str
    kind: str  # "vertex" or "edge"
    field: str
    op: str = ""

    def __str__(self) -> str:
        return f"{self.where}.{self.field}" + (f" ({self.op})" if self.op else "")


@dataclass(frozen=True)
class Effects:
    """Reads, writes and acts of one function."""

    reads: frozenset[Access]
    writes: frozenset[Access]
    acts: frozenset[str]  # send, send_to, activate, keep_going, halt, random, union, find, return,
    # add_edge, add_vertex, clear_edges, delete_edge, delete_vertex

    @property
    def written(self) -> set[tuple[str, str]]:
        """Return the columns that the function writes, by kind and name."""
        return {(each.kind, each.field) for each in self.writes}

    @property
    def sends(self) -> bool:
        """Return whether the function sends messages of any kind."""
        return "send" in self.acts or "send_to" in self.acts

    @property
    def changes(self) -> bool:
        """Return whether the function changes the graph."""
        return bool(self.acts & CHANGES)

    @property
    def pure(self) -> bool:
        """Return whether evaluating it twice does no harm: it only reads, draws and sends."""
        return not self.writes and self.acts <= {"send", "send_to", "random", "find", "return"}

    def __str__(self) -> str:
        def line(parts: frozenset[Access]) -> str:
            return ", ".join(map(str, sorted(parts))) or "-"

        acts = ", ".join(sorted(self.acts)) or "-"
        return f"reads {line(self.reads)}; writes {line(self.writes)}; does {acts}"


MASK_WORDS = ("set", "unset")
_WORDS: dict[type, str] = {
    ir.Union: "union",
    ir.AddEdge: "add_edge",
    ir.AddVertex: "add_vertex",
    ir.ClearEdges: "clear_edges",
}
CHANGES = frozenset({"add_edge", "add_vertex", "clear_edges", "delete_edge", "delete_vertex"})
_ROLES = {"own": "own", "src": "src", "dst": "dst", "link": "link", "link_dst": "dst"}


def find_effects(body: ir.Body) -> Effects:
    """Return the effects of a body.

    Raises
    ------
    OwnershipError
        If writers of another element's field cannot agree: two constants, or two operators.
    """
    reads, acts = set[Access](), set[str]()
    for expr in ir.expressions_in(body.statements):
        if isinstance(expr, ir.Load):
            element = expr.element
            reads.add(Access(_where(element), element.kind, expr.field))
        elif isinstance(expr, ir.Find):
            reads.add(Access(_where(expr.element), "vertex", expr.field))
            acts.add("find")
        elif isinstance(expr, ir.Random):
            acts.add("random")
    writes = set[Access]()
    foreign: dict[tuple[str, str], object] = {}
    stores = [stmt for stmt in ir.statements_in(body.statements) if isinstance(stmt, ir.Store)]
    for store in sorted(stores, key=_is_own):
        _check_agreement(store, foreign)
    for stmt in ir.statements_in(body.statements):
        acts |= _acts_of(stmt)
        if isinstance(stmt, ir.Union):
            writes.add(Access("far", "vertex", stmt.field, "union"))
        if isinstance(stmt, ir.Store):
            writes.add(_write_of(stmt))
    if body.result is not None:
        acts.add("return")
    return Effects(frozenset(reads), frozenset(writes), frozenset(acts))


def _acts_of(stmt: ir.Stmt) -> set[str]:
    if isinstance(stmt, ir.Send):
        return {"send_to" if stmt.along == "to" else "send"}
    if isinstance(stmt, ir.Activate):
        return {"activate"}
    if isinstance(stmt, ir.Vote):
        return {stmt.word}
    if isinstance(stmt, ir.Delete):
        return {f"delete_{stmt.element.kind}"}
    return {_WORDS[type(stmt)]} if type(stmt) in _WORDS else set()


def _write_of(stmt: ir.Store) -> Access:
    where = _where(stmt.element)
    op = stmt.op or ("" if where in ("own", "link") else "constant")
    return Access(where, stmt.element.kind, stmt.field, op)


def _check_agreement(stmt: ir.Store, foreign: dict[tuple[str, str], object]) -> None:
    if stmt.op in MASK_WORDS:
        return  # who sets goes before who unsets, so all orders agree
    manner = stmt.op or ("constant", stmt.value.value if isinstance(stmt.value, ir.Const) else None)
    key = (stmt.element.kind, stmt.field)
    if _is_own(stmt) and key not in foreign:
        return
    known = foreign.setdefault(key, manner)
    if known != manner or manner == ("constant", None):
        raise OwnershipError(
            f"{stmt.field!r} of other elements is written in two ways that do not agree: "
            f"{_spelled(known)} and {_spelled(manner)}",
            stmt.loc,
            "Rule (2): all writers use one constant, or one operator. Split the function in two, "
            "or send messages and combine them.",
        )


def _where(element: ir.Element) -> str:
    """Return how an element is reached; arcs to common neighbours, and their ends, are far."""
    return _ROLES.get(element.role, "far")


def _is_own(stmt: ir.Store) -> bool:
    return stmt.element.role in ("own", "link")


def _spelled(manner: Any) -> str:
    if isinstance(manner, str):
        return f"operator {manner}"
    return "a value of its own" if manner[1] is None else f"constant {manner[1]}"
