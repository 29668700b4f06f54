"""Who asks for a job begins it in its turn only."""

from __future__ import annotations

from emv.service.job import Job, Shape
from emv.service.ledger import Claim, Ledger
from emv.service.turns import Turns
from emv.service.waiting import Waiting


def turns_without_workers(number=1, batch=1):
    return Turns(Ledger(100), Waiting(), number, batch, False, {})


def waiting_job(turns, own=10, user="", priority=0, **more):
    job = Job(lambda _: "found", Shape(Claim(own, "g"), False, True), user, priority, None)
    vars(job).update(more)
    with turns.lock:
        turns.add(job)
    return job


def test_nobody_overtakes_by_asking():
    turns = turns_without_workers(number=2)
    first, second = waiting_job(turns), waiting_job(turns)
    assert not turns.mine(second)
    urgent = waiting_job(turns, priority=1)
    assert not turns.mine(first)
    assert turns.mine(urgent)
    assert not turns.mine(first)  # beside another workers do as well
    urgent.end()
    turns.ended([urgent])
    assert turns.mine(first)
    assert second.overtaken == 0


def test_who_had_less_time_is_first_whoever_asks():
    turns = turns_without_workers()
    turns.state.waiting.seconds = {"had": 5.0, "new": 1.0}
    had, new = waiting_job(turns, user="had"), waiting_job(turns, user="new")
    turns.state.waiting.seconds["new"] = 1.0
    assert not turns.mine(had)
    assert turns.mine(new)


def test_who_asks_waits_for_memory_and_goes_not_before_what_waits_for_it():
    turns = turns_without_workers()
    turns.state.ledger.own["another"] = 50
    assert not turns.mine(waiting_job(turns, own=60))
    small = waiting_job(turns, own=10)
    assert not turns.mine(small)
    turns.state.growing = 1
    turns.state.ledger.own.clear()
    assert not turns.mine(turns.state.waiting.items[0])
    turns.state.growing = 0
    assert turns.mine(turns.state.waiting.items[0])


def test_who_asks_leaves_batches_and_what_is_no_program_to_workers():
    turns = turns_without_workers(batch=8)
    turns.together.size = lambda head, number: 8 if number >= 8 else 1
    same = [waiting_job(turns, family="f", kind="k") for _ in range(8)]
    assert not turns.mine(same[0])
    same[1].cancel()
    assert not turns.mine(waiting_job(turns_without_workers(), is_pure=False))
    alone = turns_without_workers(batch=8)
    assert alone.mine(waiting_job(alone, family="f", kind="k"))
