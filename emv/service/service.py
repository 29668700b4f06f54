"""Run programs for many users: each is promised its memory, begins in its turn, and fails alone."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable, Mapping
from types import TracebackType
from typing import Any, Self

from emv.errors import ArgumentError, CapacityError
from emv.runtime.arrays.available import readable
from emv.runtime.parameters import Met, met_before
from emv.runtime.program import ProgramFunction
from emv.runtime.targets.placing import choose_backend
from emv.service.alone import add, put_down
from emv.service.hands import Hands
from emv.service.job import Asked, Job, Shape
from emv.service.ledger import Claim, Ledger
from emv.service.state import Limits, UserReport, fill_of, free_bytes, hears
from emv.service.together import alike
from emv.service.turns import Turns
from emv.service.waiting import OVERTAKEN, Waiting

OWN = ("backend", "stream", "callback")
"""What a call of a program takes and a job does not, as the service says so itself."""
NONE: Mapping[Hashable, Shape] = {}
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
        capacity = memory if memory is not None else 9 * free_bytes(self.device) // 10
        self.turns = Turns(
            Ledger(capacity),
            Waiting(most_overtaken),
            workers,
            batch or (BATCH if is_gpu else 1),
            is_gpu and workers > 1,
            limits or {},
        )
        self.state = self.turns.state
        self.hands = Hands(self.turns, workers)

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
        if deadline is not None and not deadline > 0:
            raise ArgumentError(f"a deadline of {deadline} s has passed already")
        if graph.device != self.device:
            graph = graph.on(self.device)
        asked, turns, met = (program, graph, args, named), self.turns, None
        if memory is None and isinstance(program, ProgramFunction):
            met = met_before(program, graph, args, named)
        shape = self.state.met.get(met) or self._shape(asked, memory, met)
        job = Job(asked, shape, user, priority, deadline)
        job.hands = self.hands
        if turns.is_shared:
            job.fill, job.others = fill_of(self.device, graph), {}
        with turns.lock:
            if self.state.is_over:
                raise RuntimeError("the service has been shut down and takes no more jobs")
            if not add(turns, job):
                if turns.limits:
                    self._check(job)
                turns.add(job)
        return job

    def report(self) -> dict[str, UserReport]:
        """Return what every user has had so far."""
        with self.turns.lock:
            put_down(self.turns)
            return {user: UserReport(**vars(each)) for user, each in self.turns.users.items()}

    def shutdown(self, wait: bool = True, *, cancel: bool = False) -> None:
        """Take no more jobs; run those that wait, or cancel all, and wait until they have ended."""
        with self.turns.lock:
            self.state.is_over = True
            put_down(self.turns)
            jobs = [*self.state.waiting.items, *self.state.running] if cancel else []
            self.turns.wake()
        for job in jobs:
            job.cancel()
        if wait:
            self.hands.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.shutdown(cancel=error is not None)

    def _shape(self, asked: Asked, memory: int | None, met: Met | None) -> Shape:
        """Return what a call shares with those alike: found again, or its memory is planned."""
        if memory is not None:
            check_own(asked)
            return Shape(self._checked(Claim(memory)), hears(asked))
        (program, graph, args, named), shapes = asked, self.state.shapes
        layouts = graph.layouts
        key, is_of_vertices = alike(asked, layouts)
        try:
            found = shapes.get(id(layouts), NONE).get(key)
        except TypeError:  # of arrays
            key, is_of_vertices, found = (), False, None
        if found is not None:
            self.state.remember(met, found)
            return found
        check_own(asked)
        if not isinstance(program, ProgramFunction) or program.host_loop:
            raise ArgumentError(
                f"{getattr(program, '__name__', program)}() does not say what memory it takes",
                remedy="Give submit(..., memory=bytes).",
            )
        shown = {name: value for name, value in named.items() if name != "rng"}
        plan = program.memory_plan(graph, *args, **shown)
        claim = Claim.of(plan, id(layouts), program.form)
        family = key if is_of_vertices else None
        found = Shape(claim, hears(asked), True, (program, claim.graph), family, program.form)
        with self.turns.lock:
            self.state.ledger.watch(claim.graph, layouts)
            self._checked(claim)
            if key:
                if id(layouts) not in shapes:
                    weakref.finalize(layouts, shapes.pop, id(layouts), None)
                shapes.setdefault(id(layouts), {})[key] = found
        return found

    def _checked(self, claim: Claim) -> Claim:
        """Refuse what does not fit even alone; what fits once does so as long as its graph is."""
        needed, most = self.state.ledger.missing(claim), self.state.ledger.capacity
        if needed > most:
            has = readable(most)
            raise CapacityError(f"the job needs {readable(needed)}, the service has {has}")
        return claim

    def _check(self, job: Job) -> None:
        """Refuse a job that can never begin, or is one too many."""
        limits = self.turns.limits_of(job.user)
        most = self.state.ledger.capacity
        if limits.nbytes is not None and limits.nbytes < most and job.claim.own > limits.nbytes:
            raise CapacityError(
                f"the job needs {readable(job.claim.own)}, and {job.user or 'its user'} may have "
                f"{readable(limits.nbytes)}"
            )
        queued = sum(each.user == job.user for each in self.state.waiting.items)
        if limits.waiting is not None and queued >= limits.waiting:
            raise CapacityError(
                f"{queued} jobs of {job.user or 'this user'} wait already, and no more may",
                remedy="Wait for some of them.",
            )


def check_own(asked: Asked) -> None:
    """Refuse a call that says where it runs."""
    for name in OWN:
        if name in asked[3]:
            raise ArgumentError(
                f"submit() takes no {name}=", remedy="The service says where a job runs."
            )
