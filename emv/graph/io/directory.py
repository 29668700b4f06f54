"""emv's own form of a graph: a folder of plain arrays that is mapped into memory, not read.

::

    roads.emv/graph.json                    what there is: counts, names, dtypes, a stamp per file
    roads.emv/3f0c.../src.npy  dst.npy      the ends of the edges, as wide as in memory
                      edges.weight.npy      a column of the edges; vertices.NAME.npy of the vertices
                      labels.npy            whole numbers; or labels.json, texts and other numbers
                      index.out_first.npy   the index arrays, reverse edge ids among them

Opening a graph maps the arrays and sorts nothing, however large it is. Columns can be written: what
is written stays in the process. ``graph.json`` is written last and put in place in one step, and it
names the folder of its arrays, so that writing over a graph leaves the old one or the new one.

Kernels do not check the ids they index with, so arrays are trusted only if nobody can have
touched them: if the folder and all in it are this user's and nobody else may write them, and the
stamp of each file (`stored_arrays`) is the one noted when it was written. Even then ids are seen
to be in range when they are first used (`emv.graph.ranges`). Otherwise every array is checked when
the graph is opened, which takes as long as building it. After copying or unpacking, `verify` does
that once and renews the stamps. What another may write is read into memory first: it could change
after it has been checked.
"""

from __future__ import annotations

import os
from dataclasses import replace

from emv.graph.graph import Graph
from emv.graph.io.contents import (
    CONTENTS,
    Delta,
    file_name,
    put_history,
    read_history,
)
from emv.graph.io.drafts import naming
from emv.graph.io.format import EVERYTHING, Format, Hints
from emv.graph.io.open_directory import (
    Stored,
    check_stored,
    files_of,
    graph_of,
    opened,
    opened_version,
    stored_of,
)
from emv.graph.io.source import Source, path_of
from emv.graph.io.stored_arrays import stamp_of
from emv.graph.io.write_directory import held, save_directory, write_directory
from emv.graph.tables import Tables


def is_graph(source: Source) -> bool:
    """Return whether a path is a folder with a ``graph.json`` in it."""
    return source.is_directory and (source.path / CONTENTS).is_file()


def open_directory(source: Source, hints: Hints) -> Graph:
    """Return the graph of a folder, its arrays mapped; see `read_directory`."""
    made = opened(source.path, hints)
    if isinstance(made, Graph):
        if hints.directed in (None, made.directed):
            return made
        return Graph.of_tables(replace(made.tables(), directed=hints.directed))
    if hints.directed not in (None, made.tables.directed):
        return Graph.of_tables(_with_labels(made, hints))
    return graph_of(made, source.file)


def read_directory(source: Source, hints: Hints) -> Tables:
    """Return the tables of a folder.

    Raises
    ------
    GraphFormatError
        If ``graph.json`` is not what emv writes, an array is not what it says, or an array that
        is not trusted is not one of this graph.
    """
    made = opened(source.path, hints)
    if isinstance(made, Graph):
        directed = made.directed if hints.directed is None else hints.directed
        return replace(made.tables(), directed=directed)
    return _with_labels(made, hints)


def _with_labels(stored: Stored, hints: Hints) -> Tables:
    labels = None if stored.labels is None else stored.labels.read()
    directed = stored.tables.directed if hints.directed is None else hints.directed
    return replace(stored.tables, directed=directed, labels=labels)


def verify(path: str | os.PathLike[str]) -> None:
    """Check every array of a graph's folder, and note that it was.

    A folder that was copied or unpacked is checked whenever it is opened, which takes as long as
    building the graph. After this it opens at once, on this machine.

    Parameters
    ----------
    path : str or path
        The folder, such as ``roads.emv``.

    Raises
    ------
    GraphFormatError
        If it is no graph, or an array is not one of this graph.

    Examples
    --------
    >>> import emv, tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp(), "roads.emv")
    >>> emv.write(emv.Graph.from_edges([0, 1], [1, 2]), path)
    >>> verify(path)
    """
    path = path_of(path)
    history, file = read_history(path), os.fspath(path)
    for number, contents in enumerate(history.versions, 1):
        if isinstance(contents, Delta):
            opened_version(path, history, Hints(version=number))  # which checks what it is
        else:
            files = files_of(path, contents, Hints())
            check_stored(stored_of(files, file, is_checked=True), file)
    with naming(path), held(path):
        for each in history.versions:
            for name, noted in each.arrays.items():
                noted["stamp"] = stamp_of(path / each.folder / file_name(name))
        if read_history(path).folders == history.folders:  # else there is another graph, trusted
            put_history(path, history)


DIRECTORY = Format(
    name="emv",
    title="a folder of emv",
    suffixes=(".emv",),
    recognises=is_graph,
    read=read_directory,
    write=write_directory,
    keeps=EVERYTHING,
    open=open_directory,
    save=save_directory,
)
