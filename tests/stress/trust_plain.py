"""The plain reading of a graph's file, by which `trust` checks emv, and the comparison of edges.

Lines are taken apart, and numbers read, by Python's own means; nothing of emv's readers is shared.
"""

from __future__ import annotations

import collections
import gzip
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from emv.graph import Graph

Edge = tuple[Any, Any, Any]
"""Two vertices, by number or name, and a weight or None."""

_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eEdD][+-]?\d+)?|[+-]?(inf|infinity|nan)", re.I)


class UnreadError(Exception):
    """An oracle refuses the file."""


def content_of(path: Path) -> bytes:
    """Return the bytes of a file, unpacked."""
    content = path.read_bytes()
    return gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content


def lines_of(path: Path) -> list[bytes]:
    """Return the lines of a text, ended in whatever way."""
    return re.split(rb"\r\n|\r|\n", content_of(path).removeprefix(b"\xef\xbb\xbf"))


def fields_of(line: bytes, commas: bool = False) -> list[bytes]:
    """Return the fields of a line before a comment."""
    line = re.split(rb"#|%|//", line, maxsplit=1)[0].strip(b" \t")
    parts = re.split(rb"[ \t]*,[ \t]*|[ \t]+" if commas else rb"[ \t]+", line)
    return parts if line else []


def vertex(text: bytes) -> int:
    """Return a number of a vertex."""
    if not re.fullmatch(rb"\+?\d+", text):
        raise UnreadError(f"no vertex {text[:30]!r}")
    return int(text)


def number(text: bytes) -> int | float:
    """Return a weight: whole if it is written so."""
    if re.fullmatch(rb"[+-]?\d+", text):
        return int(text)
    if not _NUMBER.fullmatch(text):
        raise UnreadError(f"no number {text[:30]!r}")
    is_word = text[-1:].isalpha()
    return float(text if is_word else re.sub(rb"[dD]", b"e", text))


def edges_of(graph: Graph, labels: bool = True) -> list[Edge]:
    """Return the edges that emv read."""
    tables = graph.tables()
    src, dst = np.asarray(tables.src).tolist(), np.asarray(tables.dst).tolist()
    if labels and graph.labels is not None:
        names = np.asarray(graph.labels).tolist()
        src, dst = [names[each] for each in src], [names[each] for each in dst]
    weight = tables.edge_columns.get("weight")
    weights = [None] * len(src) if weight is None else np.asarray(weight).tolist()
    return list(zip(src, dst, weights, strict=True))


def compared(found: Iterable[Edge], wanted: Iterable[Edge], ordered: bool = True) -> str:
    """Return how two lists of edges differ, in whatever order they are."""
    both = list(found), list(wanted)
    is_whole = all(isinstance(each[2], int) for edges in both for each in edges)
    ours, theirs = (_counted(edges, ordered, is_whole) for edges in both)
    if ours == theirs:
        return ""
    more, less = ours - theirs, theirs - ours
    return f"emv has {[*more][:2]}, the oracle {[*less][:2]}"


def _counted(edges: list[Edge], ordered: bool, is_whole: bool) -> collections.Counter[Any]:
    counts = collections.Counter[Any]()
    for src, dst, weight in edges:
        shown = weight if is_whole or weight is None else float(weight)
        ends = (src, dst) if ordered else sorted((src, dst), key=str)
        counts[(*ends, "nan" if shown != shown else shown)] += 1
    return counts


def both_ways(edges: list[Edge], sign: int = 1) -> list[Edge]:
    """Return edges and those that lead back, loops once."""
    back = [(dst, src, None if w is None else sign * w) for src, dst, w in edges if src != dst]
    return edges + back
