"""What a device is told of a graph and a superstep, what it tells, and what is to be asked."""

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


class Lowered(NamedTuple):
    """What came of lowering values along arcs, see `Device.lowered`.

    Attributes
    ----------
    values : DeviceArray
        The least that is offered.
    rounds : int
        In which they were found.
    least, total : float
        Of the lengths of new edges; inf and 0 of none.
    """

    values: Any
    rounds: int
    least: float
    total: float


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
