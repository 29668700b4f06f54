"""Programs that run, but hardly do what was meant, are told so, run or traced."""

from __future__ import annotations

import warnings

import pytest
from errors.expect import path
from unit.lang.tracing import trace

import emv
from emv import Edge, Vertex, edge, f32, program, vertex
from emv.errors import HintWarning


class Place(Vertex):
    depth: f32 = 0.0


@edge
def tell(e: Edge[Place]):
    e.send(e.src.depth + 1)


@vertex
def keep(v: Place, depth: f32):
    v.depth = depth


@vertex
def keep_on(v: Place, depth: f32):
    v.depth = depth
    v.activate()


@program
def asleep(g):
    for _ in g.supersteps(5):
        told = tell(g.active)
        keep(told.receivers, emv.min(told))
    return g.vertices.depth


@program
def unseeded(g):
    for _ in g.supersteps():
        told = tell(g.active)
        keep_on(told.receivers, emv.min(told))
    return g.vertices.depth


@program
def seeded(g, source):
    keep_on(g.only(source), 0)
    for _ in g.supersteps():
        told = tell(g.active)
        keep_on(told.receivers, emv.min(told))
        keep(g.only(source), 0)
    return g.vertices.depth


@program
def silent(g):
    keep(g, 1)


@pytest.mark.parametrize("program", [asleep, unseeded])
def test_nobody_is_ever_active(program):
    for way in (lambda: program(path(), backend="python"), lambda: trace(program)):
        with pytest.warns(HintWarning, match=r"told = tell\(g.active\)\) nobody is ever active"):
            way()


def test_a_program_without_return():
    with pytest.warns(HintWarning, match=r"silent\(\) has no return statement") as told:
        assert silent(path(), backend="python") is None
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert silent.run(path(), backend="python").vertices.depth.tolist() == [1, 1, 1]


@program
def one_way(g):
    told = tell(g.edges)
    keep(told.receivers, emv.min(told))
    return g.vertices.depth


def test_messages_that_go_one_way_along_undirected_edges():
    undirected = emv.Graph.from_edges([0, 1], [1, 2], directed=False)
    says = r"told = tell\(g.edges\)\) tell\(\) sends along every edge .* and not back"
    for backend in ("python", "cpu"):
        with pytest.warns(HintWarning, match=says) as told:
            assert one_way(undirected, backend=backend).tolist() == [0, 1, 1]
        assert [each.filename for each in told] == [__file__]


def test_what_is_meant_is_not_hinted_at():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        seeded(path(2), [], backend="python")  # nobody is active, but somebody could be
        trace(seeded)
        one_way(path(2), backend="python")  # along arcs there is one way
