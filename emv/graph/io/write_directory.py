"""Writing a graph as a folder of emv, which takes the place of the old one in one step.

Several processes may write one graph at the same time, and any of them may be killed. Each writes
its arrays into a folder of its own, which it keeps locked, and puts ``graph.json`` there under a
lock on the graph; then whatever folder of arrays is neither named in it nor locked is nobody's, and
is removed. `emv.graph.io.directory` says what the folder holds.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import GraphError, GraphFormatError
from emv.graph.graph import Graph
from emv.graph.io.contents import (
    CONTENTS,
    FOLDER,
    PLAIN,
    TEXT_LABELS,
    Contents,
    Delta,
    History,
    file_name,
    put_history,
    read_history,
)
from emv.graph.io.deltas import delta_of
from emv.graph.io.drafts import is_draft, naming, sync
from emv.graph.io.locks import is_at, locked
from emv.graph.io.open_directory import opened_graph
from emv.graph.io.stored_arrays import FOLDER_MODE, new_file, stamp_of, write_array
from emv.graph.tables import Tables

Arrays = dict[str, NDArray[Any]]

MOST_DELTAS = 16
MOST_CHANGED = 0.5  # of the bytes of the version that is whole
"""From where on a version is written whole."""


def save_directory(graph: Graph, path: Path, keep: bool = False) -> None:
    """Write a graph with its index arrays as a folder.

    Parameters
    ----------
    keep : bool
        Whether the graph that is there stays as an earlier version. What a later version of it
        has in common with it is not written again.

    Raises
    ------
    GraphError
        If the path is a file or a folder of something else, or a label is neither text nor number.
    OSError
        If it cannot be written; then the graph that was there still is.
    """
    _refuse_another(path)
    is_first = not path.exists()
    with naming(path):
        path.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
        before = _history_of(path)
        while True:
            known = before if keep else None
            folder, lock = _new_folder(path)
            try:
                entry = _entry_written(graph, path, folder, known)
                with held(path):
                    now = _history_of(path)
                    is_same = known is None or now == before
                    if is_same:
                        earlier = () if known is None else known.versions
                        put_history(path, History((*earlier, entry)))
            except BaseException:  # a Ctrl-C, too, also behind the moment in which it is there
                named = _history_of(path)
                if named is None or folder.name not in named.folders:
                    shutil.rmtree(folder, ignore_errors=True)
                if is_first:
                    with contextlib.suppress(OSError):
                        path.rmdir()
                raise
            finally:
                os.close(lock)
            _remove_unused(path, () if now is None else now.folders)
            if is_same:
                return
            before = now  # another writer was faster, so its version is the one before


def _entry_written(
    graph: Graph, path: Path, folder: Path, before: History | None
) -> Contents | Delta:
    """Write a graph into a folder, or what it changes, and return what to note of it."""
    store = graph._store
    keys = store.keys
    arrays = None if before is None else _delta_arrays(graph, path, before)
    if arrays is not None:
        labels = arrays.pop("labels", None)
        texts = _text_labels(labels)
        if labels is not None and texts is None:
            arrays["labels"] = labels
        noted = _written(folder, arrays, texts, 0 if labels is None else len(labels))
        counts = graph.num_vertices, graph.num_edges
        numbers = keys.next_edge(graph.num_edges), keys.next_vertex
        return Delta(folder.name, *counts, noted, labels is not None, *numbers)
    arrays, texts = _arrays_of(graph), _text_labels(graph.labels)
    next_edge = None
    if not keys.are_ids:
        arrays["keys"], next_edge = graph.edge_keys, keys.next_edge(graph.num_edges)
    noted = _written(folder, arrays, texts, graph.num_vertices)
    sizes = graph.num_vertices, graph.num_edges, graph.num_arcs
    return Contents(folder.name, graph.directed, *sizes, noted, next_edge, keys.next_vertex)


def _delta_arrays(graph: Graph, path: Path, before: History) -> Arrays | None:
    """Return what a graph changes of the last version; None where all of it is to be written.

    That is so where it is no later version, and where so much has changed since the last version
    that is whole that opening it would take long.
    """
    base, deltas = before.chain(None, os.fspath(path))
    arrays = delta_of(opened_graph(path, before)._store, graph._store)
    if arrays is None:
        return None
    changed = sum(each.num_bytes for each in deltas)
    changed += sum(each.nbytes for name, each in arrays.items() if name != "labels")
    whole = Delta(base.folder, 0, 0, base.arrays, False, 0).num_bytes
    is_much = len(deltas) >= MOST_DELTAS or changed > MOST_CHANGED * whole
    return None if is_much else arrays


def _written(
    folder: Path, arrays: Arrays, texts: str | None, num_vertices: int
) -> dict[str, dict[str, Any]]:
    """Write all arrays into a folder, flush them to the disk, and return what to note of each."""
    noted = {name: write_array(folder / file_name(name), arrays[name]) for name in arrays}
    if texts is not None:
        with new_file(folder / TEXT_LABELS) as file:
            file.write(texts.encode())
        stamp = stamp_of(folder / TEXT_LABELS)
        noted[TEXT_LABELS] = {"dtype": None, "length": num_vertices, "stamp": stamp}
    for each in (*folder.iterdir(), folder):
        sync(each)
    return noted


def write_directory(tables: Tables, path: Path) -> None:
    """Write tables as a folder; see `save_directory`."""
    save_directory(Graph.of_tables(tables), path)


@contextlib.contextmanager
def held(path: Path) -> Iterator[None]:
    """Let no other process change what ``graph.json`` of a folder names."""
    handle = os.open(path, os.O_RDONLY)
    try:
        locked(handle, wait=True)
        yield
    finally:
        os.close(handle)


def _refuse_another(path: Path) -> None:
    """Refuse a path where something else is than a graph, or what a killed writer left of one."""
    if not path.exists() or (path / CONTENTS).is_file():
        return
    if not path.is_dir() or not all(map(_is_of_writer, path.iterdir())):
        raise GraphError(
            f"{os.fspath(path)} is there and is no graph of emv",
            remedy="choose another name, or remove it",
        )


def _is_of_writer(path: Path) -> bool:
    """Return whether what is in a folder may be left of a writer that was killed."""
    return FOLDER.fullmatch(path.name) is not None or is_draft(path)


def _new_folder(path: Path) -> tuple[Path, int]:
    """Return a new folder of arrays, and the handle that keeps it locked."""
    while True:
        folder = path / os.urandom(8).hex()
        folder.mkdir(FOLDER_MODE)
        handle = os.open(folder, os.O_RDONLY)
        if not locked(handle, wait=True) or is_at(handle, folder):
            return folder, handle
        os.close(handle)  # another writer took it for a dead one's


def _remove_unused(path: Path, before: Collection[str]) -> None:
    """Remove the folders of arrays that were replaced, and those that dead writers left."""
    with held(path):
        current = _history_of(path)
        for folder in path.iterdir() if current else ():
            is_named = current is not None and folder.name in current.folders
            if FOLDER.fullmatch(folder.name) and not is_named:
                with contextlib.suppress(OSError):  # another user's
                    _remove_unlocked(folder, is_replaced=folder.name in before)


def _remove_unlocked(folder: Path, is_replaced: bool) -> None:
    """Remove a folder unless a writer is at it."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        if locked(handle) or is_replaced:
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(handle)


