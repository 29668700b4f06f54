"""What numba cannot compile is told of at the user's line, in a few words."""

from __future__ import annotations

import dataclasses
import importlib
from pathlib import Path

import pytest

from emv import Graph, Vertex, config, i32, program, vertex
from emv.errors import CompileError, EmvError
from emv.ir.kernel import KernelSource
from emv.runtime.arguments import Arguments

compiling = pytest.importorskip("emv.backends.compiling")
cpu = importlib.import_module("emv.backends.cpu")

TEXT = '''"""A broken module."""
from numba import njit


@njit
def inner(a):
    first = a + 1                                                            # user.py:4
    return first.colour


@njit
def outer(a):
    return inner(a)


@njit
def unnamed(a):
    return no_such_name


@njit
def lengthen(a):
    return a + "x"                                                           # user.py:6


@njit
def divide(a):
    return 1 // a
'''
USER = "\n\ndef look(v):\n    v.count = v.colour + 1\n\n    v.count += 'x'\n"


@pytest.fixture
def broken(tmp_path):
    """Return a function that calls a kernel of the broken module."""
    user = tmp_path / "user.py"
    user.write_text(USER)
    lines = {7: ("user.py", 4), 23: ("user.py", 6)}
    source = KernelSource("looking", TEXT, {}, {}, lines)
    module = cpu.load(source)
    return lambda name, *args: compiling.call(module, name, list(args), source, [str(user)])


def test_line_of_the_user_inside_nested_functions(broken, tmp_path):
    with pytest.raises(CompileError) as raised:
        broken("outer", 1)
    message = str(raised.value)
    assert message.splitlines()[0] == (
        "looking: numba cannot compile this: Unknown attribute 'colour' of type int64"
    )
    assert f'  File "{tmp_path / "user.py"}", line 4, in looking' in message
    assert "    v.count = v.colour + 1" in message
    assert "emv_generated_" in raised.value.remedy
    assert ".py:8." in raised.value.remedy
    assert len(message.splitlines()) == 5
    assert isinstance(raised.value, EmvError)
    assert raised.value.__suppress_context__


def test_signature_without_the_wall_of_candidates(broken):
    with pytest.raises(CompileError) as raised:
        broken("lengthen", 1)
    assert "add(int64, Literal[str](x))" in raised.value.what
    assert "candidate" not in str(raised.value)
    assert raised.value.loc.line == 6
    assert raised.value.loc.text == "    v.count += 'x'"


def test_line_that_comes_from_no_user(broken):
    with pytest.raises(CompileError) as raised:
        broken("unnamed", 1)
    assert raised.value.loc is None
    assert "name 'no_such_name' is not defined" in raised.value.what


def test_errors_of_running_are_not_taken_for_errors_of_compiling(broken):
    assert broken("divide", 1) == 1
    with pytest.raises(ZeroDivisionError):
        broken("divide", 0)


class Spot(Vertex):
    size: i32 = 0


@vertex
def grow(v: Spot):
    v.size = v.size + v.id


@program
def growing(g):
    grow(g)
    return g.vertices.size


def test_through_a_whole_run():
    graph = Graph.from_edges([0], [1])
    compiled = growing._compiled_half().compiled(graph, Arguments({}, {}, {}, {}, ()))
    text = compiled.source.text
    line = next(k for k, row in enumerate(text.splitlines(), 1) if "test_compile_errors.py:" in row)
    code, comment = text.splitlines()[line - 1].split("  # ")
    rows = text.splitlines()
    rows[line - 1] = f"{code.rstrip()}.colour  # {comment}"
    compiled.source = dataclasses.replace(compiled.source, text="\n".join(rows) + "\n")
    with pytest.raises(CompileError) as raised:
        growing(graph, backend="cpu")
    assert raised.value.loc.file == str(Path(__file__))
    assert raised.value.loc.text.strip() == "v.size = v.size + v.id"


def test_compiling_is_told_from_running(tmp_path):
    @vertex
    def rename(v: Spot):
        v.size = v.id + 77

    @program
    def renaming(g):
        for _ in g.supersteps(3):
            rename(g)

    with config.using(cache=tmp_path):  # nothing there was compiled before
        graph = Graph.from_edges([0], [1])
        first = renaming.run(graph, backend="cpu")
        second = renaming.run(graph, backend="cpu")
    assert first.compile_seconds > 0.03  # two functions at least
    assert first.seconds < 0.1
    assert second.compile_seconds < 0.01
    (loop,) = first.launches
    assert (loop.name, loop.calls, loop.supersteps) == ("loop_1", 1, 3)
    assert loop.seconds < 0.1
