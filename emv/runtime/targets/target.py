"""Where compiled programs run: what differs between cores and a GPU, behind one face.

A `Target` is made for one call. What lasts is kept as long as the layouts of a graph are: by the
graph for all programs a *store*, with its index arrays and the edge columns that lie here; by a
program for a graph *residents*, each with what one run after another takes over: working space,
the shared state, on a GPU the loaded kernel. Several parts of one graph would each have their own.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, Protocol

import numpy as np

from emv.runtime.arrays.table import Array

Plan = Any
"""A plan of `emv.runtime.arrays.plan`, which stands above."""
Compiled = Any
"""A program of `emv.runtime.compile`, which stands above."""


class Target(Protocol):
    """The place of one call.

    Attributes
    ----------
    kind, label : str
        ``cpu`` or ``cuda``, what kernels are written for; what `Run.backend` says.
    device : Device or None
        Whose memory arrays take; None if it is the machine's, which notices only too late that
        there is none left.
    stream : Any
        Where copies and launches are put on a GPU.
    control, ids_bytes : str, int
        What the state, which host and kernels share, is called; room beside it, for lists of ids.
    delta_arcs : int
        Arcs of mean weight by which the threshold of a relaxation moves, per degree.
    num_parts, way : int, str
        Into how many parts graphs are divided, and how.
    share : float
        What part of the device's blocks kernels may have: 1, or less beside others.
    part_of : (int, str, int) or None
        Of one of several parts that are GPUs: how many, by which way, and which.
    begins_ahead : bool
        Whether the host can put a launch on its way and see to something else: see `begin`.
    """

    kind: str
    label: str
    device: Any
    stream: Any
    control: str
    ids_bytes: int
    delta_arcs: int
    num_parts: int = 1
    way: str = "ranges"
    share: float = 1.0
    part_of: tuple[int, str, int] | None = None
    begins_ahead: bool = False

    @property
    def place(self) -> tuple[Any, ...]:
        """What decides of runs of one program on one graph which find the same prepared."""
        return (self.device, self.share, self.part_of)

    def is_here(self) -> bool:
        """Return whether a call from here on, at this moment, would have such a target."""

    def ahead(self, compiled: Compiled, graph: Any) -> None:
        """Do what needs no device, if that is still made, for the first run of some kernels."""
        return None

    def running(self, compiled: Compiled) -> AbstractContextManager[None]:
        """Return a context in which a program can run here; it adds to `Compiled.seconds`."""

    def workers(self, entries: int) -> dict[str, int]:
        """Return how many threads ``T`` and blocks ``B`` there are for so much work."""

    def held_of(self, plan: Plan) -> Any:
        """Return what of its graph a plan holds here: all of it, or the slice of a part."""
        return plan.whole

    def costs(self, vertices: int) -> Any:
        """Return what supersteps and exchanges of parts cost here, of so many vertices."""

    def arc_room(self) -> float:
        """Return the bytes that arcs of a part may take."""

    def store(self, layouts: Any) -> Any:
        """Return what of a graph stays here."""

    def plans(self, plan: Plan) -> list[Plan]:
        """Return the plans of the parts of a graph, the given one first; one if they share it."""
        return [plan]

    def resident(self, plan: Plan) -> Any:
        """Return what a program keeps here for a graph, made new."""

    def begin(self, plan: Plan) -> None:
        """Put the first launch on its way, before `launch` waits for it, if it `begins_ahead`."""
        raise AssertionError(f"{self.label} waits for its launches where they begin")

    def launch(self, plan: Plan, name: str) -> tuple[bool, float]:
        """Run a function of the kernels; return whether it has ended, and the seconds it took.

        A loop, and a program with loops, also comes back when its budget is used up.
        """

    def collect(self, plan: Plan) -> None:
        """Bring what a run has made together, where a target has it in several places."""
        return None

    def settle(self) -> None:
        """See to it that what was made behind the last launch may be read."""
        return None

    def arrays_of_parts(self, plan: Plan) -> list[dict[str, Any]]:
        """Return the arrays of a plan, of every part where a target has several."""
        return [plan.arrays]

    def handed_on(self) -> str:
        """Return what a profile says of what parts have handed each other; nothing of one."""
        return ""

    def elapsed(self, plan: Plan) -> float:
        """Return the seconds from the beginning of the first launch to the end of the last."""

    def empty(self, size: int, dtype: np.dtype[Any]) -> Any:
        """Return a new array, its content unknown."""

    def fill(self, array: Any, value: Any) -> None:
        """Fill an array with a number."""

    def copy(self, array: Any, source: Any) -> None:
        """Copy one array into another."""

    def start(self, size: int, dtype: np.dtype[Any], number: Any, ids: Any) -> Any:
        """Return how a new array is made that begins alike in every run: residents do it.

        It is filled with a number, or with what ``ids(size, dtype)`` gives, where that is not None.
        """

    def copied(self, values: Any, given: Any = None) -> Any:
        """Return values in an array here that shares no memory with what was given."""

    def array_behind(self, source: Any, columns: Any) -> Any:
        """Return the array that a column's name means in a graph's columns, or a given one."""

    def fitted(self, values: Any, dtype: np.dtype[Any]) -> Any:
        """Return values of the caller that lie here in another type, if nobody need look at them.

        None elsewhere, and where some may not fit.
        """
        return None

    def reads(self, array: Any) -> bool:
        """Return whether kernels can read an array of the graph or the caller as it is."""

    def taken_bytes(self, nbytes: int, array: Array | None = None) -> int:
        """Return what so many bytes take, where an array is made or by themselves."""

    def has_space(self, plan: Plan) -> bool:
        """Return whether an earlier run left working space that suffices."""

    def declared(self, field: Any, values: Any) -> Any:
        """Return a column that kernels worked on in the type its record declares."""

    def kept(self, values: Any, dtype: np.dtype[Any]) -> Any:
        """Return kept values as a result."""
