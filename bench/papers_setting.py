"""Where the papers' experiments run, and how much of them: what parts of `bench.papers` take."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from bench import suite_graphs
from bench.suite_graphs import SuiteGraph


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
    graphs : sequence of str
        By default each part's own.
    sources, rounds : int
        Of searches; of everything else.
    budget : float
        Seconds for one method on one graph: then fewer sources do.
    tiny : bool
        Whether graphs are tiny: to see that it works.
    """

    target: str
    device: str
    clock: Any
    graphs: tuple[str, ...] = ()
    sources: int = 100
    rounds: int = 10
    budget: float = 2.0
    tiny: bool = False

    @property
    def on_gpu(self) -> bool:
        """Whether kernels by hand run on a GPU."""
        return self.target == "cuda" and self.device != "python"

    def load(self, name: str) -> SuiteGraph:
        """Return a graph of the suite, placed where things are measured."""
        target = "cpu" if self.device == "python" else self.target
        made = suite_graphs.load(name, target, self.clock.cupy, self.tiny)
        made.device = self.device
        return made

    def seconds(self, program: Any, graph: Any, *given: Any, **named: Any) -> float:
        """Return the seconds of a run: by the GPU's clock there, on cores the call."""
        if self.on_gpu:
            return float(program.run(graph, *given, **named).seconds)
        began = time.perf_counter()
        program(graph, *given, **named)
        return time.perf_counter() - began
