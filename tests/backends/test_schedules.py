"""A schedule changes how a program runs, and nothing of what it computes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import graphs

import emv
from emv import Edge, Graph, Vertex, edge, f32, inf, program, vertex
from emv.algorithms import bfs, sssp
from emv.errors import ArgumentError

WORDS = {
    "auto": emv.near_far(),
    "0.5": emv.near_far(0.5),
    "4": emv.near_far(4),
    "64": emv.near_far(delta=64.0),
    "tiny": emv.near_far(1e-30),
    "inf": emv.near_far(math.inf),
    "by superstep": emv.by_superstep(),
    "named": {"offer_path": emv.near_far(4)},
    "as written, named": {"keep_shorter": emv.by_superstep()},
    "nothing": {},
}


def ring(num_vertices: int = 60) -> Graph:
    """Return a circle of short edges with some long shortcuts."""
    src = np.arange(num_vertices)
    dst = (src + 1) % num_vertices
    ends = np.concatenate([src, src[::5]]), np.concatenate([dst, (src[::5] * 7) % num_vertices])
    weight = np.concatenate([np.ones(len(src)), np.full(len(src[::5]), 6.0)]).astype(np.float32)
    return Graph.from_edges(*ends, num_vertices=num_vertices, weight=weight)


@pytest.mark.paper("S22")
@pytest.mark.parametrize("name", WORDS)
def test_distances_are_the_same(backend, name):
    graph = ring()
    wanted = sssp(graph, 3, backend="python")
    run = sssp.run(graph, 3, backend=backend, schedule=WORDS[name])
    np.testing.assert_array_equal(run.result, wanted)
    assert run.stopped == "converged"


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), graph=graphs(min_vertices=1))
def test_no_delta_changes_distances(backend, data, graph):
    count = graph.num_edges
    lengths = st.lists(st.sampled_from([0.0, 0.5, 3.0, 40.0]), min_size=count, max_size=count)
    weight = np.array(data.draw(lengths), np.float32)
    delta = data.draw(st.floats(min_value=1e-3, max_value=1e3) | st.just(math.inf))
    wanted = sssp(graph, 0, weight=weight, backend="python")
    found = sssp(graph, 0, weight=weight, backend=backend, schedule=emv.near_far(delta))
    np.testing.assert_array_equal(found, wanted)


def test_supersteps_are_those_of_the_text_when_asked(backend):
    graph = ring()
    wanted = sssp.run(graph, 0, backend="python")
    run = sssp.run(graph, 0, backend=backend, schedule=emv.by_superstep())
    assert (run.supersteps, run.stopped) == (wanted.supersteps, wanted.stopped)


def test_a_smaller_delta_takes_more_rounds(backend):
    src, dst = np.triu_indices(40, 1)
    graph = Graph.from_edges(src, dst, weight=(dst - src).astype(np.float32))
    deltas = (1.0, 10.0, math.inf)
    runs = [sssp.run(graph, 0, backend=backend, schedule=emv.near_far(each)) for each in deltas]
    rounds = [each.supersteps for each in runs]
    assert rounds == sorted(rounds, reverse=True)
    assert len(set(rounds)) > 1 or backend == "python"


def test_constants_may_be_relaxed_nearest_first(backend):
    graph = ring()
    wanted = sssp(graph, 0, weight=2, backend="python")
    found = sssp(graph, 0, weight=2, backend=backend, schedule=emv.near_far(3))
    np.testing.assert_array_equal(found, wanted)


def test_what_is_negative_goes_by_superstep(backend):
    graph = Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 1], weight=[5.0, 1.0, 2.0, -3.0])
    wanted = sssp.run(graph, 0, backend="python")
    run = sssp.run(graph, 0, backend=backend, schedule=emv.near_far(2))
    np.testing.assert_array_equal(run.result, wanted.result)
    assert (run.supersteps, run.stopped) == (wanted.supersteps, wanted.stopped)


class Place(Vertex):
    dist: f32 = inf


class Road(Edge[Place]):
    length: f32


@edge
def offer(road: Road):
    road.send(road.src.dist + road.length)


@vertex
def keep(v: Place, dist: f32):
    if dist < v.dist:
        v.dist = dist
        v.activate()


@program(bind={"length": Road.length})
def distances(g, length="weight"):
    keep(g.only(0), 0.0)
    for _ in g.supersteps():
        offers = offer(g.active)
        keep(offers.receivers, emv.min(offers))
    return g.vertices.dist


@program(bind={"length": Road.length}, host_loop=True)
def distances_on_host(g, length="weight"):
    keep(g.only(0), 0.0)
    for _ in g.supersteps():
        offers = offer(g.active)
        keep(offers.receivers, emv.min(offers))
    return g.vertices.dist


def test_another_delta_compiles_nothing():
    graph, kept = ring(), distances._compiled_half().kept
    distances(graph, backend="cpu")
    assert len(kept) == 1
    for delta in ("auto", 1, 7.0, math.inf):
        assert (
            distances.run(graph, backend="cpu", schedule=emv.near_far(delta)).compile_seconds == 0
        )
    assert len(kept) == 1
    distances(graph, backend="cpu", schedule=emv.by_superstep())
    assert len(kept) == 2


def test_loops_of_the_host_are_by_superstep(backend):
    graph = ring()
    run = distances_on_host.run(graph, backend=backend, schedule=emv.by_superstep())
    np.testing.assert_array_equal(run.result, distances(graph, backend="python"))
    for word in (emv.near_far(), {"offer": emv.by_superstep()}):
        with pytest.raises(ArgumentError, match="driven by the host"):
            distances_on_host(graph, backend=backend, schedule=word)


def test_a_wrong_schedule_is_refused_wherever_it_would_run(backend):
    graph = ring()
    with pytest.raises(ArgumentError, match=r"does not fit look_ahead\(\)"):
        bfs(graph, 0, backend=backend, schedule=emv.near_far())
    with pytest.raises(ArgumentError, match="names 'offer_paths'"):
        sssp(graph, 0, backend=backend, schedule={"offer_paths": emv.by_superstep()})


def test_a_program_that_only_python_runs_takes_a_schedule(capsys):
    @vertex
    def tell(v: Place):
        print(v.id)  # noqa: T201

    @program
    def told(g):
        tell(g.only(1))

    told(ring(), backend="python", schedule=emv.near_far())
    assert capsys.readouterr().out == "1\n"


def test_the_choice_is_explained():
    graph = ring().on("cpu")
    assert "asked" not in sssp.explain(graph, 0)
    text = sssp.explain(graph, 0, schedule=emv.near_far(8))
    assert "asked\n    offer_path_min_keep_shorter: near_far(delta=8)\n\nmemory" in text
    assert "relaxes dist in place" in text
    text = sssp.explain(graph, 0, schedule={"offer_path": emv.near_far()})
    assert 'near_far(delta="auto"), 8 times the mean length over the mean degree\n' in text
    text = sssp.explain(graph, 0, schedule=emv.by_superstep())
    assert "because by superstep, as the caller asks" in text
    assert "relaxes dist in place" not in text


def test_texts_and_bytes_follow_the_schedule():
    graph = ring().on("cpu")
    plain, near = emv.by_superstep(), emv.near_far(3)
    assert "near_far" in sssp.source(graph, 0, schedule=near)
    assert "near_far" not in sssp.source(graph, 0, schedule=plain)
    relaxed = sssp.memory_plan(graph, 0)
    assert str(sssp.memory_plan(graph, 0, schedule=near)) == str(relaxed)
    assert "far_kept" in str(relaxed)
    assert "far_kept" not in str(sssp.memory_plan(graph, 0, schedule=plain))
    assert sssp.profile(graph, 0, backend="cpu", schedule=plain).supersteps
