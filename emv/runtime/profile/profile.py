"""`Profile`: where the time of one run went, per launch and per superstep.

A driver that profiles hands over records, one per phase or call, in order; `make_profile` adds them
up and puts the bytes of `emv.runtime.profile.traffic` beside them.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from emv.runtime.profile.text import profile_text
from emv.runtime.profile.traffic import Seen, Traffic, Work

BETWEEN = "between phases"
"""The name of what one thread does while no phase runs, and of the barriers around it."""


@dataclass(frozen=True)
class Record:
    """One phase that is over.

    Attributes
    ----------
    launch : str
        What it belongs to; `BETWEEN` if to no launch.
    phase : str
        Its own name; empty where a launch is not told apart further.
    step : Any
        The step of the schedule, or None.
    """

    launch: str
    phase: str
    step: Any
    seconds: float
    superstep: int
    seen: Seen
    one_block: bool = False


@dataclass(frozen=True)
class PhaseTime:
    """One phase of a launch, in all supersteps together."""

    name: str
    calls: int
    seconds: float


@dataclass(frozen=True)
class LaunchProfile:
    """One launch in all supersteps together.

    Attributes
    ----------
    name : str
        As `explain` has it, with its number.
    calls : int
        In how many supersteps it ran.
    seconds : float
        Time, the barriers behind its phases included.
    frontier, edges : int
        Elements and arcs that it visited, added up.
    bytes_moved : int
        By the model of `emv.runtime.profile.traffic`.
    share : float
        Bytes moved per second, as a share of the copy bandwidth.
    phases : tuple of PhaseTime
        What it consists of, where the backend tells them apart.
    """

    name: str
    calls: int
    seconds: float
    frontier: int
    edges: int
    bytes_moved: int
    share: float
    phases: tuple[PhaseTime, ...] = ()


@dataclass(frozen=True)
class SuperstepProfile:
    """One superstep; number 0 is what came before the first.

    Attributes
    ----------
    number : int
        Counted over all loops.
    seconds : float
        Time, of all that ran from its beginning to the next.
    frontier, edges : int
        Elements that its largest launch visited, and arcs that all of them visited.
    bytes_moved : int
        By the model of `emv.runtime.profile.traffic`.
    share : float
        Bytes moved per second, as a share of the copy bandwidth.
    how : str
        ``push`` or ``pull``, where arcs were walked.
    one_block : bool
        Whether one block of a GPU ran it alone.
    launches : dict
        Seconds by launch.
    """

    number: int
    seconds: float
    frontier: int
    edges: int
    bytes_moved: int
    share: float
    how: str
    one_block: bool
    launches: dict[str, float]


@dataclass(frozen=True, repr=False)
class Profile:
    """Where the time of one run went; print it to see two tables.

    Attributes
    ----------
    program, backend, graph : str
        What ran, where, and on what.
    launches : tuple of LaunchProfile
        The longest first.
    supersteps : tuple of SuperstepProfile
        In order.
    copy_bytes_per_s : float
        The bandwidth of a large copy, bytes read and bytes written, measured in the same process.
    tick_s : float
        How often the clock of the records moves; 0 if it is as good as continuous.
    lost : int
        Records that did not fit and are missing.
    """

    program: str
    backend: str
    graph: str
    launches: tuple[LaunchProfile, ...]
    supersteps: tuple[SuperstepProfile, ...]
    copy_bytes_per_s: float
    tick_s: float = 0.0
    lost: int = 0

    @property
    def seconds(self) -> float:
        """Time of all launches together."""
        return sum(each.seconds for each in self.launches)

    @property
    def bytes_moved(self) -> int:
        """Bytes that all launches moved, by the model."""
        return sum(each.bytes_moved for each in self.launches)

    def rows(self) -> list[dict[str, Any]]:
        """Return the supersteps as dictionaries, ready for a table of another library."""
        return [asdict(each) for each in self.supersteps]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as numbers, texts, lists and dictionaries, as JSON holds them."""
        return {**asdict(self), "seconds": self.seconds, "bytes_moved": self.bytes_moved}

    def plot(self, path: Any = None) -> Any:
        """Draw time, frontier and edges over the supersteps.

        Needs matplotlib, which the extra ``viz`` installs.

        Parameters
        ----------
        path : path-like, optional
            Where to save the picture; the name's ending says its format.

        Returns
        -------
        matplotlib.figure.Figure
            The picture.

        Raises
        ------
        BackendUnavailableError
            If matplotlib is not installed.
        ArgumentError
            If the file cannot be written.
        """
        return importlib.import_module("emv.viz.profile").plot_profile(self, path)

    def __str__(self) -> str:
        return profile_text(self)

    def __repr__(self) -> str:
        steps = len([each for each in self.supersteps if each.number])
        return (
            f"Profile({self.program} on {self.backend}: {steps} superstep{'s' * (steps != 1)}, "
            f"{1e3 * self.seconds:.3f} ms)"
        )


