"""Whether small phases are shared out: the way that takes less time is found, and found anew."""

from __future__ import annotations

import numpy as np
import pytest

from emv_kernels.cpu import turns

PHASES, SIZE = 3000, 2000


class Clock:
    """A clock that goes on by what phases take."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1
        monkeypatch.setattr(turns, "nanoseconds", lambda: self.now)
        monkeypatch.setattr(turns, "end_window", turns.end_window.py_func)
        self.kept = np.zeros(16, np.int64)

    def phases(self, count: int, together: float, alone: float) -> int:
        """Run phases of some nanoseconds for each element; return how many one thread did."""
        number = 0
        for k in range(count):
            size = SIZE + k % 7 * 100
            is_alone = turns.is_alone.py_func(self.kept, 0, size, 2**15)
            number += is_alone
            self.now += int(size * (alone if is_alone else together))
            turns.judge.py_func(self.kept, 0)
        return number


@pytest.mark.parametrize(("together", "alone"), [(11, 15), (15, 11), (60, 15)])
def test_the_faster_way_is_taken(
    together: int, alone: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Clock(monkeypatch).phases(PHASES, together, alone)
    slower = found if together < alone else PHASES - found
    assert 0 < slower < PHASES // 40  # tried again and again, and hardly ever


def test_what_becomes_slower_is_left_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    assert clock.phases(PHASES, 11, 15) < PHASES // 40
    assert clock.phases(100, 40, 15) > 60
    clock.phases(PHASES, 40, 15)
    assert clock.phases(PHASES, 11, 15) < PHASES // 2


def test_large_phases_are_always_shared_out(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    clock.phases(100, 40, 15)
    before = clock.kept.copy()
    assert not turns.is_alone.py_func(clock.kept, 0, 2**15, 2**15)
    turns.judge.py_func(clock.kept, 0)
    assert np.array_equal(clock.kept, before)


def superstep(kept: np.ndarray, step: int, sizes: list[int], clock: Clock, slow: float) -> int:
    """Run the phases of a superstep; return how many of them one thread did."""
    number = 0
    for size in sizes:
        is_alone = turns.goes_alone.py_func(kept, step, size, 2**15)
        number += is_alone
        clock.now += int(size * (15 if is_alone else slow))
    turns.judge.py_func(kept, 0)
    return number


@pytest.mark.parametrize("slow", [11, 40])
def test_phases_of_a_superstep_are_judged_as_one(
    slow: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, kept = Clock(monkeypatch), np.zeros(16, np.int64)
    done = [superstep(kept, step, [900, 2000, 700], clock, slow) for step in range(1, PHASES)]
    assert set(done) == {0, 3}  # never a phase apart from the others
    slower = done.count(3 if slow < 15 else 0)
    assert 0 < slower < PHASES // 20


def test_a_superstep_that_was_left_is_not_timed_by_the_next_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, kept = Clock(monkeypatch), np.zeros(16, np.int64)
    turns.goes_alone.py_func(kept, 1, 2000, 2**15)
    clock.now += 10**12
    superstep(kept, 2, [900], clock, 11)
    assert kept[turns.SPENT] <= 0 or kept[turns.SPENT] < 10**6


def test_a_superstep_with_a_large_phase_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, kept = Clock(monkeypatch), np.zeros(16, np.int64)
    assert superstep(kept, 1, [2000, 2**15, 900], clock, 11) == 0
    assert kept[turns.PHASES] == kept[turns.SPENT] == kept[turns.BEGUN] == 0
