"""Memory is promised whole or not at all, and nobody waits for ever."""

from __future__ import annotations

import gc
import random
from types import SimpleNamespace

import pytest

from emv.service import Claim, Ledger, Waiting


def test_index_arrays_count_once_for_all_jobs_on_a_graph():
    ledger, graph = Ledger(100), SimpleNamespace()

    class Owner:
        pass

    owner = Owner()
    ledger.watch("g", owner)
    assert ledger.reserve(1, Claim(30, "g", {"first_in": 20, "src_of_slot": 10}))
    assert ledger.free == 40
    assert ledger.reserve(2, Claim(25, "g", {"first_in": 20, "first_out": 15}))
    assert (ledger.free, ledger.kept) == (0, 45)
    assert not ledger.reserve(3, Claim(1, "g"))
    ledger.release(1)
    ledger.release(2)
    assert ledger.free == 55
    del owner, graph
    gc.collect()
    assert (ledger.free, ledger.kept) == (100, 0)


def job(number, user="a", priority=0, need=0):
    return SimpleNamespace(
        number=number, user=user, priority=priority, overtaken=0, need=need, grows=0
    )


def test_users_take_turns_by_time_and_priority_orders_one_users_jobs():
    waiting = Waiting()
    for number in range(4):
        waiting.add(job(number, "busy"))
    waiting.add(job(4, "rare", priority=-5))
    waiting.add(job(5, "busy", priority=1))
    begun = []
    while (each := waiting.take(lambda item: True)) is not None:
        begun.append(each.number)
        waiting.ended(each.user, 1.0)
    assert begun == [5, 4, 0, 1, 2, 3]


def test_who_comes_late_has_saved_nothing():
    waiting = Waiting()
    waiting.add(job(0, "old"))
    waiting.take(lambda item: True)
    waiting.seconds["old"] = 100.0
    waiting.add(job(1, "new"))
    assert waiting.seconds["new"] == 100.0


def test_a_large_job_is_overtaken_by_so_many_small_ones_at_most():
    ledger, waiting = Ledger(100), Waiting(most_overtaken=3)
    ledger.reserve("runs", Claim(60))
    waiting.add(job(0, need=80))
    for number in range(1, 9):
        waiting.add(job(number, need=10))
    fits = lambda item: ledger.reserve(item.number, Claim(item.need))  # noqa: E731
    begun = []
    while (each := waiting.take(fits)) is not None:
        begun.append(each.number)
        ledger.release(each.number)
    assert begun == [1, 2, 3]
    ledger.release("runs")
    assert waiting.take(fits).number == 0


def simulate(draw, growth_in_two_steps):
    """Run random jobs in simulated memory; return how many ended, and the most that was taken."""
    ledger, waiting = Ledger(100), Waiting(most_overtaken=draw.randint(0, 8))
    count = draw.randint(1, 30)
    for number in range(count):
        item = job(number, draw.choice("abc"), draw.randint(-1, 1), draw.randint(1, 70))
        item.grows = draw.choice((0, draw.randint(0, 70))) if growth_in_two_steps else 0
        waiting.add(item)
    running, growing, ended = [], [], 0
    while waiting.items or running or growing:
        for each in list(growing):  # they hold nothing, and go first
            if ledger.reserve(each.number, Claim(max(each.need, each.grows))):
                growing.remove(each)
                each.grows = 0
                running.append(each)
        if not growing:
            item = waiting.take(lambda each: ledger.reserve(each.number, Claim(each.need)))
            if item is not None:
                running.append(item)
                if draw.random() < 0.7:
                    continue
        assert sum(ledger.own.values()) <= ledger.capacity
        assert running, "nobody can go on"
        each = running.pop(draw.randrange(len(running)))
        ledger.release(each.number)
        if each.grows > each.need:
            growing.append(each)
            continue
        waiting.ended(each.user, draw.random())
        ended += 1
    assert not ledger.own
    return ended == count


@pytest.mark.paper("S108")
@pytest.mark.parametrize("growth", [False, True])
def test_random_schedules_end(growth):
    draw = random.Random(8)
    assert all(simulate(draw, growth) for _ in range(5000))


@pytest.mark.paper("S108")
def test_without_all_or_nothing_two_growing_jobs_would_wait_for_ever():
    ledger = Ledger(100)  # each takes 30 and later 30 more, holding what it has: the naive way
    assert ledger.reserve("a1", Claim(30))
    assert ledger.reserve("b1", Claim(30))
    assert ledger.reserve("a2", Claim(30))  # a may go on ...
    ledger = Ledger(100)
    for part in ("a1", "b1"):  # ... but with parts of 60 of 120 neither can
        assert ledger.reserve(part, Claim(45))
    assert not ledger.reserve("a2", Claim(30))
    assert not ledger.reserve("b2", Claim(30))
    ledger.release("a1")  # giving back before asking anew is what ends it
    assert not ledger.reserve("a", Claim(75))
    ledger.release("b1")
    assert ledger.reserve("a", Claim(75))
