"""One application of a function in an eager run: what its instances write, send and activate."""

from __future__ import annotations

from typing import Any

from emv.backends.numbers import held
from emv.errors import ArgumentError
from emv.ir import body as b
from emv.lang.named import records_of


class EagerCall:
    """One application of a function: the columns before it, and what its instances write."""

    def __init__(self, run: Any, function: Any, in_place: bool = False) -> None:
        self.run = run
        self.in_place = in_place  # what is written is seen at once
        self.function = function
        self.message = run.kind(function.body.message)
        self.writes: dict[tuple[str, str], Any] = {}
        self.joins: list[tuple[str, int, int]] = []
        self.sent: list[tuple[tuple[int, int], int, Any]] = []  # (instance, arc), receiver, value
        self.marks: dict[str, dict[int, bool]] = {}  # of masks: who is in and who is out
        self.own: dict[Any, Any] = {}  # what the running instance has written to itself
        self.instance = 0
        self.link: int | None = None
        self.ops = {(each.kind, each.field): each.op for each in function.effects.writes if each.op}
        self.draws = draw_places(function.body.statements)

    def enter(self) -> None:
        """Fill the columns that the function speaks of, before it can change any."""
        for record in records_of(self.function):
            self.run.declare(record)
        effects = self.function.effects
        for access in effects.reads | effects.writes:
            self.run.column(access.kind, access.field)

    def allow(self) -> None:
        """Tell the run which votes and activations there may now be."""
        acts, votes = self.function.effects.acts, self.run.votes[-1]
        if acts & {"keep_going", "activate"}:
            votes["by_votes"] = True
        if "halt" in acts:
            votes["may_halt"] = True
        if "activate" in acts:
            self.run.asked = {"vertex": False, "edge": False}
            self.run.activating = (self.run.activating[0] + 1, self.function.name)

    def after(self, kind: str, name: str) -> Any:
        """Return the column that this call writes: a copy, until the call ends."""
        if self.in_place:
            return self.run.column(kind, name)
        if (kind, name) not in self.writes:
            self.writes[kind, name] = self.run.column(kind, name).copy()
        return self.writes[kind, name]

    def send(self, receiver: int, value: Any, arc: int = -1) -> None:
        """Note a message, narrowed to the function's message type."""
        last = self.run.graph.num_vertices - 1
        if not 0 <= receiver <= last:
            raise ArgumentError(
                f"send_to({receiver}, ...): the ids of the vertices are 0..{last}",
                remedy="Test the id before: if v.best >= 0: ...",
            )
        if receiver in self.run.changes.gone:
            return
        self.sent.append(((self.instance, arc), receiver, held(value, self.message)))

    def messages(self) -> list[tuple[int, Any]]:
        """Return (receiver, value) of every message in the order of instances and arcs."""
        ordered = sorted(self.sent, key=lambda each: each[0])
        return [(receiver, value) for _, receiver, value in ordered]

    def activate(self, kind: str, index: int) -> None:
        """Note an activation."""
        if kind == "vertex" and int(index) in self.run.changes.gone:
            return
        self.run.pending[kind].add(int(index))
        self.run.votes[-1]["activated"] = True

    def mark(self, name: str, index: int, is_in: bool) -> None:
        """Note that a vertex enters or leaves a mask; who enters it goes first."""
        if index in self.run.changes.gone:
            return
        marks = self.marks.setdefault(name, {})
        marks[index] = marks.get(index, False) or is_in

    def commit(self) -> None:
        """Make what the instances wrote visible: the call is over."""
        for name, marks in self.marks.items():
            column = self.after("vertex", name)
            for index, is_in in marks.items():
                column[index] = is_in
        for field, first, second in self.joins:
            group = self.after("vertex", field)
            low, high = sorted((group[first], group[second]))
            self.run.changed |= bool(low != high)
            group[group == high] = low
        self.run.columns.update(self.writes)


def draw_places(block: tuple[b.Stmt, ...]) -> dict[tuple[int, int], tuple[int, bool]]:
    """Return (number, whether once per listed edge) of each draw by its line and byte column."""
    listed = [stmt.body for stmt in b.statements_in(block) if isinstance(stmt, b.ForLinks)]
    per_link = {draw.call for body in listed for draw in _draws_in(body)}
    places = {}
    for draw in _draws_in(block):
        column = len(draw.loc.text[: draw.loc.column].encode())
        places[draw.loc.line, column] = (draw.call, draw.call in per_link)
    return places


def _draws_in(block: tuple[b.Stmt, ...]) -> list[b.Random]:
    return [each for each in b.expressions_in(block) if isinstance(each, b.Random)]
