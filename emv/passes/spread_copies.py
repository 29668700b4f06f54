"""Turn the schedule of a program into that of a batch: all copies run on their disjoint union.

The union is right where a superstep does nothing to a copy that would have ended before. So a loop
that goes by votes may apply functions only to what is active, or has been sent messages by such:
who has nobody active is left alone. What is one number for all vertices (aggregates, votes to halt)
would be one for all copies, and is refused, as is what the arcs, stored once, cannot hold for each
copy: edge columns that are written, messages kept along arcs. A draw depends on the superstep,
which is the same in a run alone only until a loop has ended by votes.

*Claims by bits*: a `Claim` says that all messages of a superstep are equal. Copies begin together,
and where their seeds hold one number, too, so are those of all copies: by the induction that proves
a claim. Then a vertex need only know which copies have reached it, a bit for each.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np

from emv.errors import ArgumentError, Loc
from emv.ir import body as b
from emv.ir import program as p
from emv.ir import schedule as s
from emv.ir.copies import Copies, shift_for
from emv.lang.carry import leaves_in
from emv.passes.around import Setting
from emv.passes.choose_direction import can_be_pulled, has_atomic
from emv.passes.hold_arcs import why_all
from emv.passes.prepare_pulls import conflicts, unprepared
from emv.passes.settle_loops import activations

PLACED = (
    "; words stand in the order of receivers, one part behind the other, so that they are found, "
    "told and looked through side by side"
)
WORD = 5  # the binary logarithm of the copies from which a word of bits pays


def refuse(loc: Loc, why: str) -> NoReturn:
    """Refuse a program whose copies cannot run side by side.

    Raises
    ------
    ArgumentError
        Always; it names the line and the reason.
    """
    raise ArgumentError(
        f"this cannot run in a batch: {why}",
        loc,
        "Run the copies one after another: [program(g, value) for value in values].",
    )


class Check:
    """Looks for what a program does that has no meaning copy by copy.

    Parameters
    ----------
    differing : iterable of str
        The parameters that differ from copy to copy.
    """

    def __init__(self, program: p.Program, differing: Iterable[str]) -> None:
        self.program = program
        self.differing = set(differing)
        self.is_in_step = True  # whether supersteps have the numbers of a run alone
        self.ended: set[int] = set()  # loops that copies have left after their own supersteps
        self.calls: set[int] = set()  # of the loop at hand

    def check(self) -> None:
        """Refuse the program if it must be."""
        if any(field.disjoint for field in self.program.fields.values()):
            refuse(self.program.loc, "it works on disjoint sets")
        self.block(self.program.body, by_votes=False)
        self.results()

    def differs(self, *values: Any) -> bool:
        """Return whether scalars are made of what differs from copy to copy."""
        return any(
            (isinstance(leaf, p.ScalarParameter) and leaf.name in self.differing)
            or (isinstance(leaf, p.Step | p.Carried) and leaf.loop in self.ended)
            for leaf in leaves_in(values)
        )

    def results(self) -> None:
        """Refuse results that differ from copy to copy without being those of vertices."""
        for value in p.results_in(self.program.results):
            if isinstance(value, p.Scalar) and self.differs(value):
                refuse(self.program.loc, "its result is made of a number that differs by copy")
            if isinstance(value, p.Column) and value.kind == "edge":
                refuse(self.program.loc, "its result is an edge column, which all copies share")

    def block(self, nodes: tuple[p.Node, ...], by_votes: bool) -> None:
        """Check the nodes of a block."""
        for node in nodes:
            if isinstance(node, p.Apply):
                self.call(node, by_votes)
            elif isinstance(node, p.Aggregate):
                refuse(node.loc, f"emv.{node.op}() gives one number for all copies")
            elif isinstance(node, p.Fill):
                self.fill(node, by_votes)
            elif isinstance(node, p.Combine) and self.differs(node.initial):
                refuse(node.loc, "initial= differs by copy")
            elif isinstance(node, p.Loop):
                if by_votes:
                    refuse(node.loc, "the loop around this one ends by votes, copy by copy")
                self.loop(node)

    def loop(self, node: p.Loop) -> None:
        """Check a loop."""
        if self.differs(node.limit, node.until, *(each[1:] for each in node.carried)):
            refuse(node.loc, "the loop is driven by a number that differs by copy")
        calls = [each for each in node.body if isinstance(each, p.Apply)]
        if node.by_votes and not any("activate" in each.function.effects.acts for each in calls):
            refuse(node.loc, "the loop ends by votes, but whom it is applied to never changes")
        inner = any(isinstance(each, p.Loop) and each.by_votes for each in p.nodes_in(node.body))
        self.is_in_step = self.is_in_step and not inner
        around, self.calls = self.calls, {each.id for each in calls}
        self.block(node.body, node.by_votes)
        self.calls = around
        self.is_in_step = self.is_in_step and not node.by_votes
        if node.by_votes:
            self.ended.add(node.id)

    def fill(self, node: p.Fill, by_votes: bool) -> None:
        """Check a fill."""
        if node.column.kind == "edge":
            refuse(node.loc, "it fills an edge column, which all copies share")
        if by_votes:
            refuse(node.loc, "the loop ends by votes, copy by copy, and this is for all vertices")
        if isinstance(node.value, p.Scalar) and self.differs(node.value):
            refuse(node.loc, "it fills a column with a number that differs by copy")

    def call(self, node: p.Apply, by_votes: bool) -> None:
        """Check a call."""
        function, domain, name = node.function, node.domain, node.function.name
        acts, writes = function.effects.acts, function.effects.writes
        if function.kind in ("mlist", "message"):
            refuse(node.loc, f"{name}() takes messages one by one, which are kept along arcs")
        if domain.kind in ("edges", "active_edges"):
            refuse(node.loc, f"{name}() is applied to edges, which all copies share")
        if any(each.kind == "edge" for each in writes):
            refuse(node.loc, f"{name}() writes edge columns, which all copies share")
        if any(isinstance(each, b.ForCommon) for each in b.statements_in(function.body.statements)):
            refuse(
                node.loc, f"{name}() walks over common neighbours, which is one vertex at a time"
            )
        if activations(function, "edge"):
            refuse(node.loc, f"{name}() activates edges, which all copies share")
        if "halt" in acts:
            refuse(node.loc, f"{name}() may halt, which would end the loop of all copies")
        if "random" in acts and not self.is_in_step:
            refuse(node.loc, f"{name}() draws behind a loop that ends by votes, copy by copy")
        is_left = domain.kind == "receivers" and domain.source in self.calls
        if by_votes and not (domain.kind == "active" or is_left):
            refuse(
                node.loc,
                f"the loop ends by votes, copy by copy, and {name}() is applied to {domain}, not "
                "to g.active or to who has messages from there",
            )
        self.scalars(node)

    def scalars(self, node: p.Apply) -> None:
        """Check the scalars of a call: what differs by copy must be known before the run."""
        name = node.function.name
        if isinstance(node.domain.ids, p.Scalar) and not is_early(node.domain.ids):
            refuse(node.loc, f"whom {name}() is applied to is known only while the program runs")
        for given in (value for _, value in node.args):
            if self.differs(given) and not is_early(given):
                refuse(node.loc, f"{name}() is given a number that differs by copy and superstep")


def is_early(value: Any) -> bool:
    """Return whether scalars are known before the run."""
    early = p.Number | p.ScalarParameter | p.GraphNumber
    return all(isinstance(each, early) for each in leaves_in(value))


def spread_copies(schedule: s.Schedule, setting: Setting) -> s.Schedule:
    """Return the schedule of a batch; that of a plain run as it is.

    Raises
    ------
    ArgumentError
        If the program does what has no meaning copy by copy.
    """
    if not setting.copies:
        return schedule
    shift = shift_for(max(map(len, setting.copies.values())))
    check = Check(schedule.program, setting.copies)
    per_copy = {
        step.slot: step.expr
        for step in s.steps_in(schedule.body)
        if isinstance(step, s.SetScalar) and check.differs(step.expr)  # no loop has ended yet
    }
    check.check()
    body = s.changed_steps(schedule.body, functools.partial(_spread, per_copy))
    if setting.target == "cuda" and shift >= WORD:  # words of bits are for GPUs
        placed = setting.meets and not any(why_all(schedule))
        body = tuple(
            _by_bits(step, placed) if isinstance(step, s.LoopStep) else step for step in body
        )
    for launch in s.launches_in(body):
        _check_launch(launch)
    masks = {("vertex", each.domain.mask) for each in s.launches_in(body)}
    columns = {key for key in schedule.program.fields if key[0] == "vertex"}
    copies = Copies(shift, frozenset(columns - schedule.written - masks))
    return dataclasses.replace(schedule, body=body, copies=copies, per_copy=per_copy)


def _by_bits(loop: s.LoopStep, placed: bool) -> s.LoopStep:
    """Return a loop that is nothing but a claim as one that goes by bits, any other as it is.

    Parts that hold the arcs to their own vertices alone put words where their receivers stand.
    """
    body = [each for each in loop.body if not isinstance(each, s.TakeActive)]
    launch = body[0] if len(body) == 1 else None
    if not isinstance(launch, s.Launch) or not _can_go_by_bits(loop, launch):
        return loop
    claim = launch.shortcut
    reason = "so are those of all copies, as they began with one number"
    if launch.share:
        reason += f"; parts hand on words of bits in place of {claim.field}, which others may read"
        reason += " behind the loop alone"
    if placed:
        reason += PLACED
    made = launch.because(reason, shortcut=s.ClaimBits(**vars(claim), placed=placed))
    steps = tuple(made if each is launch else each for each in loop.body)
    reason = "inside the kernel, one barrier of the grid after each phase"
    return dataclasses.replace(loop, body=steps, shrinks=False, reason=reason)


def _can_go_by_bits(loop: s.LoopStep, launch: s.Launch) -> bool:
    """Return whether a loop ends only when nothing is claimed, and who claims does nothing else."""
    claim = launch.shortcut
    if not isinstance(claim, s.Claim) or launch.args or launch.receive is None:
        return False
    kind = launch.receive.function.record.fields[claim.field].dtype
    return (
        loop.limit == p.Number("i64", p.NO_LIMIT)
        and loop.until is None
        and len(launch.receive.args) == 1
        and claim.message is not None
        and isinstance(claim.value, b.Local)
        and claim.also is None
        and all(isinstance(each, b.Activate) for each in claim.then)
        and kind.kind in "iu"
        and kind != np.uint64
    )


def _check_launch(launch: s.Launch) -> None:
    """Refuse what is decided of a launch and cannot be for each copy."""
    if launch.direction == "store":
        refuse(launch.loc, "messages are kept one by one, along arcs that all copies share")
    if launch.returned is not None and launch.send.kind == "edge":
        refuse(launch.loc, f"what {launch.send.name}() returns is kept by arc, which copies share")
    if launch.layout != "csr" or launch.frontier:
        refuse(launch.loc, "schedule= asks for a storage or an active set that batches lack")


def _spread(per_copy: dict[s.Slot, p.Scalar], step: Any) -> list[Any]:
    """Return what takes the place of a step: functions take the scalars of their copies."""
    if isinstance(step, s.Launch):
        return [_with_copies(step, per_copy)]
    if isinstance(step, s.PreparePull):
        return []  # what one copy has done with another may not
    return [] if isinstance(step, s.SetScalar) and step.slot in per_copy else [step]


def _with_copies(launch: s.Launch, per_copy: dict[s.Slot, p.Scalar]) -> s.Launch:
    """Return a launch whose functions take the scalars of their copies.

    Then copies do not all send the same number, and a guard may hold for some.
    """
    args, receive = _arguments(launch.args, per_copy), launch.receive
    if receive is not None:
        receive = dataclasses.replace(receive, args=_arguments(receive.args, per_copy))
    made = dataclasses.replace(unkept(unprepared(launch)), args=args, receive=receive)
    if isinstance(made.shortcut, s.Claim) and per_copy:
        made = dataclasses.replace(made, shortcut=None)
    if receive is not None and any(isinstance(each.source, s.PerCopy) for each in receive.args):
        made = dataclasses.replace(made, guard=None)
    return made


def unkept(launch: s.Launch) -> s.Launch:
    """Return a launch that pulls what it would have kept along arcs, which copies share."""
    if launch.store or not launch.keeps or not can_be_pulled(launch):
        return launch
    if launch.send.kind == "message" or all(map(has_atomic, launch.folds)):
        return launch  # which the caller wants kept
    joined = launch.receive is not None and not conflicts(launch)
    return dataclasses.replace(launch, direction="pull", buffer="", joined=joined)


def _arguments(
    args: tuple[s.Argument, ...], per_copy: dict[s.Slot, p.Scalar]
) -> tuple[s.Argument, ...]:
    made = []
    for each in args:
        slots = each.source if isinstance(each.source, tuple) else (each.source,)
        if any(slot in per_copy for slot in slots):
            each = dataclasses.replace(each, source=s.PerCopy(tuple(slots)))
        made.append(each)
    return tuple(made)
