"""Vertices, edges and lists as a user function meets them in an eager run."""

from __future__ import annotations

from typing import Any

import numpy as np

from emv.backends.numbers import I64, U64, Ratio, held
from emv.errors import ArgumentError, TypeMismatchError
from emv.ir.body import type_of
from emv.lang.records import Edge

_NUMPY = {np.float32: np.float32, np.float64: np.float64, np.bool_: bool, np.uint64: U64}


def to_python(value: Any) -> Any:
    """Return a column's entry as a number of plain runs."""
    return _NUMPY.get(type(value), I64)(value)


class EagerElement:
    """A vertex or an edge; ``role`` says how the instance reached it."""

    __slots__ = ("_arc", "_call", "_record", "_role", "id")

    def __init__(self, call: Any, record: Any, index: int, role: str, arc: int = -1) -> None:
        set_call(self, call)
        set_record(self, record)
        set_role(self, role)
        set_arc(self, arc)
        set_id(self, I64(index))

    def __getattr__(self, name: str) -> Any:
        call, kind = self._call, self._record.kind
        field = self._record.fields.get(name)
        if field is None:
            return self._given(name)
        if field.disjoint:
            return (name, self.id)
        if self._role in ("own", "link") and (kind, name, self.id) in call.own:
            return call.own[kind, name, self.id]
        value = to_python(call.run.column(kind, name)[self.id])
        if field.mask:
            return EagerMark(call, name, self.id, value)
        if self._role != "own" and call.ops.get((kind, name)) in ("add", "mul"):
            return UPDATED[type(value)](value)
        return value

    def _given(self, name: str) -> Any:
        run, record = self._call.run, self._record
        if record.kind == "vertex" and name in ("out_degree", "in_degree"):
            return I64(run.degree_of(self.id, name))
        if record.kind == "edge" and name in ("src", "dst"):
            end = run.end_of(self.id, self._arc, name)
            role = "own" if self._role == "link" and name == "src" else name
            role = "far" if self._role == "far" else role
            return EagerElement(self._call, record.vertex, end, role)
        raise record.missing(name, None)

    def __setattr__(self, name: str, value: Any) -> None:
        call, kind = self._call, self._record.kind
        column, before = call.after(kind, name), call.run.column(kind, name)[self.id]
        stored, op = type_of(column.dtype), call.ops.get((kind, name), "constant")
        if self._role == "own" or (self._role == "link" and op == "constant"):
            column[self.id] = held(value, stored)
            call.own[kind, name, self.id] = to_python(column[self.id])
        else:
            was, now = to_python(before), to_python(column[self.id])
            column[self.id] = held(_operate(op, now, was, value, stored), stored)
        call.run.changed |= bool(column[self.id] != before)

    def send(self, value: Any) -> None:
        """Send along this edge, or along every out-edge of this vertex."""
        call = self._call
        if self._record.kind == "edge":
            call.send(call.run.end_of(self.id, self._arc, "dst"), value, self._arc)
            return
        for arc in call.run.arcs_of(self.id):
            call.send(int(call.run.dst[arc]), value, arc)

    def send_to(self, receiver: int, value: Any) -> None:
        """Send to any vertex."""
        self._call.send(int(receiver), value)

    def add_edge(self, dst: int, /, **fields: Any) -> None:
        """Add an edge from this vertex, from the next superstep on."""
        self._call.run.changes.add_edge(self.id, dst, fields)

    def delete(self) -> None:
        """Remove this element, from the next superstep on."""
        self._call.run.changes.delete(self._record.kind, self.id)

    def clear_edges(self) -> None:
        """Remove the edges in this vertex's list, from the next superstep on."""
        self._call.run.changes.clear_edges(self.id)

    def out_dst(self, k: int) -> int:
        """Return the id of the vertex that out-arc number ``k`` of this vertex leads to."""
        return I64(self._call.run.dst[self._out_arc("out_dst", k)])

    def out_edge(self, k: int) -> int:
        """Return the id of the edge of out-arc number ``k`` of this vertex."""
        return I64(self._call.run.edge_of(self._out_arc("out_edge", k)))

    def _out_arc(self, word: str, k: int) -> int:
        arcs = self._call.run.arcs_of(self.id)
        if self._record.kind != "vertex":
            raise self._record.missing(word, None)
        if not 0 <= k < len(arcs):
            raise ArgumentError(
                f"{word}({k}): vertex {self.id} has {len(arcs)} out-arcs",
                remedy="Test the number before: if k < v.out_degree: ...",
            )
        return int(arcs[int(k)])

    def activate(self) -> None:
        """Put this element into the active set."""
        self._call.activate(self._record.kind, self.id)


# What fills the slots: an assignment to an element is one to a field of the user's.
set_call, set_record, set_role, set_arc, set_id = (
    vars(EagerElement)[name].__set__ for name in ("_call", "_record", "_role", "_arc", "id")
)


