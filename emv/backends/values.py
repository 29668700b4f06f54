"""What eager calls give: messages to fold or list, and values to aggregate or pass on."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from emv.backends.eager_changes import made_before
from emv.backends.eager_scalar import known
from emv.backends.eager_text import runnable_fold
from emv.backends.numbers import held
from emv.dtypes import dtype_named
from emv.errors import TypeMismatchError
from emv.ir.body import VectorType
from emv.lang.fits import check_mapped, check_operators
from emv.lang.folds import (
    FIELD_BY_FIELD,
    aggregated_type,
    by_parts,
    check_initial,
    combined_type,
    no_keys_of_messages,
    no_messages,
    no_value_of,
    started,
)
from emv.lang.laws import check_laws
from emv.lang.narrowing import bare
from emv.lang.promote import spelled, strong
from emv.lang.source import caller_loc
from emv.lang.traced import LARGEST, PerVertex, TracedScalar, scalar
from emv.lang.words import RUNNING

_LIMITS = {"min": "max", "max": "min"}


def kind_of(value: Any) -> Any:
    """Return the type of a number or a tuple of numbers in a program, None for anything else."""
    if isinstance(value, TracedScalar):
        return value.expr.type
    if isinstance(value, tuple):
        kinds = tuple(kind_of(each) for each in value)
        return None if None in kinds else kinds
    if isinstance(value, bool | np.bool_):
        return "bool"
    if isinstance(value, int | np.integer):
        return "u64" if isinstance(value, np.uint64) or value > LARGEST else "i64"
    return "f64" if isinstance(value, float | np.floating) else None


def identity_of(operator: Any, kind: Any) -> Any:
    """Return what an operator starts from for a type."""
    if operator.identity is not None:
        if isinstance(kind, tuple) and not isinstance(operator.identity, tuple):
            return tuple(operator.identity for _ in kind)
        return operator.identity
    if isinstance(kind, tuple):
        return tuple(identity_of(operator, each) for each in kind)
    if kind == "bool":
        return operator.name == "min"
    dtype = dtype_named("i64" if kind == "id" else kind)
    if dtype.kind == "f":
        return dtype.type(np.inf if operator.name == "min" else -np.inf)
    return int(getattr(np.iinfo(dtype), _LIMITS[operator.name]))


def fold(operator: Any, values: list[Any], kind: Any, initial: Any) -> Any:
    """Fold values in order; floats are summed in f64 and rounded once at the end."""
    initial = None if initial is None else started(initial, kind)
    if by_parts(operator, kind) or (isinstance(kind, tuple) and operator.name in FIELD_BY_FIELD):
        return tuple(
            fold(operator, [each[k] for each in values], inner, initial and initial[k])
            for k, inner in enumerate(kind)
        )
    wide = operator.name in ("sum", "prod") and kind in ("f32", "f64")
    if initial is None:
        start = identity_of(operator, kind)
        start = start if operator.loc is None else held(start, kind)
    else:
        start = initial if wide else held(initial, combined_type(operator, kind))
    result = np.float64(start) if wide else start
    for value in values:
        result = operator.function(result, np.float64(value) if wide else value)
        if operator.loc is not None:
            result = held(result, kind)
    return held(result, combined_type(operator, kind))


def lawful(operator: Any, kind: Any) -> Any:
    """Return an operator that folds messages of a type, a user's as plain runs run it."""
    check_laws(operator, kind)
    if operator.loc is None:
        return operator
    return dataclasses.replace(operator, function=runnable_fold(operator.function, kind))


class EagerValues(PerVertex):
    """One value per row (vertex, or instance of an @edge call).

    Rows without a value of their own read as ``missing``. Combined messages are ``dense``: an
    aggregator folds the value of every vertex. What a function returned is folded over its
    instances only.
    """

    def __init__(
        self, by_id: dict[int, Any], kind: Any, missing: Any, rows: int, dense: bool = True
    ) -> None:
        self.by_id = by_id
        self.kind = kind
        self.missing = missing
        self.rows = rows
        self.dense = dense
        self.version = _version()

    def check_fresh(self, loc: Any, run: Any = None) -> None:
        """Refuse values of a graph that has become another since."""
        if self.version != _version(run):
            raise made_before(loc)

    @property
    def of_kind(self) -> str:
        """Whether its rows are those of a ``vertex`` each, or of an ``edge``."""
        return "vertex"

    def of(self, index: int) -> Any:
        """Return the value of a vertex."""
        return self.by_id.get(index, self.missing)

    def as_array(self) -> Any:
        """Return the values of all rows; of tuples, one array per item."""
        values = [self.of(index) for index in range(self.rows)]
        if isinstance(self.kind, VectorType):
            shape = (self.rows, len(self.kind))
            return np.array(values, dtype_named(strong(self.kind)[0])).reshape(shape)
        if isinstance(self.kind, tuple):
            return tuple(
                np.array(
                    [each[k] for each in values], dtype_named("i64" if inner == "id" else inner)
                )
                for k, inner in enumerate(self.kind)
            )
        return np.array(values, dtype_named("i64" if self.kind == "id" else self.kind))

    def aggregate(self, word: str) -> Any:
        """Fold all values into one number of the program."""
        return RUNNING.get().number(self.folded(word))

    def folded(self, word: str) -> Any:
        """Return all values folded into one number."""
        if isinstance(self.kind, tuple):
            raise TypeMismatchError(
                f"emv.{word} folds numbers, not {spelled(self.kind)}",
                caller_loc(),
                "Return one number.",
            )
        self.check_fresh(caller_loc())
        gone = RUNNING.get().changes.gone if self.dense else ()
        rows = [row for row in range(self.rows) if row not in gone]
        values = [self.of(row) for row in rows] if self.dense else self.by_id.values()
        made = aggregated_type(word, self.kind)
        is_float, number = made == "f64", dtype_named(made).type
        if word == "count":
            return np.int64(sum(bool(value) for value in values))
        if word == "total":
            return number(held(sum(number(value) if is_float else value for value in values), made))
        dtype = dtype_named("i64" if self.kind in ("id", "bool") else self.kind)
        limits = np.finfo(dtype) if is_float else np.iinfo(dtype)
        low, high = (-np.inf, np.inf) if is_float else (limits.min, limits.max)
        if word == "largest":
            return number(max(values, default=low))
        return number(min(values, default=high))


