"""Walks over ids, a stride apart, and two walks over the same ids as one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from emv.codegen.cuda.early import TOGETHER, let, several
from emv.codegen.quote import quote
from emv.ir import nodes as n


@dataclass(frozen=True)
class Walk:
    """A walk over all ids.

    Attributes
    ----------
    name : str
        What the body calls the id.
    count : Node
        How many there are.
    body : tuple of Statement
        What is done with one.
    together : bool
        Whether the lanes of a warp begin each round side by side.
    """

    name: str
    count: n.Node
    body: n.Block
    together: bool = False

    def block(self, number: str) -> n.Block:
        """Return the walk, several ids at a time where that pays."""
        made = several(self.body, self.name)
        if made is None:
            return strided(self.name, self.count, n.Name("k"), self.body, number, self.together)
        return looped(self.count, made, number, f"k_{TOGETHER - 1} + stride")


def strided(
    name: str, count: n.Node, source: n.Node, body: n.Block, number: str, together: bool = False
) -> n.Block:
    """Return a walk, one id at a time."""
    inner: n.Block = (let(name, source), *body)
    if not together:
        return looped(count, inner, number, "k + stride")
    inner = (*quote("cuda.syncwarp()", {}), n.If(_small("k < size"), inner))
    return looped(count, inner, number, "k + stride", "k - lane < size")


def looped(
    count: n.Node, body: n.Block, number: str, next_k: str, test: str = "k < size"
) -> n.Block:
    """Return a loop over ``k`` below a count."""
    if is_large(count):
        number = "np.uint64"  # there may be so many that the last step leaves 32 bits
    step = quote(f"k = {number}({next_k})", {})
    return (
        let("size", n.Call(number, (count,))),
        *quote(f"stride = {number}(threads)\nk = {number}(me)", {}),
        n.While(_small(test), (*body, *step)),
    )


def is_large(count: n.Node) -> bool:
    """Return whether a count may be more than that of vertices."""
    large = (n.Name("NUM_EDGES"), n.Name("NUM_ARCS"))
    return any(
        each in large or (isinstance(each, n.Apply) and each.op == "*") for each in n.inside(count)
    )


def _small(test: str) -> n.Node:
    (made,) = quote(f"while {test}: pass", {})
    assert isinstance(made, n.While)
    return made.test


def join_walks(one: Any, other: Any) -> bool:
    """Let a work function do another's walk in its own; return whether it does now.

    Both walk over all ids of one kind, and neither changes what the other reads: then every id can
    be done with by both at once, and is read once.
    """
    if one.walk is None or other.walk is None:
        return False
    if {"active", "pending", "active_edges", "pending_edges"} & one.writer.known.keys():
        return False  # the exchange of queues is written already
    same = (one.walk.name, one.walk.count) == (other.walk.name, other.walk.count)
    if not same or one.votes or other.votes or one.stamps or other.stamps:
        return False
    (before, body, after), (more_before, more_body, more_after) = map(split, (one, other))
    more_before, more_body = (n.renamed(each, apart) for each in (more_before, more_body))
    together = one.walk.together or other.walk.together
    one.walk = Walk(one.walk.name, one.walk.count, body + more_body, together)
    one.partials += other.partials
    one.shared |= other.shared
    one.writer.known |= other.writer.known
    one.walked = one.walk.block(one.number)
    one.writer.blocks = [[*before, *more_before, *one.walked, *after, *more_after]]
    return True


def apart(name: str) -> str:
    """Return a local of a user's body under a name that the other walk does not use."""
    return f"{name[0]}{name}" if name.startswith(("s_", "r_")) else name


def split(worker: Any) -> tuple[n.Block, n.Block, n.Block]:
    """Return what a work function does before its walk, in it for an id, and after it."""
    body, walked = worker.writer.body, worker.walked
    begin = next(k for k, each in enumerate(body) if each is walked[0])
    return body[:begin], worker.walk.body, body[begin + len(walked) :]
