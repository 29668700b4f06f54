"""The text of a `ClaimBits`: what 32 or 64 copies of a batch look for is one word of bits.

All messages of a superstep are one number, so which copies reach a vertex is all there is to know.
A frontier is a word per vertex with a bit for each copy; an arc hands on a whole word. This is
MS-BFS (Then, Kaufmann, Chirigati, Hoang-Vu, Pham, Kemper, Neumann and Vo, PVLDB 8(4), 2014).

Pushing, an arc adds by an atomic ``or`` what its end has not had. Pulling, the lanes of a receiver
gather words until nothing is missing. Then a walk over the words that found something writes the
number to the entries of the bits, side by side. Behind a pull that has left few open comes another
one, however few arcs the frontier has: it looks at all words, and walks the rows of those alone.
Words that are listed go by way of a warp's piles (`emv_kernels.cuda.claims`).
"""

from __future__ import annotations

from emv.codegen.cuda.applied import ENDED, ROUND, OneLaunch
from emv.codegen.cuda.claiming import CudaClaim
from emv.codegen.cuda.groups import TOGETHER, call_twice, groups, next_slots, read_slots
from emv.codegen.cuda.held import held
from emv.codegen.cuda.program import ProgramText, Waiting
from emv.codegen.cuda.threads import CudaWorker
from emv.codegen.expressions import ExpressionText
from emv.codegen.queues import Queue, active_queue, front_of
from emv.codegen.sending import place_of
from emv.codegen.state import Own
from emv.codegen.unit import Unit
from emv.codegen.writer import Writer
from emv.ir import schedule as s
from emv.ir.copies import Copies

PULL_SHARE = 8  # pull when the frontier has more than an eighth of the arcs
PAYS = 4  # arcs of the frontier for each receiver that is open, from which a pull pays again
LOOKS = 3  # the binary logarithm of the words that are looked at in the time of an arc that pushes
OPEN = 2  # pass over those that are settled where half of all words are open at most
FEW = 8  # clear words one by one where they are fewer than an eighth of all


