"""What other parsers read from a graph's file, to be compared with what emv read: part of `trust`.

scipy reads matrices (`.mtx`, `.npz`), pyarrow Parquet, networkx lists of names, and numpy what is
binary. What nobody else reads, or where they refuse a line that emv's page on files allows,
is read here line by line with Python's own ``int`` and ``float``, sharing nothing with emv.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import scipy.sparse
from pyarrow import parquet
from scipy.io import _mmio

from emv.graph import Graph
from tests.stress.trust_plain import (
    Edge,
    UnreadError,
    both_ways,
    compared,
    content_of,
    edges_of,
    fields_of,
    lines_of,
    number,
    vertex,
)


def difference(graph: Graph, path: Path, format: str, said: list[str]) -> str:
    """Return how a graph differs from what another parser reads; empty if it does not.

    Parameters
    ----------
    graph : Graph
        What emv read.
    format : str
        As which format it was read.
    said : list of str
        What emv warned of meanwhile.
    """
    if format in UNCOMPARED:
        return ""
    try:
        return ORACLES[format](graph, path, said)
    except UnreadError as error:
        return f"read, where the oracle refuses: {error}"


def edge_list(graph: Graph, path: Path, said: list[str]) -> str:
    """Compare an edge list."""
    rows = [parts for line in lines_of(path) if (parts := fields_of(line, commas=True))]
    if any("taken as a size line" in each for each in said):
        rows = rows[1:]
    if any(len(row) < 2 for row in rows):
        raise UnreadError("a row of one field")
    wanted = [(vertex(r[0]), vertex(r[1]), number(r[2]) if len(r) > 2 else None) for r in rows]
    return compared(edges_of(graph), wanted, graph.directed)


def ncol(graph: Graph, path: Path, said: list[str]) -> str:
    """Compare a list of names, which networkx reads if blanks part it."""
    text = content_of(path).decode("utf-8-sig", "surrogateescape")
    lines = [each.rstrip() for each in re.split("\r\n|\r|\n", text) if each.strip()]
    lines = [each for each in lines if not re.match(r"\s*(#|%|//)", each)]
    separator = next((each for each in ",\t" if each in lines[0]), None)
    rows = [[each.strip() for each in line.split(separator)] for line in lines]
    weights = [number(row[2].encode()) if len(row) > 2 else None for row in rows]
    wanted = [(row[0], row[1], weight) for row, weight in zip(rows, weights, strict=True)]
    named = [(str(src), str(dst), weight) for src, dst, weight in edges_of(graph)]
    if all(re.fullmatch(r"[0-9]{1,18}", each) for row in rows for each in row[:2]):
        wanted = [(str(int(src)), str(int(dst)), weight) for src, dst, weight in wanted]
    elif separator is None and not re.search(r"#|\d[dD][+-]?\d", text):  # Fortran's exponents
        data = [("weight", float)] if len(rows[0]) > 2 else False
        theirs = nx.parse_edgelist(lines, data=data, create_using=nx.DiGraph)
        if set(theirs.edges) != {(src, dst) for src, dst, _ in wanted}:
            return "networkx reads other edges"
    return compared(named, wanted, graph.directed)


def matrix_market(graph: Graph, path: Path, said: list[str]) -> str:
    """Compare a matrix with what scipy reads, or with the plain reading where scipy refuses."""
    rows = [parts for line in lines_of(path) if (parts := fields_of(line))]
    first = next((line.strip() for line in lines_of(path) if line.strip()), b"").lower()
    words = first.split()[1:] if first.startswith(b"%%matrixmarket") else None
    if words is None:
        is_pattern = len(rows) > 1 and len(rows[1]) == 2
        layout = b"array" if len(rows[0]) == 2 else b"coordinate"
        words = [b"matrix", layout, b"pattern" if is_pattern else b"real", b"general"]
    num_rows, num_columns = vertex(rows[0][0]), vertex(rows[0][1])
    is_square = num_rows == num_columns
    apart = 0 if is_square else num_rows
    if graph.num_vertices != (num_rows if is_square else num_rows + num_columns):
        return f"{graph.num_vertices} vertices of a matrix {num_rows} x {num_columns}"
    wanted = [(i, j + apart, w) for i, j, w in _entries(rows, words, num_rows, num_columns)]
    symmetry = words[3]
    sign = -1 if symmetry.startswith(b"skew") else 1
    if symmetry != b"general" and graph.directed:
        wanted = both_ways(wanted, sign)
    plain = compared(edges_of(graph), wanted, graph.directed)
    if (
        plain
        or first[:1] != b"%"
        or not is_square
        or (symmetry != b"general" and not graph.directed)
    ):
        return plain
    return _as_scipy(graph, path, words)


def _as_scipy(graph: Graph, path: Path, words: list[bytes]) -> str:
    """Compare a directed graph with the matrix that scipy reads, where it does.

    By its reader in Python, which reads on for ever where lines end in CR: of the one in C++, some
    broken files end the process.
    """
    try:
        matrix = scipy.sparse.coo_array(_mmio.mmread(io.BytesIO(b"\n".join(lines_of(path)))))
    except Exception:
        return ""
    weights = [None] * matrix.nnz if words[2] == b"pattern" else matrix.data.tolist()
    theirs = zip(matrix.row.tolist(), matrix.col.tolist(), weights, strict=True)
    found = edges_of(graph)
    if words[1] == b"array":
        found = [each for each in found if each[2] != 0]
    said = compared(found, theirs, graph.directed)
    return f"scipy: {said}" if said else ""


def _entries(rows: list[list[bytes]], words: list[bytes], height: int, width: int) -> list[Edge]:
    """Return the entries of a matrix as they are written."""
    layout, field, symmetry = words[1:4]
    body = rows[1:]
    if layout == b"coordinate":
        if len(body) != vertex(rows[0][2]):
            raise UnreadError(f"{len(body)} entries, announced {rows[0][2]!r}")
        num_fields = 2 if field == b"pattern" else 3
        if any(len(row) != num_fields for row in body):
            raise UnreadError("a row of other fields")
        entries = [
            (vertex(row[0]) - 1, vertex(row[1]) - 1, number(row[2]) if num_fields == 3 else None)
            for row in body
        ]
        if not all(0 <= i < height and 0 <= j < width for i, j, _ in entries):
            raise UnreadError("an entry outside")
        return entries
    least = {b"general": -height - width, b"symmetric": 0}.get(symmetry, 1)  # of i - j
    places = [(i, j) for j in range(width) for i in range(height) if i - j >= least]
    if len(places) != len(body) or any(len(row) != 1 for row in body):
        raise UnreadError(f"{len(body)} values of {len(places)}")
    values = [number(row[0]) for row in body]
    return [(i, j, value) for (i, j), value in zip(places, values, strict=True) if value != 0]


def npz(graph: Graph, path: Path, said: list[str]) -> str:
    """Compare a matrix with what scipy loads."""
    matrix = scipy.sparse.coo_array(_stored_matrix(path))
    height, width = matrix.shape
    apart = 0 if height == width else height
    rows, columns = matrix.row.tolist(), (matrix.col + apart).tolist()
    values = matrix.data.tolist() if "weight" in graph.edges else [None] * matrix.nnz
    wanted, found = list(zip(rows, columns, values, strict=True)), edges_of(graph)
    if not graph.directed and not apart:
        found = both_ways(found)
    if "weight" in graph.edges:  # bsr and dia store zeros between the entries
        wanted, found = ([each for each in edges if each[2] != 0] for edges in (wanted, found))
    return compared(found, wanted)


def _stored_matrix(path: Path) -> Any:
    """Return the matrix of a file as scipy makes it of its arrays; what else is there is not read.

    scipy's own `load_npz` wants the numbers of this machine's byte order.
    """
    with np.load(path) as stored:
        kind = str(stored["format"].item())
        kind = kind if kind.isalpha() else stored["format"].item().decode()
        names = {"coo": ("row", "col"), "dia": ("offsets",)}.get(kind, ("indices", "indptr"))
        data, *ids = (stored[each] for each in ("data", *names))
        shape = tuple(stored["shape"].tolist())
    data = data.astype(data.dtype.newbyteorder("="))
    make = getattr(scipy.sparse, f"{kind}_array")
    return make((data, tuple(ids)) if kind == "coo" else (data, *ids), shape=shape)


def dimacs(graph: Graph, path: Path, said: list[str]) -> str:
    """Compare a DIMACS file."""
    problem: list[bytes] = []
    wanted: list[Edge] = []
    for line in lines_of(path):
        parts = fields_of(line)
        if not parts or parts[0].startswith(b"c"):
            continue
        if parts[0] == b"p":
            if problem:
                raise UnreadError("two lines p")
            problem = parts
            continue
        if not problem:
            raise UnreadError("a row before the line p")
        if problem[1] == b"sp" and parts[0] != b"a":
            raise UnreadError(f"the row {line[:40]!r}")
        parts = parts[1:] if parts[0] in (b"a", b"e") else parts
        weight = number(parts[2]) if len(parts) > 2 else None
        wanted.append((vertex(parts[0]) - 1, vertex(parts[1]) - 1, weight))
    if len(wanted) != vertex(problem[3]) or graph.num_vertices != vertex(problem[2]):
        raise UnreadError(f"{len(wanted)} rows below {problem}")
    if problem[1] != b"sp" and graph.directed:
        wanted = both_ways(wanted)
    return compared(edges_of(graph), wanted, graph.directed)


def metis(graph: Graph, path: Path, said: list[str]) -> str:
    """Compare METIS's lists of neighbours."""
    lines = [line for line in lines_of(path) if not re.match(rb"[ \t]*(%|#|//)", line)]
    while lines and not lines[0].strip(b" \t"):
        lines.pop(0)
    head, lists = fields_of(lines[0]), lines[1:]
    size, digits = vertex(head[0]), (head[2] if len(head) > 2 else b"0").rjust(3, b"0")
    if any(line.strip(b" \t") for line in lists[size:]):
        raise UnreadError("a list beyond the last")
    num_weights = (vertex(head[3]) if len(head) > 3 else 1) * (digits[1:2] == b"1")
    readings = [(digits[:1] == b"1") + num_weights]
    if digits == b"100":  # the 10th DIMACS challenge means loops and repeats, and no sizes
        readings.append(0)
    said_first = ""
    for skipped in readings:
        try:
            arcs = _arcs_of_lists(lists[:size], skipped, digits[2:] == b"1")
            said_first = said_first or _compared_lists(graph, arcs)
            if not _compared_lists(graph, arcs):
                return ""
        except UnreadError as error:
            said_first = said_first or str(error)
    return said_first


