"""Find data races of simulated threads: accesses to one element that nothing orders.

Happens-before by vector clocks, kept as epochs wherever one suffices (FastTrack: Flanagan and
Freund, PLDI 2009), over the hierarchy of a GPU: threads that leave a barrier together share one
clock (BARRACUDA: Eizenberg, Peng, Pigli, Mansky and Devietti, PLDI 2017; CURD: Peng, Grover and
Devietti, PLDI 2018). An epoch is a thread's number and how often others could learn of it so far.

What orders: barriers of a block, ``syncwarp``, and a release that an acquire reads from, as the
PTX memory model has it. Shuffles and votes order no memory there; but a warp issues its loads
before what stands behind the shuffle, so they do order a load before a later store of its lanes.

Two accesses race if nothing orders them, one is plain and one writes. Of plain writes that all
store one number none is a race: that is the language's "constant that all writers agree on"; who
reads it meanwhile is one. Atomics do not race among themselves. As in LLVM, a plain load that races
brings no number, and only to use that is the mistake: lanes may load early what they drop. What
device code does with plain loads and stores on purpose is in `STRONG`.
"""

from __future__ import annotations

import linecache
import sys
from typing import Any

STRONG = {
    "atomics.min_if": "looks before its atomic, which looks again",
    "atomics.max_if": "looks before its atomic, which looks again",
    "atomics.or_if": "looks before its atomic, which looks again",
    "atomics.mul_if": "what it read is confirmed by compare-and-swap, or read anew",
    "atomics.take_flag": "a flag is only set, and who finds it clear asks by an exchange",
    "atomics.take_stamp": "an old stamp is confirmed by an exchange, a new one is there to stay",
    "atomics.claim_once": "the same, where what is claimed is what is there already",
    "messages.hang": "a link that is set stays; who finds it empty asks by compare-and-swap",
    "sets.root_of": "every parent that ever stood there is an ancestor still",
    "sets.join": "every parent that ever stood there is an ancestor still",
    "sets.flatten_one": "every parent that ever stood there is an ancestor still",
    "build.survey": "any bounds of some ends are a start; the atomics take part in all",
    "queues.checked": "of several ids that are out of range any may be told",
}
"""Functions of ``emv_kernels.cuda`` whose plain loads and stores count as atomic ones, and why."""

PHASES = {
    "round": "who relaxes compares before an atomic that compares again, and relaxes anew"
    " whatever is lowered meanwhile",
    "claim": "what is not empty stays so; who finds it empty asks by compare-and-swap",
    "look": "what is not empty stays so; who finds it empty asks by compare-and-swap",
    "spread": "a bit that is set stays so; who finds it clear asks by an atomic or",
}
"""Generated functions, by the last word of their names, whose plain loads may meet the atomics of
the same function, and why. In a sweep those of all functions may: that is what a sweep is."""

BITS = 12  # of an epoch that are the number of its thread
STEP = 1 << BITS
LOW = STEP - 1


class RaceError(RuntimeError):
    """Two threads touch one element, one of them writes, and nothing orders them."""


def begin(lanes: list[Any]) -> None:
    """Give threads their first clocks: what they know of all, and of loads alone."""
    assert len(lanes) <= STEP
    seen = [0] * len(lanes)
    for lane in lanes:
        lane.seen = lane.loads = seen
        lane.epoch = STEP | lane.number


def largest(clocks: list[list[int]]) -> list[int]:
    """Return a clock that knows what any of some clocks knows."""
    found = {id(each): each for each in clocks}.values()
    return list(map(max, *found)) if len(found) > 1 else list(clocks[0])


def join(lanes: list[Any], loads_alone: bool = False) -> None:
    """Let threads know what all of them have done, or have loaded: they meet."""
    if loads_alone or any(lane.loads is not lane.seen for lane in lanes):
        loads = largest([lane.loads for lane in lanes])
        for lane in lanes:
            loads[lane.number] = lane.epoch
    else:
        loads = []
    if not loads_alone:
        seen = largest([lane.seen for lane in lanes])
        for lane in lanes:
            lane.seen = seen
            seen[lane.number] = lane.epoch
        if not loads or all(map(int.__le__, loads, seen)):
            loads = seen
    for lane in lanes:
        lane.loads = loads
        lane.epoch += STEP


def release(lane: Any) -> list[int]:
    """Return what a thread knows and has done: what those learn who acquire it."""
    known = list(lane.seen)
    known[lane.number] = lane.epoch
    lane.epoch += STEP
    return known


def acquire(lane: Any, known: list[int]) -> None:
    """Let a thread know what was released."""
    lane.loads = largest([lane.loads, known])
    lane.seen = largest([lane.seen, known])


def refused(self: Any, *others: Any) -> Any:
    raise self.error


class Dropped:
    """What a load that races brings: it may be handed on, and to compute with it is the race."""

    __array_ufunc__ = None  # numbers of numpy ask this class

    def __init__(self, error: RaceError) -> None:
        self.error = error


