"""Records: what a vertex, an edge or a message is made of.

A class body with annotations declares columns::

    class Place(Vertex):
        dist: f32 = inf


    class Road(Edge[Place]):
        length: f32

A field with a default starts every run at that default; a field without one is the graph's column
of that name, or is filled by the program before it is read. ``Road.length`` on the class is the
`Field`, so programs can name it; where a record has something of that name itself, such as ``kind``
or ``fields``, it keeps it, and the `Field` is in ``Road.fields`` alone.
"""

from __future__ import annotations

import inspect
import math
import re
import sys
from dataclasses import dataclass
from typing import Any, ClassVar, get_origin

import numpy as np

from emv.dtypes import dtype_of, i64, short_name
from emv.errors import FieldError, LanguageError, Loc, TypeMismatchError, did_you_mean
from emv.ir.types import VectorType
from emv.lang.promote import spelled
from emv.lang.source import caller_loc, word_loc
from emv.lang.words import running
from emv.tracebacks import ends_at_caller

MANY = " Several numbers are several fields; lists of any length are edges, or messages."
RESERVED = frozenset(
    "id src dst send send_to at activate out_degree in_degree out_dst out_edge add_edge delete "
    "clear_edges local_id".split()
)
AROUND = frozenset(
    "neighbours neighbors neighbourhood neighborhood adjacent successors predecessors edges links "
    "in_edges out_edges".split()
)
"""What other libraries call those around a vertex: fields that are asked for in vain."""


class _Required:
    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED = _Required()


class DisjointSet:
    """The type of a column of disjoint sets: ``group: DisjointSet``.

    Every vertex starts alone. ``emv.union(u.group, v.group)`` joins two sets, ``emv.find(v.group)``
    names the smallest vertex id of v's set, and the column reads as those names.
    """


class Mask:
    """The type of a named set of vertices: ``frontier: Mask``, GasCL's mask vector.

    In a function ``v.frontier`` is a truth value, ``v.frontier.set()`` puts a vertex in and
    ``v.frontier.unset()`` takes it out, any vertex, not only the own. All instances of a call read
    the mask as it was before the call; where some set and others unset a vertex, it is set. In a
    program the column is a domain, ``visit(g.vertices.frontier)``, and can be counted:
    ``emv.count(g.vertices.frontier)``. It starts empty, or full where the field is ``= True``.
    """


@dataclass(frozen=True)
class Field:
    """One declared column: its record, name, number type and default."""

    record: Any
    name: str
    dtype: np.dtype[Any]
    default: Any
    disjoint: bool = False
    mask: bool = False

    @property
    def kind(self) -> str:
        """Return ``vertex``, ``edge`` or ``message``."""
        return str(self.record.kind)

    @property
    def loc(self) -> Loc:
        """Return where the field is declared."""
        return field_loc(self.record, self.name)

    @property
    def spelled(self) -> str:
        """Return the type as it is declared."""
        if self.disjoint or self.mask:
            return "DisjointSet" if self.disjoint else "Mask"
        return short_name(self.dtype)

    def __str__(self) -> str:
        return f"{self.name} ({self.spelled})"


_BARE = " It is emv's own record: name yours, v: Page, e: Edge[Page] or e: Link."


class RecordType(type):
    """The class of record classes: reads the annotations once, when the class is made."""

    kind: str
    fields: dict[str, Field]
    loc: Loc

    @ends_at_caller
    def __new__(
        mcs, name: str, bases: tuple[type, ...], body: dict[str, Any], **options: Any
    ) -> RecordType:
        """Make the record class and its fields."""
        declared = body.get("__annotations__", {}) if bases else {}
        own = {key: value for key, value in body.items() if key not in declared}
        cls = super().__new__(mcs, name, bases, own)
        frame = sys._getframe(2)  # behind that which ends errors at its caller
        first_line: int = body.get("__firstlineno__") or frame.f_lineno
        file = frame.f_code.co_filename
        pattern = rf"class\s+({re.escape(name)})\b"
        cls.loc = word_loc(file, first_line, pattern) or Loc(file, first_line)
        fields: dict[str, Field] = {}
        for base in reversed(cls.__mro__[1:]):
            fields.update(getattr(base, "fields", {}))
        for field_name, annotation in _hints(cls, frame.f_locals).items() if declared else ():
            default = body.get(field_name, REQUIRED)
            fields[field_name] = _field(cls, field_name, annotation, default)
        cls.take(fields)
        return cls

    def take(cls, fields: dict[str, Field]) -> None:
        """Have these fields; those whose names records do not have themselves are attributes."""
        cls.fields = fields
        for name, field in fields.items():
            base = {"vertex": Vertex, "edge": Edge, "message": Message}[cls.kind]
            if not hasattr(base, name):
                setattr(cls, name, field)

    def describe(cls) -> str:
        """Return ``Page declares: rank (f32) at bad.py:5.``, for error messages."""
        declared = ", ".join(map(str, cls.fields.values())) or "no fields"
        place = "" if cls.__module__ == __name__ else f" at {cls.loc}"  # Edge[Page] has no line
        return f"{cls.__name__} declares: {declared}{place}."

    def missing(cls, name: str, loc: Loc | None) -> FieldError:
        """Return the error for a field that the record does not declare."""
        known = [*cls.fields, *sorted(RESERVED)]
        hint = did_you_mean(name, [each for each in known if each != name])
        if name in ("src", "dst"):
            hint = f" Edges have a {name}."
        elif name in ("out_degree", "in_degree", "out_dst", "out_edge"):
            hint = f" Vertices have an {name}: e.src.{name}, for the source of an edge."
        elif name in AROUND and cls.kind == "vertex":
            hint = (
                " A vertex hears of those around it by messages: an @edge function sends them, and "
                "a @vertex function gets their fold; an @elist function goes over its links."
            )
        elif cls in (Vertex, Edge):
            hint = _BARE + hint
        return FieldError(f"{cls.__name__} has no field {name!r}", loc, cls.describe() + hint)


