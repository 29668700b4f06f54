"""``emv info``: what is in a graph file: counts, columns, degrees, oddities, bytes."""

from __future__ import annotations

import argparse
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.cli.failures import shown_path
from emv.cli.graph_file import duration, format_of, read_graph
from emv.cli.results import label_of
from emv.dtypes import short_name
from emv.graph import Graph
from emv.graph.columns import Columns


def execute(options: argparse.Namespace) -> str:
    """Return the facts as a table, or with ``--json`` as an object."""
    graph, read_seconds = read_graph(options)
    facts = {
        "graph": options.graph,
        "format": format_of(options),
        **facts_of(graph),
        "read_seconds": read_seconds,
    }
    if options.json:
        return json.dumps(facts) + "\n"
    shown = {**facts, "graph": shown_path(options.graph), "read_seconds": duration(read_seconds)}
    width = max(map(len, shown))
    return "".join(f"{_words(name):{width}}  {_cell(each)}\n" for name, each in shown.items())


def facts_of(graph: Graph) -> dict[str, Any]:
    """Return what there is to know of a graph before one runs anything on it.

    Examples
    --------
    >>> facts = facts_of(Graph.from_edges([0, 0, 1], [1, 1, 1], num_vertices=3))
    >>> facts["out_degree"], facts["isolated"], facts["loops"], facts["repeated_edges"]
    ({'min': 0, 'mean': 1.0, 'max': 2, 'max_at': 0}, 1, 1, 1)
    """
    src, dst = graph.edges.endpoints()
    degrees = {"out_degree": graph.out_degrees(), "in_degree": graph.in_degrees()}
    if not graph.directed:
        degrees = {"degree": degrees["out_degree"]}
    return {
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        "arcs": graph.num_arcs,
        "directed": graph.directed,
        "labels": graph.labels is not None,
        "vertex_columns": _dtypes(graph.vertices),
        "edge_columns": _dtypes(graph.edges),
        **{name: _spread(graph, each) for name, each in degrees.items()},
        "isolated": int(np.count_nonzero(sum(degrees.values()) == 0)),
        "loops": int(np.count_nonzero(src == dst)),
        "repeated_edges": graph.num_edges - _num_different(graph),
        "bytes": _stored_bytes(graph),
    }


def _dtypes(columns: Columns) -> dict[str, str]:
    return {name: short_name(columns.stored(name).dtype) for name in columns}


def _spread(graph: Graph, degrees: NDArray[Any]) -> dict[str, Any]:
    """Return least, mean and largest of the degrees, and the vertex that has the largest."""
    if len(degrees) == 0:
        return {"min": 0, "mean": 0.0, "max": 0, "max_at": None}
    busiest = int(np.argmax(degrees))
    return {
        "min": int(degrees.min()),
        "mean": float(degrees.mean()),
        "max": int(degrees[busiest]),
        "max_at": label_of(graph, busiest),
    }


def _num_different(graph: Graph) -> int:
    """Return the number of edges that join different vertices; without direction, either way."""
    src, dst = (ends.astype(np.uint64) for ends in graph.edges.endpoints())
    if not graph.directed:
        src, dst = np.minimum(src, dst), np.maximum(src, dst)
    return len(np.unique(src * np.uint64(graph.num_vertices) + dst))


def _stored_bytes(graph: Graph) -> int:
    """Return the bytes of ends, columns and labels; what programs derive from them comes on top."""
    arrays = [*graph.edges.endpoints()]
    for columns in (graph.vertices, graph.edges):
        arrays += [columns.stored(name) for name in columns]
    if graph.labels is not None:
        arrays.append(graph.labels)
    return sum(array.nbytes for array in arrays)


def _words(name: str) -> str:
    return "read in" if name == "read_seconds" else name.replace("_", " ")


def _cell(value: Any) -> str:
    """Return a fact as text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, dict) and "max_at" in value:
        at = "" if value["max_at"] is None else f" (vertex {value['max_at']})"
        return f"{value['min']:,} to {value['max']:,}{at}, {value['mean']:.4g} on average"
    if isinstance(value, dict):
        return ", ".join(f"{name} {dtype}" for name, dtype in value.items()) or "none"
    return "unknown" if value is None else str(value)
