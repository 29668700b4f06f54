"""The text of a `Claim` on cores: the message is computed once per superstep, for all threads.

So nothing that is written is read meanwhile. A pull asks a set of bits who is active. Where a loop
has nobody active but whom its own claim found (`Launch.follows`), a pull makes the next one's set,
and the arcs of who was found are counted where they are found. Where nobody else writes the field,
it makes the set of those who are left open, too: the next pull looks at no others.
"""

from __future__ import annotations

from typing import Any

from emv.codegen.claiming import ALPHA, ClaimText
from emv.codegen.cpu.blocks import (
    CpuWorker,
    Extent,
    count_text,
    measure_text,
    receivers_text,
)
from emv.codegen.cpu.regions import CpuLaunch
from emv.codegen.expressions import ExpressionText, as_read, as_stored, number_text
from emv.codegen.folding import array_dtype
from emv.codegen.launch import LaunchText
from emv.codegen.place import Place
from emv.codegen.queues import VERTICES, Queue
from emv.codegen.quote import quote
from emv.codegen.rows import Rows, Senders
from emv.codegen.sending import RECEIVE, SEND
from emv.codegen.state import Own
from emv.codegen.unit import Part
from emv.codegen.worker import Worker
from emv.lang.promote import strong
from emv.passes.follow import stays_claimed

WORDS = 64  # of a set of bits that a block has
AHEAD = 32  # receivers before its turn, the first in-neighbour of one is asked for
BETA = 4  # push while the active hold fewer arcs than a fourth of the vertices there are


