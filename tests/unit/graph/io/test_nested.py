"""GraphML, GEXF, GML, Pajek and JSON are read as networkx reads them."""

from __future__ import annotations

import io
import json
import logging
from collections import Counter
from typing import Any

import networkx as nx
import numpy as np
import pytest

import emv
from emv.errors import GraphFormatError

WRITERS = {
    "graphml": nx.write_graphml,
    "gexf": nx.write_gexf,
    "gml": nx.write_gml,
    "pajek": nx.write_pajek,
    "json": lambda G, file: file.write(json.dumps(nx.node_link_data(G)).encode()),
}
KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]


def bytes_of(G: Any, form: str) -> io.BytesIO:
    file = io.BytesIO()
    WRITERS[form](G, file)
    file.seek(0)
    return file


def edges_of(g: emv.Graph, name: str = "weight") -> Counter[Any]:
    labels = range(g.num_vertices) if g.labels is None else g.labels.tolist()
    rows = zip(g.edges.src, g.edges.dst, g.edges[name].tolist(), strict=True)
    ends = [(labels[src], labels[dst], weight) for src, dst, weight in rows]
    return Counter(ends if g.directed else [(*sorted(each[:2]), each[2]) for each in ends])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", WRITERS)
def test_all_kinds_of_graphs_come_from_networkx(form: str, kind: type[nx.Graph]) -> None:
    G = kind()
    G.add_nodes_from(["ann", "bob", "cy", "alone"], size=2.5)
    G.add_edge("bob", "ann", weight=0.1)
    G.add_edge("bob", "cy", weight=2.0)
    G.add_edge("cy", "cy", weight=3.0)
    if G.is_multigraph():
        G.add_edge("bob", "ann", weight=0.25)
    g = emv.read(bytes_of(G, form))
    assert g.directed == G.is_directed()
    assert g.labels.tolist() == list(G)
    ends = ((u, v) if G.is_directed() else sorted((u, v)) for u, v in G.edges())
    weights = (weight for *_, weight in G.edges(data="weight"))
    assert edges_of(g) == Counter((*pair, w) for pair, w in zip(ends, weights, strict=True))
    assert g.edges.weight.dtype == np.float64
    if form != "pajek":
        assert g.vertices.size.tolist() == [2.5] * 4


@pytest.mark.parametrize("form", WRITERS)
def test_whole_numbers_are_labels_again(form: str) -> None:
    G = nx.path_graph(4)
    nx.set_edge_attributes(G, 1, "weight")
    assert emv.read(bytes_of(G, form)).labels is None
    G = nx.relabel_nodes(G, {number: 10 * number + 5 for number in range(4)})
    assert emv.read(bytes_of(G, form)).labels.tolist() == [5, 15, 25, 35]


@pytest.mark.parametrize("form", [form for form in WRITERS if form != "pajek"])
def test_what_is_left_out_is_said(form: str, caplog) -> None:
    G = nx.Graph([("a", "b", {"road": "A7"})])
    with caplog.at_level(logging.WARNING, "emv"):
        emv.read(bytes_of(G, form))
    assert sum("left out: the edge attribute 'road'" in each for each in caplog.messages) == 1


