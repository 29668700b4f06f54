"""What the names in a user function mean while its body is being built.

A name is, in this order: a parameter or local, a variable of an enclosing function, a module
global, a builtin. Numbers found outside are frozen into the body and remembered, so that a changed
global leads to a new body and never to a stale one.
"""

from __future__ import annotations

import types
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from emv.dtypes import SHORT_NAMES
from emv.errors import LanguageError, Loc
from emv.ir.body import Element, Type
from emv.lang.outside import seen
from emv.lang.promote import join, passed, spelled
from emv.lang.source import Source, definition_loc

LARGEST = 2**63 - 1  # of an i64


@dataclass(frozen=True)
class ListRef:
    """A parameter that is a list: the out-edges or the messages of the own vertex."""

    kind: str  # "edges" or "messages"
    record: Any
    type: Type | None = None


@dataclass
class Scope:
    """The names of one function, and what building its body has found so far."""

    source: Source
    function: types.FunctionType
    names: dict[str, Any]  # parameters and loop variables: Element, ListRef or a Type
    records: dict[str, Any] = field(default_factory=dict)  # locals that are message records
    locals: dict[str, Type] = field(default_factory=dict)
    captured: dict[str, Any] = field(default_factory=dict)
    helpers: dict[str, types.FunctionType] = field(default_factory=dict)  # that it calls
    helper_calls: dict[tuple[str, tuple[Type, ...]], None] = field(default_factory=dict)
    changed: dict[str, Type] = field(default_factory=dict)  # locals that convert what they take
    chosen: dict[Loc, Type] = field(default_factory=dict)  # choices that convert a side
    assigned: set[str] = field(default_factory=set)  # what surely has a value at this point
    loops: list[str] = field(default_factory=list)  # around this point: links messages range while
    places: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    message: Type | None = None
    sent_record: Any = None  # the record class of the messages, if they are records
    result: Type | None = None

    def loc(self, node: Any) -> Loc:
        """Return where a node of the function's tree stands."""
        return self.source.loc(node)

    def outside(self, name: str) -> Any:
        """Return what a name means outside the function, or `MISSING`."""
        return seen(self.function, name)

    def number_of(self, what: str, node: Any) -> int:
        """Return the number of a send or a draw, counted by their places in the text."""
        known, place = self.places.setdefault(what, []), (node.lineno, node.col_offset)
        if place not in known:
            known.append(place)
        return known.index(place)

    def is_local(self, name: str) -> bool:
        """Return whether Python takes a name for a local of the function."""
        return name in self.function.__code__.co_varnames

    def hidden(self, name: str) -> str:
        """Return a name for a local of the compiler's that no name of the user's equals."""
        while self.is_local(name):
            name += "_"
        return name

    def assign(self, name: str, kind: Type, loc: Loc) -> None:
        """Record that a local takes a value of a type; its type is the join of all of them."""
        self.assigned.add(name)
        before = self.locals.get(name, kind)
        joined = join(before, kind)
        if joined is None:
            raise LanguageError(
                f"{name!r} is {spelled(before)} and takes {spelled(kind)}: there is no common type",
                loc,
                "Use two names: in compiled code a variable has one type.",
            )
        self.locals[name] = joined
        self.convert(name, kind, joined)

    def convert(self, name: str, given: Type, kind: Type) -> None:
        """Take note of a variable whose values are not all of its type before it takes them."""
        if passed(given) != passed(kind):
            self.changed[name] = kind

    def add_helper(self, function: types.FunctionType, kinds: tuple[Type, ...]) -> str:
        """Take note of a call of a plain function with arguments of some types."""
        name = function.__name__
        if self.helpers.setdefault(name, function) is not function:
            raise two_helpers(function)
        self.helper_calls[name, kinds] = None
        return name

    def element(self, name: str) -> Element | None:
        """Return the element a name stands for, if it does."""
        found = self.names.get(name)
        return found if isinstance(found, Element) else None


def two_helpers(function: types.FunctionType) -> LanguageError:
    """Return the error for two plain functions of one name in one program."""
    return LanguageError(
        f"two helpers are called {function.__name__}()",
        definition_loc(function),
        "Give one of them another name.",
    )


def constant_type(value: Any) -> str:
    """Return the type of a captured number; what no i64 holds is a u64, as in plain runs.

    Examples
    --------
    >>> constant_type(7), constant_type(2**64 - 1), constant_type(0.5)
    ('int', 'u64', 'float')
    """
    if isinstance(value, bool | np.bool_):
        return "bool"
    if isinstance(value, np.generic):
        return SHORT_NAMES[value.dtype.name]
    if isinstance(value, int):
        return "u64" if value > LARGEST else "int"
    return "float"
