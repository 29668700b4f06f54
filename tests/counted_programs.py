"""Random programs that count, in the many ways in which these are written: `counted` of a seed.

A loop keeps the least of what is sent and sends what it keeps, one or more added; what the field
began with, who is given what before, who sends, how often, and who reads it afterwards is drawn.
Of some all messages of a superstep are equal, of others they are not, wrap around, or reach what
the field began with.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

STARTS = {
    "i32": ("2**31 - 1", "2**30", "9", "3", "2"),
    "i64": ("2**63 - 1", "12", "2"),
    "u8": ("255", "254", "4"),
    "u64": ("2**64 - 1", "3"),
    "f32": ("inf", "1e30", "4.5", "2.0", "0.0"),
    "f64": ("inf", "3.0"),
}
HEAD = """import emv
from emv import Edge, Vertex, edge, f32, f64, i32, i64, inf, program, u8, u64, vertex


class Spot(Vertex):
    x: {dtype} = {start}
    is_open: bool = True
    heard: {dtype} = 0


@edge
def offer(e: Edge[Spot]):
{offer}


@vertex
def keep(v: Spot, best: {dtype}):
{keep}


@vertex
def give(v: Spot, number: {dtype}):
    v.x = number


@vertex
def shut(v: Spot):
    v.is_open = False


@edge
def show(e: Edge[Spot]):
    e.send(e.src.x)


@vertex
def hear(v: Spot, told: {dtype}):
    v.heard = told


@program
def main(g, seeds, others):
{body}
    return g.vertices.x, g.vertices.heard
"""
KEEPS = (
    "    if best < v.x:\n        v.x = best\n        v.activate()",
    "    if v.x > best:\n        v.activate()\n        v.x = best",
    "    if not v.x > best:\n        return\n    v.x = best\n    v.activate()",
    "    before = v.x\n    v.x = min(best, before)\n    if v.x < before:\n        v.activate()",
    "    if best < v.x:\n        v.x = best\n        emv.keep_going()\n        v.activate()",
)
LOOP = """    for step in g.supersteps({limit}):
        best = offer(g.active)
        keep(best.receivers, emv.{fold}(best))"""
LATER = ("", "    heard = show(g)\n    hear(heard.receivers, emv.max(heard))\n", "    hear(g, 1)\n")


@dataclass(frozen=True)
class Counted:
    """The text of a module with a program `main`, which takes two lists of ids."""

    text: str
    num_loops: int


def counted(seed: int) -> Counted:
    """Return the program of a seed."""
    draw = random.Random(seed)
    dtype = draw.choice(list(STARTS))
    start = draw.choice(STARTS[dtype])
    zero = "0.0" if dtype.startswith("f") else "0"
    more = draw.choice(("", " + 1", " + 1", " + 1", " + 1 + 2"))
    if dtype.startswith("f") and more:
        more = draw.choice((more, " + 0.5", " + 1e30"))
    sent = f"e.src.x{more}"
    test = draw.choice(("", "", "", f"{sent} < e.dst.x", "e.dst.is_open", "e.src.is_open"))
    offer = f"    if {test}:\n        e.send({sent})" if test else f"    e.send({sent})"
    loops = draw.choice((1, 1, 1, 2))
    before = draw.choice((
        *("", "", "", f"    g.vertices.x[:] = {draw.choice(STARTS[dtype])}\n"),
        *(f"    give(g.only(others), {zero})\n", "    give(g.only(others), 3)\n"),
        *("    shut(g.only(others))\n", f"    keep(g.only(others), {zero})\n"),
        "    keep(g.only(others), 1)\n",
    ))  # fmt: skip
    limit = draw.choice(("", "", "3", "1", "g.num_vertices", "20"))
    loop = LOOP.format(limit=limit, fold=draw.choice(("min", "min", "min", "min", "min", "max")))
    body = f"{before}    keep(g.only(seeds), {draw.choice((zero, zero, '1'))})\n"
    body += f"{loop}\n" * loops + draw.choice(LATER)
    keep = draw.choice(KEEPS)
    text = HEAD.format(dtype=dtype, start=start, offer=offer, keep=keep, body=body.rstrip())
    return Counted(text, loops)
