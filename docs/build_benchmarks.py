"""Write the tables and pictures of docs/benchmarks.md from the JSON of record.

Usage: python -m docs.build_benchmarks [--check] [FILE ...]

FILE are what `bench.record` and `bench.growth` wrote, one of each for a target; by default
suite-TARGET.json and growth-TARGET.json of bench/results. Only what stands between the page's
markers is written, README's claims between its own, and the pictures in docs/pictures, for which
matplotlib is needed. ``--check`` compares instead: the text word by word, the pictures by the
digest of their rows.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.machine import RESULTS, ROOT
from bench.suite_problems import GAP, ITERATIONS, LABEL_ROUNDS, MANY, NUM_SOURCES, PROBLEMS, SUITES
from bench.suite_rows import SuiteRow, mean_ratio, mean_ratios, middle, restored
from docs.benchmark_pictures import draw, draw_growth

PAGE = ROOT / "docs" / "benchmarks.md"
README = ROOT / "README.md"
PICTURES = ROOT / "docs" / "pictures"
REMEDY = "run: python -m docs.build_benchmarks"
TITLES = {"cpu": "cores", "cuda": "a GPU"}
LABELS = {
    "bfs": "BFS",
    "sssp": "SSSP",
    "pagerank": f"PageRank, {ITERATIONS} iterations",
    "components": "components (CC, WCC)",
    "betweenness": f"betweenness from {NUM_SOURCES} sources",
    "labels": f"label propagation (CDLP), {LABEL_ROUNDS} rounds",
    "clustering": "clustering coefficients (LCC)",
    "bfs_N": "BFS-N",
    "bfs_Q": "BFS-Q",
    "sssp_N": "SSSP-N",
    "sssp_Q": "SSSP-Q",
    "pagerank_100": f"PageRank, {MANY} iterations",
    "matching": "maximal bipartite matching (MBM)",
    "forest": "spanning forest",
    "core_numbers": "core numbers",
    "strong_components": "strong components of arcs",
    "strong_undirected": "strong components of edges, which are components",
    "independent_set": "maximal independent set",
}
"""What readers call a problem, where it is not its name."""
CPU_PEERS = ("scipy", "networkit", "graphblas", "GAP", "Wasp", "PASGAL")


class ReportError(Exception):
    """A file that cannot be shown."""


class Figures:
    """All rows of some files, one of each target, with the machines that they were taken on.

    Raises `ReportError` if a file is of tiny graphs, or two are of one target.
    """

    def __init__(self, files: Iterable[Path]) -> None:
        self.heads: dict[str, dict[str, Any]] = {}
        self.growth: dict[str, dict[str, Any]] = {}
        self._rows: list[SuiteRow] = []
        for file in files:
            whole = json.loads(file.read_text(encoding="utf-8"))
            whole |= whole.get("options", {})
            target = whole["target"]
            if whole.get("tiny"):
                raise ReportError(f"{file.name} is of tiny graphs, which show nothing")
            if "scale" in whole["rows"][0]:
                self.growth[target] = {**whole, "file": file.name}
                continue
            if target in self.heads:
                raise ReportError(f"{file.name}: there is another file of {TITLES[target]}")
            commits = list(dict.fromkeys(each["commit"] for each in whole["rows"]))
            self.heads[target] = {**whole, "file": file.name, "commits": commits}
            self._rows += [restored(each) for each in whole["rows"]]

    def rows(self, target: str) -> list[SuiteRow]:
        """Return the rows of a target, by graph and problem in the suite's order."""
        order = list(PROBLEMS)
        graphs = list(dict.fromkeys(row.graph for row in self._rows))
        return sorted(
            (row for row in self._rows if row.target == target),
            key=lambda row: (graphs.index(row.graph), order.index(row.problem)),
        )

    def digest(self, target: str) -> str:
        """Return what tells these rows from others."""
        shown = [[*row.key(), row.median, row.ratios(), row.by_hand] for row in self.rows(target)]
        return digest(shown)


def digest(shown: Any) -> str:
    """Return what tells some figures from others."""
    return hashlib.sha256(json.dumps(shown).encode()).hexdigest()[:16]


def of_record() -> list[Path]:
    """Return the files of record that there are."""
    return [file for kind in ("suite", "growth") for file in sorted(RESULTS.glob(f"{kind}-*.json"))]


