"""``graph.json``, the contents of emv's folders: what is in it, and that it can be so.

It is read before any array is looked at, and every count, dtype and length in it must fit the
others. `emv.graph.io.directory` says what the folder holds.
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
from emv.errors import GraphFormatError
from emv.graph.columns import EdgeColumns, VertexColumns
from emv.graph.io.drafts import replacing
from emv.graph.io.stored_arrays import FILE_MODE, open_file
from emv.graph.widths import index_dtype, public_dtype

VERSION = 1
CONTENTS = "graph.json"
TEXT_LABELS = "labels.json"
MOST_BYTES = 16 << 20

FOLDER = re.compile(r"[0-9a-f]{16}")
"""What a folder of arrays is called."""

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
    """

    folder: str
    directed: bool
    num_vertices: int
    num_edges: int
    num_arcs: int
    arrays: Mapping[str, dict[str, Any]]

    def named(self, prefix: str) -> list[str]:
        """Return what follows a prefix in the names of arrays, such as those of columns."""
        return [name.removeprefix(prefix) for name in self.arrays if name.startswith(prefix)]


def read_contents(path: Path) -> Contents:
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
        contents = Contents(**said)
        _check_contents(contents)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise GraphFormatError(f"{CONTENTS} is not what emv writes: {error}", file) from None
    if version != VERSION or order != sys.byteorder:
        raise GraphFormatError(
            f"is of version {version} and {order}-endian, expected {VERSION} and {sys.byteorder}",
            file,
            remedy="write it again with this emv on this machine",
        )
    return contents


def _check_contents(contents: Contents) -> None:
    """Raise a ValueError if something is not of its type, or the arrays do not fit the counts."""
    counts = contents.num_vertices, contents.num_edges, contents.num_arcs
    if any(type(count) is not int or count < 0 for count in counts):
        raise ValueError(f"the counts are {counts}")
    if type(contents.directed) is not bool or not FOLDER.fullmatch(contents.folder):
        raise ValueError(f"directed is {contents.directed}, folder {contents.folder!r}")
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
    if not isinstance(dtype, str) or np.dtype(dtype).name not in SHORT_NAMES:
        raise ValueError(f"{name} is of {dtype}")
    if not np.dtype(dtype).isnative:
        raise ValueError(f"{name} is of another byte order")
    if name == "labels" and np.dtype(dtype).kind in "iu":
        return dtype, contents.num_vertices
    stores: dict[str, type[VertexColumns | EdgeColumns]] = {
        "vertices": VertexColumns,
        "edges": EdgeColumns,
    }
    if kind not in stores or not stores[kind].can_be_named(column):
        raise ValueError(f"there is an array {name!r}")
    return dtype, contents.num_vertices if kind == "vertices" else contents.num_edges


def put_contents(path: Path, contents: Contents) -> None:
    """Write ``graph.json`` in one step."""
    said = {"version": VERSION, "byte_order": sys.byteorder, **vars(contents)}
    with replacing(path / CONTENTS, FILE_MODE) as file:
        file.write((json.dumps(said, indent=1) + "\n").encode())


def file_name(name: str) -> str:
    """Return what the file of an array is called."""
    return name if name == TEXT_LABELS else f"{name}.npy"
