"""The rows of a profile: what a launch, a phase of one, or a superstep took."""

from __future__ import annotations

from dataclasses import dataclass


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
