"""Messages in slots: m for each arc, those of one receiver side by side.

The slot of an arc is its number in the order of receivers, Medusa's reverse edge id (Zhong and He,
TPDS 25, 2014): a sender writes to where the receiver reads, without atomics, and nothing is
grouped. A slot says by the mark of the superstep whether it holds a message, so that none need be
cleared but once in 65,535 supersteps. Where all messages of a source are one, it stays there
instead; where what is sent along an arc can still be worked out when it is heard, nothing is kept.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import AbstractContextManager

from emv.codegen import receiving
from emv.codegen.buffers import Store, forget_receivers
from emv.codegen.expressions import ExpressionText
from emv.codegen.folding import ComponentArrays
from emv.codegen.launch import LaunchText
from emv.codegen.place import Place
from emv.codegen.pull import staged
from emv.codegen.rows import Rows
from emv.codegen.sending import hoist, note_receiver, paste
from emv.codegen.state import Own, place_of_launch
from emv.codegen.unit import Part
from emv.codegen.worker import Worker
from emv.errors import Loc
from emv.ir import body as b
from emv.passes.exchange import hears
from emv.passes.sends import sends_of

MARKS = 65535  # supersteps between two fills of the marks
AT_ARC = "m_"  # before the names of a body that is worked out in another
REACHED_SHARE = 16  # all slots are folded if a sixteenth are those of receivers


class Slots(Store):
    """Messages stand in the slots of their receivers.

    ``order`` is that of what a sender writes, and ``stem`` what its arrays are called after.
    """

    order, stem = "slot", ""

    @property
    def per_arc(self) -> int:
        """Return how many messages an arc has slots for."""
        return len(sends_of(self.launch))

    @property
    def size(self) -> str:
        return f"A*{self.per_arc}"

    def marks(self, worker: Part, stem: str = "sent") -> str:
        """Name the marks of the slots that hold a message."""
        return worker.writer.scratch(f"{stem}{self.base}", "uint16", self.size, 0)

    def times(self, text: str) -> str:
        """Return the text of an arc's first message."""
        whole = f"np.int64({text})"
        return whole if self.per_arc == 1 else f"{whole} * {self.per_arc}"

    def total(self) -> str:
        """Return the text of the number of slots."""
        return f"state[NUM_ARCS] * {self.per_arc}"

    def forget(self, text: LaunchText) -> None:
        """Write the phases that forget the last messages: the mark changes, and that is all."""
        stamp = self.place(Own.STAMP)
        with text.when(f"{stamp} == {MARKS}"):
            for array in self.marked(text):
                text.fill(array, "0", self.total())
            text.serial(f"{stamp} = 0")
        text.serial(f"{stamp} += 1")
        text.serial(f"{self.place(Own.REACHED)} = 0")
        if self.is_noted and (self.launch.receivers or not self.receives):
            forget_receivers(text, self)

    def unmark(self, worker: Worker) -> None:
        worker.writer.add(f"{worker.flags(f'received{self.base}')}[v] = 0")

    def marked(self, text: LaunchText) -> list[str]:
        """Name all arrays of marks."""
        return [self.marks(text)]

    def begin(self, worker: Worker) -> None:
        """Write the mark of this superstep to a local."""
        worker.writer.add(f"mark = np.uint16({self.place(Own.STAMP)})")

    def begin_sending(self, worker: Worker) -> None:
        """Write the mark to a local, and a count of the receivers' in-arcs."""
        self.begin(worker)
        if self.measures:
            worker.writer.add("reached = np.int64(0)")

    def end_sending(self, worker: Worker) -> None:
        """Write how a sending thread adds what it has counted."""
        if self.measures:
            with worker.writer.block("if reached > 0:"):
                place = place_of_launch(self.base, Own.REACHED)
                worker.writer.add(f"add_if(shared, state, {place}, reached)")

    @property
    def measures(self) -> bool:
        """Return whether the in-arcs of the receivers decide how their messages are folded."""
        return self.is_noted and self.is_folded and self.launch.domain.kind != "all"

    def send(
        self, text: LaunchText, worker: Worker, stmt: b.Send, values: list[str], to: tuple[str, str]
    ) -> None:
        """Write a message to its place among those of the arc, and who receives it."""
        writer, receiver = worker.writer, to[0]
        arc = Rows(writer, text.launch.layout, "out").id_at(self.order, "arc")
        site = f" + {stmt.site}" if self.per_arc > 1 else ""
        writer.add(f"entry = {self.times(arc)}{site}")
        writer.add(f"{self.marks(worker, f'{self.stem}sent')}[entry] = mark")
        self.write(worker, values, f"{self.stem}stored")
        if self.is_noted:
            first = writer.graph("first_in")
            more = f"np.int64({first}[np.int64({receiver}) + 1]) - np.int64({first}[{receiver}])"
            note_receiver(text, worker, receiver, f"reached += {more}" * self.measures)

    @contextlib.contextmanager
    def walk(self, worker: Worker, vertex: str, loc: Loc | None = None) -> Iterator[None]:
        """Write the loop over a vertex's slots that hold a message."""
        self.begin(worker)
        bounds = ", ".join(self.span(worker, vertex))
        with worker.writer.block(f"for entry in range({bounds}):", loc):
            if self.is_sent(worker):
                worker.writer.add(f"if {self.marks(worker)}[entry] != mark: continue")
            yield

    @contextlib.contextmanager
    def every(self, worker: Worker) -> Iterator[None]:
        self.begin(worker)
        with (
            worker.ids(None, "entry", self.total()),
            worker.writer.block(f"if {self.is_sent(worker)}:"),
        ):
            yield

    def receiver(self, worker: Worker) -> str:
        graph = worker.writer.graph
        return f"{graph('dst_of_arc')}[{graph('arc_of_slot')}[{self.slot('np.int64(entry)')}]]"

    def fold(self, text: LaunchText) -> None:
        """Write the fold: over all slots in equal shares, or over those of a few receivers."""
        if self.launch.domain.kind == "all":
            text.fold_shares(self)
            return
        reached = f"{self.place(Own.REACHED)} * {REACHED_SHARE} > state[NUM_ARCS]"
        with text.when(reached, has_else=True):
            text.fold_shares(self)
            if self.receives:
                receiving.after_send(text, pushed=False, sent=True)
        with text.otherwise():
            self.fold_each(text)

    def locate(self, worker: Worker, position: str) -> str:
        """Return the text of the receiver of a slot: the row it stands in."""
        first = worker.writer.graph("first_in")
        return f"row_of({first}, {self.slot(position)}, {{low}}, {{high}})"

    def following(self, worker: Worker, position: str) -> str:
        """Return the text of the receiver of a slot behind those of receiver ``row``."""
        return f"next_row({worker.writer.graph('first_in')}, {self.slot(position)}, row)"

    def slot(self, position: str) -> str:
        """Return the text of the slot of a position."""
        return position if self.per_arc == 1 else f"{position} // {self.per_arc}"

    def span(self, worker: Worker, row: str) -> tuple[str, str]:
        first = worker.writer.graph("first_in")
        return self.times(f"{first}[{row}]"), self.times(f"{first}[np.int64({row}) + 1]")

    def at(self, worker: Worker, position: str) -> str:
        """Return the text of the message at a position: a slot is its own."""
        return position

    def is_sent(self, worker: Worker) -> str:
        """Return the condition that slot ``entry`` holds a message."""
        return f"{self.marks(worker)}[entry] == mark"


