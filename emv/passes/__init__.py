"""Program -> Schedule: one decision a file, applied in the order of `PIPELINE`."""

from __future__ import annotations

import dataclasses
from typing import Any

from emv.config import config
from emv.ir import program as p
from emv.ir import schedule as s
from emv.passes.choose_direction import choose_direction
from emv.passes.choose_walk import choose_walk
from emv.passes.double_buffer import double_buffer
from emv.passes.find_shortcuts import find_shortcuts
from emv.passes.flag_activations import needs_flags
from emv.passes.fuse import Fuser
from emv.passes.place_loop import place_loop


def make_schedule(
    program: p.Program,
    id_type: str,
    written: frozenset[tuple[str, str]] = frozenset(),
    is_piece: bool = False,
) -> tuple[s.Schedule, dict[Any, s.Slot]]:
    """Return the schedule of a program and the slots of its scalars.

    Parameters
    ----------
    id_type : str
        ``i32`` or ``i64``: the width of this graph's ids.
    written : frozenset of (kind, field)
        Columns that are written elsewhere, besides those that the program writes.
    is_piece : bool
        Whether other pieces of the run may activate too, before this one and after it.
    """
    # First: everything later speaks of launches. Fusing needs who uses what over the whole program.
    fuser = Fuser(program, id_type)
    steps = fuser.block(program.body)
    fuser.results(program.results)
    # Independent of all else.
    steps = _each_launch(steps, lambda launch, loop: choose_walk(launch))
    # Before the direction: a double-buffered column does not change how messages travel.
    steps = _each_launch(steps, lambda launch, loop: double_buffer(launch))
    # Before the shortcuts, which only help launches that may push.
    steps = _each_launch(steps, lambda launch, loop: choose_direction(launch))
    whole = steps
    steps = _each_launch(steps, lambda launch, loop: find_shortcuts(launch, loop, whole))
    # Last: where a loop runs depends on what its launches became.
    steps = tuple(place_loop(step) if isinstance(step, s.LoopStep) else step for step in steps)
    schedule = s.Schedule(
        program,
        steps,
        program.results,
        fuser.num_slots,
        is_piece or needs_flags(steps),
        s.written_columns(steps) | written,
        values=fuser.values,
        alone=config.num_threads == 1,
        sorted_queues=config.deterministic,
    )
    return schedule, fuser.slots


def _each_launch(steps: tuple[Any, ...], change: Any, loop: Any = None) -> tuple[Any, ...]:
    made: list[Any] = []
    for step in steps:
        if isinstance(step, s.Launch):
            made.append(change(step, loop))
        elif isinstance(step, s.LoopStep):
            body = _each_launch(step.body, change, step)
            made.append(dataclasses.replace(step, body=body))
        else:
            made.append(step)
    return tuple(made)
