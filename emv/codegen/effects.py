"""What a phase reads and what it may change, from the nodes of its work function.

Two phases between which nothing flows need no barrier: threads that are done with the first begin
the second while others are still at work. An element that is loaded is read, one that is assigned
is written; a call may change every array that it gets, unless its name is among `READERS`; of the
state it is about the places that it is told right behind it. The state and the scalars are told
apart place by place, all other arrays as wholes.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from emv.codegen.state import COMMON_PLACES, PLACES, name_in
from emv.ir import nodes as n
from emv.ir.frozen import dataclass

SHARED = frozenset({"state", "ints", "floats"})  # arrays whose places mean different things
READERS = frozenset(
    """
bounds_of early first_not_below fresh goes_on has_bit next_row row_of sum_at warp_goes_on
""".split()
)


@dataclass(frozen=True)
class Effect:
    """What happens to an array, or to one place of a shared one.

    Attributes
    ----------
    array : str
        Its name.
    place : str
        Of a shared array: the place, empty where it may be any.
    writes : bool
        Whether it may change.
    """

    array: str
    place: str = ""
    writes: bool = False

    def meets(self, other: Effect) -> bool:
        """Return whether one of two effects may see or undo the other."""
        if self.array != other.array or not (self.writes or other.writes):
            return False
        return not self.place or not other.place or self.place == other.place


@dataclass(frozen=True)
class Access:
    """What phases do.

    Attributes
    ----------
    effects : frozenset of Effect
        All of it.
    is_all : bool
        Whether it must be taken for everything.
    """

    effects: frozenset[Effect] = frozenset()
    is_all: bool = False

    def __or__(self, other: Access) -> Access:
        return Access(self.effects | other.effects, self.is_all or other.is_all)

    @property
    def writes(self) -> frozenset[str]:
        """Return the arrays that may change."""
        return frozenset(each.array for each in self.effects if each.writes)

    def meets(self, before: Access) -> bool:
        """Return whether a barrier must stand between what was before and this."""
        if before.is_all or self.is_all:
            return True
        earlier: dict[str, list[Effect]] = {}
        for each in before.effects:
            earlier.setdefault(each.array, []).append(each)
        return any(
            mine.meets(each) for mine in self.effects for each in earlier.get(mine.array, ())
        )


NOTHING, EVERYTHING = Access(), Access(is_all=True)


def access_of(block: Iterable[n.Statement]) -> Access:
    """Return what statements do.

    Examples
    --------
    >>> from emv.codegen.quote import quote
    >>> from emv.ir.kernel import Buffer
    >>> arrays = {name: Buffer(name, "scratch") for name in ("x", "y", "z", "state")}
    >>> block = quote("x[k if c == 1 else v] *= y[k]; enqueue(z, state, COUNT, k)", arrays)
    >>> sorted(access_of(block).writes)
    ['state', 'x', 'z']
    """
    return Access(frozenset(found for each in block for found in effects_of(each)))


def effects_of(node: Any) -> Iterator[Effect]:
    """Yield the effects of a statement or node."""
    match node:
        case n.Assign(target, value, op):
            yield from (dataclasses.replace(each, writes=True) for each in reached(target))
            yield from reached(target) if op else ()
            yield from effects_of(target.index) if isinstance(target, n.Item) else ()
            yield from effects_of(value)
        case n.Item(n.Array(), index):
            yield from reached(node)
            yield from effects_of(index)
        case n.Call():
            yield from handed(node)
        case n.Array(buffer):
            yield Effect(buffer.name, writes=True)
        case _:
            for part in node.parts:
                yield from effects_of(part)


def handed(call: n.Call) -> Iterator[Effect]:
    """Yield what a call may do with what it is given."""
    behind_state: list[n.Node] = []
    for part, following in itertools.zip_longest(call.parts, call.parts[1:]):
        if not isinstance(part, n.Array):
            yield from effects_of(part)
        elif part.name == "state" and place_of(following):
            behind_state = [*call.parts[call.parts.index(part) + 1 :]]
        elif call.function in READERS:
            yield from reached(part)
        else:
            yield from effects_of(part)
    for place in itertools.takewhile(bool, map(place_of, behind_state)):
        yield Effect("state", place, writes=call.function not in READERS)


def reached(node: Any) -> Iterator[Effect]:
    """Yield that what an element, or an array as a whole, holds is read."""
    match node:
        case n.Array(buffer):
            yield Effect(buffer.name)
        case n.Item(n.Array(buffer), index):
            yield Effect(buffer.name, place_of(index) if buffer.name in SHARED else "")
        case n.Group(parts):
            for part in parts:
                yield from reached(part)


def spoken(array: str, index: n.Node) -> str:
    """Return what a place of an array is called, in the name of a local that holds it."""
    named = name_in(array, index.value) if isinstance(index, n.Number) else None
    return named or place_of(index)


def place_of(index: Any) -> str:
    """Return the place that an index of a shared array is; empty where it may be any."""
    match index:
        case n.Number(value):
            return str(value)
        case n.Name(text) if text in PLACES or text in COMMON_PLACES:
            return text
    return ""
