"""Runs of programs that change the graph they run on: superstep by superstep, version by version.

The host drives them, as it drives all loops of such programs (`emv.runtime.drive.host`). A function
that changes the graph is taken apart (`emv.lang.apart`): what it asks for comes back in columns of
the run's own and in messages, in an order that no thread decides. When a superstep is over, that
becomes the next version (`emv.graph.evolving`), whose index arrays are merged, and the run goes on
with that: columns are those of the version, and queues of the active are brought along. Kernels
depend on the text alone, so the same lines lead to the same kernels in every superstep.
"""

from __future__ import annotations

import dataclasses
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.backends.values import EagerValues
from emv.device import device_named
from emv.errors import ColumnError, LanguageError, Loc
from emv.graph.bind import column_values, source_of
from emv.graph.evolving import Columns, Evolving, Key, Requests, RequestsThere, ids_now
from emv.graph.graph import Graph
from emv.graph.on_device import device_array, on_host
from emv.graph.widths import id_dtype
from emv.ir import program as p
from emv.ir.body import type_of
from emv.lang.apart import Apart, apart, guarded
from emv.lang.asking import CLEARED, DELETED, FIRST, LIVING, NEW, OWN_FIELDS
from emv.lang.changing import Kept, check_applied
from emv.lang.endless import refuse_endless
from emv.lang.source import caller_loc
from emv.lang.traced import TracedResult
from emv.runtime.arguments import Call
from emv.runtime.arrays.plan import Plan
from emv.runtime.compile import Compiled
from emv.runtime.drive import asked as order
from emv.runtime.drive.asked import Asked, Heard, heard_in
from emv.runtime.drive.awake import Awake, queues_of, who_is_awake
from emv.runtime.drive.early import meant_ids
from emv.runtime.drive.host import HostGraph, HostRun
from emv.runtime.drive.segment import Segment
from emv.runtime.run import Run, run_columns


