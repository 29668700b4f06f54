"""What a launch is applied to: which queue of ids or which flags, and the sets of the active.

A set of the active is two queues that change places: supersteps go over one and append to the
other, and a flag for each element keeps it from being appended twice. Where all that is active is
asked for as a mask (`emv.all_active`), there are flags alone, and supersteps go over all ids.
"""

from __future__ import annotations

from emv.codegen.state import place_of_launch
from emv.codegen.unit import Part
from emv.codegen.writer import Writer
from emv.ir import program as p
from emv.ir.frozen import dataclass


@dataclass(frozen=True)
class Queue:
    """A queue of ids: its array and the text of its length."""

    name: str
    length: str

    def at(self, row: str) -> str:
        """Return the text of the id at a row."""
        return f"{self.name}[{row}]"


@dataclass(frozen=True)
class JointQueue(Queue):
    """The queues of all parts of a graph, one behind the other, each read where it lies.

    Attributes
    ----------
    each : tuple of str
        The array of each part; where that of part k begins, the local ``stretch_k`` says.
    """

    each: tuple[str, ...] = ()

    def at(self, row: str) -> str:
        *others, last = range(len(self.each))
        places = [row, *(f"np.int64({row}) - stretch_{part}" for part in range(1, len(self.each)))]
        found = f"{self.each[last]}[{places[last]}]"
        for part in reversed(others):
            found = f"{self.each[part]}[{places[part]}] if {row} < stretch_{part + 1} else {found}"
        return found


@dataclass(frozen=True)
class Flags:
    """All ids, of which those belong to the domain whose flag is set: the array and their count."""

    name: str
    count: str


Domain = Queue | Flags | None


def count_of(kind: str) -> str:
    """Return the text of how many vertices or edges there are."""
    return "state[NUM_EDGES]" if kind == "edge" else "state[NUM_VERTICES]"


@dataclass(frozen=True)
class ActiveSet:
    """The active vertices or edges: what their arrays are called, and their places in the state.

    A place such as ``NUM_ACTIVE`` is ``NUM_ACTIVE{upper}``.
    """

    kind: str
    suffix: str
    size: str
    stem: str

    @property
    def upper(self) -> str:
        """Return the end of the names of its places."""
        return self.suffix.upper()

    def queue(self, part: Part, word: str) -> str:
        """Name the queue of the ``active`` or of the ``pending``."""
        return part.writer.scratch(f"{word}{self.suffix}", part.unit.ids, self.size)

    def queues(self, part: Part) -> tuple[str, str]:
        """Name both queues."""
        return self.queue(part, "active"), self.queue(part, "pending")

    def has_queues(self, writer: Writer) -> bool:
        """Return whether one of the queues was named."""
        return not {f"active{self.suffix}", f"pending{self.suffix}"}.isdisjoint(writer.known)

    def flags(self, part: Part) -> tuple[str, str]:
        """Name the flags of the active and of the pending, where sets are kept so."""
        scratch = part.writer.scratch
        return (
            scratch(f"active_{self.stem}", "uint8", self.size, 0),
            scratch(f"pending_{self.stem}", "uint8", self.size, 0),
        )


VERTICES = ActiveSet("vertex", "", "V", "flags")
EDGES = ActiveSet("edge", "_edges", "E", "edge_flags")
ACTIVE_SETS = {"vertex": VERTICES, "edge": EDGES}


def queue_of(part: Part, domain: p.Domain, ids: str | None) -> Domain:
    """Return the queue or the flags of a domain, or None for all there are."""
    kind, unit, writer = domain.kind, part.unit, part.writer
    if kind == "mask":
        return Flags(writer.column("vertex", str(domain.mask), "bool"), count_of("vertex"))
    if kind in ("active", "active_edges"):
        members = EDGES if kind == "active_edges" else VERTICES
        if unit.schedule.all_active:
            name = writer.scratch(f"active_{members.stem}", "uint8", members.size, 0)
            return Flags(name, count_of(members.kind))
        return active_queue(part, members, in_order=True)
    if kind == "only":
        name = writer.scratch(str(ids), unit.ids, "ids")
        return Queue(name, unit.num_ids(name))
    if kind == "receivers":
        return receivers_of(part, unit.base_of(int(domain.source or 0)))
    return None


def active_queue(part: Part, members: ActiveSet = VERTICES, in_order: bool = False) -> Queue:
    """Return the queue of the active vertices, or edges; parts that meet have one each.

    Parameters
    ----------
    in_order : bool
        Whether it was put in order, if a program asks for that.
    """
    name, joint = members.queue(part, "active"), part.unit.joint
    if joint is not None and members == VERTICES:
        found: Queue = joint(part, in_order)
        return found
    return Queue(name, f"state[NUM_ACTIVE{members.upper}]")


def front_of(part: Part) -> str:
    """Return the text of the first active vertex, if there is one."""
    active, pending = VERTICES.queues(part)
    if part.unit.joint is not None:
        return "state[FRONT]"
    return f"{pending}[0] if state[FLIPPED] != 0 else {active}[0]"


def taken_of(part: Part, number: int) -> Queue:
    """Return the queue of the vertices that have the value which a launch asks for."""
    name = part.writer.scratch(f"taken{number}", part.unit.ids, "V")
    return Queue(name, f"state[{place_of_launch(number)}]")


def receivers_of(part: Part, number: int) -> Queue:
    """Return the queue of a launch's receivers."""
    name = part.writer.scratch(f"receivers{number}", part.unit.ids, "V")
    return Queue(name, f"state[{place_of_launch(number)}]")
