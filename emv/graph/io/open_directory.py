"""Opening a graph that lies in a folder of emv's: mapping its arrays, trusting or checking them.

`emv.graph.io.directory` says what is in a folder, and which arrays are trusted. A version that is
kept as a difference is made of the last one before it that is whole, and of the deltas between.
"""

from __future__ import annotations

import functools
import json
import logging
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emv.errors import ColumnError, GraphError, GraphFormatError
from emv.graph.columns import EdgeColumns, VertexColumns
from emv.graph.graph import Graph
from emv.graph.ids import checked_ends
from emv.graph.io.contents import (
    CONTENTS,
    PLAIN,
    TEXT_LABELS,
    Contents,
    Delta,
    History,
    file_name,
    read_history,
)
from emv.graph.io.deltas import with_delta
from emv.graph.io.format import Hints
from emv.graph.io.stored_arrays import is_own, open_array, open_bytes
from emv.graph.keys import Keys
from emv.graph.labels import Labels
from emv.graph.layouts import Layouts
from emv.graph.ranges import LateArray, check_first, check_ids
from emv.graph.tables import Tables

Arrays = dict[str, NDArray[Any]]

logger = logging.getLogger("emv.graph.io")


@dataclass(frozen=True)
class Stored:
    """The arrays of a folder.

    Attributes
    ----------
    tables : Tables
        The graph but for its labels.
    labels : Labels or None
        The labels.
    index_arrays : dict of str to array
        What `Layouts.to_store` gave.
    num_arcs : int
        Arcs there are.
    is_checked : bool
        Whether all arrays are known to be those of one graph.
    keys : Keys
        What edges are called.
    """

    tables: Tables
    labels: Labels | None
    index_arrays: Arrays
    num_arcs: int
    is_checked: bool
    keys: Keys


def opened(path: Path, hints: Hints) -> Stored | Graph:
    """Return the arrays of a folder, or a version that is made of a whole one and deltas."""
    history = read_history(path)
    while True:
        try:
            return opened_version(path, history, hints)
        except GraphFormatError:
            written_over = read_history(path)
            if written_over.folders == history.folders:
                raise
            history = written_over


def opened_version(path: Path, history: History, hints: Hints) -> Stored | Graph:
    """Return what `opened` does, of what ``graph.json`` said."""
    file = os.fspath(path)
    base, deltas = history.chain(hints.version, file)
    stored = _opened_whole(path, base, hints)
    if not deltas:
        return stored
    graph = graph_of(stored, file)
    for delta in deltas:
        try:
            graph = Graph._of(with_delta(graph._store, _delta_arrays(path, delta), delta))
        except (ValueError, KeyError, GraphError, ColumnError) as error:
            raise GraphFormatError(
                f"its folder {delta.folder} is no later version of the one before: {error}", file
            ) from None
    return graph


def _delta_arrays(path: Path, delta: Delta) -> Arrays:
    """Return the arrays of a delta, read into memory: they are few, and checked every time."""
    file, arrays = os.fspath(path), dict[str, NDArray[Any]]()
    for name, noted in delta.arrays.items():
        place = path / delta.folder / file_name(name)
        if name == TEXT_LABELS:
            texts, _ = open_bytes(place, noted, file, False)
            arrays["labels"] = _parsed(texts, noted["length"], file)
        else:
            arrays[name], _ = open_array(place, noted, file, False)
    return arrays


def _opened_whole(path: Path, contents: Contents, hints: Hints) -> Stored:
    """Return the arrays of a whole graph, checked as far as they are not trusted."""
    file, files = os.fspath(path), files_of(path, contents, hints)
    if hints.verify is None and not files.is_private:
        logger.warning(
            "%s: others may write it, so it is read into memory and checked; make it yours alone "
            "(chmod -R go-w), or give verify=False",
            path,
        )
    elif hints.verify is None and not files.is_untouched:
        logger.info("%s was copied or changed: it is checked, see io.directory.verify", path)
    is_trusted = files.is_private and files.is_untouched
    stored = stored_of(files, file, not is_trusted if hints.verify is None else hints.verify)
    if stored.is_checked:
        check_stored(stored, file)
    return stored


class _Files(NamedTuple):
    """What is in a folder.

    Attributes
    ----------
    contents : Contents
        What ``graph.json`` says.
    arrays : dict of str to array
        The arrays, by name.
    texts : uint8[n]
        The labels, if they are no whole numbers.
    is_private : bool
        Whether all of it is this user's, and nobody else may write it.
    is_untouched : bool
        Whether the stamps of all files are as noted.
    """

    contents: Contents
    arrays: Arrays
    texts: NDArray[np.uint8]
    is_private: bool
    is_untouched: bool


def files_of(path: Path, contents: Contents, hints: Hints) -> _Files:
    """Return the files of a whole graph; those of another user are read, as they may change."""
    file, folder = os.fspath(path), path / contents.folder
    names = map(file_name, contents.arrays)
    is_private = _are_own(path, path / CONTENTS, folder, *(folder / name for name in names))
    is_mapped = not hints.copy and (is_private or hints.verify is False)
    arrays: Arrays = {}
    texts = np.empty(0, np.uint8)
    is_untouched = True
    for name, noted in contents.arrays.items():
        place = folder / file_name(name)
        if name == TEXT_LABELS:
            texts, is_same = open_bytes(place, noted, file, is_mapped)
        else:
            arrays[name], is_same = open_array(place, noted, file, is_mapped)
        is_untouched &= is_same
    return _Files(contents, arrays, texts, is_private, is_untouched)


