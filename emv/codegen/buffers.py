"""Where kept messages wait: what every way of keeping them is to the phases around it.

A `Store` writes what becomes of a message that is sent, what is done between send and receive, and
the walk over a receiver's messages. Slots are in `emv.codegen.slots`; what is appended to one
array, to be grouped or hung into lists, is in `emv.codegen.appended`.

Each launch that sends has arrays of its own, and they hold the messages of one superstep: they are
forgotten where it sends again. So what is read is never what is being written, which is what two
buffers that change places are for elsewhere.
"""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Iterator
from contextlib import AbstractContextManager

from emv.codegen import receiving
from emv.codegen.accumulators import Accumulators
from emv.codegen.folding import ComponentArrays, FoldText
from emv.codegen.launch import LaunchText
from emv.codegen.queues import receivers_of
from emv.codegen.state import Own, own_text
from emv.codegen.unit import Unit
from emv.codegen.worker import Worker
from emv.errors import Loc
from emv.ir import body as b
from emv.ir import schedule as s
from emv.passes.choose_direction import ATOMIC
from emv.passes.sends import sorts_all


@dataclasses.dataclass(frozen=True)
class Store(abc.ABC):
    """How the messages of a launch wait.

    Attributes
    ----------
    number : int
        Whose values they are: the launch that sent them, or a @message launch that changed them.
    launch : Launch
        The launch that sent them.
    kinds : tuple of str
        Types of the components.
    is_noted : bool
        Whether receivers are entered into a queue.
    is_ordered : bool
        Whether messages must reach a receiver in the order in which they were sent.
    is_folded : bool
        Whether they are folded, as they were sent or as a @message function left them.
    """

    number: int
    launch: s.Launch
    kinds: tuple[str, ...]
    is_noted: bool
    is_ordered: bool
    is_folded: bool

    @property
    def base(self) -> int:
        """Return the number of the launch that sent them."""
        return self.launch.number

    @property
    @abc.abstractmethod
    def size(self) -> str:
        """Return how many messages there is room for, as the size of an array."""

    @property
    def receives(self) -> bool:
        """Return whether the function that receives runs where one thread has folded for it."""
        receive = self.launch.receive
        return self.launch.direction == "either" and receive is not None and not receive.everyone

    @property
    def has_queue(self) -> bool:
        """Return whether the receivers' queue is this launch's own."""
        return self.is_noted and self.number == self.base

    def size_in(self, worker: Worker) -> str:
        """Return the size of an array of all messages, with what threads leave empty."""
        return self.size

    def place(self, place: Own) -> str:
        """Return the text of a place of the launch's."""
        return own_text(self.base, place)

    def component_arrays(self, worker: Worker, stem: str = "stored") -> ComponentArrays:
        """Return the arrays of the messages' components."""
        return ComponentArrays.of(f"{stem}{self.number}", self.kinds, self.size_in(worker))

    def read(self, worker: Worker) -> list[str]:
        """Return the texts of the components of message ``entry``."""
        return self.component_arrays(worker).read(worker.writer, "entry")

    def write(self, worker: Worker, values: list[str], stem: str = "stored") -> None:
        """Write components to message ``entry``."""
        self.component_arrays(worker, stem).put(worker.writer, "entry", values)

    @abc.abstractmethod
    def forget(self, text: LaunchText) -> None:
        """Write the phases that forget the messages of the last superstep."""

    @abc.abstractmethod
    def unmark(self, worker: Worker) -> None:
        """Write how ``v`` is made no receiver again."""

    def begin(self, worker: Worker) -> None:
        """Write what a thread needs before it walks over messages, or sends any."""

    def begin_sending(self, worker: Worker) -> None:
        """Write what a sending thread needs before its walk."""
        self.begin(worker)

    def end_sending(self, worker: Worker) -> None:
        """Write what a sending thread hands over behind its walk."""

    @abc.abstractmethod
    def send(
        self, text: LaunchText, worker: Worker, stmt: b.Send, values: list[str], to: tuple[str, str]
    ) -> None:
        """Write what becomes of a message ``to`` a receiver: its text, and how it is meant."""

    def gather(self, text: LaunchText) -> None:
        """Write the phases between send and receive."""

    @abc.abstractmethod
    def walk(
        self, worker: Worker, vertex: str, loc: Loc | None = None
    ) -> AbstractContextManager[None]:
        """Write the loop over a vertex's messages; ``entry`` is the message."""

    @abc.abstractmethod
    def every(self, worker: Worker) -> AbstractContextManager[None]:
        """Write the walk over all messages; ``entry`` is the message."""

    @abc.abstractmethod
    def receiver(self, worker: Worker) -> str:
        """Return the text of the vertex that message ``entry`` is for."""

    def fold(self, text: LaunchText) -> None:
        """Write the fold of the messages per receiver."""
        self.fold_each(text)

    def fold_each(self, text: LaunchText) -> None:
        """Write the fold in which one thread walks over a receiver's messages."""
        worker = text.worker("fold")
        queue = receivers_of(worker, self.base)
        if self.receives:
            receiving.begin_receiving(text, worker, queue)
        with worker.ids(queue, "v", ""):
            folded = Accumulators(worker.writer, text.folds)
            folded.start()
            with self.walk(worker, "v"):
                folded.step(self.read(worker))
            if self.receives:
                receiving.take_folded(text, worker, folded)
            else:
                folded.keep("v")
        text.phase(worker)
        if self.receives:
            receiving.forget_folded(text)

    # What a fold over equal shares of all messages is told; see `segments` of each target.

    @abc.abstractmethod
    def total(self) -> str:
        """Return the text of the number of positions that are shared out."""

    @abc.abstractmethod
    def locate(self, worker: Worker, position: str) -> str:
        """Return the text of the receiver of a position, found from nothing."""

    def following(self, worker: Worker, position: str) -> str:
        """Return the text of the receiver of a position behind those of receiver ``row``."""
        return self.locate(worker, position)

    @abc.abstractmethod
    def span(self, worker: Worker, row: str) -> tuple[str, str]:
        """Return the texts of the first and the last but one position of a receiver."""

    @abc.abstractmethod
    def at(self, worker: Worker, position: str) -> str:
        """Return the text of the message at a position."""

    def is_sent(self, worker: Worker) -> str:
        """Return the condition that message ``entry`` was sent; empty if all were."""
        return ""

    def is_heard(self, worker: Worker, vertex: str) -> str:
        """Return the condition without which a vertex is sent nothing; empty if none is known."""
        return ""

    def step(self, worker: Worker, folded: Accumulators, position: str) -> None:
        """Write the fold of the message at a position, if it was sent."""
        worker.writer.add(f"entry = {self.at(worker, position)}")
        is_sent = self.is_sent(worker)
        with worker.writer.block(f"if {is_sent}:" if is_sent else ""):
            folded.step(self.read(worker))


