"""What Python calls of kernels, in the order of the text, and what of it comes next."""

from __future__ import annotations

import numpy as np
import pytest
from scheduled import compiled

import emv
from emv.algorithms import sssp, strongly_connected_components
from emv.codegen.state import Own, place_of_launch
from emv.ir.schedule import Relax, launches_in
from emv.runtime.targets.cores import coming


class Node(emv.Vertex):
    size: emv.i32


@emv.vertex
def grow(v: Node):
    v.size += 1


@emv.vertex
def shrink(v: Node):
    v.size -= 1


@emv.program
def in_turn(g, rounds):
    grow(g)
    for _ in g.supersteps(rounds):  # the host drives it, as it holds a loop
        shrink(g)
        for _ in g.supersteps(3):
            grow(g)
        shrink(g)
    grow(g)


STATE = np.zeros(2048, np.int64)


@pytest.fixture(scope="module")
def turns():
    return compiled(in_turn, 2).called


def test_steps_of_loops_that_the_host_drives_are_called_and_those_of_others_are_not(turns):
    names = [turns.function_of(step, STATE).rsplit("_", 1)[0] for step in turns.steps]
    assert names == ["grow", "shrink", "loop", "shrink", "grow"]


def test_what_comes_after_a_function_is_what_stands_behind_it(turns):
    names = [turns.function_of(step, STATE) for step in turns.steps]
    assert [turns.after(name, STATE) for name in names] == [names[k + 1 :] for k in range(5)]
    assert turns.after("nothing_1", STATE) == []


def test_a_loop_that_may_relax_in_place_does():
    made = compiled(sssp, 0)
    (launch,) = [
        each for each in launches_in(made.schedule.body) if isinstance(each.shortcut, Relax)
    ]
    names = set()
    for may in (0, 1):
        state = STATE.copy()
        state[place_of_launch(launch.number, Own.MAY_RELAX)] = may
        names |= {made.called.function_of(step, state) for step in made.called.steps}
    (relaxing,) = (name for name, _ in made.relaxing.values())
    assert relaxing in names
    assert any(name.startswith("loop") for name in names)


def test_what_is_not_made_yet_does_not_come():
    made = compiled(strongly_connected_components)
    first, *others = (made.called.function_of(step, STATE) for step in made.called.steps)
    everything = {name: name for each in others for name in made.taken[each].names}
    assert [name for name, _ in coming(made, first, everything | {"state": STATE})] == others
    missing = everything.keys() - set(made.taken[others[0]].names)
    assert missing
    some = {name: name for name in everything if name not in missing} | {"state": STATE}
    found = [name for name, _ in coming(made, first, some)]
    assert found[0] == others[0]
    assert found != others
