"""What the receivers of a pull make for the next superstep (`emv.passes.follow`), on a GPU.

What functions return beside it is folded in the barrier behind those receivers, and stands ahead
until the loop comes to where the program says it.

Messages are made into a second array, as others still read the first: the two take turns. They
stand in the order of the receivers, so that those who work side by side store side by side. Where
that is not the order of ids, what is asked of each stands in it, too (`emv.codegen.cuda.placed`):
one lane of a group makes the message while others wait, and would wait itself for rows that are far
apart.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from emv.codegen.carried import NextMessages
from emv.codegen.cuda.placed import IN_ORDER, OWN_ROW, Placed
from emv.codegen.cuda.threads import CudaWorker
from emv.codegen.pull import staged
from emv.codegen.quote import quote
from emv.codegen.state import Own, own_text
from emv.codegen.unit import Unit
from emv.codegen.worker import Worker, wide
from emv.codegen.writer import Writer
from emv.ir import body as b
from emv.ir import schedule as s

IS_PLAIN = "state[HAS_ORDER] == 0"


class MessagesAhead(NextMessages):
    """Writes what the receivers of a launch make; the parameters are a unit and `NextMessages`'."""

    def __init__(self, unit: Unit, launch: s.Launch, joined: list[s.Launch]) -> None:
        super().__init__(launch, joined)
        self.unit, self.placed = unit, Placed(unit, launch, joined)
        self.flipped = own_text(launch.number, Own.MESSAGES_FLIPPED)

    def put_back(self, program: Any, name: str) -> None:
        """Write the walk that copies columns back where a loop is left."""
        if self.placed.changed:
            program.run(self.placed.put_back(f"{name}_put_back"))

    def returned(self, worker: Worker) -> None:
        """Write what else is made of ``v``, whose sums stand ahead of their slots."""
        before = len(worker.partials)
        super().returned(worker)
        worker.partials[before:] = [
            dataclasses.replace(each, ahead=self.ahead(worker.writer, each.slot))
            for each in worker.partials[before:]
        ]

    def ahead(self, writer: Writer, slot: s.Slot) -> str:
        """Name the place that holds a sum until its slot is to."""
        size = str(self.unit.schedule.num_slots[slot.array] + 1)
        return f"{writer.scratch(f'ahead_{slot.array}', wide(slot), size)}[{slot.index}]"

    def settle(self, writer: Writer, launch: s.Launch) -> Iterator[str]:
        """Yield what one thread does where a function stands in the loop that receivers ran."""
        for _, slot in launch.aggregates:
            yield f"{writer.slot(slot)} = {self.ahead(writer, slot)}"


class OwnMessages(MessagesAhead):
    """Writes what is made on one GPU."""

    def begin(self, program: Any, name: str) -> None:
        """Write the walk that makes what a loop begins with, and copies rows if there is an order.

        Where there is none each message waits for nothing but what it is made of.
        """
        program.serial(f"{self.flipped} = 0")
        ordered, plain = (
            CudaWorker(self.unit, f"{name}_{e}", self.launch) for e in ("place", "make")
        )
        with self.placed.receivers(ordered):
            self.placed.copy(ordered.writer)
            self.put(ordered, "message", "index")
        with plain.ids(None, "v", plain.vertices):
            self.put(plain, "message", "v")
        with program.when(IN_ORDER, has_else=True):
            program.run(ordered)
        with program.otherwise():
            program.run(plain)

    def put(self, worker: Worker, stem: str, place: str) -> None:
        """Write what is made of vertex ``v``, into one of the two arrays."""
        self.returned(worker)  # before anything is stored that may be what it reads

        def put(stmt: b.Send, values: list[str], receiver: str, how: str) -> None:
            self.arrays(stem).put(worker.writer, place, values)

        self.send(worker, put)

    def make(self, worker: Worker) -> None:
        """Write what receiver ``v`` makes for the next superstep."""
        self.put(worker, "next_message", OWN_ROW if self.launch.number in self.unit.placed else "v")

    def turn(self, worker: CudaWorker) -> None:
        """Write which array is which in this superstep."""
        writer, flipped = worker.writer, self.flipped
        pairs = zip(
            staged(self.launch).arrays(writer),
            self.arrays("next_message").arrays(writer),
            strict=True,
        )
        for now, after in pairs:
            text = f"if {flipped} != 0: {now}, {after} = {after}, {now}"
            writer.put(quote(text, writer.known))
