"""A graph drawn by matplotlib: edges as lines, vertices as dots, names beside the largest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import ArgumentError
from emv.graph import Graph
from emv.imports import required
from emv.shown.plot import figure_class
from emv.viz.picture import Picture
from emv.viz.values import KINDS, RAMPS, Values

INCHES = 7.0
MANY = 20_000  # edges from which on a picture of lines has them as dots of an image
INK = {"light": ("#ffffff", "#9aa4b0", "#20262e"), "dark": ("#12161c", "#56606e", "#e6eaf0")}
DOTS = (4.0, 240.0)  # areas of the smallest and the largest, in square points
NOTHING = "#8a8f98"  # the colour of what has no value


def draw_picture(
    picture: Picture,
    path: Any = None,
    *,
    ax: Any = None,
    theme: str = "light",
    names: int | list[int] = 0,
) -> Any:
    """Draw a picture; see `emv.viz.draw`."""
    if theme not in INK:
        raise ArgumentError(f"draw(): theme={theme!r}", remedy="Give 'light' or 'dark'.")
    if ax is None:
        ax = figure_class("draw")(figsize=(INCHES, INCHES), layout="constrained").add_subplot()
    figure = ax.figure
    ground, line, ink = INK[theme]
    figure.set_facecolor(ground)
    ax.set_facecolor(ground)
    ax.set_aspect("equal")
    ax.set_axis_off()
    where = picture.positions
    _draw_edges(ax, picture.graph, where, line)
    sizes = _sizes(picture)
    _draw_vertices(ax, picture, sizes, theme)
    _write_names(ax, picture, names, sizes, (ground, ink))
    if path is not None:
        try:
            figure.savefig(path, facecolor=ground, dpi=150)
        except (OSError, ValueError) as error:  # ValueError: an ending that means no format
            raise ArgumentError(
                f"the picture cannot be saved as {path}: {error}",
                remedy="Name a file that may be written, such as graph.png or graph.svg.",
            ) from None
    return figure


def _draw_edges(ax: Any, graph: Graph, where: NDArray[np.float32], color: str) -> None:
    """Draw the edges, the fainter the more there are."""
    src, dst = graph.edges.endpoints()
    alpha = float(np.clip(12 / np.sqrt(len(src) + 1), 0.04, 0.7))
    lines = np.stack([where[src], where[dst]], axis=1)
    drawn = required("matplotlib.collections").LineCollection(
        lines, colors=color, linewidths=0.6, alpha=alpha, zorder=1
    )
    drawn.set_rasterized(len(src) > MANY)
    ax.add_collection(drawn)


def _draw_vertices(ax: Any, picture: Picture, sizes: NDArray[np.float64], theme: str) -> None:
    """Draw the vertices, the large ones below the small ones, and what their colours tell."""
    order = np.argsort(-sizes, kind="stable")
    values, where = picture.color, picture.positions
    colors = colors_of(values, picture.graph.num_vertices, theme)
    ax.scatter(
        *where[order].T, s=sizes[order], c=colors[order], linewidths=0, zorder=2
    ).set_rasterized(len(order) > MANY)
    if values is None:
        return
    if values.kinds:
        lines = required("matplotlib.lines")
        marks = [
            lines.Line2D([], [], marker="o", linestyle="", color=color, label=kind)
            for kind, color in zip(values.kinds, KINDS, strict=False)
        ]
        legend = ax.legend(handles=marks, title=values.name, fontsize=8, frameon=False)
        legend.get_title().set_color(INK[theme][2])
        for text in legend.get_texts():
            text.set_color(INK[theme][2])
        return
    colors_module = required("matplotlib.colors")
    norm = colors_module.LogNorm if values.is_log else colors_module.Normalize
    high = values.high if values.high > values.low else values.low + 1
    shown = required("matplotlib.cm").ScalarMappable(norm(values.low, high), ramp(theme))
    bar = ax.figure.colorbar(shown, ax=ax, shrink=0.5, label=values.name)
    bar.ax.yaxis.label.set_color(INK[theme][2])
    bar.ax.tick_params(which="both", colors=INK[theme][2])


def ramp(theme: str) -> Any:
    """Return the colours of a scale as matplotlib has them."""
    return required("matplotlib.colors").LinearSegmentedColormap.from_list("emv", RAMPS[theme])


def colors_of(values: Values | None, count: int, theme: str) -> NDArray[np.float64]:
    """Return the colour of every vertex, ``float64[num_vertices, 4]``."""
    to_rgba = required("matplotlib.colors").to_rgba_array
    if values is None:
        return np.repeat(to_rgba(RAMPS[theme][2]), count, axis=0)
    missing = np.isnan(values.numbers)
    numbers = np.where(missing, 0, values.numbers)
    if values.kinds:
        found = to_rgba(KINDS)[numbers.astype(np.int64)]
    else:
        found = ramp(theme)(np.where(missing, 0, values.shares()))
    found[missing] = to_rgba(NOTHING)
    return np.asarray(found, np.float64)


def _sizes(picture: Picture) -> NDArray[np.float64]:
    """Return the areas of the dots, in square points: smaller where there are many."""
    values, count = picture.size, picture.graph.num_vertices
    if values is None:
        share = np.sqrt(picture.graph.both_ways().out_degrees().astype(float))
        share /= max(share.max(initial=0.0), 1.0)
    else:
        share = np.nan_to_num(values.shares())
    small, large = DOTS
    most: float = large / max(1.0, np.sqrt(count / 50))
    small = min(small, most)
    return np.asarray(small + (most - small) * share**2, np.float64)


def _write_names(
    ax: Any,
    picture: Picture,
    names: int | list[int],
    sizes: NDArray[np.float64],
    inks: tuple[str, str],
) -> None:
    """Write names beside the vertices of a list, or beside the largest that have room."""
    ground, ink = inks
    halo = required("matplotlib.patheffects").withStroke(linewidth=2, foreground=ground)
    if not isinstance(names, int):
        places = np.searchsorted(picture.ids, names)
        places = places[picture.ids[np.minimum(places, len(picture.ids) - 1)] == names]
    else:
        places = np.argsort(-sizes, kind="stable") if names > 0 else np.empty(0, np.int64)
    taken: list[Any] = []
    for place in places.tolist():
        if isinstance(names, int) and len(taken) == names:
            break
        text = ax.annotate(
            picture.name_of(place),
            picture.positions[place, :2],
            (3, 3),
            textcoords="offset points",
            color=ink,
            fontsize=8,
            path_effects=[halo],
        )
        box = text.get_window_extent()
        if isinstance(names, int) and any(box.overlaps(other) for other in taken):
            text.remove()
            continue
        taken.append(box)
