"""Work that several threads share out, which stay for the next."""

from __future__ import annotations

import threading
import time

import pytest

from emv_kernels.aside import all_at_once


def names(number: int) -> str:
    time.sleep(0.01)
    return threading.current_thread().name


def test_results_come_in_the_order_of_the_rows():
    assert all_at_once(lambda a, b: a - b, range(50), range(0, 100, 2)) == [-k for k in range(50)]
    assert all_at_once(pow, [], []) == []


def test_threads_stay_for_the_next_work():
    all_at_once(names, range(8), num_threads=4)
    before = {each.ident for each in threading.enumerate()}
    assert len(set(all_at_once(names, range(8), num_threads=4))) <= 4
    assert {each.ident for each in threading.enumerate()} == before


def test_one_thread_works_where_it_is_called():
    assert set(all_at_once(names, range(3), num_threads=1)) <= {"MainThread", "emv-aside"}


def test_an_error_is_raised_once_all_threads_have_ended():
    done = []

    def work(number: int) -> None:
        if number == 1:
            raise ZeroDivisionError
        time.sleep(0.02)
        done.append(number)

    with pytest.raises(ZeroDivisionError):
        all_at_once(work, range(6), num_threads=3)
    ended = len(done)
    time.sleep(0.05)
    assert len(done) == ended


def test_work_may_share_out_more_work():
    def outer(number: int) -> int:
        return sum(all_at_once(lambda each: each * number, range(4)))

    assert all_at_once(outer, range(5)) == [6 * k for k in range(5)]
