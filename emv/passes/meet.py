"""Whether a program in parts can run as one kernel a GPU, and what a launch then hands on.

The GPUs meet inside their kernels (`emv_kernels.cuda.meeting`): behind each launch they fold votes,
aggregates and the active, and whoever owns rows that others read stores them there. That is so for
programs whose launches all are ``owned`` (`emv.passes.divide`); what else keeps a program from it
is listed in `why_apart`, and such a program runs launch by launch, with the exchange by the host.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from emv.errors import Loc
from emv.ir import body as b
from emv.ir import schedule as s
from emv.passes.exchange import fields_in
from emv.passes.needs import Needs, Right, changed_by, column_name
from emv.passes.settle_loops import activations

MOST_PARTS = 32
"""Parts, for each of which a bit of a row says whether it reads it."""

MOST_AGGREGATES = 6
"""Of one launch: what parts say of it to each other has to fit a row of their boxes."""

APART = ("owned", "even", "dealt")
"""Shares of which no part does what another does."""

Why = tuple[str, Loc]


def why_apart(schedule: s.Schedule, parts: int) -> Why | None:
    """Return what keeps a program's parts from meeting in their kernels, and at which line."""
    loc = schedule.program.loc
    if parts > MOST_PARTS:
        return f"there are more than {MOST_PARTS} parts", loc
    if schedule.is_piece:
        return "the host drives its loops", loc
    if schedule.all_active:
        return "active sets are to be kept as flags", loc
    for loop in s.loops_in(schedule.body):
        if loop.in_place:
            return "it sweeps, where elements wait for others", loop.loc
    for launch in s.launches_in(schedule.body):
        for why in _of_launch(launch):
            return f"{launch.name}: {why}", launch.loc
    return _of_arrays(schedule)


def _of_launch(launch: s.Launch) -> Iterator[str]:
    """Yield what keeps parts that run a launch from meeting."""
    if launch.share not in APART:
        yield from _of_alike(launch)
    if launch.keeps or launch.heard is not None or launch.store:
        yield "its messages are kept one by one"
    if "active_edges" in (launch.domain.kind, *_activated(launch)):
        yield "edges are active"
    if launch.frontier == "flags":
        yield "active sets are to be kept as flags"
    aggregates = aggregates_of(launch)
    if len(aggregates) > MOST_AGGREGATES:
        yield f"more than {MOST_AGGREGATES} aggregates are taken of it"
    if any(slot.unsigned and op in ("largest", "smallest") for op, slot in aggregates):
        yield "an extreme of u64 is taken of it"


def _of_alike(launch: s.Launch) -> Iterator[str]:
    """Yield what keeps a launch from meeting of which all parts run the senders, or all.

    Who sends does so everywhere alike, but for the order of atomics, which may show in floats. So
    nobody relies on it: owners hand on what has changed, and whom it activates would have to be
    handed on, too.
    """
    if launch.shortcut is not None:
        yield "a part does not run its own elements alone"
    functions = [launch.send] if launch.share == "received" else s.functions_of(launch)
    if any(activations(each, "vertex") for each in functions):
        yield "who activates others runs on all parts"


def _activated(launch: s.Launch) -> Iterator[str]:
    for function in s.functions_of(launch):
        yield from ("active_edges" for _ in activations(function, "edge"))


def _of_arrays(schedule: s.Schedule) -> Why | None:
    """Return an array that is handed on and no vertex column."""
    for launch in s.launches_in(schedule.body):
        for name in handed_by(schedule, launch):
            if not name.startswith("v_"):
                what = "an edge column" if name.startswith("e_") else "what it returns or folds"
                return f"{launch.name}: others read {what}", launch.loc
    return None


def aggregates_of(launch: s.Launch) -> list[tuple[str, s.Slot]]:
    """Return the aggregates of a launch, and how what the parts have found becomes one.

    Where all run the same, the first part's is taken.
    """
    received = () if launch.receive is None else launch.receive.aggregates
    if launch.share not in APART:
        sent = [("first", slot) for _, slot in launch.aggregates]
        same = [("first", slot) for _, slot in received] if launch.share == "all" else received
        return [*sent, *same]
    return [*launch.aggregates, *received]


