"""What a device is told in numbers, of a graph and of a superstep, and what it tells."""

from __future__ import annotations

from typing import Any, NamedTuple


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
