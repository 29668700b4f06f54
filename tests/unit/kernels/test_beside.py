"""LLVM works on threads of its own: what becomes an object by itself, and what is kept."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from numba import int64, njit
from numba.core.errors import TypingError

from emv_kernels import llvm_threads
from emv_kernels.lean import for_cores

TEXT = """
@njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, error_model="numpy", _nrt=False)
def long(values, by):
    for k in range(len(values)):
        for j in range(by):
            for i in range(k, len(values)):
                if values[i] > j:
                    values[i] -= values[k] // by
                elif values[i] < k:
                    values[k] += values[i] * j + by
                else:
                    values[i] = values[k] ^ j
    return values[0] + by

@njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, error_model="numpy", _nrt=False)
def short(number):
    return number * 3

@njit(error_model="numpy", _nrt=False)
def kernel(values):
    return long(values, 2) + short(long(values, 3))
"""
NUMBERS = np.arange(9)


def made(name: str, text: str = TEXT) -> dict[str, object]:
    """Return the functions of a text, as of a generated module."""
    within: dict[str, object] = {"__name__": f"emv_generated_{name}", "njit": njit}
    exec(text, within)
    return within


def library(function):
    (compiled,) = function.overloads.values()
    return compiled._asdict()["library"]


def test_what_is_long_is_an_object_that_others_call_and_the_rest_is_brought_into_them():
    functions = made("parts")
    kernel, values = functions["kernel"], NUMBERS.copy()
    for_cores(kernel.compile, (int64[::1],))
    values, plain = NUMBERS.copy(), NUMBERS.copy()
    wanted = functions["long"].py_func(plain, 2)
    wanted += functions["short"].py_func(functions["long"].py_func(plain, 3))
    assert kernel(values) == wanted
    assert values.tolist() == plain.tolist()
    long, short = library(functions["long"]), library(functions["short"])
    assert [long.is_long(), short.is_long()] == [True, False]
    assert library(kernel).objects() == [long.made()]
    assert short.making is None
    (text,) = kernel.inspect_llvm().values()
    calls = [line for line in text.splitlines() if " call " in line]
    assert sum("long" in line for line in calls) == 2
    assert not any("short" in line for line in calls)


def test_nothing_is_left_behind_where_a_caller_cannot_be_compiled():
    text = TEXT.replace("short(long(values, 3))", "long(values, 3).nothing")
    before = sys.getswitchinterval()
    with pytest.raises(TypingError, match="nothing"):
        for_cores(made("wrong", text)["kernel"].compile, (int64[::1],))
    assert sys.getswitchinterval() == before
    assert len(llvm_threads.ASKED_FOR) >= 1  # that of what is long, and goes on
    with llvm_threads.Rest():
        assert llvm_threads.ASKED_FOR == []
        assert not llvm_threads.WAITING


def test_numba_takes_in_what_was_compiled_here():
    functions = made("taken_in")
    for_cores(functions["kernel"].compile, (int64[::1],))
    long, short = functions["long"], functions["short"]

    @njit
    def theirs(values):
        return short(long(values, 2))

    values, plain = NUMBERS.copy(), NUMBERS.copy()
    assert theirs(values) == 3 * long.py_func(plain, 2)
    assert values.tolist() == plain.tolist()


KEPT = """
import numpy as np
from emv import Graph, algorithms
from emv_kernels import beside

built, made = beside.Machine.built, []
beside.Machine.built = lambda *given: made.append(given[1]) or built(*given)
numbers = np.random.default_rng(1).integers(0, 500, (2, 4000))
graph = Graph.from_edges(*numbers)
depths = algorithms.bfs(graph, 0, backend="cpu")
sets = algorithms.strongly_connected_components(graph, backend="cpu")
made = [names for names in made if "nrt_atomic_add" not in names]  # numba's own
print(len(made), np.asarray(depths).sum(), np.asarray(sets).sum(), len(beside.LOADED))
"""


def test_objects_are_read_again_by_another_process(tmp_path):
    said = []
    for _ in range(2):
        command, given = [sys.executable, "-c", KEPT], os.environ | {"EMV_CACHE": str(tmp_path)}
        run = subprocess.run(command, capture_output=True, text=True, env=given)
        assert run.returncode == 0, run.stderr
        said.append(run.stdout.split())
    (first, *found), (second, *again) = said
    assert int(first) > 10
    assert second == "0"
    assert found == again


THEIRS = """
from numba import njit

@njit(cache=True)
def halved(number):
    return number // 2
"""
OURS = """
from numba import int64, njit
import theirs
from emv_kernels.lean import for_cores

within = {"__name__": "emv_generated_with_theirs", "njit": njit, "halved": theirs.halved}
exec("@njit" + chr(10) + "def kernel(number): return halved(number) + 1", within)
for_cores(within["kernel"].compile, (int64,))
print(within["kernel"](9), *theirs.halved.stats.cache_hits.values())
"""
ALONE = "import theirs; print(theirs.halved(9), *theirs.halved.stats.cache_hits.values())"


@pytest.mark.parametrize("texts", [(OURS, ALONE), (ALONE, OURS)])
def test_what_users_keep_with_numba_is_as_numba_keeps_it(texts, tmp_path):
    (tmp_path / "theirs.py").write_text(THEIRS)
    said = []
    for text in texts:
        command, given = [sys.executable, "-c", text], os.environ | {"PYTHONPATH": str(tmp_path)}
        run = subprocess.run(command, capture_output=True, text=True, env=given, cwd=tmp_path)
        assert run.returncode == 0, run.stderr
        said.append(run.stdout)
    assert said == [f"{5 if text is OURS else 4}{' 1' * hits}\n" for hits, text in enumerate(texts)]


def test_what_names_an_address_of_this_process_is_not_kept():
    table = np.arange(10**6)  # of more bytes than numba puts into a text
    within = made("bound", "@njit\ndef looked_up(k):\n    return table[k]\n")
    within["table"] = table
    looked_up = within["looked_up"]
    for_cores(looked_up.compile, (int64,))
    assert looked_up(7) == 7
    assert library(looked_up).has_dynamic_globals
    kernel = made("free")["kernel"]
    for_cores(kernel.compile, (int64[::1],))
    assert not library(kernel).has_dynamic_globals


LATE = """
import atexit
import sys
from numba import int64, njit
from emv_kernels.lean import for_cores

def compile_late():
    within = {"__name__": "emv_generated_late", "njit": njit}
    exec(sys.argv[1], within)
    for_cores(within["kernel"].compile, (int64[::1],))
    print(*within["kernel"].signatures)

atexit.register(compile_late)
"""


def test_the_last_that_a_process_does_may_be_to_compile():
    command = [sys.executable, "-c", LATE, TEXT]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    assert "int64" in run.stdout


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_child_made_by_fork_has_threads_of_its_own():
    functions = made("forked")
    for_cores(functions["kernel"].compile, (int64[::1],))
    child = os.fork()
    if child == 0:
        other = made("child")["kernel"]
        for_cores(other.compile, (int64[::1],))
        os._exit(int(other(NUMBERS.copy()) != functions["kernel"](NUMBERS.copy())))
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
