"""Go on with claims from the levels there were: a program that claims levels, told as a relaxation.

A loop whose first messages claim a field that is -1 until then, and are that field of the source
plus 1, gives every vertex the number of the superstep that reaches it: the least number of arcs of
a path from the seeds, plus what these were given. That is also where a relaxation ends that keeps
the smaller number, so what `warm` and `dependants` say of relaxations holds, while the text of the
program, which never lowers what it has claimed, could not go on. Seen without a sign, -1 is the
largest number: the levels are the same bits, and nothing is converted.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from emv.dtypes import u32
from emv.ir import body as b
from emv.ir import schedule as s
from emv.lang.functions import edge, vertex
from emv.lang.records import Edge, Field, Vertex
from emv.lang.words import min as least

EMPTY = -1
FAR = 2**32 - 1  # the same bits


class Level(Vertex):
    """A vertex with its level; who has none has the largest number."""

    level: u32 = FAR


@edge
def offer_level(e: Edge[Level]):  # type: ignore
    """Offer the next level."""
    e.send(e.src.level + 1)  # type: ignore[attr-defined]


@vertex
def keep_lower(v: Level, level: u32):  # type: ignore[no-untyped-def]
    """Keep the lower level."""
    if level < v.level:
        v.level = level
        v.activate()  # type: ignore[attr-defined]


def lowering(g: Any) -> Any:
    """Lower levels until none gets less, beginning with who is awake."""
    for _ in g.supersteps():
        levels = offer_level(g.active)
        keep_lower(levels.receivers, least(levels))
    return g.vertices.level


LEVEL: Field = Level.fields["level"]


def is_levelled(claim: s.Claim, field: Field) -> bool:
    """Return whether what a loop claims are levels, each one more than that of its sender."""
    value = claim.message
    if claim.also is not None or field.dtype != np.int32 or claim.empty != EMPTY:
        return False
    if field.default != EMPTY or not isinstance(claim.value, b.Local):
        return False
    if not all(isinstance(each, b.Activate) for each in b.statements_in(claim.then)):
        return False
    if not isinstance(value, b.Binary) or value.op != "+":
        return False
    sides = (value.left, value.right), (value.right, value.left)
    return any(
        b.reads(one, "src", field.name) and isinstance(other, b.Const) and other.value == 1
        for one, other in sides
    )
