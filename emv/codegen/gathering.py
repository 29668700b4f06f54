"""Writes to fields of other elements that are gathered apart, for they are read as they were.

Each column has an array in which every entry is the operator's identity until somebody writes it,
and a list of the entries that were written. When the launch is over these are put into the column
and become the identity again, so that a superstep costs what it writes.
"""

from __future__ import annotations

from typing import Any

from emv.codegen.expressions import number_text
from emv.codegen.folding import identity
from emv.codegen.launch import LaunchText
from emv.codegen.queues import Queue
from emv.codegen.state import Own, own_text, place_of_launch
from emv.codegen.unit import Part
from emv.codegen.worker import Worker
from emv.ir import schedule as s
from emv.ir.frozen import dataclass
from emv.passes.double_buffer import gatherer


@dataclass(frozen=True)
class Gathering:
    """What a launch gathers for one column.

    Attributes
    ----------
    number : int
        Of the column, among those that the launch gathers for.
    op : str
        The operator by which it is written, or ``constant``.
    """

    launch: s.Launch
    key: tuple[str, str]
    number: int
    op: str

    @property
    def place(self) -> Own:
        """Return where the state counts who was written."""
        return Own(Own.WRITTEN + self.number)

    @property
    def size(self) -> str:
        """Return how many entries the column has."""
        return "E" if self.key[0] == "edge" else "V"

    def name(self, stem: str) -> str:
        """Return what an array of it is called."""
        return f"{stem}{self.launch.number}_{self.number}"

    def array(self, part: Part) -> str:
        """Name the array in which writes are gathered."""
        dtype = part.unit.schedule.program.fields[self.key].dtype
        stored = "uint8" if dtype.kind == "b" else dtype.name
        return part.writer.scratch(
            self.name("gathered"), stored, self.size, identity(self.op, dtype)
        )

    def written(self, part: Part) -> Queue:
        """Name the list of who was written."""
        name = part.writer.scratch(self.name("written"), part.unit.ids, self.size)
        return Queue(name, own_text(self.launch.number, self.place))

    def note(self, worker: Worker, index: str) -> None:
        """Write the entry of an element into the list."""
        flags = worker.flags(self.name("noted"), self.size)
        queue = self.written(worker)
        length = str(place_of_launch(self.launch.number, self.place))
        worker.append_new(queue.name, length, index, flags)


def gatherings(launch: Any) -> dict[tuple[str, str], Gathering]:
    """Return what a launch gathers, by column."""
    if launch is None:
        return {}
    effects = launch.send.effects
    return {
        key: Gathering(launch, key, number, str(gatherer(effects, key)))
        for number, key in enumerate(sorted(launch.gathered))
    }


def settle_phases(text: LaunchText) -> None:
    """Write the phases that put into columns what was gathered for them."""
    for gathering in gatherings(text.launch).values():
        worker = text.worker(gathering.name("settle"))
        kind, name = gathering.key
        dtype = text.unit.schedule.program.fields[gathering.key].dtype
        column, array = worker.writer.column(kind, name, dtype.name), gathering.array(worker)
        flags, add = worker.flags(gathering.name("noted"), gathering.size), worker.writer.add
        with worker.ids(gathering.written(worker), "v", ""):
            if gathering.op == "constant":
                add(f"{column}[v] = {array}[v]")
            else:
                stored = "uint8" if dtype.kind == "b" else dtype.name
                add(f"{gathering.op}_if(shared, {column}, v, {array}[v])")
                add(f"{array}[v] = np.{stored}({number_text(identity(gathering.op, dtype))})")
            add(f"{flags}[v] = 0")
        text.phase(worker)
        text.serial(f"{own_text(text.launch.number, gathering.place)} = 0")
