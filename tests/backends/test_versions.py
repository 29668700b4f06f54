"""Programs on later versions of a graph: to the bit what they find on one built anew."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from backends_available import BACKENDS
from random_changes import Script, ran_alike, same_layouts

from emv import Graph
from emv.algorithms import bfs, components, pagerank


@pytest.mark.paper("S147", "S148")
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("backend", BACKENDS)
def test_programs_find_the_same_on_a_version_as_on_a_graph_built_anew(backend, directed):
    script = Script(5, directed)
    for _ in range(25 if backend == "cpu" else 6):
        script.step()
        script.compare()
        ran_alike(script.graph, script.model.built(), backend)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_removed_vertex_counts_no_more(backend):
    """As in networkx: ranks of a version add up to 1 over the vertices that are left."""
    g = Graph.from_edges([0, 1, 2, 2, 3], [1, 2, 0, 1, 0])
    G = nx.MultiDiGraph(list(zip(g.edges.src.tolist(), g.edges.dst.tolist(), strict=True)))
    before = np.asarray(pagerank(g, backend=backend)).tobytes()
    later = g.add_edges([0, 0], [2, 2]).remove_vertices([1])
    G.add_edges_from([(0, 2), (0, 2)])
    G.remove_node(1)
    found = later.to_dict(np.asarray(pagerank(later, backend=backend)))
    assert found == pytest.approx(nx.pagerank(G), abs=1e-5)
    assert np.asarray(pagerank(g, backend=backend)).tobytes() == before


@pytest.mark.parametrize("program", [bfs, pagerank, components])
def test_a_version_is_walked_as_a_graph_built_anew(program):
    """The same kernels over the same arrays: no walk asks whether there ever was more."""
    draw, size = np.random.default_rng(3), 200
    graph = Graph.from_edges(*draw.integers(0, size, (2, 2000)), num_vertices=size).on("cpu")
    given = (0,) if program is bfs else ()
    program(graph, *given)
    later = graph.add_edges(*draw.integers(0, size, (2, 20))).remove_edges(np.arange(20)).on("cpu")
    anew = Graph.from_edges(*later.edges.endpoints(), num_vertices=size).on("cpu")
    assert program.source(later, *given) == program.source(anew, *given)
    assert program.source(later, *given) == program.source(graph, *given)
    same_layouts(later.layouts, anew.layouts)
    assert {"out_first", "out_other"} & set(later.layouts._arrays)  # which were compared
