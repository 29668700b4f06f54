"""Who sends in a superstep, as arcs are asked: marks of vertices, set before, cleared after.

A queue of vertices says nothing of the one at the end of an arc.
"""

from __future__ import annotations

from contextlib import AbstractContextManager

from emv.codegen.launch import LaunchText
from emv.codegen.queues import queue_of
from emv.codegen.worker import Worker


class Senders:
    """The vertices that send in a launch: a flag for each.

    Attributes
    ----------
    are_all : bool
        Whether everybody sends, so that there are no flags.
    """

    def __init__(self, text: LaunchText) -> None:
        self.text = text
        self.are_all = text.launch.domain.kind == "all"

    def mark(self) -> None:
        """Write the phase that sets the flags."""
        self.phase("enter", is_sender=True)

    def unmark(self) -> None:
        """Write the phase that clears them."""
        self.phase("leave", is_sender=False)

    def phase(self, name: str, is_sender: bool) -> None:
        """Write a phase over the senders."""
        launch, worker = self.text.launch, self.text.worker(name)
        queue = queue_of(worker, launch.domain, launch.ids)
        self.begin(worker)
        with worker.ids(queue, "v", ""):
            self.put(worker, self.place(worker), is_sender)
        self.text.phase(worker)

    def begin(self, worker: Worker) -> None:
        """Write what is known before a walk over senders."""

    def place(self, worker: Worker) -> str:
        """Write by what arcs know the sender ``v``, which is its id; return its name."""
        return "v"

    def put(self, worker: Worker, place: str, is_sender: bool) -> None:
        """Write whether somebody sends."""
        worker.writer.add(f"{flags_of(worker)}[{place}] = {int(is_sender)}")

    def asked(self, worker: Worker, place: str) -> str:
        """Return the condition that somebody sends."""
        return f"{flags_of(worker)}[{place}] != 0"

    def only(self, worker: Worker, place: str) -> AbstractContextManager[None]:
        """Write what is done if somebody sends."""
        return worker.writer.block("" if self.are_all else f"if {self.asked(worker, place)}:")


def flags_of(worker: Worker) -> str:
    """Name the flags of the vertices that send."""
    return worker.writer.scratch("sending", "uint8", "V", 0)