def label(problem: str) -> str:
    """Return what readers call a problem."""
    return LABELS.get(problem, problem)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table."""
    yield f"| {' | '.join(head)} |"
    yield "|---" * len(head) + "|"
    yield from (f"| {' | '.join(cells)} |" for cells in rows)


def ms(value: float | None) -> str:
    """Return milliseconds with three digits that count."""
    if value is None:
        return "-"
    return f"{value:.3f}" if value < 1 else f"{value:.2f}" if value < 100 else f"{value:.0f}"


def percent(share: float | None) -> str:
    """Return a share as a whole number of per cent.

    Examples
    --------
    >>> percent(0.123), percent(None)
    ('12%', '-')
    """
    return "-" if share is None else f"{100 * share:.0f}%"


def compared(row: SuiteRow, milliseconds: float | None) -> str:
    """Return the cell of another's time, in bold where emv is slower."""
    if milliseconds is None:
        return ""
    mark = "**" if row.median is not None and row.median > milliseconds else ""
    return f"{mark}{ms(milliseconds)}{mark}"


def worst(row: SuiteRow) -> str:
    """Return emv's ratio to the best peer."""
    ratios = row.ratios()
    name = max(ratios, key=lambda each: ratios[each], default="")
    return f"{ratios[name]:.2f} of {name}" if name else ""


def cpu_cells(row: SuiteRow) -> list[str]:
    """Return what the table of the cores says of a row besides emv's time."""
    peers = row.peers()
    return [*(compared(row, peers.get(name)) for name in CPU_PEERS), worst(row)]


def cuda_cells(row: SuiteRow) -> list[str]:
    """Return what the table of the GPU says of a row besides emv's time."""
    whole = (row.all_call_ms, row.all_result_ms, row.all_whole_ms)
    peers = ", ".join(f"{name} {compared(row, each)}" for name, each in row.peers().items())
    hand = "" if row.by_hand is None else f"{row.by_hand:.2f}"
    hand = f"**{hand}**" if (row.by_hand or 0) > 1 else hand
    return [*(ms(middle(each)) for each in whole), peers, worst(row), hand]


COLUMNS = {
    "cpu": ("emv", "+-", *CPU_PEERS, "ratio to the best"),
    "cuda": (
        *("device", "+-", "call", "and result", "and graph", "peers"),
        *("ratio to the best", "to by hand"),
    ),
}
CELLS = {"cpu": cpu_cells, "cuda": cuda_cells}


def cells_of(row: SuiteRow) -> list[str]:
    """Return the cells of a row; of one that does not count, why."""
    graph = f"{row.graph} (stand-in)" if row.kind == "stand-in" else row.graph
    noted = f" ({row.note})" if row.note and row.counts else ""
    named = [graph, f"{label(row.problem)}{noted}"]
    if not row.counts:
        return [*named, row.checked(), *[""] * (len(COLUMNS[row.target]) - 1)]
    return [*named, ms(row.median), percent(row.spread), *CELLS[row.target](row)]


def means(rows: list[SuiteRow]) -> Iterator[str]:
    """Yield the table of mean ratios: a line for each peer, a column for each suite."""
    parts = {"all rows": rows, **{s: [row for row in rows if s in row.suites] for s in SUITES}}
    found = {title: mean_ratios(part) for title, part in parts.items() if part}
    head = ("geometric mean of emv's time over that of", *found)
    yield from table(
        head,
        ([name, *(each.get(name, "") for each in found.values())] for name in found["all rows"]),
    )


def told(head: dict[str, Any]) -> str:
    """Return the line about the machine of a file."""
    machine = head["machine"]
    on = machine.get("gpu") or f"{machine['cores']} cores of {machine['processor']}"
    commits = ", ".join(f"`{each[:12]}`" for each in head["commits"])
    versions = ", ".join(f"{name} {each}" for name, each in machine["versions"].items() if each)
    return (
        f"* `{head['file']}`: {on}, load {machine['load_average']:.1f}, {machine['date']}, "
        f"commit {commits}, at most {head['rounds']} rounds; {versions}"
    )


def section(figures: Figures, target: str) -> Iterator[str]:
    """Yield the lines between the markers of a target."""
    rows = figures.rows(target)
    if not rows:
        yield f"There are no figures of {TITLES[target]} in `bench/results` yet."
        return
    losses, failed = sum(row.is_loss for row in rows), sum(not row.counts for row in rows)
    yield f"![emv's time over its peers' on {TITLES[target]}](pictures/suite-{target}.svg)\n"
    yield (
        f"{len(rows)} rows; in {losses} of them a peer or a kernel by hand is faster, "
        f"{failed} have no figure.\n"
    )
    yield from means(rows)
    yield ""
    yield from table(("graph", "problem", *COLUMNS[target]), map(cells_of, rows))
    yield ""
    for row in rows:
        for name, why in row.peer_faults.items():
            yield f"* not compared: {name} on {row.graph}, {label(row.problem)}: {why}"
    yield told(figures.heads[target])


GROWTH_HEAD = (
    *("arcs", "BFS", "SSSP", "PageRank, 10 iterations"),
    *("components", "betweenness", "triangles"),
)