class SenderSlots(Slots):
    """Messages stand in slots of their senders first, and a pass brings them to the receivers'."""

    order, stem = "arc", "own_"

    def marked(self, text: LaunchText) -> list[str]:
        return [self.marks(text), self.marks(text, "own_sent")]

    def gather(self, text: LaunchText) -> None:
        """Write the pass that collects: slot by slot, from wherever its sender wrote."""
        worker = text.worker("collect")
        writer = worker.writer
        arcs, kept = writer.graph("arc_of_slot"), self.marks(worker, "own_sent")
        self.begin(worker)
        with worker.ids(None, "slot", "state[NUM_ARCS]"):
            for site in range(self.per_arc):
                plus = f" + {site}" if site else ""
                writer.add(f"own = {self.times(f'{arcs}[slot]')}{plus}")
                with writer.block(f"if {kept}[own] == mark:"):
                    writer.add(f"entry = {self.times('slot')}{plus}")
                    writer.add(f"{self.marks(worker)}[entry] = mark")
                    stored = self.component_arrays(worker).arrays(writer)
                    own = self.component_arrays(worker, "own_stored").arrays(writer)
                    for into, out in zip(stored, own, strict=True):
                        writer.add(f"{into}[entry] = {out}[own]")
        text.phase(worker)


class AtSources(Slots):
    """Messages stand at their sources, one for each vertex, and a slot names its source."""

    def component_arrays(self, worker: Worker, stem: str = "stored") -> ComponentArrays:
        """Return the arrays of the components, one message for each vertex."""
        return staged(self.launch)

    def read(self, worker: Worker) -> list[str]:
        source = f"{worker.writer.graph('src_of_slot')}[entry]"
        return self.component_arrays(worker).read(worker.writer, source)

    def begin(self, worker: Worker) -> None:
        """Do nothing: all slots hold a message."""

    def is_sent(self, worker: Worker) -> str:
        """Return no condition."""
        return ""


