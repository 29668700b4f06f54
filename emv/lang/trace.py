"""Run a program function once on stand-ins and write down what it does: the tree of `ir.program`.

``for _ in g.supersteps()`` yields once; what its body does becomes the loop's body. Leaving that
body early, or asking a stand-in for a truth value, is an error at the user's line.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from emv.errors import Loc, TypeMismatchError
from emv.ir import program as ir
from emv.ir.body import type_of
from emv.lang.annotated import message_type
from emv.lang.fits import (
    GIVEN,
    call_inside_until,
    check_argument,
    check_domain,
    check_fill,
    check_filled,
    check_folded,
    check_list,
    check_mask,
    check_one_type,
    check_operators,
    message_record,
    no_such_name,
    other_length,
    refuse_eager_only,
    refuse_result,
    refuse_values,
    set_once,
    undeclared,
    wrong_ids,
    wrong_result,
)
from emv.lang.folds import aggregated_type, check_initial, combined_type, started
from emv.lang.given import refuse_given
from emv.lang.hints import hint_idle, hint_one_way
from emv.lang.laws import check_laws
from emv.lang.listed import ArrayStandIn
from emv.lang.named import functions_named, records_of
from emv.lang.narrowing import bare
from emv.lang.promote import spelled
from emv.lang.source import caller_loc
from emv.lang.supersteps import left_early
from emv.lang.trace_loops import LoopTracer
from emv.lang.traced import (
    TracedDomain,
    TracedResult,
    TracedScalar,
    TracedValues,
    Unfollowed,
    scalar,
)
from emv.lang.traced_columns import TracedColumn, TracedColumns
from emv.lang.used import loops_that_must_run, pruned, settled

_OWN = frozenset({"_tracer", "_domain", "_activating", "_run", "vertices", "edges"})


class TracedGraph(TracedDomain):
    """The ``g`` of a program while it is traced; as a domain it is the whole graph."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer, ir.Domain("all"))
        self.vertices = TracedColumns(tracer, "vertex")
        self.edges = TracedColumns(tracer, "edge")

    def __getattr__(self, name: str) -> Any:
        raise no_such_name(name, self, caller_loc())

    def __setattr__(self, name: str, value: Any) -> None:
        set_once(self, _OWN, name, value)

    @property
    def num_vertices(self) -> TracedScalar:
        """Return the number of vertices."""
        return TracedScalar(ir.GraphNumber("i64", "num_vertices"))

    @property
    def num_edges(self) -> TracedScalar:
        """Return the number of edges."""
        return TracedScalar(ir.GraphNumber("i64", "num_edges"))

    @property
    def num_arcs(self) -> TracedScalar:
        """Return the number of arcs: two per undirected edge that is no loop."""
        return TracedScalar(ir.GraphNumber("i64", "num_arcs"))

    @property
    def directed(self) -> bool:
        """Return whether edges lead one way only: a constant, for `if` in a program."""
        return bool(self._tracer.directed)

    @property
    def active(self) -> TracedDomain:
        """Return the vertices activated since the set was last asked for."""
        return TracedDomain(self._tracer, ir.Domain("active"))

    @property
    def active_edges(self) -> TracedDomain:
        """Return the edges activated since the set was last asked for."""
        return TracedDomain(self._tracer, ir.Domain("active_edges"))

    def only(self, ids: Any) -> TracedDomain:
        """Return the vertices with the given ids."""
        if isinstance(ids, ArrayStandIn):
            return TracedDomain(self._tracer, ir.Domain("only", ids=ids.parameter))
        is_number = isinstance(ids, TracedScalar | int | np.integer) and not isinstance(ids, bool)
        if isinstance(ids, TracedScalar) and ids.expr.type != "i64":
            raise wrong_ids(ids, caller_loc())
        if is_number:
            return TracedDomain(self._tracer, ir.Domain("only", ids=scalar(ids)))
        listed = np.asarray(ids)
        if listed.ndim != 1 or (listed.size and listed.dtype.kind not in "iu"):
            raise wrong_ids(ids, caller_loc())
        return TracedDomain(self._tracer, ir.Domain("only", ids=tuple(map(int, listed))))

    def supersteps(self, limit: Any = ir.NO_LIMIT, until: Any = None) -> Iterator[TracedScalar]:
        """Yield the superstep number, once."""
        steps: Iterator[TracedScalar] = self._tracer.supersteps(limit, until, caller_loc())
        return steps

    def sweeps(self) -> Iterator[None]:
        """Yield nothing, once."""
        steps: Iterator[None] = self._tracer.sweeps(caller_loc())
        return steps


