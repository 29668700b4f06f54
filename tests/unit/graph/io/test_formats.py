"""Every format of the registry: what it keeps of a graph, exactly, and what it refuses to lose."""

from __future__ import annotations

import functools
import importlib.util
import tempfile
from pathlib import Path

import numpy as np
import pytest
from graph_files import DATA
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import graphs

from emv import Graph
from emv.errors import ArgumentError, EmvError, GraphFormatError
from emv.graph.io import FORMATS, read, write
from emv.graph.io.format import Format

FEATURES = ("isolated", "repeats", "weight", "edge columns", "vertex columns", "labels")
HAS_ARROW = importlib.util.find_spec("pyarrow") is not None
WRITABLE = [each for each in FORMATS if each.write and (HAS_ARROW or each.name != "parquet")]
BY_FORMAT = pytest.mark.parametrize("format", WRITABLE, ids=lambda each: each.name)
ARCS = {"messy/gap-4.graph", "messy/gap-4w.graph"}  # each neighbour stands in one list only
REFUSED = {
    "graphalytics/example-directed-LCC",  # results of algorithms, not graphs
    "graphalytics/example-directed-PR",
    "graphalytics/example-directed-SSSP",
    "graphalytics/example-undirected-LCC",
    "graphalytics/example-undirected-PR",
    "graphalytics/example-undirected-SSSP",
    "messy/karate.adjlist",
    "messy/karate_mod.mtx",
    "messy/karate_str.mtx",
    "messy/lagraph/complex.mtx",
    "messy/lagraph/garbage.lagraph",
    "messy/negative-vertex-id.csv",
}


def graph_with(*features: str, directed: bool, format: Format | None = None) -> Graph:
    """A graph of five edges and no more than the features: each vertex has an edge.

    In a DIMACS file each arc has a weight, and no edge of an undirected graph has one.
    """
    if format is not None and format.name == "dimacs":
        features = tuple(each for each in features if each != "weight")
        features = (*features, "weight") if directed else features
    src, dst = [0, 1, 2, 0, 3], [1, 2, 3, 2, 3]
    if "repeats" in features:
        src, dst = [*src, 0], [*dst, 1]
    columns = {}
    if "weight" in features:
        columns["weight"] = np.arange(2, 2 + len(src))
    if "edge columns" in features:
        columns["year"] = np.arange(1990, 1990 + len(src))
        columns["month"] = np.arange(len(src)) + 1
    num_vertices = 5 if "isolated" in features else 4
    labels = [10, 20, 30, 40, 50][:num_vertices] if "labels" in features else None
    g = Graph.from_edges(
        src, dst, num_vertices=num_vertices, directed=directed, labels=labels, **columns
    )
    if "vertex columns" in features:
        g.vertices.age = np.arange(num_vertices) + 0.5
    return g


def facts_of(g: Graph) -> dict[str, object]:
    """All of a graph but the order of its edges and the ends' order of undirected ones."""
    labels = np.arange(g.num_vertices) if g.labels is None else g.labels
    src, dst = labels[g.edges.src].tolist(), labels[g.edges.dst].tolist()
    if not g.directed:
        src, dst = list(map(min, src, dst)), list(map(max, src, dst))
    columns = sorted(g.edges.names()) if g.num_edges else []  # of no edges there are no values
    values = [g.edges[name].tolist() for name in columns]
    vertices = [g.vertices[name].tolist() for name in sorted(g.vertices.names())]
    return {
        "directed": g.directed,
        "edges": sorted(zip(src, dst, *values, strict=True)),
        "edge columns": columns,
        "vertices": sorted(zip(labels.tolist(), *vertices, strict=True)),
        "vertex columns": sorted(g.vertices.names()),
    }


