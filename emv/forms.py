"""What a device is told of a graph and a superstep, what it tells, and what is to be asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Part = tuple[int, Sequence[Any]]
"""How many entries of an array are drawn, and what the kernel that draws them is told."""


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
    wrong : callable or None
        Returns how many edges have one that is none, where a device counts them beside what else
        it does; waits for it.
    """

    wrong: Callable[[], int] | None

    def check(self) -> None:
        """Raise the error of an end that is no vertex; waits for the look, or takes it."""


class Begun(Protocol):
    """What a device has begun of a later version, which it knows again when it is merged."""

    @property
    def old(self) -> Any:
        """The index arrays of the version before."""


class BegunNew(Begun, Protocol):
    """What a device has begun of a version with more edges."""

    def look(self) -> tuple[int, int, int]:
        """Return how many of these are none, loops, and named once more; waits, and is asked once.

        The last two are 0 where edges lead one way, as nobody goes by them.
        """


class Beginning(Protocol):
    """What a device begins of a later version as soon as a call names the few edges that change."""

    def few_gone(self, rows: Any, given: Any) -> tuple[Any, Begun | None] | None:
        """Return which edges ids name, to be recounted, and what has begun of the version.

        None where nobody should go by that. They are an `emv.device.Gone`.
        """

    def few_new(self, rows: Any, src: Any, dst: Any) -> BegunNew | None:
        """Return what has begun of a version with a few more edges, if anything has."""


class Held(Protocol):
    """Which vertices are held, as a device has them."""

    def arcs(self, senders: Any, receivers: Any, skips_loops: bool) -> tuple[Any, Any]:
        """Return those of some arcs that lead to one, in their order, without loops if asked."""


class InPieces(Protocol):
    """What a device does with edges of which it has some at a time, see `emv.device.Device`."""

    def draw(
        self, kernel: str, dtypes: Sequence[Any], parts: Sequence[Part], first: int = 0
    ) -> list[Any]:
        """Return arrays filled by a kernel of `emv_kernels.cuda.generate`, part after part.

        What is drawn for each part begins with the entry of this number.
        """

    def row_starts(self, ways: Iterable[tuple[Any, Any, bool]], rows: int, dtype: Any) -> Any:
        """Return where rows begin, ``dtype[rows + 1]``, of entries that come piece by piece.

        Of each piece the rows of its entries, others, and whether entries where both are the same
        are left out.
        """

    def senders_to(
        self, arcs: Iterable[tuple[Any, Any]], held: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Return who has an arc to a vertex that is held; arcs come piece by piece."""

    def held(self, held: NDArray[np.bool_]) -> Held:
        """Return what takes the arcs to vertices that are held out of others."""


class Ordering(Protocol):
    """How a device puts in order what a superstep asks for, see `emv.device.Device`."""

    def in_order(self, keys: Sequence[Any], rows: Any, others: Any, number: int) -> Any:
        """Return entries by row, call and key; waits until they are counted.

        None if one that has a key has a row or another value that is not in ``range(number)``, or
        if row and key are no number of 62 bits together.

        Parameters
        ----------
        keys : sequence of int64[:]
            By call, the keys of entries, which all differ; negative where an entry is none.
        rows, others : int64[n]
            Of the entries, those of all calls one after another.
        """


class Lowering(Protocol):
    """How a device lowers values along arcs, see `emv.device.Device`."""

    def lowered(
        self,
        rows: Any,
        ends: Sequence[Any],
        values: Any,
        far: int | float,
        lengths: Sequence[Any],
        most: float,
    ) -> Callable[[], Lowered | None]:
        """Begin to lower values along arcs from new edges on; return what waits for them.

        Parameters
        ----------
        rows, ends : Indexed, (src, dst)
            Of a graph that has the new edges, and of these.
        values : DeviceArray
            What vertices have; no edge but the new ones offers any of them less.
        far : number
            What those have who offer nothing.
        lengths, most : DeviceArrays, float
            What arcs add, and what new edges do, from 0 to ``most``, else None
            comes back in the end.
        """
