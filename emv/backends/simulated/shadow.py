"""What is remembered of the accesses to simulated memory, element by element.

An element keeps what a later access might not follow: who has read it, one reader where one
suffices (FastTrack, see `races`), and who has written it or changed it by an atomic.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

from emv.backends.simulated.clocks import LOW
from emv.backends.simulated.races import IS_KERNEL, MakesError, RaceError, Races, ScopeError


class Cell:
    """Who has touched an element since all threads knew of what was before.

    Attributes
    ----------
    read, read_at, reads
        The epoch of the last plain read and where it stands; others that it does not follow.
    writes, changes, looks : dict
        Plain writes of the number that is there, atomic changes and atomic reads: epoch and place
        by thread.
    clean : list
        A clock that knows of all writes and changes.
    scopes : dict
        The parts that touch it by atomics and the like, and whether always at system scope.
    """

    __slots__ = ("changes", "clean", "looks", "read", "read_at", "reads", "scopes", "writes")

    def __init__(self) -> None:
        self.read, self.read_at = 0, None
        self.reads = self.writes = self.changes = self.looks = self.clean = None
        self.scopes: dict[int, bool] | None = None


class Shadow:
    """What is known of the accesses to an array.

    Parameters
    ----------
    words : int
        Of the memory, per element, where arrays share the cells of one memory.
    """

    def __init__(
        self, name: str, races: Races, cells: dict[int, Cell] | None = None, words: int = 1
    ) -> None:
        self.name, self.races = name, races
        self.cells = {} if cells is None else cells
        self.words = words

    def cell(self, number: int) -> Cell:
        """Return what is known of an element."""
        found = self.cells.get(number)
        if found is None:
            found = self.cells[number] = Cell()
        return found

    def read(self, lane: Any, number: int) -> MakesError | None:
        """Note a plain read; return what makes the error if what it brings is used, if it races."""
        number *= self.words
        cell = self.cells.get(number)
        if cell is None:
            cell = self.cells[number] = Cell()
        epoch = lane.epoch
        if cell.read == epoch:
            return None
        frame = sys._getframe(2)
        code = frame.f_code
        if self.races.kinds.get(id(code)) == IS_KERNEL:
            at: Any = (False, (code, frame.f_lasti, None))  # as `place` finds
        else:
            at = self.races.place(frame)
            if at[0]:
                self.look(lane, number, cell, at)
                return None
        seen = lane.seen
        if cell.clean is not seen:
            if follows_all(seen, cell.writes) and follows_all(seen, cell.changes):
                cell.clean = seen
            else:
                error = self.found(lane, number, ("reads", at), cell.writes, "writes")
                error = error or self.found(lane, number, ("reads", at), cell.changes, "changes")
                if error is not None:
                    return error
        last = cell.read
        if seen[last & LOW] < last and last & LOW != lane.number:
            if cell.reads is None:
                cell.reads = {}
            cell.reads[last & LOW] = last, cell.read_at
        cell.read, cell.read_at = epoch, at
        return None

    def look(self, lane: Any, number: int, cell: Cell, at: Any) -> None:
        """Note a read that may meet atomics."""
        if cell.writes:
            self.refuse(lane, number, ("looks at", at), cell.writes, "writes")
        if cell.looks is None:
            cell.looks = {}
        cell.looks[lane.number] = lane.epoch, at

    def scope(self, lane: Any, number: int, is_system: bool = False) -> None:
        """Note an atomic, or what orders memory, and refuse it if its scope leaves a part out."""
        if lane.grid.parts == 1:
            return
        cell, part = self.cell(number * self.words), lane.block.part
        scopes = cell.scopes = cell.scopes or {}
        scopes[part] = is_system and scopes.get(part, True)
        if len(scopes) > 1 and not all(scopes.values()):
            where = self.races.place(sys._getframe(2))[1]
            raise ScopeError(self.name, number, sorted(scopes), where)

    def write(self, lane: Any, number: int, is_same: bool) -> None:
        """Note a plain write; ``is_same`` if it stores the number that is there."""
        number *= self.words
        at = self.races.place(sys._getframe(2))
        if at[0]:
            self.change_at(lane, number, not is_same, at)
            return
        cell = self.cell(number)
        does = "writes", at
        if cell.read:
            self.suspect(lane, number, does, cell)
        if cell.changes:
            self.refuse(lane, number, does, cell.changes, "changes")
        if cell.looks:
            self.refuse(lane, number, does, cell.looks, "looks at")
        if cell.writes and not is_same:
            self.refuse(lane, number, ("writes another number to", at), cell.writes, "writes")
        agrees = is_same and not follows_all(lane.seen, cell.writes, lane.number)
        if not agrees:  # all that was before is known to whoever knows of this
            cell.writes, cell.read, cell.reads = {}, 0, None
            cell.changes = cell.looks = None
        cell.writes[lane.number] = lane.epoch, at
        cell.clean = None

    def change(self, lane: Any, number: int, is_other: bool) -> None:
        """Note an atomic; ``is_other`` if another number is there now."""
        self.change_at(lane, number * self.words, is_other, self.races.place(sys._getframe(2)))

    def change_at(self, lane: Any, number: int, is_other: bool, at: Any) -> None:
        """Note an atomic, or what counts as one."""
        cell = self.cell(number)
        if not is_other:
            self.look(lane, number, cell, at)
            return
        if cell.writes:
            self.refuse(lane, number, ("changes", at), cell.writes, "writes")
        if cell.read:
            self.suspect(lane, number, ("changes", at), cell)
        if cell.changes is None:
            cell.changes = {}
        cell.changes[lane.number] = lane.epoch, at
        cell.clean = None

    def suspect(self, lane: Any, number: int, does: tuple[str, Any], cell: Cell) -> None:
        """Note plain reads that a write or a change does not follow, and which may be of no use."""
        loads, me = lane.loads, lane.number
        for epoch, where in ((cell.read, cell.read_at), *(cell.reads or {}).values()):
            if loads[epoch & LOW] < epoch and epoch & LOW != me:
                if does[0] == "changes" and self.races.allows(where, does[1]):
                    continue
                error = functools.partial(self.error, lane, number, does, epoch, ("reads", where))
                self.races.suspects[self.name, number, epoch] = error

    def refuse(self, lane: Any, number: int, does: tuple[str, Any], marks: Any, verb: str) -> None:
        """Refuse an access that does not follow those of others."""
        error = self.found(lane, number, does, marks, verb)
        if error is not None:
            raise error()

    def found(
        self, lane: Any, number: int, does: tuple[str, Any], marks: Any, verb: str
    ) -> MakesError | None:
        """Return what makes an error if an access does not follow those of others."""
        if marks is None:
            return None
        seen, me = lane.seen, lane.number
        for thread, (epoch, where) in marks.items():
            if seen[thread] < epoch and thread != me:
                is_known = does[0] == "reads" and verb == "changes"
                if is_known and self.races.allows(does[1], where):
                    continue
                return functools.partial(self.error, lane, number, does, epoch, (verb, where))
        return None

    def error(
        self, lane: Any, number: int, does: tuple[str, Any], epoch: int, did: tuple[str, Any]
    ) -> RaceError:
        """Return the error that tells of two accesses."""
        size, other = lane.block.size, epoch & LOW
        first = other % size, other // size, *did
        second = lane.thread_id, lane.block.number, *does
        return RaceError((self.name, number), first, second, self.races.lines)


class Again(Shadow):
    """What is asked where a launch is simulated once more: which reads bring no number.

    All else was looked at the first time, and the order is the same.
    """

    def __init__(self, name: str, races: Races, *cells: Any) -> None:
        super().__init__(name, races, *cells)
        self.numbers = races.numbers.get(name, ())  # that may be found

    def read(self, lane: Any, number: int) -> MakesError | None:
        number *= self.words
        if number not in self.numbers:
            return None
        key = self.name, number, lane.epoch
        return self.races.meet(*key) if key in self.races.dropped else None

    def scope(self, lane: Any, number: int, is_system: bool = False) -> None:
        pass

    def write(self, lane: Any, number: int, is_same: bool) -> None:
        pass

    def change(self, lane: Any, number: int, is_other: bool) -> None:
        pass


def shadow_of(
    name: str, races: Races, cells: dict[int, Cell] | None = None, words: int = 1
) -> Shadow:
    """Return what notes the accesses to an array, or finds those that race when they come again."""
    return (Again if races.dropped else Shadow)(name, races, cells, words)


def follows_all(seen: list[int], marks: Any, me: int = -1) -> bool:
    """Return whether a clock knows of all accesses of others than a thread."""
    if marks is not None:
        for thread, mark in marks.items():
            if seen[thread] < mark[0] and thread != me:
                return False
    return True
