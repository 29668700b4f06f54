"""The phases in which a part stores where others read: own rows, whom it activated, and its sets.

They run between two meetings, when all parts are done with what they read and nobody goes on.
"""

from __future__ import annotations

from emv.codegen.cuda.flattening import walk_roots
from emv.codegen.cuda.meetings import peers
from emv.codegen.cuda.program import ProgramText
from emv.codegen.cuda.threads import CudaWorker
from emv.codegen.queues import VERTICES, JointQueue, Queue
from emv.codegen.unit import Part, Unit
from emv.codegen.worker import Worker
from emv.codegen.writer import Writer
from emv.passes.meet import key_of
from emv.passes.needs import Right

TOGETHER = 8  # vertices that a thread looks at before it joins their sets


def turned(writer: Writer, parts: int, name: str, other: str, flipped: str) -> list[str]:
    """Name an array as each part has it, which has changed places with another as a place says."""
    both = [*zip(*(peers(writer, parts, each) for each in (name, other)), strict=True)]
    for one, two in both:
        writer.add(f"if {flipped} != 0: {one} = {two}")
    return [one for one, _ in both]


def readers_of(writer: Writer, parts: int) -> str:
    """Name the array of a bit for each part that reads an own vertex, and for the own one.

    Of vertices of others there are none.
    """
    return writer.scratch("readers", type_of_readers(parts), "N")


