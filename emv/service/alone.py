"""The quickest way through a service: one job, which its asker runs while there is no other.

Python is slow behind a kernel, so what nobody asks for is not put down. That such a job has its
turn and its memory is one entry, `State.alone`; what it has had waits in `State.past`. Whoever
looks at more than these puts both down first, which makes of it a job like any other.
"""

from __future__ import annotations

from collections import Counter
from concurrent.futures._base import RUNNING
from typing import TYPE_CHECKING

from emv.service.job import Job
from emv.service.state import note

if TYPE_CHECKING:
    from emv.service.turns import Turns

MOST_PAST = 64
"""What so many jobs have had is put down, though nobody asks."""


def begin(turns: Turns, job: Job) -> bool:
    """Begin the one job that waits, for its asker, if that is all there is; behind the lock."""
    state, claim = turns.state, job.claim
    ledger = state.ledger
    if not turns.is_plain or state.growing or job.is_called_off or job.deadline is not None:
        return False
    if (
        state.waiting.items[0] is not job or ledger.own or claim.counted_by is not ledger
    ):  # the first claims what its graph keeps
        return False
    if claim.own > ledger.capacity - sum(ledger.sizes.values()):
        return False
    state.alone = job  # before it waits no longer: see `Turns.left`
    state.waiting.items.clear()
    job._state = RUNNING  # behind the lock, where nobody has cancelled it
    return True


def end(turns: Turns, job: Job) -> None:
    """Note that a job has ended that began here, unless it was put down since."""
    state, began = turns.state, job.began or 0.0
    seconds = (job.ended or began) - began
    with turns.lock:
        if state.alone is job:
            state.alone = None
            state.past.append((job.user, job.kind, seconds, began - job.submitted, job.is_well))
            if state.waiting.items or state.growing or state.is_over:
                turns.changed.notify_all()
            if len(state.past) < MOST_PAST:
                return
            put_down(turns)
        else:
            turns.ended([job], seconds)


def put_down(turns: Turns) -> None:
    """Put down which job runs, and what those before it had, as of all others; behind the lock.

    Whoever is interrupted here leaves what the next one puts down.
    """
    state, job = turns.state, turns.state.alone
    if job is not None:
        state.ledger.own[job] = job.claim.own
        state.running += [] if job in state.running else [job]
        state.heads += [] if job in state.heads else [job]
        state.waiting.running = Counter(each.user for each in state.running)
        turns.share_out()
        state.alone = None
    while state.past:
        user, kind, seconds, waited, is_well = state.past.pop(0)
        state.waiting.seconds[user] += seconds
        note(turns.users[user], seconds, waited, is_well)
        if turns.measures and is_well:
            turns.pairing.heard(kind, seconds, {})
