"""A graph as an LDBC Graphalytics data set: three files that take their places as one.

``.v`` and ``.e`` are on disk, as drafts, before ``.properties`` takes its place, which until all
are in theirs names the drafts: so a reader finds the old data set or the new one at any moment, and
the next writer ends what a killed one began.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emv.errors import GraphError
from emv.graph.io.drafts import drafting, is_draft, replacing
from emv.graph.io.packing import packed_into
from emv.graph.io.rows import ROWS_AT_ONCE, refuse_columns, write_rows
from emv.graph.io.write_metis import check_weights
from emv.graph.tables import Tables

TITLE = "a Graphalytics data set"
SUFFIXES = (".v", ".e", ".properties")
PACKED = ("", ".gz", ".zst")
UNFINISHED = "emv.unfinished"
_LINE = re.compile(rf"graph\..*?\.{re.escape(UNFINISHED)} = (.*)\n")
_MOST_BYTES = 1 << 16  # of properties that emv wrote
_NO_KEY = re.compile(r"[^\w.-]")


class Unfinished(NamedTuple):
    """A file that was on its way to its place when ``.properties`` was written.

    Attributes
    ----------
    draft, place : Path
        Where it was, and where it will be.
    num_bytes : int
        How long it is.
    """

    draft: Path
    place: Path
    num_bytes: int

    def found(self) -> Path | None:
        """Return where the file is by now; None where another is in its place."""
        if self.draft.exists():
            return self.draft
        is_there = self.place.exists() and self.place.stat().st_size == self.num_bytes
        return self.place if is_there else None


def stem_of(path: Path) -> str:
    """Return a file's name without what it ends with.

    Examples
    --------
    >>> stem_of(Path("roads.e.gz")), stem_of(Path("roads"))
    ('roads', 'roads')
    """
    name = path.name
    for packed in PACKED[1:]:
        name = name[: -len(packed)] if name.lower().endswith(packed) else name
    endings = [suffix for suffix in SUFFIXES if name.lower().endswith(suffix)]
    return name[: -len(endings[0])] if endings else name


def packing_of(path: Path) -> str:
    """Return what a name ends with if it is that of a packed file."""
    return next((each for each in PACKED[1:] if path.name.lower().endswith(each)), "")


def unfinished_of(text: str, properties: Path) -> list[Unfinished]:
    """Return the files that the value of `UNFINISHED` names.

    Raises
    ------
    ValueError
        If emv does not write such a value.
    """
    found = []
    for draft, place, num_bytes in json.loads(text):
        paths = properties.with_name(draft), properties.with_name(place)
        if not is_draft(paths[0]) or type(num_bytes) is not int:
            raise ValueError(f"{draft} of {num_bytes} bytes")
        found.append(Unfinished(*paths, num_bytes))
    return found


def write_graphalytics(tables: Tables, path: Path) -> None:
    """Write ``.v``, ``.e`` and ``.properties``, whichever of them `path` names.

    Raises
    ------
    GraphError
        If there are vertex columns, more than one edge column, or labels that are no integers
        from 0 on.
    """
    names = tuple(tables.edge_columns)[:1]
    refuse_columns(tables, TITLE, edge_columns=names)
    weight = tables.edge_columns[names[0]] if names else None
    if weight is not None:
        check_weights(weight, TITLE)
    ids = _labels(tables)
    stem, packed = stem_of(path), packing_of(path)
    properties = path.with_name(f"{stem}.properties")
    places = [path.with_name(f"{stem}{suffix}{packed}") for suffix in (".v", ".e")]
    facts = {
        "vertex-file": places[0].name,
        "edge-file": places[1].name,
        "meta.vertices": tables.num_vertices,
        "meta.edges": len(tables.src),
        "directed": str(tables.directed).lower(),
    }
    if weight is not None:
        facts["edge-properties.names"] = names[0]
        facts["edge-properties.types"] = "real" if weight.dtype.kind == "f" else "int"

    def announce(drafts: list[Path]) -> None:
        files = zip(drafts, places, strict=True)
        said = [[each.name, place.name, each.stat().st_size] for each, place in files]
        _put_properties(properties, {**facts, UNFINISHED: json.dumps(said)})

    _finish(properties)
    with drafting(places, announce=announce) as (vertices, edges):
        with packed_into(vertices, places[0]) as file:
            for first in range(0, len(ids), ROWS_AT_ONCE):
                texts = map(str, ids[first : first + ROWS_AT_ONCE].tolist())
                file.write("".join(f"{text}\n" for text in texts).encode())
        with packed_into(edges, places[1]) as file:
            write_rows(file, (ids[tables.src], ids[tables.dst]), weight, b" ")
    _put_properties(properties, facts)


def _put_properties(path: Path, facts: dict[str, Any]) -> None:
    """Write the lines of ``.properties``; a name is changed where it would end a key or a line."""
    key = _NO_KEY.sub("_", stem_of(path))
    with replacing(path) as file:
        for name, value in facts.items():
            shown = "\\n".join(str(value).splitlines())
            file.write(f"graph.{key}.{name} = {shown}\n".encode("utf-8", "backslashreplace"))


def _finish(properties: Path) -> None:
    """Put the files in their places that a killed writer left on their way."""
    if not properties.is_file():
        return
    with properties.open("rb") as file:
        text = file.read(_MOST_BYTES).decode("utf-8", "replace")
    line = _LINE.search(text)
    if line is None:
        return
    try:
        unfinished = unfinished_of(line[1], properties)
    except (ValueError, TypeError):  # not emv's; what is written now replaces it
        return
    for each in unfinished:
        if each.draft.exists():
            each.draft.replace(each.place)
    with replacing(properties) as file:
        file.write((text[: line.start()] + text[line.end() :]).encode("utf-8", "replace"))


def _labels(tables: Tables) -> NDArray[np.int64]:
    """Return the ids to write."""
    if tables.labels is None:
        return np.arange(tables.num_vertices)
    labels = np.asarray(tables.labels)
    if labels.dtype.kind not in "iu" or (len(labels) and not labels.min() >= 0):
        raise GraphError(
            f"{TITLE} cannot hold labels that are no integers from 0 on",
            remedy='give drop=("labels",) to write the numbers 0..n-1 of the vertices instead',
        )
    return labels.astype(np.int64)
