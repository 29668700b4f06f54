"""Programs whose loops and ``if`` run on the host: ``@program(host_loop=True)``.

The program runs as ordinary Python. What it applies is recorded, as in a trace, until the host
needs a value (an ``if`` on an aggregate, the end of a superstep): then what was recorded is
compiled as a program of its own and run on the columns that the run keeps. Numbers are parameters
of such a segment, so the same lines lead to the same kernels in every superstep.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np

from emv.backends.patience import Patience
from emv.codegen.state import PLACES, VOTES
from emv.errors import LanguageError, Loc
from emv.ir import program as p
from emv.lang.endless import endless_loop
from emv.lang.helpers import names_in_fold
from emv.lang.named import functions_named
from emv.lang.source import caller_loc
from emv.lang.trace import TracedGraph, Tracer
from emv.lang.traced import TracedScalar
from emv.runtime.arguments import Call
from emv.runtime.arrays.plan import Plan
from emv.runtime.arrays.table import QUEUES, Kind
from emv.runtime.compile import Compiled, compile_traced, schedule_key
from emv.runtime.drive.driver import Driver
from emv.runtime.drive.early import evaluate, evaluate_early
from emv.runtime.drive.execute import Results, declared, run_bound
from emv.runtime.drive.segment import Segment, folds_of, functions_in
from emv.runtime.run import LaunchTime

_KEPT = (
    "NUM_ACTIVE NUM_PENDING NUM_ACTIVE_EDGES NUM_PENDING_EDGES STALE STALE_EDGES FLIPPED "
    "FLIPPED_EDGES TURNS TURNS_EDGES ACTIVE_ARCS PENDING_ARCS"
).split()


class HostGraph(TracedGraph):
    """The ``g`` of a host-driven program: counts are numbers, loops are loops."""

    def __init__(self, run: HostRun) -> None:
        super().__init__(run)
        self._run = run

    @property
    def num_vertices(self) -> Any:
        return np.int64(self._run.num_vertices)

    @property
    def num_edges(self) -> Any:
        return np.int64(self._run.graph.num_edges)

    @property
    def num_arcs(self) -> Any:
        return np.int64(self._run.graph.num_arcs)

    def supersteps(self, limit: Any = p.NO_LIMIT, until: Any = None) -> Iterator[Any]:
        """Loop over supersteps on the host."""
        return self._run.host_loop(limit, until, caller_loc())

    def sweeps(self) -> Iterator[Any]:
        """Refuse to loop in place: what the host drives runs by superstep."""
        raise LanguageError(
            "g.sweeps() in a program with host_loop=True, or one that changes its graph",
            caller_loc(),
            "Sweeps run without Python between them: apply them in a program of their own.",
        )


class HostRun(Tracer):
    """One run of a host-driven program: the recorder, and what lasts between segments."""

    def __init__(
        self, python: Any, loc: Loc, bind: dict[str, Any], call: Call, kept: dict[Any, Compiled]
    ) -> None:
        super().__init__(python, loc, call.graph.directed)
        self.call, self.graph = call, call.graph
        self.bindings = {(field.kind, field.name): key for key, field in bind.items()}
        self.kept = kept
        self.has_named = False
        self.called_off = False
        self.compile_seconds = 0.0
        self.known: dict[int, Any] = {}  # aggregates by value number
        self.shared: dict[str, Any] = {}  # columns and queues
        self.written: frozenset[tuple[str, str]] = frozenset()
        self.state = dict.fromkeys(_KEPT, 0)
        self.votes: list[dict[str, bool]] = [{}]
        self.supersteps_run = 0
        self.stopped = "no loop"
        self.made: dict[tuple[str, str], Any] = {}
        self.times: dict[str, LaunchTime] = {}

    @property
    def num_vertices(self) -> int:
        """How many vertices there are."""
        return int(self.graph.num_vertices)

    def settle(self) -> None:
        """Run what was recorded: a superstep is over, or begins."""
        self.flush(None)

    def aggregate(self, word: str, source: int, kind: Any) -> TracedScalar:
        """Record an aggregator; its value can be asked for."""
        return TracedScalar(super().aggregate(word, source, kind).expr, self.ask)

    def aggregate_column(self, word: str, column: p.Column) -> TracedScalar:
        """Record an aggregator over a column; its value can be asked for."""
        return TracedScalar(super().aggregate_column(word, column).expr, self.ask)

    def fields(self, results: Any) -> dict[tuple[str, str], Any]:
        """Return the columns; if need be of functions that are not applied yet, as of a fill."""
        known = {(record.kind, name) for record in self.records for name in record.fields}
        if any((each.kind, each.name) not in known for each in self.columns):
            self.use_named()
        return super().fields(results)

    def use_named(self) -> None:
        """Remember the records of all functions that the program names."""
        if not self.has_named:
            for function in functions_named(self.python):
                self.use_records(function)
        self.has_named = True

    def ask(self, expr: p.Scalar) -> Any:
        """Return the value of a scalar, running what was recorded."""
        self.flush(None)
        return self.evaluate(expr)

    def evaluate(self, expr: p.Scalar) -> Any:
        """Return the value of a scalar whose aggregates are known."""

        def value_of(leaf: Any) -> Any:
            is_known = isinstance(leaf, p.Aggregated)
            early = self.call.arguments, self.graph
            return self.known[leaf.id] if is_known else evaluate_early(leaf, *early)

        return evaluate(expr, value_of)

    def flush(self, results: Any) -> Any:
        """Compile and run what was recorded since the last time; return its results."""
        nodes, self.blocks[0] = tuple(self.blocks[0]), []
        if not nodes and results is None:
            return None
        segment = Segment(self.evaluate, nodes, results)
        program = p.Program(
            self.name, segment.nodes, segment.results, self.fields(results), self.bindings, self.loc
        )
        for node in nodes:
            if isinstance(node, p.Apply):
                acts = node.function.effects.acts
                if "halt" in acts:
                    self.votes[-1]["may_halt"] = True
                if acts & {"keep_going", "activate"}:
                    self.votes[-1]["by_votes"] = True
        return self.execute(self.compiled(program), segment)

    def compiled(self, program: p.Program) -> Compiled:
        """Return the kernels of a segment, made when its text is new."""
        steps = functions_in(program)
        named = [f.analysis.captured for f in steps]
        folds = folds_of(program)
        named += map(names_in_fold, folds)
        captured = tuple(repr(sorted(map(repr, each.items()))) for each in named)
        # A written edge column may no longer be read in the order of arcs, so kernels depend on it.
        written = frozenset(key for key in self.written if key[0] == "edge")
        kind = self.call.target.kind
        texts = tuple(map(id, (*steps, *folds)))
        key = (kind, *schedule_key(), str(program), texts, captured, written)
        if key not in self.kept:
            wide = self.graph.num_vertices >= 2**31 or self.graph.num_arcs >= 2**32
            self.kept[key] = compile_traced(program, wide, kind, written=written)
        return self.kept[key]

    def execute(self, compiled: Compiled, segment: Segment) -> Any:
        """Run a segment on the columns and queues that the run keeps."""
        given = self.call.arguments
        numbers = given.numbers | segment.numbers
        arguments = dataclasses.replace(given, numbers=numbers, arrays=segment.arrays)
        call = dataclasses.replace(self.call, arguments=arguments, callback=None)
        found = run_bound(compiled, call, lambda plan: self.drive(plan, segment), self.shared)
        self.compile_seconds += compiled.take_seconds()
        return found

    def drive(self, plan: Plan, segment: Segment) -> Any:
        """Run the plan of a segment from where the run is; return its results."""
        state = plan.arrays["state"]
        for name, value in self.state.items():
            state[PLACES[name]] = value
        for suffix in ("", "_EDGES"):  # what waits already is no new activation
            state[PLACES[f"PENDING_BEFORE{suffix}"]] = self.state[f"NUM_PENDING{suffix}"]
        state[PLACES["SUPERSTEPS"]] = self.supersteps_run
        driver = Driver(plan)
        driver.times = self.times
        driver.run()
        self.keep(plan, segment)
        made = Results(plan, driver, self.made)
        return p.changed_results(plan.compiled.program.results, made.of)

    def keep(self, plan: Plan, segment: Segment) -> None:
        """Take over what lasts: columns, queues, votes, aggregates."""
        state = plan.arrays["state"]
        self.state = {name: int(state[PLACES[name]]) for name in _KEPT}
        for vote in VOTES:
            if state[PLACES[vote]]:
                self.votes[-1][vote.lower()] = True
        for suffix in ("", "_EDGES"):
            if state[PLACES[f"NUM_PENDING{suffix}"]] > state[PLACES[f"PENDING_BEFORE{suffix}"]]:
                self.votes[-1]["activated"] = True
        self.written |= plan.schedule.written
        for array in plan.table.made_per_run:
            if array.kind is Kind.COLUMN and array.key in self.written:
                self.shared[array.name] = plan.arrays[array.name]
                self.made[array.key] = declared(plan, array.key)
            elif array.name in QUEUES:
                self.shared[array.name] = plan.arrays[array.name]
        slots = {
            leaf.id: slot
            for leaf, slot in plan.compiled.slots.items()
            if isinstance(leaf, p.Aggregated)
        }
        for node in segment.nodes:
            if isinstance(node, p.Aggregate):
                slot = slots[node.id]
                self.known[segment.old[node.id]] = plan.arrays[slot.array][slot.index]

    def host_loop(self, limit: Any, until: Any, loc: Loc) -> Iterator[Any]:
        """Yield superstep numbers for as long as the loop's rule says."""
        step = 0
        endless = limit == p.NO_LIMIT and until is None
        patience = Patience(loc, self.graph.num_vertices, endless)
        while step < int(limit) and not self.called_off:
            self.settle()
            self.votes.append({})
            self.supersteps_run += 1
            try:
                yield np.int64(step)
                self.settle()
            finally:
                votes = self.votes.pop()
            step += 1
            patience.look(step)
            self.stopped = self.ending(votes, until, loc)
            if self.stopped:
                return
            if endless and not votes.keys() & {"by_votes", "may_halt"}:
                raise endless_loop(loc)
        self.stopped = "callback" if self.called_off else "limit"

    def ending(self, votes: dict[str, bool], until: Any, loc: Loc) -> str:
        """Return why a loop ends after a superstep, or an empty text."""
        if self.call.callback is not None and not self.called_off:
            active = self.state["NUM_PENDING" if self.state["STALE"] else "NUM_ACTIVE"]
            info = {"active": active, "line": loc.line}
            self.called_off = bool(self.call.callback(self.supersteps_run, info))
        if self.called_off:
            return "callback"
        if votes.get("halt"):
            return "halt"
        if votes.get("by_votes") and not (votes.get("keep_going") or votes.get("activated")):
            return "converged"
        if until is not None and bool(until()):
            return "until"
        return ""
