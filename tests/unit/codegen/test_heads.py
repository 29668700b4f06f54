"""Modules of kernels import what their functions name, and nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from algorithm_arguments import ARGUMENTS
from scheduled import compiled

from emv import Vertex, f64, i64, largest, program, vertex
from emv.algorithms import ALGORITHMS
from emv.codegen import heads
from emv.codegen.quote import quote
from emv.ir import nodes as n
from emv.runtime.arguments import sort_arguments
from emv.runtime.compile import compile_program

TARGETS = ("cpu", "cuda", "traced")


def text_of(name: str, target: str) -> str:
    page = ALGORITHMS[name]
    arguments = sort_arguments(page.python, page.bind, ARGUMENTS[name], {})
    return compile_program(page.python, page.bind, arguments, page.loc, False, target).source.text


@pytest.mark.parametrize("target", TARGETS)
def test_nothing_is_missing_and_nothing_is_idle(target, tmp_path):
    """As ruff has it, which knows nothing of kernels."""
    for name in ARGUMENTS:
        text = text_of(name, target)
        (tmp_path / f"{name}.py").write_text(text)
        constants = re.findall(r"^([A-Z]\w+|compiled|entry|work|launch|rint|shared) = ", text, re.M)
        idle = [each for each in constants if len(re.findall(rf"\b{each}\b", text)) < 2]
        assert idle == [], name
    ruff = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F401,F811,F821"]
    done = subprocess.run([*ruff, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(list(Path(tmp_path).iterdir())) == len(ARGUMENTS) > 20


@pytest.mark.parametrize("target", ["cpu", "cuda"])
def test_names_are_where_the_table_says(target):
    if target == "cuda":
        pytest.importorskip("numba_cuda")
    homes = heads.homes(target)
    names = [name for each in homes.values() for name in each]
    assert len(set(names)) == len(names) > 40
    for home in homes:
        exec(f"from {home} import {', '.join(homes[home])}", {})


def test_name_that_nobody_knows_is_refused():
    function = n.Function("f", "@work", ("x",), (), quote("y = x\ny = lost(y)", {}))
    with pytest.raises(NameError, match="lost"):
        heads.head_of("cpu", [function], {})


class Box(Vertex):
    size: f64 = 1.0
    half: i64 = 2


def half(x) -> f64:
    size = x / 2
    return size


def size(x) -> f64:
    return half(x) + half(half(x))


@vertex
def shrink(v: Box):
    v.size = size(v.size)
    return v.half


@program
def shrinking(g):
    return largest(shrink(g))


def test_plain_functions_call_each_other_by_their_names_in_kernels():
    """A local of the same name is none of them, nor is a field."""
    text = compiled(shrinking).source.text
    assert "@work\ndef user_half__f64(u_x):\n    u_size = u_x / np.float64(2)" in text
    called = "user_half__f64(u_x) + user_half__f64(user_half__f64(u_x))"
    assert f"@work\ndef user_size__f64(u_x):\n    return {called}" in text
    assert "v_size[v] = user_size__f64(v_size[v])" in text
