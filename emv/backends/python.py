"""The eager backend: the program runs as plain Python. This file is the definition of the language.

Rule (1): a call reads every column as it was before the call; an instance sees what it has itself
written to its own fields. Rule (2): own fields are written freely, others only through operators
or agreed constants. Rule (3): votes belong to the innermost loop.

The active set: ``g.active`` is what was activated since it was last asked for; while no function
that can activate has run, it stays the same. Loops change nothing about that: only asking does. A
loop repeats while somebody activated or kept going in its own superstep (an inner loop's votes are
its own), nobody halted, ``until`` is false and the limit is not reached. A loop whose own calls can
neither activate nor keep going repeats regardless of votes.

Values: whole numbers are of 64 bits and wrap (`emv.backends.numbers`), ``f32`` is numpy.float32 and
``f64`` numpy.float64; functions are run by `emv.backends.eager_text`. Messages reach a receiver in
the order of their arcs. Sums of floats are accumulated in f64, rounded once.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from emv.backends.eager_call import EagerCall
from emv.backends.eager_changes import EagerChanges
from emv.backends.eager_graph import EagerDomain, Members
from emv.backends.eager_loops import EagerLoops
from emv.backends.eager_scalar import known
from emv.backends.eager_text import runnable
from emv.backends.elements import (
    EagerCommon,
    EagerElement,
    EagerLinks,
    EagerMessage,
    EagerNewVertex,
)
from emv.backends.numbers import held
from emv.backends.values import EagerMessages, EagerValues, kind_of
from emv.errors import ArgumentError, Loc
from emv.graph.bind import column_values, source_of
from emv.ir.body import with_ids
from emv.ir.program import Column, Domain
from emv.lang import draws
from emv.lang.annotated import message_type
from emv.lang.fits import (
    call_inside_until,
    check_argument,
    check_domain,
    check_filled,
    check_list,
    check_one_type,
    refuse_result,
    refuse_undirected,
    undeclared,
)
from emv.lang.given import refuse_given
from emv.lang.hints import Awake, OneWay
from emv.lang.named import functions_named, records_of
from emv.lang.source import caller_loc
from emv.lang.sweeps import check_sweep
from emv.lang.traced import scalar


class EagerRun(EagerLoops):
    """One run: columns, active sets, votes and the superstep count."""

    def __init__(self, graph: Any, seed: int, bindings: dict[tuple[str, str], Any]) -> None:
        super().__init__()
        self.seed = seed
        is_wide = graph.num_vertices >= 2**31 or graph.num_arcs >= 2**32
        self.id_type = "i64" if is_wide else "i32"
        self.bindings = bindings
        self.take_graph(graph)
        self.changes = EagerChanges(self)
        self.columns: dict[tuple[str, str], Any] = {}
        self.fields: dict[tuple[str, str], Any] = {}
        self.filled: dict[tuple[str, str], Any] = {}  # filled before a record declared it
        self.active: dict[str, set[int]] = {"vertex": set(), "edge": set()}
        self.pending: dict[str, set[int]] = {"vertex": set(), "edge": set()}
        self.asked = {"vertex": True, "edge": True}  # nobody who can activate ran since
        self.activating = (0, "")  # how many calls could activate, and of what the last was
        self.awake, self.one_way = Awake(), OneWay(graph.directed)
        self.call: EagerCall | None = None
        self.python: Any = None  # the program function
        self.texts: dict[Any, Any] = {}  # of the functions applied

    # ---- the graph ----

    def take_graph(self, graph: Any) -> None:
        """Run on a graph from now on: what the run was given, or a version that it has made."""
        self.graph = graph
        self.src, self.dst = graph.arcs()
        self.rows = graph.layouts.out_rows

    def settle(self) -> None:
        """Make the changes that were asked for: nothing is under way."""
        self.changes.make()

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

    def degree_of(self, vertex: int, name: str) -> int:
        """Return a degree of one vertex."""
        layouts = self.graph.layouts
        first = (self.rows if name == "out_degree" else layouts.in_rows).first
        return int(first[vertex + 1] - first[vertex])

    # ---- columns ----

    def declare(self, record: Any) -> None:
        """Take note of a record's fields."""
        if record.kind == "edge":
            self.declare(record.vertex)
        for name, field in record.fields.items():
            check_one_type(self.fields.setdefault((record.kind, name), field), field)

    def column(self, kind: str, name: str) -> Any:
        """Return a column; when first asked for it is filled, bound, its default or the graph's."""
        key = (kind, name)
        if key not in self.columns:
            field = self.declared(key, caller_loc())
            if key in self.filled:
                self.fill(kind, name, *self.filled.pop(key))
            elif field.disjoint:
                self.columns[key] = np.arange(self.graph.num_vertices, dtype=np.int64)
            else:
                source = source_of(self.graph, field, self.bindings.get(key))
                self.columns[key] = column_values(self.graph, field, source)
        return self.columns[key]

    def fill(self, kind: str, name: str, values: Any, given: Any, loc: Loc) -> None:
        """Fill a column, now or, when no record has declared it yet, once one does."""
        field = self.fields.get((kind, name))
        if field is None:
            self.filled[kind, name] = (values, given, loc)
            return
        check_filled(field, given, loc)
        self.changed = True
        given = np.asarray(values)
        if given.dtype.kind in "iufb":  # wraps and rounds, as an assignment to a field does
            given = given.astype(field.dtype)
        self.columns[kind, name] = column_values(self.graph, field, given).copy()

    def declared(self, key: tuple[str, str], loc: Loc) -> Any:
        """Return the field of a column, if need be of a function that was not applied yet."""
        if key not in self.fields:
            for function in functions_named(self.python):
                for record in records_of(function):
                    self.declare(record)
        if key not in self.fields:
            known = [name for kind, name in self.fields if kind == key[0]]
            raise undeclared(self.python.__name__, Column(*key), known, loc)
        return self.fields[key]

    # ---- the words that user functions call ----

    def far(self, record: Any, index: int) -> EagerElement:
        """Return ``Record.at(id)``."""
        of_vertex = record.kind == "vertex"
        rows = self.graph.num_vertices if of_vertex else self.graph.num_edges
        new = self.changes.num_new if of_vertex else 0
        if not 0 <= int(index) < rows + new:
            kind = "vertices" if of_vertex else "edges"
            raise ArgumentError(
                f"{record.__name__}.at({index}): the ids of the {kind} are 0..{rows - 1}",
                remedy="Test the id before: if v.best >= 0: ...",
            )
        self.declare(record)
        made = EagerElement if int(index) < rows else EagerNewVertex
        return made(self.call, record, int(index), "far")

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
        number, per_link = call.draws[line, column]
        code = draws.call_code(call.function.name, number)
        element = call.link if per_link else call.instance
        return draw(*bound, self.seed, self.supersteps, element, code)

    def random(self, element: int | None = None, turn: int = 0) -> Any:
        """Draw a float, by place or by name."""
        if element is None:
            return self._draw(draws.uniform)
        return draws.uniform(self.seed, int(turn), int(element), draws.NAMED)

    def randint(self, bound: int) -> Any:
        """Draw an integer."""
        return self._draw(draws.below, int(bound))

    def common(self, first: EagerElement, second: EagerElement) -> EagerCommon:
        """Return the arcs from two vertices to the neighbours that they share."""
        return EagerCommon(self.call, first, second)

    def union(self, first: tuple[str, int], second: tuple[str, int]) -> None:
        """Join two sets, visible after the call."""
        assert self.call is not None
        self.call.after("vertex", first[0])
        self.call.joins.append((first[0], first[1], second[1]))

    def find(self, member: tuple[str, int]) -> int:
        """Return the smallest id of a member's set, as before the call."""
        return int(self.column("vertex", member[0])[member[1]])

    # ---- domains and calls ----

    def domain(self, kind: str, ids: Any = None, is_idle: bool = False) -> EagerDomain:
        """Return a domain; ``is_idle`` says whether only who is active can be in it."""
        return EagerDomain(self, kind, ids, is_idle)

    def take_active(self, kind: str) -> list[int]:
        """Return the active set: what was activated since it was last asked for."""
        if not self.asked[kind]:
            self.active[kind], self.pending[kind] = self.pending[kind], set()
            self.asked[kind] = True
        return sorted(self.active[kind])

    def instances(self, function: Any, domain: Members) -> list[tuple[int, int, int]]:
        """Return (instance, edge, arc) of every instance; for vertices the last two are -1."""
        ids, graph = domain.ids, self.graph
        if domain.kind in ("active", "active_edges"):
            ids = self.take_active("edge" if domain.kind == "active_edges" else "vertex")
        if domain.kind in ("edges", "active_edges"):
            ids = range(graph.num_edges) if ids is None else ids
            return [(edge, edge, -1) for edge in ids]
        ids = range(graph.num_vertices) if ids is None else ids
        if self.changes.gone:
            ids = [vertex for vertex in ids if vertex not in self.changes.gone]
        if function.kind != "edge":
            return [(vertex, -1, -1) for vertex in ids]
        return [(arc, self.edge_of(arc), arc) for vertex in ids for arc in self.arcs_of(vertex)]

    def apply(self, function: Any, domain: Members, args: dict[str, Any], loc: Loc) -> Any:
        """Run one instance of a function per element of a domain."""
        if self.asking:
            raise call_inside_until(loc)
        check_domain(function, Domain(domain.kind), loc)
        if not self.graph.directed:
            refuse_undirected(function, loc)
        self.check_arguments(function, args, loc)
        self.awake.note(function, domain.kind, domain.is_idle, loc)
        self.one_way.note(function, domain.kind, loc)
        call = EagerCall(self, function, in_place=self.swept[-1] is not None)
        self.changes.begin(function, domain.kind, loc)
        call.enter()
        instances = self.instances(function, domain)
        if call.in_place:
            self.swept[-1].append(function)
            check_sweep(self.swept[-1], loc)
            instances = self.shuffled(instances)
        call.allow()
        values: dict[int, Any] = {}
        text, returned = self.text_of(function), self.kind(function.body.result)
        outer, self.call = self.call, call
        try:
            for instance, edge, arc in instances:
                call.instance, call.own, call.link = instance, {}, None
                owned = instance if edge < 0 else edge
                own = EagerElement(call, function.record, owned, "own", arc)
                given = self.positional(function, call, args, instance)
                result = text(own, *given)
                if returned is not None:
                    values[instance] = held(result, returned)
        finally:
            self.call = outer
        call.commit()
        made = EagerMessages(self, function, call.messages(), call.message)
        made.returned(values, returned, self.rows_of(function, domain))
        made.is_idle = domain.is_idle
        if len(self.votes) == 1:
            self.settle()
        return made

    def kind(self, kind: Any) -> Any:
        """Return a type with ``id`` replaced by the width of the graph's ids."""
        return with_ids(kind, self.id_type)

    def text_of(self, function: Any) -> Any:
        """Return a function as it is run."""
        if function not in self.texts:
            self.texts[function] = runnable(function)
        return self.texts[function]

    def rows_of(self, function: Any, domain: Members) -> int:
        """Return how many instances a function has over the whole graph."""
        if function.kind != "edge":
            return int(self.graph.num_vertices)
        each_edge = domain.kind in ("edges", "active_edges")
        return int(self.graph.num_edges if each_edge else self.graph.num_arcs)

    def check_arguments(self, function: Any, args: dict[str, Any], loc: Loc) -> None:
        """Refuse arguments of a type that the parameters do not take."""
        for name, value in args.items():
            if function.kind == "mlist" and name == function.element_names[-1]:
                if not isinstance(value, EagerMessages) or value.message is None:
                    check_argument(function, name, None, loc)
                check_list(function, name, value.message, loc)
                value.check_fresh(loc)
                continue
            if isinstance(value, EagerValues):
                value.check_fresh(loc)
            if isinstance(value, EagerMessages):
                refuse_result(function, name, value.function, loc)
            if isinstance(value, tuple):
                given: Any = tuple(scalar(each).type for each in value)
            else:
                given = value.kind if isinstance(value, EagerValues) else kind_of(value)
            if given is None:
                refuse_given(function, name, value, loc)
            check_argument(function, name, given, loc)

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
            value = held(known(value), parameter.type)
            if parameter.record is not None:
                value = EagerMessage(parameter.record, value)
            given.append(value)
        return given

    def heard(self, function: Any, messages: Any, v: int) -> list[Any]:
        """Return the message list of a vertex."""
        item = function.list.item
        values = messages.inbox.get(v, [])
        if hasattr(item, "fields"):
            return [EagerMessage(item, held(each, message_type(item))) for each in values]
        return values

    def apply_to_messages(
        self, function: Any, messages: Any, args: dict[str, Any], loc: Loc
    ) -> Any:
        """Run a @message function on every message; gives the messages it leaves."""
        if self.asking:
            raise call_inside_until(loc)
        check_domain(function, Domain("messages", 0), loc)
        self.check_arguments(function, args, loc)
        call, kind, sent = EagerCall(self, function), message_type(function.record), []
        text = self.text_of(function)
        call.enter()
        call.allow()
        outer, self.call = self.call, call
        try:
            for position, (receiver, value) in enumerate(messages.sent):
                call.instance, call.own = position, {}
                message = EagerMessage(function.record, held(value, kind))
                text(message, *self.positional(function, call, args, receiver))
                sent.append((receiver, held(message, kind)))
        finally:
            self.call = outer
        call.commit()
        made = EagerMessages(self, function, sent, kind)
        made.is_idle = messages.is_idle
        return made
