"""A call with room is the call, what is changed is put back, and flags are what was set."""

from __future__ import annotations

import gc
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from numba import int64, njit
from numba.core import event
from numba.core.compiler import Flags
from numba.core.targetconfig import TargetConfig

from emv_kernels import garbage
from emv_kernels.lean import changed, flag_changes, for_cores, with_room

CALLS, DEPTHS = 500, range(0, 400, 2)


def test_result_and_error_are_those_of_the_call():
    assert with_room(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        with_room(divmod, 7, 0)


def nothing():
    """Do nothing, in a frame of a kilobyte, which few places at the end of a chunk hold."""


nothing.__code__ = nothing.__code__.replace(co_stacksize=128)


def call_often(depth):
    """Call a function many times, so many frames below; return the faults of pages."""
    if depth > 0:
        return call_often(depth - 1)
    before = page_faults()
    for _ in range(CALLS):
        nothing()
    return page_faults() - before


def page_faults():
    resource = pytest.importorskip("resource")
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="frames of CPython")
def test_no_depth_asks_for_memory_at_every_call():
    with ThreadPoolExecutor(1) as thread:  # its stack begins anew; that of a test has room
        most = thread.submit(lambda: max(with_room(call_often, depth) for depth in DEPTHS))
    assert most.result() < CALLS


def test_what_was_changed_is_put_back():
    thing = SimpleNamespace(size=1)

    @changed([(thing, "size", 2)])
    def fail():
        assert (thing.size, gc.isenabled()) == (2, False)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert (thing.size, gc.isenabled()) == (1, True)


def test_collector_that_was_off_stays_off():
    gc.disable()
    try:
        with changed([]):
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_what_is_kept_from_the_collector_stays_so_and_is_counted_once(monkeypatch):
    count, asked = gc.get_freeze_count, []
    monkeypatch.setattr(garbage, "FROZEN", [])
    monkeypatch.setattr(gc, "get_freeze_count", lambda: asked.append(1) or count())
    gc.freeze()
    kept = count()
    for _ in range(3):
        with garbage.later():
            pass
        assert gc.isenabled()
    assert len(asked) == 1  # five million took 37 ms to count, at every compilation
    assert count() >= kept > 0


LATER = """
import gc
from emv_kernels import garbage
gc.set_threshold(10**6)  # so that it does not look at them by itself
made = []
with garbage.later():
    made += [[] for _ in range(999)]
old = {id(each) for each in gc.get_objects(2)}
print(sum(id(each) in old for each in made), gc.get_freeze_count())
"""


def test_all_that_there_is_counts_as_old_where_nothing_is_kept():
    run = subprocess.run([sys.executable, "-c", LATER], capture_output=True, text=True, check=True)
    assert run.stdout == "999 0\n"


def test_flags_differ_where_values_that_are_set_do():
    one, other = Flags(), Flags()
    with changed(flag_changes(TargetConfig)):
        one.nrt = True
        assert one != other
        other.nrt = True
        assert (one, hash(one)) == (other, hash(other))
        other.nrt = False
        assert one != other


def test_whoever_leaves_last_puts_back_what_was_there():
    class Owner:
        value = 1

    one, other = (changed([(Owner, "value", value)]) for value in (2, 3))
    assert gc.isenabled()
    one.__enter__()
    other.__enter__()
    one.__exit__(None, None, None)
    assert not gc.isenabled()
    assert Owner.value == 3
    other.__exit__(None, None, None)
    assert gc.isenabled()
    assert Owner.value == 1


only_called = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)


@only_called
def square(x):
    return x * x


@only_called
def is_even(x):
    return True if x == 0 else is_odd(x - 1)


@only_called
def is_odd(x):
    return False if x == 0 else is_even(x - 1)


@njit
def odd_square(x):
    return square(x) if is_odd(square(x)) else 0


def test_what_only_compiled_functions_call_is_compiled_within_them():
    for_cores(odd_square.compile, "i8(i8)")
    assert [odd_square(each) for each in range(5)] == [0, 1, 0, 9, 0]
    made = [has_machine_code(each) for each in (square, is_even, is_odd, odd_square)]
    assert made == [False, True, True, True]  # the second and the third by each other's address


def has_machine_code(function):
    return next(iter(function.overloads.values())).library._compiled_object is not None


def test_a_function_is_compiled_once_for_all_numbers_of_a_text():
    within: dict[str, object] = {"__name__": "emv_generated_of_a_test", "njit": njit}
    text = """
@njit(no_cpython_wrapper=True)
def more(number, by):
    return number + by

@njit
def both(number):
    return more(number, 1) * more(number, 2)
"""
    exec(text, within)
    both, more = within["both"], within["more"]
    for_cores(both.compile, (int64,))
    assert list(more.overloads) == [(int64, int64)]
    assert both(3) == 20


def test_only_who_takes_the_lock_first_tells_of_it():
    with event.install_recorder("numba:compiler_lock") as told:
        for_cores(njit(lambda number: number + 1).compile, (int64,))
    assert [each.is_start for _, each in told.buffer] == [True, False]


def test_who_listens_to_passes_is_told_of_them():
    with event.install_recorder("numba:run_pass") as told:
        for_cores(njit(lambda number: number + 1).compile, (int64,))
    assert any("native_lowering" in each.data["name"] for _, each in told.buffer)


def test_nobody_is_told_of_the_lock_of_llvm():
    with event.install_recorder("numba:llvm_lock") as told:
        for_cores(njit(lambda number: number + 1).compile, (int64,))
        assert not told.buffer
        njit(lambda number: number + 2).compile((int64,))
    assert told.buffer


FIRST = """
import numpy as np
from numba import float64, njit
from emv_kernels.lean import for_cores

@njit
def made(values):
    return np.sum(np.zeros(3)) + np.median(values)

for_cores(made.compile, (float64[::1],))
print(made(np.array([3.0, 4.0])))
"""


def test_what_a_process_compiles_first_may_use_all_that_numba_knows():
    run = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "3.5\n"), run.stderr


LINEAR_ALGEBRA = """
import sys
import numpy as np
from numba import int64, njit
from numba.core import event
from emv_kernels import garbage
from emv_kernels.lean import for_cores
for_cores(njit(lambda number: number + 1).compile, (int64,))
assert "scipy.linalg" not in sys.modules
print(njit(lambda one, other: one @ other)(np.eye(2), np.full((2, 2), 3.0)).sum())
"""


def test_linear_algebra_is_loaded_by_who_needs_it():
    command = [sys.executable, "-c", LINEAR_ALGEBRA]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "12.0\n"
