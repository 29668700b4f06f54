"""The pictures of docs/gallery.md: a result drawn on a small graph, as SVG without a library.

Vertices and edges are coloured and labelled by what the algorithm returned; nothing is drawn by
hand. The graph is Zachary's karate club (W. Zachary, Journal of Anthropological Research 33, 1977);
what needs directed arcs gets `WEB`, what needs two sides gets `SIDES`. Text is written with few
digits, so that every machine writes the same file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from emv import Graph

Place = tuple[int, int]
WIDTH, HEIGHT = 220, 162
KARATE_PLACES: tuple[Place, ...] = (
    *((108, 97), (74, 91), (117, 70), (132, 89), (132, 113), (148, 130), (102, 127), (157, 87)),
    *((70, 69), (117, 46), (176, 114), (68, 122), (186, 101), (87, 74), (8, 48), (14, 31)),
    *((134, 152), (50, 112), (28, 22), (51, 76), (47, 20), (32, 106), (73, 17), (148, 28)),
    *((212, 44), (205, 60), (94, 8), (158, 46), (139, 46), (116, 19), (31, 63), (141, 64)),
    *((70, 45), (84, 42)),
)
WEB = (  # a cycle of cycles, with ways in and out: components, an order where there is one
    *((0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3), (1, 6), (6, 7), (7, 8), (8, 6)),
    *((8, 9), (9, 10), (10, 9), (4, 11), (11, 12), (12, 13), (13, 11), (10, 14), (13, 14)),
)
DAG = (
    *((0, 1), (0, 2), (1, 3), (2, 3), (2, 4), (3, 5), (4, 6), (5, 7), (6, 7), (4, 8), (8, 9)),
    *((9, 7), (1, 10), (10, 5), (7, 11), (9, 12), (6, 12)),
)
SIDES = ((0, 5), (0, 6), (1, 5), (1, 7), (2, 6), (2, 7), (2, 8), (3, 8), (3, 9), (4, 9), (4, 7))
RAMP = ("#fde725", "#a0da39", "#4ac16d", "#1fa187", "#277f8e", "#365c8d", "#46327e", "#440154")
RADIUS = 7


@dataclass(frozen=True)
class Drawing:
    """A graph with a place for every vertex.

    Attributes
    ----------
    graph : Graph
        What the algorithm is run on.
    places : tuple of (x, y)
        In the order of the vertex ids.
    """

    graph: Graph
    places: tuple[Place, ...]


def on_ring(count: int) -> tuple[Place, ...]:
    """Return places on an ellipse, the first at the left."""
    angles = np.pi + 2 * np.pi * np.arange(count) / count
    x, y = WIDTH / 2 + 98 * np.cos(angles), HEIGHT / 2 + 70 * np.sin(angles)
    return tuple((round(a), round(b)) for a, b in zip(x.tolist(), y.tolist(), strict=True))


def karate() -> Drawing:
    """Return the karate club; weights are how often two members met."""
    import networkx as nx

    club = nx.karate_club_graph()
    ends = np.array(list(club.edges))
    weight = np.array([club.edges[pair]["weight"] for pair in club.edges], np.float32)
    graph = Graph.from_edges(*ends.T, directed=False, weight=weight)
    return Drawing(graph.on("python"), KARATE_PLACES)


def directed(edges: tuple[tuple[int, int], ...]) -> Drawing:
    """Return a directed graph on a ring, weights 1, 2, 3, 1, 2, ..."""
    ends = np.array(edges)
    weight = (np.arange(len(ends)) % 3 + 1).astype(np.float32)
    graph = Graph.from_edges(*ends.T, weight=weight)
    return Drawing(graph.on("python"), on_ring(graph.num_vertices))


def two_sides() -> Drawing:
    """Return a bipartite graph: the left side above, the right side below."""
    graph = Graph.from_edges(*np.array(SIDES).T, directed=False, weight=np.float32(1))
    graph.vertices["side"] = (np.arange(10) >= 5).astype(np.uint8)
    above = tuple((30 + 40 * i, 40) for i in range(5))
    below = tuple((30 + 40 * i, 120) for i in range(5))
    return Drawing(graph.on("python"), above + below)


def text_of(value: Any) -> str:
    """Return a value in at most three characters, or four with the sign."""
    if isinstance(value, bool | np.bool_):
        return "✓" if value else ""
    if isinstance(value, int | np.integer):
        return str(int(value))
    number = float(value)
    if not np.isfinite(number):
        return "∞" if number > 0 else "?"
    if abs(number) >= 1000:
        return f"{number / 1000:.0f}k"
    if abs(number) >= 10:
        return f"{number:.0f}"
    shown = f"{number:.2f}" if abs(number) < 1 else f"{number:.1f}"
    return shown.rstrip("0").rstrip(".").replace("0.", ".", 1) or "0"


def colours(values: np.ndarray) -> list[str]:
    """Return a colour for every value, by its place among those that there are."""
    shown = np.round(values.astype(np.float64), 6)
    there = np.unique(shown[np.isfinite(shown)])
    steps = max(1, len(there) - 1)
    places = np.searchsorted(there, shown).clip(0, steps)
    ramp = [RAMP[round(place * (len(RAMP) - 1) / steps)] for place in places.tolist()]
    return [
        each if finite else "#ddd" for each, finite in zip(ramp, np.isfinite(shown), strict=True)
    ]


def line_paths(drawing: Drawing, wide: np.ndarray) -> Iterator[str]:
    """Yield the edges as two paths: the thin ones, then those that were chosen."""
    src, dst = drawing.graph.edges.endpoints()
    ends = [
        [drawing.places[v] for v in pair] for pair in zip(src.tolist(), dst.tolist(), strict=True)
    ]
    for chosen, style in ((False, "#bbb"), (True, '#d55e00" stroke-width="2.5')):
        moves = [
            f"M{a[0]} {a[1]}L{b[0]} {b[1]}"
            for (a, b), is_wide in zip(ends, wide.tolist(), strict=True)
            if is_wide == chosen
        ]
        if moves:
            yield f'<path d="{"".join(moves)}" stroke="{style}" fill="none"/>'


def arrow_heads(drawing: Drawing) -> Iterator[str]:
    """Yield the heads of directed edges as one path, at the rims of their vertices."""
    if not drawing.graph.directed:
        return
    moves = []
    src, dst = drawing.graph.edges.endpoints()
    for one, other in zip(src.tolist(), dst.tolist(), strict=True):
        (x, y), (to_x, to_y) = drawing.places[one], drawing.places[other]
        length = max(1.0, float(np.hypot(to_x - x, to_y - y)))
        along, across = (to_x - x) / length, (to_y - y) / length
        tip = to_x - RADIUS * along, to_y - RADIUS * across
        back = tip[0] - 6 * along, tip[1] - 6 * across
        corners = [
            tip,
            (back[0] - 3 * across, back[1] + 3 * along),
            (back[0] + 3 * across, back[1] - 3 * along),
        ]
        moves.append("M" + "L".join(f"{a:.0f} {b:.0f}" for a, b in corners) + "z")
    yield f'<path d="{"".join(moves)}" fill="#888"/>'


def circles(drawing: Drawing, values: np.ndarray | None) -> Iterator[str]:
    """Yield the vertices by colour, and their labels: light ones on the dark half of the ramp."""
    count = drawing.graph.num_vertices
    fills = ["#fff"] * count if values is None else colours(values)
    for fill in sorted(set(fills)):
        places = [p for p, each in zip(drawing.places, fills, strict=True) if each == fill]
        dots = "".join(f"M{x - RADIUS} {y}a7 7 0 1 0 14 0a7 7 0 1 0-14 0" for x, y in places)
        yield f'<path d="{dots}" fill="{fill}" stroke="#555" stroke-width=".5"/>'
    shown = range(count) if values is None else values.tolist()
    for ink in ("#000", "#fff"):
        texts = [
            f'<text x="{x}" y="{y + 2.5:g}">{text_of(value)}</text>'
            for (x, y), value, fill in zip(drawing.places, shown, fills, strict=True)
            if (ink == "#fff") == (fill in RAMP[4:]) and text_of(value)
        ]
        if texts:
            yield f'<g fill="{ink}">{"".join(texts)}</g>'


def picture(
    drawing: Drawing, values: np.ndarray | None, wide: np.ndarray, caption: str = ""
) -> str:
    """Return the SVG.

    Parameters
    ----------
    drawing : Drawing
        The graph.
    values : any[num_vertices] or None
        What the vertices are coloured and labelled by; None labels them by their ids.
    wide : bool[num_edges]
        The edges to draw wide.
    caption : str
        A line at the bottom.
    """
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        'font-family="sans-serif" font-size="7" text-anchor="middle">',
        *line_paths(drawing, wide),
        *arrow_heads(drawing),
        *circles(drawing, values),
    ]
    if caption:
        parts.append(f'<text x="{WIDTH - 30}" y="{HEIGHT - 4}" font-size="9">{caption}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"
