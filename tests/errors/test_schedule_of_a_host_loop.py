"""A schedule for loops that the host drives."""

from errors.expect import path, refuses

import emv
from emv import Vertex, i32, program, vertex
from emv.errors import ArgumentError


class Spot(Vertex):
    depth: i32 = 0


@vertex
def settle(v: Spot):
    v.depth += 1


@program(host_loop=True)
def by_hand(g):
    for _ in range(3):
        settle(g)


def test_the_host_drives():
    refuses(
        lambda: by_hand(path(), schedule=emv.near_far()),
        ArgumentError,
        at="def by_hand(g):",
        under="by_hand",
        function="by_hand",
        says="by_hand() is driven by the host, superstep by superstep, so schedule= has nothing",
        remedy="leave host_loop out",
    )
