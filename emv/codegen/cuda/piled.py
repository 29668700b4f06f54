"""Ids that a walk over ids appends to queues: they go onto a warp's piles first.

Otherwise every 32 elements that append something change the length of one queue by an atomic, and
those wait for each other, 0.8 ns each: 0.3 ms for 12 million edges that are appended once. What one
element alone does, as its id is asked for, needs no pile.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from emv.codegen.quote import quote
from emv.ir import nodes as n

MOST_QUEUES = 3  # that a warp has piles for
PILE_ROOM = 60  # ids on a pile from which it is emptied before the next elements

COUNTED = "enqueue_counted"  # vertices with their arcs; its forms for piles end in the same word

Queues = dict[tuple[Any, ...], int]
"""How ids are appended, to which queues, with what tells their lengths; the numbers of piles."""


def queues_in(body: n.Block, are_all: bool) -> Queues:
    """Return the queues to which statements append ids.

    Vertices whose arcs are counted count where the walk is over all ids: listed ones may be few,
    and to wait for a pile takes longer then.
    """
    appends = ("enqueue", COUNTED) if are_all else ("enqueue",)
    found: Queues = {}
    for each in n.inside_block(body):
        match each:
            case n.Call(name, (*queue, _)) if name in appends:
                found.setdefault((name, *queue), len(found))
    return found if len(found) <= MOST_QUEUES else {}


def without_lone(body: n.Block, name: str) -> n.Block:
    """Return the statements without what no element but one does, the one with some id."""
    own = {name, *n.assigned_in(body)}

    def drop(node: Any) -> Any:
        match node:
            case n.If(n.Apply("==", (n.Name(one) | n.Call("np.int64", (n.Name(one),)), other))):
                names = {each.text for each in n.inside(other) if isinstance(each, n.Name)}
                if one == name and not names & own:
                    return dataclasses.replace(node, then=())
        return node

    return n.rebuilt_all(body, drop)


def on_piles(body: n.Block, queues: Queues, piles: str) -> n.Block:
    """Return the statements with the ids put onto piles."""

    def put(node: Any) -> Any:
        match node:
            case n.Call(name, (*queue, value)) if (name, *queue) in queues:
                number = n.Number(queues[name, *queue])
                form = name.replace("enqueue", "enqueue_on")
                return n.Call(form, (n.Name(piles), number, *queue, value))
        return node

    return n.rebuilt_all(body, put)


def emptied(queues: Queues, piles: str, most: int) -> n.Block:
    """Return what empties the piles on which there are more ids than some."""
    return tuple(
        n.Do(n.Call(name.replace("enqueue", "empty_if"), (*pile, n.Number(most), *queue)))
        for (name, *queue), number in queues.items()
        for pile in ((n.Name(piles), n.Number(number)),)
    )


def by_piles(
    worker: Any, body: n.Block, name: str, are_all: bool
) -> tuple[n.Block, n.Block, n.Block]:
    """Return what is done with an element, what lanes do together before one, and behind all.

    ``are_all`` is whether the walk is over all ids, of which many may be appended.
    """
    writer = worker.writer
    queues = {} if worker.shared else queues_in(without_lone(body, name), are_all)
    if not queues and not worker.shared:
        return body, (), ()
    writer.add(f"lane = {worker.number}(cuda.laneid)")
    if not queues:  # rounds need the lanes side by side
        return body, quote("cuda.syncwarp()", writer.known), ()
    worker.use_piles()
    writer.add(f"clear_piles({worker.piles})")
    made = on_piles(body, queues, worker.piles)
    return made, emptied(queues, worker.piles, PILE_ROOM), emptied(queues, worker.piles, 0)
