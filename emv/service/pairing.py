"""Which jobs run side by side on one GPU, and on how much of it, by what such jobs took before.

Two that want different things of a GPU, one its memory, one its patience, do more together than one
after the other (Zhong, He: Kernelet, IEEE TPDS 25(6), 2014, predicts which by a Markov chain). Here
it is measured: a *kind* of job, a program on a graph, runs alone first, then beside another. What
two do in a second together, in seconds alone, is their rate; at `WORTH` or above they are paired
again, below it they never are. A pair that was not seen yet is tried. On a graph so small that its
kernels have few blocks a job takes only these; others have half of the GPU beside each other.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

WORTH = 1.05
OVERLAP = 0.8  # of a job's time beside one other kind, for it to count
SHARES = (1.0, 0.5, 0.25, 0.125)  # few, since each has working space of its own
RECENT = 8  # runs that a mean is over, roughly


class Runs(Protocol):
    """What runs or may: as which kind, how much of the GPU it fills alone, and has now."""

    @property
    def runs_as(self) -> Hashable:
        """The kind."""

    fill: float
    share: float


@dataclass
class Times:
    """The mean of the last few, and how many there were."""

    mean: float = 0.0
    count: int = 0

    def add(self, seconds: float) -> None:
        """Note one more."""
        self.count += 1
        self.mean += (seconds - self.mean) / min(self.count, RECENT)


@dataclass
class Pairing:
    """What kinds of jobs took alone and beside each other.

    Attributes
    ----------
    met : set
        Kinds that have run: the first run of each compiles, and counts for nothing.

    Examples
    --------
    >>> pairing = Pairing()
    >>> for kind in "ab":
    ...     pairing.heard(kind, 9.0, {})
    ...     pairing.heard(kind, 1.0, {})
    >>> pairing.may("a", "b"), pairing.rate("a", "b")
    (True, None)
    >>> pairing.heard("a", 1.25, {"b": 1.2})
    >>> pairing.heard("b", 1.6, {"a": 1.6})
    >>> pairing.rate("a", "b"), pairing.may("b", "a")
    (1.425, True)
    """

    met: set[Hashable] = field(default_factory=set)
    alone: dict[Hashable, Times] = field(default_factory=dict)
    beside: dict[tuple[Hashable, Hashable], Times] = field(default_factory=dict)

    def is_known(self, kind: Hashable) -> bool:
        """Return whether a kind has been measured alone."""
        return kind is not None and kind in self.alone

    def heard(self, kind: Hashable, seconds: float, others: Mapping[Hashable, float]) -> None:
        """Note what a job took, and for how long it was beside others of which kind."""
        if kind is None:
            return
        if kind not in self.met:
            self.met.add(kind)
        elif not others:
            times = self.alone.get(kind)
            if times is None:
                times = self.alone[kind] = Times()
            times.add(seconds)
        elif len(others) == 1:
            ((other, overlap),) = others.items()
            if overlap >= OVERLAP * seconds:
                self.beside.setdefault((kind, other), Times()).add(seconds)

    def rate(self, one: Hashable, other: Hashable) -> float | None:
        """Return what two do a second beside each other, in seconds alone; None if not known."""
        found = 0.0
        for kind, beside in ((one, other), (other, one)):
            if (kind, beside) not in self.beside or kind not in self.alone:
                return None
            found += self.alone[kind].mean / max(self.beside[kind, beside].mean, 1e-9)
        return found

    def may(self, one: Hashable, other: Hashable) -> bool:
        """Return whether two may run side by side: both were measured alone, and it pays."""
        if not (self.is_known(one) and self.is_known(other)):
            return False
        rate = self.rate(one, other)
        return rate is None or rate >= WORTH

    def share(self, job: Runs, running: Sequence[Runs], waiting: Iterable[Runs]) -> float:
        """Return what part of the GPU a job may have beside those that run; 0 if it has to wait.

        With nobody running it is all, or half where somebody waits who may run beside it.
        """
        if not running:
            has_partner = job.fill > SHARES[1] and any(
                self.may(job.runs_as, other.runs_as) for other in waiting if other is not job
            )
            return SHARES[1] if has_partner else SHARES[0]
        if not all(self.may(job.runs_as, other.runs_as) for other in running):
            return 0.0
        free = 1.0 - sum(min(other.share, other.fill) for other in running)
        fitting = [share for share in SHARES if share <= free]
        return fitting[0] if fitting and fitting[0] >= min(job.fill, SHARES[1]) else 0.0