def field_loc(record: Any, name: str) -> Loc:
    """Return the line that declares a field, or the record's when it cannot be read."""
    loc: Loc = record.loc
    return word_loc(loc.file, loc.line, rf"^\s*({re.escape(name)})\s*:") or loc


def _hints(cls: type, around: dict[str, Any]) -> dict[str, Any]:
    module = sys.modules.get(cls.__module__)
    try:
        return inspect.get_annotations(
            cls, globals=vars(module) if module else {}, locals=dict(around), eval_str=True
        )
    except NameError as error:
        raise LanguageError(
            f"record {cls.__name__}: the annotation {error.name!r} is not defined",
            getattr(cls, "loc", None),
            "Import the type (from emv import f32, i32, ...) or define it above the record.",
        ) from None


def _field(cls: RecordType, name: str, annotation: Any, default: Any) -> Field:
    if name in RESERVED:
        raise FieldError(
            f"record {cls.__name__}: {name!r} is a word of the language, not a field name",
            field_loc(cls, name),
            f"Choose another name; taken are {', '.join(sorted(RESERVED))}.",
        )
    if name.startswith("_"):
        raise FieldError(
            f"record {cls.__name__}: {name!r} begins with an underscore, which no field does",
            field_loc(cls, name),
            f"Choose another name, such as {name.strip('_') or 'value'}_.",
        )
    if annotation is DisjointSet:
        if cls.kind != "vertex" or default is not REQUIRED:
            raise TypeMismatchError(
                f"record {cls.__name__}: {name!r} cannot be a DisjointSet here",
                field_loc(cls, name),
                "A DisjointSet is a field of a Vertex record and takes no default.",
            )
        return Field(cls, name, np.dtype(i64), REQUIRED, disjoint=True)
    if annotation is Mask:
        if cls.kind != "vertex" or not (default is REQUIRED or isinstance(default, bool)):
            raise TypeMismatchError(
                f"record {cls.__name__}: {name!r} cannot be a Mask here",
                field_loc(cls, name),
                "A Mask is a field of a Vertex record; its default is True or False.",
            )
        return Field(cls, name, np.dtype(bool), default is True, mask=True)
    dtype = dtype_of(annotation)
    if isinstance(annotation, VectorType):
        raise TypeMismatchError(
            f"record {cls.__name__}: field {name!r} is a {spelled(annotation)}, and fields hold "
            "one number each",
            field_loc(cls, name),
            f"Declare a field per part: {name}_0: {annotation[0]}. A vector alone can be sent, and "
            "be a parameter.",
        )
    if dtype is None:
        raise TypeMismatchError(
            f"record {cls.__name__}: field {name!r} has the type "
            f"{getattr(annotation, '__name__', annotation)}, which is not a number type",
            field_loc(cls, name),
            "Use bool, int, float or one of i8 i16 i32 i64 u8 u16 u32 u64 f32 f64."
            + (MANY if (get_origin(annotation) or annotation) in (list, tuple, set, dict) else ""),
        )
    if default is not REQUIRED:
        check_default(cls, name, dtype, default)
    return Field(cls, name, dtype, default)


def check_default(cls: RecordType, name: str, dtype: np.dtype[Any], default: Any) -> None:
    """Refuse a default that its field cannot hold.

    Raises
    ------
    TypeMismatchError
        If it is no number, or none of the field's type.
    """
    fits = isinstance(default, int | float | np.generic) and (
        dtype.kind == "f"
        or (dtype.kind == "b" and isinstance(default, bool | np.bool_))
        or (
            dtype.kind in "iu"
            and not math.isinf(default)
            and default == int(default)
            and np.iinfo(dtype).min <= int(default) <= np.iinfo(dtype).max
        )
    )
    if not fits:
        raise TypeMismatchError(
            f"record {cls.__name__}: the default {default!r} of {name!r} does not fit "
            f"{short_name(dtype)}",
            field_loc(cls, name),
            f"Give a default that is a {short_name(dtype)}, or declare the field with another "
            "type.",
        )


