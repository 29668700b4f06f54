"""LDBC Graphalytics data sets: ``x.v`` with an id a line, ``x.e`` with edges, ``x.properties``.

Any of the three paths stands for the data set. The vertices are those of ``.v`` in its order, with
their ids as labels, and those without edges are among them. ``.properties`` says whether edges
lead one way and what their third field is; without it edges are directed and the third field is
``weight``.
With ``directed=True`` each edge of an undirected data set becomes two, which lead both ways: first
all of them, then all of them reversed (Graphalytics specification 1.0, section 2.2).
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import GraphFormatError
from emv.graph.columns import EdgeColumns
from emv.graph.io.chunk_rows import RowForm
from emv.graph.io.entries import Entries, both_ways, read_rows
from emv.graph.io.format import Format, Hints
from emv.graph.io.source import Source, suffix_of
from emv.graph.io.text import line_of_entry, natural, shown
from emv.graph.io.write_graphalytics import (
    PACKED,
    SUFFIXES,
    TITLE,
    UNFINISHED,
    packing_of,
    stem_of,
    unfinished_of,
    write_graphalytics,
)
from emv.graph.tables import Tables
from emv_kernels.aside import leavable

_TYPES = {"int": np.dtype(np.int64), "integer": np.dtype(np.int64), "real": np.dtype(np.float64)}
_MOST_LINES = 100_000
_KEY = re.compile(
    r"graph\..*?\.(directed|edge-properties\.(?:names|types)|meta\.(?:vertices|edges)|"
    rf"{re.escape(UNFINISHED)})"
)


@dataclass(frozen=True, slots=True)
class Properties:
    """What ``.properties`` says.

    Attributes
    ----------
    directed : bool
        Whether edges lead one way.
    column : str or None
        What the third field of an edge is called; None when it does not say.
    dtype : numpy dtype or None
        The type of that field, None when there is none.
    counts : dict of str to int
        Of ``vertices`` and ``edges``, what it says how many there are.
    unfinished : dict of str to Path
        Where ``.v`` and ``.e`` are, if they were on their way to their places.
    file : str
        The path; empty when there is no such file.
    """

    directed: bool = True
    column: str | None = None
    dtype: np.dtype[Any] | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    unfinished: Mapping[str, Path] = field(default_factory=dict)
    file: str = ""


def read_graphalytics(source: Source, hints: Hints) -> Tables:
    """Return the tables of a data set.

    Raises
    ------
    GraphFormatError
        If a file is missing, a line is none of its format, an id stands in ``.v`` twice, an edge
        has an end that is not in ``.v``, or the counts of ``.properties`` are wrong.
    """
    while True:
        path = _sibling(source.path, ".properties")
        before = _state(path)
        try:
            tables = _read_set(source, path, hints)
        except GraphFormatError:
            if _state(path) == before:
                raise
            continue  # the files were replaced meanwhile
        if _state(path) == before:
            return tables


def _state(path: Path | None) -> tuple[int, int] | None:
    """Return what becomes another when a file is replaced."""
    try:
        state = path.stat() if path else None
    except OSError:
        return None
    return (state.st_ino, state.st_mtime_ns) if state else None


def _read_set(source: Source, properties_path: Path | None, hints: Hints) -> Tables:
    """Return the tables of the files of a data set, one of which is `source`."""
    properties = _properties(properties_path)
    places = (
        properties.unfinished.get(suffix) or _needed(source.path, suffix) for suffix in (".v", ".e")
    )
    vertices, edges = (  # what is no plain file can be read once, and the others be replaced
        source if place == source.path and not source.is_plain else Source(place)
        for place in places
    )
    ids = _ids(vertices, may_be_empty=properties.counts.get("vertices") == 0)
    entries, column = _edges(edges, properties)
    for noun, count, file in (("vertices", len(ids), vertices), ("edges", entries.num_rows, edges)):
        if properties.counts.get(noun, count) != count:
            what = f"has {count} {noun}, {properties.file} says {properties.counts[noun]}"
            raise GraphFormatError(what, file.file, remedy="fetch the files again")
    src, dst = _numbered(entries, ids, edges, vertices)
    values = entries.values
    directed = properties.directed if hints.directed is None else hints.directed
    if directed and not properties.directed:
        src, dst, values = both_ways(src, dst, values)
    is_plain = np.array_equal(ids, np.arange(len(ids)))
    columns = {} if values is None else {column: values}
    return Tables(len(ids), src, dst, directed, None if is_plain else ids, edge_columns=columns)


def _needed(path: Path, suffix: str) -> Path:
    """Return the path of a file that each data set has."""
    if found := _sibling(path, suffix):
        return found
    if not os.path.exists(path):  # noqa: PTH110
        raise GraphFormatError("cannot be read: No such file or directory", str(path))
    raise GraphFormatError(
        f"there is no {stem_of(path)}{suffix} beside it",
        str(path),
        remedy=f"{TITLE} is a file .v of vertices and a file .e of edges",
    )


def _sibling(path: Path, suffix: str) -> Path | None:
    """Return the path of one of the files of a data set; None when there is none."""
    if suffix_of(path) == suffix and os.path.exists(path):  # noqa: PTH110
        return path
    packings = sorted(PACKED, key=lambda each: each != packing_of(path))  # all are packed alike
    paths = (path.with_name(f"{stem_of(path)}{suffix}{packed}") for packed in packings)
    return next((each for each in paths if os.path.exists(each)), None)  # noqa: PTH110


def _properties(path: Path | None) -> Properties:
    """Return what a file ``.properties`` says."""
    if path is None:
        return Properties()
    found = _pairs(path)
    file = str(path)
    directed = found.get("directed", (0, "true"))
    if directed[1] not in ("true", "false"):
        what = f"directed is {shown(directed[1].encode())}"
        raise GraphFormatError(what, file, directed[0], "expected true or false")
    line, names = found.get("edge-properties.names", (None, ""))
    if "," in names:
        what = f"edges have the fields {shown(names.encode())}"
        raise GraphFormatError(what, file, line, "emv reads one field of edges")
    if names and not EdgeColumns.can_be_named(names):
        what = f"the field of edges is called {shown(names.encode())}"
        raise GraphFormatError(what, file, line, "expected a Python identifier")
    type_line, kind = found.get("edge-properties.types", (line, "real"))
    if kind not in _TYPES:
        what = f"the type of {names} is {shown(kind.encode())}"
        raise GraphFormatError(what, file, type_line, f"expected {' or '.join(_TYPES)}")
    counts = {}
    for noun in ("vertices", "edges"):
        if f"meta.{noun}" in found:
            count_line, text = found[f"meta.{noun}"]
            count = natural(text.encode())
            if count is None:
                what = f"the number of {noun} is {shown(text.encode())}"
                raise GraphFormatError(what, file, count_line, "expected a number")
            counts[noun] = count
    return Properties(
        directed[1] == "true",
        names or None,
        _TYPES[kind] if names else None,
        counts,
        _unfinished(found, path),
        file,
    )


def _unfinished(found: dict[str, tuple[int, str]], path: Path) -> dict[str, Path]:
    """Return where ``.v`` and ``.e`` are if a writer was stopped on the way to their places."""
    if UNFINISHED not in found:
        return {}
    line, text = found[UNFINISHED]
    try:
        files = unfinished_of(text, path)
    except (ValueError, TypeError):
        what = f"{UNFINISHED} is not what emv writes"
        raise GraphFormatError(what, str(path), line, "take the line out") from None
    places = [each.found() for each in files]
    if None in places or len(places) != 2:
        what = "its writer was stopped before all files were in their places, and one is gone"
        raise GraphFormatError(what, str(path), line, "write the graph again")
    return {suffix: place for suffix, place in zip((".v", ".e"), places, strict=True) if place}


def _pairs(path: Path) -> dict[str, tuple[int, str]]:
    """Return the line and the value of each key, without ``graph.`` and the graph's name."""
    found: dict[str, tuple[int, str]] = {}
    file = str(path)
    for chunk in Source(path).chunks():
        if chunk.line > _MOST_LINES:
            raise GraphFormatError("is too long", file, chunk.line, "check that it is properties")
        for line, text in enumerate(chunk.text.splitlines(), chunk.line):
            bare = text.strip()
            if not bare or bare[:1] in b"#!":
                continue
            name, equals, value = bare.decode("utf-8", "backslashreplace").partition("=")
            key = _KEY.fullmatch(name.strip())
            if not equals:
                what = f"{shown(bare)} has no '='"
                raise GraphFormatError(what, file, line, "expected 'key = value'")
            if key is None:
                continue
            known = found.setdefault(key.group(1), (line, value.strip()))
            if known[1] != value.strip():
                what = f"{name.strip()} is given again, line {known[0]} says {known[1]}"
                raise GraphFormatError(what, file, line, "take one of them out")
    return found


