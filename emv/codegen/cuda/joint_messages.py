"""What the receivers of a pull make for the next superstep, where parts of a graph meet.

A receiver makes its own next message as soon as it has changed what that is made of, and stores it
to all parts that have arcs from it, into a second array, as others still read the first: the two
take turns. Messages stand in one order for all parts (`close` in `emv.graph.common_places`), in
which receivers that work side by side stand side by side, so that what they store does, too. A part
is at most one meeting ahead, so no message is stored into an array that another still reads. What
receivers ask of themselves stands in their order as well (`emv.codegen.cuda.placed`).

Which launches these are says `emv.passes.follow`.
"""

from __future__ import annotations

from typing import Any

from emv.codegen.cuda.meetings import Meeting, peers
from emv.codegen.cuda.next_messages import MessagesAhead
from emv.codegen.cuda.placed import Placed
from emv.codegen.cuda.telling import readers_of, turned, type_of_readers
from emv.codegen.cuda.threads import CudaWorker
from emv.codegen.pull import staged
from emv.codegen.quote import quote
from emv.codegen.unit import Unit
from emv.codegen.worker import Worker, wide
from emv.codegen.writer import Writer
from emv.ir import body as b
from emv.ir import schedule as s


class PlacedJoint(Placed):
    """What is kept in the order of a part's receivers; messages stand in that order, too."""

    when = ""

    def __init__(self, unit: Unit, launch: s.Launch, joined: list[s.Launch], parts: int) -> None:
        super().__init__(unit, launch, joined)
        self.parts = parts

    def more(self, writer: Writer) -> dict[str, tuple[str, str]]:
        readers = readers_of(writer, self.parts)
        return {readers: (type_of_readers(self.parts), f"{readers}[v]")}


class JointMessages(MessagesAhead):
    """Writes what the receivers of a launch make, in so many parts.

    Parameters
    ----------
    launch : Launch
        The pull.
    joined : list of Launch
        The functions that its receivers run besides, which return something.
    """

    def __init__(self, unit: Unit, launch: s.Launch, joined: list[s.Launch], parts: int) -> None:
        super().__init__(unit, launch, joined)
        self.parts, self.placed = parts, PlacedJoint(unit, launch, joined, parts)

    def begin(self, name: str) -> CudaWorker:
        """Return the work function in which a part makes all messages that a loop begins with."""
        worker = CudaWorker(self.unit, f"{name}_begin", self.launch)
        places = worker.writer.graph("gather_close_place")
        with worker.ids(None, "v", worker.vertices):
            worker.writer.add(f"position = {places}[v]")

            def put(stmt: b.Send, values: list[str], receiver: str, how: str) -> None:
                staged(self.launch).put(worker.writer, "position", values)

            self.send(worker, put)
            with worker.writer.block(worker.if_owned("v")):
                self.returned(worker)
        return worker

    def fill(self, program: Any, name: str) -> None:
        """Write the walk that copies rows into the order of receivers."""
        program.run(self.placed.fill(f"{name}_place"))

    def turn(self, worker: CudaWorker) -> None:
        """Write which array is which in this superstep, for all parts."""
        writer = worker.writer
        stems = (self.arrays(stem).arrays(writer) for stem in ("message", "next_message"))
        for now, after in zip(*stems, strict=True):
            turned(writer, self.parts, after, now, self.flipped)
            writer.put(
                quote(f"if {self.flipped} != 0: {now}, {after} = {after}, {now}", writer.known)
            )
        writer.add(f"own_begin = {writer.graph('gather_begins')}[state[PART]]")

    def make(self, worker: Worker) -> None:
        """Write what receiver ``v``, which stands at ``index``, makes for the next superstep."""
        writer = worker.writer
        places = writer.graph("gather_close_place")

        def put(stmt: b.Send, values: list[str], receiver: str, how: str) -> None:
            writer.add(f"read_by = {readers_of(writer, self.parts)}[v]")
            writer.add("next_place = own_begin + index")
            with writer.block("if not ordered:"):  # asked late, as most parts have an order
                writer.add(f"one = v\nnext_place = np.int64({places}[one])")
            after = self.arrays("next_message")
            for array, value in zip(after.arrays(writer), values, strict=True):
                writer.add(f"told = {value}\n{array}[next_place] = told")
                for part, theirs in enumerate(peers(writer, self.parts, array)):
                    test = f"state[PART] != {part} and (read_by & {1 << part}) != 0"
                    writer.add(f"if {test}: {theirs}[next_place] = told")

        self.returned(worker)  # before anything is stored that may be what it reads
        self.send(worker, put)

    def fold(self, meeting: Meeting) -> None:
        """Let parts say, and fold, what stands ahead."""
        for each in self.joined:
            for op, slot in each.aggregates:
                place = self.ahead(meeting.writer, slot)
                meeting.fold(op, place, place, is_float=wide(slot) != "int64")
