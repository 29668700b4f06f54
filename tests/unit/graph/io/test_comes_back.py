"""What a writer writes its reader reads as the same graph, whatever there is in it."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import emv
from emv.dtypes import SHORT_NAMES
from emv.errors import EmvError
from emv.graph import Graph
from emv.graph.io import FORMATS

NAMES = [f"a{suffix}" for each in FORMATS for suffix in each.suffixes if each.write]
LABELED = ("edge-list", "ncol", "graphalytics", "parquet", "emv")
WORDS = [
    "a",
    "b c",
    "",
    "#x",
    "1",
    "01",
    "\u65e5",
    "x,y",
    '"q"',
    "\ufeff",
    "a\nb",
    "nan",
    "//",
    "-1",
]


@st.composite
def columns_of(draw: st.DrawFn, length: int) -> np.ndarray:
    dtype = np.dtype(draw(st.sampled_from(sorted(SHORT_NAMES))))
    if dtype.kind == "f":
        values = st.floats(width=8 * dtype.itemsize)
    elif dtype.kind == "b":
        values = st.booleans()
    else:
        bounds = np.iinfo(dtype)
        some = st.sampled_from([int(bounds.min), int(bounds.max), int(bounds.max) - 1, 0, 1])
        values = st.one_of(some, st.integers(int(bounds.min), int(bounds.max)))
    return np.array(draw(st.lists(values, min_size=length, max_size=length)), dtype)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    num_vertices = draw(st.integers(0, 6))
    ends = st.integers(0, max(0, num_vertices - 1))
    pairs = draw(st.lists(st.tuples(ends, ends), max_size=8 if num_vertices else 0))
    columns = {}
    if draw(st.booleans()):
        columns["weight"] = draw(columns_of(len(pairs)))
    labels: Any = None
    if draw(st.integers(0, 3)) == 0:
        of_words = st.sampled_from(WORDS)
        each = draw(st.sampled_from([st.integers(0, 99), st.integers(-9, 2**63 - 1), of_words]))
        exact = {"min_size": num_vertices, "max_size": num_vertices, "unique": True}
        labels = draw(st.lists(each, **exact))
    graph = Graph.from_edges(
        [pair[0] for pair in pairs],
        [pair[1] for pair in pairs],
        num_vertices=num_vertices,
        directed=draw(st.booleans()),
        labels=labels,
        **columns,
    )
    if num_vertices and draw(st.integers(0, 5)) == 0:
        graph.vertices[draw(st.sampled_from(["side", "size", "weight", "x"]))] = draw(
            columns_of(num_vertices)
        )
    return graph


def facts_of(graph: Graph, has_labels: bool) -> dict[str, Any]:
    """All of a graph, numbers by their values, but the order of its edges and vertices."""
    labels = graph.labels if has_labels else None
    names = np.arange(graph.num_vertices) if labels is None else labels
    tables = graph.tables()
    values = [_values(each) for _, each in sorted(tables.edge_columns.items())]
    ends = [[repr(each) for each in names[end].tolist()] for end in (tables.src, tables.dst)]
    pairs = zip(*ends, strict=True)
    pairs = list(pairs) if graph.directed else [tuple(sorted(pair)) for pair in pairs]
    of_vertices = [_values(each) for _, each in sorted(tables.vertex_columns.items())]
    return {
        "directed": graph.directed,
        "columns": (sorted(tables.edge_columns), sorted(tables.vertex_columns)),
        "edges": sorted(zip(pairs, *values, strict=True)),
        "vertices": sorted(zip(map(repr, names.tolist()), *of_vertices, strict=True)),
    }


def _values(column: np.ndarray) -> list[str]:
    """Numbers as texts, by which a whole float is the integer, and nan itself."""
    return [
        repr(int(each)) if each == each and abs(each) < 2**70 and each == int(each) else repr(each)
        for each in column.astype(object if column.dtype.kind in "iu" else float).tolist()
    ]


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=20, deadline=None)
@given(graph=graphs())
@example(graph=Graph())
@example(graph=Graph(directed=False))
@example(graph=Graph.from_edges([], [], num_vertices=3, weight=[]))
@example(graph=Graph.from_edges([0], [1], weight=[np.nan]))
@example(graph=Graph.from_edges([0], [1], weight=[-np.inf], directed=False))
@example(graph=Graph.from_edges([0, 1], [1, 0], weight=[2**63 - 2, 1]))
@example(graph=Graph.from_edges([0], [1], weight=np.array([2**64 - 1], np.uint64)))
@example(graph=Graph.from_edges([0, 1], [1, 0], labels=["nan", "inf"], weight=[0.1, 1e300]))
def test_what_is_written_is_read_as_it_was(name: str, graph: Graph) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        try:
            emv.write(graph, path)
        except EmvError:
            assert not list(Path(folder).iterdir())
            return
        again = emv.read(path)
        format = emv.graph.io.find_writer(path, None).name
        assert facts_of(again, format in LABELED) == facts_of(graph, format in LABELED)
