"""The pulls of `emv.codegen.cuda.open_pulls` where each part of a graph finds its own vertices.

Bits are by the places that all parts have in common (`emv.graph.common_places`), in which a part
has words of its own. It finds in its own memory, and then stores its words to all others, side by
side; so behind the meeting that comes anyhow every part has the bits of all who are active, and no
id is looked up to be entered. All words are stored, those without a bit, too: nobody clears words
of others but where pulls begin, for the superstep whose words nobody stores then.
"""

from __future__ import annotations

from typing import Any

from emv.codegen.cuda.meetings import peers
from emv.codegen.cuda.open_pulls import OpenPull
from emv.codegen.cuda.threads import CudaWorker
from emv.codegen.queues import front_of
from emv.codegen.state import Own


class JointPull(OpenPull):
    """Writes the phases of a pull of so many parts."""

    words = "(pull_words[PARTS])"
    nobody, hub = "(np.int64(words) * 32)", "{number}(pull_place[v] - base)"
    place = "{number}(index + base)"
    own_begin, own_end = "pull_words[state[PART]] + ", "np.int32(pull_words[state[PART] + 1])"

    def __init__(self, claim: Any, parts: int) -> None:
        super().__init__(claim)
        self.parts, self.size = parts, f"{3 * parts}*V/32+{3 * parts}"

    @property
    def left_open(self) -> str:
        """Return the text of how many receivers all parts have left open."""
        return str(self.text.own(Own.OPEN_OF_ALL))

    def write(self) -> None:
        """Write the pull, and how others are told of whom it has found."""
        super().write()
        self.tell()

    def waves(self, worker: CudaWorker) -> str:
        """Name the bits, and write where those of all parts are."""
        worker.writer.graph("pull_words")
        return super().waves(worker)

    def own_waves(self, worker: CudaWorker) -> str:
        """Name the bits, and write where the own ones are, too."""
        bits = self.waves(worker)
        worker.writer.add("""
            own_begin = np.int32(pull_words[state[PART]])
            own_end = np.int32(pull_words[state[PART] + 1])
        """)
        return bits

    def clear(self) -> None:
        """Write the walk that clears all bits of this superstep, and the own ones of the next."""
        worker = self.text.worker("clear")
        bits = self.own_waves(worker)
        with worker.ids(None, "row", f"2 * {self.words}"):
            worker.writer.add(f"""
                word = np.int64(row) - words
                if word < own_end and (word < 0 or word >= own_begin):
                    {bits}[np.int64(row) + words] = 0
            """)
        self.text.phase(worker)

    def begin(self, worker: CudaWorker) -> str:
        bits, number = self.waves(worker), worker.number
        worker.writer.add(f"base = {number}(pull_words[state[PART]] * 32)")
        return bits

    def name_sender(self, worker: CudaWorker) -> None:
        """Write who is asked what all the active hold: the first of all parts."""
        worker.writer.add(f"src = {worker.number}({front_of(worker)})")

    def tell(self) -> None:
        """Write the walk that stores the own words of the next superstep to all others."""
        worker = self.text.worker("tell_bits")
        writer, bits = worker.writer, self.own_waves(worker)
        writer.add("word = np.int32(own_begin + me)\npart = state[PART]")
        with writer.block("while word < own_end:"):
            writer.add(f"at = np.int64(then) + word\nheld = {bits}[at]")
            for part, theirs in enumerate(peers(writer, self.parts, bits)):
                writer.add(f"if part != {part}: {theirs}[at] = held")
            writer.add("word = np.int32(word + threads)")
        self.text.phase(worker)
