"""Results of jobs as JSON and as Arrow, and what a request may say."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import numpy as np

from emv.errors import ArgumentError
from emv.graph import Graph
from emv.graph.on_device import on_host
from emv.imports import required
from emv.runtime.parameters import signature_of
from emv.runtime.program import ProgramFunction
from emv.runtime.run import Run

JSON, ARROW = "application/json", "application/vnd.apache.arrow.stream"


def check_arguments(program: ProgramFunction, given: dict[str, Any]) -> None:
    """Refuse what is no parameter of a program, and values that are no data.

    Raises
    ------
    ArgumentError
        If there is such.

    Examples
    --------
    >>> from emv.algorithms import bfs
    >>> check_arguments(bfs, {"source": 3})
    >>> check_arguments(bfs, {"source": {"file": "x"}})
    Traceback (most recent call last):
    emv.errors.ArgumentError: bfs(): source is no number, text, truth value, or list of numbers
    """
    known = list(signature_of(program.python).parameters)[1:]
    for name, value in given.items():
        if name not in known:
            raise ArgumentError(
                f"{program.name}() has no parameter {name!r:.40}",
                remedy=f"It takes {', '.join(known) or 'none'}.",
            )
        values = value if isinstance(value, list) else [value]
        kinds = (int, float) if isinstance(value, list) else (int, float, str, type(None))
        if not all(isinstance(each, kinds) for each in values):  # truth values are whole numbers
            raise ArgumentError(
                f"{program.name}(): {name} is no number, text, truth value, or list of numbers"
            )


def parts_of(result: Any) -> dict[str, Any]:
    """Return the parts of what a program returned by name, arrays on the host.

    Examples
    --------
    >>> parts_of((np.array([1, 2]), 3.0))
    {'result_0': array([1, 2]), 'result_1': array(3.)}
    """
    if isinstance(result, dict):
        named = {str(name): each for name, each in result.items()}
    elif isinstance(result, tuple | list):
        named = {f"result_{place}": each for place, each in enumerate(result)}
    else:
        named = {"result": result}
    return {name: on_host(each) for name, each in named.items()}


def as_json(run: Run, graph: Graph, rows: list[int] | None) -> bytes:
    """Return a run as JSON: how it went, and its results; NaN and infinity become null.

    Parameters
    ----------
    rows : list of int, optional
        Ids of vertices: of results with a value per vertex only these are told.
    """
    parts = chosen(parts_of(run.result), graph, rows)
    told = {
        "program": run.program,
        "device": run.backend,
        "supersteps": run.supersteps if run.stopped else None,
        "stopped": run.stopped or None,
        "seconds": run.seconds,
        "compile_seconds": run.compile_seconds,
        "warning": None if run.trouble is None else str(run.trouble),
        "results": {name: finite(each) for name, each in parts.items()},
    }
    return json.dumps(told, allow_nan=False).encode()


def as_arrow(run: Run, graph: Graph, rows: list[int] | None) -> bytes:
    """Return the results with a value per vertex, or else per edge, as a stream of Arrow.

    Raises
    ------
    ArgumentError
        If there is no such result.
    """
    arrow = required("pyarrow")
    parts = parts_of(run.result)
    counts = {"vertex": graph.num_vertices, "edge": graph.num_edges}
    fits = [
        kind for kind in counts if any(each.shape == (counts[kind],) for each in parts.values())
    ]
    if not fits:
        raise ArgumentError(
            f"{run.program}() returns no value per vertex or edge, and Arrow is for such",
            remedy=f"Accept {JSON}.",
        )
    kind, count = fits[0], counts[fits[0]]
    columns = {name: each for name, each in parts.items() if each.shape == (count,)}
    ids = np.arange(count)
    if kind == "vertex":
        columns = chosen(columns, graph, rows)
        ids = ids if rows is None else np.asarray(rows, np.int64)
        if graph.labels is not None:
            columns = {"label": graph.labels[ids], **columns}
    table = arrow.table({kind: ids, **columns})
    stored = io.BytesIO()
    with arrow.ipc.new_stream(stored, table.schema) as writer:
        writer.write_table(table)
    return stored.getvalue()


AS: dict[str, Callable[[Run, Graph, list[int] | None], bytes]] = {JSON: as_json, ARROW: as_arrow}


def chosen(parts: dict[str, Any], graph: Graph, rows: list[int] | None) -> dict[str, Any]:
    """Return the parts, those with a value per vertex at some of them.

    Raises
    ------
    ArgumentError
        If there is no such vertex.
    """
    if rows is None:
        return parts
    ids = np.asarray(rows, np.int64)
    wrong = ids[(ids < 0) | (ids >= graph.num_vertices)]
    if len(wrong):
        raise ArgumentError(f"there is no vertex {wrong[0]}")
    count = graph.num_vertices
    return {name: each[ids] if each.shape == (count,) else each for name, each in parts.items()}


def finite(array: Any) -> Any:
    """Return numbers as JSON has them.

    Examples
    --------
    >>> finite(np.array([1.5, np.nan, np.inf])), finite(np.array(3))
    ([1.5, None, None], 3)
    """
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        array = np.where(np.isfinite(array), array.astype(object), None)
    return array.tolist()