def handed_by(schedule: s.Schedule, launch: s.Launch) -> dict[str, Right]:
    """Return the arrays that a launch changes and some step reads of other parts.

    Receivers that make the next messages hand those on, and nobody reads anything else of theirs.
    """
    if launch.staged and launch.follows:
        return {}
    needed = needs_of(schedule, held_behind(schedule, launch))
    changed = dict.fromkeys(changed_by(launch, senders=True, returned=True))
    for field in joined_by(launch):
        changed.pop(column_name("vertex", field))
    return {name: needed[name] for name in changed if needed.get(name, Right.OWNERS)}


def handed_behind(schedule: s.Schedule, launch: s.Launch) -> dict[str, Right]:
    """Return the arrays that a launch changes and other steps read of other parts.

    Those of a launch by bits are handed on behind its loop: in it parts tell each other words of
    bits alone.
    """
    needed = needs_of(schedule, besides=launch)
    changed = dict.fromkeys(changed_by(launch, senders=True, returned=True))
    return {name: needed[name] for name in changed if needed.get(name, Right.OWNERS)}


def needs_of(
    schedule: s.Schedule, held: str = "", besides: s.Launch | None = None
) -> dict[str, Right]:
    """Return where the rows of arrays must be right for all steps of a program.

    Parameters
    ----------
    held : str
        An array of which claims read no more than what one of the active holds; see `held_by`.
    besides : Launch, optional
        One that does not count.
    """
    needs, needed = Needs(schedule), dict[str, Right]()
    for step in s.steps_in(schedule.body):
        if step is besides:
            continue
        asked = isinstance(step, s.Launch) and held_by(step)
        for name, right in needs.of(step):
            if not (held and name == held == asked):
                needed[name] = max(right, needed.get(name, Right.OWNERS))
        if isinstance(step, s.Launch) and isinstance(step.shortcut, s.Claim):
            name = column_name("vertex", step.shortcut.field)
            if not (held and name == held == asked):
                # What the active hold is asked of any of them.
                needed[name] = Right.EVERYWHERE
    return needed


def held_by(launch: s.Launch) -> str:
    """Return the array of whose rows a claim knows what all the active hold, or nothing.

    All of them hold the same (`emv.passes.level_fields`). So a part asks the first of all, and no
    more than the row of that one is handed on; see `held_behind`.
    """
    claim = launch.shortcut
    if type(claim) is not s.Claim or claim.message is None:
        return ""
    kind = launch.receiver.function.record.fields[claim.field].dtype.kind
    asked = fields_in([claim.message], "src")
    return column_name("vertex", claim.field) if asked == {claim.field} and kind == "i" else ""


def held_behind(schedule: s.Schedule, launch: s.Launch) -> str:
    """Return the array of which a row goes along with the meeting behind a launch, or nothing.

    That is the row of the first whom a part has activated, if claims ask for that of no others.
    """
    if not any(activations(each, "vertex") for each in s.functions_of(launch)):
        return ""
    arrays = {held_by(each) for each in s.launches_in(schedule.body)} - {""}
    return arrays.pop() if len(arrays) == 1 else held_by(launch)


def is_held_told(schedule: s.Schedule, held: str) -> bool:
    """Return whether meetings always tell what the active hold in an array.

    So it is if whoever changes that array, or activates anybody, says it behind itself.
    """
    for step in s.steps_in(schedule.body):
        if (
            isinstance(step, s.FillColumn)
            and column_name(step.column.kind, step.column.name) == held
        ):
            return False
        if isinstance(step, s.Launch) and held_behind(schedule, step) != held:
            changed = changed_by(step, senders=True, returned=True)
            if held in changed or any(activations(e, "vertex") for e in s.functions_of(step)):
                return False
    return True


def finds_held(schedule: s.Schedule, launch: s.Launch) -> bool:
    """Return whether a claim knows itself what all whom it activates hold: its message.

    Then nobody says it, and no row goes along with the meeting.
    """
    held, claim = held_by(launch), launch.shortcut
    is_message = isinstance(claim, s.Claim) and isinstance(claim.value, b.Local)
    return bool(held) and launch.follows and is_message and is_held_told(schedule, held)