def _version(run: Any = None) -> int:
    """Return how often the graph of a run, by default that under way, has changed."""
    run = run or RUNNING.get()
    return 0 if run is None else int(run.changes.version)


def begin(word: str, initial: Any, kind: Any) -> Any:
    """Return ``initial=`` as a number or tuple of numbers, if messages can be folded into it."""
    if initial is not None:
        initial = known(bare(initial))
        parts = initial if isinstance(initial, tuple) else (initial,)
        kinds = tuple(scalar(each).type for each in parts)
        given = kinds if isinstance(initial, tuple) else kinds[0]
        check_initial(word, given, kind, caller_loc(2))
    return initial


def zero_of(kind: Any) -> Any:
    """Return zero of a type: what a vertex holds where a function has returned nothing."""
    return tuple(zero_of(each) for each in kind) if isinstance(kind, tuple) else held(0, kind)


class EagerMessages(EagerValues):
    """The messages of one call, in the order of their arcs, and the values it returned."""

    def __init__(self, run: Any, function: Any, sent: list[tuple[int, Any]], message: Any) -> None:
        super().__init__({}, None, None, 0, dense=False)
        self.run = run
        self.function = function
        self.sent = sent
        self.message = message
        self.is_idle = False
        self.inbox: dict[int, list[Any]] = {}
        for receiver, value in sent:
            self.inbox.setdefault(receiver, []).append(value)

    @property
    def of_kind(self) -> str:
        """Whether its rows are those of a ``vertex`` each, or of an ``edge``."""
        return "edge" if self.function.kind == "edge" else "vertex"

    def returned(self, values: dict[int, Any], kind: Any, rows: int) -> None:
        """Keep what the instances returned."""
        if kind is not None:
            self.by_id, self.kind, self.missing, self.rows = values, kind, zero_of(kind), rows

    def _needs_messages(self) -> None:
        self.check_fresh(caller_loc(2))
        if self.message is None:
            raise no_messages(self.function, caller_loc())

    def aggregate(self, word: str) -> Any:
        """Fold the values that the call returned."""
        if self.kind is None:
            raise no_value_of(self.function, caller_loc())
        return super().aggregate(word)

    @property
    def receivers(self) -> Any:
        """Return the domain of the vertices that received something."""
        self._needs_messages()
        return self.run.domain("receivers", sorted(self.inbox), self.is_idle)

    def apply(self, function: Any, args: dict[str, Any], loc: Any) -> Any:
        """Apply a @message function to every message."""
        self._needs_messages()
        check_mapped(function, self.message, loc)
        return self.run.apply_to_messages(function, self, args, loc)

    def combine(self, operator: Any, initial: Any, by: Any) -> EagerValues:
        """Fold the messages of every receiver."""
        self._needs_messages()
        if by is not None:
            raise no_keys_of_messages(operator, caller_loc())
        kind = self.message
        initial = begin(operator.name, initial, kind)
        operator = lawful(operator, kind)
        folded = {v: fold(operator, heard, kind, initial) for v, heard in self.inbox.items()}
        missing = fold(operator, [], kind, initial)
        rows = self.run.graph.num_vertices
        return EagerValues(folded, combined_type(operator, kind), missing, rows)

    def combine_fields(self, operators: dict[str, Any], initial: Any = None) -> EagerValues:
        """Fold each field of message records with its own operator."""
        self._needs_messages()
        ops, kinds = check_operators(self.function, operators, caller_loc()), self.message
        initial = begin("combine", initial, kinds)
        ops = [lawful(operator, kind) for operator, kind in zip(ops, kinds, strict=True)]
        starts = (None,) * len(kinds) if initial is None else started(initial, kinds)

        def folded(heard: list[Any]) -> tuple[Any, ...]:
            return tuple(
                fold(op, [each[k] for each in heard], kinds[k], starts[k])
                for k, op in enumerate(ops)
            )

        result = {v: folded(heard) for v, heard in self.inbox.items()}
        types = tuple(combined_type(op, kind) for op, kind in zip(ops, kinds, strict=True))
        return EagerValues(result, types, folded([]), self.run.graph.num_vertices)
