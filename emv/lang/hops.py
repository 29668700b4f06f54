"""The word of a schedule that says how many hops of replicas the parts of a graph keep.

After Medusa's multi-hop replication (J. Zhong, B. He, IEEE TPDS 25, 2014, section 4.3), which takes
from stencils the idea of ghost zones that are several cells wide.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from emv.errors import ArgumentError, did_you_mean

MOST_HOPS = 64


@dataclass(frozen=True)
class Hops:
    """Keep so many hops of replicas; see `hops`."""

    number: int | str = "auto"

    def __str__(self) -> str:
        return f"hops({self.number!r})"


def hops(number: int | str = "auto") -> Hops:
    """Return the schedule in which parts of a graph exchange every ``number`` supersteps.

    A part keeps replicas of the sources of its arcs; with two hops also of their sources, with the
    arcs between, and so on. After an exchange all are up to date, and the part computes what its
    replicas become by itself: a *round* of as many *stages*, in each of which the outermost hop
    that is still right is left out. Results are those of one hop, and of one device. It pays where
    an exchange costs much and neighbourhoods grow slowly.

    Parameters
    ----------
    number : int or "auto"
        How many, from 1 to 64. ``"auto"`` takes the number for which arcs, vertices, launches and
        exchanges cost the least, by `Parts.seconds`.

    Returns
    -------
    Hops
        For ``schedule=`` of a program's call, the whole program's, where the host hands on what
        parts read of each other: ``g.on("cpu", parts=2)`` and
        ``g.on("cuda", gpus=2, exchange="host")``.

    Raises
    ------
    ArgumentError
        If it is no such number.

    Notes
    -----
    Calls that keep messages one by one, or run on edges, run for a part's own elements alone, and
    what they change is handed on before it is read. A program that changes edge columns takes one
    hop.

    Examples
    --------
    >>> import emv
    >>> from emv.algorithms import bfs
    >>> g = emv.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4])
    >>> bfs(g.on("cpu", parts=2), 0, schedule=emv.hops(2))
    array([0, 1, 2, 3, 4], dtype=int32)
    """
    if isinstance(number, str) and number == "auto":
        return Hops()
    is_whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
    if not is_whole or not 1 <= number <= MOST_HOPS:  # type: ignore[operator]
        meant = did_you_mean(number, ["auto"]) if isinstance(number, str) else ""
        raise ArgumentError(
            f'hops(): a whole number from 1 to {MOST_HOPS} or "auto", not {number!r}.{meant}'
        )
    return Hops(int(number))
