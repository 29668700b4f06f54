"""What a service knows: limits of users, what they have had, who runs; and what a job's work is."""

from __future__ import annotations

import contextlib
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from emv.errors import ArgumentError
from emv.lang.batches import Batch
from emv.runtime.arrays.memory import available_bytes
from emv.runtime.program import ProgramFunction
from emv.runtime.targets.placing import target_of
from emv.service.job import Job
from emv.service.ledger import Ledger
from emv.service.waiting import Waiting


@dataclass(frozen=True)
class Limits:
    """What one user may have at a time.

    Attributes
    ----------
    running : int, optional
        Jobs that run.
    nbytes : int, optional
        Bytes of jobs that run, index arrays not counted.
    waiting : int, optional
        Jobs that wait; one more is refused.
    """

    running: int | None = None
    nbytes: int | None = None
    waiting: int | None = None

    def __post_init__(self) -> None:
        if self.running is not None and self.running < 1:
            remedy = "Let one run, or let none wait: Limits(waiting=0) refuses all."
            raise ArgumentError("none of a user's jobs may run, so none ever would", remedy=remedy)


@dataclass
class UserReport:
    """What a user has had so far.

    Attributes
    ----------
    seconds : float
        Time of ended jobs, from the beginning of each to its end.
    waited : float
        Time from their submission to their beginning.
    ended, failed : int
        Jobs that ended well, and that did not: errors, deadlines, cancelled while they ran.
    """

    seconds: float = 0.0
    waited: float = 0.0
    ended: int = 0
    failed: int = 0


@dataclass
class State:
    """What threads share, behind one lock."""

    ledger: Ledger
    waiting: Waiting[Job]
    running: list[Job] = field(default_factory=list)
    heads: list[Job] = field(default_factory=list)  # of these, one of each batch
    places: list[int] = field(default_factory=list)  # that are free
    handed: list[Job] = field(default_factory=list)  # that have begun and need a thread
    dropped: list[tuple[Job, Exception]] = field(default_factory=list)  # that are to be told so
    claims: Any = field(default_factory=weakref.WeakKeyDictionary)  # by layouts, of calls alike
    since: float = 0.0  # when jobs last began or ended
    growing: int = 0  # running jobs that wait for more memory; nobody begins meanwhile
    stuck: int = 0  # running jobs that wait for memory of one that they wait for
    submitted: int = 0
    is_asked: bool = False  # the last job was run by who waited for it
    is_watched: bool = False  # a worker looks whether the next is
    is_over: bool = False

    def tick(self) -> None:
        """Note for how long jobs have been beside each other; before one begins or ends."""
        now = time.monotonic()
        for one in self.heads:
            for other in self.heads:
                if other is not one:
                    kind, before = other.runs_as, one.others.get(other.runs_as, 0.0)
                    one.others[kind] = before + now - self.since
        self.since = now


def work_of(
    program: Any, graph: Any, args: tuple[Any, ...], named: dict[str, Any]
) -> Callable[[Callable[..., bool]], Any]:
    """Return what runs a program, given who says whether it stops.

    A plain function, and a batch of copies, cannot be asked.
    """
    if not isinstance(program, ProgramFunction):
        return lambda stops: program(graph, *args, **named)
    for each in (*args, *named.values()):
        if isinstance(each, Batch):
            return lambda stops: program.run(graph, *args, **named)
    return lambda stops: program.run(graph, *args, callback=stops, **named)


def free_bytes(device: str) -> int:
    """Return the memory that jobs on a device could take now."""
    target = target_of(device)
    return available_bytes() if target.device is None else int(target.device.free_bytes())


def placed(number: int, share: float) -> contextlib.AbstractContextManager[None]:
    """Return where a job runs on a GPU with others: on a stream and a share of its own."""
    from emv.backends.cuda.beside import beside  # only GPUs have places

    return beside(number, share)


def fill_of(device: str, graph: Any) -> float:
    """Return what part of a GPU's blocks a kernel on a graph has alone; of cores 1."""
    on: Any = target_of(device).device
    if on is None:
        return 1.0
    entries = max(graph.num_vertices, graph.num_arcs)
    return float(on.num_blocks(entries, None) / on.num_blocks(1 << 60, None))
