"""What begins when, in which place, and what ends: a service's state behind its one lock.

There are as many *places* as jobs may run at a time. Whoever has a thread to run on asks for jobs:
a worker of the service for those whose turn it is, and who waits for a job for that alone, where it
is its turn (`emv.service.hands`).
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures._base import FINISHED, PENDING, RUNNING

from emv.runtime.arrays.memory import MemoryPlan
from emv.service import alone
from emv.service.job import Job, late
from emv.service.ledger import Claim, Ledger
from emv.service.pairing import Pairing
from emv.service.state import Limits, State, UserReport, note
from emv.service.together import Together
from emv.service.waiting import Waiting, anybody

LOOK_S = 0.04
"""Seconds after which a job is looked for that nobody waits for, as nobody was woken for it."""
QUIET = 50
"""Such looks in a row without a new job, after which nobody looks and the next job wakes all."""
UNLIMITED = Limits()


class Turns:
    """Gives out turns, places and memory.

    Parameters
    ----------
    ledger, waiting
        The memory that there is, and the order of jobs.
    number : int
        How many jobs run at a time.
    batch : int
        How many jobs are one batch at most.
    is_shared : bool
        Whether they share one GPU.
    limits : dict of str to Limits
        By user; ``""`` is for all who are not named.
    """

    def __init__(
        self,
        ledger: Ledger,
        waiting: Waiting[Job],
        number: int,
        batch: int,
        is_shared: bool,
        limits: Mapping[str, Limits],
    ) -> None:
        self.number = number
        self.state = State(ledger, waiting)
        self.share_out()
        self.is_shared = is_shared
        self.is_plain = not (is_shared or limits)  # nothing but memory decides what begins alone
        self.limits = dict(limits)
        self.pairing = Pairing()
        self.together = Together(batch, self.pairing)
        self.measures = is_shared or batch > 1  # whether anybody asks what jobs took
        self.users: dict[str, UserReport] = {}
        self.lock = threading.RLock()  # which is had quicker than the condition
        self.changed = threading.Condition(self.lock)

    def add(self, job: Job) -> None:
        """Let a job wait, and wake who may run it; locked by the caller.

        Nobody is woken where the last job was run by who waited for it, as the next is likely to
        be: a worker looks in a moment whether it was (`_sleep`).
        """
        state = self.state
        alone.put_down(self)
        if job.user not in self.users:
            self.users[job.user] = UserReport()
        job.number = state.submitted
        state.submitted += 1
        state.waiting.add(job)
        if not (state.is_watched and job.is_pure) or state.heads or len(state.waiting.items) > 1:
            self.changed.notify_all()

    def wake(self) -> None:
        """Let everybody who waits look again."""
        with self.lock:
            self.changed.notify_all()

    def next(self) -> list[Job] | None:
        """Return the jobs that a worker runs now, once there is one; None if there will be none."""
        while True:
            with self.lock:
                jobs = self._next()
            self._settle()
            if jobs or jobs is None:
                return jobs

    def _next(self) -> list[Job] | None:
        """Return the jobs that a worker runs now, none if it has to look again; sleep before."""
        state = self.state
        alone.put_down(self)
        if state.handed:
            return [state.handed.pop()]
        jobs = self._begin()
        if jobs:
            state.is_asked = False
        elif state.is_over and not state.waiting.items and not state.heads:
            return None
        elif state.waiting.items and not state.running:
            self._drop(state.waiting.order()[0], lambda job: state.ledger.refusal(job.claim))
        elif not state.dropped:
            self._sleep()
        return jobs

    def mine(self, job: Job) -> bool:
        """Begin a job for who waits for it, if it is its turn; else let workers see to it.

        Only where nothing else runs: a main thread that waits for a GPU lets no other thread run
        Python for up to two milliseconds (`emv.runtime.targets.gpu`), and where there is other work
        it does not matter that workers take a while to begin.
        """
        state, is_begun = self.state, False
        with self.lock:
            alone.put_down(self)
            if job.is_pure and not state.heads:
                job.asker = threading.get_ident()  # before anything is changed: see `left`
                if self._size(job, self.together.family(job, state.waiting)) == 1:
                    is_begun = bool(self._begin(job))
            if is_begun:
                state.is_asked = True
            else:
                job.asker = None
                self.look()
        if state.dropped:
            self._settle()
        return is_begun

    def look(self) -> None:
        """Let the workers look that would have in a moment."""
        with self.lock:
            if self.state.is_watched:
                self.changed.notify_all()

    def within(self, job: Job) -> bool:
        """Begin a job in the place of one that waits for it, once there is memory for both.

        Returns False if it has begun or ended elsewhere.

        Raises
        ------
        CapacityError
            If everything that runs waits for memory, so that there never is.
        """
        found: bool | None = None
        while found is None:
            with self.lock:
                found = self._within(job)
            self._settle()
        return found

    def _within(self, job: Job) -> bool | None:
        """Return whether a job begins in the place of another, None if that has to look again."""
        state = self.state
        alone.put_down(self)
        self._drop_all()
        if not any(each is job for each in state.waiting.items):
            return False
        if state.ledger.reserve(job, job.claim):
            return self._started(job)
        if not state.dropped:
            state.stuck += 1
            try:
                if state.stuck + state.growing >= len(state.heads):
                    raise state.ledger.refusal(job.claim)
                self.changed.wait(self._patience())
            finally:
                state.stuck -= 1
        return None

    def left(self, job: Job) -> None:
        """Make whole what who waited for a job has left of it, wherever they were interrupted.

        What has begun goes to a worker, in its place and with its memory; what waits waits on.
        """
        state = self.state
        with self.lock:
            if job.asker != threading.get_ident():  # somebody else runs it, or nobody yet
                return
            alone.put_down(self)
            is_waiting = any(each is job for each in state.waiting.items)
            is_begun = not is_waiting and job._state in (PENDING, RUNNING)
            if is_begun:
                job._state = RUNNING
            if is_begun:
                state.running += [] if job in state.running else [job]
                state.heads += [] if job in state.heads else [job]
                state.handed += [] if job in state.handed else [job]
            else:
                state.ledger.release(job)
                state.running[:] = [each for each in state.running if each is not job]
                state.heads[:] = [each for each in state.heads if each is not job]
            job.asker = None
            state.waiting.running = Counter(each.user for each in state.running)
            self.share_out()
            self.changed.notify_all()
        if job._state == FINISHED and job.asked is not None:  # it was left where it tells of it
            job.become(FINISHED, "result" if job._exception is None else "exception")
            job.asked = None

    def share_out(self) -> None:
        """Find which places are free, and have those that run each have one."""
        taken = [each.place for each in self.state.heads]
        self.state.places = [k for k in range(self.number)[::-1] if k not in taken]
        for job in self.state.heads:
            if job.place is None:
                job.place = self.state.places.pop()

    def ended(self, jobs: list[Job]) -> None:
        """Note that jobs have ended which ran together; of a refused batch the last as the last."""
        state, head = self.state, jobs[0]
        seconds = (jobs[-1].ended or 0.0) - (head.began or 0.0)
        with self.lock:
            state.ledger.release(head)
            if head.place is not None:
                if self.is_shared:
                    state.tick()
                state.heads.remove(head)
                state.places.append(head.place)
                if self.measures and head.is_well and head.size == len(jobs):
                    self.pairing.heard(head.runs_as, seconds, head.others if self.is_shared else {})
            else:  # within another job, whose time it is
                seconds = 0.0
            seconds /= len(jobs)
            for job in jobs:
                state.running.remove(job)
                state.waiting.ended(job.user, seconds)
                waited = (job.began or 0.0) - job.submitted
                note(self.users[job.user], seconds, waited, job.is_well)
            if state.waiting.items or state.growing or state.is_over:
                self.changed.notify_all()

    def grow(self, job: Job, plan: MemoryPlan) -> None:
        """Wait until a job that needs more than was planned may have that: all of it, or nothing.

        It holds nothing meanwhile but what its graph keeps, and nobody else begins.
        """
        state = self.state
        with self.lock:
            alone.put_down(self)
            state.ledger.release(job)
            state.met.clear()
            state.shapes.clear()  # what is kept for the next run is more now
            job.claim = Claim.of(plan, job.claim.graph, job.form)
            state.growing += 1
            try:
                while not state.ledger.reserve(job, job.claim):
                    if not state.ledger.own:  # nobody will give anything back
                        raise state.ledger.refusal(job.claim)
                    self.changed.notify_all()
                    self.changed.wait()
            finally:
                state.growing -= 1
                self.changed.notify_all()

    def limits_of(self, user: str) -> Limits:
        """Return what a user may have."""
        if not self.limits:
            return UNLIMITED
        return self.limits.get(user) or self.limits.get("", UNLIMITED)

    def _begin(self, wanted: Job | None = None) -> list[Job]:
        """Return the jobs that begin now; of who wants one, that, or none."""
        state = self.state
        while True:
            self._drop_all()
            if state.growing or not state.places:
                return []
            job = state.waiting.take(self._fits, self._may if self.limits else anybody, wanted)
            if job is None:
                return []
            if self._is_called(job):
                jobs = [job, *self._mates(job)] if state.waiting.items else [job]
                if self.is_shared:
                    state.tick()
                state.heads.append(job)
                job.place = state.places.pop()
                return jobs

    def _started(self, job: Job) -> bool:
        """Begin a job that has its memory; return False if it was cancelled."""
        self.state.waiting.begin(job)
        return self._is_called(job)

    def _is_called(self, job: Job) -> bool:
        """Return whether a job that waits no longer runs now, and was not cancelled."""
        if job.set_running_or_notify_cancel():
            self.state.running.append(job)
            return True
        self.state.ledger.release(job)
        self.state.waiting.ended(job.user, 0.0)
        return False

    def _may(self, job: Job) -> bool:
        """Return whether a user may have one more job that runs."""
        limits, running = self.limits_of(job.user), self.state.running
        own = [each for each in running if each.user == job.user]
        if limits.running is not None and len(own) >= limits.running:
            return False
        taken = sum(each.claim.own for each in own) + job.claim.own
        return limits.nbytes is None or taken <= limits.nbytes

    def _fits(self, job: Job) -> bool:
        """Return whether a job may begin beside those that run, and promise it its memory."""
        if self.is_shared:
            job.share = self.pairing.share(job, self.state.heads, self.state.waiting.items)
        return job.share > 0 and self.state.ledger.reserve(job, job.claim)

    def _size(self, head: Job, family: list[Job]) -> int:
        """Return how many jobs are the batch that one leads, if memory allows."""
        size = self.together.size(head, 1 + len(family)) if family else 1
        if size == 1 or not self.is_shared:
            return size
        kind = (head.kind, size)
        return size if all(self.pairing.may(kind, each.runs_as) for each in self.state.heads) else 1

    def _mates(self, head: Job) -> list[Job]:
        """Return the jobs that begin with one as a batch, and let them wait no longer."""
        family, found = self.together.family(head, self.state.waiting), list[Job]()
        head.size = self._size(head, family)
        if head.size == 1:
            return found
        claim = Claim(head.claim.own * head.size, head.claim.graph, head.claim.shared)
        if not self.state.ledger.exchange(head, claim):
            head.size = 1
        for mate in family:
            if len(found) + 1 < head.size and self._may(mate) and self._started(mate):
                found.append(mate)
        head.size = 1 + len(found)
        return found

    def _drop_all(self) -> None:
        """Let go of what need not run: cancelled jobs, and those whose deadline has passed."""
        for job in self.state.waiting.items[:]:
            if job.is_called_off or (job.deadline is not None and job.is_late()):
                self._drop(job, late)

    def _drop(self, job: Job, error: Callable[[Job], Exception]) -> None:
        """Let a job wait no more, and have it end with an error unless it was cancelled."""
        self.state.waiting.items.remove(job)
        if job.set_running_or_notify_cancel():
            self.state.dropped.append((job, error(job)))
            self.users[job.user].failed += 1

    def _settle(self) -> None:
        """End what was let go of; not locked, as whoever is told may ask for another job."""
        while self.state.dropped:
            with self.lock:
                dropped, self.state.dropped = self.state.dropped, []
            for job, error in dropped:
                job.end(error=error)

    def _sleep(self) -> None:
        """Let a worker wait until something changes, a job is late, or one was not asked for.

        Where jobs are run by who waits for them, `add` wakes nobody, and one worker looks now and
        then as long as there are such; what it finds it runs, and `add` wakes workers after that.
        """
        state, patience = self.state, self._patience()
        if not state.is_asked or state.is_watched or state.waiting.items:
            self.changed.wait(patience)
            return
        state.is_watched, before, quiet = True, state.submitted, 0
        while state.is_asked and not (state.waiting.items or state.handed or state.is_over):
            if self.changed.wait(LOOK_S):
                break
            if state.alone is not None and state.alone._state != RUNNING:
                alone.put_down(self)
            is_busy = state.submitted != before or state.heads or state.alone
            quiet = 0 if is_busy else quiet + 1
            state.is_asked, before = quiet < QUIET, state.submitted
        state.is_watched = False

    def _patience(self) -> float | None:
        """Return the seconds until the next deadline of a job that waits."""
        ends = [job.deadline for job in self.state.waiting.items if job.deadline is not None]
        return max(0.0, min(ends) - time.monotonic()) + 0.001 if ends else None