def type_of_readers(parts: int) -> str:
    """Return the type of its entries."""
    return "uint8" if parts <= 8 else "uint32"


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
            self.rows(worker, handed)
        self.program.run(worker)

    def rows(self, worker: Worker, handed: dict[str, Right]) -> None:
        """Write how the rows of an own vertex ``v`` are stored to the parts that read them."""
        writer = worker.writer
        readers = readers_of(writer, self.parts)
        writer.add(f"read_by = {readers}[{writer.copies.vertex('v')}]")
        for number, (name, right) in enumerate(handed.items()):
            writer.add(f"told_{number} = {self.column(writer, name)}[v]")
            for part, theirs in enumerate(peers(writer, self.parts, name)):
                test = f"state[PART] != {part}"
                if right is not Right.EVERYWHERE:
                    test += f" and (read_by & {1 << part}) != 0"
                writer.add(f"if {test}: {theirs}[v] = told_{number}")

    def tell(
        self, phase: str, word: str, handed: dict[str, Right], meanwhile: bool = False
    ) -> None:
        """Write the phase that stores to all parts the rows of whom this one has queued.

        Parameters
        ----------
        word : {"pending", "active"}
            Which queue.
        handed : dict
            The arrays.
        meanwhile : bool
            Whether others may be reading them.
        """
        store = "store_meanwhile({}, told, {})" if meanwhile else "{}[told] = {}"
        worker = CudaWorker(self.unit, phase, None)
        writer, queue = worker.writer, VERTICES.queue(worker, word)
        writer.add(f"part, count = state[PART], state[NUM_{word.upper()}]\nk = np.int64(me)")
        with writer.block("while k < count:"):
            writer.add(f"told = {queue}[k]")
            for number, name in enumerate(handed):
                writer.add(f"held_{number} = {self.column(writer, name)}[told]")
            for number, name in enumerate(handed):
                for part, theirs in enumerate(peers(writer, self.parts, name)):
                    writer.add(f"if part != {part}: {store.format(theirs, f'held_{number}')}")
            writer.add("k += np.int64(threads)")
        self.program.run(worker)

    def joint(self, part: Part, in_order: bool) -> Queue:
        """Name the queues of the active of all parts, and write where each begins.

        To be put in order they are gathered before in one of the own.
        """
        if in_order and self.unit.schedule.sorted_queues:
            return Queue(part.writer.scratch("all_active", self.unit.ids, "V"), "state[NUM_ACTIVE]")
        return self.of_parts(part)

    def of_parts(self, part: Part) -> JointQueue:
        """Name the queues of the active of all parts, as they lie there."""
        writer, name = part.writer, VERTICES.queue(part, "active")
        each = turned(writer, self.parts, "active", "pending", "state[FLIPPED]")
        begins = writer.scratch("stretches", "int64", f"{self.parts}")
        for number in range(1, self.parts):
            writer.add(f"stretch_{number} = {begins}[{number}]")
        return JointQueue(name, "state[NUM_ACTIVE]", tuple(each))

    def gather(self, phase: str) -> None:
        """Write the phase that gathers the active of all parts in one queue, to be put in order."""
        worker = CudaWorker(self.unit, phase, None)
        queue, all_active = self.of_parts(worker), self.joint(worker, in_order=True)
        worker.writer.add(f"k = np.int64(me)\ncount = {queue.length}")
        with worker.writer.block("while k < count:"):
            worker.writer.add(f"{all_active.name}[k] = {queue.at('k')}\nk += np.int64(threads)")
        self.program.run(worker)

    def turn(self, writer: Writer) -> str:
        """Return what one thread does where the pending of all parts become the active."""
        begins = writer.scratch("stretches", "int64", f"{self.parts}")
        queued = writer.scratch("queued_of_parts", "int64", f"{self.parts}", 0)
        numbers = range(self.parts)
        lines = [
            f"going_on_{number} = {queued}[{number}]" for number in numbers
        ]  # one wait for all
        lines.append("going_on = np.int64(0)")
        for number in numbers:
            lines += [
                f"{begins}[{number}] = going_on",
                f"going_on += going_on_{number}",
                f"{queued}[{number}] = 0",
            ]
        return "\n".join(
            [
                *lines,
                "state[NUM_ACTIVE] = going_on",
                "state[ACTIVE_ARCS] = state[ALL_PENDING_ARCS]",
                "state[ALL_PENDING] = 0",
                "state[ALL_PENDING_ARCS] = 0",
                "state[FRONT] = state[NEXT_FRONT]",
                "state[ALL_HOLD] = state[NEXT_HELD]",
            ]
        )

    def sets(self, writer: Writer, field: str) -> str:
        """Name the sets of a part."""
        return writer.column("vertex", field, "int64")

    def named(self, field: str) -> tuple[str, str, str]:
        """Return what a part has of the sets of all, as a scratch array: name, dtype and size."""
        return f"met_{field}", self.unit.ids, f"{self.parts}*V"

    def keep_sets(self, name: str, field: str) -> None:
        """Write the phase that flattens sets, and stores to all parts in which each vertex is.

        Stores to others take half as long as loads from them, and nobody waits for each.
        """
        worker = CudaWorker(self.unit, f"{name}_keep", None)
        writer, sets = worker.writer, self.sets(worker.writer, field)
        writer.scratch(*self.named(field))
        writer.add("first_of_own = state[PART] * state[NUM_VERTICES]")
        with walk_roots(worker, sets) as numbers:
            for theirs in peers(writer, self.parts, f"met_{field}"):
                for k in numbers:
                    writer.add(f"{theirs}[np.int64(v_{k}) + first_of_own] = root_{k}")
        self.program.run(worker)

    def join_sets(self, name: str, field: str) -> None:
        """Write the phases that join what is joined in any part.

        Most vertices are named alike by all, and nothing of their sets is read. A warp waits for a
        join if one lane has any, so each lane looks at several vertices first, and then joins those
        few, while others join theirs.
        """
        worker = CudaWorker(self.unit, f"{name}_join", None)
        writer, sets = worker.writer, self.sets(worker.writer, field)
        kept, others = writer.scratch(*self.named(field)), range(1, self.parts)
        writer.add(f"""
            size, stride, k = np.int64({worker.vertices}), np.int64(threads), np.int64(me)
            own_rows = state[PART] * size
        """)
        for k in others:
            writer.add(f"rows_{k} = (state[PART] + {k}) % {self.parts} * size")
        with writer.block("while k < size:"):
            writer.add("waiting = np.int32(0)")
            for each in range(TOGETHER):
                writer.add(f"""
                    v_{each} = {worker.number}(min(k + {each} * stride, size - 1))
                    own_{each} = {kept}[own_rows + np.int64(v_{each})]
                """)
                for k in others:
                    writer.add(f"other_{each}_{k} = {kept}[rows_{k} + np.int64(v_{each})]")
            for each in range(TOGETHER):
                for k in others:
                    other = f"other_{each}_{k}"
                    differs = f"{other} != own_{each} and {other} != v_{each}"
                    writer.add(f"if {differs}: waiting |= np.int32({1 << each})")
            with writer.block("while waiting != 0:"):
                writer.add(f"""
                    at = np.int64(cuda.ffs(waiting) - 1)
                    v = {worker.number}(min(k + at * stride, size - 1))
                    waiting = np.int32(waiting & (waiting - 1))
                    own = {kept}[own_rows + np.int64(v)]
                """)
                for k in others:
                    writer.add(f"""
                        other = {kept}[rows_{k} + np.int64(v)]
                        if other != own and other != v: join(shared, {sets}, own, other)
                    """)
            writer.add(f"k += {TOGETHER} * stride")
        self.program.run(worker)
        worker = CudaWorker(self.unit, f"{name}_flatten", None)
        worker.flatten(self.sets(worker.writer, field))
        self.program.run(worker)
