"""The function in which one warp meets the other parts: what it says, the wait, and the folds.

It says what its part has voted, counted and activated, hears what the others have, and folds all in
the order of the parts; so all go on with the same, and nobody leads. Each word has a lane, which
stores it into the box of every other part, hears what these say of it, and folds that. All lanes
find all words of their own part: the places of the state are read side by side, once.
"""

from __future__ import annotations

from emv.codegen.state import Own, own_text
from emv.codegen.unit import Unit
from emv.codegen.worker import wide
from emv.codegen.writer import Writer
from emv.ir import schedule as s
from emv.ir.kernel import Buffer
from emv.passes.meet import aggregates_of

PART_BITS = 6  # of what a part says it missed: the number of the other; above them the launch
STEP_SHIFT = 32  # above both stands the superstep
BOX_WORDS = 32  # elements of a row of a box, see `emv_kernels.cuda.meeting`
WARP = "0xFFFFFFFF"
FOLDS = {
    "first": "{0}",
    "total": "{0} + {1}",
    "count": "{0} + {1}",
    "largest": "max({0}, {1})",
    "smallest": "min({0}, {1})",
}
VOTES = ("KEEP_GOING", "HALT", "ACTIVATED")  # 0 or 1 each, said in one word
GROWN = "(1 if state[NUM_PENDING] > state[PENDING_BEFORE] else 0)"


def peers(writer: Writer, parts: int, name: str) -> list[str]:
    """Name an array as each part has it."""
    return [
        writer.use(Buffer(f"peer{part}_{name}", "peer", key=(part, name))) for part in range(parts)
    ]


def word_stretches(writer: Writer, parts: int) -> str:
    """Name the array of where each part's list of words begins, one behind the other."""
    return writer.scratch("word_stretches", "int64", f"{parts}")


def of_launch(unit: Unit, launch: s.Launch, parts: int, activates: bool) -> Meeting:
    """Return the meeting behind a launch, in which parts say what came of it."""
    made = Meeting(unit, launch.number, parts)
    made.vote(activates)
    for op, slot in aggregates_of(launch):
        place = made.writer.slot(slot)
        made.fold(op, place, place, is_float=wide(slot) != "int64")
    if isinstance(launch.shortcut, s.Claim):
        holds = own_text(launch.number, Own.NEXT_HOLDS)
        made.fold("largest", holds, holds)
    if isinstance(launch.shortcut, s.Claim) and launch.follows:
        open_of_all, own = (own_text(launch.number, e) for e in (Own.OPEN_OF_ALL, Own.NEXT_OPEN))
        made.fold("total", open_of_all, own)
    if activates:
        made.count_queue("PENDING")
    return made


