"""Pajek's networks (Batagelj & Mrvar, Connections 21, 1998): ``*Vertices n``, then arcs and edges.

A section begins with a star. ``*Vertices`` lists a number from 1 on, a label and maybe coordinates,
``*Arcs`` and ``*Edges`` two numbers and maybe a weight (1 where a line has none), ``*Arcslist`` and
``*Edgeslist`` a vertex and its neighbours, ``*Matrix`` the matrix. Vertex i has the id i - 1;
labels are kept where all vertices have different ones. Where there are arcs, the graph is directed,
and every edge leads both ways as two. ``*Arcs :3`` says the number of a relation, the edge column
``relation``. Of ``*Vertices n m`` the first m are one side, as `rectangle` says. Coordinates are
vertex columns x, y and z; what else a line says of shapes and colours is left out, and said.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import GraphFormatError
from emv.graph.io.format import Format, Hints
from emv.graph.io.names import labels_of
from emv.graph.io.numerals import decimal_of
from emv.graph.io.rectangle import SIDE, refuse_unlikely
from emv.graph.io.source import Source
from emv.graph.io.text import logger, natural, shown
from emv.graph.tables import Tables

_BEGIN = re.compile(
    rb"(?:[ \t]*+(?:%[^\r\n]*+)?[\r\n])*+[ \t]*+\*(?:vertices|network)\b", re.IGNORECASE
)
_WORDS = re.compile(r'"([^"]*)"|(\S+)')
_RELATION = re.compile(r":\s*([0-9]+)")
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_LINE_ENDS = re.compile(r"\r\n|[\r\n]")
_REMEDY = "see 'Pajek - reference manual', 'Input files'"
_BOTH_WAYS = ("edges", "edgeslist")
_SECTIONS = ("arcs", "arcslist", "matrix", *_BOTH_WAYS)


@dataclass
class _Network:
    """What has been read so far."""

    file: str
    num_vertices: int = -1
    num_first: int | None = None
    labels: dict[int, str] = field(default_factory=dict)
    places: dict[int, list[int | float]] = field(default_factory=dict)
    ends: list[tuple[int, int]] = field(default_factory=list)
    weights: list[int | float] = field(default_factory=list)
    relations: list[int] = field(default_factory=list)
    both_ways: list[bool] = field(default_factory=list)
    num_rows: int = 0  # of a matrix
    is_weighted: bool = False
    has_more: bool = False  # shapes and colours

    def refuse(self, what: str, line: int) -> GraphFormatError:
        """Return what to say of a line."""
        return GraphFormatError(what, self.file, line, _REMEDY)

    def vertex(self, text: str, line: int) -> int:
        """Return the id of a vertex."""
        number = natural(text.encode())
        if number is None or not 1 <= number <= self.num_vertices:
            raise self.refuse(f"{shown(text.encode())} is none of 1 to {self.num_vertices}", line)
        return number - 1


def is_pajek(source: Source) -> bool:
    """Return whether a file begins as Pajek's do."""
    return _BEGIN.match(source.head.removeprefix(b"\xef\xbb\xbf")) is not None


def read_pajek(source: Source, hints: Hints) -> Tables:
    """Return the tables of a network of Pajek's.

    Raises
    ------
    GraphFormatError
        If a line is not what its section demands, or there is no ``*Vertices``.
    """
    network = _Network(source.file)
    section, relation = "", 0
    for number, line in enumerate(_LINE_ENDS.split(_text(source)), 1):
        bare = line.strip()
        if not bare or bare.startswith("%"):
            continue
        if bare.startswith("*"):
            section, relation = _section(bare, network, number)
            continue
        words = [quoted or plain for quoted, plain in _WORDS.findall(bare)]
        if section == "vertices":
            _add_vertex(words, network, number)
        elif section in _SECTIONS:
            _add_edges(section, words, network, relation, number)
        else:
            raise network.refuse(f"{shown(bare.encode())} stands in no section", number)
    if network.num_vertices < 0:
        raise GraphFormatError("has no *Vertices", source.file, remedy=_REMEDY)
    refuse_unlikely(network.num_vertices, len(network.ends) + len(network.labels), source.file)
    return _tables(network, hints.directed)


def _text(source: Source) -> str:
    content = b"".join(source.blocks())
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        logger.warning("%s: is not in UTF-8, read as Latin-1", source.file)
        return content.decode("latin-1")


def _section(line: str, network: _Network, number: int) -> tuple[str, int]:
    """Return the name of a section and its relation, having noted the number of vertices."""
    words = line[1:].split()
    name = words[0].lower() if words else ""
    if name == "vertices":
        counts = [natural(each.encode()) for each in words[1:3]]
        if not counts or None in counts or network.num_vertices >= 0:
            raise network.refuse(
                f"{shown(line.encode())} is no *Vertices with their number", number
            )
        network.num_vertices = counts[0] or 0
        network.num_first = counts[1] if len(counts) > 1 else None
    elif name in _SECTIONS and network.num_vertices < 0:
        raise network.refuse(f"*{words[0]} stands before *Vertices", number)
    elif name not in ("network", *_SECTIONS):
        raise network.refuse(f"*{name} is no section of a network", number)
    found = _RELATION.search(line)
    return name, int(found[1]) if found else 0


