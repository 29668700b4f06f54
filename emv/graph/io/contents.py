"""``graph.json``, the contents of emv's folders: what is in it, and that it can be so.

It is read before any array is looked at, and every count, dtype and length in it must fit the
others. `emv.graph.io.directory` says what the folder holds. It tells of one whole graph, or, where
versions were kept or edges have keys, of a list: graphs that are whole, and what later versions
changed (`Delta`), each of the one before it in the list.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from emv.dtypes import SHORT_NAMES
from emv.errors import GraphError, GraphFormatError
from emv.graph.columns import EdgeColumns, VertexColumns
from emv.graph.io.drafts import replacing
from emv.graph.io.stored_arrays import FILE_MODE, open_file
from emv.graph.widths import index_dtype, public_dtype

VERSION, OF_SEVERAL = 1, 2  # of one graph, and of a list of versions
CONTENTS = "graph.json"
TEXT_LABELS = "labels.json"
MOST_BYTES = 16 << 20

FOLDER = re.compile(r"[0-9a-f]{16}")
"""What a folder of arrays is called."""

PLAIN = (str, int, float, type(None))
"""What labels may be in a file, but for whole arrays of numbers."""

WHOLE = "whole."
"""What the name of a column begins with that a delta has for all rows, not the new ones only."""

PLAIN_OF_DELTA = ("vertices_gone", "edges_gone", "src", "dst", "keys", "labels", TEXT_LABELS)
"""The arrays of a delta that are no columns."""

_STORES: dict[str, type[VertexColumns | EdgeColumns]] = {
    "vertices": VertexColumns,
    "edges": EdgeColumns,
}
_Kind = tuple[str | None, int]


@dataclass(frozen=True)
class Contents:
    """What ``graph.json`` says.

    Attributes
    ----------
    folder : str
        The name of the folder of the arrays.
    directed : bool
        Whether an edge leads one way only.
    num_vertices, num_edges, num_arcs : int
        The counts.
    arrays : mapping of str to dict
        Dtype, length and stamp of each array; ``labels.json`` has no dtype.
    next_edge, next_vertex : int or None
        The next numbers to give, where edges have keys, or vertices are numbered on; see
        `emv.graph.keys`.
    """

    folder: str
    directed: bool
    num_vertices: int
    num_edges: int
    num_arcs: int
    arrays: Mapping[str, dict[str, Any]]
    next_edge: int | None = None
    next_vertex: int | None = None

    def named(self, prefix: str) -> list[str]:
        """Return what follows a prefix in the names of arrays, such as those of columns."""
        return [name.removeprefix(prefix) for name in self.arrays if name.startswith(prefix)]


@dataclass(frozen=True)
class Delta:
    """What ``graph.json`` says of a version that is kept as its difference from the one before.

    Attributes
    ----------
    folder : str
        The name of the folder of the arrays.
    num_vertices, num_edges : int
        The counts of the version.
    arrays : mapping of str to dict
        Dtype, length and stamp of each array of `emv.graph.io.deltas`.
    has_labels : bool
        Whether its vertices have labels.
    next_edge, next_vertex : int or None
        As in `Contents`; `next_edge` is a number.
    """

    folder: str
    num_vertices: int
    num_edges: int
    arrays: Mapping[str, dict[str, Any]]
    has_labels: bool
    next_edge: int
    next_vertex: int | None = None

    @property
    def num_bytes(self) -> int:
        """The bytes of the arrays, labels that are texts left out."""
        return sum(
            each["length"] * np.dtype(each["dtype"]).itemsize
            for each in self.arrays.values()
            if each["dtype"] is not None
        )


@dataclass(frozen=True)
class History:
    """The versions of a folder, the first of which is whole."""

    versions: tuple[Contents | Delta, ...]

    @property
    def folders(self) -> list[str]:
        """The names of all folders of arrays."""
        return [each.folder for each in self.versions]

    def chain(self, number: int | None, file: str) -> tuple[Contents, list[Delta]]:
        """Return the whole version that a version, or the last one, is made of, and the deltas.

        Raises
        ------
        GraphFormatError
            If there is no such version.
        """
        count = len(self.versions)
        end = count if number is None else number
        if not 1 <= end <= count:
            there = "1" if count == 1 else f"1 to {count}"
            raise GraphFormatError(
                f"has no version {number}", file, remedy=f"versions have the numbers {there}"
            )
        deltas: list[Delta] = []
        for each in reversed(self.versions[:end]):
            if isinstance(each, Contents):
                return each, deltas[::-1]
            deltas.append(each)
        raise AssertionError("the first version is whole")


def read_history(path: Path) -> History:
    """Return what the contents of a folder are, having made sure that they can be so.

    Raises
    ------
    GraphFormatError
        If there is no ``graph.json``, or emv did not write it so.
    """
    file = os.fspath(path)
    with open_file(path / CONTENTS, file) as stream:
        text = stream.read(MOST_BYTES + 1)
    try:
        if len(text) > MOST_BYTES:
            raise ValueError(f"more than {MOST_BYTES} bytes")
        said = json.loads(text)
        version, order = said.pop("version"), said.pop("byte_order")
        entries = said["versions"] if version == OF_SEVERAL else [said]
        history = History(tuple(map(_entry, entries)))
        if not history.versions or not isinstance(history.versions[0], Contents):
            raise ValueError("the first version is not whole")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise GraphFormatError(f"{CONTENTS} is not what emv writes: {error}", file) from None
    if version not in (VERSION, OF_SEVERAL) or order != sys.byteorder:
        raise GraphFormatError(
            f"is of version {version} and {order}-endian, expected {VERSION} or {OF_SEVERAL} and "
            f"{sys.byteorder}",
            file,
            remedy="write it again with this emv on this machine",
        )
    return history


def _entry(said: dict[str, Any]) -> Contents | Delta:
    """Return a version, or raise a ValueError or TypeError if there can be no such."""
    if "has_labels" in said:
        delta = Delta(**said)
        _check_delta(delta)
        return delta
    contents = Contents(**said)
    _check_contents(contents)
    return contents


def _check_delta(delta: Delta) -> None:
    """Raise a ValueError if something is not of its type; `deltas` checks what is in arrays."""
    counts = delta.num_vertices, delta.num_edges, delta.next_edge
    if any(type(count) is not int or count < 0 for count in counts):
        raise ValueError(f"the counts are {counts}")
    if type(delta.has_labels) is not bool or not FOLDER.fullmatch(delta.folder):
        raise ValueError(f"has_labels is {delta.has_labels}, folder {delta.folder!r}")
    _check_next(delta.next_vertex)
    for name, noted in delta.arrays.items():
        if type(noted["length"]) is not int or noted["length"] < 0 or "stamp" not in noted:
            raise ValueError(f"{name} is {noted}")
        if name != TEXT_LABELS or noted["dtype"] is not None:
            _check_dtype(name, noted["dtype"])
        if name not in PLAIN_OF_DELTA:
            kind, _, column = name.removeprefix(WHOLE).partition(".")
            if kind not in _STORES or not _STORES[kind].can_be_named(column):
                raise ValueError(f"there is an array {name!r}")


def _check_next(number: Any) -> None:
    if number is not None and (type(number) is not int or number < 0):
        raise ValueError(f"the next number is {number!r}")


def _check_contents(contents: Contents) -> None:
    """Raise a ValueError if something is not of its type, or the arrays do not fit the counts."""
    counts = contents.num_vertices, contents.num_edges, contents.num_arcs
    if any(type(count) is not int or count < 0 for count in counts):
        raise ValueError(f"the counts are {counts}")
    if type(contents.directed) is not bool or not FOLDER.fullmatch(contents.folder):
        raise ValueError(f"directed is {contents.directed}, folder {contents.folder!r}")
    _check_next(contents.next_edge)
    _check_next(contents.next_vertex)
    if (contents.next_edge is None) != ("keys" not in contents.arrays):
        raise ValueError("there are keys, or a next one, but not both")
    expected = _expected_arrays(contents)
    for name, noted in contents.arrays.items():
        if name not in expected:
            expected[name] = _expected_column(contents, name, noted["dtype"])
    for name, (dtype, length) in expected.items():
        noted = contents.arrays[name]
        if (noted["dtype"], noted["length"]) != (dtype, length) or "stamp" not in noted:
            said = f"{noted['length']} of {noted['dtype']}"
            raise ValueError(f"{name} is {said}, expected {length} of {dtype}")


def _expected_arrays(contents: Contents) -> dict[str, _Kind]:
    """Return dtype and length of the arrays that every graph of these counts has."""
    num_vertices, num_arcs = contents.num_vertices, contents.num_arcs
    ends = public_dtype(num_vertices).str, contents.num_edges
    rows = index_dtype(num_arcs).str, num_vertices + 1
    arcs, others = (index_dtype(num_arcs).str, num_arcs), (index_dtype(num_vertices).str, num_arcs)
    expected: dict[str, _Kind] = {"src": ends, "dst": ends}
    expected |= {"index.out_first": rows, "index.in_other": others}
    expected |= {"index.arc_of_slot": arcs, "index.slot_of_arc": arcs}
    if contents.directed:
        expected["index.in_first"] = rows
    if "index.out_other" in contents.arrays:
        expected |= {"index.out_other": others}
        expected |= {"index.edge_of_arc": arcs, "index.edge_of_slot": arcs}
    elif num_arcs != contents.num_edges:
        raise ValueError("the array index.out_other is missing")
    return expected


def _expected_column(contents: Contents, name: str, dtype: Any) -> _Kind:
    """Return dtype and length of a column or the labels, given the dtype that is noted."""
    kind, _, column = name.partition(".")
    if name == TEXT_LABELS and dtype is None:
        return None, contents.num_vertices
    _check_dtype(name, dtype)
    if name in ("labels", "keys") and np.dtype(dtype).kind in "iu":
        return dtype, contents.num_vertices if name == "labels" else contents.num_edges
    if kind not in _STORES or not _STORES[kind].can_be_named(column):
        raise ValueError(f"there is an array {name!r}")
    return dtype, contents.num_vertices if kind == "vertices" else contents.num_edges


def _check_dtype(name: str, dtype: Any) -> None:
    if not isinstance(dtype, str) or np.dtype(dtype).name not in SHORT_NAMES:
        raise ValueError(f"{name} is of {dtype}")
    if not np.dtype(dtype).isnative:
        raise ValueError(f"{name} is of another byte order")


def put_history(path: Path, history: History) -> None:
    """Write ``graph.json`` in one step.

    Raises
    ------
    GraphError
        If it tells of so many versions that it could not be read.
    """
    entries = [
        {name: each for name, each in vars(version).items() if each is not None}
        for version in history.versions
    ]
    is_plain = len(entries) == 1 and "next_edge" not in entries[0]
    is_plain = is_plain and "next_vertex" not in entries[0]
    told = entries[0] if is_plain else {"versions": entries}
    number = VERSION if is_plain else OF_SEVERAL
    text = json.dumps({"version": number, "byte_order": sys.byteorder, **told}, indent=1)
    if len(text) > MOST_BYTES:
        raise GraphError(
            f"a folder of {len(entries)} versions has no room for another",
            remedy="write the graph without keep=True, which leaves earlier versions out",
        )
    with replacing(path / CONTENTS, FILE_MODE) as file:
        file.write((text + "\n").encode())


def file_name(name: str) -> str:
    """Return what the file of an array is called."""
    return name if name == TEXT_LABELS else f"{name}.npy"
