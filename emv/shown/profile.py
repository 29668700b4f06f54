"""`Profile`: where the time of one run went, as numbers, two tables or a picture."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from emv.shown.pages import profile_page
from emv.shown.plot import plot
from emv.shown.rows import LaunchProfile, SuperstepProfile
from emv.shown.tables import launch_table, milliseconds, superstep_table


@dataclass(frozen=True, repr=False)
class Profile:
    """Where the time of one run went; print it to see two tables.

    Attributes
    ----------
    program, backend, graph : str
        What ran, where, and on what.
    launches : tuple of LaunchProfile
        The longest first.
    supersteps : tuple of SuperstepProfile
        In order.
    copy_bytes_per_s : float
        The bandwidth of a large copy, bytes read and bytes written, measured in the same process.
    tick_s : float
        How often the clock of the records moves; 0 if it is as good as continuous.
    lost : int
        Records that did not fit and are missing.
    """

    program: str
    backend: str
    graph: str
    launches: tuple[LaunchProfile, ...]
    supersteps: tuple[SuperstepProfile, ...]
    copy_bytes_per_s: float
    tick_s: float = 0.0
    lost: int = 0

    @property
    def seconds(self) -> float:
        """Time of all launches together."""
        return sum(each.seconds for each in self.launches)

    @property
    def bytes_moved(self) -> int:
        """Bytes that all launches moved, by the model."""
        return sum(each.bytes_moved for each in self.launches)

    def rows(self) -> list[dict[str, Any]]:
        """Return the supersteps as dictionaries, ready for a table of another library."""
        return [asdict(each) for each in self.supersteps]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as numbers, texts, lists and dictionaries, as JSON holds them."""
        return {**asdict(self), "seconds": self.seconds, "bytes_moved": self.bytes_moved}

    def plot(self, path: Any = None) -> Any:
        """Draw time, frontier and edges over the supersteps.

        Needs matplotlib, which the extra ``viz`` installs.

        Parameters
        ----------
        path : path-like, optional
            Where to save the picture; the name's ending says its format.

        Returns
        -------
        matplotlib.figure.Figure
            The picture.

        Raises
        ------
        BackendUnavailableError
            If matplotlib is not installed.
        ArgumentError
            If the file cannot be written.
        """
        title = f"{self.program} on {self.backend}\n{self.graph}"
        return plot(title, self.launches, self.supersteps, path)

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        return profile_page(self)

    def __str__(self) -> str:
        tables = [launch_table(self.launches), superstep_table(self.supersteps)]
        return "\n".join([*self._head(), *("\n" + "\n".join(each) for each in tables)])

    def _head(self) -> list[str]:
        """Return the lines above the tables."""
        num_steps = sum(each.number > 0 for each in self.supersteps)
        lines = [
            f"{self.program} on {self.backend}: {self.graph}",
            f"{num_steps:,} superstep{'s' * (num_steps != 1)}, {milliseconds(self.seconds)} ms; "
            f"a copy moves {self.copy_bytes_per_s / 1e9:,.0f} GB/s; bytes are those of a model",
        ]
        if self.tick_s:
            lines.append(f"the clock moves every {1e9 * self.tick_s:,.0f} ns")
        if self.lost:
            lines.append(f"{self.lost:,} records are missing: there was no room for them")
        return lines

    def __repr__(self) -> str:
        steps = len([each for each in self.supersteps if each.number])
        return (
            f"Profile({self.program} on {self.backend}: {steps} superstep{'s' * (steps != 1)}, "
            f"{1e3 * self.seconds:.3f} ms)"
        )
