"""Graphs, runs, profiles and plans as notebooks show them: small tables and inline pictures.

Nothing is loaded for it and nothing runs in the page: pictures are SVG of a few rectangles in
``currentColor`` and one accent, so that they are read on light and dark grounds. Whatever a user
has named is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

ACCENT = "#3b82c4"
DARK_ACCENT = "#7db7e8"
STYLE = f"""<style>
.emv {{ --emv-accent: {ACCENT}; font-family: system-ui, sans-serif; font-size: 13px; }}
@media (prefers-color-scheme: dark) {{ .emv {{ --emv-accent: {DARK_ACCENT}; }} }}
[data-jp-theme-light="false"] .emv, .vscode-dark .emv, html[data-theme="dark"] .emv {{
  --emv-accent: {DARK_ACCENT}; }}
[data-jp-theme-light="true"] .emv, .vscode-light .emv, html[data-theme="light"] .emv {{
  --emv-accent: {ACCENT}; }}
.emv table {{ border-collapse: collapse; margin: 4px 0; color: inherit; background: none; }}
.emv td, .emv th {{ padding: 1px 10px 1px 0; text-align: right; font-weight: normal;
  background: none; border: none; color: inherit; font-variant-numeric: tabular-nums; }}
.emv th {{ opacity: .65; }}
.emv td:first-child, .emv th:first-child {{ text-align: left; }}
.emv td.words {{ text-align: left; }}
.emv svg {{ color: inherit; display: block; margin: 4px 0; }}
.emv svg .bar {{ fill: var(--emv-accent); }}
.emv svg text {{ fill: currentColor; font-size: 10px; opacity: .75; }}
.emv summary {{ cursor: pointer; }}
.emv pre {{ margin: 2px 0 2px 14px; line-height: 1.3; color: inherit; background: none; }}
</style>"""
MOST_ROWS = 60  # of a table
BARS_WIDTH, BARS_HEIGHT = 320, 64


def framed(title: str, *parts: str) -> str:
    """Return what a notebook shows: a title, and parts that are HTML.

    Examples
    --------
    >>> framed("a < b").endswith("<div class='emv'><b>a &lt; b</b></div>")
    True
    """
    return f"{STYLE}<div class='emv'><b>{escape(title)}</b>{''.join(parts)}</div>"


def facts(pairs: Iterable[tuple[str, Any]]) -> str:
    """Return a table of names and what they are."""
    rows = (
        f"<tr><th>{escape(name)}</th><td class='words'>{escape(str(value))}</td></tr>"
        for name, value in pairs
    )
    return f"<table>{''.join(rows)}</table>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of texts; of many rows those at the beginning, and how many are left out.

    Examples
    --------
    >>> table(["<a>"], [["1"]])
    '<table><tr><th>&lt;a&gt;</th></tr><tr><td>1</td></tr></table>'
    """
    rows = list(rows)
    lines = ["".join(f"<th>{escape(cell)}</th>" for cell in head)]
    lines += ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows[:MOST_ROWS]]
    if len(rows) > MOST_ROWS:
        lines.append(f"<td>and {len(rows) - MOST_ROWS:,} more</td>")
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def folded(title: str, text: str) -> str:
    """Return a text that is unfolded by a click."""
    return f"<details><summary>{escape(title)}</summary><pre>{escape(text)}</pre></details>"


def columns(heights: Sequence[float], names: Sequence[str], caption: str) -> str:
    """Return a picture of upright bars, with the first and the last name below them.

    Parameters
    ----------
    heights : list of float
        From 0 on, in any scale.
    names : list of str
        What each bar says when it is pointed at.
    caption : str
        What is counted.
    """
    most = max(heights, default=0) or 1
    width = BARS_WIDTH / max(len(heights), 1)
    bars = []
    for number, (height, name) in enumerate(zip(heights, names, strict=True)):
        tall = max(BARS_HEIGHT * height / most, 1 if height else 0)
        bars.append(
            f"<rect class='bar' x='{number * width:.1f}' y='{BARS_HEIGHT - tall:.1f}' "
            f"width='{max(width - 1, 0.5):.1f}' height='{tall:.1f}'>"
            f"<title>{escape(name)}</title></rect>"
        )
    return (
        f"<svg width='{BARS_WIDTH}' height='{BARS_HEIGHT + 16}' role='img' "
        f"aria-label='{escape(caption, quote=True)}'>{''.join(bars)}"
        f"<text x='0' y='{BARS_HEIGHT + 12}'>{escape(caption)}</text></svg>"
    )


def shares(rows: Sequence[tuple[str, float, str]]) -> str:
    """Return a picture of lying bars, each with a name before it and a text behind it."""
    most = max((value for _, value, _ in rows), default=0) or 1
    lines = [
        f"<tr><td>{escape(name)}</td><td class='words'>"
        f"<svg width='160' height='11' role='img' aria-label='{escape(text, quote=True)}'>"
        f"<rect class='bar' width='{160 * value / most:.1f}' height='9' y='1'></rect></svg></td>"
        f"<td>{escape(text)}</td></tr>"
        for name, value, text in rows[:MOST_ROWS]
    ]
    return f"<table>{''.join(lines)}</table>"
