"""Changes in a table with named columns, read chunk by chunk by the reader of tables.

The first rows settle what ids are, whole numbers or texts, and which columns there are; later rows
must be alike. A value in quotes must not hold a line end, since chunks are cut there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import ArgumentError, GraphFormatError
from emv.graph.io.format import Hints
from emv.graph.io.header import Header, header_of
from emv.graph.io.source import Source
from emv.graph.io.table import ends_of, refuse_vertices
from emv.graph.io.table_rows import Rows, Values, read_rows
from emv.graph.io.text import logger
from emv.graph.io.ways import chosen
from emv.graph.renumber import Coded
from emv.graph.stream.block import ADDS, REMOVES, SIGN_NAMES, Block


@dataclass
class _Kinds:
    """What the first rows of a table were, which all others must be, too."""

    has_texts: bool | None = None
    columns: tuple[str, ...] | None = None


def blocks_of_table(source: Source, hints: Hints) -> Iterator[Block]:
    """Yield the rows of a table, chunk by chunk."""
    if any(way == "codes" for way in (hints.columns or {}).values()):
        raise ArgumentError(
            "columns says 'codes', but codes are places among all values of the file, which is "
            "read block by block",
            remedy="number the values in the file",
        )
    header = header_of(source, hints.header, hints.separator)
    refuse_vertices(header, source)
    ends = ends_of(header, hints, source)
    sign = next((name for name in header.names if name.lower() in SIGN_NAMES), None)
    kinds = _Kinds()
    passed = 0  # bytes of the header, which chunks begin with
    for chunk in source.chunks():
        skipped = max(0, min(len(chunk.text), header.begin - passed))
        passed += len(chunk.text)
        text = chunk.text[skipped:]
        if not text.strip():
            continue
        of_rows = replace(header, begin=0, line=chunk.line_number(skipped), is_named=False)
        rows = read_rows(Source(source.path, text), of_rows, ends if kinds.has_texts else ())
        if rows.num_rows:
            yield _block_of(rows, ends, sign, hints, (source, of_rows), kinds)


def _block_of(
    rows: Rows,
    ends: tuple[str, str],
    sign: str | None,
    hints: Hints,
    place: tuple[Source, Header],
    kinds: _Kinds,
) -> Block:
    """Return the changes of some rows."""
    source, header = place
    ids = [_ids(rows.values(name), name, source, header) for name in ends]
    has_texts = any(each.dtype == object for each in ids)
    if kinds.has_texts is None:
        kinds.has_texts = has_texts
    elif has_texts and not kinds.has_texts:
        raise GraphFormatError(
            "has ids that are texts behind ids that were whole numbers",
            source.file,
            remedy="put texts in both columns of the first rows, or number the vertices",
        )
    if has_texts:
        ids = [np.array([str(each) for each in values], object) for values in ids]
    left = replace(rows, names=tuple(name for name in rows.names if name != sign))
    columns, absent = chosen(left, ends, hints.columns, "edges", source.file)
    if kinds.columns is None:
        kinds.columns = tuple(columns)
        for reason in absent.values():
            logger.warning("%s: left out: %s", source.file, reason)
    for name in kinds.columns:
        if name not in columns:
            raise GraphFormatError(absent.get(name, f"has no column '{name}'"), source.file)
    removed = np.zeros(rows.num_rows, np.bool_)
    if sign is not None:
        removed = _removed(rows.values(sign), sign, source)
    return Block(ids[0], ids[1], removed, {name: columns[name] for name in kinds.columns})


def _ids(values: Values, name: str, source: Source, header: Header) -> NDArray[Any]:
    """Return what the vertices of a column are called: whole numbers or texts."""
    if isinstance(values, Coded):
        names: NDArray[Any] = values.names[values.codes]
        return names
    if values.dtype.kind in "iu":
        return values.astype(np.int64)
    raise GraphFormatError(
        f"column '{name}' of ids is {values.dtype}, neither whole numbers nor texts",
        source.file,
        header.line,
        "name the columns of the ends by source= and target=",
    )


def _removed(values: Values, name: str, source: Source) -> NDArray[np.bool_]:
    """Return which rows remove an edge."""
    if isinstance(values, Coded):
        distinct, codes = values.names, values.codes
    else:
        distinct, codes = np.unique(values, return_inverse=True)
    words = [str(each).strip().lower() for each in distinct.tolist()]
    for word in words:
        if word not in (*ADDS, *REMOVES):
            raise GraphFormatError(
                f"column '{name}' says {word!r}, which is neither to add nor to remove",
                source.file,
                remedy=f"expected one of {', '.join(ADDS)} or of {', '.join(REMOVES)}",
            )
    removes: NDArray[np.bool_] = np.array([word in REMOVES for word in words], np.bool_)[codes]
    return removes