def _add_vertex(words: list[str], network: _Network, number: int) -> None:
    vertex = network.vertex(words[0], number)
    if len(words) > 1:
        network.labels[vertex] = words[1]
    coordinates = []
    for word in words[2:5]:
        try:
            coordinates.append(decimal_of(word.encode(), is_finite=False))
        except ValueError:
            break
    network.places[vertex] = coordinates
    network.has_more |= len(words) > 2 + len(coordinates)


def _add_edges(
    section: str, words: list[str], network: _Network, relation: int, number: int
) -> None:
    """Add the edges of a line."""
    if section == "matrix":
        pairs, weights = _matrix_row(words, network, number)
    elif section.endswith("list"):
        vertices = [network.vertex(each, number) for each in words]
        pairs = [(vertices[0], each) for each in vertices[1:]]
        weights = [1] * len(pairs)
    else:
        if len(words) < 2:
            raise network.refuse(f"{shown(words[0].encode())} is no edge", number)
        pairs = [(network.vertex(words[0], number), network.vertex(words[1], number))]
        weights = [1 if len(words) == 2 else _weight(words[2], network, number)]
        network.is_weighted |= len(words) > 2
        network.has_more |= len(words) > 3
    network.ends += pairs
    network.weights += weights
    network.relations += [relation] * len(pairs)
    network.both_ways += [section in _BOTH_WAYS] * len(pairs)


def _matrix_row(
    words: list[str], network: _Network, number: int
) -> tuple[list[tuple[int, int]], list[int | float]]:
    """Return the entries of a row that are not 0."""
    first = network.num_first or 0
    if len(words) != network.num_vertices - first:
        raise network.refuse(f"has {len(words)} entries in a row of the matrix", number)
    row, network.num_rows = network.num_rows, network.num_rows + 1
    if row >= (first or network.num_vertices):
        raise network.refuse("has more rows of the matrix than vertices", number)
    entries = [_weight(each, network, number) for each in words]
    network.is_weighted = True
    kept = [(column + first, entry) for column, entry in enumerate(entries) if entry]
    return [(row, column) for column, _ in kept], [entry for _, entry in kept]


def _weight(text: str, network: _Network, number: int) -> int | float:
    try:
        is_whole = _WHOLE.fullmatch(text) is not None
        return int(text) if is_whole else decimal_of(text.encode(), is_finite=False)
    except ValueError as error:
        raise network.refuse(f"the weight {shown(text.encode())} {error}", number) from None


def _tables(network: _Network, directed: bool | None) -> Tables:
    """Return the tables of what was read."""
    if network.has_more:
        logger.warning("%s: left out: shapes, colours and other words of lines", network.file)
    ends = np.array(network.ends, np.int64).reshape(-1, 2)
    both_ways = np.array(network.both_ways, np.bool_)
    columns: dict[str, NDArray[Any]] = {}
    if network.is_weighted:
        columns["weight"] = np.array(network.weights)
    if any(network.relations):
        columns["relation"] = np.array(network.relations, np.int64)
    is_directed = not both_ways.all() or not len(both_ways)
    if directed is not None:
        is_directed = directed
    if is_directed and both_ways.any():
        back = ends[both_ways & (ends[:, 0] != ends[:, 1])][:, ::-1]
        chosen = np.flatnonzero(both_ways & (ends[:, 0] != ends[:, 1]))
        columns = {name: np.concatenate([each, each[chosen]]) for name, each in columns.items()}
        ends = np.concatenate([ends, back])
    src, dst = (np.ascontiguousarray(ends[:, side]) for side in (0, 1))
    return Tables(
        network.num_vertices,
        src,
        dst,
        is_directed,
        _labels(network),
        _vertex_columns(network),
        columns,
    )


def _labels(network: _Network) -> NDArray[Any] | None:
    count = network.num_vertices
    if len(network.labels) < count or not count:
        if network.labels:
            logger.warning("%s: left out: labels, which only some vertices have", network.file)
        return None
    labels = [network.labels[vertex] for vertex in range(count)]
    if len(set(labels)) < count:
        logger.warning("%s: left out: labels, as two vertices have the same", network.file)
        return None
    return labels_of(labels)


def _vertex_columns(network: _Network) -> dict[str, NDArray[Any]]:
    columns: dict[str, NDArray[Any]] = {}
    count = network.num_vertices
    known = min((len(each) for each in network.places.values()), default=0)
    if len(network.places) == count and known:
        for axis, name in enumerate("xyz"[:known]):
            columns[name] = np.array([network.places[vertex][axis] for vertex in range(count)])
    if network.num_first is not None:
        columns[SIDE] = (np.arange(count) >= network.num_first).astype(np.int8)
    return columns


PAJEK = Format(
    name="pajek",
    title="a network of Pajek's",
    suffixes=(".net", ".paj"),
    recognises=is_pajek,
    read=read_pajek,
    write=None,
    keeps=frozenset({"direction", "isolated", "repeats", "weight"}),
)
