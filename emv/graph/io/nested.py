"""GraphML, GEXF and GML, by networkx's readers, and graphs of nodes and links in JSON.

Nodes become labels: whole numbers where all of their ids are such, as they are written by programs
that number them, and texts otherwise. A number that every node or every edge has is a column, as
`Graph.from_networkx` says, and what else they have is left out, and said. A file is read whole, at
some ten thousand edges a second.

In JSON there is a list of ``nodes``, with their ``id`` (or ``name``, or numbered by place), and one
of ``links`` or ``edges``, with ``source`` and ``target``; ``directed`` says whether edges lead one
way (by default not, as in networkx and D3). Cytoscape's ``elements`` hold the same in ``data``.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from emv.errors import GraphFormatError
from emv.graph import convert
from emv.graph.columns import EdgeColumns, VertexColumns
from emv.graph.io.format import Format, Hints
from emv.graph.io.names import labels_of
from emv.graph.io.source import Source, suffix_of
from emv.graph.tables import Tables

_GRAPHML = re.compile(rb"<(\w+:)?graphml[\s>]")
_GEXF = re.compile(rb"<(\w+:)?gexf[\s>]")
_GML = re.compile(rb"\s*+(?:(?:#|Creator\b|Version\b|comment\b)[^\r\n]*+[\r\n]++\s*+)*+graph\s*+\[")
_MULTIGRAPH = re.compile(r"\bmultigraph\s+[01]\b")
_GRAPH = re.compile(r"\bgraph\s*\[")
_LISTS_OF_EDGES = ("links", "edges")


def _by_networkx(title: str, parse: Callable[[bytes], Any]) -> Callable[[Source, Hints], Tables]:
    """Return the reader of a format that networkx parses."""

    def read(source: Source, hints: Hints) -> Tables:
        content = b"".join(source.blocks())
        try:
            graph = parse(content)
        except Exception as error:  # what a parser makes of a damaged file may be anything
            said = str(error).strip().splitlines() or [type(error).__name__]
            raise GraphFormatError(
                f"is no {title} file that networkx reads: {said[0]}",
                source.file,
                remedy='give format="edge-list" if it is one after all',
            ) from None
        return as_said(convert.from_networkx(graph), hints.directed)

    return read


def _parse_graphml(content: bytes) -> Any:
    import networkx as nx

    return nx.read_graphml(io.BytesIO(content))


def _parse_gexf(content: bytes) -> Any:
    import networkx as nx

    return nx.read_gexf(io.BytesIO(content))


def _parse_gml(content: bytes) -> Any:
    """Return a graph; by the labels of its nodes if all have different ones, else by their ids."""
    import networkx as nx

    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    text = _MULTIGRAPH.sub("", text)  # files with repeats seldom say that they have some
    text = _GRAPH.sub("graph [ multigraph 1", text, count=1)
    try:
        return nx.parse_gml(text)
    except nx.NetworkXError as error:
        if "label" not in str(error):
            raise
        return nx.parse_gml(text, label="id")


def as_said(tables: Tables, directed: bool | None) -> Tables:
    """Return tables with numbers as labels where all are, and edges as the caller says."""
    if tables.labels is not None:
        tables = replace(tables, labels=labels_of(tables.labels.tolist()))
    if directed is None or directed == tables.directed:
        return tables
    if not directed:
        return replace(tables, directed=False)
    other = np.flatnonzero(tables.src != tables.dst)
    columns = {
        name: np.concatenate([each, each[other]]) for name, each in tables.edge_columns.items()
    }
    src = np.concatenate([tables.src, tables.dst[other]])
    dst = np.concatenate([tables.dst, tables.src[other]])
    return replace(tables, src=src, dst=dst, directed=True, edge_columns=columns)


def is_node_link(source: Source) -> bool:
    """Return whether a file begins as an object of JSON, and is called so or has nodes."""
    head = source.head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return head.startswith(b"{") and (suffix_of(source.path) == ".json" or b'"nodes"' in head)


def read_node_link(source: Source, hints: Hints) -> Tables:
    """Return the tables of nodes and links in JSON.

    Raises
    ------
    GraphFormatError
        If it is no JSON, has no nodes or links, or a link leads to no node.
    """
    file = source.file
    try:
        said = json.loads(b"".join(source.blocks()).decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise GraphFormatError(f"is no JSON: {error}", file) from None
    nodes, links = _lists(said, file)
    ids = [_id_of(node, place) for place, node in enumerate(nodes)]
    try:
        place_of = {each: place for place, each in enumerate(ids)}
        ends = [[place_of.get(_end(link, end, file), -1) for link in links] for end in _ENDS]
    except TypeError:
        raise GraphFormatError("has a node whose id is a list or an object", file) from None
    if len(place_of) < len(ids):
        twice = next(each for place, each in enumerate(ids) if place_of[each] > place)
        raise GraphFormatError(f"has two nodes with the id {twice!r}", file)
    for end, places in zip(_ENDS, ends, strict=True):
        if -1 in places:
            link = places.index(-1)
            raise GraphFormatError(
                f"link {link} has the {end} {_end(links[link], end, file)!r}, which is no node",
                file,
            )
    vertices, no_vertices = convert.columns_of("node", _others(nodes, _IDS), VertexColumns)
    edges, no_edges = convert.columns_of("edge", _others(links, _ENDS), EdgeColumns, {"weight": 1})
    src, dst = (np.array(each, np.int64) for each in ends)
    is_directed = bool(said.get("directed", False))
    labels = np.fromiter(ids, dtype=object, count=len(ids))
    tables = Tables(len(ids), src, dst, is_directed, labels, vertices, edges, no_vertices, no_edges)
    return as_said(tables, hints.directed)


_IDS = ("id", "name")
_ENDS = ("source", "target")


def _lists(said: Any, file: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the nodes and the links."""
    elements = said.get("elements") if isinstance(said, dict) else None
    if isinstance(elements, dict):
        said = {
            name: [each.get("data") if isinstance(each, dict) else None for each in listed]
            for name, listed in elements.items()
            if isinstance(listed, list)
        }
    nodes = said.get("nodes") if isinstance(said, dict) else None
    links = next((said[each] for each in _LISTS_OF_EDGES if each in said), None) if nodes else None
    for listed, name in ((nodes, "nodes"), (links, "links")):
        if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
            raise GraphFormatError(
                f"has no list of {name}",
                file,
                remedy='expected {"nodes": [{"id": ...}], "links": [{"source": ..., ...}]}',
            )
    return nodes, links  # type: ignore[return-value]


