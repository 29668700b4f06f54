"""A program that somebody wants run: a future, and what the service knows of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator, Hashable
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from typing import Any

from emv.runtime.run import Run
from emv.service.ledger import Claim


@dataclass(slots=True)
class Asked:
    """A call: the program, a graph that is placed where it runs, and the rest."""

    program: Any
    graph: Any
    args: tuple[Any, ...]
    named: dict[str, Any]


class Job(Future[Any]):
    """A future of what a program returns; also awaitable.

    Attributes
    ----------
    user : str
        Whose it is.
    priority : int
        Of two jobs of one user the one with the larger number is first.
    number : int
        How many jobs the service had been given before.
    claim : Claim
        The memory that it needs.
    overtaken : int
        How many jobs began before it although they came after it in the order.
    submitted, began, ended : float or None
        When, by `time.monotonic`.
    run : Run or None
        How the run went, once it has ended well; a plain function has none. Of jobs that ran as one
        batch, supersteps and times are the batch's.
    family, kind : hashable, optional
        What jobs that may be one batch share; what those share that take about the same time.
    size : int
        Jobs of the batch that it leads.
    fill, share : float
        What part of a GPU it fills alone, and may have.
    """

    number = overtaken = 0
    began: float | None = None
    ended: float | None = None
    run: Run | None = None
    asked: Asked | None = None
    family: Hashable = None
    kind: Hashable = None
    size = 1
    fill = share = 1.0
    form: str | None = None  # in which its program sees the graph
    place: int | None = None  # where it runs; none within another job, and of mates
    asker: int | None = None  # which thread has begun it because it waits for it, or tried to
    is_pure = False  # a program, which leaves nothing but its result: may begin again
    is_called_off = is_well = False

    def __init__(
        self,
        work: Callable[[Callable[..., bool]], Any],
        claim: Claim,
        user: str,
        priority: int,
        deadline: float | None,
    ) -> None:
        super().__init__()
        self.work = work
        self.claim = claim
        self.user = user
        self.priority = priority
        self.submitted = time.monotonic()
        self.deadline = None if deadline is None else self.submitted + deadline
        self.others: dict[Hashable, float] = {}  # seconds beside others, by their kinds
        self.told: Callable[[], None] = nothing  # the service hears that it need not run
        self.waited_for: Callable[[Job, bool], None] = nothing  # ... that it is, by who has time

    def cancel(self) -> bool:
        """Ask that it does not run, or ends soon; return whether that is still to come.

        What waits is cancelled at once. What runs ends at the next superstep that its run tells
        of, a fraction of a second later on most graphs, and then raises CancelledError.
        """
        self.is_called_off = True
        self.told()
        return super().cancel() or not self.done()

    def result(self, timeout: float | None = None) -> Any:
        """Wait for the result; who waits without limit runs it, where it is its turn."""
        if self.work is not done:
            self.waited_for(self, timeout is None)
        return super().result(timeout)

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Wait as `result` does, and return the error, None if there was none."""
        if self.work is not done:
            self.waited_for(self, timeout is None)
        return super().exception(timeout)

    def add_done_callback(self, fn: Callable[[Future[Any]], object]) -> None:
        """Call a function once it has ended, on whatever thread ran it."""
        super().add_done_callback(fn)
        if self.work is not done:
            self.waited_for(self, False)

    def __await__(self) -> Generator[Any, None, Any]:
        """Wait for it in a coroutine."""
        return asyncio.wrap_future(self).__await__()

    @property
    def runs_as(self) -> Hashable:
        """Its kind, and of a batch the size."""
        return self.kind if self.size == 1 or self.kind is None else (self.kind, self.size)

    def is_late(self) -> bool:
        """Return whether its deadline has passed."""
        return self.deadline is not None and time.monotonic() > self.deadline

    def stops(self, *_: Any) -> bool:
        """Return whether a run should end: what it asks its callback after supersteps."""
        return self.is_called_off or self.is_late()

    def do(self, may_leave: bool = False) -> None:
        """Run it, and keep the result or the error; Ctrl-C may leave it as if it had not begun."""
        try:
            found = self.work(self.stops)
        except BaseException as error:
            if may_leave and not isinstance(error, Exception):
                raise
            self.end(error=error)
        else:
            self.end(found)

    def end(self, found: Any = None, error: BaseException | None = None) -> None:
        """Give the future what came of it: a run's result, what a function returned, an error."""
        self.ended = time.monotonic()
        if isinstance(found, Run) and found.stopped == "callback":
            error = CancelledError() if self.is_called_off else late(self)
        self.is_well = error is None
        if error is not None:
            self.set_exception(error)
        elif isinstance(found, Run):
            self.run = found
            self.set_result(found.result)
        else:
            self.set_result(found)
        self.work, self.asked = done, None  # last, as whoever is interrupted before begins again


def late(job: Job) -> TimeoutError:
    """Return the error of a job that has not ended in time."""
    assert job.deadline is not None
    return TimeoutError(f"the job's deadline of {job.deadline - job.submitted:g} s has passed")


def nothing(*_: Any) -> None:
    """Stand in the place of a service."""


def done(_: Any) -> Any:
    """Stand in the place of work that is done, so that its graph and arguments can go."""
    raise AssertionError("a job runs once")