for _name in (
    *"abs add and array bool ceil divmod eq float floor floordiv ge gt index int invert".split(),
    *"le lshift lt mod mul ne neg or pos pow radd rand rfloordiv rlshift rmod rmul ror".split(),
    *"round rpow rrshift rshift rsub rtruediv rxor sub truediv trunc xor".split(),
):
    setattr(Dropped, f"__{_name}__", refused)


class Cell:
    """Who has touched an element since all threads knew of what was before.

    Attributes
    ----------
    read, read_at, reads
        The epoch of the last plain read and where it stands; others that it does not follow.
    writes, changes, looks : dict
        Plain writes of the number that is there; atomic changes; atomic reads. By thread.
    clean : list
        A clock for which no write and no change was found that it does not know.
    """

    __slots__ = ("changes", "clean", "looks", "read", "read_at", "reads", "writes")

    def __init__(self) -> None:
        self.read, self.read_at = 0, None
        self.reads = self.writes = self.changes = self.looks = self.clean = None


class Shadow:
    """What is known of the accesses to an array."""

    def __init__(self, name: str, races: Races) -> None:
        self.name, self.races, self.dropped = name, races, races.dropped
        self.cells: dict[int, Cell] = {}

    def cell(self, number: int) -> Cell:
        found = self.cells.get(number)
        if found is None:
            found = self.cells[number] = Cell()
        return found

    def read(self, lane: Any, number: int) -> RaceError | None:
        """Note a plain read; return why what it brings is not to be used."""
        cell = self.cells.get(number)
        if cell is None:
            cell = self.cells[number] = Cell()
        epoch = lane.epoch
        if self.dropped and (self.name, number, epoch) in self.dropped:
            return self.races.meet(self.name, number, epoch)
        if cell.read == epoch:
            return None
        at = self.races.place(sys._getframe(2))
        if at[0]:
            return self.look(lane, number, cell, at)
        seen = lane.seen
        if cell.clean is not seen:
            error = self.found(lane, number, "reads", at, cell.writes, "writes")
            error = error or self.found(lane, number, "reads", at, cell.changes, "changes")
            if error is not None:
                return error
            if not has_own(cell, lane.number):
                cell.clean = seen
        last = cell.read
        if seen[last & LOW] < last and last & LOW != lane.number:
            if cell.reads is None:
                cell.reads = {}
            cell.reads[last & LOW] = last, cell.read_at
        cell.read, cell.read_at = epoch, at
        return None

    def look(self, lane: Any, number: int, cell: Cell, at: Any) -> None:
        """Note a read that may meet atomics."""
        self.refuse(lane, number, "looks at", at, cell.writes, "writes")
        if cell.looks is None:
            cell.looks = {}
        cell.looks[lane.number] = lane.epoch, at

    def write(self, lane: Any, number: int, is_same: bool) -> None:
        """Note a plain write; ``is_same`` if it stores the number that is there."""
        at = self.races.place(sys._getframe(2))
        if at[0]:
            self.change(lane, number, not is_same, at)
            return
        cell = self.cell(number)
        self.suspect(lane, number, "writes", at, cell)
        self.refuse(lane, number, "writes", at, cell.changes, "changes")
        self.refuse(lane, number, "writes", at, cell.looks, "looks at")
        if not is_same:
            self.refuse(lane, number, "writes another number to", at, cell.writes, "writes")
        if cell.writes is None or not is_same or not has_others(cell.writes, lane):
            cell.writes, cell.read, cell.reads = {}, 0, None
            cell.changes = cell.looks = None
        cell.writes[lane.number] = lane.epoch, at
        cell.clean = None

    def change(self, lane: Any, number: int, is_other: bool, at: Any = None) -> None:
        """Note an atomic; ``is_other`` if another number is there now."""
        at = at or self.races.place(sys._getframe(2))
        cell = self.cell(number)
        if not is_other:
            self.look(lane, number, cell, at)
            return
        self.refuse(lane, number, "changes", at, cell.writes, "writes")
        self.suspect(lane, number, "changes", at, cell)
        if cell.changes is None:
            cell.changes = {}
        cell.changes[lane.number] = lane.epoch, at
        cell.clean = None

    def suspect(self, lane: Any, number: int, does: str, at: Any, cell: Cell) -> None:
        """Note plain reads that an access does not follow: were they of use?"""
        for epoch, where in ((cell.read, cell.read_at), *(cell.reads or {}).values()):
            if lane.loads[epoch & LOW] < epoch and epoch & LOW != lane.number:
                if does == "changes" and self.races.allows(where, at):
                    continue
                error = self.races.error(self.name, number, lane, does, at, epoch, "reads", where)
                self.races.suspects[self.name, number, epoch] = error

    def refuse(self, lane: Any, number: int, does: str, at: Any, marks: Any, did: str) -> None:
        """Refuse accesses of others that an access does not follow."""
        error = self.found(lane, number, does, at, marks, did)
        if error is not None:
            raise error

    def found(
        self, lane: Any, number: int, does: str, at: Any, marks: Any, did: str
    ) -> RaceError | None:
        """Return an error if there are accesses of others that an access does not follow."""
        if marks is None:
            return None
        seen, me = lane.seen, lane.number
        for thread, (epoch, where) in marks.items():
            if seen[thread] < epoch and thread != me:
                if did == "changes" and does == "reads" and self.races.allows(at, where):
                    continue
                return self.races.error(self.name, number, lane, does, at, epoch, did, where)
        return None