@pytest.mark.parametrize("form", WRITERS)
def test_what_is_damaged_is_refused(form: str) -> None:
    content = bytes_of(nx.path_graph(3), form).getvalue()
    parts = [content[: len(content) // 2], content.replace(b"2", b"\xff")]
    for part in parts[form == "pajek" :]:  # half of a network of Pajek's is one without edges
        with pytest.raises(GraphFormatError, match="<file>"):
            emv.read(io.BytesIO(part), format=form)


def test_direction_by_request() -> None:
    g = emv.read(bytes_of(nx.path_graph(3), "graphml"), directed=True)
    assert sorted(zip(g.edges.src, g.edges.dst, strict=True)) == [(0, 1), (1, 0), (1, 2), (2, 1)]
    g = emv.read(bytes_of(nx.DiGraph([(0, 1)]), "gexf"), directed=False)
    assert (g.num_edges, g.directed) == (1, False)


def test_gml_with_repeats_that_it_does_not_say_and_without_labels() -> None:
    text = 'Creator "x"\ngraph [ node [ id 7 ] node [ id 9 ] edge [ source 7 target 9 value 2 ]'
    text += " edge [ source 7 target 9 value 3 ] ]"
    g = emv.read(io.StringIO(text))
    assert (g.labels.tolist(), g.edges.value.tolist()) == ([7, 9], [2, 3])


def test_json_of_d3_and_cytoscape() -> None:
    links = [{"source": 0, "target": 1, "value": 3}, {"source": 1, "target": 0, "value": 4}]
    d3 = {"nodes": [{}, {}], "links": links}
    g = emv.read(io.StringIO(json.dumps(d3)))
    assert (g.labels, g.directed, g.edges.value.tolist()) == (None, False, [3, 4])
    graph = {
        "nodes": [{"data": {"id": "a", "x": 1}}, {"data": {"id": "b", "x": 2}}],
        "edges": [{"data": {"source": "b", "target": "a"}}],
    }
    g = emv.read(io.StringIO(json.dumps({"elements": graph})))
    assert (g.labels.tolist(), g.vertices.x.tolist()) == (["a", "b"], [1, 2])


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ([1], "has no list of nodes"),
        ({"nodes": [1], "links": []}, "has no list of nodes"),
        ({"nodes": [{"id": 1}]}, "has no list of links"),
        ({"nodes": [{"id": 1}], "links": [{"source": 1}]}, "a link without a target"),
        ({"nodes": [{"id": 1}], "links": [{"source": 1, "target": 2}]}, "2, which is no node"),
        ({"nodes": [{"id": 1}, {"id": 1}], "links": []}, "two nodes with the id 1"),
        ({"nodes": [{"id": [1]}], "links": []}, "a list or an object"),
    ],
)
def test_json_that_is_no_graph(said: Any, why: str) -> None:
    with pytest.raises(GraphFormatError, match=why):
        emv.read(io.StringIO(json.dumps(said)), format="json")


PAJEK = """% a comment
*Network small
*Vertices 4
1 "Ann B" 0.1 0.2 ic Red
2 Bob 0.3 0.4
3 "Cy" 0.5 0.6
4 Dan 0.7 0.8
*Arcs :2 "likes"
1 2 5
*Edges
2 3
*Arcslist
4 1 2
*Edgeslist
3 4
"""


def test_pajek_with_arcs_edges_and_lists(caplog) -> None:
    with caplog.at_level(logging.WARNING, "emv"):
        g = emv.read(io.StringIO(PAJEK))
    assert g.labels.tolist() == ["Ann B", "Bob", "Cy", "Dan"]
    pairs = list(zip(g.edges.src, g.edges.dst, strict=True))
    assert pairs == [(0, 1), (1, 2), (3, 0), (3, 1), (2, 3), (2, 1), (3, 2)]
    assert g.edges.weight.tolist() == [5, 1, 1, 1, 1, 1, 1]
    assert g.edges.relation.tolist() == [2, 0, 0, 0, 0, 0, 0]
    assert g.vertices.x.tolist() == [0.1, 0.3, 0.5, 0.7]
    assert sum("left out: shapes" in each for each in caplog.messages) == 1


def test_pajek_of_two_sides_and_as_a_matrix() -> None:
    g = emv.read(io.StringIO("*Vertices 3 2\n*Edges\n1 3\n2 3\n"))
    assert (g.vertices.side.tolist(), g.directed) == ([0, 0, 1], False)
    A = np.array([[0, 2, 0], [0, 0, 3], [1, 0, 4]])
    rows = "\n".join(" ".join(map(str, row)) for row in A)
    g = emv.read(io.StringIO(f"*Vertices 3\n*Matrix\n{rows}\n"))
    np.testing.assert_array_equal(g.to_scipy().toarray(), A)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("*Vertices x\n", ":1: .* is no \\*Vertices with"),
        ("*Vertices 2\n*Arcs\n1 3\n", ":3: '3' is none of 1 to 2"),
        ("*Vertices 2\n*Arcs\n1\n", ":3: '1' is no edge"),
        ("*Vertices 2\n*Arcs\n1 2 x\n", ":3: the weight 'x' is not a number"),
        ("*Vertices 2\n*Partition\n", ":2: \\*partition is no section"),
        ("*Network x\n*Arcs\n", ":2: \\*Arcs stands before"),
        ("*Network x\n1 2\n", ":2: .* stands in no section"),
        ("*Network x\n", "has no \\*Vertices"),
        ("*Vertices 2\n*Matrix\n1\n", ":3: has 1 entries in a row"),
        ("*Vertices 2\n*Matrix\n1 0\n0 1\n1 1\n", ":5: has more rows"),
        ("*Vertices 99999999999\n", "99999999999 vertices for 0 entries"),
    ],
)
def test_mistakes_of_pajek(text: str, why: str) -> None:
    with pytest.raises(GraphFormatError, match=why):
        emv.read(io.StringIO(text))