def _arrays_of(graph: Graph) -> Arrays:
    """Return the arrays to write, by name."""
    tables = graph.tables()
    arrays = {"src": tables.src, "dst": tables.dst}
    if tables.labels is not None and tables.labels.dtype.kind in "iu":
        arrays["labels"] = tables.labels
    for kind, columns in (("vertices", tables.vertex_columns), ("edges", tables.edge_columns)):
        arrays |= {f"{kind}.{name}": values for name, values in columns.items()}
    index_arrays = graph.layouts.to_store()
    return arrays | {f"index.{name}": values for name, values in index_arrays.items()}


def _text_labels(labels: NDArray[Any] | None) -> str | None:
    """Return labels that are not whole numbers as JSON, or None where there are no such."""
    if labels is None or labels.dtype.kind in "iu":
        return None
    plain = [each.item() if isinstance(each, np.generic) else each for each in labels.tolist()]
    for vertex, label in enumerate(plain):
        if not isinstance(label, PLAIN):
            raise GraphError(
                f"the label {label!r} of vertex {vertex} is a {type(label).__name__}, but files "
                "hold texts and numbers",
                remedy="make the graph with labels=[str(each) for each in graph.labels]",
            )
    return json.dumps(plain, separators=(",", ":"))


def _history_of(path: Path) -> History | None:
    """Return the versions of the graph that is there, None where that cannot be told."""
    try:
        return read_history(path)
    except GraphFormatError:
        return None