class ChangingRun(HostRun):
    """One run of a host-driven program, which may change the graph.

    Attributes
    ----------
    evolving : Evolving
        The versions.
    asked : dict
        The calls of the superstep that add something, by their value numbers.
    heard : list of Heard
        What they have added.
    ids : Kept
        What is removed, so that nobody holds on to its ids.
    num_new : int
        How many vertices the superstep has added so far.
    """

    def __init__(
        self, python: Any, loc: Loc, bind: dict[str, Any], call: Call, kept: dict[Any, Compiled]
    ) -> None:
        super().__init__(python, loc, bind, call, kept)
        self.evolving = Evolving(call.graph._store)
        self.asked: dict[int, Asked] = {}
        self.heard: list[Heard] = []
        self.ids = Kept()
        self.num_new = self.calls = 0

    @property
    def num_vertices(self) -> int:
        """How many vertices there are, those deleted left out."""
        return self.evolving.num_vertices

    @property
    def has_gone(self) -> bool:
        """Whether a vertex has been deleted."""
        return self.num_vertices < int(self.graph.num_vertices)

    def check_changes(self, function: Any) -> None:
        """Let functions change the graph."""

    def fields(self, results: Any) -> dict[Key, Any]:
        """Return the columns of the program, and the run's own."""
        return super().fields(results) | OWN_FIELDS

    def declared_fields(self) -> dict[Key, Any]:
        """Return the columns of the program, also those of functions that are not applied yet."""
        self.use_named()
        fields = super().fields(None)
        return {key: field for key, field in fields.items() if key not in OWN_FIELDS}

    # Calls.

    def apply(self, function: Any, domain: p.Domain, args: dict[str, Any], loc: Loc) -> Any:
        """Record ``function(domain, ...)``, what it asks for first."""
        self.ids.note(function)
        if self.has_gone:
            function, domain = self.of_living(function, domain, loc)
        if not function.effects.changes:
            return super().apply(function, domain, args, loc)
        self.calls += 1
        self.use_records(function)
        pieces = self.pieces_of(function, domain, loc)
        values = tuple(
            (name, self.argument(function, name, value, loc)) for name, value in args.items()
        )
        if pieces.counts is not None:
            self.number_vertices(pieces.counts, domain, values, loc)
        if pieces.rest is None:
            assert pieces.edges is not None
            node = super().apply(pieces.edges, domain, args, loc).node
            self.listen("edge", pieces, node)
            result = TracedResult(self, node, None, None)
        else:
            for kind, made in (("vertex", pieces.vertices), ("edge", pieces.edges)):
                if made is not None:
                    self.add(node := p.Apply(loc, self.new_id(), made, domain, values))
                    self.listen(kind, pieces, node)
            result = super().apply(pieces.rest, domain, args, loc)
        if len(self.votes) == 1:
            self.settle()
        return result

    def pieces_of(self, function: Any, domain: p.Domain, loc: Loc) -> Apart:
        """Return what a function is taken apart into, the same as long as its text is."""
        fields = self.declared_fields()
        columns = tuple((each, field.dtype, field.default) for each, field in fields.items())
        analysis, known = function.made.get((domain.kind, columns), (None, None))
        if analysis is not function.analysis:
            check_applied(function, fields, domain.kind, loc)
            known = apart(function, fields)
            function.made[domain.kind, columns] = (function.analysis, known)
        pieces: Apart = known
        return pieces

    def listen(self, kind: str, pieces: Apart, node: p.Apply) -> None:
        """Record that what a call sends of what is added is kept."""
        self.asked[node.id] = Asked(kind, self.calls, pieces)
        heard = (("heard", p.Ref(node.id)),)
        receivers = p.Domain("receivers", source=node.id)
        self.add(p.Apply(node.loc, self.new_id(), pieces.listener, receivers, heard))

    def number_vertices(self, counts: Any, domain: p.Domain, values: Any, loc: Loc) -> None:
        """Tell every instance the id of the first vertex that it adds."""
        kind = "edge" if counts.kind == "edge" else "vertex"
        self.add(p.Apply(loc, self.new_id(), counts, domain, values))
        self.flush(None)
        numbers = on_host(self.made.pop((kind, NEW)))
        del self.shared[f"{kind[0]}_{NEW}"]
        self.written -= {(kind, NEW)}
        first = self.graph.num_vertices + self.num_new + np.cumsum(numbers) - numbers
        self.num_new += int(numbers.sum())
        self.hold((kind, FIRST), first.astype(np.int64))

    def hold(self, key: Key, values: NDArray[Any]) -> None:
        """Let a column of the run's own have these values."""
        self.shared[f"{key[0][0]}_{key[1]}"] = self.call.target.copied(values)
        self.written |= {key}

    def of_living(self, function: Any, domain: p.Domain, loc: Loc) -> tuple[Any, p.Domain]:
        """Return a call that leaves out who was deleted."""
        if function.kind in ("edge", "message"):
            return function, domain
        if domain.kind == "all":
            return function, p.Domain("mask", mask=LIVING)
        if domain.kind == "only":
            ids = domain.ids
            given = [self.evaluate(ids)] if isinstance(ids, p.Scalar) else ids
            listed = meant_ids(given, self.call.arguments, self.graph)
            left = listed[~self.evolving.is_gone[listed]]
            return function, dataclasses.replace(domain, ids=tuple(left.tolist()))
        return guarded(function, loc), domain

    # Superstep by superstep.

    def keep(self, plan: Plan, segment: Segment) -> None:
        """Take over what lasts, and what was asked for."""
        super().keep(plan, segment)
        new = {old: number for number, old in segment.old.items()}
        for old in [each for each in self.asked if each in new]:
            self.heard += heard_in(plan, new[old], self.asked.pop(old))

    def settle(self) -> None:
        """Run what was recorded, and make the version that the superstep has asked for."""
        self.flush(None)
        asked = self.requests_there() or self.requests()
        self.heard, self.num_new = [], 0
        if not asked.is_empty:
            self.change(asked)
        for kind, name in OWN_FIELDS:
            if name != LIVING:
                self.shared.pop(f"{kind[0]}_{name}", None)
                self.made.pop((kind, name), None)
                self.written -= {(kind, name)}

    def requests(self) -> Requests:
        """Return what the superstep has asked for, in order."""
        graph = self.graph
        fields = self.declared_fields() if self.heard or self.num_new else {}
        first = graph.num_vertices
        heard = [each.here() for each in self.heard]
        src, dst, columns = order.new_edges(heard, first + self.num_new, fields)
        columns |= order.new_vertices(heard, first, self.num_new, fields)
        return Requests(
            src,
            dst,
            self.num_new,
            columns,
            self.marked(("edge", DELETED), graph.num_edges),
            self.marked(("vertex", CLEARED), graph.num_vertices),
            self.marked(("vertex", DELETED), graph.num_vertices),
        )

    def requests_there(self) -> RequestsThere | None:
        """Return what the superstep has asked for, in order, on the GPU where it lies.

        None where the host makes the version: of vertices, of sets, and to merge index arrays.
        """
        target, goes = self.call.target, self.made.get(("edge", DELETED))
        fields, graph = self.declared_fields(), self.graph
        if not self.is_of_edges(fields) or (goes is None and not self.heard):
            return None
        on = device_named(target.device.label)
        gone = None if goes is None else on.rows_gone(graph.num_edges, [device_array(goes)])
        gone = gone if gone is not None and gone.count else None
        asked_for = sum(len(each.key) for each in self.heard), gone, target.device.free_bytes()
        if not self.evolving.is_made_there(*asked_for):
            return None
        added = order.new_edges_there(self.heard, on, graph.num_vertices, fields)
        asked = None if added is None else RequestsThere(on, *added, gone)
        is_left = asked is not None and graph.num_edges + asked.num_added > asked.num_gone
        return asked if is_left else None

    def is_of_edges(self, fields: Any) -> bool:
        """Return whether edges alone change, none awake, of a run on one GPU's own stream."""
        target = self.call.target
        if target.device is None or target.num_parts > 1 or target.stream != target.device.stream:
            return False
        is_asked = all(each.asked.kind == "edge" for each in self.heard)
        others = self.made.keys() & {("vertex", CLEARED), ("vertex", DELETED)}
        is_awake = self.shared.keys() & {"active_edges", "pending_edges"}
        has_sets = any(each.disjoint for each in fields.values())
        return is_asked and not (others or is_awake or has_sets or self.has_gone)

    def marked(self, key: Key, size: int) -> NDArray[np.bool_]:
        """Return who is marked in a column of the run's own."""
        if key not in self.made:
            return np.zeros(size, np.bool_)
        return on_host(self.made[key])

    # Version by version.

    def change(self, asked: Requests | RequestsThere) -> None:
        """Make the next version and go on with it."""
        awake, edges_gone = who_is_awake(self.shared, self.state), np.empty(0, np.bool_)
        if isinstance(asked, RequestsThere):  # nobody asks then which edges are gone
            columns = self.columns_now(is_there=True)
            self.evolving.change_there(asked, columns)
        else:
            columns = self.columns_now()
            edges_gone = self.evolving.change(asked, columns)
        self.graph = Graph._of(self.evolving.store, self.call.graph._placed)
        bindings = {**self.call.arguments.bindings, **{key: (key[1], False) for key in columns}}
        arguments = dataclasses.replace(self.call.arguments, bindings=bindings)
        self.call = dataclasses.replace(self.call, graph=self.graph, arguments=arguments)
        self.shared.clear()
        self.made.clear()
        self.written = frozenset()
        if self.has_gone:
            self.hold(("vertex", LIVING), ~self.evolving.is_gone)
        fields, ids = self.declared_fields(), id_dtype(self.graph.num_vertices)
        for key in columns:
            if fields[key].disjoint:  # which no run begins with
                self.hold(key, self.evolving.column(key).astype(ids))
        self.shared |= self.awake_again(awake, edges_gone)

    def columns_now(self, is_there: bool = False) -> Columns:
        """Return what the columns of the program hold, where that is not what the version has.

        On the host, or where it lies; what the version has on a GPU stays there then.
        """
        fields, held = self.declared_fields(), {}
        for key, field in fields.items():
            if key in self.made:
                held[key] = self.made[key] if is_there else on_host(self.made[key])
            elif key in self.call.arguments.bindings and self.evolving.versions:
                held[key] = (self.evolving.there if is_there else self.evolving.column)(key)
            else:
                held |= self.at_first(key, field)
        return held

    def at_first(self, key: Key, field: Any) -> Columns:
        """Return a column that nothing has changed yet; none that the program has yet to fill."""
        if field.disjoint:
            return {key: np.arange(self.graph.num_vertices, dtype=np.int64)}
        try:
            source = source_of(self.graph, field, self.call.arguments.bindings.get(key))
        except ColumnError:
            if self.evolving.versions:
                raise
            return {}
        return {key: column_values(self.graph, field, source)}

    def awake_again(self, awake: Awake, edges_gone: NDArray[np.bool_]) -> dict[str, Any]:
        """Return the queues of who is active or pending, as far as they are there."""
        left = {}
        for (word, suffix), ids in awake.items():
            if suffix:
                left[word, suffix] = ids_now(ids, edges_gone)
            else:
                left[word, suffix] = ids[~self.evolving.is_gone[ids]]
        return queues_of(left, self.graph, self.state, self.call.target)

    # Numbers and results.

    def aggregate_column(self, word: str, column: p.Column) -> Any:
        """Fold a column; of vertices those that are there."""
        if not self.has_gone or column.kind == "edge":
            return super().aggregate_column(word, column)
        result = self.flush(column)
        values = on_host(result)[~self.evolving.is_gone]
        kind = type_of(values.dtype)
        number = EagerValues(dict(enumerate(values)), kind, 0, len(values), dense=False)
        return number.folded(word)

    def aggregate(self, word: str, source: int, kind: Any) -> Any:
        """Record an aggregator; folds of messages have a value for who was deleted, too."""
        is_call = any(isinstance(e, p.Apply) and e.id == source for e in self.blocks[0])
        if self.has_gone and not is_call:
            raise LanguageError(
                f"emv.{word} of folded messages, and this program has deleted vertices",
                caller_loc(2),
                "Hand the values to a @vertex function, and fold what that returns.",
            )
        return super().aggregate(word, source, kind)

    def rows_left(self, results: Any, found: Any) -> Any:
        """Return results without the rows of vertices that are gone."""
        if isinstance(results, tuple):
            return tuple(map(self.rows_left, results, found))
        if isinstance(results, dict):
            return {name: self.rows_left(results[name], found[name]) for name in results}
        if not self.has_gone or not isinstance(results, p.Column | p.Ref):
            return found
        if isinstance(results, p.Column) and results.kind == "edge":
            return found
        if isinstance(found, tuple):
            return tuple(self.rows_left(results, each) for each in found)
        return on_host(found)[~self.evolving.is_gone]

    def outcome(self) -> tuple[Any, int, dict[Key, Any]]:
        """Return the graph that the run leaves, what was dropped, and the columns."""
        if not self.evolving.versions:
            return None, 0, {key: each for key, each in self.made.items() if key not in OWN_FIELDS}
        columns = self.columns_now()
        store = self.evolving.last(columns)
        columns = {key: self.rows_left(p.Column(*key), each) for key, each in columns.items()}
        return Graph._of(store, self.graph._placed), self.evolving.dropped, columns


def run_on_host(
    python: Any, loc: Loc, bind: dict[str, Any], call: Call, kept: dict[Any, Compiled]
) -> Run:
    """Run a host-driven program.

    Parameters
    ----------
    bind : dict
        Which parameters supply columns.
    kept : dict
        The pieces that earlier runs have compiled.
    """
    refuse_endless(python)
    run = ChangingRun(python, loc, bind, call, kept)
    started = time.perf_counter()
    returned = python(HostGraph(run), **call.arguments.values)
    results = run.returned(returned) if returned is not None else None
    result = run.rows_left(results, run.flush(results))
    graph, dropped, columns = run.outcome()
    seconds = time.perf_counter() - started - run.compile_seconds
    return Run(
        run.name,
        result,
        *run_columns(columns),
        run.supersteps_run,
        run.stopped,
        seconds,
        call.target.label,
        run.compile_seconds,
        list(run.times.values()),
        graph=graph,
        dropped=dropped,
    )