def has_own(cell: Cell, thread: int) -> bool:
    """Return whether a thread has written an element itself, which others need not know of."""
    return bool(cell.writes and thread in cell.writes) or bool(
        cell.changes and thread in cell.changes
    )


def has_others(marks: dict[int, Any], lane: Any) -> bool:
    """Return whether there are marks of others that a thread does not follow."""
    seen, me = lane.seen, lane.number
    return any(seen[thread] < epoch and thread != me for thread, (epoch, _) in marks.items())


HELPERS = "emv_kernels/cuda/"
IS_MACHINERY, IS_HELPER, IS_STRONG, IS_KERNEL = range(4)


class Races:
    """Says where an access stands, and tells of two that race.

    Parameters
    ----------
    lines : dict
        Line of the kernel's text to the user's file and line.
    machinery : set of str
        Files of the simulator.
    is_sweep : bool
        Whether the program has sweeps.
    dropped : dict
        Reads that race by what was found in a run before, and why: array, place and epoch.

    Attributes
    ----------
    suspects : dict
        Reads that race with a write that came later, in the same form.
    """

    def __init__(
        self,
        lines: dict[int, tuple[str, int]],
        machinery: set[str],
        is_sweep: bool = False,
        dropped: dict[Any, RaceError] | None = None,
    ) -> None:
        self.lines, self.machinery, self.is_sweep = lines, machinery, is_sweep
        self.dropped = dropped or {}
        self.met: set[Any] = set()
        self.suspects: dict[Any, RaceError] = {}
        self.kinds: dict[int, int] = {}  # by the address of a code

    def kind(self, code: Any) -> int:
        """Return whose text a function is."""
        path = code.co_filename
        if path in self.machinery:
            return IS_MACHINERY
        if HELPERS not in path:
            return IS_KERNEL
        name = f"{path.rpartition('/')[2].removesuffix('.py')}.{code.co_name}"
        return IS_STRONG if name in STRONG else IS_HELPER

    def place(self, frame: Any) -> tuple[bool, Any]:
        """Return whether the access of a frame counts as an atomic one, and where it stands."""
        kinds, trail, is_strong = self.kinds, None, False
        while True:
            code = frame.f_code
            kind = kinds.get(id(code))
            if kind is None:
                kind = kinds[id(code)] = self.kind(code)
            if kind == IS_KERNEL:
                return is_strong, (code, frame.f_lineno, trail)
            if kind != IS_MACHINERY:
                is_strong = is_strong or (kind == IS_STRONG and trail is None)
                trail = code, frame.f_lineno, trail
            frame = frame.f_back

    def allows(self, load: Any, atomic: Any) -> bool:
        """Return whether a plain load and an atomic are those of one of the `PHASES`, or a sweep."""
        code = load[1][0]
        is_known = self.is_sweep or code.co_name.rpartition("_")[2] in PHASES
        return is_known and atomic[1][0] is code

    def meet(self, *read: Any) -> RaceError:
        """Return why a read races, and note that it has come again."""
        self.met.add(read)
        return self.dropped[read]

    def error(
        self, name: str, number: int, lane: Any, does: str, at: Any, epoch: int, did: str, where: Any
    ) -> RaceError:
        """Return the error that tells of two accesses."""
        size = len(lane.block.all)
        other = epoch & LOW
        lines = [
            f"{name}[{number}]: nothing orders what two threads do there",
            f"thread {other % size} of block {other // size} {did} it:",
            *self.told(where[1]),
            f"thread {lane.thread_id} of block {lane.block.number} {does} it:",
            *self.told(at[1]),
        ]
        return RaceError("\n".join(lines))

    def told(self, trail: Any) -> list[str]:
        """Return the lines of an access: the kernel's, the user's, those of helpers inside."""
        code, line, inner = trail
        told = [f"  {line_of(code, line)}", f"    of {self.users(code, line)}"]
        while inner is not None:
            told.append(f"    in {line_of(*inner[:2])}")
            inner = inner[2]
        return told

    def users(self, code: Any, line: int) -> str:
        """Return the user's line that a line was made of, or those of its whole function."""
        if line in self.lines:
            return "{}:{}".format(*self.lines[line])
        last = max(each for _, _, each in code.co_lines() if each is not None)
        found = [self.lines.get(each) for each in range(code.co_firstlineno, last + 1)]
        users = dict.fromkeys("{}:{}".format(*each) for each in found if each)
        return f"no line of a user's; {code.co_name} has {', '.join(users) or 'none'}"


def line_of(code: Any, line: int) -> str:
    """Return a line of device code, with where it stands."""
    text = linecache.getline(code.co_filename, line).strip()
    return f"{code.co_filename.rpartition('/')[2]}:{line} {code.co_name}: {text}"
