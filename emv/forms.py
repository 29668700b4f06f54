"""What a device is told in numbers: of a graph, and of a superstep."""

from __future__ import annotations

from typing import NamedTuple


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
