"""Graphs out of files and into them: `read` and `write` find the format that does the work.

`FORMATS` lists what emv reads, in the order in which each is asked whether a file's first bytes or
lines are its own. A file that none of them knows by its content is told by the end of its name,
and is an edge list where that says nothing.

The readers are loaded when a file is not one of emv's folders, whose opening takes less than that.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Unpack

import numpy as np

from emv.errors import ArgumentError, GraphFormatError
from emv.graph.graph import Graph
from emv.graph.io.directory import DIRECTORY, is_graph
from emv.graph.io.format import NOTHING_SAID, Format, Hints
from emv.graph.io.sending import send
from emv.graph.io.source import Source, is_address, path_of, source_of, suffix_of
from emv.graph.tables import Tables
from emv.tracebacks import ends_at_caller

logger = logging.getLogger("emv.graph.io")

if TYPE_CHECKING:
    from emv.graph.io.options import ReadOptions
    from emv.graph.prepare import Options

    FORMATS: tuple[Format, ...]

__all__ = ["FORMATS", "find_format", "read", "write"]

_LISTS = ("edge-list", "ncol")  # whose columns have no names, unless the caller says so

_UNREAD_NAMES = {
    ".adjlist": "an adjacency list",
    ".lagraph": "LAGraph's binary format",
}


@ends_at_caller
def read(  # noqa: PLR0913 - keywords, each on its own
    path: str | os.PathLike[str] | IO[Any],
    directed: bool | None = None,
    *,
    format: str | None = None,
    header: bool | None = None,
    verify: bool | None = None,
    copy: bool = False,
    version: int | None = None,
    **options: Unpack[ReadOptions],
) -> Graph:
    r"""Read a graph from a file; ``.gz`` and ``.zst`` are unpacked on the way.

    Parameters
    ----------
    path : str, path or file
        The file; ``"-"`` is standard input, ``"https://..."`` and other addresses are fetched
        through fsspec (the extra ``remote``), and a file that is open for reading is read to its
        end.
    directed : bool, optional
        Whether edges lead one way only. By default what the file says: an edge list is directed,
        a symmetric matrix is not, a matrix that is not square is bipartite and is not,
        nor are METIS's lists of neighbours, each of which True takes as arcs.
    format : str, optional
        The name of one of `FORMATS`, such as ``"matrix-market"`` or ``"edge-list"``; by default
        found from content and name.
    header : bool, optional
        For edge lists: whether the first line that is no comment is left out, as a size line
        or the names of columns. By default two numbers are left out, with a warning, if they
        are the counts of vertices and edges below. For tables: whether it names the columns.
    verify : bool, optional
        For emv's folders: whether all arrays are compared with the edges, which takes as long as
        building the graph. By default unless the folder is yours, nobody else may write it, and
        nothing in it was touched since it was written. All other files are always checked.
    copy : bool
        For emv's folders: whether the arrays are read into memory instead of mapped. A graph that
        is mapped ends the process if another one cuts its files off.
    version : int, optional
        For emv's folders: which of the versions that `write` has kept, counted from 1; by default
        the last one.
    **options
        Of tables: ``source`` and ``target``, the names of the columns of the ends (by default those
        called src and dst, source and target, from and to, or the first two); ``columns``, the
        names of others that are to be read (by default all numbers), or a dictionary that says how
        numbers are made of them, ``{"since": "days", "kind": "codes"}``; ``vertices``, a second
        table, of the vertices; ``separator``. What to do with the graph, as `Graph.prepared` does:
        ``weighted``, ``loops``, ``min_weight``, ``symmetrise``, ``dedup``, ``ego``,
        ``min_degree``, ``relabel``.

    Returns
    -------
    Graph
        Columns of a table are edge columns of their names. Values of a matrix and the third column
        of an edge list are the edge column ``weight``, int64 or float64 as written. Vertex i of a
        matrix, a DIMACS or a METIS file has the id i - 1; the ids of an edge list become ``0..n-1``
        in increasing order, those of Graphalytics in the order of its file ``.v``, and are kept as
        ``labels``. Sizes and weights of METIS's vertices are the vertex columns ``size`` and
        ``weight``. Repeats and loops are kept. The rows of a matrix that is not square are the
        first vertices, its columns follow, and the vertex column ``side`` is 0 for the ones and 1
        for the others.

    Raises
    ------
    GraphFormatError
        If the file cannot be read, is of another format or damaged; with its line.
    ArgumentError
        If `format` is none of these, `header` is given for another file than an edge list, or
        ``verify=False`` for another than a folder, no file can be called so, or an option cannot
        have its value.
    GraphError
        If an option asks for weights and there are none, or for a root that is no vertex.

    Notes
    -----
    The file is read in chunks and once; memory follows what is in it and not what it claims. What
    is no plain file, such as a pipe, is read whole first.

    A folder of emv's (``name.emv``) is mapped and opens at once, whatever its size. One that was
    copied or changed since it was written is checked first; `emv.graph.io.directory.verify` does
    that once and for all. One that others may write is read into memory and checked every time.
    Index arrays that are not checked are seen to be in range when they are first used.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "roads.txt")
    >>> _ = path.write_text("# from to km\n10 20 1.5\n20 40 2\n")
    >>> g = read(path)
    >>> g.labels, g.edges.weight
    (array([10, 20, 40]), array([1.5, 2. ]))
    >>> _ = path.write_text("from;to;km;opened\nUlm;Bonn;4,5;2019-05-01\n")
    >>> g = read(path, columns={"km": None, "opened": "days"})
    >>> g.labels.tolist(), g.edges.km, g.edges.opened
    (['Ulm', 'Bonn'], array([4.5]), array([18017]))
    """
    of_table: dict[str, Any] = {}
    steps: Options = {}
    if options:
        from emv.graph.io.options import split_options

        of_table, steps = split_options(options)
    hints = Hints(directed, header, verify, copy, version=version, **of_table)
    return read_source(source_of(path), hints, format, steps)


def read_source(
    source: Source, hints: Hints, format: str | None = None, options: Options | None = None
) -> Graph:
    """Read a graph from a file that may have been looked at; see `read`."""
    found = _named(format) if format is not None else find_format(source, hints)
    _check_hints(hints, found, source.file)
    if found.open is not None and not options:
        return found.open(source, hints)
    tables = found.read(source, hints)
    _warn(tables, source.file)
    if options:
        from emv.graph.prepare import prepare

        tables = prepare(tables, options)
    return Graph.of_tables(tables, owned=True)


def _warn(tables: Tables, file: str) -> None:
    """Say which columns were left out, and which hold nan: few algorithms expect it."""
    for absent in (tables.absent_vertex_columns, tables.absent_edge_columns):
        for reason in absent.values():
            logger.warning("%s: left out: %s", file, reason)
    for noun, columns in (("vertices", tables.vertex_columns), ("edges", tables.edge_columns)):
        for name, values in columns.items():
            if values.dtype.kind == "f" and len(values) and np.isnan(values.min()):
                logger.warning("%s: the column '%s' of %s holds nan", file, name, noun)


def _check_hints(hints: Hints, found: Format, file: str) -> None:
    """Refuse what does not go with a file."""
    if hints.header is not None and found.name not in ("edge-list", "table"):
        raise ArgumentError(
            f"header={hints.header} is given, but {file} is {found.title}",
            remedy='leave it out, or give format="edge-list"',
        )
    for name in {} if found.has_columns else hints.of_tables:
        raise ArgumentError(
            f"{name}= is given, but {file} is {found.title}",
            remedy='leave it out, or give format="table" if it is one',
        )
    for name, value in (("verify", hints.verify), ("copy", hints.copy)):
        if not isinstance(value, bool) and (name, value) != ("verify", None):
            raise ArgumentError(f"{name} is {value!r}", remedy="expected True or False")
    number = hints.version
    if number is not None and (isinstance(number, bool) or not isinstance(number, int)):
        raise ArgumentError(f"version is {number!r}", remedy="expected a number: 1, 2, ...")
    if number is not None and found.open is None:
        raise ArgumentError(
            f"version={number} is given, but {file} is {found.title}, which has no versions",
            remedy="leave it out; only folders of emv's keep versions",
        )
    if hints.verify is False and found.open is None:
        raise ArgumentError(
            f"verify=False is given, but {file} is {found.title}, which is always checked",
            remedy="leave it out; only folders of emv's may be trusted",
        )


@ends_at_caller
def write(
    graph: Graph,
    path: str | os.PathLike[str] | IO[bytes],
    *,
    format: str | None = None,
    drop: Collection[str] = (),
    keep: bool = False,
) -> None:
    r"""Write a graph to a file, packed if its name ends in ``.gz`` or ``.zst``.

    Parameters
    ----------
    graph : Graph
        What to write.
    path : str, path or file
        The file; it is overwritten. ``"-"`` is standard output, ``"s3://..."`` and other addresses
        are sent through fsspec, and a file may be open for writing bytes; each needs `format` if
        its name does not tell one, and gets what is written when all of it is there.
    format : str, optional
        The name of one of `FORMATS`; by default told by the end of the file's name.
    drop : collection of str
        What of the graph to leave out: names of columns, ``"labels"``, or ``"direction"`` (an
        edge that leads both ways is written once, as one that leads one way).
    keep : bool
        For emv's folders: whether the graph that is there stays, as an earlier version, see
        `read`. Of a later version of it only what changed is written, as long as that is not
        much; whoever is killed meanwhile leaves the versions there were.

    Raises
    ------
    ArgumentError
        If `format` is none of these, the name does not tell one, no file can be called so, there
        is no such column, or `keep` is asked of another file than a folder.
    GraphError
        If the format cannot hold what the graph has; nothing is dropped in silence.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "roads.mtx")
    >>> write(Graph.from_edges([0, 1], [1, 2], weight=[1.5, 2.0]), path)
    >>> print(path.read_text())
    %%MatrixMarket matrix coordinate real general
    3 3 2
    1 2 1.5
    2 3 2.0
    <BLANKLINE>
    """
    if keep not in (True, False):
        raise ArgumentError(f"keep is {keep!r}", remedy="expected True or False")
    if path == "-" or is_address(path) or hasattr(path, "write"):
        if keep:
            raise ArgumentError("keep=True keeps versions in a folder", remedy="name one: a.emv")
        send(path, lambda draft: write(graph, draft, format=format, drop=drop))
        return
    path = path_of(path)
    found = find_writer(path, format)
    if keep and (found.save is None or drop):
        raise ArgumentError(
            f"keep=True is given, but {found.title} keeps no earlier versions"
            if found.save is None
            else "keep=True keeps whole versions, so drop= leaves nothing out",
            remedy="name the file .emv, or leave it out" if found.save is None else None,
        )
    if found.save is not None and not drop:
        found.save(graph, path, keep)
    elif found.write is not None:
        found.write(_without(graph.tables(), drop), path)


def find_writer(path: Path, format: str | None) -> Format:
    """Return the format that a file is to be written in; parameters and errors are of `write`."""
    found = _named(format) if format is not None else _by_name(path)
    if found is None:
        endings = ", ".join(suffix for each in _formats() if each.write for suffix in each.suffixes)
        raise ArgumentError(
            f"the name of {path} does not tell a format",
            remedy=f"give format=, or one of the endings {endings}",
        )
    if found.write is None:
        raise ArgumentError(f"{found.title} is read only, choose another format to write")
    return found


def _without(tables: Tables, drop: Collection[str]) -> Tables:
    """Return the tables but for what is to be dropped."""
    columns = {*tables.vertex_columns, *tables.edge_columns}
    names = {drop} if isinstance(drop, str) else set(drop)
    for name in sorted(names - columns - {"labels", "direction"}):
        raise ArgumentError(
            f"drop names {name!r}, which is not in the graph",
            remedy=f"there are {', '.join([*sorted(columns), 'labels', 'direction'])}",
        )
    return replace(
        tables,
        directed=tables.directed or "direction" in names,
        labels=None if "labels" in names else tables.labels,
        vertex_columns={k: each for k, each in tables.vertex_columns.items() if k not in names},
        edge_columns={k: each for k, each in tables.edge_columns.items() if k not in names},
    )


def find_format(source: Source, hints: Hints = NOTHING_SAID) -> Format:
    """Return the format of a file, from its content first, then from its name.

    Parameters
    ----------
    hints : Hints
        A list of edges is a table where its columns are named.

    Raises
    ------
    GraphFormatError
        If it cannot be opened, is empty, or its name is that of a format that is not read.
    """
    if is_graph(source):
        return DIRECTORY
    found = _found(source)
    return _named("table") if hints.of_tables and found.name in _LISTS else found


def _found(source: Source) -> Format:
    for each in _formats():
        if each.recognises(source):
            return each
    if found := _by_name(source.path):
        return found
    if name := _UNREAD_NAMES.get(suffix_of(source.path)):
        raise GraphFormatError(
            f"{name} is not read",
            source.file,
            remedy=f"emv reads {', '.join(each.name for each in _formats())}; "
            'give format="edge-list" if it is an edge list after all',
        )
    return _formats()[-1]


def _by_name(path: Path) -> Format | None:
    """Return the format that the end of a name tells."""
    suffix = suffix_of(path)
    return next((each for each in _formats() if suffix in each.suffixes), None)


def _named(name: Any) -> Format:
    """Return the format of this name."""
    for each in _formats():
        if each.name == name:
            return each
    names = " or ".join(repr(each.name) for each in _formats())
    raise ArgumentError(f"format is {name!r}", remedy=f"expected {names}")


def _formats() -> tuple[Format, ...]:
    """Return `FORMATS`, loading all readers and writers."""
    from emv.graph.io import registry

    return registry.FORMATS


def __getattr__(name: str) -> Any:
    if name == "FORMATS":
        return _formats()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