class AtArcs(Slots):
    """Messages stand nowhere: who hears them works out what is sent along each of its arcs."""

    def read(self, worker: Worker) -> list[str]:
        return [f"heard_{k}" for k in range(len(self.kinds))]

    @contextlib.contextmanager
    def walk(self, worker: Worker, vertex: str, loc: Loc | None = None) -> Iterator[None]:
        """Write the loop over a vertex's in-arcs, with the sender's body in it."""
        rows, place = Rows(worker.writer, self.launch.layout, "in"), self.place_at(worker, vertex)
        heard = self.is_heard(worker, vertex)
        with worker.writer.block(f"if {heard}:" if heard else ""):
            hoist(worker, place, self.launch.body, "dst")
            with rows.walk(vertex, "entry", "src", loc), self.sent_along(worker, place):
                yield

    def is_heard(self, worker: Worker, vertex: str) -> str:
        asked = hears(self.launch)
        if asked is None:
            return ""
        place = worker.place(AT_ARC, {"own": vertex}, {})
        return ExpressionText(worker.writer, place, self.launch.send.name).text(asked)

    def place_at(self, worker: Worker, vertex: str) -> Place:
        """Return the place of the sender's body at in-arc ``entry`` of a vertex, from ``src``."""
        writer, order = worker.writer, Rows(worker.writer, self.launch.layout, "in").order

        def keep(stmt: b.Send, values: list[str], receiver: str, how: str) -> None:
            for name, value in zip(self.read(worker), values, strict=True):
                writer.add(f"{name} = {value}")
            writer.add("is_sent = True")

        ends, own = {"src": "src", "dst": vertex}, {"own": (order, "entry")}
        return worker.place(AT_ARC, ends, own, on_send=keep)

    @contextlib.contextmanager
    def sent_along(self, worker: Worker, place: Place) -> Iterator[None]:
        """Write the sender's body, and what becomes of a message if it sends one."""
        worker.writer.add("is_sent = False")
        paste(worker, place, self.launch.send, self.launch.body)
        with worker.writer.block("if is_sent:"):
            yield

    def receiver(self, worker: Worker) -> str:
        return f"{worker.writer.graph('dst_of_slot')}[entry]"

    def here(self, worker: Worker) -> AbstractContextManager[None]:
        """Write what is sent along in-arc ``entry`` of vertex ``dst``, if something is."""
        worker.writer.add(f"src = {worker.writer.graph('src_of_slot')}[entry]")
        return self.sent_along(worker, self.place_at(worker, "dst"))

    @property
    def asks_receivers(self) -> bool:
        """Return whether what is sent depends on who receives it."""
        return any(each.role == "dst" for each in self.launch.body.elements)
