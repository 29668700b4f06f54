"""`Graph.on`: a view that shares everything and says where programs run."""

import copy
import pickle

import pytest

from emv import Graph, config
from emv.errors import BackendUnavailableError


def test_shares_everything_while_it_grows():
    g = Graph.from_edges([0, 1], [1, 2], weight=[1.0, 2.0])
    view = g.on("python")
    view.add_vertex()
    g.add_edge(0, 3, weight=3.0)
    assert (g.num_vertices, view.num_edges) == (4, 3)
    assert view.layouts is g.layouts
    assert view.edges is g.edges


def test_device_of_views_and_of_the_graph_itself():
    g = Graph.from_edges([0], [1])
    names = ["auto", "cpu", "python", "cuda", "cuda:1"]
    assert [g.on(name).device for name in names] == names
    assert g.on("python").on("cpu").device == "cpu"
    with config.using(backend="python"):
        assert (g.device, g.on("auto").device) == ("python", "auto")
    assert repr(g.on("cpu")) == "Graph(2 vertices, 1 edges, directed, on cpu)"


@pytest.mark.parametrize(
    "duplicate", [copy.copy, copy.deepcopy, lambda g: pickle.loads(pickle.dumps(g))]
)
def test_copies_keep_the_device(duplicate):
    view = Graph.from_edges([0], [1]).on("python")
    twin = duplicate(view)
    assert (twin.device, twin.num_edges, twin.layouts.num_arcs) == ("python", 1, 1)
    twin.add_vertex()
    assert twin.num_vertices == 3


@pytest.mark.parametrize("name", ["cuda:", "cuda:x", "cuad", "", None])
def test_unknown_devices(name):
    with pytest.raises(BackendUnavailableError, match="There are: auto, python, cpu, cuda, cuda:N"):
        Graph().on(name)
