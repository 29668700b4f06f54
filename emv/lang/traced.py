"""What a program function holds while it is traced: stand-ins for numbers, messages and columns.

A stand-in records what is done with it. Asking one for a truth value or a number is an error at
the user's line, because the program body is run once and the value does not exist yet.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from emv.errors import Loc, TraceError, TypeMismatchError
from emv.ir import program as ir
from emv.ir.operations import OF_FLOATS, UFUNCS, result_type
from emv.lang.fits import check_mapped
from emv.lang.folds import no_keys_of_messages, no_messages, no_value_of
from emv.lang.listed import ArrayStandIn
from emv.lang.slips import no_such_word, not_looped
from emv.lang.source import caller_loc
from emv.lang.supersteps import ACTIVE, set_is_over

LARGEST = 2**63 - 1  # of an i64
_WHY = "Compiled, the text of a program runs once, before it has any numbers. "
_OR_HOST = "; or write @program(host_loop=True)."
_TRUTH = (
    _WHY + "Put the decision into a @vertex function or into until=, join conditions with & and |, "
    "~ is not, and take emv.min or emv.max of numbers" + _OR_HOST
)
_NUMBER = (
    _WHY + "Write np.sqrt(x) for math.sqrt(x), and so for other functions, math.trunc(x) for "
    "int(x), x + 0.0 for float(x), g.supersteps(x) for range(x)" + _OR_HOST
)
_IN_UNTIL = (
    "In until= conditions are joined with & and |, each in parentheses: (a < 1) | (b > 2), and ~ "
    "is not."
)


def no_value(what: str) -> TraceError:
    """Return the error for using what a program has only when it runs as a value of Python's."""
    return TraceError(f"{what} has no value in the text of a program", caller_loc(2), _TRUTH)


def no_truth() -> TraceError:
    """Return the error for asking whether a number of a program is true."""
    loc = caller_loc(2)
    remedy = _IN_UNTIL if loc.function == "<lambda>" else _TRUTH
    return TraceError("Python cannot decide by a number that a program computes", loc, remedy)


def no_number() -> TraceError:
    """Return the error for asking for a number of a program."""
    what = "Python cannot have a number that a program computes"
    return TraceError(what, caller_loc(2), _NUMBER)


class TracedScalar:
    """A number that will exist when the program runs."""

    def __init__(self, expr: ir.Scalar, ask: Callable[[ir.Scalar], Any] | None = None) -> None:
        self.expr = expr
        self.ask = ask  # how the host of a `host_loop` program gets the value

    def __repr__(self) -> str:
        return f"<traced {self.expr}>"

    def __format__(self, form: str) -> str:
        return repr(self)

    def __bool__(self) -> bool:
        if self.ask is None:
            raise no_truth()
        return bool(self.ask(self.expr))

    def __int__(self) -> int:
        if self.ask is None:
            raise no_number()
        return int(self.ask(self.expr))

    __index__ = __int__

    def __float__(self) -> float:
        if self.ask is None:
            raise no_number()
        return float(self.ask(self.expr))

    def __hash__(self) -> int:
        return id(self)

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **named: Any) -> Any:
        op = UFUNCS.get(ufunc)
        if op is None or method != "__call__" or named:
            raise TypeMismatchError(
                f"np.{ufunc.__name__} takes no number that a program computes",
                caller_loc(),
                f"Known are + - * / and so on, emv.min, emv.max, math.floor, math.ceil, "
                f"math.trunc, round, and of numpy: {', '.join(OF_FLOATS)}.",
            )
        return self.operated(op, *args)

    def operated(self, op: str, *args: Any) -> Any:
        """Return an operation on numbers, of which this is one."""
        if not all(isinstance(each, NUMBERS) for each in args):
            return NotImplemented
        given = tuple(map(scalar, args))
        kinds = tuple(each.type for each in given)
        kind = result_type(op, kinds, any(isinstance(each, ir.Number) for each in given))
        if kind is None:
            taken = "conditions" if op == "not" else "whole numbers or conditions"
            raise TypeMismatchError(
                f"{'~' if op == 'not' else op} takes {taken}, not {' and '.join(kinds)}",
                caller_loc(2),
                "Compare first: (a > 0) & (b > 0), or write -x of a number.",
            )
        ask = next((each.ask for each in args if getattr(each, "ask", None) is not None), None)
        return self.made(kind, op, given, ask)

    def made(self, kind: str, op: str, args: tuple[ir.Scalar, ...], ask: Any) -> Any:
        """Return what an operation gives."""
        return TracedScalar(ir.Operation(kind, op, args), ask)

    def smaller_or_larger(self, word: str, other: Any, swapped: bool) -> Any:
        """Return ``emv.min`` or ``emv.max`` of two numbers."""
        return self.operated(word, other, self) if swapped else self.operated(word, self, other)

    def __pos__(self) -> Any:
        return self

    def __round__(self, digits: int | None = None) -> Any:
        return self.operated("round", self) if digits is None else NotImplemented

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __eq__(self, other: object) -> Any:
        return self.operated("==", self, other)

    def __ne__(self, other: object) -> Any:
        return self.operated("!=", self, other)


