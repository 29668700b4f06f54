"""What the passes decide: which launches run, in which order, how each is worked off, and why.

A launch is one function over one domain, with what was fused into it: the fold of its messages and
the function that receives them. Decisions only: code generation reads this.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from typing import Any, Literal, TypeAlias

from emv.errors import Loc
from emv.ir import body as b
from emv.ir import program as p
from emv.ir.copies import SINGLE, Copies
from emv.ir.folds import Argument as Argument
from emv.ir.folds import Fold as Fold
from emv.ir.folds import PerCopy as PerCopy
from emv.ir.folds import Receive as Receive
from emv.ir.folds import Values as Values
from emv.ir.folds import component_types as component_types
from emv.ir.frozen import dataclass
from emv.ir.shortcuts import Claim as Claim
from emv.ir.shortcuts import ClaimBits as ClaimBits
from emv.ir.shortcuts import Drain as Drain
from emv.ir.shortcuts import EarlyReads as EarlyReads
from emv.ir.shortcuts import Missed as Missed
from emv.ir.shortcuts import PreparePull as PreparePull
from emv.ir.shortcuts import Relax as Relax
from emv.ir.shortcuts import SharedLinks as SharedLinks
from emv.ir.shortcuts import SharedRounds as SharedRounds
from emv.ir.slots import Slot as Slot

Again: TypeAlias = Literal["", "elements", "receivers"]
Share: TypeAlias = Literal["", "owned", "even", "dealt", "received", "all"]


@dataclass(frozen=True)
class Launch:
    """One function over one domain and what was fused into it.

    Attributes
    ----------
    number : int
        Names the launch and its message buffers; the value number of its `Apply`.
    name : str
        Made of the user's function names.
    send : Function
        The function applied.
    body : Body
        Its body; in arc form (`arc_form`) when every instance may be split by arcs.
    domain : Domain
        Where it is applied.
    args, folds : tuple of Argument, tuple of Fold
        Its parameters; the folds of what it sends.
    receive : Receive or None
        Fused receiver.
    heard : int or None
        For @mlist and @message functions: the launch whose stored messages they take.
    store, receivers : bool
        Whether messages are kept one by one for @mlist and @message functions; whether somebody
        besides the fused one needs the set of receivers.
    direction : str
        ``none`` (nothing is sent), ``push``, ``pull``, ``either`` or ``store``.
    staged : bool
        Whether each source computes its message once, before receivers gather it.
    by_arcs : bool
        Whether edges of a directed graph are visited through their arcs.
    kept, settles : bool
        Whether the arcs that pass the test of its body are found once; whether a receiver whose
        guard does not hold is done with. A `PreparePull` begins both.
    joined, sifted, asks_first : bool
        Whether its receivers run inside its pull, behind their folds; whether threads ask several
        vertices at once (`passes.choose_walk`); see `passes.ask_first`.
    again : str
        What looks again in a sweep without a barrier: ``elements`` or ``receivers``.
    share : {"", "owned", "even", "dealt", "received", "all"}
        Of a graph in parts, what a part does (`passes.divide`): for the elements that it owns; for
        as many as every other; for all senders, but only its own receivers; everything.
    shared, row_sums, early, links
        Loops over common neighbours that lanes share, and columns whose sums threads keep by row;
        loops over links without a branch where rows are short; the one whose rows warps take.
    guard, shortcut : Expr or None, Any
        The condition on own fields without which the receiver does nothing; a `Claim`, `Relax`,
        `JoinAll` or `Drain` found in the program, or None.
    follows, placed, apart : bool, frozenset of (kind, field), bool
        Whether its last superstep made what it begins with, and which columns stand in the order
        of its receivers while its loop runs (`follow`); see `lay_apart`.
    by_superstep, in_place : bool
        Whether the caller wants no `Relax`; whether it runs in a sweep, so that its elements may
        see what others have just written.
    frontier : str
        How the caller wants active sets to be kept: ``""``, ``queue`` or ``flags``.
    layout, buffer : str
        The storage in which arcs are walked, as `emv.layout` names it; where messages wait, as
        `emv.buffer` names it, empty while it is left to the passes.
    indexed : (field, parameter) or None
        Only the vertices are walked whose field is the parameter, in an order by the field.
    double_buffered, gathered : frozenset of (kind, field)
        Columns written by the launch that it also reads elsewhere; of those, the ones whose writes
        are gathered apart, each with a list of who was written.
    aggregates, returned : tuple of (op, Slot), Values or None
        Folds of what the function returns; where that is kept.
    ids, late_id : str or None, Slot or None
        Name of the id list, for domain ``only``; where the one id is, if it is known only late.
    reasons, missed : tuple of str, tuple of Missed
        Why it was decided so; shorter ways that it cannot take, and why.
    """

    number: int
    name: str
    loc: Loc
    send: Any
    body: b.Body
    arc_form: bool
    domain: p.Domain
    args: tuple[Argument, ...]
    folds: tuple[Fold, ...] = ()
    receive: Receive | None = None
    heard: int | None = None
    store: bool = False
    receivers: bool = False
    direction: str = "none"
    staged: bool = False
    by_arcs: bool = False
    kept: bool = False
    settles: bool = False
    joined: bool = False
    sifted: bool = False
    asks_first: bool = False
    again: Again = ""
    share: Share = ""
    shared: tuple[SharedRounds, ...] = ()
    row_sums: frozenset[str] = frozenset()
    early: tuple[EarlyReads, ...] = ()
    links: SharedLinks | None = None
    guard: b.Expr | None = None
    shortcut: Any = None
    follows: bool = False
    placed: frozenset[tuple[str, str]] = frozenset()
    apart: bool = False
    by_superstep: bool = False
    in_place: bool = False
    frontier: str = ""
    layout: str = "csr"
    buffer: str = ""
    indexed: tuple[str, str] | None = None
    double_buffered: frozenset[tuple[str, str]] = frozenset()
    gathered: frozenset[tuple[str, str]] = frozenset()
    aggregates: tuple[tuple[str, Slot], ...] = ()
    returned: Values | None = None
    ids: str | None = None
    late_id: Slot | None = None
    reasons: tuple[str, ...] = ()
    missed: tuple[Missed, ...] = ()

    def because(self, *reasons: str, **decided: Any) -> Launch:
        """Return the launch with what was decided, and why."""
        return dataclasses.replace(self, reasons=(*self.reasons, *reasons), **decided)

    @property
    def receiver(self) -> Receive:
        """Return the fused receiver of a launch that has one."""
        assert self.receive is not None, self.name
        return self.receive

    @property
    def keeps(self) -> bool:
        """Return whether messages are kept one by one, at least while few are sent."""
        return self.direction == "store" or (self.direction == "either" and bool(self.buffer))

    def __str__(self) -> str:
        parts = [f"launch {self.number}  {self.name} over {self.domain}"]
        if self.direction != "none":
            parts.append(self.direction)
        if self.keeps and self.buffer:
            parts[-1] += f" in {self.buffer}"
        if self.layout != "csr":
            parts.append(f"in {self.layout}")
        if self.shortcut is not None:
            parts.append(str(self.shortcut))
        if self.indexed is not None:
            parts.append("where {} is {}".format(*self.indexed))
        if self.double_buffered:
            parts.append("double buffer " + ", ".join(n for _, n in sorted(self.double_buffered)))
        if self.gathered:
            parts.append("gather " + ", ".join(name for _, name in sorted(self.gathered)))
        return "; ".join(parts)


@dataclass(frozen=True)
class SetScalar:
    """Evaluate a scalar into its slot."""

    slot: Slot
    expr: p.Scalar

    def __str__(self) -> str:
        return f"set    {self.slot} = {self.expr}"


@dataclass(frozen=True)
class TakeActive:
    """``g.active`` is asked for: what was activated since becomes the active set."""

    kind: str

    def __str__(self) -> str:
        return f"take   active {self.kind} set"


@dataclass(frozen=True)
class FillColumn:
    """``column[:] = value``: a `Slot`, a `Column`, or `Values`."""

    column: p.Column
    value: Any

    def __str__(self) -> str:
        return f"fill   {self.column}"


@dataclass(frozen=True)
class FoldColumn:
    """Fold an edge column per vertex."""

    values: Values
    op: Any
    column: p.Column
    by: str
    initial: tuple[Slot, ...] | None

    def __str__(self) -> str:
        return f"fold   {self.column} by {self.by}"


@dataclass(frozen=True)
class AggregateValues:
    """Fold values that were kept in arrays, or a column, into one scalar."""

    op: str
    values: Values | p.Column
    slot: Slot

    def __str__(self) -> str:
        what = self.values if isinstance(self.values, p.Column) else f"%{self.values.id}"
        return f"fold   {self.op} of {what}"


@dataclass(frozen=True)
class LoopStep:
    """A loop over supersteps.

    ``compiled`` loops run without Python between supersteps; others are driven by the host. A loop
    that ``shrinks`` runs on one block of a GPU while few are active. In a loop ``in_place``
    functions may see what others have just written.
    """

    number: int
    step: Slot
    limit: p.Scalar
    until: p.Scalar | None
    by_votes: bool
    body: tuple[Any, ...]
    compiled: bool
    reason: str
    loc: Loc
    shrinks: bool = False
    in_place: bool = False

    def __str__(self) -> str:
        how = "compiled" if self.compiled else "on the host"
        return f"loop   {self.number}, {how}{', in place' * self.in_place}: {self.reason}"


@dataclass(frozen=True)
class Schedule:
    """The decided program.

    Attributes
    ----------
    program : Program
        What was traced.
    body : tuple of steps
        In order.
    results : Any
        What the program returns.
    num_slots : dict
        How many scalars there are of each kind, by the array that holds them.
    flagged, unflagged, revotes : bool, frozenset of int, bool
        Whether activations must be kept apart by flags because they may repeat, and launches whose
        cannot; whether activating what is pending already may be a loop's only vote.
    copies : Copies
        The copies of a batch, all of which the kernels work on at once.
    per_copy : dict
        The scalars that differ from copy to copy: known before the run, from these expressions.
    written : frozenset of (kind, field)
        Columns that the program writes; all others are only read.
    alone, sorted_queues : bool
        Whether one thread runs everything, so that no work is shared out; whether queues are put
        in order, so that float sums over them always come out the same.
    is_piece, all_active : bool
        Whether it is a piece of a run that the host drives; whether active sets are kept as flags
        of all elements, not as queues.
    sliced, all_arcs : bool, str
        Whether each of several GPUs holds the arcs to its own vertices alone; why not, if it could.
    rows : tuple of (str, str)
        The index arrays that are walked along, and which order their rows have (`passes.mix_rows`).
    """

    program: p.Program
    body: tuple[Any, ...]
    results: Any
    num_slots: dict[str, int]
    flagged: bool
    written: frozenset[tuple[str, str]]
    alone: bool = False
    sorted_queues: bool = False
    is_piece: bool = False
    all_active: bool = False
    revotes: bool = False
    unflagged: frozenset[int] = frozenset()
    values: dict[int, Values] = field(default_factory=dict)
    copies: Copies = SINGLE
    per_copy: dict[Slot, p.Scalar] = field(default_factory=dict)
    sliced: bool = False
    all_arcs: str = ""
    rows: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        head = f"schedule {self.program.name}"
        if self.copies.shift:
            shared = ", ".join(name for _, name in sorted(self.copies.shared))
            head += f", {self.copies.size} copies side by side: the arcs are stored once"
            head += f", and so is what no copy writes: {shared}" if shared else ""
        rows = [f"    order of {name}: {why}" for name, why in self.rows]
        return "\n".join([head, *_text(self.body, 1), *rows]) + "\n"


def _text(steps: tuple[Any, ...], depth: int) -> list[str]:
    lines: list[str] = []
    for step in steps:
        lines.append("    " * depth + str(step))
        for reason in getattr(step, "reasons", ()):
            lines.append("    " * (depth + 1) + f"because {reason}")
        for missed in getattr(step, "missed", ()):
            lines.append("    " * (depth + 1) + f"but {missed}")
            lines.append("    " * (depth + 2) + missed.instead)
        if isinstance(step, LoopStep):
            lines += _text(step.body, depth + 1)
    return lines


def steps_in(steps: tuple[Any, ...]) -> Iterator[Any]:
    """Yield every step of a list of steps, those in loops behind their loops."""
    for step in steps:
        yield step
        if isinstance(step, LoopStep):
            yield from steps_in(step.body)


def changed_steps(
    steps: tuple[Any, ...], change: Callable[[Any], Iterable[Any]]
) -> tuple[Any, ...]:
    """Return steps, those in loops first, where ``change`` says what takes the place of each."""
    made: list[Any] = []
    for step in steps:
        if isinstance(step, LoopStep):
            step = dataclasses.replace(step, body=changed_steps(step.body, change))
        made += change(step)
    return tuple(made)


def launches_in(steps: tuple[Any, ...]) -> list[Launch]:
    """Return every launch of a list of steps, those in loops included."""
    return [step for step in steps_in(steps) if isinstance(step, Launch)]


def loops_in(steps: tuple[Any, ...]) -> list[LoopStep]:
    """Return every loop of a list of steps, those in loops included."""
    return [step for step in steps_in(steps) if isinstance(step, LoopStep)]


def functions_of(launch: Launch) -> list[Any]:
    """Return the user functions of a launch: what is applied, and what receives."""
    return [launch.send] + ([launch.receive.function] if launch.receive is not None else [])


def fills_in(steps: tuple[Any, ...]) -> list[FillColumn]:
    """Return every fill of a list of steps, those in loops included."""
    return [step for step in steps_in(steps) if isinstance(step, FillColumn)]


def written_columns(steps: tuple[Any, ...]) -> frozenset[tuple[str, str]]:
    """Return the columns that any step writes."""
    functions = [function for each in launches_in(steps) for function in functions_of(each)]
    written = set[tuple[str, str]]().union(*(each.effects.written for each in functions))
    return frozenset(written | {(e.column.kind, e.column.name) for e in fills_in(steps)})