class ClaimBitsText(OneLaunch):
    """Writes the loop around one claiming launch.

    Attributes
    ----------
    is_placed, sources : bool, str
        Whether words stand in another order than that of their vertices; the array that says where
        the word of each slot's sender does.
    """

    is_placed, sources = False, "src_of_slot"

    def __init__(
        self, unit: Unit, loop: s.LoopStep, launch: s.Launch, program: ProgramText
    ) -> None:
        super().__init__(unit, loop, launch, program)
        shift, self.claimed = unit.schedule.copies.shift, CudaClaim(self)
        self.log = min(shift, 6)  # the binary logarithm of the bits of a word
        self.bits, self.dtype = 1 << self.log, f"uint{1 << self.log}"
        self.words = Copies(shift - self.log, prefix="WORD_")  # words of a vertex, side by side

    def write_loop(self, waiting: Waiting) -> None:
        """Write the loop."""
        writer = self.writer
        self.write_control()
        with self.entered(waiting):
            self.serial(self.beginning())
            with self.when(f"{self.own(Own.IS_EMPTY)} == 0"):
                self.survey()
            self.enter()
        with writer.block("while True:"):
            writer.add(f"if {self.running} != {ROUND}: break")
            with self.when("state[PULLING] != 0", has_else=True):
                self.gather()
            with self.otherwise():
                self.spread()
            self.write_down()
            self.share()
            self.serial(self.ending())
            self.decide()

    # What parts of a graph say; there are none.

    @property
    def left_open(self) -> str:
        """Return the text of how many receivers the pull before has left open."""
        return self.own(Own.OPEN)

    def share(self) -> None:
        """Write how others learn which words have found something here."""

    def frontier(self, worker: CudaWorker) -> Queue:
        """Name the list of the words of the frontier, those of all parts."""
        return Queue("words", self.own(Own.WORDS))

    def stand(self, worker: CudaWorker) -> str:
        """Write where the word of a receiver ``v`` stands, and return its name."""
        return "v"

    def keep(self, worker: CudaWorker, at: str) -> None:
        """Write how what a word has gathered from all its slots is kept."""
        with worker.writer.block("if not pieces and part == 0 and fresh != 0:"):
            worker.writer.add(f"next_wave[{at}] = fresh")

    def tell_spread(self, worker: CudaWorker) -> None:
        """Write how others learn what was spread to words."""

    def beginning(self) -> str:
        """Return what is done before the loop: what the seeds hold, asked of one."""
        array, front = self.claimed.column(self.writer), front_of(self)
        return f"""
            state[ACTIVE_ARCS] = 0
            state[PENDING_ARCS] = 0
            state[PULLING] = 0
            {self.own(Own.WORDS)} = 0
            {self.own(Own.NEXT_WORDS)} = 0
            if state[NUM_ACTIVE] > 0:
                front = {front}
                {self.own(Own.HELD)} = np.int64({array}[front])
        """

    def ending(self) -> str:
        """Return what is done behind a superstep: what was found is the frontier now."""
        flipped, found = self.own(Own.WORDS_FLIPPED), self.own(Own.NEXT_WORDS)
        return f"""
            {flipped} = 1 - {flipped}
            {self.own(Own.WORDS)} = {found}
            state[NUM_ACTIVE] = {found}  # words, for who asks how far the run is
            {found} = 0
            state[ACTIVE_ARCS] = state[PENDING_ARCS]
            state[PENDING_ARCS] = 0
            {self.own(Own.HELD)} = {self.own(Own.SENT)}
        """

    def write_control(self) -> None:
        """Write the function in which one thread decides what comes next."""
        writer = Writer(self.unit.buffers)
        writer.state()
        with writer.block(f"if {self.own(Own.WORDS)} == 0 and {writer.slot(self.loop.step)} > 0:"):
            writer.add("state[NUM_ACTIVE] = 0")
            self.end(writer)
        with writer.block("elif state[CALLED_OFF] != 0:"):
            writer.add(f"{self.running} = {ENDED}")
        with self.begin_round(writer, "elif"):
            many = f"state[ACTIVE_ARCS] * {PULL_SHARE} > state[{self.unit.all_arcs}] >> {self.log}"
            looks = f"({self.left_open} * {PAYS} + (state[NUM_VERTICES] >> {self.log + LOOKS}))"
            few_open = f"state[PULLING] != 0 and {looks} <= state[ACTIVE_ARCS]"
            settled = f"{self.left_open} * {OPEN} <= state[NUM_VERTICES] >> {self.log}"
            writer.add(f"""
                {self.own(Own.IS_SETTLING)} = 1 if state[PULLING] != 0 and {settled} else 0
                state[PULLING] = 1 if {many} or ({few_open}) else 0
                {self.own(Own.OPEN)} = 0
            """)
        writer.blocks = [list(held(writer.body))]
        self.unit.finish(self.control, "@control", (), writer)

    # What phases name.

    def bits_worker(self, phase: str) -> CudaWorker:
        """Return a work function that walks over words: an id there is that of a word."""
        worker = self.worker(phase)
        worker.writer.copies = self.words
        worker.vertices = f"(state[NUM_VERTICES] >> {self.log})"
        writer, size = worker.writer, f"V/{self.bits}"
        for each in ("wave", "next_wave"):
            writer.scratch(each, self.dtype, size, 0)
        for each in ("words", "next_words"):
            writer.scratch(each, self.unit.ids, size)
        writer.scratch("settled", self.dtype, size, 0)
        writer.add(f"""
            if {self.own(Own.WORDS_FLIPPED)} != 0:
                wave, next_wave = next_wave, wave
                words, next_words = next_words, words
        """)
        return worker

    def at(self, worker: CudaWorker, word: str, name: str) -> str:
        """Write where a word stands in frontiers, under a name, and return that; here as it is."""
        return word

    # Phases.

    def enter(self) -> None:
        """Write the entry of the active copies into words."""
        worker = self.bits_worker("enter")
        writer = worker.writer
        with worker.ids(active_queue(worker), "v", ""):
            writer.add(f"word = {worker.number}(np.uint64(v) >> np.uint64({self.log}))")
            bit = f"np.uint64(1) << (np.uint64(v) & np.uint64({self.bits - 1}))"
            writer.add(f"bit = np.{self.dtype}({bit})")
            at = self.at(worker, "word", "at")
            with writer.block(f"if fetch_or(wave, {at}, bit) == 0:"):
                worker.append_counted("words", self.own_place(Own.WORDS), "ACTIVE_ARCS", "word")
            claimed = f"{self.claimed.column(writer)}[v] != {self.claimed.empty}"
            with writer.block(f"if {self.own(Own.IS_EMPTY)} != 0 and {claimed}:"):
                writer.add(f"fetch_or(settled, {at}, bit)")
        self.phase(worker)

    def survey(self) -> None:
        """Write the walk that finds who has had a number already."""
        worker = self.bits_worker("survey")
        array, empty = self.claimed.column(worker.writer), self.claimed.empty
        inside = f"settled, {array}, {worker.vertices}, {empty}, {self.bits}"
        worker.writer.add(f"survey(me, threads, {inside})")
        self.phase(worker)

    def missing(self, word: str) -> str:
        """Return the text of the copies that a word's vertex has not been reached by."""
        full = (1 << self.bits) - 1
        return f"np.uint64(settled[{word}]) ^ np.uint64({full})"

    def spread(self) -> None:
        """Write the push: an arc adds what its end has not had."""
        worker = self.bits_worker("spread")
        worker.use_piles()
        worker.listed = "next_words", self.own_place(Own.NEXT_WORDS)
        writer = worker.writer
        arcs = worker.arcs(self.frontier(worker), lambda: None)
        with arcs, writer.block(worker.if_reaches("dst")):
            end, source = self.at(worker, "dst", "at"), self.at(worker, "src", "at_src")
            writer.add(f"""
                had = np.uint64(next_wave[{end}])
                fresh = np.uint64(wave[{source}]) & ({self.missing(end)})
                if fresh & ~had != 0:
                    if fetch_or(next_wave, {end}, np.{self.dtype}(fresh)) == 0:
                        is_active, found = True, {worker.number}(dst)
            """)
        self.phase(worker)

    def gather(self) -> None:
        """Write the pull: the lanes of a receiver gather words until nothing is missing."""
        worker = self.bits_worker("gather")
        worker.use_piles()
        writer, sources = worker.writer, worker.writer.graph(self.sources)
        owned = worker.reaches("v")
        owned = owned and f" and {owned}"
        with worker.counted():
            writer.add(f"""
                piled, left = np.int32(0), np.int32(0)
                passes = {self.own(Own.IS_SETTLING)} != 0 and not pieces
            """)
            with writer.block("if not passes:"), groups(worker, self.is_placed):
                at = self.stand(worker)
                look = f"""
                    missing = np.uint64(0)
                    if index >= 0 and hub < 0{owned}:
                        missing = {self.missing(at)}
                    fresh = np.uint64(0)
                    looks = missing != 0 and slot < end
                    is_asked = looks and part == 0
                    while cuda.ballot_sync(ALL, looks) != 0:
                        if looks:
                            ...
                        slot = {worker.number}(slot + lanes * {TOGETHER})
                        fresh = group_or(fresh, lanes)  # all lanes ask
                        looks = missing & ~fresh != 0 and slot < end
                    if is_asked and missing & ~fresh != 0: left = np.int32(left + 1)
                    fresh &= missing
                """
                with writer.around(look):
                    places = read_slots(worker, sources, next_slots(worker), "at")
                    asked = " | ".join(f"np.uint64(wave[{each}])" for each in places)
                    writer.add(f"fresh |= {asked}")
                self.keep(worker, at)
                self.list_found(worker, at)
            with writer.block("else:"):
                self.pass_settled(worker, sources, owned)
            self.end_lists(worker)
            place = self.own_place(Own.OPEN)
            writer.add(f"""
                left = total_of(left)
                if cuda.laneid == 0 and left != 0: fetch_add(state, {place}, np.int64(left))
            """)
        call_twice(self, worker)

    def pass_settled(self, worker: CudaWorker, sources: str, owned: str) -> None:
        """Write the pull where few are open: a lane for each receiver, of whom most are settled."""
        writer, number, signed = worker.writer, worker.number, worker.signed
        copies, first = (
            writer.copies,
            writer.graph("gather_first" if self.is_placed else "first_in"),
        )
        order, bins = writer.graph("pull_order"), writer.graph("pull_bins")
        row = "np.uint64(index)" if self.is_placed else copies.vertex("v")
        which = f"{copies.shift}, {copies.number('v')}"
        writer.add(f"""
            ordered, part = state[HAS_ORDER] != 0, np.int32(0)
            count = {number}({worker.vertices})
            if ordered: count = {number}({number}({bins}[21]) << {number}({copies.shift}))
            base = {number}({number}(me >> 5) * 32)
        """)
        with writer.block("while base < count:"):
            writer.add(f"""
                place = {number}(base + {number}(cuda.laneid))
                hub, index = np.int32(-1), {signed}(-1)
                v, slot, end = {number}(0), {number}(0), {number}(0)
                if place < count:
                    index = {signed}({copies.vertex("place")})
                    v = {number}({order}[{number}(index)] if ordered else {number}(index))
                    v = {number}({copies.like("v", "place")})
                    if index < state[NUM_HUBS]: hub = np.int32(index)
            """)
            at = self.stand(worker)
            writer.add(f"""
                missing = np.uint64(0)
                if index >= 0 and hub < 0{owned}:
                    missing = {self.missing(at)}
                if missing != 0:
                    slot = {number}({first}[{row}])
                    end = {number}({first}[{row} + ONE])
                    if slot == end: missing = np.uint64(0)
                fresh = heard_words(wave, {sources}, missing, slot, end, {which})
                if missing & ~fresh != 0: left = np.int32(left + 1)
            """)
            self.keep(worker, at)
            self.list_found(worker, at)
            writer.add(f"base = {number}(base + (threads >> 5) * 32)")

    def list_found(self, worker: CudaWorker, at: str) -> None:
        """Write how a word that has found something in all its slots, or a piece, is listed."""
        pile = f"{worker.piles}, own_pile(0), piled, is_found, v"
        worker.writer.add(f"""
            is_found = part == 0 and fresh != 0
            if pieces and is_found:
                is_found = fetch_or(next_wave, {at}, np.{self.dtype}(fresh)) == 0
            piled = pile_up({pile}, next_words, state, {self.own_place(Own.NEXT_WORDS)})
        """)

    def end_lists(self, worker: CudaWorker) -> None:
        """Write how those on piles are listed in the end."""
        queue = f"next_words, state, {self.own_place(Own.NEXT_WORDS)}"
        worker.writer.add(f"if piled > 0: empty_pile({worker.piles}, own_pile(0), piled, {queue})")

    def write_down(self) -> None:
        """Write the walk that writes the message to whom it reached, and clears the frontier."""
        worker = self.bits_worker("write")
        self.tell_spread(worker)  # first: what is on its way arrives while entries are written
        self.clear(worker)
        writer, launch = worker.writer, self.launch
        array = self.claimed.column(writer)
        place = place_of(worker, {"src": "0", "dst": "0"}, {}, "0", None)
        writer.add(f"held = {self.own(Own.HELD)}")
        place.hoisted["src", self.claimed.claim.field] = "held"
        reader = ExpressionText(writer, place, launch.send.name)
        writer.add(f"message = {self.claimed.taken(reader)}")
        with writer.block("if me == 0:"):
            writer.add(f"{self.own(Own.SENT)} = np.int64(message)")
        keeps = f"message != {self.claimed.empty}"
        self.settle_words(worker, keeps, f"{array}, message, {self.claimed.empty}, {self.bits}")
        self.phase(worker)

    def settle_words(self, worker: CudaWorker, keeps: str, written: str) -> None:
        """Write the walk over the words that found something.

        Parameters
        ----------
        keeps, written : str
            Whether entries are no longer empty; what is written, and where.
        """
        walk = f"next_words, {self.own(Own.NEXT_WORDS)}, next_wave"
        known = f"{walk}, settled, {keeps}, {worker.writer.offsets('out')}, {self.words.shift}"
        worker.writer.add(f"settle(me, threads, state, PENDING_ARCS, {known}, {written})")

    def clear(self, worker: CudaWorker) -> None:
        """Write the walk that clears the frontier: all words side by side where they are many."""
        writer, number, queue = worker.writer, worker.number, self.frontier(worker)
        writer.add(f"""
            are_few = {queue.length} * {FEW} < {worker.vertices}
            k, size = {number}(me), {number}({queue.length} if are_few else {worker.vertices})
        """)
        with writer.block("while k < size:"):
            writer.add("at = k")
            with writer.block("if are_few:"):
                writer.add(f"word = {number}({queue.at('k')})")
                writer.add(f"at = {self.at(worker, 'word', 'stands')}")
            writer.add(f"wave[at] = 0\nk = {number}(k + threads)")
