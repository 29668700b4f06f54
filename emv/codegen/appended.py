"""Messages at the end of one array, grouped by receiver when all are sent.

Threads take places by a counter (Mitani, Ino and Hagihara, GPGPU 2014: one atomic operation per
warp), so messages to any vertex, and any number of them, find room. What follows depends on how
many messages and receivers there are, never on how many vertices.

Each receiver takes a stretch of ``entries`` of the length that was counted while messages were
sent, and the messages go there. Lists that grow while messages are sent stand in
`emv.codegen.lists`.

Where the order shows, a receiver's entries are sorted by key: the instance and arc that sent, then
how many messages the instance had sent. That is the order of the eager backend.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from emv.codegen.buffers import Store, forget_receivers
from emv.codegen.launch import LaunchText
from emv.codegen.queues import receivers_of
from emv.codegen.rows import Rows
from emv.codegen.state import NO_ROOM, Own, place_of_launch
from emv.codegen.worker import Worker
from emv.errors import Loc
from emv.ir import body as b
from emv.ir.kernel import Room
from emv.passes.sends import is_repeated, most_messages, sends_of

TURN_BITS = {"uint32": 29, "uint64": 22}  # of a key: the rest holds the instance and arc


class Appended(Store):
    """Messages stand in the order in which threads found places for them."""

    @property
    def name(self) -> str:
        """Return what the room is called where it is not known before the run."""
        return f"M{self.base}"

    @property
    def size(self) -> str:
        """Return how many messages there is room for: what is proven, or what runs have found."""
        return most_messages(self.launch) or self.name

    @property
    def may_overflow(self) -> bool:
        """Return whether there may be more messages than room."""
        return self.size == self.name

    def sized(self, worker: Worker, times: int = 1) -> str:
        """Return the size of an array, with what threads take and leave empty."""
        terms = [*self.size.split("+"), *worker.spare]
        if self.may_overflow:
            over = self.launch.domain.kind in ("edges", "active_edges")
            instance = ("E" if over else "A") if self.launch.arc_form else "V"
            worker.unit.rooms[self.name] = self.begin_room(instance)
        return "+".join(term if times == 1 else f"{term}*{times}" for term in terms)

    def begin_room(self, instance: str) -> Room:
        """Return the room of runs that know nothing; ``instance`` counts what may send."""
        return Room(f"{instance}+1024")

    def size_in(self, worker: Worker) -> str:
        return self.sized(worker)

    def scratch(self, worker: Worker, stem: str, dtype: str) -> str:
        """Name an array with an entry per message."""
        return worker.writer.scratch(f"{stem}{self.base}", dtype, self.sized(worker))

    def key(self, worker: Worker) -> str:
        """Name the keys; negative where a thread left its place empty."""
        return self.scratch(worker, "key", "int64")

    def marker(self, worker: Worker) -> str:
        """Name the array that is negative where a thread left its place empty."""
        return self.key(worker)

    def target(self, worker: Worker) -> str:
        """Name the receivers of messages."""
        return self.scratch(worker, "target", worker.unit.ids)

    def entries(self, worker: Worker) -> str:
        """Name the messages in the order of receivers."""
        return self.scratch(worker, "heard", "int64")

    def heard(self, worker: Worker) -> tuple[str, str]:
        """Name how many messages a vertex has, and where its stretch of the entries ends."""
        scratch = worker.writer.scratch
        return (
            scratch(f"num_heard{self.base}", "int64", "V", 0),
            scratch(f"heard_end{self.base}", "int64", "V"),
        )

    def forget(self, text: LaunchText) -> None:
        """Write the phases that forget the messages and receivers of the last superstep."""
        forget_receivers(text, self)
        text.serial(f"{self.place(Own.COUNT)} = 0")
        text.serial(f"{self.place(Own.REGIONS)} = 0")

    def put(self, worker: Worker, stmt: b.Send, values: list[str], how: str) -> None:
        """Write a message to place ``entry``."""
        worker.writer.add(f"{self.key(worker)}[entry] = {self.key_of(worker, stmt, how)}")
        self.write(worker, values)

    @contextlib.contextmanager
    def taken(self, worker: Worker) -> Iterator[None]:
        """Write how a thread takes a place, and what it does if there is room."""
        worker.take_place(place_of_launch(self.base, Own.COUNT), self.marker(worker))
        is_room = f"if entry < {self.place(Own.ROOM)}:" if self.may_overflow else ""
        with worker.writer.block(is_room):
            yield

    def key_of(self, worker: Worker, stmt: b.Send, how: str) -> str:
        """Return the text of a message's key: where it was sent, and how many were before.

        What an instance sends to any vertex comes before what it sends along arcs.
        """
        writer, launch = worker.writer, self.launch
        arc = Rows(writer, launch.layout, "out").id_at("arc", "arc")
        if launch.domain.kind in ("edges", "active_edges"):
            base = "np.int64(edge)"
        elif launch.send.kind == "edge":
            base = f"np.int64({arc}) * 2" + (" + 1" if how == "arc" else "")
        else:
            v = "src" if launch.arc_form else "v"
            first = arc if how == "arc" else f"{writer.graph('first_out')}[{v}]"
            base = f"np.int64({first}) + np.int64({v})" + (" + 1" if how == "arc" else "")
        if not is_repeated(launch):
            count = len(sends_of(launch))
            return base if count == 1 else f"({base}) * {count} + {stmt.site}"
        writer.add("turn += 1")
        return f"(({base}) << {TURN_BITS[worker.unit.ids]}) + turn"

    def after_send(self, text: LaunchText) -> None:
        """Write the end of the sending: what found no room ends the run, which then begins anew."""
        if self.may_overflow:
            count, room = self.place(Own.COUNT), self.place(Own.ROOM)
            lines = [f"if {count} > {room}:", f"    {self.place(Own.NEED)} = {count}"]
            lines += [f"    {count} = {room}", f"    state[BAD_INDEX] = {NO_ROOM}"]
            text.serial("\n".join(lines))

    @contextlib.contextmanager
    def every(self, worker: Worker) -> Iterator[None]:
        is_taken = f"if {self.marker(worker)}[entry] >= 0:" if worker.spare else ""
        with worker.ids(None, "entry", self.place(Own.COUNT)), worker.writer.block(is_taken):
            yield

    @contextlib.contextmanager
    def walk(self, worker: Worker, vertex: str, loc: Loc | None = None) -> Iterator[None]:
        """Write the loop over a vertex's stretch of the entries."""
        with worker.writer.block(f"for at in range({', '.join(self.span(worker, vertex))}):", loc):
            worker.writer.add(f"entry = {self.entries(worker)}[at]")
            yield

    def receiver(self, worker: Worker) -> str:
        return f"{self.target(worker)}[entry]"

    def fold(self, text: LaunchText) -> None:
        """Write the fold over equal shares of the entries.

        Which receiver's stretch comes first is different in every run, and with it where shares
        end, so that a sum in one order is that of one thread.
        """
        if text.unit.schedule.sorted_queues:
            self.fold_each(text)
        else:
            text.fold_shares(self)

    def total(self) -> str:
        """Return the text of the number of messages."""
        return self.place(Own.REGIONS)

    def locate(self, worker: Worker, position: str) -> str:
        return f"np.int64({self.target(worker)}[{self.entries(worker)}[{position}]])"

    def span(self, worker: Worker, row: str) -> tuple[str, str]:
        counts, ends = self.heard(worker)
        return f"{ends}[{row}] - {counts}[{row}]", f"{ends}[{row}]"

    def at(self, worker: Worker, position: str) -> str:
        return f"{self.entries(worker)}[{position}]"


