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
from collections.abc import Callable
from typing import Any

from emv.backends.simulated.block import line_at

STRONG = {
    "atomics.min_if": "looks before its atomic, which looks again",
    "atomics.max_if": "looks before its atomic, which looks again",
    "atomics.or_if": "looks before its atomic, which looks again",
    "atomics.mul_if": "what it read is confirmed by compare-and-swap, or read anew",
    "atomics.take_flag": "a flag is only set, and who finds it clear asks by an exchange",
    "atomics.take_stamp": "an old stamp is confirmed by an exchange, a new one is there to stay",
    "atomics.claim_once": "the same, where what is claimed is what is there already",
    "draining.drain": "what is at the floor stays there; who finds more asks by an atomic",
    "messages.hang": "a link that is set stays; who finds it empty asks by compare-and-swap",
    "sets.root_of": "every parent that ever stood there is an ancestor still",
    "sets.join": "every parent that ever stood there is an ancestor still",
    "sets.flatten_one": "every parent that ever stood there is an ancestor still",
    "sets.flatten_four": "every parent that ever stood there is an ancestor still",
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


class RaceError(RuntimeError):
    """Two threads touch one element, one of them writes, and nothing orders them.

    Parameters
    ----------
    element : tuple
        The name of the array, and the place in it.
    first, second : tuple
        What the two threads do: thread, block, verb and where it stands; in the order in which it
        happened this time.
    lines : dict
        Line of the kernel's text to the user's file and line.
    """

    used_at: Any = None  # where what was loaded is used

    def __init__(self, element: Any, first: Any, second: Any, lines: Any) -> None:
        super().__init__(element, first, second)
        self.element, self.threads, self.lines = element, (first, second), lines

    def __str__(self) -> str:
        name, number = self.element
        told = [f"{name}[{number}]: nothing orders what two threads do there"]
        for thread, block, does, at in self.threads:
            told += [f"thread {thread} of block {block} {does} it:", *self.told(at[1])]
            if does == "reads" and self.used_at is not None:
                told += ["and uses what it has read:", *self.told(self.used_at[1])]
        return "\n".join(told)

    def told(self, trail: Any) -> list[str]:
        """Return the lines of an access: the kernel's, the user's, those of helpers inside."""
        code, step, inner = trail
        told = [f"  {line_of(code, step)}", f"    of {self.users(code, line_at(code, step))}"]
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


MakesError = Callable[[], RaceError]  # most are never raised


class ScopeError(RuntimeError):
    """Parts touch one element by operations of which not all are at system scope.

    Each is then atomic, and orders memory, for its own part alone.
    """

    def __init__(self, name: str, number: int, parts: list[int], trail: Any) -> None:
        listed = " and ".join(map(str, parts))
        super().__init__(
            f"{name}[{number}]: parts {listed} touch it, and not always at system scope\n"
            f"  {line_of(*trail[:2])}"
        )


def line_of(code: Any, step: int) -> str:
    """Return the line of a step of device code, with where it stands."""
    line = line_at(code, step)
    text = linecache.getline(code.co_filename, line).strip()
    return f"{code.co_filename.rpartition('/')[2]}:{line} {code.co_name}: {text}"


def refused(self: Any, *others: Any) -> Any:
    """Raise the error of the read, now that what it brought is used."""
    error = self.error()
    error.used_at = self.races.place(sys._getframe(1))
    raise error


class Dropped:
    """What a load that races brings: it may be handed on, and to compute with it is the race."""

    __array_ufunc__ = None  # numbers of numpy ask this class

    def __init__(self, error: MakesError, races: Races) -> None:
        self.error, self.races = error, races


for _name in (
    *"abs add and array bool ceil divmod eq float floor floordiv ge gt index int invert".split(),
    *"le lshift lt mod mul ne neg or pos pow radd rand rfloordiv rlshift rmod rmul ror".split(),
    *"round rpow rrshift rshift rsub rtruediv rxor sub truediv trunc xor".split(),
):
    setattr(Dropped, f"__{_name}__", refused)


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
        Reads that race by what was found in a run before, and what makes the error: by array,
        place and epoch.

    Attributes
    ----------
    suspects : dict
        Reads that race with a write that came later, in the same form.
    numbers : dict
        The places of those in ``dropped``, by array.
    """

    def __init__(
        self,
        lines: dict[int, tuple[str, int]],
        machinery: set[str],
        is_sweep: bool = False,
        dropped: dict[Any, MakesError] | None = None,
    ) -> None:
        self.lines, self.machinery, self.is_sweep = lines, machinery, is_sweep
        self.dropped = dropped or {}
        self.numbers: dict[str, set[int]] = {}
        for name, number, _ in self.dropped:
            self.numbers.setdefault(name, set()).add(number)
        self.met: set[Any] = set()
        self.suspects: dict[Any, MakesError] = {}
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
        """Return whether the access of a frame counts as an atomic one, and where it stands.

        That is the step of the code, as Python looks for its line from the first line on.
        """
        kinds, trail, is_strong = self.kinds, None, False
        while True:
            code = frame.f_code
            kind = kinds.get(id(code))
            if kind is None:
                kind = kinds[id(code)] = self.kind(code)
            if kind == IS_KERNEL:
                return is_strong, (code, frame.f_lasti, trail)
            if kind != IS_MACHINERY:
                is_strong = is_strong or (kind == IS_STRONG and trail is None)
                trail = code, frame.f_lasti, trail
            frame = frame.f_back

    def allows(self, load: Any, atomic: Any) -> bool:
        """Return whether a plain load may meet an atomic: in one of the `PHASES`, in a sweep."""
        code = load[1][0]
        is_known = self.is_sweep or code.co_name.rpartition("_")[2] in PHASES
        return is_known and atomic[1][0] is code

    def meet(self, *read: Any) -> MakesError:
        """Return what tells why a read races, and note that it has come again."""
        self.met.add(read)
        return self.dropped[read]