def _are_own(*paths: Path) -> bool:
    try:
        return all(is_own(path.stat()) for path in paths)
    except OSError:  # which opening the file tells of
        return False


def stored_of(files: _Files, file: str, is_checked: bool) -> Stored:
    """Return arrays by what they are."""
    contents, arrays = files.contents, files.arrays
    tables = Tables(
        contents.num_vertices,
        arrays["src"],
        arrays["dst"],
        contents.directed,
        vertex_columns={name: arrays[f"vertices.{name}"] for name in contents.named("vertices.")},
        edge_columns={name: arrays[f"edges.{name}"] for name in contents.named("edges.")},
    )
    index_arrays = {name: arrays[f"index.{name}"] for name in contents.named("index.")}
    labels = None
    if "labels" in arrays:
        labels = Labels.deferred(contents.num_vertices, lambda: arrays["labels"])
    elif TEXT_LABELS in contents.arrays:
        labels = Labels.deferred(
            contents.num_vertices, lambda: _parsed(files.texts, contents.num_vertices, file)
        )
    keys = Keys.restored(arrays.get("keys"), contents.next_edge, contents.next_vertex)
    return Stored(tables, labels, index_arrays, contents.num_arcs, is_checked, keys)


def _parsed(texts: NDArray[np.uint8], num_vertices: int, file: str) -> NDArray[Any]:
    """Return labels that are texts and numbers."""
    try:
        values = json.loads(texts.tobytes())
        if not isinstance(values, list) or len(values) != num_vertices:
            raise ValueError(f"expected {num_vertices} labels")
        if not all(isinstance(each, PLAIN) for each in values):
            raise ValueError("expected texts and numbers")
    except (ValueError, RecursionError) as error:
        raise GraphFormatError(f"{TEXT_LABELS} is damaged: {error}", file) from None
    return np.fromiter(values, dtype=object, count=len(values))


def check_stored(stored: Stored, file: str) -> None:
    """Refuse arrays that are not those of one graph: ids out of range, another order, no bools."""
    tables = stored.tables
    try:
        checked_ends(tables.src, tables.dst, tables.num_vertices)
        if stored.labels is not None:
            Labels(stored.labels.read())
    except GraphError as error:
        raise GraphFormatError(error.what, file) from None
    vertices = VertexColumns()
    vertices.append_rows(tables.num_vertices, {})
    edges = EdgeColumns(vertices)
    edges.append_edges(tables.src, tables.dst, {})
    anew = Layouts(tables.num_vertices, tables.directed, edges).to_store()
    for name in sorted(anew.keys() | stored.index_arrays.keys()):
        here = stored.index_arrays.get(name), anew.get(name)
        if here[0] is None or here[1] is None or not np.array_equal(here[0], here[1]):
            raise GraphFormatError(
                f"its array index.{name}.npy is not that of its edges",
                file,
                remedy="fetch the graph again, or write it again",
            )
    for name, values in (*tables.vertex_columns.items(), *tables.edge_columns.items()):
        if values.dtype == np.bool_ and (values.view(np.uint8) > 1).any():
            raise GraphFormatError(f"its column {name} holds what is neither true nor false", file)


def graph_of(stored: Stored, file: str) -> Graph:
    """Return the graph of arrays, of which those that are trusted are checked when used."""
    tables, index_arrays = stored.tables, dict[str, NDArray[Any] | LateArray](stored.index_arrays)
    if not stored.is_checked:
        tables, index_arrays = _late(stored, file)
    made = Graph.of_stored(tables, stored.labels, index_arrays, stored.num_arcs)
    made._store.keys = stored.keys
    return made


def _late(stored: Stored, file: str) -> tuple[Tables, dict[str, NDArray[Any] | LateArray]]:
    """Return tables and index arrays whose ids are seen to be in range when they are used."""
    tables, num_arcs = stored.tables, stored.num_arcs
    limits = {"edge_of": len(tables.src), "arc_of": num_arcs, "slot_of": num_arcs}
    late: dict[str, NDArray[Any] | LateArray] = {}
    for name, values in stored.index_arrays.items():
        check: Any = functools.partial(check_first, num_entries=num_arcs)
        if not name.endswith("_first"):
            limit = next(
                (limits[each] for each in limits if name.startswith(each)), tables.num_vertices
            )
            check = functools.partial(check_ids, limit=limit)
        late[name] = LateArray(values, functools.partial(check, what=f"index.{name}", file=file))
    ends: list[Any] = [
        LateArray(
            values,
            functools.partial(check_ids, limit=tables.num_vertices, what=name, file=file),
        )
        for name, values in (("src", tables.src), ("dst", tables.dst))
    ]
    return replace(tables, src=ends[0], dst=ends[1]), late


def opened_graph(path: Path, history: History) -> Graph:
    """Return the last version there is by what ``graph.json`` said."""
    made = opened_version(path, history, Hints())
    return made if isinstance(made, Graph) else graph_of(made, os.fspath(path))
