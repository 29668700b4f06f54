"""Walks over ids, a stride apart, and two walks over the same ids as one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from emv.codegen.cuda.early import TOGETHER, several

LOCAL = re.compile(r"\b([sr])_(?=\w)")


@dataclass(frozen=True)
class Walk:
    """A walk over all ids.

    Attributes
    ----------
    name : str
        What the body calls the id.
    count : str
        The text of how many there are.
    body : list of str
        What is done with one, indented twice.
    together : bool
        Whether the lanes of a warp begin each round side by side.
    """

    name: str
    count: str
    body: list[str]
    together: bool = False

    def lines(self, number: str, arrays: tuple[str, ...]) -> list[str]:
        """Return the text of the walk, several ids at a time where that pays."""
        lines = several(self.body, self.name, arrays, "        ")
        if lines is None:
            return strided(self.name, self.count, "k", self.body, number, self.together)
        return looped(self.count, lines, number, f"k_{TOGETHER - 1} + stride")


def strided(
    name: str, count: str, source: str, body: list[str], number: str, together: bool = False
) -> list[str]:
    """Return the text of a walk, one id at a time."""
    lines = [f"        {name} = {source}", *body]
    if not together:
        return looped(count, lines, number, "k + stride")
    inner = ["        cuda.syncwarp()", "        if k < size:", *(f"    {line}" for line in lines)]
    made = looped(count, inner, number, "k + stride")
    return [line.replace("while k < size:", "while k - lane < size:") for line in made]


def looped(count: str, body: list[str], number: str, next_k: str) -> list[str]:
    """Return the text of a loop over ``k`` below a count."""
    if any(each in count for each in ("*", "NUM_EDGES", "NUM_ARCS")):
        number = "np.uint64"  # there may be so many that the last step leaves 32 bits
    return [
        f"    size = {number}({count})",
        f"    stride = {number}(threads)",
        f"    k = {number}(me)",
        "    while k < size:",
        *body,
        f"        k = {number}({next_k})",
    ]


def join_walks(one: Any, other: Any) -> bool:
    """Let a work function do another's walk in its own; return whether it does now.

    Both walk over all ids of one kind, and neither changes what the other reads: then every id can
    be done with by both at once, and is read once.
    """
    if one.walk is None or other.walk is None:
        return False
    if {"active", "pending", "active_edges", "pending_edges"} & one.writer.arrays:
        return False  # the exchange of queues is written already
    same = (one.walk.name, one.walk.count) == (other.walk.name, other.walk.count)
    if not same or one.votes or other.votes or one.stamps or other.stamps:
        return False
    parts = [split(each) for each in (one, other)]
    arrays = tuple(sorted(one.writer.arrays | other.writer.arrays))
    (before, body, after), (more_before, more_body, more_after) = parts
    renamed = [[LOCAL.sub(r"\1\1_", line) for line in lines] for lines in (more_before, more_body)]
    together = one.walk.together or other.walk.together
    walk = Walk(one.walk.name, one.walk.count, body + renamed[1], together)
    one.walk = walk
    one.writer.arrays |= other.writer.arrays
    one.partials += other.partials
    one.shared |= other.shared
    lines = walk.lines(one.number, arrays)
    one.writer.lines = [*before, *renamed[0], *lines, *after, *more_after]
    return True


def split(worker: Any) -> tuple[list[str], list[str], list[str]]:
    """Return what a work function does before its walk, in it for an id, and after it."""
    lines = worker.writer.lines
    begin = next(k for k, line in enumerate(lines) if line.startswith("    size = "))
    later = range(begin + 4, len(lines))
    end = next((k for k in later if not lines[k].startswith("        ")), len(lines))
    return lines[:begin], worker.walk.body, lines[end:]
