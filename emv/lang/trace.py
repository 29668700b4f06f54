"""Run a program function once on stand-ins and write down what it does: the tree of `ir.program`.

``for _ in g.supersteps()`` yields once; what its body does becomes the loop's body. Leaving that
body early, or asking a stand-in for a truth value, is an error at the user's line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from emv.dtypes import short_name
from emv.errors import (
    ArgumentError,
    EndlessLoopError,
    FieldError,
    LanguageError,
    Loc,
    TraceError,
    TypeMismatchError,
    did_you_mean,
)
from emv.ir import program as ir
from emv.lang.fits import (
    check_domain,
    combined_type,
    elements_of,
    message_record,
    wrong_argument,
)
from emv.lang.functions import message_type
from emv.lang.promote import spelled, storable, strong
from emv.lang.source import caller_loc
from emv.lang.traced import (
    TracedColumn,
    TracedColumns,
    TracedDomain,
    TracedResult,
    TracedScalar,
    TracedValues,
    scalar,
)

_GIVEN = {"vertex": ("id", "out_degree", "in_degree"), "edge": ("id",)}


class TracedGraph(TracedDomain):
    """The ``g`` of a program while it is traced; as a domain it is the whole graph."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer, ir.Domain("all"))
        self.vertices = TracedColumns(tracer, "vertex")
        self.edges = TracedColumns(tracer, "edge")

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
        if isinstance(ids, TracedScalar | int | np.integer):
            return TracedDomain(self._tracer, ir.Domain("only", ids=scalar(ids)))
        listed = np.asarray(ids)
        if listed.ndim != 1 or (listed.size and listed.dtype.kind not in "iu"):
            raise ArgumentError(f"g.only() takes a vertex id or a list of ids, not {ids!r}")
        return TracedDomain(self._tracer, ir.Domain("only", ids=tuple(map(int, listed))))

    def supersteps(self, limit: Any = ir.NO_LIMIT, until: Any = None) -> Iterator[TracedScalar]:
        """Yield the superstep number, once."""
        steps: Iterator[TracedScalar] = self._tracer.supersteps(limit, until)
        return steps


class ArrayStandIn:
    """An array parameter while tracing."""

    def __init__(self, parameter: ir.ArrayParameter) -> None:
        self.parameter = parameter


