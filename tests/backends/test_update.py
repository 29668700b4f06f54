"""Results brought to later versions of a graph are those of a run anew, whatever changed."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from backends_available import BACKENDS
from random_changes import Script

import emv
from emv import DisjointSet, Edge, Graph, Vertex, edge, f32, i32, inf, program, vertex
from emv.algorithms import NegativeCycleError, bfs, components, pagerank, sssp
from emv.errors import ArgumentError
from emv.runtime import updating


class Member(Vertex):
    group: DisjointSet
    other: DisjointSet
    seen: i32 = 0


class Link(Edge[Member]):
    weight: i32


@edge
def unite(e: Link):
    emv.union(e.dst.group, e.src.group)


@edge
def unite_some(e: Link):
    if e.weight > 0:
        emv.union(e.src.group, e.dst.group)


@edge
def unite_both(e: Link):
    emv.union(e.src.group, e.dst.group)
    emv.union(e.src.other, e.dst.other)


@vertex
def see(v: Member):
    v.seen = 1


@program
def over_arcs(g):
    unite(g)
    return g.vertices.group


@program
def by_weight(g):
    unite_some(g.edges)
    return g.vertices.group


@program
def two_fields(g):
    unite_both(g.edges)
    return g.vertices.group


@program
def and_more(g):
    see(g)
    unite(g.edges)
    return g.vertices.group


@program
def other_result(g):
    unite(g.edges)
    return g.vertices.seen


@pytest.mark.paper("S177")
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("backend", BACKENDS)
def test_components_are_brought_to_every_version_of_random_scripts(backend, directed):
    script, warm, anew = Script(11, directed, size=40), 0, 0
    run = components.run(script.graph, backend=backend)
    for _ in range(40):
        script.step(4)
        run = components.update(run, script.graph)
        assert run.backend == backend
        assert run.graph is script.graph
        expected = components.run(script.graph, backend=backend).result
        assert np.asarray(run.result).tolist() == np.asarray(expected).tolist()
        warm += run.updated.endswith("edges") or run.updated.endswith("1 new edge")
        anew += "of them made anew of" in run.updated
    assert warm > 5
    assert anew > 3


@pytest.mark.paper("S177")
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("backend", BACKENDS)
def test_distances_are_brought_to_every_version_of_random_scripts(backend, directed):
    script, warm, anew = Script(12, directed, size=40), 0, 0
    run = sssp.run(script.graph, 0, backend=backend)
    for _ in range(40):
        script.step(4)
        if script.graph.num_vertices == 0:
            break
        run = sssp.update(run, script.graph)
        expected = sssp.run(script.graph, 0, backend=backend).result
        assert np.asarray(run.result).tobytes() == np.asarray(expected).tobytes()
        warm += run.updated.startswith("dist went on from the ends of")
        anew += "anew that may have rested on" in run.updated
    assert warm > 5
    assert anew > 3


def test_relaxations_go_on_where_edges_were_added():
    size = 60
    g = Graph.from_edges(np.arange(size - 1), np.arange(1, size), weight=np.full(size - 1, 2, "f4"))
    run = sssp.run(g, 0, backend="python")
    later = g.add_edges([size - 3], [size - 1], weight=np.float32(1))
    found = sssp.update(run, later)
    assert found.updated == "dist went on from the ends of 1 new edge"
    assert (run.supersteps, found.supersteps) == (size, 2)
    assert found.result.tolist() == [*range(0, 2 * size - 2, 2), 2 * size - 5]
    again = sssp.update(found, later.add_vertices(1).add_edges([0], [size], weight=np.float32(1)))
    assert again.updated == "dist went on from the ends of 1 new edge"
    assert again.result[-1] == 1


def added(g, weight):
    return g.add_edges([0, 2], [2, 3], weight=weight)


def replaced(g):
    later = added(g, [1.0, 1.0])
    later.edges.weight = later.edges.weight / 4
    return later


def replaced_before(g):
    later = added(g, [1.0, 1.0])
    g.edges.weight = 9.0
    return later


@pytest.mark.parametrize(
    ("change", "named", "why"),
    [
        (lambda g: added(g, [1.0, 1.0]), {}, "dist went on from the ends of 2 new edges"),
        (lambda g: added(g, [1.0, 1.0]), {"weight": 2}, "dist went on from the ends of 2 new"),
        (lambda g: added(g, [1.0, 1.0]), {"weight": "other"}, "anew: the edge column other is"),
        (lambda g: added(g, [1.0, np.nan]), {}, "anew: weight is negative somewhere, or no number"),
        (lambda g: added(g, [1.0, -0.5]), {}, "anew: weight is negative somewhere, or no number"),
        (lambda g: g.remove_edges([0]), {}, "dist went on from the ends of 0 new edges, 2 values"),
        (lambda g: g.remove_edges([0, 2]), {}, "anew: most values may rest on edges that were rem"),
        (lambda g: g.remove_edges([3]), {}, "dist went on from the ends of 0 new edges, 0 values "),
        (lambda g: g.remove_vertices([3]), {}, "anew: vertices were removed, so that ids in the"),
        (replaced, {}, "anew: the edge column weight is another"),
        (replaced_before, {}, "dist went on from the ends of 2 new edges"),
    ],
)
def test_relaxations_go_on_only_where_that_is_right(change, named, why):
    g = Graph.from_edges([0, 1, 0, 2], [1, 2, 3, 0], weight=[4.0, 4.0, 9.0, 1.0])
    g.edges.other = [1.0, 1.0, 1.0, 1.0]
    run = sssp.run(g, 0, backend="python", **named)
    if named.get("weight") == "other":
        g.edges.other = [7.0, 7.0, 7.0, 7.0]
        later = g.add_edges([0, 2], [2, 3], weight=1.0, other=1.0)
    else:
        del g.edges.other
        later = change(g)
    found = sssp.update(run, later)
    assert found.updated.startswith(why)
    assert found.result.tolist() == sssp(later, 0, backend="python", **named).tolist()


def test_the_refusals_of_a_program_hold_for_updates():
    g = Graph.from_edges([0, 1], [1, 2], weight=[1.0, 1.0])
    run = sssp.run(g, 0, backend="python")
    with pytest.raises(NegativeCycleError):
        sssp.update(run, g.add_edges([2], [0], weight=-5.0))


def test_only_the_new_edges_are_looked_at(monkeypatch):
    g = Graph.from_edges(np.arange(99), np.arange(1, 100), num_vertices=200)
    run = components.run(g, backend="python")
    seen, joined = [], updating.joined

    def watched(name, src, dst):
        seen.append((src.tolist(), dst.tolist()))
        return joined(name, src, dst)

    monkeypatch.setattr(updating, "joined", watched)
    later = components.update(run, g.add_edges([150], [99]))
    assert seen == [([150], [99])]
    assert later.updated == "101 sets were joined along 1 new edge"
    assert later.graph.num_edges == 100
    G = nx.Graph(zip(*map(np.ndarray.tolist, later.graph.edges.endpoints()), strict=True))
    assert np.bincount(later.result).max() == max(map(len, nx.connected_components(G)))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda g: g.remove_edges([0]), "anew: most edges are in sets that lost one"),
        (
            lambda g: g.remove_edges([0]).add_edges([0], [3], weight=1),
            "anew: most edges are in sets that lost one",
        ),
        (lambda g: g.remove_vertices([0]), "3 sets were joined along 0 new edges"),
        (lambda g: g.remove_vertices([2]), "3 sets were joined along 0 new edges"),
        (lambda g: g.both_ways(), "anew: the graph is no later version of the one before"),
        (
            lambda g: Graph.from_edges([3, 2, 1, 0], [0, 0, 0, 3], weight=1),
            "anew: the graph is no later version of the one before",
        ),
        (lambda g: g.add_vertices(3), "3 sets were joined along 0 new edges"),
        (lambda g: g.add_edges([0, 0], [2, 0], weight=1), "3 sets were joined along 2 new edges"),
        (lambda g: g.prepared(), "3 sets were joined along 0 new edges"),
    ],
)
def test_what_is_done_is_said_and_right(change, why):
    g = Graph.from_edges([0, 1, 0], [1, 0, 1], num_vertices=4, weight=[1, 2, 3])
    run = over_arcs.run(g, backend="python")
    later = change(g)
    found = over_arcs.update(run, later)
    assert found.updated.startswith(why)
    assert found.result.tolist() == over_arcs(later, backend="python").tolist()


def test_a_graph_that_grew_in_place_since_the_run():
    g = Graph.from_edges([0, 1], [1, 0], num_vertices=3, weight=1)
    run = over_arcs.run(g, backend="python")
    g.add_vertex()
    g.add_edge(3, 2, weight=1)
    found = over_arcs.update(run, g)
    assert found.updated == "2 sets were joined along 1 new edge"
    assert found.result.tolist() == [0, 0, 2, 2]


class Stop(Vertex):
    cost: f32 = inf


class Way(Edge[Stop]):
    weight: f32


@edge
def by_length(w: Way):
    w.send(w.src.cost + w.weight)


@edge
def by_degree(w: Way):
    w.send(w.src.cost + w.src.out_degree)


@edge
def by_number(w: Way, toll: f32):
    w.send(w.src.cost + toll)


@vertex
def keep_less(v: Stop, cost: f32):
    if cost < v.cost:
        v.cost = cost
        v.activate()


@vertex
def set_all(v: Stop):
    v.cost = v.id + 1.0
    v.activate()


@program
def cheapest(g, source):
    keep_less(g.only(source), 0.0)
    for _ in g.supersteps():
        costs = by_length(g.active)
        keep_less(costs.receivers, emv.min(costs))
    return g.vertices.cost


@program
def by_degrees(g, source):
    keep_less(g.only(source), 0.0)
    for _ in g.supersteps():
        costs = by_degree(g.active)
        keep_less(costs.receivers, emv.min(costs))
    return g.vertices.cost


@program
def by_size(g, source):
    keep_less(g.only(source), 0.0)
    for _ in g.supersteps():
        costs = by_number(g.active, g.num_edges)
        keep_less(costs.receivers, emv.min(costs))
    return g.vertices.cost


@program
def from_all(g, source):
    set_all(g)
    for _ in g.supersteps():
        costs = by_length(g.active)
        keep_less(costs.receivers, emv.min(costs))
    return g.vertices.cost


@program
def in_few(g, source):
    keep_less(g.only(source), 0.0)
    for _ in g.supersteps(3):
        costs = by_length(g.active)
        keep_less(costs.receivers, emv.min(costs))
    return g.vertices.cost


@program
def from_size(g, source):
    keep_less(g.only(source), g.num_vertices)
    for _ in g.supersteps():
        costs = by_length(g.active)
        keep_less(costs.receivers, emv.min(costs))
    return g.vertices.cost


@pytest.mark.parametrize(
    ("program", "goes_on"),
    [
        (cheapest, True),
        (by_degrees, False),
        (by_size, False),
        (from_all, False),
        (in_few, False),
        (from_size, False),
    ],
)
def test_only_relaxations_that_no_new_edge_changes_go_on(program, goes_on):
    g = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4], num_vertices=6, weight=[8, 1, 1, 1])
    run = program.run(g, 0, backend="python")
    later = g.add_edges([0, 0, 4], [2, 4, 5], weight=[2, 7, 1]).add_vertices(1)
    found = program.update(run, later)
    expected = program.run(later, 0, backend="python").result
    assert found.result.tolist() == expected.tolist()
    assert found.updated.startswith("cost went on" if goes_on else "anew: ")
    assert ("cost goes on from what it was" in program.explain(g.on("cpu"), 0)) == goes_on


@pytest.mark.parametrize("program", [by_weight, two_fields, and_more, other_result])
def test_programs_that_do_more_run_anew(program):
    g = Graph.from_edges([0, 1], [1, 2], num_vertices=4, weight=[1, 0])
    run = program.run(g, backend="python")
    later = g.add_edges([3], [0], weight=1)
    found = program.update(run, later)
    assert found.updated.startswith(f"anew: {program.name} is not known to join sets, to")
    assert found.result.tolist() == program(later, backend="python").tolist()


def test_arguments_and_options_are_those_of_the_run():
    g = Graph.from_edges([0, 1, 2], [1, 2, 3], length=[1.0, 2.0, 3.0])
    later = g.add_edges([0], [3], length=0.5)
    run = sssp.run(g, 1, weight="length", precision="double", backend="python")
    found = sssp.update(run, later)
    assert found.updated == "dist went on from the ends of 1 new edge"
    assert found.result.tolist() == [np.inf, 0, 2, 5]
    assert found.result.dtype == np.float64
    assert found.said.options["precision"] == "double"
    again = bfs.update(bfs.run(g, 3, backend="python"), later)
    assert again.result.tolist() == bfs(later, 3, backend="python").tolist()


def test_runs_of_other_programs_are_refused():
    g = Graph.from_edges([0], [1])
    run = pagerank.run(g, backend="python")
    with pytest.raises(
        ArgumentError, match=r"takes a Run of components, and this is one of pagerank"
    ):
        components.update(run, g)
    with pytest.raises(ArgumentError, match=r"and this is 3\nWrite run = components\.run\(g"):
        components.update(3, g)
    with pytest.raises(ArgumentError, match=r"components\(\) runs on an emv\.Graph, not on 3"):
        components.update(components.run(g, backend="python"), 3)


def test_explain_says_what_can_be_brought_up_to_date():
    g = Graph.from_edges([0], [1], weight=[1]).on("cpu")
    assert "the sets in group are joined along new edges; what lost one" in components.explain(g)
    assert "update" not in by_weight.explain(g)
