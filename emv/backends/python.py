"""The eager backend: the program runs as plain Python. This file is the definition of the language.

Rule (1): a call reads every column as it was before the call; an instance sees what it has itself
written to its own fields. Rule (2): own fields are written freely, others only through operators
or agreed constants. Rule (3): votes belong to the innermost loop.

The active set: ``g.active`` is what was activated since it was last asked for; while no function
that can activate has run, it stays the same. Loops change nothing about that: only asking does. A
loop repeats while somebody activated or kept going in its own superstep (an inner loop's votes are
its own), nobody halted, ``until`` is false and the limit is not reached. A loop whose own calls can
neither activate nor keep going repeats regardless of votes.

Values: an integer field reads as int, ``f32`` as numpy.float32, ``f64`` as numpy.float64. Messages
reach a receiver in the order of their arcs. Sums of floats are accumulated in f64, rounded once.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from emv.backends.eager_graph import EagerDomain, EagerGraph
from emv.backends.elements import EagerElement, EagerLinks, EagerMessage
from emv.backends.values import EagerMessages, EagerValues, narrow
from emv.errors import ArgumentError, FieldError, Loc
from emv.graph.bind import column_values, source_of
from emv.ir import body as b
from emv.ir.program import Domain
from emv.lang import draws
from emv.lang.fits import check_domain
from emv.lang.functions import message_type
from emv.lang.source import caller_loc
from emv.lang.words import RUNNING


class EagerCall:
    """One application of a function: the columns before it, and what its instances write."""

    def __init__(self, run: EagerRun, function: Any) -> None:
        self.run = run
        self.function = function
        self.message = function.body.message
        self.writes: dict[tuple[str, str], Any] = {}
        self.joins: list[tuple[str, int, int]] = []
        self.sent: list[tuple[int, Any]] = []
        self.own: dict[Any, Any] = {}  # what the running instance has written to itself
        self.instance = 0
        self.link: int | None = None
        self.ops = {(each.kind, each.field): each.op for each in function.effects.writes}
        found = [e for e in b.expressions_in(function.body.statements) if isinstance(e, b.Random)]
        self.draws = {(each.loc.line, each.loc.column): each.call for each in found}

    def after(self, kind: str, name: str) -> Any:
        """Return the column that this call writes: a copy, until the call ends."""
        if (kind, name) not in self.writes:
            self.writes[kind, name] = self.run.column(kind, name).copy()
        return self.writes[kind, name]

    def send(self, receiver: int, value: Any) -> None:
        """Note a message, narrowed to the function's message type."""
        if not 0 <= receiver < self.run.graph.num_vertices:
            raise ArgumentError(f"send_to({receiver}, ...): there is no vertex {receiver}")
        self.sent.append((receiver, narrow(value, self.message)))

    def activate(self, kind: str, index: int) -> None:
        """Note an activation."""
        self.run.pending[kind].add(index)
        self.run.votes[-1]["activated"] = True

    def commit(self) -> None:
        """Make what the instances wrote visible: the call is over."""
        for field, first, second in self.joins:
            group = self.after("vertex", field)
            low, high = sorted((group[first], group[second]))
            group[group == high] = low
        self.run.columns.update(self.writes)


