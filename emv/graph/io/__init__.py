"""Graphs out of files: `read` finds the format and hands the file to its reader.

A file is a Matrix Market file when it begins with that banner, or is named ``.mtx`` and begins
with a size line; otherwise it is an edge list, unless its name or its first bytes say that it
is of a format that emv does not read.
"""

from __future__ import annotations

import os
from pathlib import Path

from emv.errors import ArgumentError, GraphFormatError
from emv.graph.graph import Graph
from emv.graph.io.edge_list import read_edge_list
from emv.graph.io.matrix_market import begins_with_size_line, has_banner, read_matrix_market
from emv.graph.io.text import Opening, logger, read_opening

__all__ = ["FORMATS", "read"]

FORMATS = ("matrix-market", "edge-list")

_EDGE_LIST_NAMES = {".edgelist", ".el", ".wel", ".csv", ".tsv", ".konect"}
_UNREAD_NAMES = {
    ".adjlist": "an adjacency list",
    ".gexf": "GEXF",
    ".gml": "GML",
    ".gr": "DIMACS",
    ".graph": "METIS",
    ".graphml": "GraphML",
    ".json": "JSON",
    ".lagraph": "LAGraph's binary format",
    ".metis": "METIS",
    ".net": "Pajek",
    ".npz": "scipy's sparse format",
    ".parquet": "Parquet",
    ".properties": "Graphalytics",
}


def read(
    path: str | os.PathLike[str],
    directed: bool | None = None,
    *,
    format: str | None = None,
    header: bool | None = None,
) -> Graph:
    r"""Read a graph from a file; ``.gz`` is unpacked on the way.

    Parameters
    ----------
    path : str or path
        The file.
    directed : bool, optional
        Whether edges lead one way only. By default what the file says: an edge list is directed,
        a symmetric matrix is not, a matrix that is not square is bipartite and is not.
    format : str, optional
        ``"matrix-market"`` or ``"edge-list"``; by default found from content and name.
    header : bool, optional
        For edge lists: whether the first line that is no comment is left out, as a size line
        or the names of columns. By default two numbers are left out, with a warning, if they
        are the counts of vertices and edges below.

    Returns
    -------
    Graph
        Values of a matrix and the third column of an edge list are the edge column ``weight``,
        int64 or float64 as written. Vertex i of a matrix has the id i - 1; the ids of an edge
        list become ``0..n-1`` in increasing order and are kept as ``labels``. Repeats and loops
        are kept.

    Raises
    ------
    GraphFormatError
        If the file cannot be read, is of another format or damaged; with its line.
    ArgumentError
        If `format` is none of these, or `header` is given for a matrix.

    Notes
    -----
    The file is read in chunks and once; memory follows what is in it and not what it claims.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "roads.txt")
    >>> _ = path.write_text("# from to km\n10 20 1.5\n20 40 2\n")
    >>> g = read(path)
    >>> g.labels, g.edges.weight
    (array([10, 20, 40]), array([1.5, 2. ]))
    """
    path = Path(path)
    if format is not None and format not in FORMATS:
        raise ArgumentError(
            f"format is {format!r}", remedy=f"expected {' or '.join(map(repr, FORMATS))}"
        )
    if format is None:
        _refuse_unread(path)
    opening = read_opening(path)
    if not opening.line and not opening.comments:
        raise GraphFormatError("is empty", os.fspath(path), remedy="fetch the file again")
    if (format or _format_of(path, opening)) == "edge-list":
        return read_edge_list(opening, path, directed, header)
    if header is not None:
        raise ArgumentError(
            f"header={header} is given, but {path} is a Matrix Market file",
            remedy='leave it out, or give format="edge-list"',
        )
    return read_matrix_market(opening, path, directed)


def _suffix(path: Path) -> str:
    """Return what the name ends with, before ``.gz``."""
    name = path.name.lower().removesuffix(".gz")
    return Path(name).suffix


def _refuse_unread(path: Path) -> None:
    if name := _UNREAD_NAMES.get(_suffix(path)):
        raise GraphFormatError(
            f"{name} is not read; emv reads Matrix Market files and edge lists",
            os.fspath(path),
            remedy='give format="edge-list" or format="matrix-market" if it is one of these',
        )


def _format_of(path: Path, opening: Opening) -> str:
    """Return the format, from the banner first, then from the name."""
    suffix = _suffix(path)
    if has_banner(opening):
        is_bare = suffix in _EDGE_LIST_NAMES and len(opening.first) == len(opening.second) == 2
        return "edge-list" if is_bare else "matrix-market"
    if suffix not in {".mtx", ".mm"}:
        return "edge-list"
    if begins_with_size_line(opening):
        return "matrix-market"
    logger.warning("%s: no %%%%MatrixMarket banner and no size line, read as an edge list", path)
    return "edge-list"
