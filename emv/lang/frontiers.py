"""The words of a schedule that say how the active set is kept: all vertices looked at, or a queue.

Medusa's papers run each traversal twice, as "-N" over all elements and as "-Q" over a queue of
those that SetActive named (Zhong and He, TPDS 25, 2014, section 5.1). Here both are schedules of
one text.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class AllActive:
    """Look at all elements for those that are active; see `all_active`."""

    def __str__(self) -> str:
        return "all_active()"


@dataclass(frozen=True)
class Queued:
    """Walk a queue of the active elements; see `queue`."""

    def __str__(self) -> str:
        return "queue()"


def all_active() -> AllActive:
    """Return the schedule that keeps the active sets as flags, and looks at every element's.

    A superstep then costs a look at each vertex, or edge, however few are active; to activate is
    one store. The papers' "-N" variants. Loops run by superstep, as they are written, and active
    vertices push.

    Returns
    -------
    AllActive
        For ``schedule=`` of a program's call, the whole program's: how a set is kept cannot
        differ between its functions.

    Examples
    --------
    >>> import emv
    >>> from emv.algorithms import bfs
    >>> g = emv.Graph.from_edges([0, 1, 1], [1, 2, 3])
    >>> bfs(g, 0, schedule=emv.all_active())
    array([0, 1, 2, 2], dtype=int32)
    """
    return AllActive()


def queue() -> Queued:
    """Return the schedule that walks the active elements from a queue, and no others.

    Work is that of the active elements and of what they send: receivers never pull. The papers'
    "-Q" variants. Without being asked, a program keeps a queue too, but pulls in supersteps in
    which the active vertices hold many of the arcs.

    Returns
    -------
    Queued
        For ``schedule=`` of a program's call, or of functions that it applies to active elements.

    Examples
    --------
    >>> import emv
    >>> from emv.algorithms import bfs
    >>> g = emv.Graph.from_edges([0, 1, 1], [1, 2, 3])
    >>> bfs(g, 0, schedule=emv.queue())
    array([0, 1, 2, 2], dtype=int32)
    """
    return Queued()