def growth_section(figures: Figures) -> Iterator[str]:
    """Yield the lines of how cost grows: a picture, and a table for each target."""
    if not figures.growth:
        yield "There are no figures in `bench/results` yet."
        return
    yield "![Time per arc as graphs grow](pictures/growth.svg)"
    for target, whole in figures.growth.items():
        by_size: dict[int, dict[str, dict[str, Any]]] = {}
        for row in whole["rows"]:
            by_size.setdefault(row["num_arcs"], {})[row["problem"]] = row
        yield f"\nOn {TITLES[target]}, ns an arc; behind it the most bytes, and those planned:\n"
        yield from table(
            GROWTH_HEAD,
            (
                [f"{num_arcs:,}", *(growth_cell(rows.get(name)) for name in GAP)]
                for num_arcs, rows in by_size.items()
            ),
        )
        yield ""
        yield told({**whole, "rounds": 5, "commits": [whole["machine"]["commit"]]})


def growth_cell(row: dict[str, Any] | None) -> str:
    """Return the cell of a problem on a size."""
    if row is None or row["fault"]:
        return "" if row is None else "WRONG"
    peak, planned = (row[name] / row["num_arcs"] for name in ("peak_bytes", "planned_bytes"))
    return f"{1e6 * row['ms'] / row['num_arcs']:.3g} ({peak:.1f} of {planned:.1f})"


def claims(figures: Figures) -> Iterator[str]:
    """Yield what README says of each target: rows, losses, and the mean ratio to the best peer."""
    for target, title in TITLES.items():
        rows = figures.rows(target)
        compared = [max(row.ratios().values()) for row in rows if row.ratios()]
        if compared:
            losses, (ratio, *_) = sum(row.is_loss for row in rows), mean_ratio(compared).split()
            yield f"  On {title} emv's time is {ratio} of the best peer's, the geometric mean over"
            told = f"{len(compared)} rows that a peer has"
            yield f"  {told}; {losses} of all {len(rows)} rows are lost."


def written(page: str, sections: dict[str, Iterable[str]]) -> str:
    """Return a page with the text between its markers renewed; complain where one is missing."""
    for name, lines in sections.items():
        marks = rf"(<!-- {name}: begin -->\n).*?(<!-- {name}: end -->)"
        if not re.search(marks, page, re.DOTALL):
            raise ReportError(f"the page has no <!-- {name}: begin --> and end")
        text = "".join(f"{line}\n" for line in lines)
        page = re.sub(marks, lambda found, text=text: found[1] + text + found[2], page, flags=re.S)
    return page


def renewed(figures: Figures) -> dict[Path, str]:
    """Return every page with its tables and claims as the figures say."""
    sections: dict[Path, dict[str, Iterable[str]]] = {
        PAGE: {
            **{target: section(figures, target) for target in TITLES},
            "growth": growth_section(figures),
        },
        README: {"claims": claims(figures)},
    }
    return {
        page: written(page.read_text(encoding="utf-8"), parts) for page, parts in sections.items()
    }


def stale(figures: Figures) -> list[str]:
    """Return what is not as the figures say."""
    found = [
        f"the figures of {page.name}"
        for page, text in renewed(figures).items()
        if text != page.read_text(encoding="utf-8")
    ]
    for name, (shown, _) in pictures(figures).items():
        picture = PICTURES / name
        drawn = picture.read_text("utf-8") if picture.exists() else ""
        if shown not in drawn or (drawn and not shown):
            found.append(name)
    return found


def pictures(figures: Figures) -> dict[str, tuple[str, Callable[[Path], None]]]:
    """Return every picture by its name: what tells its figures from others, and what draws it."""
    grown = [row for whole in figures.growth.values() for row in whole["rows"]]
    shown = digest(grown) if grown else ""
    found: dict[str, tuple[str, Callable[[Path], None]]] = {
        "growth.svg": (shown, functools.partial(draw_growth, grown, TITLES, shown))
    }
    for target, title in TITLES.items():
        rows = figures.rows(target)
        shown = figures.digest(target) if rows else ""
        found[f"suite-{target}.svg"] = shown, functools.partial(draw, rows, title, shown)
    return found


def main(arguments: list[str] | None = None) -> int:
    """Write or check the page; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="docs.build_benchmarks", description=__doc__.splitlines()[0]
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    options = parser.parse_args(arguments)
    try:
        figures = Figures(options.files or of_record())
        if options.check:
            for each in (found := stale(figures)):
                print(f"not current: {each}; {REMEDY}")
            return int(bool(found))
        for page, text in renewed(figures).items():
            page.write_text(text, encoding="utf-8")
        PICTURES.mkdir(exist_ok=True)
        for name, (shown, draw_into) in pictures(figures).items():
            (PICTURES / name).unlink(missing_ok=True)
            if shown:
                draw_into(PICTURES / name)
    except ReportError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