def _id_of(node: dict[str, Any], place: int) -> Any:
    return next((node[name] for name in _IDS if name in node), place)


def _end(link: dict[str, Any], end: str, file: str) -> Any:
    if end not in link:
        raise GraphFormatError(f"has a link without a {end}", file)
    return link[end]


def _others(rows: list[dict[str, Any]], names: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return what else rows say."""
    return [{name: each for name, each in row.items() if name not in names} for row in rows]


def _format(title: str, begin: re.Pattern[bytes], parse: Callable[[bytes], Any]) -> Format:
    """Return a format that networkx reads and that is known by how it begins."""
    name = title.lower()
    find = begin.match if name == "gml" else begin.search
    return Format(
        name=name,
        title=f"a {title} file",
        suffixes=(f".{name}",),
        recognises=lambda source: find(source.head) is not None,
        read=_by_networkx(title, parse),
        write=None,
        keeps=frozenset(),
    )


GRAPHML = _format("GraphML", _GRAPHML, _parse_graphml)
GEXF = _format("GEXF", _GEXF, _parse_gexf)
GML = _format("GML", _GML, _parse_gml)
NODE_LINK = Format(
    name="json",
    title="a graph of nodes and links in JSON",
    suffixes=(".json",),
    recognises=is_node_link,
    read=read_node_link,
    write=None,
    keeps=frozenset(),
)
