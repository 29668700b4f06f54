"""A row of the suite: what was measured, what it is compared with, and what follows from it."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from bench.study import line

EVEN = 1.0  # a ratio above it is a loss
KEY = ("target", "graph", "problem")  # what tells rows apart


@dataclass
class SuiteRow:
    """One problem on one graph, in milliseconds."""

    problem: str
    graph: str
    target: str  # ``cpu`` or ``cuda``
    kind: str = "generated"  # of the graph, or ``real``, or ``stand-in``
    suites: list[str] = field(default_factory=list)  # that the problem belongs to
    # Every round of emv: on the CPU the call that a user writes; on a GPU from the first launch to
    # the last with the graph resident and the result left there, of PageRank one iteration; then
    # the call from Python; the call and the copy of its result to the host; from the arrays of
    # edges on the host to the result on the host, building the graph included.
    all_ms: list[float] = field(default_factory=list)
    all_call_ms: list[float] = field(default_factory=list)
    all_result_ms: list[float] = field(default_factory=list)
    all_whole_ms: list[float] = field(default_factory=list)
    supersteps: int = 0
    peers_ms: dict[str, list[float]] = field(default_factory=dict)  # rounds, in turn with emv
    peer_faults: dict[str, str] = field(default_factory=dict)  # of libraries not compared with
    figures_ms: dict[str, float] = field(default_factory=dict)  # taken elsewhere: bench.libraries
    by_hand_ms: dict[str, float] = field(default_factory=dict)  # of kernels on the same GPU
    # Of searches from many sources, if asked for: the mean of emv and of each kernel by hand, and
    # from how many.
    arcs_per_s: dict[str, tuple[float, int]] = field(default_factory=dict)
    fault: str = ""  # what is wrong with emv's result
    error: str = ""  # why there is no figure
    note: str = ""  # what else is to be said

    @property
    def counts(self) -> bool:
        """Whether the row has a figure of a right result."""
        return bool(self.all_ms) and not self.fault and not self.error

    @property
    def median(self) -> float | None:
        """Return emv's median, None where the row does not count."""
        return middle(self.all_ms) if self.counts else None

    @property
    def spread(self) -> float | None:
        """Return the middle half of emv's rounds over their median."""
        if not self.counts or len(self.all_ms) < 2:
            return None
        low, _, high = statistics.quantiles(self.all_ms, n=4, method="inclusive")
        return (high - low) / statistics.median(self.all_ms)

    def peers(self) -> dict[str, float]:
        """Return the milliseconds of every peer whose result is right, the fastest first."""
        timed = {
            name: statistics.median(rounds)
            for name, rounds in self.peers_ms.items()
            if rounds and not self.peer_faults.get(name)
        }
        return dict(sorted({**self.figures_ms, **timed}.items(), key=lambda item: item[1]))

    def ratios(self) -> dict[str, float]:
        """Return emv's time over that of every peer; empty where the row does not count."""
        median = self.median
        if median is None:
            return {}
        return {name: median / each for name, each in self.peers().items() if each}

    @property
    def by_hand(self) -> float | None:
        """Return emv's time over the best kernel by hand."""
        if self.median is None or not self.by_hand_ms:
            return None
        return self.median / min(self.by_hand_ms.values())

    def all_ratios(self) -> dict[str, float]:
        """Return the ratios to peers, and that to the best kernel by hand."""
        return self.ratios() | ({"by hand": self.by_hand} if self.by_hand else {})

    @property
    def is_loss(self) -> bool:
        """Whether a peer or a kernel by hand was faster."""
        return max(self.all_ratios().values(), default=0.0) > EVEN

    def key(self) -> tuple[str, str, str]:
        """Return what makes a row the same as another of an older run."""
        return self.target, self.graph, self.problem

    def report(self) -> dict[str, Any]:
        """Return the row of the JSON: what was measured, and for readers what follows from it."""
        derived = {
            "median_ms": self.median,
            "spread": self.spread,
            "ratios": {name: round(each, 4) for name, each in self.ratios().items()},
            "ratio_to_by_hand": self.by_hand,
            "loss": self.is_loss,
        }
        measured = asdict(self)
        for name, value in measured.items():
            if name.startswith("all_"):
                measured[name] = digits(value)
        measured["peers_ms"] = {name: digits(each) for name, each in self.peers_ms.items()}
        return {**measured, **derived}

    def checked(self) -> str:
        """Return whether the result is right, or why there is none."""
        return self.error or (f"WRONG: {self.fault}" if self.fault else "right")

    def line(self) -> str:
        """Return the row for readers; ``*`` is a graph that stands in for the paper's."""
        missing = (f"{name} NOT COMPARED: {why}" for name, why in self.peer_faults.items() if why)
        return line(
            {
                "graph": self.graph + "*" * (self.kind == "stand-in"),
                "problem": self.problem,
                "right": self.checked()[:60],
                "lost": "LOSS" * self.is_loss,
                "note": " ".join([self.note, *missing]).strip(),
                "ms": self.median,
                "spread": self.spread,
                "and result, ms": middle(self.all_result_ms),
                "and graph, ms": middle(self.all_whole_ms),
                **{f"over {name}": each for name, each in self.all_ratios().items()},
                **{f"{name}, arcs/s": rate for name, (rate, _) in self.arcs_per_s.items()},
            }
        )


def restored(report: dict[str, Any]) -> SuiteRow:
    """Return the row that a JSON holds."""
    known = SuiteRow.__dataclass_fields__
    return SuiteRow(**{name: value for name, value in report.items() if name in known})


def mean_ratio(ratios: Iterable[float]) -> str:
    """Return the geometric mean, and of how many it is.

    Examples
    --------
    >>> mean_ratio([0.5, 2.0])
    '1.00 (of 2)'
    """
    found = [*ratios]
    return f"{statistics.geometric_mean(found):.2f} (of {len(found)})"


def digits(values: Iterable[float]) -> list[float]:
    """Return figures with the digits that mean something."""
    return [float(f"{value:.5g}") for value in values]


def middle(values: list[float]) -> float | None:
    """Return the median of what there is."""
    return statistics.median(values) if values else None


def mean_ratios(rows: Iterable[SuiteRow]) -> dict[str, str]:
    """Return the geometric mean of emv's ratios to each peer, to the best of them, to by hand."""
    found: dict[str, list[float]] = {}
    for row in rows:
        ratios = row.ratios()
        best = {"the best peer": max(ratios.values())} if ratios else {}
        hand = {"the best by hand": row.by_hand} if row.by_hand else {}
        for name, each in {**ratios, **best, **hand}.items():
            found.setdefault(name, []).append(each)
    return {name: mean_ratio(each) for name, each in found.items()}


def totals(rows: Sequence[SuiteRow]) -> list[str]:
    """Return lines: rows that count, mean ratios, and every loss."""
    failed = [row for row in rows if not row.counts]
    losses = [row for row in rows if row.is_loss]
    means = ", ".join(f"{name} {mean}" for name, mean in mean_ratios(rows).items())
    lines = [
        f"{len(rows)} rows, {len(failed)} wrong or failed, {len(losses)} with a faster peer",
        f"geometric means of emv's ratios to: {means or '-'}",
    ]
    for row in losses:
        behind = (f"{name} {each:.2f}" for name, each in row.all_ratios().items() if each > EVEN)
        lines.append(f"loss: {row.graph} {row.problem}: {', '.join(behind)}")
    lines += [f"failed: {row.graph} {row.problem}: {row.checked()}" for row in failed]
    return lines
