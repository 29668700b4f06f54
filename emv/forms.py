"""What a device is told: of a graph and a superstep in numbers, and what is still to be asked."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol


class Shape(NamedTuple):
    """The counts that decide what index arrays are like; see `emv.graph.footprint.Footprint`."""

    num_vertices: int
    num_edges: int
    num_arcs: int
    directed: bool
    arcs_are_edges: bool


class Spread(NamedTuple):
    """A superstep that adds to a value what vertices hand on, as `Device.settled` takes it.

    Attributes
    ----------
    base : float
        What every value gets, above 0.
    received : float
        What multiplies the sum of what comes along arcs: of equal shares of values.
    lost : float
        What multiplies the sum of the values of those without out-arcs, which all get.
    bound : float
        Below which values change in all when they have settled.
    """

    base: float
    received: float
    lost: float
    bound: float


class Look(Protocol):
    """A look at the ends of new edges, of which nobody knows yet whether they are vertices.

    Attributes
    ----------
    wrong : emv.device.DeviceArray or None
        How many edges have one that is none, where a device counts them beside what else it does.
    """

    wrong: Any

    def check(self) -> None:
        """Raise the error of an end that is no vertex; waits for the look, or takes it."""
