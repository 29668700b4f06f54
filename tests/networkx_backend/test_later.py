"""Parts of graphs that are handed over as arrays, until somebody looks at them."""

import copy
import pickle
import threading

import networkx as nx
import numpy as np
import pytest

from emv.networkx import parts
from emv.networkx.later import is_filled
from emv.networkx.records import Records

KINDS = [nx.Graph, nx.DiGraph]


def whole(kind=nx.Graph):
    G = nx.gnm_random_graph(60, 200, seed=3, directed=kind is nx.DiGraph)
    for edge, (u, v, data) in enumerate(G.edges(data=True)):
        data.update(weight=(edge % 7) / 4, names=[u, v])
    for node, data in G.nodes(data=True):
        if node % 3:
            data["colour"] = "red"
    G.graph["name"] = "whole"
    return G


def core(G, backend="emv"):
    return nx.k_core(G, 3, backend=backend)


def is_same(found, expected):
    return (
        list(found.nodes(data=True)) == list(expected.nodes(data=True))
        and list(found.edges(data=True)) == list(expected.edges(data=True))
        and found.graph == expected.graph
        and type(found) is type(expected)
    )


LOOKS = {
    "nodes": list,
    "one node": lambda G: 5 in G,
    "edges": lambda G: G.number_of_edges(),
    "attributes": lambda G: G.nodes(data="colour"),
    "a neighbour": lambda G: G[next(iter(G))],
    "degrees": lambda G: dict(G.degree),
    "text": str,
    "a copy": lambda G: G.copy(),
    "a copy of Python's": copy.copy,
    "a deep copy": copy.deepcopy,
    "one more": lambda G: G.add_edge("a", "b") or G.remove_nodes_from(["a", "b"]),
    "a view": lambda G: G.subgraph([1, 2, 3]).edges,
    "the other direction": lambda G: G.to_directed(),
    "frozen": lambda G: nx.is_frozen(G) or len(G.adj),
    "pickled": pickle.dumps,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("look", LOOKS)
def test_the_first_look_makes_a_plain_graph(look, kind):
    G = whole(kind)
    found, expected = core(G), core(G, "networkx")
    assert not is_filled(found)
    assert isinstance(found, kind)
    LOOKS[look](found)
    assert type(found) is kind
    assert is_same(found, expected)
    assert set(vars(found)) >= set(vars(kind()))
    assert "_filling" not in vars(found)


@pytest.mark.parametrize("kind", KINDS)
def test_sides_of_arcs_share_their_rows(kind):
    found = core(whole(kind))
    u, v = next(iter(found.edges))
    found[u][v]["weight"] = 99
    other = found.pred[v][u] if found.is_directed() else found[v][u]
    assert other["weight"] == 99


@pytest.mark.parametrize("kind", KINDS)
def test_later_changes_of_the_whole_are_not_seen(kind):
    G = whole(kind)
    found, expected = core(G), core(G, "networkx")
    u, v = next(iter(expected.edges))
    G[u][v]["weight"] = -1
    G.nodes[u]["colour"] = "blue"
    G.remove_node(v)
    assert is_same(found, expected)


@pytest.mark.filterwarnings("ignore:.*cache")
def test_two_parts_share_nothing_but_values():
    G = whole()
    one, other, expected = core(G), core(G), core(G, "networkx")
    u, v = next(iter(one.edges))
    one[u][v]["weight"] = -1
    one.nodes[u]["colour"] = "blue"
    assert is_same(other, expected)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore:.*cache")
def test_emv_goes_on_with_the_arrays(kind):
    G = whole(kind)
    found, expected = core(G), core(G, "networkx")
    ranks = nx.pagerank(found, backend="emv")
    lengths = nx.single_source_dijkstra_path_length(found, next(iter(ranks)), backend="emv")
    smaller = nx.k_core(found, 5, backend="emv")
    assert not is_filled(found)
    assert not is_filled(smaller)
    assert ranks == pytest.approx(nx.pagerank(expected, backend="networkx"))
    assert lengths == nx.single_source_dijkstra_path_length(expected, next(iter(expected)))
    assert is_same(smaller, nx.k_core(expected, 5, backend="networkx"))
    assert not is_filled(found)


@pytest.mark.filterwarnings("ignore:.*cache")
def test_changes_make_emv_forget_the_arrays():
    found = core(whole())
    nx.number_connected_components(found, backend="emv")
    before = nx.number_connected_components(found, backend="emv")
    found.add_node("alone")
    assert nx.number_connected_components(found, backend="emv") == before + 1


@pytest.mark.filterwarnings("ignore:.*cache")
def test_priority_does_not_make_the_dicts():
    found = core(whole())
    with nx.config(backend_priority=["emv"]):
        nx.number_connected_components(found)
    assert not is_filled(found)


def test_threads_see_one_graph():
    found, expected = core(whole()), core(whole(), "networkx")
    seen = []
    threads = [threading.Thread(target=lambda: seen.append(found._adj)) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len({id(each) for each in seen}) == 1
    assert is_same(found, expected)


def test_what_cannot_be_filled_is_tried_again(monkeypatch):
    found = core(whole())
    with monkeypatch.context() as patched:
        patched.setattr(parts, "_filled", lambda *_: (_ for _ in ()).throw(MemoryError))
        with pytest.raises(MemoryError):
            len(found)
    assert not is_filled(found)
    assert is_same(found, core(whole(), "networkx"))


def test_graphs_of_a_users_own_class_are_made_at_once():
    class Roads(nx.Graph):
        pass

    G = Roads(whole())
    found = core(G)
    assert type(found) is Roads
    assert nx.utils.graphs_equal(found, core(G, "networkx"))


def test_a_new_graph_of_the_class_is_plain():
    found = core(whole())
    for made in (found.__class__(), found.__class__([(1, 2)], name="x")):
        assert type(made) is nx.Graph
    assert made.graph == {"name": "x"}
    assert not is_filled(found)


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [{}, {}],
        [{"a": 1, "b": [2]}, {"a": "x", "b": None}],
        [{"a": 1}, {"b": 2}, {}],
        [{"a": 1, "b": 2}, {"b": 1, "a": 2}],
        [{(1, 2): 3}, {(1, 2): (4, 5)}],
    ],
)
def test_records_say_what_the_dicts_said(rows):
    said = Records.of(rows)
    assert said.rows() == rows
    assert [list(row) for row in said.rows()] == [list(row) for row in rows]
    for name in ("a", (1, 2), "nobody"):
        assert said.column(name, 7) == [row.get(name, 7) for row in rows]
    is_kept = np.arange(len(rows)) % 2 == 0
    assert said.chosen(is_kept).rows() == rows[::2]
    assert said.chosen(is_kept).count == len(rows[::2])
    for one, other in zip(said.rows(), said.rows(), strict=True):
        assert one is not other
