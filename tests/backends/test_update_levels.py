"""Levels that a program claims are brought along as a relaxation, where they surely are levels."""

from __future__ import annotations

import numpy as np
import pytest
from backends_available import BACKENDS
from random_changes import Script

import emv
from emv import Edge, Graph, Vertex, edge, i32, program, vertex
from emv.algorithms import bfs


@pytest.mark.paper("S177")
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("backend", BACKENDS)
def test_levels_are_brought_to_every_version_of_random_scripts(backend, directed):
    script, warm, anew = Script(13, directed, size=40), 0, 0
    run = bfs.run(script.graph, 0, backend=backend)
    for _ in range(40):
        script.step(4)
        if script.graph.num_vertices == 0:
            break
        run = bfs.update(run, script.graph)
        expected = np.asarray(bfs.run(script.graph, 0, backend=backend).result)
        assert np.asarray(run.result).dtype == expected.dtype
        assert np.asarray(run.result).tolist() == expected.tolist()
        assert np.asarray(run.vertices.depth).tolist() == expected.tolist()
        warm += run.updated.startswith("depth went on from the ends of")
        anew += "anew that may have rested on" in run.updated
    assert warm > 5
    assert anew > 3


class Tier(Vertex):
    tier: i32 = -1


@edge
def send_two_more(e: Edge[Tier]):
    e.send(e.src.tier + 2)


@edge
def send_next(e: Edge[Tier]):
    e.send(e.src.tier + 1)


@vertex
def take_tier(v: Tier, tier: i32):
    if v.tier == -1:
        v.tier = tier
        v.activate()


@vertex
def take_tier_behind(v: Tier, tier: i32):
    if v.tier == -1:
        v.tier = tier + 1
        v.activate()


def tiers(sending, taking, first, name):
    def text(g, source):
        taking(g.only(source), first)
        for _ in g.supersteps():
            sent = sending(g.active)
            taking(sent.receivers, emv.min(sent))
        return g.vertices.tier

    text.__name__ = name
    return program(text)


@pytest.mark.parametrize(
    ("program", "goes_on"),
    [
        (tiers(send_next, take_tier, 0, "from_0"), True),
        (tiers(send_next, take_tier, 7, "from_7"), True),
        (tiers(send_next, take_tier, -9, "from_below"), False),
        (tiers(send_two_more, take_tier, 0, "by_two"), False),
        (tiers(send_next, take_tier_behind, 0, "one_behind"), False),
    ],
    ids=lambda each: getattr(each, "name", None),
)
def test_only_levels_go_on_of_what_is_claimed(program, goes_on):
    g = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4], num_vertices=7)
    run = program.run(g, 0, backend="python")
    later = g.add_edges([0, 4, 1], [3, 5, 0])
    found = program.update(run, later)
    assert found.updated.startswith("tier went on" if goes_on else "anew: ")
    assert found.result.tolist() == program(later, 0, backend="python").tolist()