def dependents(unit: Unit, number: int) -> Iterator[s.Launch]:
    """Yield the @message launches that change what a launch sent."""
    for each in s.launches_in(unit.schedule.body):
        if each.send.kind == "message" and each.heard == number:
            yield each
            yield from dependents(unit, each.number)


def is_noted(unit: Unit, launch: s.Launch) -> bool:
    """Return whether somebody goes over the receivers of what a launch sends, or only over all."""
    some = any(each.receivers for each in dependents(unit, launch.number)) or launch.receivers
    some = some or (launch.receive is not None and not launch.receive.everyone)
    return some or launch.domain.kind != "all"


def is_ordered(unit: Unit, launch: s.Launch) -> bool:
    """Return whether the order of messages shows: to a @mlist or @message, or in a fold.

    Known operators take them in any order, as they do when atomics fold.
    """
    folds = [f for each in (launch, *dependents(unit, launch.number)) for f in each.folds]
    if any(op.loc is not None or op.name not in ATOMIC for fold in folds for op in fold.ops):
        return True
    hearers = [each for each in s.launches_in(unit.schedule.body) if each.heard == launch.number]
    if launch.store and launch.buffer == "grouped" and hearers and all(map(sorts_all, hearers)):
        return False
    return launch.store or unit.schedule.sorted_queues


def is_folded(unit: Unit, launch: s.Launch) -> bool:
    """Return whether what a launch sends is folded, in whichever form."""
    return any(each.folds for each in (launch, *dependents(unit, launch.number)))


def kept_folds(text: LaunchText) -> list[FoldText]:
    """Return the folds of a launch's messages that are kept in arrays beyond their receiver."""
    launches = [text.launch, *dependents(text.unit, text.launch.number)]
    return [FoldText(fold) for each in launches if each.receive is None for fold in each.folds]


def forget_receivers(text: LaunchText, store: Store) -> None:
    """Write the phase that forgets the last receivers: what marks them, and their kept folds."""
    worker = text.worker("forget_receivers")
    queue = receiving.receivers(text, worker)
    with worker.ids(queue, "v", ""):
        store.unmark(worker)
        for fold in kept_folds(text):
            fold.reset(worker.writer, "v", packed=False)
    text.phase(worker)
    text.serial(f"state[{text.length}] = 0")
