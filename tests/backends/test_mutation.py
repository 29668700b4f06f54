"""Programs that change the graph they run on, against lists in plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from interpreted_cpu import interpreted
from random_mutations import CHANGES, compare, drawn

import emv
from emv import DisjointSet, Edge, Graph, Mask, Vertex, edge, f64, program, vertex
from emv.errors import ArgumentError, GraphError, LanguageError
from emv.graph import evolving, merged

SCRIPTS = {"python": 6, "cpu": 3, "cpu/2": 1, "cpu/3/hash": 1}


@pytest.mark.paper("S147", "S148")
@pytest.mark.parametrize("place", SCRIPTS)
@pytest.mark.parametrize("directed", [True, False])
def test_random_scripts(place, directed):
    with interpreted():
        for seed in range(SCRIPTS[place]):
            compare(drawn(seed), seed, directed, place)


@pytest.mark.parametrize("directed", [True, False])
def test_versions_that_are_put_together_anew(directed, monkeypatch):
    """As where most edges change, but for versions that gain or lose vertices."""
    monkeypatch.setattr(merged, "FEW_CHANGED", -1)
    monkeypatch.setattr(merged, "MOST_CHANGED", 10**9)
    verbs = tuple(each for each in CHANGES if each not in ("leave", "split"))
    made, put_together = [], evolving.Evolving._put_together
    monkeypatch.setattr(
        evolving.Evolving,
        "_put_together",
        lambda *given: made.append(put_together(*given)),
    )
    with interpreted():
        for place in SCRIPTS:
            for seed in range(2):
                compare(drawn(seed, verbs), seed, directed, place)
                compare(drawn(seed), seed, directed, place)
    assert len(made) > 20


@pytest.mark.parametrize("verb", CHANGES)
def test_each_verb_alone(verb):
    with interpreted():
        for place in ("python", "cpu"):
            compare(drawn(3, (verb,), 2), 3, True, place)


class Town(Vertex):
    group: DisjointSet
    chosen: Mask = True
    size: f64 = 1.5


class Way(Edge[Town]):
    length: f64 = 2.0


@edge
def join(e: Way):
    emv.union(e.src.group, e.dst.group)


@vertex
def found(v: Town):
    if v.chosen and v.id < 2:
        new = emv.add_vertex(size=v.size * 2)
        v.add_edge(new)
        v.chosen.unset()
        if v.id == 1:
            v.delete()


@program
def settle(g):
    join(g)
    found(g)
    join(g)
    return g.vertices.group, g.vertices.chosen, g.vertices.size


def test_sets_masks_and_defaults_of_what_is_new(backend):
    graph = Graph.from_edges([0, 1], [2, 3], num_vertices=4, colour=[5, 6])
    graph.vertices.height = [1, 2, 3, 4]
    with interpreted():
        run = settle.run(graph, backend=backend)
    group, chosen, size = run.result
    assert group.tolist() == [0, 0, 1, 0, 5]
    assert chosen.tolist() == [False, True, True, True, True]
    assert size.tolist() == [1.5, 1.5, 1.5, 3.0, 3.0]
    assert run.graph.labels.tolist() == [0, 2, 3, 4, 5]
    assert run.dropped == 1  # from vertex 1, which is deleted, to the vertex that it adds
    assert run.graph.edges.length.tolist() == [2.0, 2.0]
    assert list(run.graph.edges) == [
        "length"
    ]  # new edges have no colour, and new vertices no height
    assert sorted(run.graph.vertices) == ["chosen", "group", "size"]
    assert list(graph.edges) == ["colour"]


class Road(Edge[Town]):
    length: f64


@edge
def shorten(e: Road):
    if e.length > 3:
        e.delete()


@program
def prune(g):
    shorten(g)
    return g.edges.length


def test_removal_alone_keeps_other_columns(backend):
    ends, colour = ([0, 1, 2], [1, 2, 0]), [5, 6, 7]
    graph = Graph.from_edges(*ends, length=[1.0, 4.0, 2.0], colour=colour, directed=False)
    run = prune.run(graph, backend=backend)
    assert run.result.tolist() == [1.0, 2.0]
    assert run.graph.edges.colour.tolist() == [5, 7]
    assert run.graph.edge_keys.tolist() == [0, 2]


def test_a_program_that_changes_nothing_gives_its_graph(backend):
    graph = Graph.from_edges([0, 1], [1, 0], length=1.0)
    with interpreted():
        run = prune.run(graph, backend=backend)
    assert run.graph is graph
    assert run.dropped == 0


@vertex
def far(v: Town):
    v.add_edge(v.id + 1)


@program
def too_far(g):
    far(g)


def test_no_such_vertex(backend):
    with interpreted(), pytest.raises(ArgumentError, match=r"add_edge\(\) of vertex 3.*0\.\.2"):
        too_far.run(Graph.from_edges([0], [1], num_vertices=3), backend=backend)


@program
def used_late(g):
    told = tell(g)
    found(g)
    hear(g, emv.sum(told))


@edge
def tell(e: Way):
    e.send(1)


@vertex
def hear(v: Town, x: int):
    v.size = x


def test_messages_of_an_earlier_version(backend):
    with interpreted(), pytest.raises(LanguageError, match="graph changed"):
        used_late.run(Graph.from_edges([0], [1]), backend=backend)


def test_labels_of_new_vertices(backend):
    named = Graph.from_edges(["a", "b"], ["b", "c"], renumber=True)
    with interpreted(), pytest.raises(GraphError, match="have labels"):
        settle.run(named, backend=backend)
    numbered = Graph.from_edges([0, 1, 2], [1, 2, 0]).remove_vertices([1])
    with interpreted():
        run = settle.run(numbered, backend=backend)
    assert run.graph.labels.tolist() == [0, 3, 4]


@vertex
def many(v: Town):
    for k in range(v.id * 400):
        v.add_edge(k % 3, length=k)


@edge
def lengths(e: Road):
    return e.length


@program
def crowd(g):
    lengths(g)
    many(g)
    return g.edges.length


def test_more_than_there_is_room_for(backend):
    graph = Graph.from_edges([0], [1], num_vertices=3, length=0.5)
    with interpreted():
        found = crowd(graph, backend=backend)
    assert np.asarray(found).tolist() == [0.5, *range(400), *range(800)]


def test_ids_of_removed_edges(backend):
    @vertex
    def look(v: Town):
        v.size += Way.at(0).length

    @program
    def mistaken(g):
        for _ in g.supersteps(2):
            look(g)
            cut(g)

    graph = Graph.from_edges([0, 1], [1, 0])
    with interpreted(), pytest.raises(LanguageError, match="reaches an edge by its id"):
        mistaken.run(graph, backend=backend)


@edge
def cut(e: Way):
    e.delete()


@vertex
def scatter(v: Town):
    if emv.random() < 0.7:
        new = emv.add_vertex(size=emv.random())
        v.add_edge(new, length=emv.random())
    v.size = emv.random()


@program
def scattered(g):
    for _ in g.supersteps(3):
        scatter(g)
        lengths(g)
    return g.vertices.size, g.edges.length


def test_draws_are_those_of_plain_python(backend):
    graph = Graph.from_edges([0], [1], num_vertices=3, length=0.5)
    wanted = scattered.run(graph, rng=3, backend="python")
    with interpreted():
        found = scattered.run(graph, rng=3, backend=backend)
    assert wanted.graph.num_vertices > 5
    for one, other in zip(found.result, wanted.result, strict=True):
        assert np.asarray(one).tolist() == other.tolist()
    assert found.graph.edges.dst.tolist() == wanted.graph.edges.dst.tolist()


@vertex
def measure(v: Town):
    v.size = v.out_degree


@program
def measured(g):
    measure(g)  # of degrees that are others later
    cut(g)
    many(g)
    measure(g)
    lengths(g)
    return g.vertices.size


def test_columns_are_those_at_the_end(backend):
    graph = Graph.from_edges([0], [1], num_vertices=3, length=0.5, colour=[7])
    with interpreted():
        run = measured.run(graph, backend=backend)
    assert np.asarray(run.result).tolist() == [0, 400, 800]
    assert run.graph.vertices.size.tolist() == [0, 400, 800]
    assert run.graph.edges.length.tolist() == [*range(400), *range(800)]