class Grouped(Appended):
    """Messages are grouped by receiver once all are sent."""

    def unmark(self, worker: Worker) -> None:
        worker.writer.add(f"{self.heard(worker)[0]}[v] = 0")

    def send(
        self, text: LaunchText, worker: Worker, stmt: b.Send, values: list[str], to: tuple[str, str]
    ) -> None:
        """Write a message behind the others; its receiver counts it."""
        queue = receivers_of(worker, self.base).name
        with self.taken(worker):
            self.put(worker, stmt, values, to[1])
            worker.writer.add(f"{self.target(worker)}[entry] = {to[0]}")
            counts = self.heard(worker)[0]
            with worker.writer.block(f"if add_if(shared, {counts}, {to[0]}, 1) == 0:"):
                worker.append(queue, str(text.length), to[0])

    def gather(self, text: LaunchText) -> None:
        """Write the phases that group: a stretch per receiver, its messages there, their order."""
        self.after_send(text)
        worker = text.worker("group_stretches")
        counts, ends = self.heard(worker)
        with worker.ids(receivers_of(worker, self.base), "v", ""):
            place = place_of_launch(self.base, Own.REGIONS)
            worker.writer.add(f"{ends}[v] = take_stretch(shared, state, {place}, {counts}[v])")
        text.phase(worker)
        worker = text.worker("group_messages")
        ends, entries = self.heard(worker)[1], self.entries(worker)
        with self.every(worker):
            at = f"add_if(shared, {ends}, {self.target(worker)}[entry], 1)"
            worker.writer.add(f"{entries}[{at}] = entry")
        text.phase(worker)
        if self.is_ordered:
            text.sort_messages(self)


class Unread(Appended):
    """Messages that no function reads: the host takes them, and nobody is their receiver."""

    def unmark(self, worker: Worker) -> None:
        """Write nothing: there are no receivers."""

    def forget(self, text: LaunchText) -> None:
        """Write that there are no messages; receivers are never entered."""
        text.serial(f"state[{text.length}] = 0")
        text.serial(f"{self.place(Own.COUNT)} = 0")

    def send(
        self, text: LaunchText, worker: Worker, stmt: b.Send, values: list[str], to: tuple[str, str]
    ) -> None:
        """Write a message behind the others."""
        with self.taken(worker):
            self.put(worker, stmt, values, to[1])

    def gather(self, text: LaunchText) -> None:
        """Write what becomes of messages that found no room."""
        self.after_send(text)
