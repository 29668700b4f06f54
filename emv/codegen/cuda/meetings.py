"""The function in which one thread meets the other parts: what it says, the wait, and the folds.

It says what its part has voted, counted and activated, hears what the others have, and folds all in
the order of the parts; so all go on with the same, and nobody leads. What is said goes into a row
of the box of every part, the own one among them, which stays until the meeting after the next.
"""

from __future__ import annotations

from emv.codegen.quote import quote
from emv.codegen.state import Own, own_text
from emv.codegen.unit import Unit
from emv.codegen.worker import wide
from emv.codegen.writer import Writer
from emv.ir import nodes as n
from emv.ir import schedule as s
from emv.ir.kernel import Buffer
from emv.passes.meet import aggregates_of

PART_BITS = 6  # of what a part says it missed: the number of the other; above them the launch
BOX_WORDS = 16  # of a row of a box, see `emv_kernels.cuda.meeting`
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
        self.behind: list[n.Statement] = []  # what becomes of what all have said

    def box(self) -> str:
        """Name the box of a part."""
        return self.writer.scratch("box", "int64", f"{2 * BOX_WORDS * len(self.parts)}", 0)

    def written(self) -> Writer:
        """Return everything: what is said, the wait, and the folds."""
        add = self.writer.add
        add("""
            number = state[MET] + 1
            state[MET] = number
            part = state[PART]
            row = box_row(number, part, PARTS)
        """)
        for word, text in enumerate(self.words):
            add(f"own_{word} = {text}")
        boxes = peers(self.writer, len(self.parts), "box")
        for part, box in enumerate(boxes):
            for word in range(len(self.words)):
                add(f"say({box}, row, {word}, own_{word})")
            add(f"if part != {part}: sign({box}, row, number)")
        self.hear(boxes)
        for word in range(len(self.words)):  # all are under way before the first is waited for
            for part in self.parts:
                add(f"said_{part}_{word} = said({self.box()}, row_{part}, {word})")
        self.writer.put(self.behind)
        return self.writer

    def hear(self, boxes: list[str]) -> None:
        """Write the wait for all others; who was alone lets the others know, and leaves."""
        own, add = self.box(), self.writer.add
        add("until = np.int64(nanoseconds()) + state[PATIENCE]\ncame = np.int64(HEARD)")
        for part in self.parts:
            add(f"row_{part} = box_row(number, {part}, PARTS)")
            with self.writer.block(f"if part != {part} and came == HEARD:"):
                add(f"came = np.int64(heard({own}, row_{part}, number, until))")
                add(f"if came != HEARD: state[MISSED] = {self.number << PART_BITS | part}")
        with self.writer.block("if came != HEARD:"):
            add("state[CAME] = came")
            for part, box in enumerate(boxes):
                add(f"if part != {part}: sign({box}, row, FAILED)")
            add("return")

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
        self.later("votes = " + " | ".join(self.said(part, votes) for part in self.parts))
        for bit, vote in enumerate(VOTES):
            self.later(f"state[{vote}] = (votes >> {bit}) & 1")
        for place in ("state[BAD_INDEX]", "state[BAD_ID]"):
            self.fold("largest", place, place)
        left = "state[BUDGET] if state[GOES_ON] != 0 else np.int64(0)"
        self.fold("smallest", "state[BUDGET]", left)

    def said(self, part: int, word: int, is_float: bool = False) -> str:
        """Return the text of what a part has said."""
        text = f"said_{part}_{word}"
        return f"np.float64(unorder_f64(np.uint64({text})))" if is_float else text

    def later(self, text: str) -> None:
        """Write what is done once all were heard."""
        self.behind += quote(text, self.writer.known)

    def fold(self, op: str, place: str, own: str, is_float: bool = False) -> None:
        """Fold a number over the parts, in their order."""
        word = len(self.words)
        self.words.append(f"np.int64(order_f64({own}))" if is_float else own)
        found = f"found_{word}"
        self.later(f"{found} = {self.said(0, word, is_float)}")
        for part in self.parts[1:]:
            more = FOLDS[op].format(found, self.said(part, word, is_float))
            self.later(f"{found} = {more}")
        self.later(f"{place} = {found}")

    def count_words(self, place: str, arcs: str) -> None:
        """Add up how many words all parts have found, and where the own ones are to be told.

        A part has its own first, then those of the parts that come after it, and of the first
        parts last; so all lists hold the same, in another order.

        Parameters
        ----------
        place, arcs : str
            The places of how many there are, and of their arcs.
        """
        word, told = len(self.words), self.writer.scratch("told_at", "int64", f"{len(self.parts)}")
        self.words += [f"state[{place}]", f"state[{arcs}]"]
        self.later("all_found = np.int64(0)\nown_first = np.int64(0)")
        for part in self.parts:
            self.later(f"first_{part} = all_found\nif part == {part}: own_first = all_found")
            self.later(f"all_found += {self.said(part, word)}")
        for part in self.parts:
            turned = f"all_found if part < {part} else np.int64(0)"
            self.later(f"{told}[{part}] = own_first - first_{part} + ({turned})")
        total = " + ".join(self.said(part, word + 1) for part in self.parts)
        self.later(f"""
            state[OWN_COUNT] = own_{word}
            state[{place}] = all_found
            state[{arcs}] = {total}
        """)

    def count_queue(self, word: str) -> None:
        """Add up whom all parts have queued; each part's own stand where the others read them.

        Parameters
        ----------
        word : {"PENDING", "ACTIVE"}
            Which queue, by how its places are called.
        """
        number, queued = len(self.words), self.queued()
        self.words += [f"state[NUM_{word}]", f"state[{word}_ARCS]"]
        for part in self.parts:
            self.later(f"{queued}[{part}] = {self.said(part, number)}")
        for k, place in enumerate(("ALL_PENDING", "ALL_PENDING_ARCS")):
            total = " + ".join(self.said(part, number + k) for part in self.parts)
            self.later(f"state[{place}] = {total}")

    def say_front(self, active: str, pending: str) -> str:
        """Say the first whom this part has queued; the first of all is the front."""
        number = len(self.words)
        first = f"{active}[0] if state[FLIPPED] != 0 else {pending}[0]"
        self.words.append(f"np.int64({first}) if state[NUM_PENDING] > 0 else np.int64(-1)")
        for part in reversed(self.parts):
            said = self.said(part, number)
            self.later(f"if {said} >= 0: state[NEXT_FRONT] = {said}")
        return f"own_{number}"

    def say_held(self, front: str, array: str, dtype: str) -> None:
        """Say what the first of the own holds, which others put into their replica of its row."""
        number = len(self.words)
        self.words.append(f"np.int64({array}[{front}]) if {front} >= 0 else np.int64(0)")
        for part in self.parts:
            first, value = self.said(part, number - 1), self.said(part, number)
            self.later(
                f"if part != {part} and {first} >= 0: {array}[{first}] = np.{dtype}({value})"
            )

    def queued(self) -> str:
        """Name the array of how many each part has queued."""
        return self.writer.scratch("queued_of_parts", "int64", f"{len(self.parts)}", 0)
