"""What is left out of numba's front end is not seen in the code for cores that comes out."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from llvmlite import ir
from numba import njit, typeof
from numba.core import compiler
from numba.core.errors import TypingError
from numba.core.types.functions import BaseFunction

from emv_kernels import frugal, lean, reading
from emv_kernels.lean import for_cores

MADE = """
import hashlib, re, sys
import numpy as np
from emv import Graph, algorithms
from emv_kernels import frugal

NAMED = r"B\\d+v\\d+B|gufunc_0x[0-9a-f]{12}|kernel[.]\\d+"  # by numbers and addresses of a process
if sys.argv[1] == "all":
    frugal.changes = lambda front: []
graph = Graph.from_edges(np.arange(40) % 7, np.arange(40) * 5 % 11)
algorithms.bfs.run(graph, 0, backend="cpu")
algorithms.components.run(graph, backend="cpu")
for name, module in sorted(sys.modules.items()):
    if name.startswith("emv_generated"):
        for each in sorted(vars(module)):
            for types, compiled in getattr(vars(module)[each], "overloads", {}).items():
                made = compiled._asdict()["library"]
                if made.making is not None:  # else it is a part of those that call it
                    code = re.sub(NAMED, "", made.get_asm_str())
                    print(each, types, len(code), hashlib.sha256(code.encode()).hexdigest())
"""


def test_the_code_is_the_same_byte_for_byte(tmp_path: Path):
    found = []
    for how in ("all", "frugal"):
        command = [sys.executable, "-c", MADE, how]
        kept = {"EMV_CACHE": str(tmp_path / how), "EMV_NUM_THREADS": "2", "PYTHONHASHSEED": "0"}
        run = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **kept})
        assert run.returncode == 0, run.stderr
        found.append(run.stdout)
    assert len({line.partition(" ")[0] for line in found[0].splitlines()}) > 4  # of both programs
    assert found[0] == found[1]


def test_everything_is_put_back():
    changes = frugal.changes(lean.FRONT)
    before = [(owner, name, vars(owner)[name]) for owner, name, _ in changes]
    with lean.changed(changes):
        assert all(vars(owner)[name] is not value for owner, name, value in before)
    assert all(vars(owner)[name] is value for owner, name, value in before)


def test_an_answer_is_looked_up_once_for_the_same_types():
    asked = []

    def look_up(self, context, args, kws):
        asked.append((args, kws))
        return len(asked)

    found, function, first, other = frugal.kept_answers(look_up), BaseFunction, object(), object()
    context = object()
    assert [found(function, context, (each,), {}) for each in (first, other, first)] == [1, 2, 1]
    assert found(function, context, (first,), {"key": 1}) == 3  # by names, it is looked up anew


def test_the_size_of_a_type_is_asked_once():
    asked = []

    class Context:
        def get_abi_sizeof(self, ty):
            asked.append(ty)
            return len(asked)

    found, word, byte = frugal.kept_sizes(Context), ir.IntType(64), ir.IntType(8)
    assert [found(Context(), each) for each in (word, byte, ir.IntType(64))] == [1, 2, 1]


def test_arrays_that_a_function_makes_are_still_made():
    @njit
    def sums(one, other):
        return (one + other) * 2 + np.array([1, 2, 3])

    one = np.arange(3)
    for_cores(sums.compile, (typeof(one), typeof(one)))
    assert sums(one, one).tolist() == [1, 6, 11]


def test_lists_dicts_and_caught_errors_are_still_put_together():
    def add(one, other, third):
        return one + other * third

    called = njit(add)

    @njit
    def every(given):
        found = {1: 2, 3: 4}
        for key in [*given, 5]:
            found[key] = called(*given, 7)
        try:
            if len(found) > 3:
                raise ValueError
        except Exception:
            return -1
        return found[5]

    given = np.int64(1), np.int64(2)
    for_cores(every.compile, (typeof(given),))
    assert every(given) == every.py_func(given) == -1


def test_an_attribute_is_looked_up_once_for_the_same_type():
    asked = []

    class Context:
        def resolve_getattr(self, typ, attr):
            asked.append(attr)
            return None if attr == "later" else attr

    found, context, typ = frugal.kept_attributes(Context), Context(), object()
    names = ["shape", "shape", "later", "later", "size"]
    told = ["shape", "shape", None, None, "size"]
    assert [found(context, typ, each) for each in names] == told
    assert asked == ["shape", "later", "later", "size"]  # what is not there may come yet


def test_errors_are_told_where_they_arose():
    context = frugal.context_of(lean.FRONT.machinery.errors)
    with (
        pytest.raises(TypingError, match="in the third line"),
        context("in the {line} line", line="third"),
    ):
        raise TypingError("no")
    with pytest.raises(KeyError), context("here"):
        raise KeyError


def test_loops_with_several_ways_back_get_one_as_before():
    @njit
    def odd(until):
        count = 0
        while count < until:
            count += 1
            if count == 3:
                continue
            if count == 5:
                continue
        return count

    read = compiler.run_frontend(odd.py_func)
    whole = vars(lean.FRONT.transforms)["canonicalize_cfg"]
    canonical = reading.canonical(lean.FRONT)
    once = canonical(read.blocks)
    assert once.keys() == whole(read.blocks).keys()
    again = canonical(once)
    assert canonical(again) is again  # known by now