class EagerNewVertex(EagerElement):
    """A vertex that is there from the next superstep on, and can be given edges until then."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        raise self._absent()

    def __setattr__(self, name: str, value: Any) -> None:
        raise self._absent()

    def activate(self) -> None:
        """Refuse to wake who is not there."""
        raise self._absent()

    def delete(self) -> None:
        """Refuse to remove who is not there."""
        raise self._absent()

    def clear_edges(self) -> None:
        """Refuse to remove the edges of who is not there."""
        raise self._absent()

    def _absent(self) -> ArgumentError:
        return ArgumentError(
            f"vertex {self.id} is there from the next superstep on",
            remedy="Until then it can be given edges; its columns are given to emv.add_vertex().",
        )


def _updated(base: type) -> type:
    """Return numbers that remember what ``+=``, ``-=`` and ``*=`` did to a field's old value.

    ``w.count += x`` on another element means: add x, whatever the others add. Python computes the
    sum of the old value and x; the x kept here makes it exact.
    """

    class Updated(base):
        operand = None

        def __iadd__(self, other: Any) -> Any:
            return self._with(base(self) + other, other)

        def __isub__(self, other: Any) -> Any:
            return self._with(base(self) - other, -other)

        def __imul__(self, other: Any) -> Any:
            return self._with(base(self) * other, other)

        def _with(self, result: Any, operand: Any) -> Any:
            made = UPDATED[type(result)](result)
            made.operand = operand
            return made

    return Updated


UPDATED = {base: _updated(base) for base in (I64, U64, Ratio, np.float32, np.float64)}


def _operate(op: str, now: Any, before: Any, value: Any, stored: str) -> Any:
    """Return the new value of another element's field: the operator on what is there now.

    ``value`` is what the instance computed from ``before``, the field before the call.
    """
    if op == "constant":
        return value
    if op in ("add", "mul"):
        operand = held(value.operand, stored)
        return now + operand if op == "add" else now * operand
    value = held(value, stored)
    if op in ("min", "max"):
        return min(now, value) if op == "min" else max(now, value)
    if op == "xor":
        return now ^ value ^ before
    return now | value if op == "or" else now & value


class EagerMark(int):
    """Whether a vertex is in a mask: a truth value that can be changed for the next call."""

    def __new__(cls, call: Any, name: str, vertex: int, value: bool) -> EagerMark:
        """Make the truth value."""
        made = super().__new__(cls, value)
        made._call, made._name, made._vertex = call, name, vertex
        return made

    _call: Any
    _name: str
    _vertex: int
    is_truth = True

    def __repr__(self) -> str:
        return repr(bool(self))

    def set(self) -> None:
        """Put the vertex into the mask."""
        self._call.mark(self._name, self._vertex, True)

    def unset(self) -> None:
        """Take the vertex out of the mask, unless somebody puts it in."""
        self._call.mark(self._name, self._vertex, False)


class EagerLinks:
    """The out-edges of a vertex, in order."""

    def __init__(self, call: Any, record: Any, vertex: int) -> None:
        self._call, self._record, self._vertex = call, record, vertex

    def __len__(self) -> int:
        return len(self._call.run.arcs_of(self._vertex))

    def __iter__(self) -> Any:
        run = self._call.run
        try:
            for arc in run.arcs_of(self._vertex):
                self._call.link = int(arc)
                yield EagerElement(self._call, self._record, run.edge_of(arc), "link", int(arc))
        finally:
            self._call.link = None


class EagerCommon:
    """Pairs of arcs from two vertices to each neighbour that they share, in order of its id."""

    def __init__(self, call: Any, first: Any, second: Any) -> None:
        for each in (first, second):
            if not isinstance(each, EagerElement) or each._record.kind != "vertex":
                raise TypeMismatchError(
                    f"emv.common() takes two vertices, and {each!r} is none",
                    remedy="Give e.src, e.dst, the vertex of the function, or Record.at(id).",
                )
        self._call, self._record = call, edge_record_of(call.function, first._record)
        self._arcs = [self._first_arcs(vertex.id) for vertex in (first, second)]

    def _first_arcs(self, vertex: int) -> dict[int, int]:
        """Return the first arc to each neighbour of a vertex."""
        run = self._call.run
        return {int(run.dst[arc]): int(arc) for arc in reversed(run.arcs_of(vertex))}

    def __iter__(self) -> Any:
        left, right = self._arcs
        for neighbour in sorted(left.keys() & right.keys()):
            yield self._element(left[neighbour]), self._element(right[neighbour])

    def _element(self, arc: int) -> EagerElement:
        edge = self._call.run.edge_of(arc)
        return EagerElement(self._call, self._record, edge, "far", arc)


def edge_record_of(function: Any, vertex_record: Any) -> Any:
    """Return the record of the edges that a function speaks of; plain ones if it does of none."""
    if function.record.kind == "edge":
        return function.record
    return function.analysis.edge_record or Edge[vertex_record]


class EagerMessage:
    """A message in a @message function or a message list: its fields, or ``value``."""

    def __init__(self, record: Any, value: Any) -> None:
        object.__setattr__(self, "_record", record)
        for name, each in zip(record.fields, (value,) if record.plain else value, strict=True):
            setattr(self, name, each)

    def __setattr__(self, name: str, value: Any) -> None:
        stored = type_of(self._record.fields[name].dtype)
        object.__setattr__(self, name, held(value, stored))

    def as_tuple(self) -> Any:
        """Return the values in the order of declaration; the bare value of a plain message."""
        values = tuple(getattr(self, name) for name in self._record.fields)
        return values[0] if self._record.plain else values
