"""The phases in which a part stores where others read: own rows, whom it activated, and its sets.

They run between two meetings, when all parts are done with what they read and nobody goes on.
"""

from __future__ import annotations

from emv.codegen.cuda.meetings import peers
from emv.codegen.cuda.program import ProgramText
from emv.codegen.cuda.threads import CudaWorker
from emv.codegen.queues import VERTICES
from emv.codegen.unit import Unit
from emv.codegen.writer import Writer
from emv.passes.meet import key_of
from emv.passes.needs import Right


def turned(writer: Writer, parts: int, name: str, other: str, flipped: str) -> list[str]:
    """Name an array as each part has it, which has changed places with another as a place says."""
    both = [*zip(*(peers(writer, parts, each) for each in (name, other)), strict=True)]
    for one, two in both:
        writer.add(f"if {flipped} != 0: {one} = {two}")
    return [one for one, _ in both]


class Telling:
    """Writes such phases for so many parts."""

    def __init__(self, unit: Unit, program: ProgramText, parts: int) -> None:
        self.unit, self.program, self.parts = unit, program, parts

    def column(self, writer: Writer, name: str) -> str:
        """Name a column as this part has it."""
        schedule = self.unit.schedule
        kind, field = key_of(schedule, name)
        return writer.column(kind, field, schedule.program.fields[kind, field].dtype.name)

    def hand_on(self, phase: str, handed: dict[str, Right]) -> None:
        """Write the phase that stores all own rows to the parts that read them."""
        worker = CudaWorker(self.unit, phase, None)
        writer = worker.writer
        owned = writer.scratch("owned", "uint8", "N")
        owns = writer.block(f"if {owned}[{writer.copies.vertex('v')}] != 0:")
        with worker.ids(None, "v", worker.vertices), owns:
            self.rows(writer, handed)
        self.program.run(worker)

    def rows(self, writer: Writer, handed: dict[str, Right]) -> None:
        """Write how the rows of an own vertex ``v`` are stored to the parts that read them."""
        readers = writer.scratch("readers", "uint32", "N")
        writer.add(f"read_by = {readers}[{writer.copies.vertex('v')}]")
        for name, right in handed.items():
            own = self.column(writer, name)
            for part, theirs in enumerate(peers(writer, self.parts, name)):
                to_all = right is Right.EVERYWHERE
                test = f"state[PART] != {part}" if to_all else f"(read_by & {1 << part}) != 0"
                writer.add(f"if {test}: {theirs}[v] = {own}[v]")

    def tell(self, phase: str, word: str, handed: dict[str, Right], held: str = "") -> None:
        """Write the phase that puts into the queues of all parts whom this one has queued.

        Parameters
        ----------
        word : {"pending", "active"}
            Which queue; where it has grown, and by how much, the meeting has said.
        handed : dict
            Arrays of which their rows go along.
        held : str
            An array of which the first one's row goes along.
        """
        worker = CudaWorker(self.unit, phase, None)
        writer, queue = worker.writer, VERTICES.queue(worker, word)
        other = {"pending": "active", "active": "pending"}[word]
        VERTICES.queue(worker, other)  # which both change places, as the state says
        theirs = turned(writer, self.parts, word, other, "state[FLIPPED]")
        arrays = {self.column(writer, each): peers(writer, self.parts, each) for each in handed}
        self.store(worker, queue, theirs, arrays, held)

    def store(
        self,
        worker: CudaWorker,
        queue: str,
        theirs: list[str],
        arrays: dict[str, list[str]],
        held: str = "",
    ) -> None:
        """Write the walk over what this part has added to a queue, which it stores to all others.

        Parameters
        ----------
        theirs : list of str
            The queue as each part has it.
        arrays : dict
            Arrays of which entries go along, as this part and as each has them.
        held : str
            An array of which the first entry that was added goes along.
        """
        writer = worker.writer
        places = writer.scratch("told_at", "int64", f"{self.parts}")
        writer.add("part, count, first = state[PART], state[OWN_COUNT], state[TOLD_FROM]")
        for part in range(self.parts):
            writer.add(f"at_{part} = {places}[{part}]")
        writer.add("k = np.int64(me)")
        if held:
            own = self.column(writer, held)
            with writer.block("if k == 0 and count > 0:"):
                writer.add(f"told = {queue}[first]")
                for part, copy in enumerate(peers(writer, self.parts, held)):
                    writer.add(f"if part != {part}: {copy}[told] = {own}[told]")
        with writer.block("while k < count:"):
            writer.add(f"told = {queue}[first + k]")
            for number, own in enumerate(arrays):
                writer.add(f"held_{number} = {own}[told]")
            for part, one in enumerate(theirs):
                with writer.block(f"if part != {part}:"):
                    writer.add(f"{one}[at_{part} + k] = told")
                    for number, copies in enumerate(arrays.values()):
                        writer.add(f"{copies[part]}[told] = held_{number}")
            writer.add("k += np.int64(threads)")
        self.program.run(worker)

    def sets(self, writer: Writer, field: str) -> tuple[str, str]:
        """Name the sets of a part, and what others read of them."""
        kept = writer.scratch(f"met_{field}", self.unit.ids, "N")
        return writer.column("vertex", field, "int64"), kept

    def keep_sets(self, name: str, field: str) -> None:
        """Write the phase that flattens sets, and keeps for others in which each vertex is."""
        worker = CudaWorker(self.unit, f"{name}_keep", None)
        sets, kept = self.sets(worker.writer, field)
        with worker.ids(None, "v", worker.vertices):
            worker.writer.add(f"flatten_one({sets}, v)\n{kept}[v] = {sets}[v]")
        self.program.run(worker)

    def join_sets(self, name: str, field: str) -> None:
        """Write the phases that join what is joined in any part."""
        worker = CudaWorker(self.unit, f"{name}_join", None)
        writer = worker.writer
        sets, _ = self.sets(writer, field)
        with worker.ids(None, "v", worker.vertices):
            for part, theirs in enumerate(peers(writer, self.parts, f"met_{field}")):
                with writer.block(f"if state[PART] != {part}:"):
                    writer.add(
                        f"other = {theirs}[v]\nif other != v: join(shared, {sets}, v, other)"
                    )
        self.program.run(worker)
        worker = CudaWorker(self.unit, f"{name}_flatten", None)
        worker.flatten(self.sets(worker.writer, field)[0])
        self.program.run(worker)