class BitSenders(Senders):
    """The vertices that send in a pull: a bit for each."""

    def __init__(self, text: LaunchText, words: str) -> None:
        super().__init__(text)
        self.words = words

    def put(self, worker: Worker, place: str, is_sender: bool) -> None:
        assert is_sender, "the words are cleared as a whole"
        worker.writer.take([self.words])
        worker.writer.add(f"set_bit(shared, {self.words}, {place})")

    def asked(self, worker: Worker, place: str) -> str:
        worker.writer.take([self.words])
        return f"has_bit({self.words}, {place})"


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
        start = writer.mark()
        with writer.block("if state[NUM_ACTIVE] > 0:"):
            self.hold_message(active)
            self.count_arcs(Queue(active, "state[NUM_ACTIVE]"))
            with writer.block(self.below(f"{self.held(self.text)}[0]")):
                self.push() if self.launch.frontier == "queue" else self.choose()
        if self.follows and self.launch.frontier != "queue":  # as pulls alone have sets
            wave, next_wave = self.waves(self.text)
            flipped = self.text.own(Own.WORDS_FLIPPED)
            swap = f"if {flipped} != 0: {wave}, {next_wave} = {next_wave}, {wave}"
            writer.insert(start, quote(f"{swap}\n{self.text.tell()}", writer.known))

    def choose(self) -> None:
        """Write the choice of the direction, and both."""
        writer = self.text.writer
        writer.add(f"""
            pulled = state[PULLING] != 0
            many = num_arcs * {BETA} >= state[NUM_VERTICES]
            heavy = num_arcs * {ALPHA} > state[NUM_ARCS] - state[SEEN_VOLUME]
            state[PULLING] = 1 if many and (heavy or pulled) else 0
            state[SEEN_VOLUME] += num_arcs
        """)
        with writer.block("if state[PULLING] != 0:"):
            self.pull()
        with writer.block("else:"):
            self.push()

    @property
    def follows(self) -> bool:
        """Return whether the active are those whom the claim found a superstep ago."""
        return self.text.follows is not None

    def waves(self, part: Part) -> tuple[str, str]:
        """Name the sets of the active and of those who will be, as bits."""
        active, found = (
            part.writer.scratch(f"{word}{self.launch.number}", "uint64", "V/64+1")
            for word in ("wave", "next_wave")
        )
        return active, found

    def count_arcs(self, active: Queue) -> None:
        """Write how many arcs the active have: counted anew where they were not when found."""
        writer = self.text.writer
        counted = f"num_arcs = {count_text(writer, active)}"
        if self.text.follows is None:
            writer.add(counted)
            return
        writer.add(f"""
            num_arcs = state[PENDING_ARCS]
            if {writer.slot(self.text.follows.step)} == 0:
                {counted}
                state[PULLING] = 0
                state[SEEN_VOLUME] = 0
            state[PENDING_ARCS] = 0
        """)

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

    def received(self, worker: Worker, vertex: str) -> None:
        """Write the receiver's reaction to the message, and count the arcs that it has."""
        super().received(worker, vertex)
        if self.follows:
            assert isinstance(worker, CpuWorker)
            first, row = worker.writer.graph("first_out"), worker.writer.copies.vertex(vertex)
            degree = f"np.int64({first}[np.int64({row}) + 1]) - np.int64({first}[{row}])"
            worker.count("PENDING_ARCS", "found_arcs", degree)

    def push(self) -> None:
        """Write the push; who received what is empty again is told apart by flags."""
        text, writer, number = self.text, self.text.writer, self.launch.number
        active = Queue(VERTICES.queue(text, "active"), "state[NUM_ACTIVE]")
        writer.add(measure_text(writer, active, "num_arcs"))
        super().push()
        flags, pending = f"received{number}", VERTICES.queue(text, "pending")
        writer.take([flags])
        with writer.block(f"if {self.held(text)}[0] == {self.empty}:"):
            writer.add(f"clear_flags({flags}, {pending}, state[NUM_PENDING])")

    def pull(self) -> None:
        """Write the pull: an empty receiver takes the message at its first active in-neighbour."""
        writer, (wave, next_wave) = self.text.writer, self.waves(self.text)
        senders = BitSenders(self.text, wave)
        if not self.narrows:
            with writer.block("if not pulled:" * self.follows):
                writer.add(f"clear_words({wave})")
                senders.mark()
            if self.follows:
                writer.add(f"clear_words({next_wave})")
            self.look_at_all(senders)
        else:
            with writer.block("if not pulled:"):
                for words in (wave, next_wave, self.open(self.text)):
                    writer.add(f"clear_words({words})")
                senders.mark()
                self.look_at_all(senders)
            with writer.block("else:"):
                self.look_at_open(senders)
        if self.follows:
            flipped = self.text.own(Own.WORDS_FLIPPED)
            writer.add(f"{flipped} = 1 - {flipped}")

    @property
    def narrows(self) -> bool:
        """Return whether a pull behind another looks only at those whom that has left open."""
        loop, copies = self.text.follows, self.text.writer.copies
        return loop is not None and not copies.shift and stays_claimed(loop, self.launch)

    def open(self, part: Part) -> str:
        """Name the set of those who are empty still and have in-arcs, as bits."""
        return part.writer.scratch(f"open{self.launch.number}", "uint64", "V/64+1")

    def look_at_all(self, senders: Senders) -> None:
        """Write the walk over all receivers."""
        worker = self.start("look")
        assert isinstance(worker, CpuWorker)
        array = self.column(worker.writer)
        looks = f"{array}[v] == {self.empty}{self.also(worker.writer, 'v')}"
        walk = self.look_in_copies if worker.writer.copies.shift else self.look
        walk(worker, senders, f"if not ({looks}):", f"{array}[v] = message")
        self.text.phase(worker)

    def look_at_open(self, senders: Senders) -> None:
        """Write the walk over those who are open, 64 at once: the others cost nothing."""
        worker = self.start("look_again")
        assert isinstance(worker, CpuWorker)
        writer, graph = worker.writer, worker.writer.graph
        array, first = self.column(writer), graph("first_in")
        words, (_, next_wave) = self.open(worker), self.waves(worker)
        sources = graph("src_of_slot")
        each_word = f"""
            for place in range(block * {WORDS}, min((block + 1) * {WORDS}, len({words}))):
                bits = later = {words}[place]
                while later != 0:
                    rest = later & (later - ONE)
                    next_one = place * 64 + bit_count((later ^ rest) - ONE) & WITHIN
                    ask_ahead({sources}, {first}[next_one])
                    later = rest
                found = np.uint64(0)
                while bits != 0:
                    rest = bits & (bits - ONE)
                    bit = bits ^ rest
                    bits = rest
                    v = place * 64 + bit_count(bit - ONE) & WITHIN
                    ...
                {next_wave}[place] = found
                if message != {self.empty}: {words}[place] ^= found
        """
        slots = f"for slot in range(np.uint64({first}[v]), np.uint64({first}[v + 1])):"
        sender = f"{sources}[slot]"
        with (
            worker.blocks(),
            writer.around(each_word),
            writer.block(slots),
            senders.only(worker, sender),
        ):
            self.take(worker, f"{array}[v] = message", "found |= bit")
        worker.extent = Extent(
            f"(len({words}) + {WORDS - 1}) // {WORDS}", "state[NUM_ARCS]", arrays=(words,)
        )
        self.text.phase(worker)

    def look(self, worker: CpuWorker, senders: Senders, is_taken: str, take: str) -> None:
        """Write the walk over receivers, in blocks of about as many in-arcs."""
        writer, graph = worker.writer, worker.writer.graph
        blocks, first = graph("in_blocks"), graph("first_in")
        slots = f"for slot in range(np.uint64({first}[v]), np.uint64({first}[v + 1])):"
        with worker.blocks(), writer.around(receivers_text(blocks)):
            later = f"{first}[min(v + {AHEAD}, len({first}) - 1)]"
            writer.add(f"ask_ahead({graph('src_of_slot')}, {later})\n{is_taken} continue")
            if self.narrows:
                writer.add(f"is_open = {first}[v] < {first}[v + 1]")
            with writer.block(slots), senders.only(worker, f"{graph('src_of_slot')}[slot]"):
                more = f"is_open = message == {self.empty}" if self.narrows else ""
                self.take(worker, take, more, collects=self.follows)
            if self.narrows:
                with writer.block("if is_open:"):
                    worker.collect(self.open(worker), "v")
        worker.extent = Extent(f"len({blocks}) - 1", "state[NUM_ARCS]", arrays=(blocks,))

    def look_in_copies(self, worker: CpuWorker, senders: Senders, is_taken: str, take: str) -> None:
        """Write the walk over a batch's receivers: the copies of a vertex read the same row."""
        with worker.ids(None, "v", "state[NUM_VERTICES]"):
            worker.writer.add(f"{is_taken} continue")
            walk = Rows(worker.writer, "csr", "in").walk("v", "slot", "src")
            with walk, senders.only(worker, "src"):
                self.take(worker, take, "", collects=self.follows)

    def take(self, worker: CpuWorker, take: str, more: str, collects: bool = False) -> None:
        """Write what the first active in-neighbour does, behind which none is looked for.

        It does ``more`` than to change the field; who is found may be collected.
        """
        worker.writer.add(take, self.claim.value.loc)
        self.received(worker, "v")
        if collects:
            worker.collect(self.waves(worker)[1], "v")
        worker.writer.add(more)
        worker.writer.add("break")
