"""The figures of the graphs that are used beside those that the papers print: `table`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from emv.datasets.catalogue import Figures
from emv.datasets.loading import Dataset, load, names
from emv.graph.stats import GraphStats

HEAD = ("graph", "is", "V", "arcs", "largest", "mean", "deviation", "diameter", "component")


@dataclass(frozen=True)
class Row:
    """One graph: what it is, its figures, the paper's.

    Attributes
    ----------
    name, title, kind, about : str
        As of its `Dataset`.
    sha256 : str or None
        Of the file it was read from.
    stats : GraphStats
        Measured.
    printed : Figures
        In the paper.
    """

    name: str
    title: str
    kind: str
    about: str
    sha256: str | None
    stats: GraphStats
    printed: Figures

    def as_json(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return asdict(self)


@dataclass(frozen=True)
class Table:
    """The rows; its text is a table in Markdown, with the papers' figures below the measured ones.

    Attributes
    ----------
    rows : list of Row
        One for each graph.
    """

    rows: list[Row]

    def __repr__(self) -> str:
        lines = [HEAD, ("---",) * len(HEAD)]
        for row in self.rows:
            lines += [_measured(row), _printed(row)]
        return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def table(wanted: Iterable[str] | None = None, *, scale: float = 1.0) -> Table:
    """Measure graphs of the papers, and set the papers' figures beside them.

    Parameters
    ----------
    wanted : iterable of str, optional
        Names; by default all. One is made or read, measured and dropped before the next.
    scale : float
        Of `load`.

    Examples
    --------
    >>> print(table(["email-enron"], scale=0.1))  # doctest: +ELLIPSIS
    | graph | is | V | arcs | largest | mean | deviation | diameter | component |
    | --- | --- | --- | --- | --- | --- | --- | --- | --- |
    | email-enron | stand-in | 3,669 | 36,766 | ...
    |  | printed | - | - | - | - | - | 11 | - |
    """
    return Table([measure(load(name, scale=scale)) for name in wanted or names()])


def measure(found: Dataset) -> Row:
    """Return the row of a graph."""
    stats = found.graph.stats(diameter=True, parts=True)
    return Row(found.name, found.title, found.kind, found.about, found.sha256, stats, found.printed)


def _measured(row: Row) -> tuple[str, ...]:
    stats, degree = row.stats, row.stats.out_degree
    share = (stats.largest_part or 0) / max(1, stats.num_vertices)
    return (
        row.name,
        row.kind,
        f"{stats.num_vertices:,}",
        f"{stats.num_arcs:,}",
        f"{degree.max:,}",
        f"{degree.mean:.3g}",
        f"{degree.deviation:.3g}",
        f">= {stats.diameter:,}",
        f"{share:.1%}",
    )


def _printed(row: Row) -> tuple[str, ...]:
    figures = row.printed
    return (
        "",
        "printed",
        "-" if figures.num_vertices is None else f"{figures.num_vertices} M",
        "-" if figures.num_arcs is None else f"{figures.num_arcs} M",
        "-" if figures.max is None else f"{figures.max:,}",
        "-" if figures.mean is None else f"{figures.mean:g}",
        "-" if figures.deviation is None else f"{figures.deviation:g}",
        "-" if figures.diameter is None else f"{figures.diameter:,}",
        "-",
    )
