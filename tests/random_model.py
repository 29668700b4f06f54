"""What a random program is made of, before it is text: fields, terms, functions and their names.

A term knows how large it can get, so that what is undefined between backends is never written: an
integer stays below 2**40 until it is stored, and a float is a small multiple of a power of two, so
that every sum and product of floats is exact in f32, in any order.
"""

from __future__ import annotations

import collections
from dataclasses import dataclass, field
from typing import Any

from random_choices import Choices
from random_names import AWKWARD, CALLS_TAKE, FIELDS_TAKEN, KEYWORDS, TAKEN, Names

SIGNED = ("i32", "i64", "i16", "i8")
INTEGERS = (*SIGNED, "u8", "u32", "u16", "u64")
FLOATS = ("f32", "f64")
WIDTH = {"i8": 7, "i16": 15, "i32": 31, "i64": 63, "u8": 8, "u16": 16, "u32": 32, "u64": 64}
FAMILIES = ("int", "float", "bool")
FRAC, BITS = 3, 6  # of a float in a field: a multiple of 1/8 below 64
MOST_BITS, MOST_FLOAT_BITS = 40, 20
HELPED = ("grain", "mixed", "wide", "stepped")  # the plain functions that a program may have


def family_of(dtype: str) -> str:
    return "int" if dtype in INTEGERS else "float" if dtype in FLOATS else "bool"


@dataclass(frozen=True)
class Term:
    """An expression's text, its family, and how large it can get."""

    text: str
    family: str
    bits: int = 1
    frac: int = 0

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Field:
    """A column that a record declares; `adds` when others may add to it, a float then grows."""

    name: str
    dtype: str
    default: str | None
    adds: bool = False

    @property
    def family(self) -> str:
        return family_of(self.dtype)

    def line(self) -> str:
        default = "" if self.default is None else f" = {self.default}"
        return f"    {self.name}: {self.dtype}{default}"

    def read(self, element: str) -> Term:
        text = f"{element}.{self.name}"
        return read_as(text, self.dtype, loose=self.adds)


def read_as(text: str, dtype: str, loose: bool = False, bits: int = BITS) -> Term:
    """Return what is read from a place of a type; `loose` when it may be large or infinite."""
    family = family_of(dtype)
    if family == "int":
        if dtype == "u64":
            return Term(f"int({text} % 251)", "int", 8)
        if dtype == "i64":
            return Term(f"({text} % 1009)", "int", 10)
        return Term(text, "int", WIDTH[dtype])
    if family == "float" and loose:
        return Term(f"min(max({text}, -8.0), 8.0)", "float", 3, FRAC)
    return Term(text, family, bits if family == "float" else 1, FRAC if family == "float" else 0)


@dataclass(frozen=True)
class Parameter:
    """A parameter of a function: the types of its parts, and whether a call may give infinities.

    ``source`` is ``values`` for one per vertex, ``number`` for one for all, or what the number is.
    """

    name: str
    dtypes: tuple[str, ...]
    source: str = "number"
    record: str | None = None
    fields: tuple[str, ...] = ()

    @property
    def families(self) -> tuple[str, ...]:
        return tuple(map(family_of, self.dtypes))

    def text(self) -> str:
        if self.record is not None:
            return f"{self.name}: {self.record}"
        if len(self.dtypes) > 1:
            return f"{self.name}: tuple[{', '.join(self.dtypes)}]"
        return f"{self.name}: {self.dtypes[0]}"

    def terms(self) -> list[Term]:
        """Return what can be read of it; values may be infinite, sums large."""
        if self.source in ("num_vertices", "num_edges"):
            return []
        parts = [self.name]
        if self.record is not None:
            parts = [f"{self.name}.{each}" for each in self.fields]
        elif len(self.dtypes) > 1:
            parts = [f"{self.name}[{k}]" for k in range(len(self.dtypes))]
        return [read_as(p, d, loose=True) for p, d in zip(parts, self.dtypes, strict=True)]


@dataclass
class Message:
    """What a function sends: the families of its parts, and of which record they are.

    ``powers``: floats among them are powers of two, whose products are exact. ``casts``: the types
    that parts are cast to; a pair of such can be sorted.
    """

    families: tuple[str, ...]
    record: str | None = None
    powers: bool = False
    casts: tuple[str, ...] = ()


@dataclass
class Function:
    """A user function: what a program must know of it to apply it."""

    name: str
    kind: str
    parameters: list[Parameter] = field(default_factory=list)
    message: Message | None = None
    returns: str | None = None
    heard: Message | None = None
    edges_only: bool = False
    loops_edges: bool = False  # its edges are those a list of edges or the domain gives
    acts: set[str] = field(default_factory=set)


@dataclass
class Made:
    """A program in the making: its choices, its records and functions, and what it covers."""

    choices: Choices
    switches: frozenset[str] = frozenset()
    vertex_fields: list[Field] = field(default_factory=list)
    edge_fields: list[Field] = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)
    texts: list[list[str]] = field(default_factory=list)
    records: dict[str, dict[str, str]] = field(default_factory=dict)  # of messages: their fields
    helpers: set[str] = field(default_factory=set)
    combiners: set[str] = field(default_factory=set)
    features: collections.Counter[str] = field(default_factory=collections.Counter)
    parameters: dict[str, Any] = field(default_factory=dict)
    needs_directed: bool = False
    needs_vertex: bool = False
    asked: dict[str, str] = field(default_factory=dict)  # parameters of the program by their kind

    def __post_init__(self) -> None:
        self.names = Names(self.choices, [*TAKEN, *CALLS_TAKE])
        self.field_names = {kind: Names(self.choices, FIELDS_TAKEN) for kind in ("vertex", "edge")}
        self.helper_names = {
            each: self.name(each) for each in ("grain", "mixed", "wide", "stepped")
        }

    def name(self, stem: str) -> str:
        """Return a name for a function, a record, a parameter or a variable of the program."""
        return self.told(self.names.draw(stem))

    def field_name(self, kind: str, stem: str) -> str:
        """Return a name for a field of vertices or edges, which may share theirs."""
        others = self.field_names["edge" if kind == "vertex" else "vertex"].given
        return self.told(self.field_names[kind].draw(stem, others))

    def fields_of_message(self, count: int) -> list[str]:
        """Return names for the fields of a message."""
        names = Names(self.choices, FIELDS_TAKEN)
        return [self.told(names.draw("abc"[k])) for k in range(count)]

    def told(self, name: str) -> str:
        """Count a name if it is awkward."""
        if not name.isascii():
            self.count("name:not ASCII")
        elif len(name) > 90:
            self.count("name:long")
        elif name in KEYWORDS:
            self.count("name:keyword_")
        elif name in AWKWARD:
            self.count("name:awkward")
        elif name.endswith(("_next", "_by_arc", "_by_slot")):
            self.count("name:ended")
        return name

    def helper(self, which: str) -> str:
        """Return the name of a plain function that the program has from now on."""
        self.helpers.add(which)
        self.count("helper")
        return self.helper_names[which]

    def ask(self, kind: str, stem: str) -> str:
        """Return the name of the parameter of the program that is of a kind."""
        if kind not in self.asked:
            self.asked[kind] = self.name(stem)
            self.parameters[self.asked[kind]] = kind
        return self.asked[kind]

    def count(self, *features: str) -> None:
        self.features.update(features)