class EagerRun:
    """One run: columns, active sets, votes and the superstep count."""

    def __init__(self, graph: Any, seed: int, bindings: dict[tuple[str, str], Any]) -> None:
        self.graph = graph
        self.seed = seed
        self.bindings = bindings
        self.src, self.dst = graph.arcs()
        self.rows = graph.layouts.out_rows
        self.columns: dict[tuple[str, str], Any] = {}
        self.fields: dict[tuple[str, str], Any] = {}
        self.filled: dict[tuple[str, str], Any] = {}  # filled before a record declared it
        self.active: dict[str, set[int]] = {"vertex": set(), "edge": set()}
        self.pending: dict[str, set[int]] = {"vertex": set(), "edge": set()}
        self.asked = {"vertex": True, "edge": True}  # nobody who can activate ran since
        self.votes: list[dict[str, bool]] = [{}]
        self.supersteps = 0
        self.stopped = "no loop"
        self.call: EagerCall | None = None

    # ---- the graph ----

    def arcs_of(self, vertex: int) -> range:
        """Return the out-arcs of a vertex."""
        return range(int(self.rows.first[vertex]), int(self.rows.first[vertex + 1]))

    def edge_of(self, arc: int) -> int:
        """Return the edge that an arc is a direction of."""
        return int(arc if self.rows.edge is None else self.rows.edge[arc])

    def end_of(self, edge: int, arc: int, name: str) -> int:
        """Return the vertex at an end of an arc, or of an edge as the user added it."""
        if arc >= 0:
            return int((self.src if name == "src" else self.dst)[arc])
        return int(self.graph.edges.endpoints()[0 if name == "src" else 1][edge])

    def degrees(self, name: str) -> Any:
        """Return the degrees of all vertices."""
        return self.graph.out_degrees() if name == "out_degree" else self.graph.in_degrees()

    # ---- columns ----

    def declare(self, record: Any) -> None:
        """Take note of a record's fields."""
        if record.kind == "edge":
            self.declare(record.vertex)
        for name, field in record.fields.items():
            self.fields.setdefault((record.kind, name), field)

    def column(self, kind: str, name: str) -> Any:
        """Return a column; when first asked for it is filled, bound, its default or the graph's."""
        key = (kind, name)
        if key not in self.columns:
            if key not in self.fields:
                raise FieldError(f"no record of the program declares {name!r}", caller_loc())
            field = self.fields[key]
            if field.disjoint:
                self.columns[key] = np.arange(self.graph.num_vertices, dtype=np.int64)
            elif key in self.filled:
                self.columns[key] = column_values(self.graph, field, self.filled.pop(key))
            else:
                source = source_of(self.graph, field, self.bindings.get(key))
                self.columns[key] = column_values(self.graph, field, source)
        return self.columns[key]

    # ---- the words that user functions call ----

    def far(self, record: Any, index: int) -> EagerElement:
        """Return ``Record.at(id)``."""
        rows = self.graph.num_vertices if record.kind == "vertex" else self.graph.num_edges
        if not 0 <= int(index) < rows:
            raise ArgumentError(f"{record.__name__}.at({index}): the ids are 0..{rows - 1}")
        self.declare(record)
        return EagerElement(self.call, record, int(index), "far")

    def keep_going(self) -> None:
        """Vote to go on."""
        self.votes[-1]["keep_going"] = True

    def halt(self) -> None:
        """Vote to end."""
        self.votes[-1]["halt"] = True

    def _draw(self, draw: Any, *bound: int) -> Any:
        call, frame = self.call, sys._getframe(3)
        assert call is not None
        line, _, column, _ = list(frame.f_code.co_positions())[frame.f_lasti // 2]
        code = draws.call_code(call.function.name, call.draws[line, column])
        element = call.instance if call.link is None else call.link
        return draw(*bound, self.seed, self.supersteps, element, code)

    def random(self) -> Any:
        """Draw a float."""
        return self._draw(draws.uniform)

    def randint(self, bound: int) -> Any:
        """Draw an integer."""
        return self._draw(draws.below, int(bound))

    def union(self, first: tuple[str, int], second: tuple[str, int]) -> None:
        """Join two sets, visible after the call."""
        assert self.call is not None
        self.call.after("vertex", first[0])
        self.call.joins.append((first[0], first[1], second[1]))

    def find(self, member: tuple[str, int]) -> int:
        """Return the smallest id of a member's set, as before the call."""
        return int(self.column("vertex", member[0])[member[1]])

    # ---- domains and calls ----

    def domain(self, kind: str, ids: Any = None) -> EagerDomain:
        """Return a domain."""
        return EagerDomain(self, kind, ids)

    def take_active(self, kind: str) -> list[int]:
        """Return the active set: what was activated since it was last asked for."""
        if not self.asked[kind]:
            self.active[kind], self.pending[kind] = self.pending[kind], set()
            self.asked[kind] = True
        return sorted(self.active[kind])

    def instances(self, function: Any, domain: EagerDomain) -> list[tuple[int, int, int]]:
        """Return (instance, edge, arc) of every instance; for vertices the last two are -1."""
        ids, graph = domain.ids, self.graph
        if domain.kind in ("active", "active_edges"):
            ids = self.take_active("edge" if domain.kind == "active_edges" else "vertex")
        if domain.kind in ("edges", "active_edges"):
            ids = range(graph.num_edges) if ids is None else ids
            return [(edge, edge, -1) for edge in ids]
        ids = range(graph.num_vertices) if ids is None else ids
        if function.kind != "edge":
            return [(vertex, -1, -1) for vertex in ids]
        return [(arc, self.edge_of(arc), arc) for vertex in ids for arc in self.arcs_of(vertex)]

    def apply(self, function: Any, domain: EagerDomain, args: dict[str, Any], loc: Loc) -> Any:
        """Run one instance of a function per element of a domain."""
        check_domain(function, Domain(domain.kind), loc)
        self.declare(function.record)
        effects, call = function.effects, EagerCall(self, function)
        instances = self.instances(function, domain)
        if effects.acts & {"keep_going", "activate"}:
            self.votes[-1]["by_votes"] = True
        if "activate" in effects.acts:
            self.asked = {"vertex": False, "edge": False}
        values: dict[int, Any] = {}
        outer, self.call = self.call, call
        try:
            for instance, edge, arc in instances:
                call.instance, call.own, call.link = instance, {}, None
                owned = instance if edge < 0 else edge
                own = EagerElement(call, function.record, owned, "own", arc)
                given = self.positional(function, call, args, instance)
                result = function.python(own, *given)
                if function.body.result is not None:
                    values[instance] = narrow(result, function.body.result)
        finally:
            self.call = outer
        call.commit()
        returned = EagerValues(values, function.body.result)
        return EagerMessages(self, function, call.sent, call.message, returned)

    def positional(self, function: Any, call: EagerCall, args: dict[str, Any], v: int) -> list[Any]:
        """Return the arguments of one instance, each in the type of its parameter."""
        given: list[Any] = []
        if function.kind == "elist":
            given.append(EagerLinks(call, function.list.item, v))
        elif function.kind == "mlist":
            name = function.element_names[1]
            given.append(self.heard(function, args[name], v))
        for parameter in function.parameters:
            value = args[parameter.name]
            value = value.of(v) if isinstance(value, EagerValues) else value
            value = narrow(value, parameter.type)
            if parameter.record is not None:
                value = EagerMessage(parameter.record, value)
            given.append(value)
        return given

    def heard(self, function: Any, messages: Any, v: int) -> list[Any]:
        """Return the message list of a vertex."""
        item = function.list.item
        values = messages.inbox.get(v, [])
        if hasattr(item, "fields"):
            return [EagerMessage(item, narrow(each, message_type(item))) for each in values]
        return values

    def apply_to_messages(
        self, function: Any, messages: Any, args: dict[str, Any], loc: Loc
    ) -> Any:
        """Run a @message function on every message; gives the messages it leaves."""
        check_domain(function, Domain("messages", 0), loc)
        call, kind = EagerCall(self, function), message_type(function.record)
        sent = []
        outer, self.call = self.call, call
        try:
            for position, (receiver, value) in enumerate(messages.sent):
                call.instance = position
                message = EagerMessage(function.record, narrow(value, kind))
                function.python(message, *self.positional(function, call, args, receiver))
                sent.append((receiver, narrow(message.as_tuple(), kind)))
        finally:
            self.call = outer
        return EagerMessages(self, messages.function, sent, kind, EagerValues({}, None))

    # ---- loops ----

    def loop(self, limit: Any, until: Any) -> Any:
        """Yield superstep numbers for as long as the loop's rule says."""
        step = 0
        while step < limit:
            self.votes.append({})
            self.supersteps += 1
            try:
                yield np.int64(step)
            finally:
                votes = self.votes.pop()
            step += 1
            if votes.get("halt"):
                self.stopped = "halt"
            elif votes.get("by_votes") and not (votes.get("keep_going") or votes.get("activated")):
                self.stopped = "converged"
            elif until is not None and bool(until()):
                self.stopped = "until"
            else:
                continue
            return
        self.stopped = "limit"


def run_eagerly(python: Any, run: EagerRun, arguments: dict[str, Any]) -> Any:
    """Run a program function as plain Python and return what it returns, columns as arrays."""
    token = RUNNING.set(run)
    try:
        with np.errstate(all="ignore"):
            return python(EagerGraph(run), **arguments)
    finally:
        RUNNING.reset(token)