class Vertex(metaclass=RecordType):
    """Base of vertex records; every vertex also has ``id``, ``out_degree`` and ``in_degree``.

    Examples
    --------
    >>> from emv.dtypes import f32
    >>> class Page(Vertex):
    ...     rank: f32 = 1.0
    >>> Page.rank.default
    1.0
    """

    kind: ClassVar[str] = "vertex"

    @classmethod
    def at(cls, vertex: int) -> Any:
        """Return another vertex by its id, inside a user function."""
        return _far(cls, vertex)


class Edge(metaclass=RecordType):
    """Base of edge records, ``Edge[Place]``; every edge also has ``id``, ``src`` and ``dst``."""

    kind: ClassVar[str] = "edge"
    vertex: ClassVar[Any] = Vertex
    _bound: ClassVar[dict[Any, Any]] = {}

    def __class_getitem__(cls, vertex: Any) -> Any:
        """Return the edge record whose ends are records of the given class."""
        if not (isinstance(vertex, RecordType) and vertex.kind == "vertex"):
            raise TypeMismatchError(
                f"Edge[{getattr(vertex, '__name__', vertex)}] needs a Vertex record",
                caller_loc(),
                "Write Edge[Place] with class Place(Vertex).",
            )
        if vertex not in Edge._bound:
            Edge._bound[vertex] = RecordType(
                f"Edge[{vertex.__name__}]", (Edge,), {"vertex": vertex, "__module__": __name__}
            )
        return Edge._bound[vertex]

    @classmethod
    def at(cls, edge: int) -> Any:
        """Return another edge by its id, inside a user function."""
        return _far(cls, edge)


def _far(cls: Any, index: int) -> Any:
    return running(f"{cls.__name__}.at").far(cls, index)


class Message(metaclass=RecordType):
    """Base of message records, and ``Message[f32]`` for `@message` functions over plain values.

    Examples
    --------
    >>> from emv.dtypes import f32, i32
    >>> class Offer(Message):
    ...     cost: f32
    ...     origin: i32
    >>> Offer(2.5, origin=7)
    Offer(cost=2.5, origin=7)
    """

    kind: ClassVar[str] = "message"
    plain: ClassVar[bool] = False  # whether it wraps one plain value

    def __class_getitem__(cls, item: Any) -> Any:
        """Return the record of a message that is one plain value, called ``value``."""
        dtype = dtype_of(item)
        if dtype is None:
            is_vector = isinstance(item, VectorType)
            shown = spelled(item) if is_vector else getattr(item, "__name__", item)
            raise TypeMismatchError(
                f"Message[{shown}] needs a number type",
                caller_loc(),
                "Write Message[f32], or class Offer(Message) with fields.",
            )
        body = {"__annotations__": {"value": item}, "__module__": __name__, "plain": True}
        return RecordType(f"Message[{short_name(dtype)}]", (Message,), body)

    def __init__(self, *values: Any, **named: Any) -> None:
        names = list(type(self).fields)
        given = dict(zip(names, values, strict=False)) | named
        wrong = [name for name in given if name not in names]
        absent = [name for name in names if name not in given]
        if len(values) > len(names) or wrong or absent:
            raise FieldError(
                f"{type(self).__name__} takes {', '.join(names)}",
                remedy=f"Missing: {absent}; unknown: {wrong}.",
            )
        for name in names:
            setattr(self, name, given[name])

    def as_tuple(self) -> tuple[Any, ...]:
        """Return the values in the order of declaration."""
        return tuple(getattr(self, name) for name in type(self).fields)

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={getattr(self, name)!r}" for name in type(self).fields)
        return f"{type(self).__name__}({inside})"


@dataclass(frozen=True)
class ListOf:
    """The annotation of an edge list or a message list, and what is in it."""

    kind: str  # "edges" or "messages"
    item: Any

    def __str__(self) -> str:
        word = {"edges": "EdgeList", "messages": "MessageList"}[self.kind]
        return f"{word}[{getattr(self.item, '__name__', self.item)}]"


class EdgeList:
    """The out-edges of a vertex in an `@elist` function: ``links: EdgeList[Edge[Page]]``."""

    def __class_getitem__(cls, item: Any) -> ListOf:
        """Return the annotation for a list of such edges."""
        return ListOf("edges", item)


class MessageList:
    """The messages of a vertex in an `@mlist` function: ``heard: MessageList[i32]``."""

    def __class_getitem__(cls, item: Any) -> ListOf:
        """Return the annotation for a list of such messages."""
        return ListOf("messages", item)
