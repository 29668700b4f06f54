"""What eager calls give: messages to fold or list, and values to aggregate or pass on."""

from __future__ import annotations

from typing import Any

import numpy as np

from emv.dtypes import dtype_named
from emv.errors import LanguageError, TypeMismatchError
from emv.lang.fits import combined_type
from emv.lang.source import caller_loc

_LIMITS = {"min": "max", "max": "min"}


def narrow(value: Any, kind: Any) -> Any:
    """Return a value as a message or column of a type holds it, in its Python form."""
    if hasattr(value, "as_tuple"):
        value = value.as_tuple()
    if isinstance(kind, tuple):
        return tuple(narrow(each, inner) for each, inner in zip(value, kind, strict=True))
    if kind == "bool":
        return bool(value)
    if kind in ("id", "i64"):
        return int(value)
    if kind in ("f32", "f64"):
        return dtype_named(kind).type(value)
    return int(np.asarray(int(value)).astype(dtype_named(kind)))


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
    start = identity_of(operator, kind) if initial is None else initial
    if isinstance(kind, tuple) and operator.name in ("sum", "prod"):
        columns = [[each[k] for each in values] for k in range(len(kind))]
        return tuple(
            fold(operator, column, inner, None if initial is None else initial)
            for column, inner in zip(columns, kind, strict=True)
        )
    wide = operator.name in ("sum", "prod") and kind in ("f32", "f64")
    result = np.float64(start) if wide else start
    for value in values:
        result = operator.function(result, np.float64(value) if wide else value)
    return narrow(result, combined_type(operator, kind))


class EagerValues:
    """One value per instance, by the id of the instance; vertices without one hold ``missing``."""

    def __init__(self, by_id: dict[int, Any], kind: Any, missing: Any = None) -> None:
        self.by_id = by_id
        self.kind = kind
        self.missing = missing

    def of(self, index: int) -> Any:
        """Return the value of a vertex."""
        return self.by_id.get(index, self.missing)

    def aggregate(self, word: str) -> Any:
        """Fold all values into one number."""
        values = list(self.by_id.values())
        is_float = self.kind in ("f32", "f64")
        if word == "count":
            return np.int64(sum(bool(value) for value in values))
        number = np.float64 if is_float else np.int64
        if word == "total":
            return number(sum(number(value) for value in values))
        dtype = dtype_named("i64" if self.kind in ("id", "bool") else self.kind)
        limits = np.finfo(dtype) if is_float else np.iinfo(dtype)
        low, high = (-np.inf, np.inf) if is_float else (limits.min, limits.max)
        if word == "largest":
            return number(max(values, default=low))
        return number(min(values, default=high))


class EagerMessages(EagerValues):
    """The messages of one call, in the order of their arcs, and the values it returned."""

    def __init__(
        self,
        run: Any,
        function: Any,
        sent: list[tuple[int, Any]],
        message: Any,
        values: EagerValues,
    ) -> None:
        super().__init__(values.by_id, values.kind, values.missing)
        self.run = run
        self.function = function
        self.sent = sent
        self.message = message
        self.inbox: dict[int, list[Any]] = {}
        for receiver, value in sent:
            self.inbox.setdefault(receiver, []).append(value)

    def _needs_messages(self) -> None:
        if self.message is None:
            raise LanguageError(
                f"{self.function.name}() sends no messages",
                caller_loc(),
                "Call e.send(x), v.send(x) or v.send_to(id, x) in it.",
            )

    def aggregate(self, word: str) -> Any:
        """Fold the values that the call returned."""
        if self.kind is None:
            raise LanguageError(
                f"{self.function.name}() returns no value",
                caller_loc(),
                "End it with a return statement.",
            )
        return super().aggregate(word)

    @property
    def receivers(self) -> Any:
        """Return the domain of the vertices that received something."""
        self._needs_messages()
        return self.run.domain("receivers", sorted(self.inbox))

    def apply(self, function: Any, args: dict[str, Any], loc: Any) -> Any:
        """Apply a @message function to every message."""
        self._needs_messages()
        return self.run.apply_to_messages(function, self, args, loc)

    def combine(self, operator: Any, initial: Any, by: Any) -> EagerValues:
        """Fold the messages of every receiver."""
        self._needs_messages()
        if by is not None:
            raise TypeMismatchError(
                "by= is for edge columns; messages are always folded per receiver", caller_loc()
            )
        kind = self.message
        folded = {v: fold(operator, heard, kind, initial) for v, heard in self.inbox.items()}
        return EagerValues(folded, combined_type(operator, kind), fold(operator, [], kind, initial))

    def combine_fields(self, operators: dict[str, Any]) -> EagerValues:
        """Fold each field of message records with its own operator."""
        self._needs_messages()
        self.run.check_field_operators(self, operators)
        ops, kinds = list(operators.values()), self.message
        record = self.function.analysis.sent_record
        ops = [operators[name] for name in record.fields]

        def folded(heard: list[Any]) -> tuple[Any, ...]:
            return tuple(
                fold(op, [each[k] for each in heard], kinds[k], None) for k, op in enumerate(ops)
            )

        result = {v: folded(heard) for v, heard in self.inbox.items()}
        types = tuple(combined_type(op, kind) for op, kind in zip(ops, kinds, strict=True))
        return EagerValues(result, types, folded([]))