def _arcs_of_lists(lists: list[bytes], skipped: int, weighted: bool) -> list[Edge]:
    """Return the arcs of lists whose first numbers belong to the vertex."""
    arcs: list[Edge] = []
    for row, line in enumerate(lists):
        entries = fields_of(line)[skipped:]
        weights = [number(each) for each in entries[1::2]] if weighted else [None] * len(entries)
        ends = [vertex(each) - 1 for each in entries[:: 2 if weighted else 1]]
        arcs += [(row, end, weight) for end, weight in zip(ends, weights, strict=True)]
    return arcs


def _compared_lists(graph: Graph, arcs: list[Edge]) -> str:
    """Compare a graph with arcs of which an undirected edge has two, a loop one or two."""
    if not all(0 <= dst < graph.num_vertices for _, dst, _ in arcs):
        return "a neighbour that is no vertex"
    found = edges_of(graph)
    if graph.directed:
        return compared(found, arcs)
    others, ours = ([each for each in edges if each[0] != each[1]] for edges in (arcs, found))
    num_loops = len(found) - len(ours)
    if len(arcs) - len(others) not in (num_loops, 2 * num_loops):
        return f"{num_loops} loops of {len(arcs) - len(others)}"
    return compared(both_ways(ours), others)


def graphalytics(graph: Graph, path: Path, said: list[str]) -> str:
    """Compare a data set of Graphalytics."""
    stem = path.with_suffix("")
    ids = [number(p[0]) for line in lines_of(stem.with_suffix(".v")) if (p := fields_of(line))]
    labels = range(graph.num_vertices) if graph.labels is None else graph.labels.tolist()
    if list(labels) != ids:
        return f"the vertices are {list(labels)[:5]}, not {ids[:5]}"
    rows = [parts for line in lines_of(stem.with_suffix(".e")) if (parts := fields_of(line))]
    weights = [number(row[2]) if len(row) > 2 else None for row in rows]
    wanted = [(vertex(r[0]), vertex(r[1]), w) for r, w in zip(rows, weights, strict=True)]
    tables = graph.tables()
    src, dst = (np.asarray(labels)[np.asarray(each)].tolist() for each in (tables.src, tables.dst))
    columns = [np.asarray(each).tolist() for each in tables.edge_columns.values()]
    values = columns[0] if columns else [None] * len(src)
    found = list(zip(src, dst, values, strict=True))
    if len(found) != len(wanted) and graph.directed:  # an undirected one, read as arcs
        wanted = both_ways(wanted)
    return compared(found, wanted, graph.directed)