def make_profile(
    records: Iterable[Record], traffic: Traffic, bandwidth: float, **about: Any
) -> Profile:
    """Add up the records of a run.

    Parameters
    ----------
    bandwidth : float
        Bytes per second of a copy.
    **about
        The other attributes of `Profile`.
    """
    by_launch: dict[str, list[Record]] = {}
    by_step: dict[int, list[Record]] = {}
    for record in records:
        by_launch.setdefault(record.launch, []).append(record)
        by_step.setdefault(record.superstep, []).append(record)
    launches = [launch_profile(name, e, traffic, bandwidth) for name, e in by_launch.items()]
    launches.sort(key=lambda each: -each.seconds)
    steps = [step_profile(k, each, traffic, bandwidth) for k, each in sorted(by_step.items())]
    return Profile(
        launches=tuple(launches), supersteps=tuple(steps), copy_bytes_per_s=bandwidth, **about
    )


def launch_profile(
    name: str, records: list[Record], traffic: Traffic, bandwidth: float
) -> LaunchProfile:
    """Add up the records of one launch."""
    works = list(works_of(records, traffic).values())
    nbytes = sum(work.nbytes for work in works)
    return LaunchProfile(
        name=name,
        calls=len(works),
        seconds=total(records),
        frontier=sum(work.rows for work in works),
        edges=sum(work.arcs for work in works),
        bytes_moved=nbytes,
        share=share_of(nbytes, total(records), bandwidth),
        phases=phases_of(records),
    )


def step_profile(
    number: int, records: list[Record], traffic: Traffic, bandwidth: float
) -> SuperstepProfile:
    """Add up the records of one superstep."""
    work = sum(works_of(records, traffic).values(), Work())
    launches: dict[str, float] = {}
    for record in records:
        launches[record.launch] = launches.get(record.launch, 0.0) + record.seconds
    return SuperstepProfile(
        number=number,
        seconds=total(records),
        frontier=work.rows,
        edges=work.arcs,
        bytes_moved=work.nbytes,
        share=share_of(work.nbytes, total(records), bandwidth),
        how=work.how,
        one_block=any(record.one_block for record in records),
        launches=launches,
    )


def share_of(nbytes: int, seconds: float, bandwidth: float) -> float:
    """Return a rate as a share of a bandwidth; 0 where one of them is not known."""
    return nbytes / seconds / bandwidth if seconds and bandwidth else 0.0


def total(records: Iterable[Record]) -> float:
    """Return the seconds of some records."""
    return sum(record.seconds for record in records)


def works_of(records: list[Record], traffic: Traffic) -> dict[tuple[str, int], Work]:
    """Return what each launch did in each superstep, as its first phase there saw it."""
    works: dict[tuple[str, int], Work] = {}
    for record in records:
        key = (record.launch, record.superstep)
        if key not in works:
            works[key] = traffic.of(record.step, record.seen)
    return works


def phases_of(records: list[Record]) -> tuple[PhaseTime, ...]:
    """Return the phases of a launch, in the order in which they first ran."""
    found: dict[str, list[Record]] = {}
    for record in records:
        if record.phase:
            found.setdefault(record.phase, []).append(record)
    return tuple(PhaseTime(name, len(each), total(each)) for name, each in found.items())
