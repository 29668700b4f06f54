"""Where a body is pasted: what its elements are called there, and where its messages go.

A user's function is no function in a kernel: its statements are written where a walk stands, as
often as they are needed, with the names that vertex, arc and ends have in that walk. A prefix keeps
the locals of several bodies apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from emv.codegen.writer import Writer
from emv.errors import Loc
from emv.ir import body as b

Sent: TypeAlias = Callable[[b.Send, list[str], str, str], None]
Ends: TypeAlias = dict[str, str]
Edges: TypeAlias = dict[str, tuple[str, str]]


def ignore(*what: object) -> None:
    """Write nothing of what happens at a place."""


class Pasting(Protocol):
    """A body while it is pasted, as those see it who write a loop around a part of it."""

    writer: Writer
    place: Place
    body: b.Body

    def index(self, element: b.Element) -> str:
        """Return the text of an element's row."""

    def block(self, statements: tuple[b.Stmt, ...]) -> None:
        """Write a part of the body."""

    def text(self, expr: b.Expr, wanted: Any = None) -> str:
        """Return an expression's text, converted to a type if one is wanted."""

    def links(self, stmt: b.ForLinks) -> None:
        """Write a loop over links as it stands."""


class Hearing(Protocol):
    """A message list, as a body goes over it."""

    length: str

    @property
    def keys(self) -> Any:
        """By what messages are sorted."""

    def walk(self, text: Pasting, stmt: b.ForMessages) -> None:
        """Write ``for m in heard``."""


@dataclass
class Place:
    """The surroundings of a pasted body.

    Attributes
    ----------
    vertex : dict
        Role (``own``, ``src``, ``dst``, ``link_dst``) to the text of that vertex's id.
    edge : dict
        Role (``own``, ``link``) to ``(order, text)`` of the edge: its column order and position.
    prefix : str
        Put before the body's own names, so that two bodies can share a function.
    double_buffered : frozenset
        Columns whose writes go to the second copy.
    asked : frozenset
        Masks that are both set and unset: their second copy holds what was asked for.
    own_only : frozenset
        Of those, the columns that only their owners write.
    gathered : dict
        What is gathered of the writes to columns, by column.
    written : frozenset
        Columns that the program writes anywhere; others may be read in another order.
    fresh : dict
        Columns that change meanwhile, which are read as they are now: of other elements, and where
        others change them, also of one's own.
    row_sums : dict
        What a thread has of columns that common neighbours add to in the end only: its sums, where
        they begin, and which one is the neighbour's.
    first_look : str
        The condition that an element looks for the first time, when what was there before does;
        ``True`` where that is known.
    hoisted : dict
        (role, field) to a local that holds the field.
    layout : str
        The storage in which the arcs of an own vertex are walked.
    element : str
        Text of the id that random draws depend on.
    on_send : callable
        Writes what happens to a message, given its components, the receiver, and how it is meant.
    on_activate : callable
        Writes an activation: ``on_activate(kind, index)``.
    worker : Worker
        Writes the function around the body.
    """

    vertex: Ends
    edge: Edges
    prefix: str
    written: frozenset[tuple[str, str]]
    fresh: dict[tuple[str, str], bool] = field(default_factory=dict)
    layout: str = "csr"
    element: str = "0"
    double_buffered: frozenset[tuple[str, str]] = frozenset()
    asked: frozenset[tuple[str, str]] = frozenset()
    own_only: frozenset[tuple[str, str]] = frozenset()
    gathered: dict[tuple[str, str], Any] = field(default_factory=dict)
    row_sums: dict[str, str] = field(default_factory=dict)
    first_look: str = ""
    hoisted: dict[tuple[str, str], str] = field(default_factory=dict)
    on_send: Sent = ignore
    on_activate: Callable[[str, str, Loc | None], None] = ignore
    worker: Any = None
    heard: Hearing | None = None  # how a message list is walked
    message: list[tuple[str, str]] = field(default_factory=list)  # parts, in a @message body

    @property
    def hearing(self) -> Hearing:
        """How the message list of a place that has one is walked."""
        assert self.heard is not None
        return self.heard

    @property
    def copy(self) -> str:
        """The text of an id of the copy that the body runs in."""
        return next(each for each in self.vertex.values() if each)
