"""What every target writes of a `Claim`: all messages of a superstep are one; the first counts.

Pushing, a thread that finds the receiver's field empty changes it by compare-and-swap and runs the
receiver at once. Pulling, a receiver whose field is empty stops at its first active in-neighbour.

The direction follows Beamer, Asanovic and Patterson (SC 2012): pull while the active vertices hold
a fair share of the arcs not yet seen, push when few are active.
"""

from __future__ import annotations

import abc
from typing import Any

from emv.codegen.expressions import ExpressionText, as_stored, cast
from emv.codegen.launch import LaunchText
from emv.codegen.place import Place
from emv.codegen.queues import queue_of
from emv.codegen.sending import RECEIVE, paste, place_of
from emv.codegen.worker import Worker
from emv.codegen.writer import Writer
from emv.dtypes import short_name
from emv.ir import body as b
from emv.ir import schedule as s

ALPHA = 12  # pull when the active hold more than a twelfth of the arcs not yet seen


class ClaimText(abc.ABC):
    """Writes the phases of one claiming launch.

    Attributes
    ----------
    kind : str
        The type of the claimed field.
    is_message : bool
        Whether the field becomes what the receiver is sent.
    """

    def __init__(self, text: LaunchText) -> None:
        self.text, self.launch = text, text.launch
        self.claim: s.Claim = text.launch.shortcut
        self.function = text.launch.receiver.function
        self.dtype = self.function.record.fields[self.claim.field].dtype
        self.kind = short_name(self.dtype)
        self.is_message = self.claim.message is not None and isinstance(self.claim.value, b.Local)

    # What a target says.

    @property
    @abc.abstractmethod
    def empty(self) -> str:
        """Return the text of the empty value."""

    @abc.abstractmethod
    def begin(self, worker: Worker) -> None:
        """Write what a work function knows besides the receiver's parameters."""

    def looks(self, array: str) -> str:
        """Return the condition under which a push tries to claim ``dst``."""
        return f"{array}[dst] == {self.empty}"

    @abc.abstractmethod
    def claims(self, worker: Worker, array: str, vertex: str) -> str:
        """Return the condition that the field of a vertex was empty; it is not any more."""

    def below(self, message: str) -> str:
        """Return the branch in which receivers take a message, if they do not take every one."""
        return f"if {message} < {self.empty}:" if self.claim.rises else ""

    def ask_sender(self, worker: Worker, place: Place) -> None:
        """Write the read of what a sender holds, where it is asked anew."""

    def write_message(self, worker: Worker, place: Place) -> None:
        """Write to the local ``message`` what the field becomes, where it is not known."""

    # The same everywhere.

    @property
    def parameter(self) -> Any:
        """Return the receiver's parameter that takes the message."""
        args = self.launch.receiver.args
        name = next(each.name for each in args if isinstance(each.source, s.Values))
        return next(each for each in self.function.parameters if each.name == name)

    def column(self, writer: Writer) -> str:
        """Name the claimed column."""
        return writer.column("vertex", self.claim.field, self.dtype.name)

    def taken(self, reader: ExpressionText) -> str:
        """Return the message as the receiver takes it, and as the field stores that if it does."""
        message = self.claim.message
        assert message is not None
        made, given = reader.text(message), message.type
        kinds = [self.launch.body.message, self.parameter.type, *[self.kind] * self.is_message]
        for kind in dict.fromkeys(kinds):
            made, given = cast(made, given, kind), kind
        return made

    def value(self, writer: Writer) -> str:
        """Return what the field becomes, made of the receiver's parameters, as it is stored."""
        place = Place({}, {}, RECEIVE, self.text.unit.written)
        reader = ExpressionText(writer, place, self.function.name)
        return as_stored(reader.text(self.claim.value, self.kind), self.kind)

    def also(self, writer: Writer, vertex: str) -> str:
        """Return what else is asked of a receiver, behind ``and``; empty if nothing is."""
        if self.claim.also is None:
            return ""
        place = Place({"own": vertex}, {}, RECEIVE, self.text.unit.written)
        return f" and {ExpressionText(writer, place, '').text(self.claim.also)}"

    def start(self, phase: str) -> Worker:
        """Return a work function that knows what it needs."""
        worker = self.text.worker(phase)
        worker.vote_words(self.function)
        worker.scalar_arguments(self.function, self.launch.receiver.args, RECEIVE)
        self.begin(worker)
        return worker

    def push(self) -> None:
        """Write the push as a phase."""
        worker = self.start("claim")
        self.write_push(worker)
        self.text.phase(worker)

    def write_push(self, worker: Worker) -> None:
        """Write the push: who changes the empty field has received."""
        launch = self.launch
        writer, array = worker.writer, self.column(worker.writer)
        queue = queue_of(worker, launch.domain, launch.ids)
        place = place_of(worker, {"src": "src", "dst": "dst"}, {}, "0", None)
        looks = f"({self.looks(array)}){self.also(writer, 'dst')}"
        owned = worker.reaches("dst")
        looks = f"{owned} and {looks}" if owned else looks
        with worker.asked_arcs(queue, lambda: self.ask_sender(worker, place), looks):
            self.write_message(worker, place)
            with writer.block(f"if {self.claims(worker, array, 'dst')}:"):
                self.received(worker, "dst")

    def received(self, worker: Worker, vertex: str) -> None:
        """Write the receiver's reaction to the message, which is in the field already."""
        writer, then = worker.writer, self.claim.then
        drawn = f"np.int64({writer.copies.vertex(vertex)})"
        place = worker.place(RECEIVE, {"own": vertex}, {}, element=drawn)
        if self.is_message:
            name, kind = self.parameter.name, self.parameter.type
            if any(isinstance(e, b.Local) and e.name == name for e in b.expressions_in(then)):
                writer.add(f"{RECEIVE}{name} = {cast('message', self.kind, kind)}")
        paste(worker, place, self.function, b.Body(then, {}, None, None, ()))
