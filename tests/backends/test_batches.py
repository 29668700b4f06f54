"""Batches: many copies of a program at once give what they give one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import graphs

import emv
from emv import Edge, EdgeList, Graph, Mask, Vertex, edge, elist, f32, i64, program, vertex
from emv.algorithms import bfs, icm, pagerank, sssp
from emv.errors import ArgumentError
from emv.graph import widths

RANDOM = settings(
    max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)


def one_by_one(made, graph, values, **named):
    """Return the stack of separate runs in plain Python: what a batch means."""
    runs = [made(graph, value, backend="python", **named) for value in values]
    if isinstance(runs[0], tuple):
        return tuple(np.stack(each) for each in zip(*runs, strict=True))
    return np.stack(runs)


def agree(made, backend, graph, values, **named):
    """Assert that a batch is the stack of separate runs."""
    found = made.batch(graph, values, backend=backend, **named)
    wanted = one_by_one(made, graph, values, **named)
    if not isinstance(wanted, tuple):
        found, wanted = (found,), (wanted,)
    for one, other in zip(found, wanted, strict=True):
        assert np.asarray(one).dtype == other.dtype
        np.testing.assert_array_equal(np.asarray(one), other)


@st.composite
def batches(draw):
    graph = draw(graphs(min_vertices=3))
    ids = st.integers(0, graph.num_vertices - 1)
    return graph, draw(st.lists(ids, min_size=3, max_size=4))  # one text for all


@RANDOM
@given(case=batches())
def test_searches(case, backend):
    agree(bfs, backend, *case)


@RANDOM
@given(case=batches())
def test_searches_from_several_sources_each(case, backend):
    graph, ids = case
    agree(bfs, backend, graph, [ids, ids[:1], []])


@RANDOM
@given(graph=graphs(min_vertices=3, weighted=True))
def test_relaxations(graph, backend):
    agree(sssp, backend, graph, [0, 2, 1])


def test_relaxations_with_negative_lengths(backend):
    g = Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 1], weight=[4.0, 2.0, 1.0, -1.0])
    agree(sssp, backend, g, [0, 1, 2, 3])


@RANDOM
@given(graph=graphs(min_vertices=3), seed=st.integers(0, 99))
def test_draws_are_those_of_runs_alone(graph, seed, backend):
    agree(icm, backend, graph, [[0, 1], [2], [1]], p=0.5, rng=seed)


class Site(Vertex):
    score: f32 = 1.0
    worth: f32 = 0.5  # that no copy writes
    met: i64 = 0
    far: i64 = -1
    chosen: Mask


@elist
def share(v: Site, links: EdgeList[Edge[Site]]):
    for link in links:
        link.send(v.score * v.worth)


@vertex
def take(v: Site, got: f32, extra: f32):
    v.score = got + extra


@program
def spread(g, extra, rounds=2):
    for _ in g.supersteps(rounds):
        take(g, emv.sum(share(g)), extra)
    return g.vertices.score, g.num_vertices


@RANDOM
@given(graph=graphs(min_vertices=1))
def test_numbers_that_differ(graph, backend):
    agree(spread, backend, graph, [0.5, 2.0, 0.25])


def test_which_parameter_differs(backend):
    g = Graph.from_edges([0, 1, 2], [1, 2, 0])
    with pytest.raises(ArgumentError, match="a number that differs by copy"):
        spread.batch(g, [1, 2], 0.5, along="rounds", backend=backend)
    found = spread.batch(g, [0.5, 1.0, 0], rounds=1, along="extra", backend=backend)
    np.testing.assert_array_equal(np.asarray(found[0])[:, 0], [1.0, 1.5, 0.5])
    with pytest.raises(ArgumentError, match="along='extras' is no parameter"):
        spread.batch(g, [0.5], along="extras", backend=backend)


@vertex
def ask(v: Site, source: int):
    v.far = Site.at((v.id + v.out_degree + source) % 3).met + source


@vertex
def meet(v: Site):
    v.met = 10 * v.id


@elist
def write_to(v: Site, links: EdgeList[Edge[Site]]):
    v.send_to(0, v.id)
    if v.out_degree > 0:
        v.send_to(v.out_dst(v.out_degree - 1), 1000)
    for link in links:
        if link.dst.id > v.id:
            link.dst.met += v.id


@vertex
def hear(v: Site, sum_of_ids: int):
    v.met += sum_of_ids


@program
def letters(g, source):
    meet(g)
    ask(g, source)
    ids = write_to(g.only(source))
    hear(ids.receivers, emv.sum(ids))
    return g.vertices.far, g.vertices.met, g.vertices.worth, g.vertices.id, g.vertices.out_degree


@RANDOM
@given(case=batches())
def test_vertices_named_by_their_ids(case, backend):
    agree(letters, backend, *case)


def test_an_id_that_no_vertex_has(backend):
    g = Graph.from_edges([0, 1], [1, 2])
    with pytest.raises(ArgumentError, match="7"):
        bfs.batch(g, [0, 7], backend=backend)


@vertex
def choose(v: Site):
    v.chosen.set()


@elist
def pass_on(v: Site, links: EdgeList[Edge[Site]]):
    v.chosen.unset()
    for link in links:
        link.dst.chosen.set()
        link.send(1)


@vertex
def count_calls(v: Site, calls: int):
    v.met += calls


@program
def chosen_walk(g, source, rounds=3):
    choose(g.only(source))
    for _ in g.supersteps(rounds):
        calls = pass_on(g.vertices.chosen)
        count_calls(calls.receivers, emv.sum(calls))
    return g.vertices.chosen, g.vertices.met


@RANDOM
@given(case=batches())
def test_masks(case, backend):
    agree(chosen_walk, backend, *case)


@vertex
def fade(v: Site):
    v.met += 1
    if v.met < 3:
        v.activate()
        emv.keep_going()


@program
def fading(g, source):
    fade(g.only(source))
    for _ in g.supersteps(5):
        fade(g.active)
    return g.vertices.met


def test_copies_that_end_before_others(backend):
    g = Graph.from_edges([0, 1, 2], [1, 2, 3])
    agree(fading, backend, g, [0, [0, 1], []])
    agree(fading, backend, g, [[2]])
    agree(bfs, backend, g, [3, 0, 2])
    run = bfs.run(g, emv.batch([3, 0, 2]), backend=backend)
    assert (run.supersteps, run.stopped) == (4, "converged")
    assert np.asarray(run.vertices.depth).shape == (3, 4)


def test_rows(backend):
    g = Graph.from_edges([0, 1, 2], [1, 2, 3])
    found = bfs.batch(g, np.array([0, 1, 3]), backend=backend)
    assert found.shape == (3, 4)
    assert len(found) == 3
    np.testing.assert_array_equal(np.asarray(found[1]), [-1, 0, 1, 2])
    np.testing.assert_array_equal(np.asarray(found[:2, 3]), [3, 2])


@program
def total_score(g, extra):
    take(g, emv.sum(share(g)), extra)
    return emv.total(g.vertices.score)


@program
def by_votes_over_all(g, source):
    fade(g.only(source))
    for _ in g.supersteps():
        fade(g)
    return g.vertices.met


@program(host_loop=True)
def on_host(g, source):
    meet(g.only(source))
    return g.vertices.met


@vertex
def draw(v: Site):
    v.score = emv.random()


@program
def draws_late(g, source):
    fade(g.only(source))
    for _ in g.supersteps():
        fade(g.active)
    draw(g)
    return g.vertices.score


@edge
def share_neighbours(e: Edge[Site]):
    count = 0
    for _left, _right in emv.common(e.src, e.dst):
        count += 1
    e.send(count)


@program
def neighbourly(g, source):
    hear(g, emv.sum(share_neighbours(g)))
    return g.vertices.met


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (neighbourly, "walks over common neighbours"),
        (total_score, r"emv.total\(\) gives one number for all copies"),
        (by_votes_over_all, "ends by votes, copy by copy, and fade"),
        (on_host, "driven by the host"),
        (draws_late, "draws behind a loop that ends by votes"),
        (pagerank, "one number for all copies"),
    ],
)
def test_what_copies_cannot_share(made, why, backend):
    g = Graph.from_edges([0, 1, 2], [1, 2, 3])
    with pytest.raises(ArgumentError, match=why) as error:
        made.batch(g, [0, 1], backend=backend)
    assert "one after another" in str(error.value)


def test_what_is_no_batch(backend):
    g = Graph.from_edges([0, 1], [1, 2], weight=[1.0, 2.0])
    for call, why in (
        (lambda: bfs.batch(g, [], backend=backend), "at least one value"),
        (lambda: bfs.batch(g, 3, backend=backend), "a sequence of numbers"),
        (lambda: bfs.batch(g, ["a"], backend=backend), "list of vertex ids"),
        (lambda: bfs.batch(g, [0], 1, backend=backend), "0 more"),
        (lambda: sssp(g, 0, emv.batch([1.0, 2.0]), backend=backend), "all copies of a batch share"),
        (lambda: spread(g, emv.batch([1.0]), emv.batch([1, 2])), "differ in length"),
        (
            lambda: bfs.run(g, emv.batch([0]), callback=print, backend=backend),
            "hears of one run",
        ),
    ):
        with pytest.raises(ArgumentError, match=why):
            call()


def test_profiles(compiled):
    g = Graph.from_edges([0, 1, 2], [1, 2, 3], directed=False).on(compiled)
    found = bfs.profile(g, emv.batch([0, 2, 3]))
    frontiers = [row["frontier"] for row in found.to_dict()["supersteps"] if row["number"]]
    assert frontiers == [4, 5, 4, 3]  # of four copies, the last one twice


def test_what_is_told_of_a_batch():
    path = np.arange(5000)  # beside which what each thread has is little
    g = Graph.from_edges(path, path + 1, directed=False).on("cpu")
    text = bfs.explain(g, emv.batch([0] * 5))
    assert "8 copies side by side: the arcs are stored once" in text
    one, eight = (bfs.memory_plan(g, source).total_bytes for source in (0, emv.batch([0] * 5)))
    assert eight > one
    assert "SHIFT = np.uint64(3)" in bfs.source(g, emv.batch([0] * 5))


def test_ids_of_64_bits(backend, monkeypatch):
    g = Graph.from_edges([0, 1, 2, 3, 4], [1, 2, 3, 4, 5])
    monkeypatch.setattr(widths, "FIRST_WIDE_SIGNED", 16)  # copies are more, vertices fewer
    agree(bfs, backend, g, [0, 3, 5])
