"""A round of a layout: the forces of a method, and what vertices make of them.

Both methods take their forces from `emv.viz.forces`. What is one number for the whole picture, the
temperature or the speed, is kept here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from emv.viz.bodies import NAMES, Bodies
from emv.viz.forces import follow_atlas, forces_of_atlas, fruchterman_reingold

NEAR = 0.01  # distances below it count as it
HOT = 0.1  # how much of the picture's width a vertex may cross at first
DIGITS = 6  # of sums, whose last ones depend on how many threads add up: speeds must not
LEAST_EFFICIENCY, MOST_SPEED, MOST_RISE, MOST_JITTER = 0.05, 1000.0, 0.5, 10.0


class Mover(Protocol):
    """One method."""

    def move(self, bodies: Bodies, iterations: int) -> None:
        """Do one of so many rounds."""


@dataclass
class Springs:
    """Fruchterman and Reingold's method.

    Attributes
    ----------
    k : float
        The length of an edge that nothing else pulls at; by default the root of the unit square's
        area per vertex.
    temperature : float
        How far a vertex goes at most in the first round; by default 0.1 of the picture's width. It
        falls evenly, to nothing behind the last round.
    """

    k: float | None = None
    temperature: float | None = None
    fall: float | None = field(default=None, init=False)

    def move(self, bodies: Bodies, iterations: int) -> None:
        """Do one of so many rounds."""
        if self.k is None:
            self.k = 1 / math.sqrt(max(bodies.graph.num_vertices, 1))
        if self.temperature is None:
            self.temperature = HOT * bodies.width()
        if self.fall is None:
            self.fall = self.temperature / (iterations + 1)
        near = min(NEAR, 0.1 * self.k)  # 0.01 would be far between many vertices
        found = bodies.run(
            fruchterman_reingold,
            **bodies.pushes(near),
            is_fixed=bodies.fixed,
            weight=bodies.weight,
            k=self.k,
            near=near,
            farthest=self.temperature,
        )
        bodies.place = list(found)
        self.temperature = max(self.temperature - self.fall, self.fall)


@dataclass
class Atlas:
    """ForceAtlas2; names and defaults are networkx's, and speeds go as in Gephi.

    Attributes
    ----------
    scaling_ratio : float
        How strongly vertices push, in proportion to both masses; a mass is 1 and the degree.
    gravity : float
        How strongly all are drawn to the origin, evenly.
    strong_gravity : bool
        Draw in proportion to the distance.
    distributed_action : bool
        Divide what a vertex is drawn with by its mass, which moves hubs out.
    linlog : bool
        Draw with the logarithm of the distance, which parts clusters.
    jitter_tolerance : float
        How much vertices may swing.
    """

    scaling_ratio: float = 2.0
    gravity: float = 1.0
    strong_gravity: bool = False
    distributed_action: bool = False
    linlog: bool = False
    jitter_tolerance: float = 1.0
    forces: Sequence[Any] | None = field(default=None, init=False)
    speed: float = field(default=1.0, init=False)
    efficiency: float = field(default=1.0, init=False)

    def move(self, bodies: Bodies, iterations: int) -> None:
        """Do one round; how many there will be changes nothing."""
        if self.forces is None:
            self.forces = [np.zeros(bodies.graph.num_vertices, np.float32)] * 3
        found = bodies.run(
            forces_of_atlas,
            **bodies.pushes(NEAR),
            **self.named_forces(),
            mass=bodies.mass,
            weight=bodies.weight,
            near=NEAR,
            scaling_ratio=self.scaling_ratio,
            gravity=self.gravity,
            strong_gravity=self.strong_gravity,
            distributed_action=self.distributed_action,
            linlog=self.linlog,
        )
        self.forces = found[:3]
        swing, traction = (float(f"{each:.{DIGITS}e}") for each in found[4:])
        self.choose_speed(swing, traction, bodies.graph.num_vertices)
        bodies.place = list(
            bodies.run(
                follow_atlas,
                **self.named_forces(),
                swing=found[3],
                is_fixed=bodies.fixed,
                speed=self.speed,
            )
        )

    def named_forces(self) -> dict[str, Any]:
        """Return the forces of the last round as arguments of a program."""
        assert self.forces is not None
        return {f"force_{name}": each for name, each in zip(NAMES, self.forces, strict=True)}

    def choose_speed(self, swing: float, traction: float, count: int) -> None:
        """Go as fast as the swings of the picture allow, at most half faster than before.

        Adaptive global speed: Jacomy et al. 2014, and ``ForceAtlas2.java`` of Gephi.
        """
        if traction == 0:
            return
        best = 0.05 * math.sqrt(count)
        jitter = max(math.sqrt(best), min(MOST_JITTER, best * traction / count**2))
        jitter *= self.jitter_tolerance
        if swing / traction > 2:
            if self.efficiency > LEAST_EFFICIENCY:
                self.efficiency *= 0.5
            jitter = max(jitter, self.jitter_tolerance)
        wanted = jitter * self.efficiency * traction / swing if swing else math.inf
        if swing > jitter * traction:
            if self.efficiency > LEAST_EFFICIENCY:
                self.efficiency *= 0.7
        elif self.speed < MOST_SPEED:
            self.efficiency *= 1.3
        self.speed += min(wanted - self.speed, MOST_RISE * self.speed)


METHODS: dict[str, type[Springs] | type[Atlas]] = {
    "fruchterman_reingold": Springs,
    "forceatlas2": Atlas,
}
