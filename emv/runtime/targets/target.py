"""Where compiled programs run: what differs between cores and a GPU, behind one face.

A `Target` is made for one call. What lasts is a `Resident`, which a program keeps for a graph, and
a `Store`, which a graph keeps for all programs; both are kept as long as the graph's layouts.
Several parts of one graph would each have a store and a resident of their own.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from emv.config import check_backend
from emv.errors import ArgumentError

if TYPE_CHECKING:
    from emv.runtime.arrays.columns import Columns, Key
    from emv.runtime.arrays.memory import Entry, Wanted
    from emv.runtime.arrays.plan import Plan
    from emv.runtime.arrays.table import Array
    from emv.runtime.compile import Compiled


class Store(Protocol):
    """What of a graph stays at a place between runs: index arrays, and edge columns in an order."""

    def index(self, graph: Any, name: str) -> Any:
        """Return an index array by the name that kernels use."""

    def edge_column(self, columns: Columns, key: Key, order: str) -> Any:
        """Return an edge column in an order; one of the graph is kept."""

    def settle(self) -> None:
        """Wait for what is being built, and drop what was built only on the way."""

    def entries(self, plan: Plan, wanted: Wanted) -> Iterator[Entry]:
        """Yield what is taken for what a run wants of the graph."""

    def building_bytes(self, plan: Plan, wanted: Wanted) -> int:
        """Return at most what building takes besides, for a while."""

    def host_bytes(self, plan: Plan, wanted: Wanted) -> int:
        """Return at most what is taken of the host, where the store is elsewhere."""


class Resident(Protocol):
    """What stays of a program between its runs on a graph; one run at a time has it.

    Attributes
    ----------
    arrays : dict
        Index arrays, what the host and kernels tell each other, and on cores working space.
    facts : iterable of (int, int)
        Places of the shared state, and what they hold in every run.
    budget : int
        How many supersteps the next launch may run, learnt from the last ones; 0 at first.
    """

    arrays: Mapping[str, Any]
    facts: Iterable[tuple[int, int]]
    budget: int

    def put_ids(self, plan: Plan, ids: NDArray[Any]) -> Any:
        """Return a list of ids as kernels read it."""

    def begin(self, plan: Plan) -> None:
        """Put start values into the working space, once all other arrays are there."""

    def end(self) -> None:
        """Let others have the working space."""


class Target(Protocol):
    """The place of one call.

    Attributes
    ----------
    kind : str
        ``cpu`` or ``cuda``: what kernels are written for. On a GPU a program is one function.
    label : str
        What `Run.backend` says.
    device : Device or None
        Whose memory arrays take; None if it is the machine's, which notices too late that there is
        none left.
    place : tuple
        What a `Resident` is for.
    delta_arcs : int
        Arcs of mean weight by which the threshold of a relaxation moves, per degree.
    """

    kind: str
    label: str
    device: Any
    place: tuple[Any, ...]
    delta_arcs: int

    def load(self, compiled: Compiled) -> None:
        """Load a program's kernels, where that needs no graph."""

    def compile_seconds(self) -> float:
        """Return the seconds that compilers took so far, besides those of `Compiled`."""

    def workers(self, entries: int) -> dict[str, int]:
        """Return how many threads ``T`` and blocks ``B`` there are for so much work."""

    def store(self, layouts: Any) -> Store:
        """Return what of a graph stays here."""

    def resident(self, plan: Plan) -> Resident:
        """Return what a program keeps for a graph, made new."""

    # The run.

    def begin(self) -> None:
        """Begin a run."""

    def end(self) -> None:
        """End a run."""

    def wait(self) -> None:
        """Wait until nothing works on the arrays of a failed run."""

    def launch(self, plan: Plan, name: str) -> tuple[bool, float]:
        """Run a function of the kernels; return whether it has ended, and the seconds it took.

        A loop, and a program with loops, also comes back when its budget is used up.
        """

    def elapsed(self, plan: Plan) -> float:
        """Return the seconds from the beginning of the first launch to the end of the last."""

    # Arrays.

    def empty(self, size: int, dtype: np.dtype[Any]) -> Any:
        """Return a new array, its content unknown."""

    def fill(self, array: Any, value: Any) -> None:
        """Fill an array with a number."""

    def copy(self, array: Any, source: Any) -> None:
        """Copy one array into another."""

    def copied(self, values: Any, given: Any = None) -> Any:
        """Return values in an array here that shares no memory with what was given."""

    def numbered(self, store: Any, size: int, dtype: np.dtype[Any]) -> Any:
        """Return a new array of the numbers from 0 on."""

    def array_behind(self, source: Any, store: Any) -> Any:
        """Return the array that a column's name means in the graph, or a given one."""

    def reads(self, array: Any) -> bool:
        """Return whether kernels can read an array of the graph or the caller as it is."""

    # Bytes.

    def taken_bytes(self, nbytes: int, array: Array | None = None) -> int:
        """Return what so many bytes take, where an array is made or by themselves."""

    def control_entry(self, plan: Plan, nbytes: int) -> Entry:
        """Return what the host and kernels tell each other."""

    def has_space(self, plan: Plan) -> bool:
        """Return whether an earlier run left working space that suffices."""

    # Results.

    def declared(self, field: Any, values: Any) -> Any:
        """Return a column that kernels worked on in the type its record declares."""

    def kept(self, values: Any, dtype: np.dtype[Any]) -> Any:
        """Return kept values as a result."""


def choose_backend(graph: Any, asked: str | None) -> str:
    """Return ``python``, ``cpu`` or a GPU: what the call, the graph or the knob asks for."""
    name = check_backend(asked or graph.device)
    if name != "auto":
        return name
    return "cuda" if importlib.import_module("emv.backends.cuda").cuda_available() else "cpu"


def target_of(backend: str, stream: Any = None) -> Target:
    """Return where compiled programs of a backend run.

    Raises
    ------
    ArgumentError
        If a stream is given for the CPU.
    """
    found: Target
    if backend.startswith("cuda"):
        found = importlib.import_module("emv.runtime.targets.gpu").Gpu(backend, stream)
        return found
    if stream is not None:
        raise ArgumentError(
            f"stream= is for GPUs, and this run is on {backend!r}",
            remedy="Leave it out, or run with backend='cuda'.",
        )
    found = importlib.import_module("emv.runtime.targets.cores").Cores()
    return found
