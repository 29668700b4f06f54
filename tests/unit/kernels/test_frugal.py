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
from numba.core.types.functions import BaseFunction

from emv_kernels import frugal, lean
from emv_kernels.lean import for_cores

MADE = """
import hashlib, re, sys
import numpy as np
from emv import Graph, algorithms
from emv_kernels import frugal

NAMED = r"B\\d+v\\d+B|gufunc_0x[0-9a-f]{12}|kernel[.]\\d+"  # by numbers and addresses of a process
if sys.argv[2] == "all":
    frugal.changes = lambda front: []
graph = Graph.from_edges(np.arange(40) % 7, np.arange(40) * 5 % 11)
getattr(algorithms, sys.argv[1]).run(graph, *map(int, sys.argv[3:]), backend="cpu")
for name, module in sorted(sys.modules.items()):
    if name.startswith("emv_generated"):
        for each in sorted(vars(module)):
            text = getattr(vars(module)[each], "inspect_asm", dict)()
            for types, code in text.items():
                code = re.sub(NAMED, "", code)
                print(each, types, len(code), hashlib.sha256(code.encode()).hexdigest())
"""


@pytest.mark.parametrize(("name", "given"), [("bfs", ["0"]), ("components", [])])
def test_the_code_is_the_same_byte_for_byte(tmp_path: Path, name: str, given: list[str]):
    found = []
    for how in ("all", "frugal"):
        command = [sys.executable, "-c", MADE, name, how, *given]
        kept = {"EMV_CACHE": str(tmp_path / how), "EMV_NUM_THREADS": "2", "PYTHONHASHSEED": "0"}
        run = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **kept})
        assert run.returncode == 0, run.stderr
        found.append(run.stdout)
    assert found[0]
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
