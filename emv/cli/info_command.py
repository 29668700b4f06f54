"""``emv info``: what is in a graph file: counts, columns, degrees, oddities, bytes, parts."""

from __future__ import annotations

import argparse
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.cli.graph_file import duration, read_with_format
from emv.cli.results import label_of
from emv.dtypes import short_name
from emv.errors import ArgumentError, shown_path
from emv.graph import Graph
from emv.graph.columns import Columns
from emv.graph.parts import Parts
from emv.graph.stats import degree_stats


def execute(options: argparse.Namespace) -> str:
    """Return the facts as a table, or with ``--json`` as an object."""
    _check_parts(options)
    graph, found, read_seconds = read_with_format(options)
    facts = {
        "graph": options.graph,
        "format": found,
        **facts_of(graph, diameter=options.diameter, components=options.components),
        "read_seconds": read_seconds,
    }
    parts = _parts_of(graph, options)
    if options.json:
        divided = {} if parts is None else {"parts": _as_object(parts)}
        return json.dumps({**facts, **divided}) + "\n"
    shown = {**facts, "graph": shown_path(options.graph), "read_seconds": duration(read_seconds)}
    width = max(map(len, shown))
    lines = [f"{_words(name):{width}}  {_cell(each)}\n" for name, each in shown.items()]
    return "".join(lines) + ("" if parts is None else f"{parts}\n")


def _check_parts(options: argparse.Namespace) -> None:
    """Refuse what says how to divide where nothing is to be divided, before anything is read."""
    for each in ("by", "hops"):
        if options.parts is None and getattr(options, each) is not None:
            raise ArgumentError(
                f"--{each} says how a graph is divided, and --parts is not given",
                remedy=f"Add --parts N, or leave out --{each}.",
            )


def _parts_of(graph: Graph, options: argparse.Namespace) -> Parts | None:
    if options.parts is None:
        return None
    return graph.parts(
        options.parts, options.by or "ranges", hops=1 if options.hops is None else options.hops
    )


def _as_object(parts: Parts) -> dict[str, Any]:
    """Return a division as what JSON can hold; the owners themselves are not shown."""
    return {
        "cut": parts.cut,
        "cut_share": parts.cut_share,
        "balance": parts.balance,
        "vertices": parts.vertices.tolist(),
        "arcs": parts.arcs.tolist(),
        "replicas": parts.replicas.tolist(),
    }


def facts_of(graph: Graph, diameter: bool = False, components: bool = False) -> dict[str, Any]:
    """Return what there is to know of a graph before one runs anything on it.

    Examples
    --------
    >>> facts = facts_of(Graph.from_edges([0, 0, 1], [1, 1, 1], num_vertices=3))
    >>> facts["out_degree"]
    {'min': 0, 'mean': 1.0, 'max': 2, 'deviation': 0.816496580927726, 'max_at': 0}
    >>> facts["isolated"], facts["loops"], facts["repeated_edges"]
    (1, 1, 1)
    """
    stats = graph.stats(diameter=diameter, parts=components)
    degrees = {"out_degree": graph.out_degrees(), "in_degree": graph.in_degrees()}
    if not graph.directed:
        degrees = {"degree": degrees["out_degree"]}
    asked = {
        "diameter": stats.diameter,
        "components": stats.parts,
        "largest_component": stats.largest_part,
    }
    return {
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        "arcs": graph.num_arcs,
        "directed": graph.directed,
        "labels": graph.labels is not None,
        "vertex_columns": _dtypes(graph.vertices),
        "edge_columns": _dtypes(graph.edges),
        **{name: _spread(graph, each) for name, each in degrees.items()},
        "isolated": stats.isolated,
        "loops": stats.loops,
        "repeated_edges": stats.repeats,
        **{name: count for name, count in asked.items() if count is not None},
        "bytes": _stored_bytes(graph),
    }


def _dtypes(columns: Columns) -> dict[str, str]:
    return {name: short_name(columns.stored(name).dtype) for name in columns}


def _spread(graph: Graph, degrees: NDArray[Any]) -> dict[str, Any]:
    """Return how the degrees are spread, and the vertex that has the largest."""
    spread = degree_stats(degrees)
    return {
        "min": spread.min,
        "mean": spread.mean,
        "max": spread.max,
        "deviation": spread.deviation,
        "max_at": label_of(graph, int(np.argmax(degrees))) if len(degrees) else None,
    }


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
        mean, deviation = value["mean"], value["deviation"]
        return f"{value['min']:,} to {value['max']:,}{at}, {mean:.4g} +- {deviation:.4g}"
    if isinstance(value, dict):
        return ", ".join(f"{name} {dtype}" for name, dtype in value.items()) or "none"
    return "unknown" if value is None else str(value)