NUMBERS = TracedScalar | bool | int | float | np.generic


def _operator(op: str, swapped: bool = False) -> Any:
    def method(self: TracedScalar, *other: Any) -> Any:
        return self.operated(op, *other, self) if swapped else self.operated(op, self, *other)

    return method


for _name, _op in {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
}.items():
    setattr(TracedScalar, f"__{_name}__", _operator(_op))
    setattr(TracedScalar, f"__r{_name}__", _operator(_op, swapped=True))
for _name, _op in {
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "neg": "neg",
    "abs": "abs",
    "invert": "not",
    "floor": "floor",
    "ceil": "ceil",
    "trunc": "trunc",
}.items():
    setattr(TracedScalar, f"__{_name}__", _operator(_op))


def scalar(value: Any) -> ir.Scalar:
    """Return the scalar expression of a traced or plain number."""
    if isinstance(value, TracedScalar):
        return value.expr
    if isinstance(value, Unfollowed):
        raise value.error()
    if isinstance(value, bool | np.bool_):
        return ir.Number("bool", bool(value))
    if isinstance(value, int | np.integer):
        return ir.Number("i64" if value <= LARGEST else "u64", int(value))
    if isinstance(value, float | np.floating):
        return ir.Number("f64", float(value))
    if isinstance(value, tuple):
        raise TypeMismatchError(
            f"the tuple {value!r} is not a number",
            caller_loc(2),
            "A value is a number or a tuple of numbers, and no tuple stands in another.",
        )
    shown = "a list of ids" if isinstance(value, ArrayStandIn | np.ndarray | list) else repr(value)
    raise TypeMismatchError(
        f"{shown} is not a number",
        caller_loc(2),
        "Numbers are parameters of the program, g.num_vertices, superstep numbers, aggregates, "
        "and what Python computes from them.",
    )


class Unfollowed:
    """What stands in a variable that a trace cannot follow: whoever uses it is told why."""

    __array_ufunc__ = None

    def __init__(self, name: str, why: str) -> None:
        self._name = name
        self._why = why

    def __repr__(self) -> str:
        return f"<{self._name} {self._why}>"

    def error(self) -> TraceError:
        """Return the error for using it."""
        return TraceError(
            f"{self._name} {self._why}",
            caller_loc(2),
            "A trace follows numbers, and tuples of numbers, from superstep to superstep. Keep "
            "what the next one needs in a column, and give what is used after a loop a value "
            "before it; or write @program(host_loop=True).",
        )

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise self.error()

    def __getattr__(self, name: str) -> Any:
        raise self.error()

    __hash__ = object.__hash__
    apply = _refuse
    __bool__ = __float__ = __int__ = __index__ = __len__ = _refuse
    __iter__ = __getitem__ = __setitem__ = __call__ = __contains__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _refuse
    __pow__ = __rpow__ = __and__ = __rand__ = __or__ = __ror__ = _refuse
    __neg__ = __abs__ = __invert__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __eq__ = __ne__ = _refuse


