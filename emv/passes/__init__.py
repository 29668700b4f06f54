"""Program -> Schedule: fuse calls into launches, decide on each by `PIPELINE`, place the loops."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Mapping, Sized
from typing import Any

from emv.config import config
from emv.ir import program as p
from emv.ir import schedule as s
from emv.ir.copies import shift_for
from emv.lang.frontiers import AllActive
from emv.lang.schedules import NOTHING_ASKED, Asked
from emv.passes.choose_buffer import choose_buffer
from emv.passes.choose_direction import choose_direction
from emv.passes.choose_layout import choose_layout
from emv.passes.choose_walk import choose_walk
from emv.passes.double_buffer import double_buffer
from emv.passes.find_shortcuts import find_shortcuts
from emv.passes.flag_activations import hides_votes, needs_flags
from emv.passes.follow_schedule import follow_schedule
from emv.passes.fuse import Fuser
from emv.passes.index_values import index_values
from emv.passes.place_loop import place_loop
from emv.passes.prepare_pulls import prepare_pulls
from emv.passes.spread_copies import spread_copies

NO_COPIES: Mapping[str, Sized] = types.MappingProxyType({})
Decide = Callable[[s.Launch, s.LoopStep | None, tuple[Any, ...]], s.Launch]

PIPELINE: tuple[Decide, ...] = (
    # Independent of all else.
    lambda launch, loop, whole: choose_walk(launch),
    # Before the direction: a double-buffered column does not change how messages travel.
    lambda launch, loop, whole: double_buffer(launch, loop),
    # Before the shortcuts, which only help launches that may push.
    lambda launch, loop, whole: choose_direction(launch),
    # After the direction, which says whether messages are kept.
    lambda launch, loop, whole: choose_buffer(launch, whole),
    # After the direction, which says whether arcs are walked; shortcuts only know compressed rows.
    lambda launch, loop, whole: choose_layout(launch),
    find_shortcuts,
)
"""What is decided for each launch, in this order, from the launch, its loop and all steps."""


def make_schedule(
    program: p.Program,
    id_type: str,
    target: str = "cpu",
    written: frozenset[tuple[str, str]] | None = None,
    asked: Asked = NOTHING_ASKED,
    copies: Mapping[str, Sized] = NO_COPIES,
) -> tuple[s.Schedule, dict[Any, s.Slot]]:
    """Return the schedule of a program and the slots of its scalars.

    Parameters
    ----------
    id_type : str
        ``i32`` or ``i64``: the width of this graph's ids.
    target : {"cpu", "cuda"}
        What it will run on, which decides where loops run.
    written : frozenset of (kind, field) or None
        Of a piece of a run that the host drives: the columns that other pieces write. These may
        activate, too, before this one and after it. None for a whole program.
    asked : Asked
        What the caller asks of it.
    copies : mapping
        The parameters that differ from copy to copy of a batch, to their values.
    """
    is_piece = written is not None
    # First: everything later speaks of launches. Fusing needs who uses what over the whole program.
    fuser = Fuser(program, id_type)
    steps = fuser.block(program.body)
    fuser.results(program.results)
    # Before all decisions, as they depend on it.
    steps = _each_launch(steps, lambda launch, loop, whole: follow_schedule(launch, asked), steps)
    for decide in PIPELINE:
        steps = _each_launch(steps, decide, steps)
    if target == "cpu":  # a GPU looks at all vertices in the time that a barrier takes
        steps = _each_launch(steps, lambda launch, loop, whole: index_values(launch, loop), steps)
    # After all that decides how a launch walks.
    steps = prepare_pulls(steps, target)
    # Last: where a loop runs depends on what its launches became.
    steps = tuple(
        place_loop(step, target) if isinstance(step, s.LoopStep) else step for step in steps
    )
    schedule = s.Schedule(
        program,
        steps,
        program.results,
        fuser.num_slots,
        is_piece or needs_flags(steps),
        s.written_columns(steps) | (written or frozenset()),
        values=fuser.values,
        alone=target == "cpu" and config.num_threads == 1,
        sorted_queues=config.deterministic,
        is_piece=is_piece,
        all_active=isinstance(asked.whole, AllActive),
        revotes=is_piece or hides_votes(steps),
    )
    if copies:  # of the whole schedule, once it is decided
        shift = shift_for(max(map(len, copies.values())))
        schedule = spread_copies(schedule, copies, shift, target)
    return schedule, fuser.slots


def _each_launch(
    steps: tuple[Any, ...], decide: Decide, whole: tuple[Any, ...], loop: s.LoopStep | None = None
) -> tuple[Any, ...]:
    made: list[Any] = []
    for step in steps:
        if isinstance(step, s.Launch):
            made.append(decide(step, loop, whole))
        elif isinstance(step, s.LoopStep):
            body = _each_launch(step.body, decide, whole, step)
            made.append(dataclasses.replace(step, body=body))
        else:
            made.append(step)
    return tuple(made)
