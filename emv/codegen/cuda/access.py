"""Which arrays a phase reads and which it may change, read off its text.

Two phases between which nothing flows need no barrier: threads that are done with the first begin
the second while others are still at work. An array counts as read where all that the text does is
to load elements by index; everything else (a store, an atomic, a call that gets the array) may
change it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

WORDS = re.compile(r"\w+")
PLACES = re.compile(r"\b(?:state|ints|floats)\[\w+\]")
STORED = re.compile(r"^\s*((?:state|ints|floats)\[\w+\]|\w+)(?:\[[^=]*\])? (?:[-+|&^]?)= ")
STEADY = frozenset(  # places that no phase changes, only serial lines and the host
    f"state[{name}]"
    for name in (
        "NUM_VERTICES NUM_EDGES NUM_ARCS DIRECTED SEED SUPERSTEPS TURNS TURNS_EDGES FLIPPED "
        "FLIPPED_EDGES BY_ROW HAS_WIDE NUM_PIECES NUM_HUBS HAS_ORDER HAS_POSITION"
    ).split()
)
SHARED = frozenset({"state", "ints", "floats"})


@dataclass(frozen=True)
class Access:
    """What phases read and write: names of arrays, and places of the shared ones.

    Attributes
    ----------
    reads, writes : frozenset of str
        Names such as ``v_rank``, and places such as ``floats[3]``.
    is_all : bool
        Whether it must be taken for everything.
    """

    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    is_all: bool = False

    def __or__(self, other: Access) -> Access:
        return Access(
            self.reads | other.reads, self.writes | other.writes, self.is_all or other.is_all
        )

    def meets(self, before: Access, serial: list[str]) -> bool:
        """Return whether a barrier must stand between phases before, serial lines, and this."""
        if before.is_all or self.is_all:
            return True
        changed = before.writes.union(*(places_of(line) for line in serial))
        for name in SHARED & changed:  # a call may have changed any place of it
            if any(each.startswith(f"{name}[") for each in self.reads - STEADY):
                return True
        return bool(changed & (self.reads | self.writes) or before.reads & self.writes)


NOTHING, EVERYTHING = Access(), Access(is_all=True)


def places_of(line: str) -> frozenset[str]:
    """Return the names and the places of the state in a line."""
    return frozenset(WORDS.findall(line)) - SHARED | frozenset(PLACES.findall(line))


def access_of(lines: list[str], arrays: tuple[str, ...]) -> Access:
    """Return what the lines of a work function do to the arrays that it takes.

    Examples
    --------
    >>> found = access_of(
    ...     ["    x[k] = y[k] + floats[2]", "    enqueue(z, state, 3, k)"], tuple("xyz")
    ... )
    >>> sorted(found.reads), sorted(found.writes)
    (['floats[2]', 'y'], ['state', 'x', 'z'])
    """
    reads, writes = set[str](), set[str]()
    for line in lines:
        code = line.split("  # ")[0]
        stored = STORED.match(code)
        for name in arrays:
            if name in SHARED:
                continue
            uses = len(re.findall(rf"\b{name}\b", code))
            if uses > len(re.findall(rf"\b{name}\[", code)) or (stored and stored[1] == name):
                writes.add(name)
            elif uses:
                reads.add(name)
        if stored and PLACES.match(stored[1]):
            writes.add(stored[1])
        reads |= set(PLACES.findall(code))
        if re.search(r"\b(?:state|ints|floats)\b(?!\[)", code):
            writes |= SHARED & set(WORDS.findall(code))
    return Access(frozenset(reads - writes), frozenset(writes))