def joined_by(launch: s.Launch) -> list[str]:
    """Return the fields of disjoint sets that a launch joins; parts join each other's then."""
    return sorted(each.field for each in launch.send.effects.writes if each.op == "union")


def joined_apart(launch: s.Launch) -> list[str]:
    """Return the fields of disjoint sets that parts join apart, and then what the others did."""
    return joined_by(launch) if launch.share in ("owned", "dealt") else []


def is_through(launch: s.Launch, handed: dict[str, Right]) -> bool:
    """Return whether receivers may hand on their rows as soon as they have changed them.

    So it is where all others are read by sources alone, which compute their messages before.
    """
    receive = launch.receive
    is_staged = launch.staged and launch.direction == "pull" and launch.domain.kind == "all"
    if receive is None or not is_staged or launch.share != "owned" or launch.shortcut is not None:
        return False
    if launch.domain.mask is not None or launch.double_buffered or launch.gathered or launch.again:
        return False
    effects = receive.function.effects
    acts = {"activate", "find"} & (effects.acts | launch.send.effects.acts)
    foreign = [each for each in effects.reads | effects.writes if each.where != "own"]
    read = {column_name(each.kind, each.field) for each in foreign}
    return not acts and not launch.send.effects.writes and not read & handed.keys()


def is_mapped(schedule: s.Schedule, launch: s.Launch, handed: dict[str, Right]) -> bool:
    """Return whether vertices may hand on their rows as soon as they have changed them.

    So it is where each changes its own alone, and reads those of no others.
    """
    is_map = launch.direction == "none" and launch.send.kind == "vertex" and launch.receive is None
    if not is_map or launch.share != "owned" or launch.double_buffered or launch.gathered:
        return False
    effects = launch.send.effects
    if launch.again or launch.heard is not None or {"activate", "union"} & effects.acts:
        return False
    if any(each.where != "own" for each in effects.writes):
        return False
    return not any(right and name in handed for name, right in Needs(schedule).of(launch))


def is_told(schedule: s.Schedule, launch: s.Launch) -> bool:
    """Return whether all whose rows a launch changes are activated by it, and stand in its list.

    Then those rows alone are handed on. Whoever was activated before, since the active set was last
    asked for, would not be in the list.
    """
    if launch.double_buffered or launch.gathered:  # whose rows are copied, all of them
        return False
    functions = [each for each in s.functions_of(launch) if each.effects.writes]
    if not all(_activates_where_it_writes(each.body.statements, False) for each in functions):
        return False
    for steps in [schedule.body, *(loop.body for loop in s.loops_in(schedule.body))]:
        if any(step is launch for step in steps):
            before = steps[: next(k for k, step in enumerate(steps) if step is launch)]
            return _begins_empty(before, at_start=steps is schedule.body)
    return False


def _begins_empty(before: tuple[Any, ...], at_start: bool) -> bool:
    """Return whether nobody is pending behind some steps, as nobody is when a run begins."""
    for step in reversed(before):
        if isinstance(step, s.TakeActive):
            return step.kind == "vertex"
        if isinstance(step, s.LoopStep):
            return False
        if isinstance(step, s.Launch) and any(
            activations(each, "vertex") for each in s.functions_of(step)
        ):
            return False
    return at_start


def _activates_where_it_writes(block: tuple[b.Stmt, ...], is_told: bool) -> bool:
    """Return whether every store of a block stands beside an activation of the own vertex."""
    is_told = is_told or any(
        isinstance(each, b.Activate) and each.element.kind == "vertex" for each in block
    )
    for each in block:
        if isinstance(each, b.Break | b.Continue):
            return False  # which may leave before the activation
        if isinstance(each, b.Store | b.Union) and not is_told:
            return False
        if not all(_activates_where_it_writes(inner, is_told) for inner in b.blocks_of(each)):
            return False
    return True


def key_of(schedule: s.Schedule, name: str) -> tuple[str, str]:
    """Return the column whose array has a name."""
    return next(key for key in schedule.program.fields if column_name(*key) == name)
