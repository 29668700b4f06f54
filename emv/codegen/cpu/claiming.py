"""The text of a `Claim` on cores: the message is computed once per superstep, for all threads.

So nothing that is written is read meanwhile.
"""

from __future__ import annotations

from typing import Any

from emv.codegen.claiming import ALPHA, ClaimText
from emv.codegen.cpu.blocks import CpuWorker, Extent
from emv.codegen.cpu.regions import CpuLaunch
from emv.codegen.expressions import ExpressionText, as_read, as_stored, number_text
from emv.codegen.folding import array_dtype
from emv.codegen.place import Place
from emv.codegen.queues import VERTICES
from emv.codegen.rows import Rows, Senders
from emv.codegen.sending import RECEIVE, SEND
from emv.codegen.unit import Part
from emv.codegen.worker import Worker
from emv.lang.promote import strong

BETA = 24  # push again when fewer than a 24th of the vertices are active


class CpuClaim(ClaimText):
    """Writes the phases of one claiming launch."""

    text: CpuLaunch

    @property
    def empty(self) -> str:
        return number_text(self.claim.empty)

    def write(self) -> None:
        """Write the launch: one message for all, then a claim in the chosen direction."""
        writer = self.text.writer
        active = VERTICES.queue(self.text, "active")
        with writer.block("if state[NUM_ACTIVE] > 0:"):
            self.hold_message(active)
            self.text.measure()
            if self.launch.frontier == "queue":
                self.push()
                return
            many = f"state[NUM_ACTIVE] * {BETA} >= state[NUM_VERTICES]"
            writer.add(f"""
                unseen = state[NUM_ARCS] - state[SEEN_VOLUME]
                if state[PULLING] == 0:
                    if num_arcs * {ALPHA} > unseen and {many}:
                        state[PULLING] = 1
                elif state[NUM_ACTIVE] * {BETA} < state[NUM_VERTICES]:
                    state[PULLING] = 0
                state[SEEN_VOLUME] += num_arcs
            """)
            with writer.block("if state[PULLING] != 0:"):
                self.pull()
            with writer.block("else:"):
                self.push()

    def hold_message(self, active: str) -> None:
        """Write what the field becomes, and what the receiver is told where that is another."""
        launch, writer, has_message = self.launch, self.text.writer, self.claim.message is not None
        if has_message:
            self.scalar_arguments(launch.send, launch.args, SEND)
            place = Place({"src": f"{active}[0]"}, {}, SEND, self.text.unit.written)
            value = self.taken(ExpressionText(writer, place, launch.send.name))
        if not self.is_message:
            self.scalar_arguments(self.function, launch.receiver.args, RECEIVE)
            if has_message:
                writer.add(f"{RECEIVE}{self.parameter.name} = {value}")
                stored = as_stored(value, strong(self.parameter.type))
                writer.add(f"{self.told(self.text)}[0] = {stored}")
            value = self.value(writer)
        writer.add(f"{self.held(self.text)}[0] = {value}")

    def scalar_arguments(self, function: Any, args: Any, prefix: str) -> None:
        """Write the scalar parameters of a function before all phases."""
        worker = self.text.worker("")
        worker.writer = self.text.writer
        worker.scalar_arguments(function, args, prefix)

    def told(self, part: Part) -> str:
        """Name the one-entry array that hands on what the receiver is told."""
        kind = array_dtype(str(strong(self.parameter.type)))
        return part.writer.scratch(f"told{self.launch.number}", kind, "1")

    def held(self, part: Part) -> str:
        """Name the one-entry array that hands what the field becomes to work functions."""
        return part.writer.scratch(f"claimed{self.launch.number}", array_dtype(self.kind), "1")

    def begin(self, worker: Worker) -> None:
        """Write what all receive."""
        worker.writer.add(f"message = {self.held(worker)}[0]")
        if self.claim.message is not None and not self.is_message:
            told = as_read(f"{self.told(worker)}[0]", self.parameter.type)
            worker.writer.add(f"{RECEIVE}{self.parameter.name} = {told}")

    def claims(self, worker: Worker, array: str, vertex: str) -> str:
        flags = worker.flags(f"received{self.launch.number}")
        return f"claim_once(shared, {array}, {vertex}, {self.empty}, message, {flags})"

    def push(self) -> None:
        """Write the push; who received what is empty again is told apart by flags."""
        super().push()
        text, writer, number = self.text, self.text.writer, self.launch.number
        flags, pending = f"received{number}", VERTICES.queue(text, "pending")
        writer.take([flags])
        with writer.block(f"if {self.held(text)}[0] == {self.empty}:"):
            writer.add(f"clear_flags({flags}, {pending}, state[NUM_PENDING])")

    def pull(self) -> None:
        """Write the pull: an empty receiver takes the message at its first active in-neighbour."""
        senders = Senders(self.text)
        senders.mark()
        worker = self.start("look")
        assert isinstance(worker, CpuWorker)
        array = self.column(worker.writer)
        looks = f"{array}[v] == {self.empty}{self.also(worker.writer, 'v')}"
        walk = self.look_in_copies if worker.writer.copies.shift else self.look
        walk(worker, senders, f"if not ({looks}):", f"{array}[v] = message")
        self.text.phase(worker)
        senders.unmark()

    def look(self, worker: CpuWorker, senders: Senders, is_taken: str, take: str) -> None:
        """Write the walk over receivers, in blocks of about as many in-arcs."""
        writer, graph = worker.writer, worker.writer.graph
        blocks, first = graph("in_blocks"), graph("first_in")
        receivers = f"for v in range({blocks}[block], {blocks}[block + 1]):"
        slots = f"for slot in range(np.uint64({first}[v]), np.uint64({first}[v + 1])):"
        with worker.blocks(), writer.block(receivers):
            writer.add(f"{is_taken} continue")
            with writer.block(slots), senders.only(worker, f"{graph('src_of_slot')}[slot]"):
                self.take(worker, take)
        worker.extent = Extent(f"len({blocks}) - 1", "state[NUM_ARCS]", arrays=(blocks,))

    def look_in_copies(self, worker: CpuWorker, senders: Senders, is_taken: str, take: str) -> None:
        """Write the walk over a batch's receivers: the copies of a vertex read the same row."""
        with worker.ids(None, "v", "state[NUM_VERTICES]"):
            worker.writer.add(f"{is_taken} continue")
            walk = Rows(worker.writer, "csr", "in").walk("v", "slot", "src")
            with walk, senders.only(worker, "src"):
                self.take(worker, take)

    def take(self, worker: CpuWorker, take: str) -> None:
        """Write what the first active in-neighbour does, behind which none is looked for."""
        worker.writer.add(take, self.claim.value.loc)
        self.received(worker, "v")
        worker.writer.add("break")
