"""Shorter ways that a launch may take because of what its receiver does with the messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Claim:
    """Every message of a superstep is the same number and a receiver takes the first.

    ``field`` goes from ``empty`` to that number; who finds it empty and changes it has received.
    """

    field: str
    empty: Any

    def __str__(self) -> str:
        return f"first message claims {self.field}"


@dataclass(frozen=True)
class ClaimBits(Claim):
    """A claim of many copies of a batch, whose messages are all one number: a bit for each."""

    def __str__(self) -> str:
        return f"first message claims {self.field}, a bit for each copy"


@dataclass(frozen=True)
class Relax:
    """A monotone relaxation: ``if x < v.field: v.field = x``, with ``x`` made of ``src.field``.

    The order of relaxations does not matter, so they are done in place, nearest first when the
    added ``weight`` is an edge column; it is None when a constant is added per arc.
    """

    field: str
    weight: str | None

    def __str__(self) -> str:
        return f"relaxes {self.field} in place, nearest first"


@dataclass(frozen=True)
class PreparePull:
    """A step before a loop: find the arcs that a pull in it keeps, and reopen all receivers."""

    launch: Any

    def __str__(self) -> str:
        return f"before {self.launch.name} pulls"
