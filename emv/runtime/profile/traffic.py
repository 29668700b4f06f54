"""How many bytes a launch has to move in a superstep: a model, made of what its functions read.

Nothing is counted while a program runs. The model knows the schedule, the effects of the functions
(`explain` prints them), the widths of columns and ids, and how many elements and arcs a launch
visits. It counts

* per element visited: its id if it comes from a queue, the two offsets of its row if arcs are
  walked, and the columns read and written there; per edge visited alone, the ids of both ends;
* per arc: the id at its other end, the columns of the edge, and the columns or the message
  gathered at that end; a pushed message is folded where it arrives, so it counts twice;
* per receiver: the folded message, and what the receiving function reads and writes.

It is what the algorithm needs, each thing once: caches, whole sectors for a gather of 4 bytes,
copies of columns and bookkeeping are left out. Where a program skips arcs (a pull that stops at the
first hit), all of them are counted. So a share of the copy bandwidth made of it can exceed 100 %.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from emv.dtypes import dtype_named
from emv.ir import program as p
from emv.ir import schedule as s


@dataclass(frozen=True)
class Seen:
    """What was known when a launch ran.

    Attributes
    ----------
    active, active_edges : int
        Lengths of the active sets.
    arcs : int
        Arcs of the active vertices.
    pulling : bool
        The direction, of a launch that may run either way.
    """

    active: int = 0
    arcs: int = 0
    active_edges: int = 0
    pulling: bool = False


@dataclass(frozen=True)
class Work:
    """What a launch visits and moves; ``how`` is ``push``, ``pull`` or empty."""

    rows: int = 0
    arcs: int = 0
    nbytes: int = 0
    how: str = ""

    def __add__(self, other: Work) -> Work:
        busier = self if self.arcs >= other.arcs else other
        return Work(
            max(self.rows, other.rows),
            self.arcs + other.arcs,
            self.nbytes + other.nbytes,
            busier.how or self.how or other.how,
        )


class Traffic:
    """The model for one schedule on one graph; each copy of a batch counts for itself.

    Parameters
    ----------
    num_ids : dict
        Ids that each ``g.only(...)`` means, by the name of their list.
    """

    def __init__(self, schedule: s.Schedule, graph: Any, num_ids: dict[str, int]) -> None:
        self.fields = schedule.program.fields
        self.num_ids = num_ids
        self.vertices = int(graph.num_vertices) * schedule.copies.size
        self.edges = int(graph.num_edges)
        self.arcs = int(graph.num_arcs) * schedule.copies.size
        self.id_bytes = 4 if self.vertices < 2**31 else 8
        self.offset_bytes = 4 if self.arcs < 2**32 else 8

    def of(self, step: Any, seen: Seen) -> Work:
        """Return the work of one step of the schedule."""
        if isinstance(step, s.Launch):
            return self.launch(step, seen)
        if isinstance(step, s.LoopStep):
            total = Work()
            for each in step.body:
                total += self.of(each, seen)
            return total
        if isinstance(step, s.FillColumn):
            rows = self.vertices if step.column.kind == "vertex" else self.edges
            return Work(rows, 0, rows * self.width(step.column.kind, step.column.name))
        if isinstance(step, s.FoldColumn):
            nbytes = self.arcs * self.width(step.column.kind, step.column.name)
            nbytes += self.vertices * (2 * self.offset_bytes + widths(step.values.type))
            return Work(self.vertices, self.arcs, nbytes)
        if isinstance(step, s.AggregateValues) and isinstance(step.values, p.Column):
            rows = self.vertices if step.values.kind == "vertex" else self.edges
            return Work(rows, 0, rows * self.width(step.values.kind, step.values.name))
        if isinstance(step, s.AggregateValues) and isinstance(step.values, s.Values):
            return Work(self.vertices, 0, self.vertices * widths(step.values.type))
        return Work()

    def launch(self, launch: s.Launch, seen: Seen) -> Work:
        """Return the work of a launch."""
        rows, arcs = self.visited(launch, seen)
        if launch.direction == "pull" or (launch.direction == "either" and seen.pulling):
            return Work(rows, self.arcs, self.pulled(launch), "pull")
        how = "push" if launch.direction in ("push", "either", "store") else ""
        return Work(rows, arcs, self.pushed(launch, rows, arcs), how)

    def visited(self, launch: s.Launch, seen: Seen) -> tuple[int, int]:
        """Return how many elements and arcs a launch visits."""
        kind = launch.domain.kind
        if kind in ("edges", "active_edges"):
            count = self.edges if kind == "edges" else seen.active_edges
            return count, count
        if kind == "messages":
            return self.vertices, self.arcs
        walks = launch.send.kind != "vertex" or launch.send.effects.sends
        rows, arcs = self.vertices, self.arcs
        if kind == "active":
            rows, arcs = seen.active, seen.arcs
        elif kind == "only":
            rows = self.num_ids.get(str(launch.ids), 1)
            arcs = rows * self.arcs // max(1, self.vertices)
        return rows, arcs if walks else 0

    def pushed(self, launch: s.Launch, rows: int, arcs: int) -> int:
        """Return the bytes of a launch that visits rows and their arcs."""
        per_row, per_arc = self.columns(launch, pulled=False)
        if launch.domain.kind in ("active", "active_edges", "only"):
            per_row += self.id_bytes
        total = rows * per_row
        if launch.domain.kind in ("edges", "active_edges"):
            total += arcs * (per_arc + 2 * self.message(launch))
            total += arcs * 2 * self.id_bytes if looks_at_ends(launch.send.effects) else 0
        elif arcs:
            total += rows * 2 * self.offset_bytes + arcs * (self.id_bytes + per_arc)
            total += arcs * (2 * self.message(launch) + self.tested(launch))
        if launch.receive is not None and launch.shortcut is None:
            count = self.vertices if launch.receive.everyone else min(arcs, self.vertices)
            total += count * self.receiver(launch)
        return total

    def pulled(self, launch: s.Launch) -> int:
        """Return the bytes of a launch in which all vertices look at their in-arcs."""
        per_row, per_arc = self.columns(launch, pulled=True)
        total = self.vertices * (2 * self.offset_bytes + per_row) + self.arcs * self.id_bytes
        if launch.staged:  # every source makes its message once, and the arcs gather it
            message = widths(launch.body.message)
            total += self.vertices * (self.at(launch, "src", "own") + message)
            total += self.arcs * message
        else:
            total += self.arcs * per_arc
        return total + self.vertices * (self.receiver(launch) or self.tested(launch))

    def columns(self, launch: s.Launch, pulled: bool) -> tuple[int, int]:
        """Return the bytes of columns that the sender takes per row and per arc."""
        by_arc = launch.send.kind == "edge"
        row, arc = ("dst", "src") if pulled else ("src", "dst")
        if launch.domain.kind in ("edges", "active_edges"):
            return 0, self.at(launch, "own", "src", "dst", "far")
        own = (0, self.at(launch, "own", "far")) if by_arc else (self.at(launch, "own", "far"), 0)
        if pulled and not by_arc:  # what a vertex sends is read over every arc
            own = own[::-1]
        given = [widths(arg.source.type) for arg in launch.args if isinstance(arg.source, s.Values)]
        return own[0] + self.at(launch, row) + sum(given), own[1] + self.at(launch, arc, "link")

    def at(self, launch: s.Launch, *places: str) -> int:
        """Return the bytes of what the sender reads and writes at some places."""
        return self.effects(launch.send, places)

    def receiver(self, launch: s.Launch) -> int:
        """Return the bytes that one receiver takes; what a shortcut needs is counted per arc."""
        if launch.receive is None or launch.shortcut is not None:
            return 0
        return self.effects(launch.receive.function, ("own", "far")) + self.message(launch)

    def effects(self, function: Any, places: Iterable[str]) -> int:
        """Return the bytes of the columns that a function reads and writes at some places."""
        found = {(a.kind, a.field, a.where, 0) for a in function.effects.reads}
        found |= {(a.kind, a.field, a.where, 1) for a in function.effects.writes}
        return sum(self.width(kind, name) for kind, name, where, _ in found if where in places)

    def message(self, launch: s.Launch) -> int:
        """Return the bytes of a message as it is kept; a shortcut keeps none."""
        if launch.shortcut is not None or launch.body.message is None:
            return 0
        return widths(launch.body.message)

    def tested(self, launch: s.Launch) -> int:
        """Return the bytes of the column that a shortcut tests at every arc's end."""
        if launch.shortcut is None or launch.receive is None:
            return 0
        return self.width("vertex", launch.shortcut.field)

    def width(self, kind: str, name: str) -> int:
        """Return the bytes of one entry of a column; degrees are two offsets."""
        field = self.fields.get((kind, name))
        if field is None:
            return 2 * self.offset_bytes if name.endswith("degree") else 0
        return self.id_bytes if field.disjoint else int(field.dtype.itemsize)


def looks_at_ends(effects: Any) -> bool:
    """Return whether an edge function needs to know the vertices of its edge."""
    accesses = effects.reads | effects.writes
    return bool(effects.acts & {"send", "send_to", "union"}) or any(
        access.where in ("src", "dst") for access in accesses
    )


def widths(kind: Any) -> int:
    """Return the bytes of a message or value of a type.

    Examples
    --------
    >>> widths("f32"), widths(("f32", "id"))
    (4, 12)
    """
    if kind is None:
        return 0
    words = {"id": 8, "int": 8, "float": 8, "bool": 1}
    parts = s.component_types(kind)
    return sum(words[each] if each in words else dtype_named(each).itemsize for each in parts)
