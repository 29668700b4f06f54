"""The quickest way through a service: one job, which its asker runs while there is no other.

Python is slow behind a kernel, so what nobody asks for is not put down. A job that comes while
nothing waits or runs is one entry, `State.alone`, from then until it has ended, and what it has had
waits in `State.past`. Whoever looks at more than these puts both down first (`put_down`), which
makes of it a job like any other. So who asks for it begins it if it still is that entry.
"""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures._base import FINISHED, PENDING, RUNNING
from typing import Protocol

from emv.service.job import Job
from emv.service.pairing import Pairing
from emv.service.state import State, UserReport, note

MOST_PAST = 64
"""What so many jobs have had is put down, though nobody asks."""


class Turns(Protocol):
    """What begins jobs, and knows which do: see `emv.service.turns`."""

    state: State
    lock: threading.RLock
    is_plain: bool
    measures: bool
    pairing: Pairing
    users: dict[str, UserReport]

    def share_out(self) -> None:
        """Find which places are free, and have those that run each have one."""

    def ended(self, jobs: list[Job]) -> None:
        """Note that jobs have ended which ran together."""


def add(turns: Turns, job: Job) -> bool:
    """Let a job wait without more, if there is no other; locked by the caller.

    A worker looks in a moment whether somebody has asked for it, so none is woken.
    """
    state, claim = turns.state, job.claim
    if state.alone or state.heads or state.waiting.items or not state.is_watched:
        return False
    if not (job.is_pure and job.hears and turns.is_plain) or job.deadline is not None:
        return False
    if job.user not in turns.users:
        return False
    ledger = state.ledger
    if claim.counted_by is not ledger:  # the first counts what its graph keeps
        return False
    if claim.own > ledger.capacity - sum(ledger.sizes.values()):
        return False
    job.number = state.submitted
    state.submitted += 1
    state.alone = job
    return True


def begin(turns: Turns, job: Job) -> bool:
    """Begin a job for its asker, if there is no other."""
    with turns.lock:
        if turns.state.alone is not job or job._state != PENDING:
            return False
        job.asker = threading.get_ident()  # before anything is changed: see `Turns.left`
        turns.state.is_asked = True
        job._state = RUNNING  # behind the lock, where nobody has cancelled it
    return True


def end(turns: Turns, job: Job) -> None:
    """Note that a job has ended that began here, unless it was put down since."""
    state = turns.state
    with turns.lock:
        if state.alone is not job:
            turns.ended([job])
            return
        state.alone = None
        times = job.submitted, job.began or 0.0, job.ended or 0.0
        state.past.append((job.user, job.kind, times, job.is_well))
        if len(state.past) > MOST_PAST:
            put_down(turns)


def put_down(turns: Turns) -> None:
    """Put down which job there is, and what those before it had, as of all others.

    Behind the lock. Whoever is interrupted here leaves what the next one puts down.
    """
    state, job = turns.state, turns.state.alone
    if job is not None and job._state == PENDING:
        state.waiting.items[:] = [job]
    elif job is not None and job._state in (RUNNING, FINISHED):  # and was not cancelled before
        state.ledger.own[job] = job.claim.own
        state.running[:] = state.heads[:] = [job]
        state.waiting.running = Counter([job.user])
        turns.share_out()
    state.alone = None
    while state.past:
        user, kind, (submitted, began, ended), is_well = state.past.pop(0)
        state.waiting.seconds[user] += ended - began
        note(turns.users[user], ended - began, began - submitted, is_well)
        if turns.measures and is_well:
            turns.pairing.heard(kind, ended - began, {})
