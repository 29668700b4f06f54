"""Ctrl-C within one block of work that takes long: loops over links in which rows are walked."""

from __future__ import annotations

from backends.test_signals import SECOND, Node, interrupted, pytestmark  # noqa: F401

import emv
from emv import Edge, EdgeList, elist, generators, program


@elist
def count_shared(v: Node, links: EdgeList[Edge]):
    for link in links:
        for _left, _right in emv.common(v, link.dst):
            v.steps += 1


@program
def rows_in_links(g):
    count_shared(g)
    return g.vertices.steps


def test_one_block_of_rows_is_left():
    """All vertices are one block, whose hubs walk over what they share with each neighbour."""
    small, large = (generators.complete(count) for count in (30, 1800))
    right = rows_in_links(small, backend="cpu")
    assert interrupted(lambda: rows_in_links(large, backend="cpu")) < SECOND
    assert set(rows_in_links(small, backend="cpu")) == set(right) == {29 * 28}
