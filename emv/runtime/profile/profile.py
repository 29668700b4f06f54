"""Make the `Profile` of a run: where its time went, per launch and per superstep.

A driver that profiles hands over records, one per phase or call, in order; `make_profile` adds them
up and puts the bytes of `emv.runtime.profile.traffic` beside them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from emv.runtime.profile.traffic import Seen, Traffic, Work
from emv.shown.profile import Profile
from emv.shown.rows import LaunchProfile, PhaseTime, SuperstepProfile

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