def comes_back(g: Graph, format: Format, packing: str = "") -> bool:
    """Whether a graph is the same again after writing and reading; False where it is refused."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"graph{format.suffixes[0]}{packing}")
        try:
            write(g, path, format=format.name)
        except EmvError:
            return False
        again = read(path)
        if again.directed != g.directed and "direction" not in format.keeps:
            return False
        assert facts_of(again) == facts_of(g)
        return True


@functools.cache
def directions(format: Format) -> list[bool]:
    """The directions that a graph without any feature keeps."""
    return [
        each
        for each in (True, False)
        if comes_back(graph_with(directed=each, format=format), format)
    ]


@BY_FORMAT
def test_direction_is_kept_or_refused(format: Format) -> None:
    kept = directions(format)
    assert len(kept) == (2 if "direction" in format.keeps else 1)


@BY_FORMAT
@pytest.mark.parametrize("feature", FEATURES)
def test_a_feature_is_kept_or_refused(format: Format, feature: str) -> None:
    for directed in directions(format):
        g = graph_with(feature, directed=directed, format=format)
        assert comes_back(g, format) is (feature in format.keeps)


@BY_FORMAT
@pytest.mark.parametrize("packing", ["", ".gz", ".zst"])
def test_all_that_is_kept_is_kept_together(format: Format, packing: str) -> None:
    if packing and format.name in {"emv", "npz", "parquet"}:
        pytest.skip("is not packed by its name")
    for directed in directions(format):
        g = graph_with(*format.keeps, directed=directed, format=format)
        assert comes_back(g, format, packing)


@BY_FORMAT
@settings(max_examples=25, deadline=None)
@given(data=st.data(), weighted=st.booleans())
def test_any_graph_comes_back_or_is_refused(format: Format, data, weighted: bool) -> None:
    directed = data.draw(st.sampled_from(directions(format)))
    weighted = weighted and "weight" in format.keeps
    if format.name == "dimacs":
        weighted = directed
    g = data.draw(graphs(min_vertices=1, directed=directed, weighted=weighted))
    if weighted:
        g.edges.weight = g.edges.weight * 2  # whole numbers are all that some formats hold
        g.edges.weight = g.edges.weight.astype(np.int64)
    is_isolated = g.out_degrees() + g.in_degrees() == 0
    if "isolated" in format.keeps or not is_isolated.any():
        assert comes_back(g, format)
    else:
        assert not comes_back(g, format)


@pytest.mark.parametrize("suffix", [".mtx", ".tsv", ".csv"])
@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.one_of(st.floats(allow_nan=False), st.floats(allow_nan=False, width=32)), min_size=1
    )
)
def test_floats_come_back_to_the_last_bit(suffix: str, weights: list[float]) -> None:
    g = Graph.from_edges(range(len(weights)), range(1, len(weights) + 1), weight=weights)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"graph{suffix}")
        write(g, path)
        again = read(path).edges.weight
    assert np.array_equal(again.view(np.int64), np.array(weights).view(np.int64))


def test_names_of_formats_and_suffixes_are_different() -> None:
    names = [each.name for each in FORMATS]
    suffixes = [suffix for each in FORMATS for suffix in each.suffixes]
    assert len(names) == len({*names})
    assert len(suffixes) == len({*suffixes})


def test_what_is_dropped_is_left_out(tmp_path) -> None:
    g = graph_with("labels", "edge columns", "weight", directed=False)
    write(g, tmp_path / "a.mtx", drop=("labels", "year", "month"))
    assert read(tmp_path / "a.mtx").edges.names() == ["weight"]
    write(g, tmp_path / "a.wel", drop=["year", "month", "direction"])
    again = read(tmp_path / "a.wel")
    assert again.directed
    assert again.labels.tolist() == [10, 20, 30, 40]
    with pytest.raises(ArgumentError, match="drop names 'age'"):
        write(g, tmp_path / "a.mtx", drop=("age",))


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in sorted(DATA.rglob("*"))
        if path.is_file() and path.name not in {"README.md", "expected.json"}
        if "users" not in path.parts  # each wants a line of its own, see test_user_files
    ],
    ids=lambda path: path.relative_to(DATA).as_posix(),
)
def test_every_file_of_the_data_is_read(path: Path) -> None:
    name = path.relative_to(DATA).as_posix()
    if name in REFUSED or path.name.startswith("mangled"):
        with pytest.raises(GraphFormatError):
            read(path)
    else:
        g = read(path, directed=True if name in ARCS else None)
        assert g.num_vertices > 0
        assert len(g.arcs()[0]) == g.num_arcs