class Meeting:
    """Writes one such function; where nothing is added to it, that all have come is all it says.

    Parameters
    ----------
    number : int
        Of the launch behind which they meet.
    """

    def __init__(self, unit: Unit, number: int, parts: int) -> None:
        self.number, self.parts = number, range(parts)
        self.writer = Writer(unit.buffers)
        self.writer.state()
        self.words: list[str] = []  # what this part says
        self.behind: dict[int, list[str]] = {}  # what becomes of what all have said, by word
        self.shared: list[str] = []  # what lanes tell each other before

    def box(self) -> str:
        """Name the box of a part."""
        return self.writer.scratch("box", "int64", f"{2 * BOX_WORDS * len(self.parts)}", 0)

    def written(self) -> Writer:
        """Return everything: what is said, the wait, and the folds."""
        add = self.writer.add
        add("cuda.syncwarp()\nnumber, part = state[MET] + 1, state[PART]")
        add("patience, budget = state[PATIENCE], state[BUDGET]")
        for word, text in enumerate(self.words):  # all are under way while the others are ordered
            add(f"own_{word} = np.int64({text})")
        add("order_system()\nown = np.int64(0)")
        for word in range(len(self.words)):
            add(f"own = own_{word} if lane == {word} else own")
        add("place = box_place(number, part, PARTS, lane)")
        boxes, num_words = peers(self.writer, len(self.parts), "box"), max(1, len(self.words))
        for part, box in enumerate(boxes):
            add(f"if part != {part} and lane < {num_words}: say({box}, place, number, own)")
        self.hear(boxes, num_words)
        for text in self.shared:
            add(text)
        add("if lane == 0: state[MET] = number")
        for word, texts in self.behind.items():
            with self.writer.block(f"if lane == {word}:"):
                for text in texts:
                    add(text)
        add("cuda.syncwarp()")
        return self.writer

    def hear(self, boxes: list[str], num_words: int) -> None:
        """Write the wait for all others; who was alone lets the others know, and leaves."""
        own, add = self.box(), self.writer.add
        add("until = np.int64(nanoseconds()) + patience")
        add("came, missed = np.int64(HEARD), np.int64(0)")
        for part in self.parts:
            add(f"said_{part} = own")
            test = f"if part != {part} and came == HEARD and lane < {num_words}:"
            with self.writer.block(test):
                add(f"theirs = box_place(number, {part}, PARTS, lane)")
                add(f"said_{part}, came = heard({own}, theirs, number, until)")
                add(f"missed = np.int64({self.number << PART_BITS | part})")
        add("first = foremost(came)")
        with self.writer.block("if first < 32:"):
            step = f"state[SUPERSTEPS] << {STEP_SHIFT}"  # of which the barrier may count one more
            add(f"if lane == first: state[CAME], state[MISSED] = came, missed | {step}")
            for part, box in enumerate(boxes):
                add(f"if part != {part} and lane < {BOX_WORDS // 2}: say({box}, place, FAILED, 0)")
            add("cuda.syncwarp()\nreturn")
        add("cuda.syncwarp()")

    def vote(self, activates: bool = False) -> None:
        """Say votes, of which activations are one, and what is left of the budget.

        That is nothing where the host wants the end.
        What it writes is read once, or one part might end a superstep earlier than the others.
        """
        votes = len(self.words)
        shifted = [f"(state[{vote}] << {bit})" for bit, vote in enumerate(VOTES)]
        if activates:
            shifted.append(f"({GROWN} << {VOTES.index('ACTIVATED')})")
        self.words.append(" | ".join(shifted))
        self.later(votes, "votes = " + " | ".join(f"said_{part}" for part in self.parts))
        for bit, vote in enumerate(VOTES):
            self.later(votes, f"state[{vote}] = (votes >> {bit}) & 1")
        for place in ("state[BAD_INDEX]", "state[BAD_ID]"):
            self.fold("largest", place, place)
        self.fold("smallest", "state[BUDGET]", "budget if state[GOES_ON] != 0 else np.int64(0)")

    def later(self, word: int, text: str) -> None:
        """Write what the lane of a word does once all are heard; part k says ``said_k``."""
        self.behind.setdefault(word, []).append(text)

    def fold(self, op: str, place: str, own: str, is_float: bool = False) -> None:
        """Fold a number over the parts, in their order."""
        word = len(self.words)
        self.words.append(f"order_f64({own})" if is_float else own)
        said = [f"said_{part}" for part in self.parts]
        if is_float:
            said = [f"np.float64(unorder_f64(np.uint64({each})))" for each in said]
        found = f"found_{word}"
        self.later(word, f"{found} = {said[0]}")
        for each in said[1:]:
            self.later(word, f"{found} = {FOLDS[op].format(found, each)}")
        self.later(word, f"{place} = {found}")

    def add_up(self, place: str, own: str) -> None:
        """Add a count up over all parts."""
        self.later(len(self.words), f"{place} = " + " + ".join(f"said_{p}" for p in self.parts))
        self.words.append(own)

    def count_words(self, place: str, arcs: str, own: str) -> None:
        """Add up what words all parts have found, listed one part behind the other, and arcs.

        Parameters
        ----------
        place, arcs : str
            The places of how many there are, and of their arcs.
        own : str
            How many this part has found.
        """
        word, begins = len(self.words), word_stretches(self.writer, len(self.parts))
        self.words.append(own)
        self.later(word, "all_found = np.int64(0)")
        for part in self.parts:
            self.later(word, f"{begins}[{part}] = all_found\nall_found += said_{part}")
        self.later(word, f"state[{place}] = all_found")
        self.add_up(f"state[{arcs}]", f"state[{arcs}]")

    def count_queue(self, word: str) -> None:
        """Add up whom all parts have queued; each part's own stand where the others read them.

        Parameters
        ----------
        word : {"PENDING", "ACTIVE"}
            Which queue, by how its places are called.
        """
        number, queued = len(self.words), self.queued()
        for part in self.parts:
            self.later(number, f"{queued}[{part}] = said_{part}")
        self.add_up("state[ALL_PENDING]", f"state[NUM_{word}]")
        self.add_up("state[ALL_PENDING_ARCS]", f"state[{word}_ARCS]")

    def say_front(self, active: str, pending: str) -> str:
        """Say the first whom this part has queued; the first of all is the front.

        Both queues are asked side by side, whichever is the one.
        """
        number = len(self.words)
        self.words.append(
            f"({active}[0] if state[FLIPPED] != 0 else {pending}[0])"
            " if state[NUM_PENDING] > 0 else np.int64(-1)"
        )
        for part in reversed(self.parts):
            self.later(number, f"if said_{part} >= 0: state[NEXT_FRONT] = said_{part}")
        return f"own_{number}"

    def say_held(self, front: str, array: str, dtype: str) -> None:
        """Say what the first of the own holds, which others put into their replica of its row."""
        number = len(self.words)
        self.words.append(f"np.int64({array}[{front}]) if {front} >= 0 else np.int64(0)")
        for part in reversed(self.parts):
            self.shared.append(
                f"first_of_{part} = cuda.shfl_sync({WARP}, said_{part}, {number - 1})"
            )
            first, said = f"first_of_{part}", f"said_{part}"
            self.later(
                number,
                f"if {first} >= 0: state[NEXT_HELD] = {said}\n"
                f"if part != {part} and {first} >= 0: {array}[{first}] = np.{dtype}({said})",
            )

    def queued(self) -> str:
        """Name the array of how many each part has queued."""
        return self.writer.scratch("queued_of_parts", "int64", f"{len(self.parts)}", 0)
