"""Walks over ids, a stride apart, several of them at a time where that pays."""

from __future__ import annotations

from dataclasses import dataclass

from emv.codegen.cuda.early import TOGETHER, let, several
from emv.codegen.quote import quote, quoted
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
    inner = (*quote("cuda.syncwarp()", {}), n.If(quoted("k < size", {}), inner))
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
        n.While(quoted(test, {}), (*body, *step)),
    )


def is_large(count: n.Node) -> bool:
    """Return whether a count may be more than that of vertices."""
    large = (n.Name("NUM_EDGES"), n.Name("NUM_ARCS"))
    return any(
        each in large or (isinstance(each, n.Apply) and each.op == "*") for each in n.inside(count)
    )
