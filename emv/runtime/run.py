"""What a run leaves behind: results, columns, supersteps, the reason of its end, and timings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from emv.errors import ColumnError, did_you_mean


@dataclass
class LaunchTime:
    """How often one launch ran and how long it took in all."""

    name: str
    calls: int = 0
    seconds: float = 0.0


class RunColumns:
    """The columns a run wrote, by attribute or by name: ``run.vertices.dist``."""

    def __init__(self, columns: dict[str, NDArray[Any]]) -> None:
        self._columns = columns

    def names(self) -> list[str]:
        """Return the names of the columns."""
        return list(self._columns)

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._columns:
            raise ColumnError(
                f"the run has no column {name!r}; it has {', '.join(self._columns) or 'none'}."
                + did_you_mean(name, self._columns)
            )
        return self._columns[name]

    def __getattr__(self, name: str) -> NDArray[Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __repr__(self) -> str:
        return f"columns: {', '.join(self._columns) or 'none'}"


@dataclass
class Run:
    """The outcome of one run of a program.

    Attributes
    ----------
    result : Any
        What the program returned; columns as numpy arrays in the order of vertex or edge ids.
    vertices, edges : RunColumns
        Every column the run worked on. The graph's own columns are never changed.
    supersteps : int
        Supersteps of all loops together.
    stopped : str
        Why the last loop ended: ``converged`` (nobody voted to go on), ``halt``, ``until``,
        ``limit``, ``callback`` or ``no loop``.
    seconds : float
        Wall time of the run, without compiling.
    compile_seconds : float
        Time spent making and loading kernels.
    backend : str
        Where it ran.
    launches : list of LaunchTime
        Time per launch, where the backend knows it.
    """

    program: str
    result: Any
    vertices: RunColumns
    edges: RunColumns
    supersteps: int
    stopped: str
    seconds: float
    backend: str
    compile_seconds: float = 0.0
    launches: list[LaunchTime] = field(default_factory=list)

    def __repr__(self) -> str:
        return (
            f"Run({self.program} on {self.backend}: {self.supersteps} supersteps, "
            f"{self.stopped}, {1e3 * self.seconds:.1f} ms)"
        )
