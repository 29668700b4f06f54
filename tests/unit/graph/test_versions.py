"""Later versions of a graph: what each verb does, what is shared, and what is refused."""

from __future__ import annotations

import pickle

import networkx as nx
import numpy as np
import pytest
from random_changes import Script

from emv import Graph
from emv.errors import ColumnError, GraphError

KINDS = [(directed, labelled) for directed in (True, False) for labelled in (True, False)]


@pytest.mark.paper("S147", "S148")
@pytest.mark.parametrize(("directed", "labelled"), KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_random_scripts_of_changes_are_those_of_dictionaries(seed, directed, labelled):
    script = Script(seed, directed, labelled)
    verbs = set()
    for step in range(60):
        verbs.add(script.step())
        script.compare()
        if step % 3 == 0:
            ask_for_everything(script.graph.layouts, step)
    assert len(verbs) == 9
    assert script.made > 200
    assert script.dropped > 0


def ask_for_everything(layouts, step):
    """Build index arrays, other ones each time, so that the next version merges these."""
    names = ["out_first", "in_first", "out_other", "in_other", "edge_of_arc", "src_of_arc"]
    names += ["arc_of_slot", "slot_of_arc", "edge_of_slot", "sorted_dst", "row_bits"]
    for place, name in enumerate(names):
        if (step * 7919 >> place) % 4 and not (name == "edge_of_arc" and layouts.arcs_are_edges):
            layouts.array(name)
    for order in ("edge", "arc", "slot")[: step % 4]:
        layouts.edge_column("weight", np.dtype("f4"), order)
        layouts.edge_column("count", np.dtype("i4"), order)


def edges_of(g):
    """Return name and ends of every edge; of an undirected one the smaller end first."""
    names = np.asarray(g.labels)
    ends = names[g.edges.src].tolist(), names[g.edges.dst].tolist()
    rows = zip(g.edges.name.tolist(), *ends, strict=True)
    return sorted((name, *((u, v) if g.directed else sorted((u, v)))) for name, u, v in rows)


@pytest.mark.parametrize("directed", [True, False])
def test_versions_are_those_of_networkx(directed):
    src, dst = np.random.default_rng(7).integers(0, 9, (2, 40)).tolist()
    G = nx.MultiDiGraph() if directed else nx.MultiGraph()
    G.add_nodes_from(range(9))
    G.add_edges_from(
        (u, v, {"name": name}) for name, (u, v) in enumerate(zip(src, dst, strict=True))
    )
    g = Graph.from_edges(src, dst, num_vertices=9, directed=directed, name=np.arange(40))
    G.remove_nodes_from([2, 8])
    g = g.remove_vertices([2, 8])
    G.add_edges_from([(3, 7, {"name": 40}), (7, 3, {"name": 41}), (3, 7, {"name": 42})])
    g = g.add_edges([3, 7, 3], [7, 3, 7], name=[40, 41, 42])
    gone = [(u, v) for u, v, _ in G.edges if u == 3 or (v == 3 and not directed)]
    assert len(gone) > len(set(gone)) > 1
    G.remove_edges_from(gone)
    g = g.remove_edges(src=[u for u, _ in gone], dst=[v for _, v in gone])
    expected = G.edges(data="name")
    assert edges_of(g) == sorted(
        (name, *((u, v) if directed else sorted((u, v)))) for u, v, name in expected
    )
    assert g.labels.tolist() == list(G)


def test_a_version_shares_what_did_not_change():
    g = Graph.from_edges([0, 1, 2], [1, 2, 0], weight=[1.0, 2.0, 3.0])
    g.vertices.rank = 0.5
    first = g.add_edges([0], [0], weight=4.0)
    second = first.add_edges([1], [1], weight=5.0)
    for one, other in ((first, second), (g, g.add_vertices(2, rank=1.0))):
        for name in ("src", "dst", "weight"):
            assert np.shares_memory(one.edges[name], other.edges[name])
        assert not np.shares_memory(one.vertices.rank, other.vertices.rank)
    second.vertices.rank[0] = 9
    assert first.vertices.rank.tolist() == g.vertices.rank.tolist() == [0.5] * 3


def test_versions_of_one_graph_do_not_see_each_other():
    g = Graph.from_edges([0], [1], weight=[1.0])
    one = g.add_edges([1], [0], weight=2.0)
    two, three = one.add_edges([0], [0], weight=3.0), one.add_edges([1], [1], weight=4.0)
    one.add_edge(1, 1, weight=5.0)
    assert g.edges.weight.tolist() == [1]
    assert one.edges.weight.tolist() == [1, 2, 5]
    assert two.edges.weight.tolist() == [1, 2, 3]
    assert three.edges.weight.tolist() == [1, 2, 4]
    assert [each.edges.src.tolist() for each in (one, two, three)] == [
        [0, 1, 1],
        [0, 1, 0],
        [0, 1, 1],
    ]


@pytest.mark.paper("S148")
def test_numbers_are_never_given_twice():
    g = Graph.from_edges([0, 1, 2], [1, 2, 0])
    later = g.remove_edges([2]).add_edges([0], [0])
    assert later.edge_keys.tolist() == [0, 1, 3]
    later = later.remove_vertices([2]).add_vertices(1)
    assert later.labels.tolist() == [0, 1, 3]
    assert later.add_vertices(2).labels.tolist() == [0, 1, 3, 4, 5]
    assert later.add_vertex() == 3
    assert later.labels.tolist() == [0, 1, 3, 4]
    with pytest.raises(
        GraphError, match=r"src: vertex 2 was removed before\nname vertices of g\.labels"
    ):
        later.add_edges([2], [0])
    with pytest.raises(GraphError, match=r"edge 2 was removed before\ngive keys"):
        later.remove_edges([2])


@pytest.mark.parametrize("add_first", [True, False])
def test_removal_beats_addition_in_one_change(add_first):
    g = Graph.from_edges([0, 1, 2], [1, 2, 0])
    with g.changes() as c:
        if add_first:
            c.add_edges([0, 0, 2], [1, 2, 2])
        c.remove_edges(src=[0], dst=[1])
        c.remove_vertices([2])
        if not add_first:
            c.add_edges([0, 0, 2], [1, 2, 2])
    assert (c.graph.num_vertices, c.graph.num_edges, c.dropped) == (2, 0, 3)
    assert repr(c) == "Changes(+3 edges, +0 vertices, closed, 3 dropped)"
    assert c.graph.add_edges([0], [1]).edge_keys.tolist() == [6]
    assert g.num_edges == 3


def test_vertices_are_named_by_labels_where_there_are_any():
    g = Graph.from_edges([0, 1], [1, 2], labels=[30, 10, 20])
    g = g.add_edges(np.array([20]), [30]).remove_vertices([10])
    assert (g.labels.tolist(), g.edges.src.tolist(), g.edges.dst.tolist()) == ([30, 20], [1], [0])
    g = g.add_vertices(2, labels=[5, 6]).add_edges([5.0], [6])
    assert g.arcs()[0].tolist() == [1, 2]
    named = Graph.from_edges(["a", "b"], ["b", ("c", 1)], renumber=True)
    named = named.add_edges([("c", 1)], ["a"]).remove_edges(src=["a"], dst=["b"])
    assert named.add_vertices(1, labels=["d"]).id_of("d") == 3
    assert named.edges.src.tolist() == [1, 2]
    named.add_edge("b", "a")
    assert named.edges.src.tolist() == [1, 2, 1]


class Lent:
    """An array by ``__array__`` alone."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values, dtype)


def test_arrays_of_others_and_whole_floats_are_taken():
    g = Graph.from_edges([0, 1], [1, 2], weight=1.0)
    g = g.add_edges(Lent([0.0, 2.0]), np.array([1, 1], np.uint8), weight=Lent([3, 4]))
    assert g.edges.weight.tolist() == [1, 1, 3, 4]
    assert g.remove_edges(Lent([True, False, True, False])).edges.weight.tolist() == [1, 4]
    assert g.remove_vertices(Lent([0, 2])).num_edges == 0


def test_a_version_is_on_the_device_of_its_graph():
    assert Graph.from_edges([0], [1]).on("python").add_edges([1], [0]).device == "python"


def texts():
    return Graph.from_edges([0, 1], [1, 0], labels=["ann", "bob"], weight=[1.0, 2.0])


def numbers():
    return Graph.from_edges([0, 1], [1, 0], weight=[1.0, 2.0])


REFUSED = {
    "edge 3 points to vertex 7, but the graph has vertices 0..1": (
        numbers,
        lambda g: g.add_edges([0, 0], [0, 7], weight=1),
    ),
    "src has 2 ids and dst has 1": (numbers, lambda g: g.add_edges([0, 0], [0], weight=1)),
    "src has 2 labels and dst has 1": (
        texts,
        lambda g: g.add_edges(["ann", "bob"], ["bob"], weight=1),
    ),
    "dst: no vertex has the label 'eve'": (
        texts,
        lambda g: g.add_edges(["ann"], ["eve"], weight=1),
    ),
    "src is 'ann', but a sequence was expected": (
        texts,
        lambda g: g.add_edges("ann", ["bob"], weight=1),
    ),
    "labels must be hashable": (texts, lambda g: g.remove_vertices([["ann"], ["bob"]])),
    "new edges have no value for column 'weight'\\ngive weight=": (
        numbers,
        lambda g: g.add_edges([0], [1]),
    ),
    "have no column 'wait'. Did you mean 'weight'": (
        numbers,
        lambda g: g.add_edges([0], [1], weight=1, wait=2),
    ),
    "column 'weight' has shape .2,., but the graph has 1 new edges": (
        numbers,
        lambda g: g.add_edges([0], [1], weight=[1, 2]),
    ),
    "no edge has the key 2\\ngive keys of g.edge_keys": (numbers, lambda g: g.remove_edges([0, 2])),
    "no edge has the key -1": (numbers, lambda g: g.remove_edges([-1])),
    "the truth values have shape .1,., one per edge is .2,.": (
        numbers,
        lambda g: g.remove_edges([True]),
    ),
    "names no edge; give keys or a truth value": (numbers, lambda g: g.remove_edges(["a"])),
    "edges are removed by their keys or by both their ends": (
        numbers,
        lambda g: g.remove_edges(src=[0]),
    ),
    "no edge leads from 0 to 0, so it cannot be removed": (
        numbers,
        lambda g: g.remove_edges(src=[0, 0], dst=[1, 0]),
    ),
    "no edge leads from 'ann' to 'ann'": (
        texts,
        lambda g: g.remove_edges(src=["ann"], dst=["ann"]),
    ),
    "vertices: 2 is no vertex; the graph has vertices 0..1": (
        numbers,
        lambda g: g.remove_vertices([0, 2]),
    ),
    "the truth values have shape .3,., one per vertex": (
        numbers,
        lambda g: g.remove_vertices(np.ones(3, bool)),
    ),
    "the vertices of this graph have no labels, but the new ones have": (
        numbers,
        lambda g: g.add_vertices(1, labels=["cy"]),
    ),
    "0 labels given for 1 vertices of a graph that has labels": (
        texts,
        lambda g: g.add_vertices(1),
    ),
    "label 'bob' already is that of vertex 1": (
        texts,
        lambda g: g.add_vertices(2, labels=["cy", "bob"]),
    ),
    "count is -1, but it counts vertices": (numbers, lambda g: g.add_vertices(-1)),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_is_refused_leaves_the_graph_as_it_was(message):
    make, change = REFUSED[message]
    g = make()
    with pytest.raises((GraphError, ColumnError), match=message):
        change(g)
    assert (g.num_vertices, g.num_edges, g.edges.weight.tolist()) == (2, 2, [1, 2])
    assert g.labels is None or g.labels.tolist() == ["ann", "bob"]


def test_changes_are_made_once_and_not_after_an_error():
    g = Graph.from_edges([0], [1])
    c = g.changes()

    def interrupted():
        with c:
            c.add_edges([1], [0])
            raise KeyError

    with pytest.raises(KeyError):
        interrupted()
    assert not hasattr(c, "graph")
    for use in (c.close, lambda: c.add_vertices(1), lambda: c.remove_vertices([0])):
        with pytest.raises(GraphError, match=r"have been made already\nbegin others"):
            use()
    c = g.changes()
    g.add_vertex()
    with pytest.raises(GraphError, match="the graph has grown while its changes were collected"):
        c.close()


def test_calls_of_one_change_give_the_same_columns():
    c = Graph().changes()
    c.add_vertices(2)
    c.add_edges([0], [1], weight=1.0)
    c.add_edges([0], [1])
    with pytest.raises(ColumnError, match="some of the new edges have a column 'weight'"):
        c.close()


@pytest.mark.parametrize("directed", [True, False])
def test_of_nothing_and_to_nothing(directed):
    empty = Graph(directed)
    assert empty.add_edges([], []).num_edges == empty.remove_edges([]).num_edges == 0
    g = empty.add_vertices(1).add_edges([0, 0], [0, 0], weight=[1.0, 2.0])
    assert g.layouts.out_rows.other.tolist() == g.layouts.in_rows.other.tolist() == [0, 0]
    gone = g.remove_vertices([0])
    assert (gone.num_vertices, gone.num_edges, gone.labels.tolist()) == (0, 0, [])
    assert gone.layouts.out_rows.first.tolist() == [0]
    again = gone.add_vertices(2).add_edges([1], [2], weight=3.0)
    assert (again.labels.tolist(), again.edge_keys.tolist()) == ([1, 2], [2])
    assert again.layouts.in_rows.first.tolist() == ([0, 0, 1] if directed else [0, 1, 2])


def test_a_version_is_pickled_with_its_names():
    g = Graph.from_edges([0, 1, 2], [1, 2, 0]).remove_vertices([0]).add_edges([1], [1])
    again = pickle.loads(pickle.dumps(g))
    assert again.edge_keys.tolist() == [1, 3]
    assert again.add_vertices(1).labels.tolist() == [1, 2, 3]


def test_labels_that_are_left_are_found_in_any_order():
    g = Graph.from_edges([0, 1], [1, 2], labels=[10, 30, 20]).remove_vertices([10])
    assert (g.id_of(20), g.id_of(30)) == (1, 0)


def test_many_labels_are_added_without_looking_at_each():
    g = Graph.from_edges([0, 1], [1, 2], labels=[10, 30, 20])
    later = g.add_vertices(2, labels=np.array([25, 5]))
    again = later.add_vertices(1, labels=[7])
    assert again.labels.tolist() == [10, 30, 20, 25, 5, 7]
    assert again.ids_of([5, 7, 30]).tolist() == [4, 5, 1]
    assert (later.id_of(25), g.labels.tolist()) == (3, [10, 30, 20])
    for labels in ([25, 25], [8, 20], ["a", 20]):
        with pytest.raises(GraphError, match="already is that of vertex"):
            later.add_vertices(2, labels=labels)


def test_changes_find_vertices_there_are_and_new_ones():
    for g, names, ids in (
        (Graph.from_edges([0], [1], labels=["ann", "bob"]), ["bob", "cy", 4], [1, 2, -1]),
        (Graph.from_edges([0], [1]), [1, 2, 4], [1, 2, -1]),
        (Graph.from_edges([0], [1]), ["ann"], [-1]),
    ):
        change = g.changes()
        change.add_vertices(1, labels=None if g.labels is None else ["cy"])
        assert change.find(names).tolist() == ids
