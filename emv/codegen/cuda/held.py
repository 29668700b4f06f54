"""Places of the shared state as locals: all read at once at the beginning, all stored at the end.

One thread runs a control function while the whole grid waits. Written as it is meant, with a test
here and a place of the state there, it would wait for memory once per line; the loads of all places
that it names do not depend on each other, so together they take as long as one.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from emv.codegen.effects import SHARED, place_of, spoken
from emv.ir import nodes as n

ARRAYS = SHARED | {"near_far"}  # whose places are held

Place = tuple[str, str]


def held(block: n.Block, rare: frozenset[str] = frozenset()) -> n.Block:
    """Return the body of a function with its places of arrays held in locals.

    Parameters
    ----------
    block : tuple of Statement
        The body; ``return`` leaves it.
    rare : frozenset of str
        Places of ``state`` that are read so seldom that they are left where they are.
    """
    named: dict[Place, n.Item] = {}
    read, changed = set[Place](), set[Place]()
    for each in n.inside_block(block):
        place = held_place(each)
        if place is not None:
            named.setdefault(place, each)
        if isinstance(each, n.Assign):
            target = held_place(each.target)
            if target is not None:
                changed.add(target)
                read |= {target} if each.op else set()
            read |= places_read(each.value)
        elif isinstance(each, n.Statement):
            for part in each.parts:
                read |= places_read(part) if isinstance(part, n.NODES) else set()
    kept = {each: item for each, item in named.items() if each in read and each[1] not in rare}
    locals_ = {each: n.Name(local_of(item)) for each, item in kept.items()}

    def change(node: Any) -> Any:
        place = held_place(node)
        if place in kept:
            return locals_[place]
        is_end = isinstance(node, n.Leave) and node.word == "return"
        return dataclasses.replace(node, word="break") if is_end else node

    once = (*n.rebuilt_all(block, change), n.Leave("break"))
    return (
        *(n.Assign(locals_[place], item) for place, item in kept.items()),
        n.While(n.Number(True), once, note="once"),
        *(n.Assign(item, locals_[place]) for place, item in kept.items() if place in changed),
    )


def local_of(item: n.Item) -> str:
    """Return the name of the local that holds a place."""
    assert isinstance(item.whole, n.Array)
    return f"{item.whole.name}_{spoken(item.whole.name, item.index)}"


def held_place(node: Any) -> Place | None:
    """Return the array and the place that an element is; None of all else."""
    match node:
        case n.Item(n.Array(buffer), index) if buffer.name in ARRAYS and place_of(index):
            return buffer.name, place_of(index)
    return None


def places_read(node: Any) -> set[Place]:
    """Return the places in an expression."""
    found = (held_place(each) for each in n.inside(node))
    return {each for each in found if each is not None}