def _ids(source: Source, may_be_empty: bool) -> NDArray[np.int64]:
    """Return the ids in a file ``.v``, of which there are none where ``.properties`` says so."""
    if not may_be_empty:
        _ = source.opening  # says that it is empty
    entries = read_rows(source.chunks(), source, RowForm(("id",), np.dtype(np.int64)))
    ids: NDArray[np.int64] = np.asarray(entries.values)
    wrong = np.flatnonzero(ids < 0)
    if len(wrong):
        what = f"the id {ids[wrong[0]]} is negative"
        raise GraphFormatError(what, source.file, line_of_entry(source, int(wrong[0])))
    order = leavable(lambda: np.argsort(ids, kind="stable"), len(ids))
    repeats = order[1:][ids[order[1:]] == ids[order[:-1]]]
    if len(repeats):
        again = int(repeats.min())
        what = f"the id {ids[again]} is there twice"
        line = line_of_entry(source, again)
        raise GraphFormatError(what, source.file, line, "take one of them out")
    return ids


def _edges(source: Source, properties: Properties) -> tuple[Entries, str]:
    """Return the lines of a file ``.e``, and what their third field is called."""
    column = properties.column or "weight"
    columns: tuple[str, ...] = ("source", "target")
    dtype = properties.dtype
    is_empty = not source.head.strip(b" \t\r\n")
    if not is_empty and not properties.file and len(source.opening.first) > 2:
        dtype = np.dtype(np.int64)
    if dtype is not None:
        columns = (*columns, column)
    grows = dtype is not None and not properties.file
    form = RowForm(columns, dtype, grows=grows, is_finite=True)
    return read_rows(iter(()) if is_empty else source.chunks(), source, form), column


