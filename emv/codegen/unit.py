"""What the functions of one module share while they are written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from emv.codegen.writer import Buffers, Writer
from emv.ir import nodes as n
from emv.ir import schedule as s
from emv.ir.kernel import Room


@dataclass
class Unit:
    """The functions of one module, as far as they are written, and what they share.

    Attributes
    ----------
    ids : str
        The dtype of vertex ids: uint32 or uint64.
    num_ids : callable
        Returns the text of the length of a list of ids, called after its launch.
    counts_arcs : bool
        Whether the arcs of the active are counted as they are activated.
    notes_long : bool
        Whether it is noted that a long row is among theirs.
    stored_kinds : dict
        The types in which the components of values stand in arrays, by the number of the values.
    stores : dict
        How the messages of a launch are stored, by its number.
    shared : dict
        The arrays of shared memory that the kernel sets aside.
    rooms : dict
        Sizes that only runs can tell.
    told : set of str
        The plain functions of the user's that take the state, as they have loops to leave.
    through : dict
        What hands on the rows of a receiver that has run, by the number of the launch; where parts
        do so at once. It is told the worker.
    makes : dict
        What makes the next messages of a vertex inside a pull, by the number of the launch: of
        those as well that received nothing, as the array they stand in is another every time.
    placed : dict
        What stands in the order of a launch's receivers, by its number.
    owned_bits : callable or None
        Names the array that tells such a launch both who reads a vertex and who owns it.
    """

    schedule: s.Schedule
    ids: str
    num_ids: Callable[[str], str]
    counts_arcs: bool = False
    notes_long: bool = False
    buffers: Buffers = field(init=False)
    functions: dict[str, n.Function] = field(default_factory=dict)
    stored_kinds: dict[int, list[str]] = field(default_factory=dict)
    stores: dict[int, Any] = field(default_factory=dict)
    shared: dict[str, None] = field(default_factory=dict)
    rooms: dict[str, Room] = field(default_factory=dict)
    told: set[str] = field(default_factory=set)
    through: dict[int, Callable[[Any], None]] = field(default_factory=dict)
    makes: dict[int, Callable[[Any], None]] = field(default_factory=dict)
    placed: dict[int, Any] = field(default_factory=dict)
    joint: Callable[[Part, bool], Any] | None = None  # returns the queue of the active of all parts
    owned_bits: Callable[[Writer], str] | None = None
    own_arcs: bool = False  # whether all arcs that a part holds lead to vertices that it owns

    def __post_init__(self) -> None:
        self.buffers = Buffers(self.schedule.copies, self.schedule.sliced)

    @property
    def written(self) -> frozenset[tuple[str, str]]:
        """Return the columns that the program writes."""
        return self.schedule.written

    @property
    def all_arcs(self) -> str:
        """Return the place that has the number of arcs of the whole graph."""
        return "ALL_ARCS" if self.schedule.sliced else "NUM_ARCS"

    def base_of(self, number: int) -> int:
        """Return the launch that sent the messages: a @message function only changes them."""
        store = self.stores.get(number)
        return number if store is None else int(store.base)

    def finish(
        self,
        name: str,
        decorator: str,
        first: tuple[str, ...],
        writer: Writer,
        body: n.Block | None = None,
    ) -> None:
        """Add a function to the module: what was written, or another body made of it."""
        arrays = tuple(sorted(writer.known))
        self.functions.pop(name, None)
        self.functions[name] = n.Function(
            name, decorator, first, arrays, writer.body if body is None else body
        )

    def arrays_of(self, name: str) -> tuple[str, ...]:
        """Return the arrays that a function takes, by name."""
        return self.functions[name].arrays

    def call(self, name: str, *first: n.Node) -> n.Call:
        """Return the call of a function; ``first`` is what it is told before its arrays."""
        arrays = (n.Array(self.buffers[each]) for each in self.arrays_of(name))
        return n.Call(name, (*first, *arrays))


class Part(Protocol):
    """What is being written of a unit: a work function, or what stands between them."""

    unit: Unit
    writer: Writer
