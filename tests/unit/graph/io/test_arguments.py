"""What no file is called, what no vertex is, and what a file does not give without a word."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import emv
from emv.errors import ArgumentError, CapacityError, GraphError, GraphFormatError
from emv.graph import Graph
from emv.graph.io.directory import verify
from emv.graph.io.partition import read_partition, write_partition
from emv.graph.io.registry import FORMATS

NO_NAMES = {"long": "a" * 300, "nul": "a\0b", "half": "a\ud800b"}
G = Graph.from_edges([0, 1], [1, 0])


@pytest.mark.parametrize("name", NO_NAMES)
def test_names_that_no_file_has_are_refused(tmp_path: Path, name: str) -> None:
    path = f"{tmp_path}/{NO_NAMES[name]}"
    uses = [
        lambda: emv.read(path),
        lambda: read_partition(path),
        lambda: write_partition([0], path),
        lambda: verify(path),
    ]
    for each in FORMATS:
        uses.append(lambda each=each: emv.read(path, format=each.name))
        uses.append(lambda each=each: emv.write(G, path, format=each.name))
    for use in uses:
        with pytest.raises(ArgumentError, match="no file can be called"):
            use()
    assert not list(tmp_path.iterdir())


def test_names_that_leave_no_room_for_those_beside_them(tmp_path: Path) -> None:
    path = tmp_path / f"{'a' * 250}.e"
    path.write_text("0 1\n")
    with pytest.raises(GraphFormatError, match=r"there is no a+\.v beside it"):
        emv.read(path)


def test_more_vertices_than_ids_can_tell_are_refused() -> None:
    for number in (2**63, 2**64, 2**62 + 1):
        with pytest.raises(GraphError, match=rf"num_vertices is {number}, but .* at most 2\*\*62"):
            Graph.from_edges([0], [1], num_vertices=number)
    graph = Graph.from_edges([0], [1], num_vertices=2**62)
    with pytest.raises(GraphError, match="count is 1, but a graph has at most"):
        graph.add_vertices(1)


@pytest.mark.parametrize("label", [[10, 20], {10}, {}, np.array([10])])
@pytest.mark.parametrize("labels", [[10, 20], [20, 10], ["a", "b"]])
def test_what_cannot_be_hashed_is_no_label(label, labels) -> None:
    with pytest.raises(GraphError, match=r"which is no label\nask for one label at a time"):
        Graph.from_edges([0], [1], labels=labels).id_of(label)


def test_halves_of_characters_are_no_text_of_arrow(tmp_path: Path) -> None:
    graph = Graph.from_edges([0], [1], labels=["a", "\ud800"])
    for use in (graph.to_arrow, lambda: emv.write(graph, tmp_path / "a.parquet")):
        with pytest.raises(GraphError, match=r"the label '\\ud800' is no text that Arrow holds"):
            use()
    assert not list(tmp_path.iterdir())
    emv.write(graph, tmp_path / "a.emv")
    assert emv.read(tmp_path / "a.emv").labels.tolist() == ["a", "\ud800"]


def test_columns_that_are_left_out_are_told(tmp_path: Path, caplog) -> None:
    path = tmp_path / "a.parquet"
    pd.DataFrame({"src": [0], "dst": [1], "name": ["x"], "a b": [1], "km": [2.5]}).to_parquet(path)
    with caplog.at_level(logging.WARNING, "emv"):
        graph = emv.read(path)
    assert graph.edges.names() == ["km"]
    told = [message for message in caplog.messages if "left out" in message]
    assert len(told) == 2
    assert all(message.startswith(f"{path}: left out: ") for message in told)
    assert "'name'" in told[0]
    assert "'a b'" in told[1]


def test_a_matrix_that_is_not_symmetric_says_how_edges_become_undirected(tmp_path: Path) -> None:
    emv.write(Graph.from_edges([0, 1], [1, 2], weight=[2, 3]), tmp_path / "a.npz")
    with pytest.raises(GraphFormatError, match="leave out directed=False, or give symmetrise=True"):
        emv.read(tmp_path / "a.npz", directed=False)
    graph = emv.read(tmp_path / "a.npz", symmetrise=True)
    assert (graph.directed, graph.num_edges) == (False, 2)


def test_complete_graphs_beyond_memory_are_refused_before_they_are_made() -> None:
    with pytest.raises(CapacityError, match=r"complete\(1000000\) has 499,999,500,000 edges, "):
        emv.generators.complete(10**6)
    with pytest.raises(CapacityError, match="a graph of m=1000000000000000 has"):
        emv.generators.rmat(100, 10**15)
    for size in range(7):
        src, dst = np.triu_indices(size, 1)
        graph = emv.generators.complete(size)
        assert np.array_equal(graph.edges.src, src)
        assert np.array_equal(graph.edges.dst, dst)
