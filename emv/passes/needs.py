"""What steps of a program read of other parts' rows, from the effects of its functions.

Rows of an array are right everywhere; at their owners and at those parts that have arcs from them;
or at their owners alone. Before a step the parts bring what it reads as far as it needs.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import Any

from emv.ir import program as p
from emv.ir import schedule as s
from emv.lang.effects import find_effects
from emv.passes.divide import HOME, walk_of


class Right(enum.IntEnum):
    """Where the rows of an array are right; what a launch reads asks for one of them."""

    OWNERS = 0
    REPLICAS = 1  # also where there are arcs from them
    EVERYWHERE = 2**20  # further than any hop of replicas


class Needs:
    """What steps read of other parts' rows: arrays by name, and where they must be right."""

    def __init__(self, schedule: s.Schedule) -> None:
        self.fields = schedule.program.fields

    def of(self, step: Any) -> Iterator[tuple[str, Right]]:
        """Yield the arrays that a step reads."""
        match step:
            case s.Launch(share="owned"):
                yield from self.of_owned(step)
            case s.Launch():
                yield from self.of_senders(step)
            case s.PreparePull(launch):
                yield from self.of(launch)
            case s.FillColumn(value=value) if not isinstance(value, s.Slot):
                yield from self.whole(value)
            case s.FoldColumn(column=column):
                yield from self.whole(column)
            case s.AggregateValues(values=values):
                yield from self.whole(values)

    def whole(self, given: p.Column | s.Values) -> Iterator[tuple[str, Right]]:
        """Yield arrays of which every row is read."""
        if isinstance(given, s.Values):
            yield from ((name, Right.EVERYWHERE) for name in given.names)
        elif (given.kind, given.name) in self.fields:
            yield column_name(given.kind, given.name), Right.EVERYWHERE

    def of_owned(self, launch: s.Launch) -> Iterator[tuple[str, Right]]:
        """Yield what a part reads for its own elements."""
        walk, effects = walk_of(launch), find_effects(launch.body)
        local = {HOME[walk], ("dst", "vertex") if walk != "vertices" else HOME[walk]}
        at_sender = Right.OWNERS if walk == "vertices" else Right.REPLICAS
        finds = "find" in effects.acts
        for each in effects.reads:
            name = column_name(each.kind, each.field)
            is_far = finds and self.fields[each.kind, each.field].disjoint
            if is_far or (each.where, each.kind) not in {*local, ("src", "vertex")}:
                yield name, Right.EVERYWHERE
            elif each.where == "src":
                yield name, Right.REPLICAS
        if launch.domain.mask is not None:
            yield column_name("vertex", str(launch.domain.mask)), at_sender
        for arg in launch.args:
            if isinstance(arg.source, s.Values):
                yield from ((name, at_sender) for name in arg.source.names)
        yield from self.of_receiver(launch)

    def of_receiver(self, launch: s.Launch) -> Iterator[tuple[str, Right]]:
        """Yield what receivers read of others."""
        if launch.receive is None:
            return
        effects = launch.receive.function.effects
        for each in effects.reads:
            if each.where != "own" or "find" in effects.acts:
                yield column_name(each.kind, each.field), Right.EVERYWHERE

    def of_senders(self, launch: s.Launch) -> Iterator[tuple[str, Right]]:
        """Yield what every part reads, and what it changes in part, where it runs all senders."""
        functions = s.functions_of(launch) if launch.share == "all" else [launch.send]
        for function in functions:
            keys = {(each.kind, each.field) for each in function.effects.reads}
            for key in keys | function.effects.written:
                yield column_name(*key), Right.EVERYWHERE
        if launch.domain.mask is not None:
            yield column_name("vertex", str(launch.domain.mask)), Right.EVERYWHERE
        args = list(launch.args)
        if launch.share == "all" and launch.receive is not None:
            args += launch.receive.args
        own = {name for fold in launch.folds for name in fold.values.names}
        for arg in args:
            if isinstance(arg.source, s.Values):
                names = [name for name in arg.source.names if name not in own]
                yield from ((name, Right.EVERYWHERE) for name in names)
        if launch.share != "all":
            yield from self.of_receiver(launch)


def column_name(kind: str, name: str) -> str:
    """Return what kernels call the array of a column in the order of its rows.

    Examples
    --------
    >>> column_name("vertex", "dist")
    'v_dist'
    """
    return f"{kind[0]}_{name}"


def changed_in(schedule: s.Schedule) -> set[str]:
    """Return the arrays that a program changes, in its launches or without one."""
    changed = {column_name(*key) for key in schedule.written}
    for launch in s.launches_in(schedule.body):
        changed |= {*changed_by(launch, senders=True, returned=True)}
    return changed


def changed_by(launch: s.Launch, senders: bool, returned: bool) -> Iterator[str]:
    """Yield the arrays that a launch changes.

    Parameters
    ----------
    senders, returned : bool
        Whether those that its senders change count, and what these return.
    """
    receive = launch.receive
    functions = [launch.send] if senders else []
    for function in [*functions, *([receive.function] if receive is not None else [])]:
        yield from (column_name(*key) for key in sorted(function.effects.written))
    values = [fold.values for fold in launch.folds]
    values += [launch.returned] if launch.returned is not None and returned else []
    received = receive.returned if receive is not None else None
    for each in [*values, *([received] if received is not None else [])]:
        yield from each.names
