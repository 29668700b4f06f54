"""Find the columns that a launch writes and reads elsewhere: rule (1) needs two copies of them.

A mask is read as it was before the call even by who changes it, and who sets goes before who
unsets: where both happen, the second copy holds what was asked for until the launch is over. Other
own reads are in order with own writes and need nothing. A column that is read through ``src``,
``dst`` or ``far`` while instances write it is written to a second array, which takes the first
one's place when the launch is over.

A second array costs a pass over all elements. So where only some instances run and they write a
field of other elements, by one operator or a constant, what they write is gathered from the
operator's identity on, with a list of who was written, and put into the column from that list.
"""

from __future__ import annotations

from typing import Any

from emv.ir.schedule import Launch
from emv.lang.effects import MASK_WORDS, Access, Effects
from emv.passes.around import Around, by_launch

GATHERED = ("add", "mul", "min", "max", "and", "or", "xor", "constant")
MOST_GATHERED = 4  # the columns of one launch for which there are lists


def words_of(function: Any) -> dict[tuple[str, str], set[str]]:
    """Return which of the words ``set`` and ``unset`` a function says of each mask."""
    found: dict[tuple[str, str], set[str]] = {}
    for each in function.effects.writes:
        if each.op in MASK_WORDS:
            found.setdefault((each.kind, each.field), set()).add(each.op)
    return found


def disagrees(function: Any) -> bool:
    """Return whether a function reads a mask that it changes, or both sets and unsets in one."""
    words = words_of(function)
    read = {(each.kind, each.field) for each in function.effects.reads}
    return bool(read & set(words)) or any(len(each) > 1 for each in words.values())


def _by_owner(write: Access) -> bool:
    """Return whether an instance writes a field of its own: a listed edge is in one list only."""
    return write.where == "own" or (write.where == "link" and not write.op)


@by_launch
def double_buffer(launch: Launch, around: Around) -> Launch:
    """Return the launch with its double-buffered columns named; in a sweep there are none."""
    if around.loop is not None and around.loop.in_place:
        reason = "in place: a sweep may see what others have just written"
        return launch.because(reason, in_place=True)
    effects = launch.send.effects
    written = effects.written
    shared = {(each.kind, each.field) for each in effects.writes if not _by_owner(each)}
    masks = words_of(launch.send)
    found = {key for key, words in masks.items() if len(words) > 1}
    found |= {key for key in masks if key in shared and key == ("vertex", launch.domain.mask)}
    for read in effects.reads:
        key = (read.kind, read.field)
        is_own = read.where in ("own", "link") and key not in shared
        if key in written and (not is_own or key in masks):
            found.add(key)
    if not found:
        return launch
    names = ", ".join(sorted(name for _, name in found))
    reason = f"{launch.send.name} writes {names} and reads it of other elements"
    launch = launch.because(reason, double_buffered=frozenset(found))
    if launch.domain.kind in ("all", "edges"):
        return launch
    some = sorted(key for key in found if gatherer(effects, key))[:MOST_GATHERED]
    if not some:
        return launch
    names = ", ".join(name for _, name in some)
    reason = f"only some instances run, so who is written is listed: {names}"
    return launch.because(reason, gathered=frozenset(some))


def gatherer(effects: Effects, key: tuple[str, str]) -> str | None:
    """Return the one operator, or ``constant``, by which others write a column; None if another."""
    writes = [each for each in effects.writes if (each.kind, each.field) == key]
    ops = {"" if _by_owner(each) else each.op for each in writes}
    (op,) = ops if len(ops) == 1 else {""}
    return op if op in GATHERED else None