class Tracer:
    """Collects the nodes of one program."""

    def __init__(self, name: str, loc: Loc) -> None:
        self.name = name
        self.loc = loc
        self.blocks: list[list[ir.Node]] = [[]]
        self.num_ids = 0
        self.records: list[Any] = []
        self.columns: dict[ir.Column, Loc] = {}
        self.types: dict[int, Any] = {}  # of the values that nodes make

    def new_id(self) -> int:
        """Return the next value number."""
        self.num_ids += 1
        return self.num_ids

    def add(self, node: ir.Node) -> None:
        """Append a node to the block that is being traced."""
        self.blocks[-1].append(node)

    def use_record(self, record: Any) -> None:
        """Remember a record class that the program's functions speak of."""
        if record not in self.records:
            self.records.append(record)
        if record.kind == "edge":
            self.use_record(record.vertex)

    def use_column(self, column: ir.Column, loc: Loc) -> None:
        """Remember a column that the program function names."""
        self.columns.setdefault(column, loc)

    def apply(self, function: Any, domain: ir.Domain, args: dict[str, Any], loc: Loc) -> Any:
        """Record ``function(domain, ...)``."""
        analysis = function.analysis
        domain = check_domain(function, domain, loc)
        if function.kind != "message":
            self.use_record(function.record)
        if analysis.edge_record is not None:
            self.use_record(analysis.edge_record)
        for element in elements_of(analysis.body):
            self.use_record(element.record)
        values = tuple(
            (name, self.argument(function, name, value, loc)) for name, value in args.items()
        )
        node = ir.Apply(loc, self.new_id(), function, domain, values)
        self.add(node)
        message, result = analysis.body.message, analysis.body.result
        if function.kind == "message":
            message = message_type(function.record)
        self.types[node.id] = result
        return TracedResult(self, node, message, result)

    def argument(self, function: Any, name: str, value: Any, loc: Loc) -> Any:
        """Return the IR of an argument after checking that its type fits the parameter."""
        if isinstance(value, TracedResult) and function.list and name == function.element_names[-1]:
            value._needs(value.message, "sends no messages")
            wanted = function._names()[name].type
            if not storable(strong(value.message), wanted):
                raise wrong_argument(function, name, value.message, wanted, loc)
            return ir.Ref(value.node.id)
        parameter = next((each for each in function.parameters if each.name == name), None)
        if parameter is None:
            raise TypeMismatchError(
                f"{name!r} of {function.name}() takes messages", loc, "Hand over what was sent."
            )
        if isinstance(value, TracedResult):
            value._needs(value.values, "returns no value")
            kind, built = value.values, ir.Ref(value.node.id)
        elif isinstance(value, TracedValues):
            kind, built = value.type, ir.Ref(value.id)
        elif isinstance(value, TracedScalar | bool | int | float | np.generic):
            built = scalar(value)  # type: ignore[assignment]
            kind = built.type  # type: ignore[attr-defined]
        elif isinstance(value, tuple):
            parts = tuple(scalar(each) for each in value)
            kind, built = tuple(each.type for each in parts), parts  # type: ignore[assignment]
        else:
            raise wrong_argument(function, name, type(value).__name__, parameter.type, loc)
        if not storable(kind, parameter.type):
            raise wrong_argument(function, name, kind, parameter.type, loc)
        return built

    def combine(self, operators: tuple[Any, ...], messages: TracedResult, initial: Any) -> Any:
        """Record the fold of messages with one operator."""
        kind = combined_type(operators[0], messages.message)
        start = None if initial is None else scalar(initial)
        node = ir.Combine(caller_loc(), self.new_id(), operators, ir.Ref(messages.node.id), start)
        self.add(node)
        self.types[node.id] = kind
        return TracedValues(self, node.id, kind)

    def combine_fields(self, operators: dict[str, Any], messages: TracedResult) -> Any:
        """Record the fold of message records field by field."""
        record = message_record(messages.node.function)
        names = list(record.fields) if record is not None else []
        if not names or set(operators) != set(names):
            raise FieldError(
                f"emv.combine needs one operator for each of: {', '.join(names) or 'no fields'}",
                caller_loc(),
                "Send message records and name every field: emv.combine(news, cost=emv.min, ...).",
            )
        ops = tuple(operators[name] for name in names)
        node = ir.Combine(caller_loc(), self.new_id(), ops, ir.Ref(messages.node.id))
        self.add(node)
        kinds = tuple(
            combined_type(op, kind) for op, kind in zip(ops, messages.message, strict=True)
        )
        self.types[node.id] = kinds
        return TracedValues(self, node.id, kinds, record)

    def combine_column(self, operator: Any, column: ir.Column, initial: Any, by: Any) -> Any:
        """Record the fold of an edge column per vertex."""
        if column.kind != "edge" or by not in ("src", "dst"):
            raise ArgumentError(
                f"folding the column {column} needs an edge column and by='src' or by='dst'"
            )
        loc = caller_loc()
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
        node = ir.Aggregate(caller_loc(), self.new_id(), word, ir.Ref(source))
        self.add(node)
        is_float = kind in ("f32", "f64", "float")
        return TracedScalar(
            ir.Aggregated("f64" if is_float and word != "count" else "i64", node.id)
        )

    def fill(self, column: ir.Column, value: Any) -> None:
        """Record ``column[:] = value``."""
        loc = caller_loc()
        self.use_column(column, loc)
        if column.name in _GIVEN[column.kind]:
            raise LanguageError(f"g.{column} is given by the graph and cannot be filled", loc)
        built: Any
        if isinstance(value, TracedColumn):
            if value.column.kind != column.kind:
                raise TypeMismatchError(f"{value.column} has another length than {column}", loc)
            self.use_column(value.column, loc)
            built = value.column
        elif isinstance(value, TracedValues | TracedResult) and column.kind == "vertex":
            built = ir.Ref(value.id if isinstance(value, TracedValues) else value.node.id)
        else:
            built = scalar(value)
        self.add(ir.Fill(loc, column, built))

    def supersteps(self, limit: Any, until: Any) -> Iterator[TracedScalar]:
        """Yield once and wrap what was recorded meanwhile into a loop."""
        loc = caller_loc()
        number, bound = self.new_id(), scalar(limit)
        if bound.type != "i64":
            raise TypeMismatchError(f"limit= is a number of supersteps, not {limit!r}", loc)
        self.blocks.append([])
        finished = False
        try:
            yield TracedScalar(ir.Step("i64", number))
            finished = True
        finally:
            body = tuple(self.blocks.pop())
            if not finished:
                raise TraceError(
                    "a superstep loop is left early",
                    loc,
                    "break and return inside the loop cannot be traced: vote with emv.halt(), use "
                    "until=, or write @program(host_loop=True).",
                )
        self.add(self.loop(number, bound, until, body, loc))

    def loop(
        self, number: int, bound: ir.Scalar, until: Any, body: tuple[ir.Node, ...], loc: Loc
    ) -> ir.Loop:
        """Return the loop node after checking that it can end."""
        acts = {
            act for node in body if isinstance(node, ir.Apply) for act in node.function.effects.acts
        }
        by_votes = bool(acts & {"keep_going", "activate"})
        endless = bound == ir.Number("i64", ir.NO_LIMIT) and until is None
        if endless and not by_votes and "halt" not in acts:
            raise EndlessLoopError(
                "this loop can never end: it has no limit and nothing in it votes or activates",
                loc,
                "Give it a limit, g.supersteps(100), or until=lambda: ..., or call v.activate(), "
                "emv.keep_going() or emv.halt() in a function it applies.",
            )
        condition = None
        if until is not None:
            if not isinstance(until, Callable):  # type: ignore[arg-type]
                raise TypeMismatchError(
                    "until= takes a function without arguments", loc, "until=lambda: change < tol"
                )
            value = until()
            condition = scalar(value)
        return ir.Loop(loc, number, bound, condition, body, by_votes)

    def finish(self, results: Any, bindings: dict[tuple[str, str], str]) -> ir.Program:
        """Return the program, with every column it touches resolved to its declaration."""
        fields = self.fields(self.result_ir(results))
        return ir.Program(
            self.name, tuple(self.blocks[0]), self.result_ir(results), fields, bindings, self.loc
        )

    def result_ir(self, value: Any) -> Any:
        """Return the IR of what the program returns."""
        if value is None or isinstance(value, ir.Ref | ir.Column | ir.Scalar):
            return value
        if isinstance(value, tuple | list):
            return tuple(self.result_ir(each) for each in value)
        if isinstance(value, dict):
            return {name: self.result_ir(each) for name, each in value.items()}
        if isinstance(value, TracedColumn):
            self.use_column(value.column, self.loc)
            return value.column
        if isinstance(value, TracedValues):
            return ir.Ref(value.id)
        if isinstance(value, TracedResult) and value.values is not None:
            return ir.Ref(value.node.id)
        if isinstance(value, TracedScalar | bool | int | float | np.generic):
            return scalar(value)
        raise TypeMismatchError(
            f"{self.name}() returns {value!r}",
            self.loc,
            "Return columns (g.vertices.rank), aggregates, values, or a tuple or dict of them.",
        )

    def fields(self, results: Any) -> dict[tuple[str, str], Any]:
        """Match every column with the field that declares it; two records must agree."""
        found: dict[tuple[str, str], Any] = {}
        for record in self.records:
            for name, field in record.fields.items():
                key = (record.kind, name)
                known = found.setdefault(key, field)
                if (known.dtype, known.disjoint) != (field.dtype, field.disjoint):
                    raise TypeMismatchError(
                        f"{known.record.__name__}.{name} is {short_name(known.dtype)}, but "
                        f"{record.__name__}.{name} is {short_name(field.dtype)}",
                        field.loc,
                        "Records of one program share columns by name: give both one type.",
                    )
        for column, loc in self.columns.items():
            key = (column.kind, column.name)
            if key not in found and column.name not in _GIVEN[column.kind]:
                known_names = [name for kind, name in found if kind == column.kind]
                raise FieldError(
                    f"no record of {self.name}() declares {column.name!r}",
                    loc,
                    f"Declared are: {', '.join(known_names) or 'none'}."
                    + did_you_mean(column.name, known_names),
                )
        return found
