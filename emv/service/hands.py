"""Who runs jobs: workers of the service, and whoever waits for a job whose turn it is.

To wake a worker, and to be woken by it once the job has ended, takes longer than some jobs. So who
asks for a result runs the job, as who joins does in a pool of threads (Lea, A Java Fork/Join
Framework, Java Grande 2000): in a place and with memory as a worker would, in nobody else's turn. A
job that waits for another runs it in its own place, as all workers could be such jobs.
"""

from __future__ import annotations

import threading
from contextvars import copy_context
from time import monotonic

from emv.runtime.admission import ask_in_context
from emv.service import alone
from emv.service.job import Job
from emv.service.state import placed
from emv.service.turns import Turns


class Here(threading.local):
    """Which job a thread runs."""

    job: Job | None = None


class Hands:
    """Runs what turns give out.

    Parameters
    ----------
    turns : Turns
        Which jobs begin when.
    workers : int
        How many threads there are.
    """

    def __init__(self, turns: Turns, workers: int) -> None:
        self.turns = turns
        self.here = Here()
        self.threads = [
            threading.Thread(target=self._work, name=f"emv-service-{k}", daemon=True)
            for k in range(workers)
        ]
        for thread in self.threads:
            thread.start()

    @property
    def job(self) -> Job | None:
        """What the calling thread runs."""
        return self.here.job

    def help(self, job: Job) -> None:
        """Run a job for the caller, who waits for it and has time for that, if it may begin now.

        What leaves it before its end, Ctrl-C for one, comes out of here; a worker then runs it.
        """
        if self.here.job is not None:
            if self.turns.within(job):
                copy_context().run(self._run, [job])
            return
        try:
            if alone.begin(self.turns, job):
                copy_context().run(self._run_alone, job)
            elif self.turns.mine(job):
                copy_context().run(self._run, [job], True)
        except BaseException:
            self.here.job = None
            self.turns.left(job)
            raise

    def join(self) -> None:
        """Wait until all threads have ended.

        Raises
        ------
        RuntimeError
            If the caller is a job, for which they wait.
        """
        if self.job is not None:
            raise RuntimeError("a job waits for its service to end, which waits for the job")
        for thread in self.threads:
            thread.join()

    def _work(self) -> None:
        """Run jobs until there are no more: what a thread does."""
        while (jobs := self.turns.next()) is not None:
            copy_context().run(self._run, jobs)
            del jobs  # and with them results, which are their owners'

    def _run(self, jobs: list[Job], may_leave: bool = False) -> None:
        """Run jobs that have begun, on the calling thread and in a context of their own."""
        head, turns, here, began = jobs[0], self.turns, self.here, monotonic()
        outer = here.job
        for job in jobs:
            job.began = began
        here.job = head
        ask_in_context(head.grow)
        try:
            if turns.is_shared and head.place is not None:
                with placed(head.place, head.share):
                    self._do(jobs, may_leave)
            elif len(jobs) == 1:
                head.do(may_leave)
            else:
                self._do(jobs, may_leave)
        finally:
            here.job = outer
        turns.ended(jobs)

    def _run_alone(self, job: Job) -> None:
        """Do as `_run` for who waits for the only job there is, in fewer steps."""
        assert job.asked is not None
        program, graph, args, named = job.asked
        self.here.job = job
        ask_in_context(job.grow)
        job.began = monotonic()
        try:
            found = program.run(graph, *args, callback=job.stops, **named)
        except Exception as error:
            job.end(error=error)
        else:
            job.end(found)
        self.here.job = None
        alone.end(self.turns, job)

    def _do(self, jobs: list[Job], may_leave: bool) -> None:
        if len(jobs) > 1:
            self.turns.together.run(jobs)
        else:
            jobs[0].do(may_leave)
