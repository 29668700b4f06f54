"""The driver's own part: scalars, the two queues of the active set, loops on the host."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from emv.codegen.state import PLACES, REASONS
from emv.errors import Loc
from emv.ir import program as p
from emv.ir import schedule as s
from emv.runtime.arrays.taken import current
from emv.runtime.drive.driver import Driver
from emv.runtime.targets.cores import Cores

HERE = Loc("program.py", 7)
STEP = s.Slot("ints", 0)
LIMIT = p.ScalarParameter("i64", "limit")
SHARE = p.ScalarParameter("f64", "share")


def number(value) -> p.Number:
    kind = "bool" if isinstance(value, bool) else "i64" if isinstance(value, int) else "f64"
    return p.Number(kind, value)


def driver(body=(), callback=None) -> Driver:
    """Return a driver of a schedule without launches."""
    arrays = {
        "state": np.zeros(256, np.int64),
        "ints": np.array([0, 3]),
        "floats": np.array([0.25]),
        "active": np.array([5, 6, 0], np.uint32),
        "pending": np.array([1, 2, 3], np.uint32),
        "queued": np.array([0, 1, 1, 1, 0, 0, 0], np.uint8),
    }
    program = SimpleNamespace(name="walk", loc=HERE)
    schedule = s.Schedule(program, tuple(body), None, {}, True, frozenset())
    slots = {LIMIT: s.Slot("ints", 1), SHARE: s.Slot("floats", 0), p.Step("i64", 1): STEP}
    compiled = SimpleNamespace(
        schedule=schedule, slots=slots, names={}, grids=0, acts={}, late_steps=tuple(body)
    )
    graph = SimpleNamespace(num_vertices=5)
    told = {"graph": graph, "whole": graph, "target": Cores(1)}
    plan = SimpleNamespace(arrays=arrays, compiled=compiled, **told)
    return Driver(plan, callback)


def operation(op, *args) -> p.Operation:
    is_truth = op in ("<", ">=", "==", "!=", "&", "|", "not")
    return p.Operation("bool" if is_truth else "f64", op, args)


@pytest.mark.parametrize(
    ("expr", "value"),
    [
        (number(4), 4),
        (LIMIT, 3),
        (operation("*", LIMIT, SHARE), 0.75),
        (operation("-", number(1), operation("neg", LIMIT)), 4),
        (operation("/", LIMIT, number(0)), np.inf),
        (operation("//", LIMIT, number(2)), 1),
        (operation("%", LIMIT, number(2)), 1),
        (operation("**", number(2), LIMIT), 8),
        (operation("abs", number(-2)), 2),
        (operation("&", operation("<", SHARE, number(1)), operation(">=", LIMIT, number(3))), True),
        (operation("|", number(False), operation("not", number(True))), False),
        (operation("==", LIMIT, number(3)), True),
        (operation("!=", LIMIT, number(3)), False),
    ],
)
def test_scalars(expr, value):
    with np.errstate(all="ignore"):
        assert driver().scalar(expr) == value


def test_the_queues_change_places_when_the_active_set_is_asked_for():
    made = driver()
    made.state[PLACES["NUM_ACTIVE"]] = 2
    made.take_active("vertex")  # nobody who can activate ran
    assert (current(made.arrays, "active")[0], made.place("NUM_ACTIVE"), made.num_active()) == (
        5,
        2,
        2,
    )
    made.state[PLACES["STALE"]] = 1
    made.state[PLACES["NUM_PENDING"]] = 2
    assert made.num_active() == 2
    made.take_active("vertex")
    assert current(made.arrays, "active").tolist() == [1, 2, 3]
    assert current(made.arrays, "pending").tolist() == [5, 6, 0]
    assert (made.place("NUM_ACTIVE"), made.place("NUM_PENDING"), made.place("STALE")) == (2, 0, 0)
    assert made.arrays["queued"].tolist() == [0, 0, 0, 1, 0, 0, 0]  # only two were queued


def host_loop(body=(), until=None, limit=LIMIT, number=1) -> s.LoopStep:
    return s.LoopStep(number, STEP, limit, until, False, tuple(body), False, "test", HERE)


def stopped(made: Driver) -> str:
    return REASONS[made.place("STOPPED")]


def test_a_loop_on_the_host_ends_at_its_limit():
    made = driver([host_loop()])
    made.run()
    assert (stopped(made), made.place("SUPERSTEPS")) == ("limit", 3)


def test_a_loop_on_the_host_ends_when_until_is_true():
    until = operation(">=", p.Step("i64", 1), number(2))
    made = driver([host_loop(until=until)])
    made.run()
    assert (stopped(made), made.place("SUPERSTEPS")) == ("until", 2)


def test_a_callback_ends_all_loops_but_not_what_follows_them():
    told = []

    def callback(supersteps, info):
        told.append((supersteps, info))
        return supersteps == 2

    result = s.SetScalar(s.Slot("floats", 0), number(9.0))
    made = driver([host_loop(), result, host_loop(number=2)], callback)
    made.run()
    assert told == [(1, {"active": 0, "line": 7}), (2, {"active": 0, "line": 7})]
    assert (stopped(made), made.place("SUPERSTEPS")) == ("callback", 2)
    assert made.arrays["floats"][0] == 9.0
