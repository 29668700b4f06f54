"""The rows of the GPU figures: what is measured, the ratios that follow, the line of the table."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from bench import gpu_figures

HEADER = (
    f"{'graph':<8}{'problem':<11}{'device':>9}{'target':>8}{'ratio':>7} {'':<7}{'call':>9}{'':<2}"
    f"{'peer':>9}{'ratio':>7}{'by hand':>9}{'ratio':>7}  check"
)
NOTE_WIDTH = 100


@dataclass
class Row:
    """One algorithm on one graph, in milliseconds.

    Attributes
    ----------
    algorithm, graph : str
        Which.
    all_ms : list of float
        Device time of every round: from the first launch to the last, results left on the device.
        Of PageRank one iteration: the difference of 20 and 10 of them, over 10.
    all_call_ms : list of float
        Time of the whole call from Python, with waiting; of PageRank all `iterations`.
    iterations : int
        Of PageRank, otherwise 0.
    whole_ms : float
        Of PageRank: device time of all iterations over their number.
    supersteps : int
        Of the run.
    first_s : float
        The first call in this process: compiling, copying the graph to the device.
    baselines_ms : dict of str to float
        The hand-written kernels, the best of their choices each.
    baseline_faults : dict of str to list of str
        What is wrong with the results of hand-written kernels, choice by choice.
    fault : str
        What is wrong with the result; empty when it is right.
    error : str
        Why there is no figure.
    """

    algorithm: str
    graph: str
    all_ms: list[float] = field(default_factory=list)
    all_call_ms: list[float] = field(default_factory=list)
    iterations: int = 0
    whole_ms: float = 0.0
    supersteps: int = 0
    first_s: float = 0.0
    baselines_ms: dict[str, float] = field(default_factory=dict)
    choices: dict[str, str] = field(default_factory=dict)
    baseline_faults: dict[str, list[str]] = field(default_factory=dict)
    fault: str = ""
    error: str = ""
    note: str = ""

    def report(self) -> dict[str, Any]:
        """Return the row of the JSON: what was measured and what follows from it."""
        target = gpu_figures.target_ms(self.algorithm, self.graph)
        peer_ms, peer = gpu_figures.peer(self.algorithm, self.graph)
        by_hand = min(self.baselines_ms.values(), default=None)
        median = statistics.median(self.all_ms) if self.all_ms else None
        call = statistics.median(self.all_call_ms) if self.all_call_ms else None
        most_call = max(self.iterations, 1) * target + gpu_figures.MOST_OVER_TARGET_MS
        return {
            "algorithm": self.algorithm,
            "graph": self.graph,
            "median_ms": median,
            "call_ms": call,
            "target_ms": target,
            "ratio_to_target": over(median, target),
            "call_limit_ms": most_call,
            "call_met": None if call is None else call <= most_call,
            "peer": peer,
            "peer_ms": peer_ms,
            "ratio_to_peer": over(median, peer_ms),
            "baseline_ms": by_hand,
            "ratio_to_baseline": over(median, by_hand),
            **asdict(self),
        }

    def line(self) -> str:
        """Return the line of the table."""
        row = self.report()
        met = "" if row["median_ms"] is None else "met" if row["ratio_to_target"] <= 1 else "MISSED"
        late = {None: "", True: "", False: "!"}[row["call_met"]]
        checked = self.error or (f"WRONG: {self.fault}" if self.fault else "right")
        return (
            f"{self.graph:<8}{self.algorithm:<11}{ms(row['median_ms']):>9}"
            f"{ms(row['target_ms']):>8}{ratio(row['ratio_to_target']):>7} {met:<7}"
            f"{ms(row['call_ms']):>9}{late:<2}{ms(row['peer_ms']):>9}"
            f"{ratio(row['ratio_to_peer']):>7}{ms(row['baseline_ms']):>9}"
            f"{ratio(row['ratio_to_baseline']):>7}  {checked[:70]}"
        )

    def notes(self) -> list[str]:
        """Return lines for below the table: the note, and a line for each method that is wrong."""
        notes = [self.note] if self.note else []
        for method, faults in self.baseline_faults.items():
            more = f" ({len(faults) - 1} more)" if len(faults) > 1 else ""
            notes.append(f"{method} WRONG{more}, {faults[0]}")
        return [f"{self.graph} {self.algorithm}: {note}"[:NOTE_WIDTH] for note in notes]


def over(value: float | None, other: float | None) -> float | None:
    """Return the ratio, None when there is none."""
    return None if value is None or not other else value / other


def ms(value: float | None) -> str:
    """Return milliseconds with three digits that count."""
    if value is None:
        return "-"
    return f"{value:.3f}" if value < 1 else f"{value:.2f}" if value < 100 else f"{value:.0f}"


def ratio(value: float | None) -> str:
    """Return a ratio with two decimals."""
    return "-" if value is None else f"{value:.2f}"


def table(rows: list[Row], lines: list[str]) -> str:
    """Return the whole table, `lines` of other figures below it."""
    legend = (
        "milliseconds, medians; PageRank: one iteration, its call is 20; ! a call over its limit"
    )
    return "\n".join([legend, HEADER, *(row.line() for row in rows), *lines])


def mean_ratio(ratios: Iterable[float | None]) -> str:
    """Return the geometric mean of those that there are, and of how many it is.

    Examples
    --------
    >>> mean_ratio([0.5, 2.0, None])
    '1.00 (of 2)'
    """
    there = [math.log(each) for each in ratios if each]
    return f"{math.exp(statistics.fmean(there)):.2f} (of {len(there)})" if there else "-"


def totals(rows: list[Row]) -> str:
    """Return one line: the targets and calls that are met, the mean ratios to the others."""
    reports = [row.report() for row in rows]
    met = sum((report["ratio_to_target"] or math.inf) <= 1 for report in reports)
    calls = sum(bool(report["call_met"]) for report in reports)
    wrong = sum(bool(row.fault or row.error) for row in rows)
    peer = mean_ratio(report["ratio_to_peer"] for report in reports)
    by_hand = mean_ratio(report["ratio_to_baseline"] for report in reports)
    return (
        f"targets met: {met} of {len(rows)}; calls in time: {calls}; wrong or failed: {wrong}; "
        f"geometric mean: {peer} of the best peer, {by_hand} of by hand"
    )


def header(machine: dict[str, Any]) -> dict[str, Any]:
    """Return what the JSON says first: the GPU, its driver, the versions, the commit, the rest."""
    known = ("gpu", "driver", "cuda_of_driver", "versions", "commit", "date")
    return {key: machine.get(key) for key in known} | {"machine": machine}