class PerVertex:
    """Values per vertex: no numbers, so that arithmetic with them is refused with a remedy."""

    __array_ufunc__ = None

    def _refuse(self, *others: Any) -> Any:
        raise TypeMismatchError(
            "messages and values per vertex are not numbers",
            caller_loc(2),
            "Compute with them in a @vertex function that takes them as a parameter, or fold them "
            "into one number: emv.total, emv.largest, emv.smallest, emv.count.",
        )

    def __getattr__(self, name: str) -> Any:
        raise no_such_word(name, self)

    __bool__ = __float__ = __int__ = __iter__ = __getitem__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse
    __truediv__ = __rtruediv__ = __floordiv__ = __mod__ = __pow__ = __neg__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = _refuse


class TracedResult(PerVertex):
    """What a traced call gives: messages, values, or nothing."""

    def __init__(self, tracer: Any, node: ir.Apply, message: Any, values: Any) -> None:
        self._tracer = tracer
        self.node = node
        self.message = message  # the type sent, or None
        self.values = values  # the type returned, or None

    def __repr__(self) -> str:
        return f"<traced {self.node}>"

    @property
    def number(self) -> int:
        """Return the number of what the call gives."""
        return int(self.node.id)

    def _needs_messages(self) -> None:
        if self.message is None:
            raise no_messages(self.node.function, caller_loc(2))

    @property
    def receivers(self) -> Any:
        """Return the domain of the vertices that received something."""
        self._needs_messages()
        return TracedDomain(self._tracer, ir.Domain("receivers", self.node.id))

    def apply(self, function: Any, args: dict[str, Any], loc: Loc) -> Any:
        """Record the application of a @message function to these messages."""
        self._needs_messages()
        check_mapped(function, self.message, loc)
        domain = ir.Domain("messages", self.node.id)
        return self._tracer.apply(function, domain, args, loc)

    def combine(self, operator: Any, initial: Any, by: str | None) -> Any:
        """Fold the messages with one operator."""
        self._needs_messages()
        if by is not None:
            raise no_keys_of_messages(operator, caller_loc(2))
        return self._tracer.combine((operator,), self, initial)

    def combine_fields(self, operators: dict[str, Any], initial: Any = None) -> Any:
        """Fold the fields of message records, each with its operator."""
        self._needs_messages()
        return self._tracer.combine_fields(operators, self, initial)

    def aggregate(self, word: str) -> Any:
        """Fold the values of all instances."""
        if self.values is None:
            raise no_value_of(self.node.function, caller_loc())
        return self._tracer.aggregate(word, self.node.id, self.values)


class TracedValues(PerVertex):
    """One value per vertex: combined messages."""

    def __init__(self, tracer: Any, id: int, type: Any, record: Any = None) -> None:
        self._tracer = tracer
        self.id = id
        self.type = type
        self.record = record

    @property
    def number(self) -> int:
        """Return the number of the values."""
        return self.id

    def aggregate(self, word: str) -> Any:
        """Fold the values of all vertices."""
        return self._tracer.aggregate(word, self.id, self.type)


class TracedDomain:
    """Something a function can be applied to."""

    def __init__(self, tracer: Any, domain: ir.Domain) -> None:
        self._tracer = tracer
        self._domain = domain
        self._activating = tracer.activating

    def apply(self, function: Any, args: dict[str, Any], loc: Loc) -> Any:
        """Record the call."""
        now = self._tracer.activating
        if self._domain.kind in ACTIVE and now != self._activating:
            raise set_is_over(f"g.{self._domain}", now[1], loc)
        return self._tracer.apply(function, self._domain, args, loc)

    def same_as(self, other: Any) -> bool:
        """Return whether another is the same domain."""
        return bool(self._domain == object.__getattribute__(other, "_domain"))

    def __iter__(self) -> Any:
        raise not_looped()

    def __bool__(self) -> bool:
        raise no_value("a domain")

    def __len__(self) -> int:
        raise no_value("the size of a domain")
