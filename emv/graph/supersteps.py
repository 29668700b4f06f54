"""What a superstep of parts does, by number, and what one of each costs: the words of a model.

A superstep is calls, arcs that are walked, vertices that are visited, rows that are handed on and
so on, `Superstep`; `emv.graph.parts.Parts.amounts` makes of that, and of how a graph is divided,
how much there is of each of `TERMS`. What one of each takes at a place, `Costs`, runs of small
programs tell (`emv.runtime.probing`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Costs:
    """Constants of the model of what a superstep of parts costs; see `Parts.seconds`.

    Attributes
    ----------
    arc_s, vertex_s, launch_s : float
        Seconds for an arc, a vertex and a call, in one part.
    latency_s, bytes_per_s : float
        Seconds that an exchange takes at least, and the bytes that a part is given in a second.
    level_s : float
        Seconds in which all parts are told that other hops of replicas run than before.
    joined_s, joined_vertex_s : float
        Seconds that a call takes longer that activates, as what the parts activate is joined, and
        for each vertex that is activated.
    sum_s : float
        Seconds that a call takes longer that adds up what its elements return.
    walked_s : float
        Seconds for an arc where the active alone walk theirs.
    pull_s, active_s : float
        Seconds that a call along all arcs, and one along those of the active, takes longer.
    crowd_s, phase_s : float
        Seconds that one along those of the active takes longer where all blocks of a GPU work, and
        for each barrier of these within it.
    drawn_s : float
        Seconds for an arc where a number is drawn for each.
    step_s : float
        Seconds for 32 arcs that a warp of a GPU walks in a step, one step behind the other.
    ready_s : float
        Seconds in which a run makes ready what the host joins, or hands on of an array, when it
        first does.
    loop_s, start_s : float
        Seconds to enter a loop, and of a run of a single call.

    Examples
    --------
    >>> Costs(1e-11, 4e-12, 3e-6, 4e-5, 25e9).latency_s
    4e-05
    """

    arc_s: float
    vertex_s: float
    launch_s: float
    latency_s: float
    bytes_per_s: float
    level_s: float = 0.0
    joined_s: float = 0.0
    joined_vertex_s: float = 0.0
    sum_s: float = 0.0
    walked_s: float = 0.0
    pull_s: float = 0.0
    active_s: float = 0.0
    crowd_s: float = 0.0
    phase_s: float = 0.0
    drawn_s: float = 0.0
    step_s: float = 0.0
    ready_s: float = 0.0
    loop_s: float = 0.0
    start_s: float = 0.0

    @property
    def each(self) -> NDArray[np.float64]:
        """The seconds of one of each, in the order of `emv.graph.supersteps.TERMS`."""
        named = {**vars(self), "byte_s": 1 / self.bytes_per_s}
        return np.array([named[f"{term}_s"] for term in TERMS])


TERMS = (
    *("arc", "vertex", "launch", "latency", "byte", "level"),
    *("joined", "joined_vertex", "sum", "walked", "pull", "active"),
    *("crowd", "phase", "drawn", "step", "ready"),
)
"""What a superstep costs by number, in the order of the constants of `Costs`."""
LEVEL, READY = TERMS.index("level"), TERMS.index("ready")


@dataclass(frozen=True)
class Superstep:
    """What a program does in a superstep, as far as `Parts.seconds` asks for it.

    Attributes
    ----------
    calls, sums, joins : int
        Calls, those of them that add up what their elements return, and those that activate.
    arrays, row_bytes : int
        Arrays of which rows are handed on, and the bytes of a vertex in all of them: columns that
        are written and read through the source.
    pulls, active : int
        Calls along all arcs, and along those of the active.
    visits : float
        How often all vertices are visited.
    sweeps, walks : float
        How often all arcs are walked by all, and by the active: less than once where these are a
        part of all.
    moved : float
        How many vertices are activated, of all.
    draws : float
        How often all arcs are walked by those who draw a number for each, which are no others.
    crowd, phases : int
        Calls along the arcs of the active for which all blocks of a GPU work, and barriers of these
        within calls.
    stretches : float
        How often a warp of a GPU walks the longest stretch of rows, 32 arcs in a step; less than
        once where it walks more in a step.
    guarded : bool
        Whether whom the active found before looks at none of its arcs.
    meets, claims : bool
        Whether parts meet in their kernels, and the active claim there whom they reach first: then
        the number of the active says how many calls are crowded, and have barriers within.

    Examples
    --------
    >>> Superstep(calls=2, row_bytes=4).joins
    0
    """

    calls: int = 1
    joins: int = 0
    arrays: int = 1
    row_bytes: int = 8
    sweeps: float = 1.0
    sums: int = 0
    pulls: int = 0
    active: int = 0
    visits: float = 1.0
    walks: float = 0.0
    moved: float = 0.0
    draws: float = 0.0
    crowd: int = 0
    phases: int = 0
    stretches: float = 0.0
    guarded: bool = False
    meets: bool = False
    claims: bool = False
