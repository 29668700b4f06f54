"""The loop of a `ClaimBits` over several GPUs that meet: each finds words of its own vertices.

What a word has gathered is stored to all others at once, while others still gather: in the next
frontier of a part nobody touches the words of others. What is spread to words is stored behind
that. Which words have found something stands where each part lists them, for who spreads or clears
few.

Where each part holds the arcs to its own vertices alone, words stand by the places that all parts
have in common (`close` in `emv.graph.common_places`): the receivers of one part behind those of
another, each part's in the order of its pulls. So words that many arcs ask for share lines of the
caches. Who has found something need not be listed while others gather: one walk over the own words,
which lie side by side, lists them, stores them to all others side by side, and writes entries while
they are on their way.
"""

from __future__ import annotations

from collections.abc import Callable

from emv.codegen.cuda.claim_bits import ClaimBitsText
from emv.codegen.cuda.grids_program import GridsProgram
from emv.codegen.cuda.meetings import Meeting, word_stretches
from emv.codegen.cuda.telling import turned
from emv.codegen.cuda.threads import CudaWorker
from emv.codegen.queues import JointQueue, Queue
from emv.codegen.state import Own
from emv.codegen.unit import Unit
from emv.ir import schedule as s


class JointBits(ClaimBitsText):
    """Writes such a loop.

    Parameters
    ----------
    meet : callable
        Writes a meeting of a name in the barrier that comes next.
    """

    def __init__(
        self,
        unit: Unit,
        loop: s.LoopStep,
        launch: s.Launch,
        program: GridsProgram,
        meet: Callable[[str, Meeting], None],
    ) -> None:
        super().__init__(unit, loop, launch, program)
        self.parts, self.meet = program.parts, meet

    def share(self) -> None:
        """Write the meeting in which parts say how many words have found something."""
        meeting = Meeting(self.unit, self.launch.number, self.parts)
        meeting.vote()
        meeting.count_words(self.own_place(Own.NEXT_WORDS), "PENDING_ARCS", self.num_found())
        meeting.fold("total", self.own(Own.OPEN_OF_ALL), self.own(Own.OPEN))
        self.meet(f"{self.name}_meet", meeting)

    @property
    def left_open(self) -> str:
        return self.own(Own.OPEN_OF_ALL)

    def num_found(self) -> str:
        """Return the text of how many own words have found something."""
        return self.own(Own.NEXT_WORDS)

    def enter(self) -> None:
        """Write the entry of the active copies, of which every part lists all words itself."""
        super().enter()
        begins = word_stretches(self.writer, self.parts)
        for part in range(1, self.parts):
            is_before = f"0 if state[PART] >= {part}"
            self.serial(f"{begins}[{part}] = {is_before} else {self.own(Own.WORDS)}")

    def frontier(self, worker: CudaWorker) -> Queue:
        writer, parts = worker.writer, self.parts
        each = turned(writer, parts, "words", "next_words", self.own(Own.WORDS_FLIPPED))
        begins = word_stretches(writer, parts)
        for part in range(1, parts):
            writer.add(f"stretch_{part} = {begins}[{part}]")
        return JointQueue("words", self.own(Own.WORDS), tuple(each))

    def keep(self, worker: CudaWorker, at: str) -> None:
        super().keep(worker, at)
        writer, owned = worker.writer, worker.reaches("v")
        waves = self.waves_of_parts(worker)
        with writer.block("if not pieces and part == 0:"):
            writer.add("held = fresh")
            with writer.block(f"if hub >= 0{owned and f' and {owned}'}:"):
                writer.add(f"held = np.uint64(next_wave[{at}])  # its pieces have found it")
            with writer.block("if held != 0:"):
                for part, theirs in enumerate(waves):
                    writer.add(f"if state[PART] != {part}: {theirs}[{at}] = held")

    def tell_spread(self, worker: CudaWorker) -> None:
        writer, waves = worker.writer, self.waves_of_parts(worker)
        with writer.block("if state[PULLING] == 0:"):
            writer.add(f"k = np.int64(me)\ncount = {self.own(Own.NEXT_WORDS)}")
            with writer.block("while k < count:"):
                writer.add("told = next_words[k]")
                at = self.at(worker, "told", "at")
                writer.add(f"held = next_wave[{at}]")
                for part, theirs in enumerate(waves):
                    writer.add(f"if state[PART] != {part}: {theirs}[{at}] = held")
                writer.add("k += np.int64(threads)")

    def waves_of_parts(self, worker: CudaWorker) -> list[str]:
        """Name the next frontier as each part has it."""
        flipped = self.own(Own.WORDS_FLIPPED)
        return turned(worker.writer, self.parts, "next_wave", "wave", flipped)


