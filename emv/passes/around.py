"""What decisions look at besides what they decide on, and how a shortcut is declined.

A pass takes a schedule and its setting and returns the schedule. One that decides launch by launch
is written as a function of a launch and what is around it; `by_launch` makes a pass of it.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sized
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from emv.errors import Loc
from emv.ir import schedule as s
from emv.lang.schedules import NOTHING_ASKED, Asked


@dataclass(frozen=True)
class Setting:
    """What a schedule is made for.

    Attributes
    ----------
    id_type : str
        ``i32`` or ``i64``: the width of the graph's ids.
    target : {"cpu", "cuda"}
        What it will run on.
    asked : Asked
        What the caller asks of it.
    written : frozenset of (kind, field) or None
        Of a piece of a run that the host drives: the columns that other pieces write. These may
        activate, too, before this one and after it. None for a whole program.
    copies : mapping
        The parameters that differ from copy to copy of a batch, to their values.
    divided : bool
        Whether the graph is divided into parts, each with its own columns, which exchange what
        others read.
    meets : bool
        Whether they do so inside their kernels, and not the host between launches.
    """

    id_type: str = "i32"
    target: str = "cpu"
    asked: Asked = NOTHING_ASKED
    written: frozenset[tuple[str, str]] | None = None
    copies: Mapping[str, Sized] = field(default_factory=dict)
    divided: bool = False
    meets: bool = False

    @property
    def is_piece(self) -> bool:
        """Return whether it is made for a piece of a run."""
        return self.written is not None


@dataclass(frozen=True)
class Around:
    """The surroundings of a launch: the loops around it, the innermost first, and the rest."""

    schedule: s.Schedule
    setting: Setting
    loops: tuple[s.LoopStep, ...] = ()

    @property
    def loop(self) -> s.LoopStep | None:
        """Return the innermost loop around the launch."""
        return self.loops[0] if self.loops else None

    @property
    def steps(self) -> tuple[Any, ...]:
        """Return the steps of the whole program."""
        return self.schedule.body


Pass: TypeAlias = Callable[[s.Schedule, Setting], s.Schedule]
Decide: TypeAlias = Callable[[s.Launch, Around], s.Launch]


def by_launch(decide: Decide) -> Pass:
    """Return the pass that decides on every launch; all of them see what was before it."""

    @functools.wraps(decide)
    def run(schedule: s.Schedule, setting: Setting) -> s.Schedule:
        body = _each(schedule.body, decide, Around(schedule, setting))
        return dataclasses.replace(schedule, body=body)

    return run


def _each(steps: tuple[Any, ...], decide: Decide, around: Around) -> tuple[Any, ...]:
    made: list[Any] = []
    for step in steps:
        if isinstance(step, s.Launch):
            step = decide(step, around)
        elif isinstance(step, s.LoopStep):
            inside = dataclasses.replace(around, loops=(step, *around.loops))
            step = dataclasses.replace(step, body=_each(step.body, decide, inside))
        made.append(step)
    return tuple(made)


class DeclinedError(Exception):
    """A shortcut that a launch may not take: why, at which line, and what to write instead."""

    def __init__(self, why: str, instead: str, loc: Loc) -> None:
        super().__init__(why)
        self.why = why
        self.instead = instead
        self.loc = loc
