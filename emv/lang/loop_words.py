"""The words that stand behind ``for ... in``: shared neighbours, and messages by kind.

As all words of functions, they are syntax to the compiler, and called in eager runs alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from emv.lang.words import running

__all__ = ["common", "tally"]


def common(first: Any, second: Any) -> Any:
    """Loop over the vertices that arcs from two vertices lead to, each once.

    ``for left, right in emv.common(e.src, e.dst)``: ``left`` is the arc from the first vertex,
    ``right`` the arc from the second, ``left.dst`` and ``right.dst`` the neighbour they share, in
    increasing order of its id. Of repeated edges the first one counts. The arcs can be read, and
    written as other elements are. Costs the sum of the two out-degrees, or less.

    Examples
    --------
    >>> import emv
    >>> from emv import Edge, Graph, Vertex, edge, program
    >>> @edge
    ... def triangles_of(e: Edge[Vertex]):
    ...     found = 0
    ...     for left, right in emv.common(e.src, e.dst):
    ...         found += 1
    ...     return found
    >>> @program
    ... def closed(g):
    ...     return emv.total(triangles_of(g.edges))
    >>> closed(Graph.from_edges([0, 0, 1, 1], [1, 2, 2, 3]), backend="python")
    1
    """
    return running("emv.common").common(first, second)


def tally(heard: Any) -> Any:
    """Count messages by kind, or add them up: ``for kind, amount in emv.tally(heard)``.

    Of numbers, how often each came: the kind is the number. Of pairs, the first is the kind, and
    the amounts are the sums of the second. Each kind comes once, in ascending order. Kinds are
    whole numbers or truth values; amounts are i64 of whole numbers and f64 of floats, of which the
    last digits depend on the order in which they are added.

    Parameters
    ----------
    heard : MessageList
        That of an `@mlist` function: of whole numbers, or of pairs of numbers of at most 32 bits,
        the first a whole one.

    Notes
    -----
    Takes one step for each message where it does not show in which order the kinds come, as where
    the best is kept and ties are broken by the kind; on cores only. Elsewhere the messages are
    sorted.

    Examples
    --------
    >>> import emv
    >>> from emv import Edge, Graph, MessageList, Vertex, edge, i32, mlist, program
    >>> class Voter(Vertex):
    ...     choice: i32
    ...     heard_most: i32 = -1
    >>> @edge
    ... def tell(e: Edge[Voter]):
    ...     e.send(e.src.choice)
    >>> @mlist
    ... def count(v: Voter, heard: MessageList[i32]):
    ...     best, most = -1, 0
    ...     for choice, votes in emv.tally(heard):
    ...         if votes > most or (votes == most and choice < best):
    ...             best, most = choice, votes
    ...     v.heard_most = best
    >>> @program
    ... def majorities(g):
    ...     count(g, tell(g))
    ...     return g.vertices.heard_most
    >>> g = Graph.from_edges([0, 1, 2], [3, 3, 3])
    >>> g.vertices.choice = [5, 7, 7, 0]
    >>> majorities(g, backend="python")
    array([-1, -1, -1,  7], dtype=int32)
    """
    running("emv.tally")
    amounts: dict[Any, Any] = {}
    for each in sorted(heard):
        kind, amount = each if isinstance(each, tuple) else (each, 1)
        added = np.float64(amount) if isinstance(amount, float | np.floating) else int(amount)
        amounts[kind] = amounts.get(kind, 0) + added
    return amounts.items()
