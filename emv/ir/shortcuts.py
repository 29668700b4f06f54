"""Shorter ways that a launch may take because of what its receiver does with the messages."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from emv.errors import Loc
from emv.ir import body as b
from emv.ir.frozen import dataclass


@dataclass(frozen=True)
class Claim:
    """Every receiver of a superstep does the same with whichever message comes first.

    Attributes
    ----------
    field : str
        What is changed of who receives: whoever finds it ``empty`` and changes it has claimed it.
    empty : Any
        What it is until then: an int, or a float that no other one equals.
    message : Expr or None
        What all active vertices send, of a source; None if the receiver does not ask.
    value : Expr
        What ``field`` becomes, of the receiver's parameters.
    also : Expr or None
        What else must hold of the receiver's own fields, none of which it writes.
    then : tuple of Stmt
        What else is done by who has received.
    rises : bool
        Whether the receiver asks if the message is below what it holds: all are ``empty`` until
        then, or hold no more. So nobody is claimed by one that is not below ``empty``.
    """

    field: str
    empty: Any
    message: b.Expr | None
    value: b.Expr
    also: b.Expr | None
    then: tuple[b.Stmt, ...]
    rises: bool = False

    def __str__(self) -> str:
        return f"first message claims {self.field}"


@dataclass(frozen=True)
class ClaimBits(Claim):
    """A claim of many copies of a batch, whose messages are all one number: a bit for each.

    Attributes
    ----------
    placed : bool
        Of a graph in parts, whether words stand by the places that all parts have in common.
    """

    placed: bool = False

    def __str__(self) -> str:
        return f"first message claims {self.field}, a bit for each copy"


@dataclass(frozen=True)
class Relax:
    """A monotone relaxation: ``if x < v.field: v.field = x``, with ``x`` made of ``src.field``.

    The order of relaxations does not matter, so they are done in place, nearest first where edge
    columns are added. None of the ``weights`` may be negative, which is seen when a run begins.
    """

    field: str
    weights: tuple[str, ...]

    def __str__(self) -> str:
        return f"relaxes {self.field} in place, nearest first"


@dataclass(frozen=True)
class JoinAll:
    """Every edge joins the sets of its two ends in ``field``, and does nothing else.

    So it does not matter which edges come first, nor whether one is looked at whose ends are in one
    set already.
    """

    field: str

    def __str__(self) -> str:
        return f"joins ends in {self.field}: most by two arcs of each vertex"


@dataclass(frozen=True)
class Drain:
    """What is sent is taken off ``v.field`` as it comes, down to a floor, where ``v`` is activated.

    The ``floor`` is made of the receiver's parameters. Who is activated may send at once.
    """

    field: str
    floor: b.Expr

    def __str__(self) -> str:
        return f"takes messages off {self.field} as they come"


@dataclass(frozen=True)
class Missed:
    """A shorter way that a launch cannot take: why not, and what to write where it is wanted."""

    what: str
    why: str
    instead: str
    loc: Loc

    def __str__(self) -> str:
        place = f"{PurePath(self.loc.file).name}:{self.loc.line}"
        return f"not {self.what}: {self.why} ({place})"


@dataclass(frozen=True)
class SharedRounds:
    """A loop over common neighbours whose rounds lanes share, and the locals that they add to.

    Where rounds are all ``alike``, they are these steps: then it is enough to count them.
    """

    loop: b.ForCommon
    sums: dict[str, Any]
    alike: tuple[b.Assign, ...] = ()


@dataclass(frozen=True)
class EarlyReads:
    """A loop over links with a branch, and the loop that reads early what it may add instead."""

    loop: b.ForLinks
    instead: b.ForLinks


@dataclass(frozen=True)
class SharedLinks:
    """A loop over links that only adds up, so that several may be read at once, by many lanes.

    Behind its ``test``, if there is one, each of the ``steps`` adds to a local what does not depend
    on it: it is added in the order of the links.
    """

    loop: b.ForLinks
    test: b.Expr | None
    steps: tuple[b.Assign, ...]


@dataclass(frozen=True)
class PreparePull:
    """A step before a loop: find the arcs that a pull in it keeps, and reopen all receivers."""

    launch: Any

    def __str__(self) -> str:
        return f"before {self.launch.name} pulls"
