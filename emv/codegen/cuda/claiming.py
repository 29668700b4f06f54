"""The text of a `Claim` on a GPU: who claims asks the sender, by as many lanes as a row needs.

What a message reads is not written meanwhile, as only empty fields change.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from emv.codegen.claiming import ClaimText
from emv.codegen.cuda.groups import call_twice, groups
from emv.codegen.cuda.pull_lanes import LaneSenders
from emv.codegen.cuda.threads import CudaWorker
from emv.codegen.expressions import ExpressionText, number_text
from emv.codegen.folding import array_dtype
from emv.codegen.place import Place
from emv.codegen.queues import front_of
from emv.codegen.sending import RECEIVE, SEND, hoist, place_of
from emv.codegen.state import Own
from emv.codegen.worker import Worker
from emv.ir import body as b

DIRECT = 8  # threads per row from which a push claims without looking first
ALPHA = 4  # pull when the active hold more than a fourth of the arcs not yet seen
BETA = 4  # push while the active hold fewer arcs than a fourth of the vertices there are

CHOICE = f"""
    unseen = state[NUM_ARCS] - state[SEEN_VOLUME]
    many = state[ACTIVE_ARCS] * {BETA} >= state[NUM_VERTICES]
    heavy = state[ACTIVE_ARCS] * {ALPHA} > unseen
    state[PULLING] = 1 if many and (heavy or state[PULLING] != 0) else 0
    state[SEEN_VOLUME] += state[ACTIVE_ARCS]
"""


class CudaClaim(ClaimText):
    """Writes the phases of one claiming launch."""

    text: Any

    @property
    def empty(self) -> str:
        return f"np.{array_dtype(self.kind)}({number_text(self.claim.empty)})"

    def write(self) -> None:
        """Write the launch: the choice of the direction, then a claim in it."""
        text = self.text
        if self.launch.frontier == "queue":
            self.remember()
            self.push()
            return
        pull, choice = text.open_pull(self), CHOICE.replace("NUM_ARCS", text.unit.all_arcs)
        if self.launch.follows:
            pull.choose(choice)
        else:
            text.serial(choice)
        self.remember()
        with text.when("state[PULLING] != 0", has_else=True):
            (pull.write if self.launch.follows else self.pull)()
        with text.otherwise():
            self.push()

    def remember(self) -> None:
        """Write the note whether the active vertices hold the empty value.

        Then every message may be the empty value too, and who receives it stays empty: what the
        active hold may change while others read it, so they are not asked (`write_message`).
        """
        holds, next_holds = self.text.own(Own.HOLDS), self.text.own(Own.NEXT_HOLDS)
        array, front = self.column(self.text.writer), front_of(self.text)
        self.text.serial(f"""
            if {holds} != 0:
                {holds} = 1 + {next_holds}
            elif state[NUM_ACTIVE] > 0:  # the seed, asked once
                front = {front}
                {holds} = 2 if {array}[front] == {self.empty} else 1
            {next_holds} = 0
        """)

    def apart(self) -> CudaWorker:
        """Return the work function of a push in which rows have lanes of their own."""
        worker = super().start("apart_claim")
        assert isinstance(worker, CudaWorker)
        worker.lies_apart = True
        self.write_push(worker)
        return worker

    def start(self, phase: str) -> Worker:
        worker = super().start(phase)
        if self.launch.follows:
            assert isinstance(worker, CudaWorker)
            worker.use_piles()
        return worker

    def begin(self, worker: Worker) -> None:
        """Write the sender's parameters, and whether it holds the empty value."""
        worker.scalar_arguments(self.launch.send, self.launch.args, SEND)
        worker.writer.add(f"holds_empty = {self.text.own(Own.HOLDS)} == 2")

    def looks(self, array: str) -> str:
        """Return the condition under which a push tries to claim ``dst``.

        Of few arcs: one wait for the atomic is shorter than one for a test and one for the atomic.
        """
        return f"rows * {DIRECT} < threads or {super().looks(array)}"

    def claims(self, worker: Worker, array: str, vertex: str) -> str:
        flags = worker.flags(f"received{self.launch.number}")
        stamp = "np.uint32(state[SUPERSTEPS] + 1)"
        below = f"message < {self.empty} and " * self.claim.rises
        return f"{below}claim_once({array}, {vertex}, {self.empty}, message, {flags}, {stamp})"

    def write_message(self, worker: Worker, place: Place) -> None:
        """Write to the local ``message`` what the field becomes by the message of ``src``."""
        writer = worker.writer
        if self.claim.message is not None:
            reader = ExpressionText(writer, place, self.launch.send.name)
            name = "message" if self.is_message else f"{RECEIVE}{self.parameter.name}"
            writer.add(f"{name} = {self.taken(reader)}")
        if not self.is_message:
            writer.add(f"message = {self.value(writer)}")
        writer.add(f"if message == {self.empty}: {self.text.own(Own.NEXT_HOLDS)} = 1")

    def ask_sender(self, worker: Worker, place: Place) -> None:
        """Write the read of what the sender holds, which is the empty value where all hold that."""
        message = self.claim.message
        if message is None:
            return
        sent = (b.Send(message.loc, "arc", message, 0),)
        hoist(worker, place, dataclasses.replace(self.launch.body, statements=sent), "src")
        name = place.hoisted.get(("src", self.claim.field))
        if name is not None:
            worker.writer.add(f"if holds_empty: {name} = {self.empty}")

    def pull(self) -> None:
        """Write the pull: an empty receiver takes the message of its first active in-neighbour."""
        senders = LaneSenders(self.text)
        senders.mark()
        worker = self.start("look")
        assert isinstance(worker, CudaWorker)
        writer, number, array = worker.writer, worker.number, self.column(worker.writer)
        place = place_of(worker, {"src": "src", "dst": "v"}, {}, "0", None)
        is_empty = f"{array}[v] == {self.empty}{self.also(writer, 'v')}"
        owned = worker.reaches("v")
        is_empty = f"{owned} and {is_empty}" if owned else is_empty
        source = writer.copies.like(f"{writer.graph('src_of_slot')}[slot]", "v")
        with (
            worker.counted(),
            groups(worker, staged=False),
            writer.around(f"""
                found = {number}(0)
                is_found = False
                looks = index >= 0 and hub < 0 and {is_empty}
                wants = looks and slot < end
                while cuda.ballot_sync(ALL, wants) != 0:
                    if wants:
                        src = {number}({source})
                        if {senders.asked(worker, "src")}:
                            found = src
                            is_found = True
                    slot = {number}(slot + lanes)
                    is_over = group_any(is_found, lanes)  # all lanes ask: no `and` before it
                    looks = looks and not is_over
                    wants = looks and slot < end
                if first_in_group(is_found, lanes):
                    src = found
                    ...
            """),
        ):
            self.ask_sender(worker, place)
            self.write_message(worker, place)
            with writer.block(f"if {self.claims(worker, array, 'v')}:"):
                self.received(worker, "v")
        # Whoever has pieces is done with once they are looked at: all receivers are as in one call.
        call_twice(self.text, worker, hands_on=False)
        senders.unmark()
