"""What the papers' experiments give: rows of what a paper says beside what was measured, and where.

A part of `bench.papers` takes a `Setting` and yields rows. What is wrong stands in a row's fault.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from bench import suite_graphs
from bench.suite_graphs import SuiteGraph


@dataclass
class PaperRow:
    """One experiment on one graph.

    Attributes
    ----------
    row : str
        Of the paper map, such as ``S154``.
    what : str
        What was done, and on what.
    measured : dict of str to float or str
        By name, with the unit in it.
    paper : str
        What the paper says.
    note : str
        What else is to be said.
    fault : str
        What is wrong with a result; empty when all is right.
    """

    row: str
    what: str
    measured: dict[str, float | str] = field(default_factory=dict)
    paper: str = ""
    note: str = ""
    fault: str = ""

    def line(self) -> str:
        """Return the row for readers."""
        figures = ", ".join(f"{name} {shown(each)}" for name, each in self.measured.items())
        said = f"; the paper: {self.paper}" if self.paper else ""
        wrong = f"  WRONG: {self.fault}" if self.fault else ""
        return (
            f"{self.row} {self.what}: {figures}{said}{f' ({self.note})' * bool(self.note)}{wrong}"
        )

    def report(self) -> dict[str, Any]:
        """Return the row of the JSON."""
        return asdict(self)


@dataclass
class Setting:
    """Where and how much is measured.

    Attributes
    ----------
    target : str
        ``cpu`` or ``cuda``.
    device : str
        Where graphs are placed: the target, or ``python`` in tests.
    clock : HostClock or DeviceClock
        Of the target.
    graphs : list of str, optional
        By default each part's own.
    sources, rounds : int
        Of searches; of everything else.
    budget : float
        Seconds for one method on one graph: then fewer sources do.
    until : float
        When nothing new is begun, by `time.perf_counter`.
    tiny : bool
        Whether graphs are tiny: to see that it works.
    """

    target: str
    device: str
    clock: Any
    graphs: list[str] | None = None
    sources: int = 100
    rounds: int = 10
    budget: float = 2.0
    until: float = float("inf")
    tiny: bool = False

    def is_over(self) -> bool:
        """Return whether nothing new should begin."""
        return time.perf_counter() > self.until

    def load(self, name: str) -> SuiteGraph:
        """Return a graph of the suite, placed where things are measured."""
        target = "cpu" if self.device == "python" else self.target
        made = suite_graphs.load(name, target, self.clock.cupy, self.tiny)
        made.device = self.device
        return made

    def seconds(self, program: Any, graph: Any, *given: Any, **named: Any) -> float:
        """Return the seconds of a run: by the GPU's clock there, on cores the call."""
        if self.target == "cuda" and self.device != "python":
            return float(program.run(graph, *given, **named).seconds)
        began = time.perf_counter()
        program(graph, *given, **named)
        return time.perf_counter() - began


Part = Callable[[Setting], Iterator[PaperRow]]


def shown(value: float | str) -> str:
    """Return a figure with the digits that mean something.

    Examples
    --------
    >>> shown(1234567.0), shown(0.012345), shown("all")
    ('1.23e+06', '0.0123', 'all')
    """
    return value if isinstance(value, str) else f"{value:.3g}"
