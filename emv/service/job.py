"""A program that somebody wants run: a future, and what the service knows of it.

Most jobs are run by who waits for them, and end before anybody else has asked. So a job has a lock
only once somebody waits for it in another way. Its state leaves `PENDING` behind the service's
lock, and becomes one of the last behind the job's if there is one, as those who wait count on it;
whether there is one is asked behind `GATE`, where it is made. The lock of a job is never taken
behind that of the service, as the other way round is: to wait lets the workers look.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Generator, Hashable
from concurrent.futures import CancelledError, Future
from concurrent.futures._base import (
    CANCELLED,
    CANCELLED_AND_NOTIFIED,
    FINISHED,
    PENDING,
    RUNNING,
)
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from emv.runtime.admission import only_asked
from emv.runtime.program import ProgramFunction
from emv.runtime.run import Run
from emv.service.ledger import Claim

if TYPE_CHECKING:
    from emv.runtime.arrays.memory import MemoryPlan

GATE = threading.RLock()  # of all jobs, behind which nothing else is waited for
NOTHING = contextlib.nullcontext()
WAITED_WITH: dict[str, Callable[[], Any]] = {
    "_condition": threading.Condition,
    "_waiters": list,
    "_done_callbacks": list,
}
"""What a future has for those who wait, and how it is made."""


Asked = tuple[Any, Any, tuple[Any, ...], dict[str, Any]]
"""A call: the program, a graph that is placed where it runs, and the rest."""


class Shape(NamedTuple):
    """What calls share that are alike; see `emv.service.together.alike`.

    Attributes
    ----------
    claim : Claim
        The memory that each takes.
    hears : bool
        Whether a run asks if it stops.
    is_pure : bool
        Whether it leaves nothing but its result: a program that said what memory it takes.
    kind, family, form : optional
        As of a `Job`; what is not pure has none.
    """

    claim: Claim
    hears: bool
    is_pure: bool = False
    kind: Hashable = None
    family: Hashable = None
    form: str | None = None


class Helps(Protocol):
    """What a service has for who waits for a job: see `emv.service.hands`."""

    turns: Any

    def help(self, job: Job) -> None:
        """Run it for the caller, if it may begin now."""


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
    hears : bool
        Whether it hears that it should stop: a program does, but not of copies.
    is_pure : bool
        Whether it may begin again: a program leaves nothing but its result.
    kind, family : hashable, optional
        What jobs share that take about the same time; what those share that may be one batch.
    form : str, optional
        In which its program sees the graph.
    size : int
        Jobs of the batch that it leads.
    fill, share : float
        What part of a GPU it fills alone, and may have.
    """

    number = overtaken = 0
    began: float | None = None
    ended: float | None = None
    run: Run | None = None
    others: dict[Hashable, float]  # seconds beside others on a GPU, by their kinds
    size = 1
    fill = share = 1.0
    place: int | None = None  # where it runs; none within another job, and of mates
    asker: int | None = None  # which thread has begun it because it waits for it, or tried to
    is_called_off = is_well = False
    is_waited_for = False  # otherwise than by who runs it
    hands: Helps | None = None  # of the service that it was given to

    # What a future begins with. The rest is made when somebody waits: see `__getattr__`.
    _state, _result, _exception = PENDING, None, None

    def __init__(  # does not call that of Future, which takes longer than all of it
        self,
        asked: Asked,
        shape: Shape,
        user: str,
        priority: int,
        deadline: float | None,
    ) -> None:
        self.asked: Asked | None = asked
        self.claim, self.hears, self.is_pure, self.kind, self.family, self.form = shape
        self.user = user
        self.priority = priority
        self.submitted = monotonic()
        self.deadline = None if deadline is None else self.submitted + deadline

    def __getattr__(self, name: str) -> Any:
        """Make what is waited with, once somebody does; if it has not begun, workers look then.

        `wait`, `as_completed`, asyncio, `done` and the like all take a future's condition first.
        """
        made = WAITED_WITH.get(name)
        if made is None:
            raise AttributeError(f"a job has no attribute {name!r}")
        with GATE:
            self.is_waited_for = True
            found = vars(self).setdefault(name, made())  # one, whoever else is here
        if name == "_condition" and self._state == PENDING and self.hands is not None:
            self.hands.turns.look()
        return found

    def cancel(self) -> bool:
        """Ask that it does not run, or ends soon; return whether that is still to come.

        What waits is cancelled at once. What runs ends at the next superstep that its run tells
        of, a fraction of a second later on most graphs, and then raises CancelledError.
        """
        with NOTHING if self.hands is None else self.hands.turns.lock:
            is_waiting = self._state == PENDING
            if is_waiting:
                self._state = CANCELLED
            self.is_called_off = True  # with that, or a worker would take it for late
            if self.hands is not None:
                self.hands.turns.wake()
        if is_waiting:
            self.become(CANCELLED_AND_NOTIFIED, "cancelled")
        return self._state != FINISHED

    def set_running_or_notify_cancel(self) -> bool:
        """Begin, unless it was cancelled, of which `cancel` tells; behind the service's lock."""
        if self._state != PENDING:
            return False
        self._state = RUNNING
        return True

    def result(self, timeout: float | None = None) -> Any:
        """Wait for the result; who waits without limit runs it, where it is its turn."""
        if timeout is None and self._state == PENDING and self.hands is not None:
            self.hands.help(self)
        if self._state == FINISHED and self._exception is None:
            return self._result
        return super().result(timeout)

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Wait as `result` does, and return the error, None if there was none."""
        if timeout is None and self._state == PENDING and self.hands is not None:
            self.hands.help(self)
        return super().exception(timeout)

    def __await__(self) -> Generator[Any, None, Any]:
        """Wait for it in a coroutine."""
        return asyncio.wrap_future(self).__await__()

    @property
    def runs_as(self) -> Hashable:
        """Its kind, and of a batch the size."""
        return self.kind if self.size == 1 or self.kind is None else (self.kind, self.size)

    def grow(self, plan: MemoryPlan) -> None:
        """Have more memory, which its run needs to begin anew."""
        assert self.hands is not None
        self.hands.turns.grow(self, plan)

    def is_late(self) -> bool:
        """Return whether its deadline has passed."""
        return self.deadline is not None and monotonic() > self.deadline

    @only_asked
    def stops(self, *_: Any) -> bool:
        """Return whether a run should end: what it asks its callback after supersteps."""
        return self.hears and (self.is_called_off or self.is_late())

    def do(self, may_leave: bool = False) -> None:
        """Run it, and keep the result or the error; Ctrl-C may leave it as if it had not begun."""
        assert self.asked is not None
        program, graph, args, named = self.asked
        try:
            if self.hears:  # whether it stops
                found = program.run(graph, *args, callback=self.stops, **named)
            elif isinstance(program, ProgramFunction):
                found = program.run(graph, *args, **named)
            else:
                found = program(graph, *args, **named)
        except BaseException as error:
            if may_leave and not isinstance(error, Exception):
                raise
            self.end(error=error)
        else:
            self.end(found)

    def end(self, found: Any = None, error: BaseException | None = None) -> None:
        """Give the future what came of it: a run's result, what a function returned, an error."""
        self.ended = monotonic()
        if isinstance(found, Run):
            if (self.is_called_off or self.deadline is not None) and self.stops():
                error = CancelledError() if self.is_called_off else late(self)
            else:
                self.run, found = found, found.result
        if error is None:
            self._result, self.is_well = found, True
        else:
            self._exception = error
        with GATE:
            if not self.is_waited_for:  # as where its asker has run it
                self._state = FINISHED
        if self._state != FINISHED:
            self.become(FINISHED, "result" if error is None else "exception")
        self.asked = None  # last, as whoever is interrupted before begins again

    def become(self, state: str, word: str) -> None:
        """Be in one of the last states, and tell whoever waits, a `waiter` of futures by a word."""
        with GATE:
            if not self.is_waited_for:
                self._state = state
                return
        with self._condition:
            self._state = state
            for waiter in self._waiters:
                getattr(waiter, f"add_{word}")(self)
            self._condition.notify_all()
        self._invoke_callbacks()


def late(job: Job) -> TimeoutError:
    """Return the error of a job that has not ended in time."""
    assert job.deadline is not None
    return TimeoutError(f"the job's deadline of {job.deadline - job.submitted:g} s has passed")
