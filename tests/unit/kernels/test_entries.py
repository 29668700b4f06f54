"""While LLVM makes what Python asks for, numba's front end goes on with what follows."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from numba import int64, njit, uint64
from numba.core import codegen
from numba.core.errors import TypingError

from emv_kernels import llvm_threads
from emv_kernels.entries import AHEAD, compile_for
from emv_kernels.lean import for_cores

TYPES = (int64[::1],)
TEXT = """
@njit(error_model="numpy", _nrt=False)
def first(values):
    values[0] += 1

@njit(error_model="numpy", _nrt=False)
def second(values):
    values[1] += 2

@njit(error_model="numpy", _nrt=False)
def third(values):
    values[2] += 3

@njit(error_model="numpy", _nrt=False)
def wrong(values):
    values.nothing()
"""


def made(name: str) -> dict:
    """Return the functions of a text, as of a generated module."""
    within = {"__name__": f"emv_generated_{name}", "njit": njit}
    exec(TEXT, within)
    return within


@pytest.fixture
def held(monkeypatch):
    """Let LLVM's threads wait until somebody waits for them, or says so."""
    may_go = threading.Event()
    real = llvm_threads.do_one

    def work_off_later() -> None:
        may_go.wait()
        while real():
            pass

    monkeypatch.setattr(llvm_threads, "work_off", work_off_later)
    monkeypatch.setattr(llvm_threads, "AT_WORK", [])
    yield may_go
    may_go.set()
    with llvm_threads.Rest():
        pass


def compiled(function, *following):
    for_cores(compile_for, function, TYPES, [(each, TYPES) for each in following])


def is_ahead(function) -> bool:
    return TYPES in vars(function).get(AHEAD, {})


def test_what_follows_is_lowered_once_and_called_when_it_is_asked_for(held):
    functions = made("follows")
    first, second, third = (functions[name] for name in ("first", "second", "third"))
    lowered, real = [], type(first._compiler).compile

    def compile_and_tell(compiler, *given):
        lowered.append(compiler.py_func.__name__)
        return real(compiler, *given)

    values = np.zeros(3, np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(first._compiler), "compile", compile_and_tell)
        compiled(first, second, third)
        assert [is_ahead(each) for each in (first, second, third)] == [False, True, True]
        assert [len(each.overloads) for each in (first, second, third)] == [1, 0, 0]
        first(values)
        compiled(second)
        compiled(third)
    second(values)
    third(values)
    assert values.tolist() == [1, 2, 3]
    assert lowered == ["first", "second", "third"]
    assert not any(map(is_ahead, (first, second, third)))


def test_what_is_made_behind_a_compilation_is_made_as_within_one(held, monkeypatch):
    functions = made("behind")
    compiled(functions["first"], functions["second"])
    asked = list(llvm_threads.ASKED_FOR)
    assert not all(each.done() for each in asked)
    monkeypatch.setattr(codegen, "create_pass_builder", None)  # numba's own, which others use
    held.set()
    assert all(each.result(60).object for each in asked)


def test_what_is_made_already_waits_for_nobody():
    functions = made("made")
    first, second = functions["first"], functions["second"]
    compiled(first)
    compiled(first, second)
    assert not is_ahead(second)


def test_an_error_is_told_when_its_function_is_asked_for(held):
    functions = made("wrong")
    compiled(functions["first"], functions["wrong"], functions["second"])
    assert is_ahead(functions["second"])
    with pytest.raises(TypingError, match="nothing"):
        compiled(functions["wrong"])


def test_other_types_are_another_form():
    first = made("forms")["first"]
    compiled(first)
    for_cores(compile_for, first, (uint64[::1],))
    assert len(first.overloads) == 2


ITSELF = """
from numba import njit

@njit(_nrt=False)
def down(number):
    if number < 1:
        return 0
    return down(number - 1) + 1
"""


def test_what_calls_itself_is_compiled_as_numba_does_it(tmp_path, monkeypatch):
    (tmp_path / "emv_generated_itself.py").write_text(ITSELF)
    monkeypatch.syspath_prepend(tmp_path)
    down = importlib.import_module("emv_generated_itself").down
    for_cores(compile_for, down, (int64,))
    assert down(9) == 9


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_child_made_by_fork_finds_what_was_lowered_ahead(held):
    functions = made("forked_ahead")
    compiled(functions["first"], functions["second"])
    held.set()
    child = os.fork()
    if child == 0:
        values = np.zeros(3, np.int64)
        compiled(functions["second"])
        functions["second"](values)
        os._exit(int(values[1] != 2))
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


RUN = """
import numpy as np
from emv import Graph, algorithms
from emv_kernels import entries

asked, lowered = [], entries.lowered
entries.lowered = lambda *given: asked.append(lowered(*given)) or asked[-1]
numbers = np.random.default_rng(1).integers(0, 500, (2, 4000))
graph = Graph.from_edges(*numbers)
sets = algorithms.strongly_connected_components(graph, backend="cpu")
print(sum(each is not None for each in asked), np.asarray(sets).sum())
"""


def test_another_process_reads_all_that_was_called(tmp_path):
    said = []
    for _ in range(2):
        command, given = [sys.executable, "-c", RUN], os.environ | {"EMV_CACHE": str(tmp_path)}
        run = subprocess.run(command, capture_output=True, text=True, env=given, check=True)
        said.append(run.stdout.split())
    (count, found), (again, same) = said
    assert int(count) > 10
    assert (again, same) == ("0", found)