class PlacedBits(JointBits):
    """Writes such a loop where words stand by common places; lists hold those of vertices."""

    is_placed, sources = True, "gather_close_slot"

    def at(self, worker: CudaWorker, word: str, name: str) -> str:
        places, copies = worker.writer.graph("gather_close_place"), worker.writer.copies
        found = copies.like(f"{places}[{copies.vertex(word)}]", word)
        worker.writer.add(f"{name} = {worker.number}({found})")
        return name

    def begin_own(self, worker: CudaWorker) -> None:
        """Write where the own places begin and end."""
        begins = worker.writer.graph("gather_begins")
        worker.writer.add(f"""
            own_begin = {worker.number}({begins}[state[PART]])
            own_end = {worker.number}({begins}[state[PART] + 1])
        """)

    def stand(self, worker: CudaWorker) -> str:
        """Write where a receiver's word stands: where it does in the order of pulls, mostly."""
        writer, copies = worker.writer, worker.writer.copies
        self.begin_own(worker)
        place = copies.like(f"own_begin + {worker.number}(index)", "v")
        writer.add(f"stands = {worker.number}({place})")
        is_apart = "pieces or not ordered"
        if copies.shift:  # lanes that are copies go over all vertices, the own ones first
            is_apart += f" or own_begin + {worker.number}(index) >= own_end"
        with writer.block(f"if {is_apart}:"):
            writer.add(f"stands = {self.at(worker, 'v', 'placed')}")
        return "stands"

    def keep(self, worker: CudaWorker, at: str) -> None:
        """Write how what a word has gathered is kept, here alone."""
        ClaimBitsText.keep(self, worker, at)

    def tell_spread(self, worker: CudaWorker) -> None:
        """Write nothing: the walk that writes entries tells all words."""

    def list_found(self, worker: CudaWorker, at: str) -> None:
        """Write that pieces gather what a hub has found: the walk behind that lists it."""
        with worker.writer.block("if pieces and part == 0 and fresh != 0:"):
            worker.writer.add(f"fetch_or(next_wave, {at}, np.{self.dtype}(fresh))")

    def end_lists(self, worker: CudaWorker) -> None:
        """Write nothing, as nothing is listed."""

    def num_found(self) -> str:
        return f"{super().num_found()} + {self.own(Own.RECEIVERS)}"

    def beginning(self) -> str:
        return f"""
            {self.own(Own.RECEIVERS)} = 0{super().beginning()}"""

    def ending(self) -> str:
        return f"""
            {self.own(Own.RECEIVERS)} = 0{super().ending()}"""

    def settle_words(self, worker: CudaWorker, keeps: str, written: str) -> None:
        """Write the walk over what was spread to, or over all own words, which are listed then.

        Whom a walk finds stands on a warp's pile until its list takes many at once.
        """
        writer, number, copies = worker.writer, worker.number, worker.writer.copies
        worker.use_piles()
        pile = f"{worker.piles}, own_pile(0), held"
        queue = f"next_words, state, {self.own_place(Own.RECEIVERS)}"
        self.begin_own(worker)
        waves = self.waves_of_parts(worker)
        writer.add(f"""
            ordered, pulled = state[HAS_ORDER] != 0, state[PULLING] != 0
            count = {number}({self.own(Own.NEXT_WORDS)})
            if pulled:
                count = {number}({worker.vertices})
                if ordered: count = {number}((own_end - own_begin) << {number}({copies.shift}))
            arcs, held = np.int64(0), np.int32(0)
            base = {number}({number}(me >> 5) * 32)
        """)
        with writer.block("while base < count:"):
            writer.add(f"""
                row = {number}(base + {number}(cuda.laneid))
                word, fresh, before = {number}(0), np.int64(0), np.int64(0)
            """)
            with writer.block("if row < count:"):
                self.settle_row(worker, keeps, waves)
            writer.add(f"""
                if pulled: held = pile_up({pile}, fresh != 0, word, {queue})
                write_words(np.int64(word), fresh, before, {written})
                base = {number}(base + (threads >> 5) * 32)
            """)
        writer.add(f"""
            if held > 0: empty_pile({pile}, {queue})
            arcs = total_of(arcs)
            if cuda.laneid == 0 and arcs != 0: fetch_add(state, PENDING_ARCS, arcs)
        """)

    def settle_row(self, worker: CudaWorker, keeps: str, waves: list[str]) -> None:
        """Write what a word has found, here as settled and to others, and its vertex's arcs."""
        writer, number, copies = worker.writer, worker.number, worker.writer.copies
        order, owned = writer.graph("pull_order"), writer.scratch("owned", "uint8", "N")
        row, vertex = copies.vertex("row"), copies.vertex("word")
        place = copies.like(f"own_begin + {number}({row})", "row")
        writer.add(f"""
            stands, is_own = {number}({place}), True
            if not pulled:
                word = {number}(next_words[row])
            elif ordered:
                word = {number}({copies.like(f"{order}[{row}]", "row")})
            else:
                word = row
                is_own = {owned}[{row}] != 0
        """)
        with writer.block("if not (pulled and ordered):"):
            writer.add(f"stands = {self.at(worker, 'word', 'placed')}")
        writer.add("if is_own: fresh = np.int64(next_wave[stands])")
        with writer.block("if fresh != 0:"):
            writer.add(f"told = np.{self.dtype}(fresh)")
            for part, theirs in enumerate(waves):
                writer.add(f"if state[PART] != {part}: {theirs}[stands] = told")
            writer.add("before = np.int64(settled[stands])")
            with writer.block(f"if {keeps}:"):
                writer.add(f"settled[stands] = np.{self.dtype}(before | fresh)")
            first, arcs = writer.offsets("out"), writer.graph("pull_arcs")
            with writer.block("if pulled:"):
                writer.add(f"arcs += np.int64({arcs}[{row}])")
            with writer.block("else:"):
                writer.add(f"""
                    arcs += np.int64({first}[{vertex} + ONE]) - np.int64({first}[{vertex}])
                """)

    def survey(self) -> None:
        worker = self.bits_worker("survey")
        writer, array = worker.writer, self.claimed.column(worker.writer)
        inside = f"{array}, np.int64(word), {worker.vertices}, {self.claimed.empty}, {self.bits}"
        writer.add(f"word = {worker.number}(me >> 5)")
        with writer.block(f"while word < {worker.vertices}:"):
            writer.add(f"found = word_of({inside})")
            at = self.at(worker, "word", "at")
            writer.add(f"if cuda.laneid == 0: settled[{at}] = np.{self.dtype}(found)")
            writer.add(f"word = {worker.number}(word + (threads >> 5))")
        self.phase(worker)
