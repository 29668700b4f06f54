"""Vertices, edges and lists as a user function meets them in an eager run."""

from __future__ import annotations

from typing import Any

import numpy as np

_NUMPY = {"float32": np.float32, "float64": np.float64, "bool": bool}


def to_python(value: Any) -> Any:
    """Return a column's entry as arithmetic wants it: int, bool, numpy.float32 or numpy.float64."""
    return _NUMPY.get(value.dtype.name, int)(value)


class EagerElement:
    """A vertex or an edge; ``role`` says how the instance reached it."""

    __slots__ = ("_arc", "_call", "_record", "_role", "id")

    def __init__(self, call: Any, record: Any, index: int, role: str, arc: int = -1) -> None:
        for name, value in (("_call", call), ("_record", record), ("_role", role), ("_arc", arc)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "id", index)

    def __getattr__(self, name: str) -> Any:
        call, kind = self._call, self._record.kind
        field = self._record.fields.get(name)
        if field is None:
            return self._given(name)
        if field.disjoint:
            return (name, self.id)
        if self._role in ("own", "link") and (kind, name, self.id) in call.own:
            return call.own[kind, name, self.id]
        return to_python(call.run.column(kind, name)[self.id])

    def _given(self, name: str) -> Any:
        run, record = self._call.run, self._record
        if record.kind == "vertex" and name in ("out_degree", "in_degree"):
            return int(run.degrees(name)[self.id])
        if record.kind == "edge" and name in ("src", "dst"):
            end = run.end_of(self.id, self._arc, name)
            role = "own" if self._role == "link" and name == "src" else name
            role = "far" if self._role == "far" else role
            return EagerElement(self._call, record.vertex, end, role)
        raise record.missing(name, None)

    def __setattr__(self, name: str, value: Any) -> None:
        call, kind = self._call, self._record.kind
        column = call.after(kind, name)
        if self._role in ("own", "link"):
            column[self.id] = value
            call.own[kind, name, self.id] = to_python(column[self.id])
            return
        before = to_python(call.run.column(kind, name)[self.id])
        column[self.id] = _operate(call.ops[kind, name], column[self.id], before, value)

    def send(self, value: Any) -> None:
        """Send along this edge, or along every out-edge of this vertex."""
        call = self._call
        if self._record.kind == "edge":
            call.send(call.run.end_of(self.id, self._arc, "dst"), value)
            return
        for arc in call.run.arcs_of(self.id):
            call.send(int(call.run.dst[arc]), value)

    def send_to(self, receiver: int, value: Any) -> None:
        """Send to any vertex."""
        self._call.send(int(receiver), value)

    def activate(self) -> None:
        """Put this element into the active set."""
        self._call.activate(self._record.kind, self.id)


def _operate(op: str, now: Any, before: Any, value: Any) -> Any:
    """Return the new value of a foreign field, from the update that the instance computed.

    The instance computed ``value`` from the column as it was before the call; what it adds is the
    difference, so that the updates of all instances add up.
    """
    if op == "add":
        return now + type(now)(value - before)
    if op == "mul":
        return now * type(now)(value / before) if before else value
    if op == "xor":
        return now ^ type(now)(value ^ before)
    if op in ("min", "max"):
        return min(now, value) if op == "min" else max(now, value)
    if op == "or":
        return now | type(now)(value)
    if op == "and":
        return now & type(now)(value)
    return value  # a constant that all writers agree on


class EagerLinks:
    """The out-edges of a vertex, in order."""

    def __init__(self, call: Any, record: Any, vertex: int) -> None:
        self._call, self._record, self._vertex = call, record, vertex

    def __len__(self) -> int:
        return len(self._call.run.arcs_of(self._vertex))

    def __iter__(self) -> Any:
        run = self._call.run
        for arc in run.arcs_of(self._vertex):
            self._call.link = int(arc)
            yield EagerElement(self._call, self._record, run.edge_of(arc), "link", int(arc))
        self._call.link = None


class EagerMessage:
    """A message in a @message function or a message list: its fields, or ``value``."""

    def __init__(self, record: Any, value: Any) -> None:
        names = list(record.fields)
        self._names = names
        for name, each in zip(names, (value,) if record.plain else value, strict=True):
            setattr(self, name, each)

    def as_tuple(self) -> Any:
        """Return the values in the order of declaration; the bare value of a plain message."""
        values = tuple(getattr(self, name) for name in self._names)
        return values[0] if self._names == ["value"] else values
