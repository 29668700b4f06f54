"""The pictures: emv's time over that of each peer, and time per arc as graphs grow.

Of the first a row of the table is a row of points, and a peer has one colour; left of the middle
line emv is faster.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench.suite_rows import SuiteRow

ECL, OTHER = "ECL", "TRUST, GraphMiner"
COLOURS = {  # Okabe and Ito's, which the colour-blind can tell apart
    "scipy": "#0072b2",
    "networkit": "#e69f00",
    "graphblas": "#009e73",
    "GAP": "#d55e00",
    "cuGraph": "#0072b2",
    "Gunrock": "#e69f00",
    "gardenia": "#009e73",
    "by hand": "#000000",
    ECL: "#d55e00",  # those of the suite share one, as no row has two of them
    OTHER: "#cc79a7",
}
GROWTH_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#000000")
ROW_INCHES = 0.17


def label_of(peer: str) -> str:
    """Return what the legend calls a peer."""
    return peer if peer in COLOURS else ECL if peer.startswith(ECL) else OTHER


def draw(rows: list[SuiteRow], title: str, digest: str, path: Path) -> None:
    """Draw the ratios of all rows that count, from top to bottom, as SVG.

    `title` says where they were taken, `digest`, which is written into the file, which they are.
    """
    from matplotlib.figure import Figure

    shown = [row for row in rows if row.all_ratios()]
    figure = Figure(figsize=(7.5, 1.2 + ROW_INCHES * max(1, len(shown))), layout="constrained")
    axes: Any = figure.subplots()
    marks: dict[str, list[tuple[float, int]]] = {}
    for place, row in enumerate(shown):
        for peer, ratio in row.all_ratios().items():
            marks.setdefault(label_of(peer), []).append((ratio, place))
    for label, found in marks.items():
        x, y = zip(*found, strict=True)
        axes.plot(x, y, "o", markersize=3.5, color=COLOURS[label], label=label)
    axes.axvline(1, color="#888888", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_yticks(range(len(shown)), [f"{row.graph}  {row.problem}" for row in shown])
    axes.set_ylim(len(shown) - 0.5, -0.5)
    axes.set_xlabel("emv's time over the peer's: left of 1 emv is faster", fontsize=7)
    finished(axes, f"emv and its peers on {title}", "x")
    figure.legend(fontsize=6, ncols=4, loc="outside lower center")
    kept(figure, digest, path)


def draw_growth(
    rows: list[dict[str, Any]], titles: dict[str, str], digest: str, path: Path
) -> None:
    """Draw time per arc over arcs as SVG, a part for every target, of rows of `bench.growth`."""
    from matplotlib.figure import Figure

    targets = list(dict.fromkeys(row["target"] for row in rows))
    problems = dict.fromkeys(row["problem"] for row in rows)
    figure = Figure(figsize=(3.75 * len(targets) + 0.2, 3.4), layout="constrained")
    parts = figure.subplots(1, len(targets), squeeze=False)[0]
    for axes, target in zip(parts, targets, strict=True):
        for problem, colour in zip(problems, GROWTH_COLOURS, strict=False):
            of_it = [row for row in rows if (row["problem"], row["target"]) == (problem, target)]
            x = [row["num_arcs"] for row in of_it]
            y = [1e6 * row["ms"] / row["num_arcs"] for row in of_it]
            axes.plot(x, y, "o-", markersize=3, linewidth=0.8, color=colour, label=problem)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xlabel("arcs", fontsize=7)
        axes.set_ylabel("ns an arc", fontsize=7)
        finished(axes, f"R-MAT on {titles[target]}", "both")
    known = parts[-1].get_legend_handles_labels()
    figure.legend(*known, fontsize=6, ncols=6, loc="outside lower center")
    kept(figure, digest, path)


def finished(axes: Any, title: str, grid: str) -> None:
    """Give a part its title, a grid and small letters."""
    axes.tick_params(labelsize=6)
    axes.set_title(title, fontsize=8)
    axes.grid(axis=grid, linewidth=0.3)


def kept(figure: Any, digest: str, path: Path) -> None:
    """Write a picture as SVG, the same for the same figures."""
    import matplotlib as mpl

    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "emv", "path.simplify": True}):
        about = {"Date": None, "Creator": None, "Description": f"rows {digest}"}
        figure.savefig(path, format="svg", metadata=about)