def gap(graph: Graph, path: Path, said: list[str]) -> str:
    """Compare a graph of GAP's with its bytes."""
    content = content_of(path)
    is_directed = content[0]
    num_arcs, size = np.frombuffer(content[1:17], "<i8").tolist()
    first = np.frombuffer(content[17 : 17 + 8 * (size + 1)], "<i8")
    halves = 2 if is_directed else 1
    rest = (len(content) - 17) // halves - 8 * (size + 1)
    width = rest // num_arcs // 4 if num_arcs else 1
    begin = 17 + 8 * (size + 1)
    pairs = np.frombuffer(content[begin : begin + 4 * width * num_arcs], "<i4").reshape(-1, width)
    src = np.repeat(np.arange(size), np.diff(first)).tolist()
    weights = pairs[:, 1].tolist() if width == 2 else [None] * len(src)
    wanted = list(zip(src, pairs[:, 0].tolist(), weights, strict=True))
    found = edges_of(graph)
    if graph.directed or is_directed:  # each of its arcs is an edge
        return compared(found, wanted, graph.directed)
    return compared(both_ways(found), wanted)


def table(graph: Graph, path: Path, said: list[str]) -> str:
    """Compare a Parquet file with what pyarrow reads of its first two columns and the weight."""
    rows = parquet.read_table(io.BytesIO(content_of(path)))
    if rows.num_rows != graph.num_edges:
        return f"{graph.num_edges} edges of {rows.num_rows} rows"
    names = rows.column_names
    fitting = [
        each.name for each in rows.schema if str(each.type).removeprefix("u")[:3] in ("int", "str")
    ]
    pairs = [("src", "dst"), ("source", "target"), ("from", "to"), tuple(fitting[:2])]
    src, dst = next(pair for pair in pairs if pair[0] in names and pair[1] in names)
    ends = (rows.column(each).to_pylist() for each in (src, dst))
    weight = [None] * rows.num_rows
    if "weight" in graph.edges and "weight" in names:
        weight = rows.column("weight").to_pylist()
    found = edges_of(graph)
    if weight == [None] * rows.num_rows:
        found = [(*each[:2], None) for each in found]
    return compared(found, zip(*ends, weight, strict=True), graph.directed)