def _numbered(
    entries: Entries, ids: NDArray[np.int64], edges: Source, vertices: Source
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the ends of the edges as places in `ids`."""
    order = leavable(lambda: np.argsort(ids, kind="stable"), len(ids))
    known = ids[order]
    ends, missing = [], [0] if len(known) == 0 and entries.num_rows else []
    for end in (entries.src, entries.dst) if not missing else ():
        place = np.minimum(np.searchsorted(known, end), len(known) - 1)
        missing += np.flatnonzero(known[place] != end)[:1].tolist()
        ends.append(order[place].astype(end.dtype))
    if missing:
        row = min(missing)
        wrong = [int(end[row]) for end in (entries.src, entries.dst) if end[row] not in ids]
        raise GraphFormatError(
            f"vertex {wrong[0]} is not in {vertices.file}",
            edges.file,
            line_of_entry(edges, row),
            "every end of an edge has a line there",
        )
    return ends[0], ends[1]


GRAPHALYTICS = Format(
    name="graphalytics",
    title=TITLE,
    suffixes=SUFFIXES,
    recognises=lambda source: False,  # its files of edges are edge lists
    read=read_graphalytics,
    write=write_graphalytics,
    keeps=frozenset({"direction", "isolated", "repeats", "weight", "labels"}),
)
