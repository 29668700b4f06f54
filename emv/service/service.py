"""Run programs for many users: each is promised its memory, begins in its turn, and fails alone."""

from __future__ import annotations

import functools
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

from emv.errors import ArgumentError, CapacityError
from emv.runtime.admission import asking
from emv.runtime.arrays.available import readable
from emv.runtime.arrays.memory import MemoryPlan
from emv.runtime.program import ProgramFunction
from emv.runtime.targets.placing import choose_backend
from emv.service.job import Asked, Job, late
from emv.service.ledger import Claim, Ledger
from emv.service.pairing import Pairing
from emv.service.state import Limits, State, UserReport, fill_of, free_bytes, placed, work_of
from emv.service.together import Together, alike, family_of
from emv.service.waiting import OVERTAKEN, Waiting

OWN = ("backend", "stream", "callback")
"""What a call of a program takes and a job does not, as the service says so itself."""
BATCH = 64
"""How many jobs are one batch on a GPU, where a search by bits has so many copies in a word."""


class Service:
    """Runs programs of many users on one device, in threads of its own.

    Parameters
    ----------
    device : {"auto", "cuda", "cuda:N", "cpu"}
        Where, as in `Graph.on`.
    workers : int
        How many jobs run at the same time. One has the whole device; several gain where each
        alone leaves some of it idle: many cores, small graphs. On a GPU two run side by side only
        once each has run alone, and only while that pays; see `emv.service.pairing`.
    batch : int, optional
        How many jobs of one program and graph, that differ in their first argument, run as one
        batch at most, and an eighth of that at least; 1 for none. By default 64 on a GPU and 1 on
        cores. Batches are compiled once more, and given up where they do not pay.
    memory : int, optional
        Bytes that jobs may take together; by default nine tenths of what is free now.
    limits : dict of str to Limits, optional
        By user; ``""`` is for all who are not named.
    most_overtaken : int
        How many jobs may begin before one that does not fit yet.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import bfs, pagerank
    >>> g = Graph.from_edges([0, 1, 2], [1, 2, 0])
    >>> with Service("cpu") as service:
    ...     first = service.submit(bfs, g, 0, user="ada")
    ...     second = service.submit(pagerank, g, user="ben", priority=1)
    ...     print(first.result(), second.result().round(2))
    [0 1 2] [0.33 0.33 0.33]
    """

    def __init__(
        self,
        device: str = "auto",
        *,
        workers: int = 1,
        batch: int | None = None,
        memory: int | None = None,
        limits: Mapping[str, Limits] | None = None,
        most_overtaken: int = OVERTAKEN,
    ) -> None:
        if workers < 1:
            raise ArgumentError(f"a service cannot have {workers} workers", remedy="Give one.")
        self.device = choose_backend(None, device)
        if self.device == "python":
            raise ArgumentError("a service runs compiled programs, not plain Python")
        is_gpu = self.device.startswith("cuda") and "," not in self.device
        if batch is not None and batch < 1:
            raise ArgumentError(f"a batch cannot have {batch} jobs", remedy="Give 1 for none.")
        self.is_shared = is_gpu and workers > 1
        self.pairing = Pairing()
        self.together = Together(batch or (BATCH if is_gpu else 1), self.pairing)
        self.claims: Any = weakref.WeakKeyDictionary()  # by layouts, of calls that are alike
        self.limits = dict(limits or {})
        self.users: dict[str, UserReport] = {}
        capacity = memory if memory is not None else 9 * free_bytes(self.device) // 10
        self.state = State(Ledger(capacity), Waiting(most_overtaken))
        self.changed = threading.Condition()
        self.threads = [
            threading.Thread(target=self._work, args=(k,), name=f"emv-service-{k}", daemon=True)
            for k in range(workers)
        ]
        for thread in self.threads:
            thread.start()

    def submit(
        self,
        program: ProgramFunction | Callable[..., Any],
        graph: Any,
        *args: Any,
        user: str = "",
        priority: int = 0,
        deadline: float | None = None,
        memory: int | None = None,
        **named: Any,
    ) -> Job:
        """Let a program run when its turn comes and its memory is free.

        Parameters
        ----------
        program : ProgramFunction or callable
            What ``program(graph, *args, **named)`` runs. A function that is no program, and one
            that the host drives, cannot say what it takes: give `memory`.
        graph : Graph
            What it runs on. Its index arrays are counted once, for all jobs on it.
        *args, **named
            The program's own parameters, and ``rng``, ``schedule``, ``precision``.
        user : str
            Whose job it is: users share the device fairly, by time.
        priority : int
            Of two jobs of one user the one with the larger number is first.
        deadline : float, optional
            Seconds from now after which it need not run or go on.
        memory : int, optional
            Bytes that it needs, where the program does not say.

        Returns
        -------
        Job
            A future of the result; ``await`` takes it as well.

        Raises
        ------
        ArgumentError, CallError
            If the call is mistaken, as far as that is known before it runs.
        CapacityError
            If it does not fit the service's memory even alone.
        RuntimeError
            If the service has been shut down.
        """
        refused = [name for name in OWN if name in named]
        if refused:
            raise ArgumentError(
                f"submit() takes no {refused[0]}=", remedy="The service says where a job runs."
            )
        if deadline is not None and not deadline > 0:
            raise ArgumentError(f"a deadline of {deadline} s has passed already")
        graph = graph.on(self.device)
        asked = Asked(program, graph, args, named)
        claim = self._claim(asked, memory)
        job = Job(work_of(program, graph, args, named), claim, user, priority, deadline)
        job.asked = asked
        if claim.graph is not None:
            job.kind, job.family = (program, claim.graph), family_of(job.asked)
        if self.is_shared:
            job.fill = fill_of(self.device, graph)
        with self.changed:
            self._check(job, graph)
            job.told, job.form = self._wake, getattr(program, "form", None)
            job.number = self.state.submitted
            self.state.submitted += 1
            self.users.setdefault(user, UserReport())
            self.state.waiting.add(job)
            self.changed.notify_all()
        return job

    def report(self) -> dict[str, UserReport]:
        """Return what every user has had so far."""
        with self.changed:
            return {user: UserReport(**vars(each)) for user, each in self.users.items()}

    def shutdown(self, wait: bool = True, *, cancel: bool = False) -> None:
        """Take no more jobs; run those that wait, or cancel all, and wait until they have ended."""
        with self.changed:
            self.state.is_over = True
            jobs = [*self.state.waiting.items, *self.state.running] if cancel else []
            self.changed.notify_all()
        for job in jobs:
            job.cancel()
        for thread in self.threads if wait else ():
            thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.shutdown(cancel=error is not None)

    def _wake(self) -> None:
        with self.changed:
            self.changed.notify_all()

    def _claim(self, asked: Asked, memory: int | None) -> Claim:
        """Return the memory that a job needs: by a plan, its own or of one alike, or as told."""
        if memory is not None:
            return Claim(memory)
        program, graph = asked.program, asked.graph
        if not isinstance(program, ProgramFunction) or program.host_loop:
            raise ArgumentError(
                f"{getattr(program, '__name__', program)}() does not say what memory it takes",
                remedy="Give submit(..., memory=bytes).",
            )
        key, known = alike(asked), self.claims.setdefault(graph.layouts, {})
        if key is not None and key in known:
            found: Claim = known[key]
            return found
        shown = {name: value for name, value in asked.named.items() if name != "rng"}
        plan = program.memory_plan(graph, *asked.args, **shown)
        claim = Claim.of(plan, id(graph.layouts), program.form)
        if key is not None:
            known[key] = claim
        return claim

    def _check(self, job: Job, graph: Any) -> None:
        """Refuse a job that can never begin."""
        state, limits = self.state, self._limits(job.user)
        if state.is_over:
            raise RuntimeError("the service has been shut down and takes no more jobs")
        if job.claim.graph is not None:
            state.ledger.watch(job.claim.graph, graph.layouts)
        needed = state.ledger.missing(job.claim)
        most = state.ledger.capacity
        if limits.nbytes is not None and limits.nbytes < most and job.claim.own > limits.nbytes:
            raise CapacityError(
                f"the job needs {readable(job.claim.own)}, and {job.user or 'its user'} may have "
                f"{readable(limits.nbytes)}"
            )
        if needed > most:
            has = readable(most)
            raise CapacityError(f"the job needs {readable(needed)}, the service has {has}")
        queued = sum(each.user == job.user for each in state.waiting.items)
        if limits.waiting is not None and queued >= limits.waiting:
            raise CapacityError(
                f"{queued} jobs of {job.user or 'this user'} wait already, and no more may",
                remedy="Wait for some of them.",
            )

    def _limits(self, user: str) -> Limits:
        return self.limits.get(user, self.limits.get("", Limits()))

    def _may(self, job: Job) -> bool:
        """Return whether a user may have one more job that runs."""
        limits, running = self._limits(job.user), self.state.running
        own = [each for each in running if each.user == job.user]
        if limits.running is not None and len(own) >= limits.running:
            return False
        taken = sum(each.claim.own for each in own) + job.claim.own
        return limits.nbytes is None or taken <= limits.nbytes

    def _work(self, number: int) -> None:
        """Run jobs until there are no more: what a thread does."""
        while (jobs := self._next()) is not None:
            head, began = jobs[0], time.monotonic()
            for job in jobs:
                job.began = began
            with (
                asking(functools.partial(self._grow, head)),
                placed(self.is_shared, number, head.share),
            ):
                if len(jobs) > 1:
                    self.together.run(jobs)
                else:
                    head.do()
            self._ended(jobs, time.monotonic() - began)
            del head, job, jobs  # and with them results, which are their owners'

    def _ended(self, jobs: list[Job], seconds: float) -> None:
        """Note that jobs have ended which ran together."""
        state, head = self.state, jobs[0]
        with self.changed:
            state.tick()
            state.heads.remove(head)
            state.ledger.release(head)
            if head.is_well and head.size == len(jobs):
                self.pairing.heard(head.runs_as, seconds, head.others if self.is_shared else {})
            for job in jobs:
                state.running.remove(job)
                state.waiting.ended(job.user, seconds / len(jobs))
                report = self.users[job.user]
                report.seconds += seconds / len(jobs)
                report.waited += (job.began or 0.0) - job.submitted
                report.ended += job.is_well
                report.failed += not job.is_well
            self.changed.notify_all()

    def _next(self) -> list[Job] | None:
        """Return the jobs that begin now, once there is one; None when the service is over."""
        state = self.state
        with self.changed:
            while True:
                self._drop()
                job = None
                if not state.growing:
                    job = state.waiting.take(self._fits, self._may)
                if job is not None and not job.set_running_or_notify_cancel():
                    state.ledger.release(job)
                    state.waiting.ended(job.user, 0.0)
                elif job is not None:
                    state.running.append(job)
                    jobs = [job, *self._mates(job)]
                    state.tick()
                    state.heads.append(job)
                    return jobs
                elif state.is_over and not state.waiting.items:
                    return None
                elif not state.running and state.waiting.items:
                    self._give_up(state.waiting.order()[0])
                else:
                    self.changed.wait(self._patience())

    def _fits(self, job: Job) -> bool:
        """Return whether a job may begin beside those that run, and promise it its memory."""
        if self.is_shared:
            job.share = self.pairing.share(job, self.state.heads, self.state.waiting.items)
        return job.share > 0 and self.state.ledger.reserve(job, job.claim)

    def _mates(self, head: Job) -> list[Job]:
        """Return the jobs that begin with one as a batch, and let them wait no longer."""
        state, found = self.state, list[Job]()
        if head.family is None or head.deadline is not None:
            return found
        order = state.waiting.order()
        some = [each for each in order if each.family == head.family and each.deadline is None]
        head.size = self.together.size(head, 1 + len(some))
        if self.is_shared and not all(
            self.pairing.may(head.runs_as, other.runs_as) for other in state.heads
        ):
            head.size = 1
        claim = Claim(head.claim.own * head.size, head.claim.graph, head.claim.shared)
        if head.size > 1 and not state.ledger.exchange(head, claim):
            head.size = 1
        for mate in some:
            if len(found) + 1 < head.size and self._may(mate):
                state.waiting.begin(mate)
                if mate.set_running_or_notify_cancel():
                    state.running.append(mate)
                    found.append(mate)
                else:
                    state.waiting.ended(mate.user, 0.0)
        head.size = 1 + len(found)
        return found

    def _drop(self) -> None:
        """Let go of what need not run: cancelled jobs, and those whose deadline has passed."""
        for job in [each for each in self.state.waiting.items if each.stops()]:
            self.state.waiting.items.remove(job)
            if job.set_running_or_notify_cancel():
                job.end(error=late(job))
                self.users[job.user].failed += 1

    def _patience(self) -> float | None:
        """Return the seconds until the next deadline of a job that waits."""
        ends = [job.deadline for job in self.state.waiting.items if job.deadline is not None]
        return max(0.0, min(ends) - time.monotonic()) + 0.001 if ends else None

    def _give_up(self, job: Job) -> None:
        """Fail a job that does not fit although nothing runs: graphs keep too much."""
        self.state.waiting.items.remove(job)
        if job.set_running_or_notify_cancel():
            job.end(error=self._too_large(job))
            self.users[job.user].failed += 1

    def _too_large(self, job: Job) -> CapacityError:
        ledger = self.state.ledger
        return CapacityError(
            f"the job needs {readable(ledger.missing(job.claim))}; of the service's "
            f"{readable(ledger.capacity)} index arrays of graphs keep {readable(ledger.kept)}",
            remedy="Drop graphs that are no longer needed.",
        )

    def _grow(self, job: Job, plan: MemoryPlan) -> None:
        """Wait until a job that needs more than was planned may have that: all of it, or nothing.

        It holds nothing meanwhile but what its graph keeps, and nobody else begins.
        """
        state = self.state
        with self.changed:
            state.ledger.release(job)
            self.claims.clear()  # what is kept for the next run is more now
            job.claim = Claim.of(plan, job.claim.graph, job.form)
            state.growing += 1
            try:
                while not state.ledger.reserve(job, job.claim):
                    if not state.ledger.own:  # nobody will give anything back
                        raise self._too_large(job)
                    self.changed.notify_all()
                    self.changed.wait()
            finally:
                state.growing -= 1
                self.changed.notify_all()
