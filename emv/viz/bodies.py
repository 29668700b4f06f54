"""The vertices of a picture as bodies: where they are, and what the others push them with.

All arrays are on the host or on one GPU: where programs run, or where the first of several GPUs
leaves what it found.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.config import config
from emv.device import device_of
from emv.graph import Graph
from emv.graph.on_device import lies_on_device, moved_to, on_host
from emv.runtime.program import ProgramFunction
from emv.runtime.targets.placing import taken_there

NAMES = ("x", "y", "z")


@dataclass
class Bodies:
    """What a round of a layout begins with.

    Attributes
    ----------
    graph : Graph
        An edge pulls at both ends.
    place : list of three float32[num_vertices]
        In a plane the third is 0.
    mass : float32[num_vertices]
        1 and the number of arcs, or 1.
    weight : float32[num_edges] or None
        How strong edges are; None for 1.
    fixed : bool[num_vertices] or None
        Who does not move.
    theta : float
        How wide a group may look that pushes as one; 0 for none.
    backend : str or None
        Where programs run.
    dim : {2, 3}
        A plane or a space.
    """

    graph: Graph
    place: list[Any]
    mass: Any
    weight: Any
    fixed: Any
    theta: float
    backend: str | None
    dim: int

    @classmethod
    def at(cls, positions: NDArray[Any], graph: Graph, **named: Any) -> Bodies:
        """Return bodies at some places, ``float[num_vertices, dim]``."""
        place = [np.ascontiguousarray(each, np.float32) for each in positions.T]
        place += [np.zeros(graph.num_vertices, np.float32)] * (3 - len(place))
        made = cls(graph, place, **named, dim=positions.shape[1])
        made.take(functools.partial(taken_there, graph, made.backend))
        return made

    def take(self, there: Callable[[Any], Any]) -> None:
        """Let all arrays lie where a function takes them."""
        self.place = [there(each) for each in self.place]
        self.mass = there(self.mass)
        self.weight = None if self.weight is None else there(self.weight)
        self.fixed = None if self.fixed is None else there(self.fixed)

    def coordinates(self) -> dict[str, Any]:
        """Return the places as arguments of a program."""
        return dict(zip(NAMES, self.place, strict=True))

    def width(self) -> float:
        """Return how wide the picture is, at least a little."""
        spans = (float(np.ptp(on_host(each))) for each in self.place if len(each))
        return max(spans, default=0.0) or 1.0

    def pushes(self, near: float) -> dict[str, Any]:
        """Return what each is pushed with, per mass of its own, as arguments of a program.

        Nothing where all look at all, which the program then does.
        """
        if self.theta == 0:
            return {}
        found: Any
        place = self.place[: self.dim]
        if lies_on_device(self.mass):
            found = device_of(self.mass).repel(place, self.mass, self.theta, near)
        else:
            from emv_kernels.cpu.repulsion import repelled  # imports numba

            found = repelled(np.stack(place), self.mass, self.theta, near, config.num_threads)
        return {f"push_{name}": each for name, each in zip(NAMES, found, strict=False)}

    def run(self, program: ProgramFunction, **named: Any) -> Any:
        """Return the result of a program for these bodies where they are."""
        found = program.run(self.graph, **self.coordinates(), **named, backend=self.backend).result
        if lies_on_device(found[0]) and not lies_on_device(self.mass):
            self.take(functools.partial(moved_to, device_of(found[0])))
        return found