class Tracer(LoopTracer):
    """Collects the nodes of one program."""

    def __init__(self, python: Any, loc: Loc, directed: bool = True) -> None:
        super().__init__()
        self.directed = directed
        self.python = python
        self.name = python.__name__
        self.loc = loc
        self.records: list[Any] = []
        self.columns: dict[ir.Column, Loc] = {}
        self.types: dict[int, Any] = {}  # of the values that nodes make

    def use_record(self, record: Any) -> None:
        """Remember a record class that the program's functions speak of."""
        if record not in self.records:
            self.records.append(record)
        if record.kind == "edge":
            self.use_record(record.vertex)

    def use_records(self, function: Any) -> None:
        """Remember the records of a function."""
        for record in records_of(function):
            self.use_record(record)

    def use_column(self, column: ir.Column, loc: Loc) -> None:
        """Remember a column that the program function names."""
        self.columns.setdefault(column, loc)

    def apply(self, function: Any, domain: ir.Domain, args: dict[str, Any], loc: Loc) -> Any:
        """Record ``function(domain, ...)``."""
        if self.asking:
            raise call_inside_until(loc)
        analysis = function.analysis
        self.check_changes(function)
        domain = check_domain(function, domain, loc)
        refuse_eager_only(function)
        self.check_swept(function, loc)
        self.use_records(function)
        values = tuple(
            (name, self.argument(function, name, value, loc)) for name, value in args.items()
        )
        node = ir.Apply(loc, self.new_id(), function, domain, values)
        self.add(node)
        if "activate" in function.effects.acts:
            self.activating = (self.activating[0] + 1, function.name)
        message, result = analysis.body.message, analysis.body.result
        if function.kind == "message":
            message = message_type(function.record)
        self.types[node.id] = result
        return TracedResult(self, node, message, result)

    def argument(self, function: Any, name: str, value: Any, loc: Loc) -> Any:
        """Return the IR of an argument after checking that its type fits the parameter."""
        built: Any
        if function.kind == "mlist" and name == function.element_names[-1]:
            if not isinstance(value, TracedResult) or value.message is None:
                check_argument(function, name, None, loc)
            check_list(function, name, value.message, loc)
            return ir.Ref(value.node.id)
        if isinstance(value, TracedResult):
            refuse_result(function, name, value.node.function, loc)
            kind, built = value.values, ir.Ref(value.node.id)
        elif isinstance(value, TracedValues):
            kind, built = value.type, ir.Ref(value.id)
            if kind is None:
                return built  # a folded column: its type is known when the records are
        elif isinstance(value, TracedScalar | bool | int | float | np.generic):
            built = scalar(value)
            kind = built.type
        elif isinstance(value, tuple):
            built = tuple(scalar(each) for each in value)
            kind = tuple(each.type for each in built)
        else:
            if isinstance(value, Unfollowed):
                raise value.error()
            refuse_given(function, name, value, loc)
        check_argument(function, name, kind, loc)
        return built

    def combine(self, operators: tuple[Any, ...], messages: TracedResult, initial: Any) -> Any:
        """Record the fold of messages with one operator."""
        kind = combined_type(operators[0], messages.message)
        start = self.start(operators[0].name, initial, messages.message)
        check_laws(operators[0], messages.message)
        node = ir.Combine(caller_loc(), self.new_id(), operators, ir.Ref(messages.node.id), start)
        self.add(node)
        self.types[node.id] = kind
        return TracedValues(self, node.id, kind)

    def start(self, word: str, initial: Any, kind: Any) -> Any:
        """Return the scalar, or the scalars, that a fold of messages of a type starts from."""
        if initial is None:
            return None
        initial = bare(initial)
        parts = initial if isinstance(initial, tuple) else (initial,)
        built = tuple(scalar(each) for each in parts)
        types = tuple(each.type for each in built)
        is_tuple = isinstance(initial, tuple)
        check_initial(word, types if is_tuple else types[0], kind, caller_loc(2))
        return started(built if is_tuple else built[0], kind)

    def combine_fields(
        self, operators: dict[str, Any], messages: TracedResult, initial: Any = None
    ) -> Any:
        """Record the fold of message records field by field."""
        record = message_record(messages.node.function)
        ops = tuple(check_operators(messages.node.function, operators, caller_loc()))
        start = self.start("combine", initial, messages.message)
        for operator, kind in zip(ops, messages.message, strict=True):
            check_laws(operator, kind)
        node = ir.Combine(caller_loc(), self.new_id(), ops, ir.Ref(messages.node.id), start)
        self.add(node)
        kinds = tuple(
            combined_type(op, kind) for op, kind in zip(ops, messages.message, strict=True)
        )
        self.types[node.id] = kinds
        return TracedValues(self, node.id, kinds, record)

    def combine_column(self, operator: Any, column: ir.Column, initial: Any, by: Any) -> Any:
        """Record the fold of an edge column per vertex."""
        loc = caller_loc()
        check_folded(column, by, loc)
        self.use_column(column, loc)
        start = None if initial is None else scalar(initial)
        node = ir.Combine(loc, self.new_id(), (operator,), column, start, by)
        self.add(node)
        self.types[node.id] = None  # known when the column is
        return TracedValues(self, node.id, None)

    def aggregate(self, word: str, source: int, kind: Any) -> TracedScalar:
        """Record an aggregator."""
        if isinstance(kind, tuple):
            raise TypeMismatchError(
                f"emv.{word} folds numbers, not {spelled(kind)}", caller_loc(2), "Return a number."
            )
        return TracedScalar(self.aggregated_value(word, ir.Ref(source), kind))

    def aggregated_value(self, word: str, source: Any, kind: Any) -> ir.Scalar:
        """Record an aggregator and return what it gives."""
        node = ir.Aggregate(caller_loc(), self.new_id(), word, source)
        self.add(node)
        value = ir.Aggregated(aggregated_type(word, kind), node.id)
        self.aggregated.append(value)
        return value

    def aggregate_column(self, word: str, column: ir.Column) -> TracedScalar:
        """Record an aggregator over a column."""
        loc = caller_loc()
        self.use_column(column, loc)
        field = self.field(column)
        if field is None and column.name not in GIVEN[column.kind]:
            raise undeclared(self.name, column, [], loc)
        kind = "i64" if field is None or field.disjoint else type_of(field.dtype)
        return TracedScalar(self.aggregated_value(word, column, kind))

    def field(self, column: ir.Column) -> Any:
        """Return the field that declares a column, if need be of a function not applied yet."""
        for function in functions_named(self.python):
            self.use_records(function)
        records = [each for each in self.records if each.kind == column.kind]
        return next(
            (each.fields[column.name] for each in records if column.name in each.fields), None
        )

    def mask_domain(self, column: ir.Column, loc: Loc) -> ir.Domain:
        """Return the vertices in a mask as a domain; that it is one is seen at the end."""
        self.use_column(column, loc)
        return ir.Domain("mask", mask=column.name)

    def fill(self, column: ir.Column, value: Any) -> None:
        """Record ``column[:] = value``."""
        loc = caller_loc()
        self.use_column(column, loc)
        check_fill(column, loc)
        built: Any
        if isinstance(value, TracedColumn):
            if value.column.kind != column.kind:
                raise other_length(column, value.column, loc)
            self.use_column(value.column, loc)
            built = value.column
        elif isinstance(value, TracedValues) and column.kind == "vertex":
            built = ir.Ref(value.id)
        elif isinstance(value, TracedResult) and column.kind == "vertex":
            refuse_values(value.node.function, loc)
            built = ir.Ref(value.node.id)
        else:
            built = scalar(value)
        self.add(ir.Fill(loc, column, built))

    def finish(self, results: Any, bindings: dict[tuple[str, str], str]) -> ir.Program:
        """Return the program, with every column it touches resolved to its declaration.

        Raises
        ------
        TraceError
            If a superstep loop was left early.
        """
        if self.left is not None:
            raise left_early(self.left)
        fields = self.fields(self.returned(results))
        self.check_fills(fields)
        self.check_masks(fields)
        returned = self.returned(results)
        self.check_fresh(returned, self.loc)
        hint_idle(tuple(self.blocks[0]))
        hint_one_way(tuple(self.blocks[0]), self.directed)
        body = pruned(tuple(self.blocks[0]), returned)
        must_run = loops_that_must_run(body, returned)
        body, returned = settled(body, returned)
        return ir.Program(self.name, body, returned, fields, bindings, self.loc, must_run)

    def check_masks(self, fields: dict[tuple[str, str], Any]) -> None:
        """Refuse columns as domains that are no masks."""
        for node in ir.nodes_in(tuple(self.blocks[0])):
            if isinstance(node, ir.Apply) and node.domain.mask is not None:
                check_mask(fields["vertex", node.domain.mask], node.loc)

    def returned(self, results: Any) -> Any:
        """Return the IR of what the program returns."""
        return ir.changed_results(results, self.result_ir)

    def result_ir(self, value: Any) -> Any:
        """Return the IR of a value that the program returns."""
        if value is None or isinstance(value, ir.Ref | ir.Column | ir.Scalar):
            return value
        if isinstance(value, TracedColumn):
            self.use_column(value.column, value.spot.loc)
            return value.column
        if isinstance(value, TracedValues):
            return ir.Ref(value.id)
        if isinstance(value, TracedResult) and value.values is not None:
            return ir.Ref(value.node.id)
        if isinstance(value, TracedScalar | bool | int | float | np.generic):
            return scalar(value)
        if isinstance(value, Unfollowed):
            raise value.error()
        raise wrong_result(self.name, value, self.loc)

    def check_fills(self, fields: dict[tuple[str, str], Any]) -> None:
        """Refuse fills with values of a type that the column does not take."""
        for node in ir.nodes_in(tuple(self.blocks[0])):
            if not isinstance(node, ir.Fill):
                continue
            value: Any = node.value
            if isinstance(value, ir.Column):
                given = fields.get((value.kind, value.name))
                kind = "i64" if given is None else type_of(given.dtype)
            else:
                kind = self.types[value.id] if isinstance(value, ir.Ref) else value.type
            check_filled(fields[node.column.kind, node.column.name], kind, node.loc)

    def fields(self, results: Any) -> dict[tuple[str, str], Any]:
        """Match every column with the field that declares it; two records must agree."""
        found: dict[tuple[str, str], Any] = {}
        for record in self.records:
            for name, field in record.fields.items():
                key = (record.kind, name)
                check_one_type(found.setdefault(key, field), field)
        for column, loc in self.columns.items():
            key = (column.kind, column.name)
            if key not in found and column.name not in GIVEN[column.kind]:
                known_names = [name for kind, name in found if kind == column.kind]
                raise undeclared(self.name, column, known_names, loc)
        return found
