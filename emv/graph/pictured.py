"""A graph as a notebook shows it: sizes, columns, and a picture of its degrees."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from emv.dtypes import short_name
from emv.graph.columns import Columns
from emv.graph.facts import described
from emv.graph.on_device import lies_on_device
from emv.graph.store import Store
from emv.shown.html import columns, facts, framed, table

MOST_EDGES = 2**24  # beyond which looking at all ends would take longer than one wants to wait


def pictured(store: Store, placed: str | None) -> str:
    """Return what a notebook shows of a graph; no index arrays are built for it.

    Examples
    --------
    >>> from emv.graph import Graph
    >>> "2 vertices of degree 1" in Graph.from_edges([0], [1], directed=False)._repr_html_()
    True
    """
    kind = "directed" if store.directed else "undirected"
    sizes = [
        ("vertices", f"{store.num_vertices:,}"),
        ("edges", f"{len(store.edges):,}, {kind}"),
        *([("runs on", placed)] if placed else []),
    ]
    rows = [*columns_of("vertices", store.vertices), *columns_of("edges", store.edges)]
    tables = table(["columns of", "name", "type", "bytes"], rows) if rows else ""
    return framed(described(store, placed).partition("(")[0], facts(sizes), tables, degrees(store))


def columns_of(rows: str, store: Columns) -> list[list[str]]:
    """Return the rows of a table of columns."""
    stored = ((name, store.stored(name)) for name in store.names())
    return [[rows, name, short_name(values.dtype), f"{values.nbytes:,}"] for name, values in stored]


def degrees(store: Store) -> str:
    """Return a picture of the degrees, in ranges that double; none of what is very large."""
    src, dst = store.edges.endpoints()
    if len(src) > MOST_EDGES or lies_on_device(src) or not store.num_vertices:
        return ""
    count = np.bincount(src, minlength=store.num_vertices)
    if not store.directed:
        count += np.bincount(dst[dst != src], minlength=store.num_vertices)
    found, names = ranges(count)
    kind = "out-degree" if store.directed else "degree"
    caption = f"{kind} {count.min():,} to {count.max():,}, mean {count.mean():.3g}; roots of counts"
    named = [f"{each:,} vertices of {kind} {name}" for each, name in zip(found, names, strict=True)]
    return columns(np.sqrt(found).tolist(), named, caption)


def ranges(count: NDArray[np.int64]) -> tuple[list[int], list[str]]:
    """Return how many numbers lie in each of 0, 1, 2-3, 4-7 ..., and the names of the ranges.

    Examples
    --------
    >>> ranges(np.array([0, 1, 1, 5]))
    ([1, 2, 0, 1], ['0', '1', '2-3', '4-7'])
    """
    width = np.frexp(count)[1]  # binary digits of whole numbers
    found = np.bincount(width)
    lows = [0 if each == 0 else 2 ** (each - 1) for each in range(len(found))]
    highs = [max(2**each - 1, 0) for each in range(len(found))]
    names = [
        str(low) if low == high else f"{low:,}-{high:,}"
        for low, high in zip(lows, highs, strict=True)
    ]
    return found.tolist(), names
