"""What a service knows: limits of users, what they have had, who runs, what calls share."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

from emv.errors import ArgumentError
from emv.lang.batches import Batch
from emv.runtime.arrays.memory import available_bytes
from emv.runtime.parameters import Met
from emv.runtime.program import ProgramFunction
from emv.runtime.targets.placing import target_of
from emv.service.job import Asked, Job, Shape
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


MOST_MET = 1024
"""Of so many calls it is known at once what calls alike share."""

Past = tuple[str, Hashable, tuple[float, float, float], bool]
"""Of a job: user, kind, when it was submitted, began and ended, and whether it ended well."""


@dataclass
class State:
    """What threads share, behind one lock."""

    ledger: Ledger
    waiting: Waiting[Job]
    running: list[Job] = field(default_factory=list)
    heads: list[Job] = field(default_factory=list)  # of these, one of each batch
    places: list[int] = field(default_factory=list)  # that are free
    alone: Job | None = None  # that its asker runs, and that none of these tells of yet
    past: list[Past] = field(default_factory=list)  # what such have had, and nobody else knows yet
    handed: list[Job] = field(default_factory=list)  # that have begun and need a thread
    dropped: list[tuple[Job, Exception]] = field(default_factory=list)  # that are to be told so
    shapes: dict[int, dict[Hashable, Shape]] = field(default_factory=dict)  # by layouts
    met: dict[Met | None, Shape] = field(default_factory=dict)  # these again, by equal calls
    since: float = 0.0  # when jobs last began or ended
    growing: int = 0  # running jobs that wait for more memory; nobody begins meanwhile
    stuck: int = 0  # running jobs that wait for memory of one that they wait for
    submitted: int = 0
    is_asked: bool = False  # the last job was run by who waited for it
    is_watched: bool = False  # a worker looks whether the next is
    is_over: bool = False

    def remember(self, met: Met | None, shape: Shape) -> None:
        """Let equal calls find at once what those alike share."""
        if met is not None:
            if len(self.met) >= MOST_MET:
                self.met.clear()
            self.met[met] = shape

    def tick(self) -> None:
        """Note for how long jobs have been beside each other; before one begins or ends."""
        now = time.monotonic()
        for one in self.heads:
            for other in self.heads:
                if other is not one:
                    kind, before = other.runs_as, one.others.get(other.runs_as, 0.0)
                    one.others[kind] = before + now - self.since
        self.since = now


def note(report: UserReport, seconds: float, waited: float, is_well: bool) -> None:
    """Note a job of a user's that has ended."""
    report.seconds += seconds
    report.waited += waited
    report.ended += is_well
    report.failed += not is_well


def hears(asked: Asked) -> bool:
    """Return whether a call asks if it stops: plain functions cannot, nor can a batch of copies."""
    program, _, args, named = asked
    is_batch = any(isinstance(each, Batch) for each in (*args, *named.values()))
    return isinstance(program, ProgramFunction) and not is_batch


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
