"""Which loops over links are left to warps where rows are long."""

from __future__ import annotations

import math

import pytest
from scheduled import compiled

import emv
from emv import Edge, EdgeList, Vertex, elist, f32, f64, i32, program
from emv.ir import schedule as s


class Spot(Vertex):
    value: f64 = 0.0
    level: i32 = 0


class Road(Edge[Spot]):
    length: f32 = 1.0


def root(length: f32) -> f64:
    """Return what a plain function makes of a length."""
    return math.sqrt(length)


@elist
def add_behind_tests(v: Spot, roads: EdgeList[Road]):
    if v.level == 3:
        total = v.value
        count = 0
        for road in roads:
            if road.dst.level > v.level:
                total += road.dst.value * root(road.length)
                count += 1
        v.value = total / count


@elist
def add_all(v: Spot, roads: EdgeList[Road]):
    total = 0.0
    for road in roads:
        total += road.length
    v.value = total
    v.activate()


@elist
def take_off(v: Spot, roads: EdgeList[Road]):
    total = 0.0
    for road in roads:
        total -= road.length
    v.value = total


@elist
def depend(v: Spot, roads: EdgeList[Road]):
    total = 1.0
    for road in roads:
        if total < 8:
            total += road.length
    v.value = total


@elist
def choose(v: Spot, roads: EdgeList[Road]):
    total = 0.0
    for road in roads:
        if road.dst.level > 0:
            total += road.length
        else:
            total += 1.0
    v.value = total


@elist
def write_before(v: Spot, roads: EdgeList[Road]):
    v.level = 1
    total = 0.0
    for road in roads:
        total += road.length
    v.value = total


@elist
def write_otherwise(v: Spot, roads: EdgeList[Road]):
    if v.level == 3:
        total = 0.0
        for road in roads:
            total += road.length
        v.value = total
    else:
        v.level = 2


@elist
def add_to_field(v: Spot, roads: EdgeList[Road]):
    for road in roads:
        v.value += road.length


@elist
def add_by_chance(v: Spot, roads: EdgeList[Road]):
    total = 0.0
    for road in roads:
        total += emv.random() * road.length
    v.value = total


@elist
def loop_again(v: Spot, roads: EdgeList[Road]):
    total = 0.0
    for road in roads:
        total += road.length
    for road in roads:
        road.dst.level = 1
    v.value = total


@elist
def give_back(v: Spot, roads: EdgeList[Road]):
    total = 0.0
    for road in roads:
        total += road.length
    return total


def shared(function, target="cuda", **setting):
    """Return the shared loop of a program of one call."""

    @program
    def call(g):
        function(g)

    (launch,) = s.launches_in(compiled(call, target=target, **setting).schedule.body)
    assert (launch.links is not None) == any("a warp reads long rows" in e for e in launch.reasons)
    return launch.links


@pytest.mark.parametrize(("function", "names"), [(add_behind_tests, 2), (add_all, 1)])
def test_loops_that_add_up_are_shared(function, names):
    found = shared(function)
    assert found is not None
    assert len(found.steps) == names
    assert shared(function, target="cpu") is None


@pytest.mark.parametrize(
    "function",
    [
        *(take_off, depend, choose, write_before, write_otherwise, add_to_field, add_by_chance),
        *(loop_again, give_back),
    ],
)
def test_all_others_are_left_to_one_thread(function):
    assert shared(function) is None