def folder(graph: Graph, path: Path, said: list[str]) -> str:
    """Compare a folder of emv's with its arrays."""
    arrays = path / json.loads((path / "graph.json").read_text())["folder"]
    src, dst = np.load(arrays / "src.npy"), np.load(arrays / "dst.npy")
    tables = graph.tables()
    if not (np.array_equal(src, tables.src) and np.array_equal(dst, tables.dst)):
        return "the ends differ"
    wanted = set(zip(src.tolist(), dst.tolist(), strict=True))
    if not graph.directed:
        wanted |= {(there, here) for here, there in wanted}
    arcs = {(int(here), int(there)) for here, there in zip(*graph.arcs(), strict=True)}
    return "" if arcs == wanted else "the index arrays differ from the edges"


ORACLES: dict[str, Callable[[Graph, Path, list[str]], str]] = {
    "dimacs": dimacs,
    "edge-list": edge_list,
    "emv": folder,
    "gap": gap,
    "graphalytics": graphalytics,
    "matrix-market": matrix_market,
    "metis": metis,
    "ncol": ncol,
    "npz": npz,
    "parquet": table,
}
"""For each format what compares."""

UNCOMPARED = ("dblp", "gexf", "gml", "graphml", "json", "pajek", "table")
"""Formats whose other parsers read them for emv, or read less: only that nothing breaks is seen."""
