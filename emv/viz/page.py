"""A picture as a page for a browser: one text, which asks for nothing from a network.

The page is that of the folder `web`: its markup, style and scripts, which draw by WebGL 2. What is
to be seen is packed into it: arrays one after the other, deflated, as base64.
"""

from __future__ import annotations

import base64
import json
import zlib
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import ArgumentError
from emv.viz.picture import Picture
from emv.viz.values import KINDS, RAMPS, Values

FOLDER = Path(__file__).with_name("web")
SCRIPTS = ("graph", "draw", "look", "main")
MOST_VERTICES, MOST_EDGES = 1_000_000, 5_000_000  # some 100 MB in the browser
FRAME = (
    '<iframe srcdoc="{}" title="A graph" sandbox="allow-scripts allow-downloads" '
    'style="width: 100%; height: 560px; border: 1px solid #8884; border-radius: 6px"></iframe>'
)


def page_of(picture: Picture, title: str) -> str:
    """Return the page of a picture.

    Raises
    ------
    ArgumentError
        If there is more than a browser can be expected to show.
    """
    graph = picture.graph
    if graph.num_vertices > MOST_VERTICES or graph.num_edges > MOST_EDGES:
        raise ArgumentError(
            f"{graph.num_vertices:,} vertices and {graph.num_edges:,} edges are more than a browser"
            f" shows well; {MOST_VERTICES:,} and {MOST_EDGES:,} are the most",
            remedy="Show a part: view.drill_down(v), or a graph.subgraph(...).",
        )
    listed, data = packed(arrays_of(picture))
    facts = {
        "arrays": listed,
        "values": [described(each) for each in picture.values.values()],
        "color": picture.color_by,
        "size": picture.size_by,
        "kinds": KINDS,
        "ramps": RAMPS,
    }
    parts = {
        "title": escape(title),
        "style": read("page.css"),
        "facts": json.dumps(facts, allow_nan=False).replace("<", "\\u003c"),
        "data": data,
        "script": "\n".join(read(f"{name}.js") for name in SCRIPTS),
    }
    page = read("page.html")
    pieces = page.split("{{")
    made = [pieces[0]]
    for piece in pieces[1:]:
        name, _, rest = piece.partition("}}")
        made += [parts[name], rest]
    return "".join(made)


def arrays_of(picture: Picture) -> dict[str, NDArray[Any]]:
    """Return what a page holds, those of four bytes first, so that all lie even."""
    src, dst = picture.graph.edges.endpoints()
    ends = np.stack([src, dst], axis=1).astype("<u4")
    names = [] if picture.names is None else picture.names
    text = "\n".join(" ".join(each.splitlines()) or " " for each in names)
    arrays = {
        "places": picture.positions[:, :2].astype("<f4"),
        "ends": ends,
        "ids": picture.ids.astype("<u4"),
    }
    for number, values in enumerate(picture.values.values()):
        arrays[f"values{number}"] = values.numbers.astype("<f4")
    arrays["names"] = np.frombuffer(text.encode(), np.uint8)
    return arrays


def packed(arrays: dict[str, NDArray[Any]]) -> tuple[list[tuple[str, str, int, int]], str]:
    """Return what lies where, by name, kind, first byte and length, and all of it as a text."""
    listed, begin = [], 0
    for name, array in arrays.items():
        listed.append((name, f"{array.dtype.kind}{array.itemsize}", begin, array.size))
        begin += array.nbytes
    data = zlib.compress(b"".join(each.tobytes() for each in arrays.values()), 6)
    return listed, base64.b64encode(data).decode()


def described(values: Values) -> dict[str, Any]:
    """Return what a page knows of some values besides their numbers."""
    return {
        "name": values.name,
        "kinds": values.kinds,
        "low": values.low,
        "high": values.high,
        "log": values.is_log,
    }


def framed_page(page: str) -> str:
    """Return a page within another one, which it can neither read nor change.

    Examples
    --------
    >>> framed_page('<a href="x">')[:46]
    '<iframe srcdoc="&lt;a href=&quot;x&quot;&gt;" '
    """
    return FRAME.format(escape(page, quote=True))


def read(name: str) -> str:
    """Return one of the files of the page."""
    return (FOLDER / name).read_text(encoding="utf-8").rstrip("\n")
