"""What ``emv run`` takes beside the programs of `emv.algorithms`: functions that run several.

Every page is there but ``ego_graph``, which gives a graph, as ``emv convert --ego`` writes it, and
``competing_cascades``, which takes two lists of vertices.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from dataclasses import astuple, is_dataclass
from typing import Any, NamedTuple

from emv import algorithms
from emv.algorithms import ALGORITHMS
from emv.backends.cuda import cuda_available
from emv.config import config
from emv.generators import GENERATORS
from emv.graph import Graph
from emv.runtime.program import ProgramFunction
from emv.runtime.run import Run, RunColumns

HIDDEN = ("rng", "backend", "pairs", "given")
"""Parameters that ``--set`` does not give: others do, or no text can say them."""

COLUMNS = {"weight": "edge", "p": "edge", "b": "edge"}
"""Parameters that may name a column, and of which rows."""


class Column(NamedTuple):
    """What a parameter binds, as `ProgramFunction.bind` has it."""

    kind: str


class Function:
    """A function of a graph, to be called as a program is.

    Parameters
    ----------
    python : function
        Of a graph and what else it takes.
    """

    def __init__(self, python: Callable[..., Any]) -> None:
        self.name = python.__name__
        self.__doc__ = python.__doc__
        self._call = python
        self._parameters = inspect.signature(python).parameters
        shown = [each for name, each in self._parameters.items() if name not in HIDDEN]
        self.signature = inspect.Signature(shown)
        self.bind = {name: Column(COLUMNS[name]) for name in self._parameters if name in COLUMNS}

    def run(self, graph: Graph, *, backend: str | None, rng: int, **named: Any) -> Run:
        """Call the function and return what it gives, as a run."""
        named.pop("callback", None)  # it runs many programs, whose supersteps nobody counts
        device = backend or config.backend
        if device == "auto":
            device = "cuda" if cuda_available() else "cpu"
        for name, value in (("rng", rng), ("backend", device)):
            if name in self._parameters:
                named[name] = value
        started = time.perf_counter()
        result = self._call(graph.on(device), **named)
        seconds = time.perf_counter() - started
        if is_dataclass(result) and not isinstance(result, type):
            result = astuple(result)
        none = RunColumns({})
        return Run(self.name, result, none, none, 0, "", seconds, device, graph=graph)


FUNCTIONS: dict[str, Function] = {
    each.__name__: Function(each)
    for each in (
        algorithms.common_neighbors,
        algorithms.cosine,
        algorithms.influence_maximization,
        algorithms.is_bipartite,
        algorithms.jaccard,
        algorithms.k_truss,
        algorithms.leiden,
        algorithms.louvain,
        algorithms.overlap,
        algorithms.random_walks,
        algorithms.sample_neighbors,
        algorithms.sorensen,
        algorithms.spread,
        algorithms.topological_sort,
    )
}

PROGRAMS: dict[str, ProgramFunction] = ALGORITHMS | {
    each.name: each
    for each in (
        algorithms.average_clustering,
        algorithms.diameter,
        algorithms.diameter_bounds,
        algorithms.modularity,
        algorithms.transitivity,
    )
}
"""Programs, which can be explained and profiled."""

RUNNABLE: dict[str, ProgramFunction | Function] = dict(sorted((PROGRAMS | FUNCTIONS).items()))
"""All that ``emv run`` takes."""


def listed_models() -> str:
    """Return a line for each model: its parameters, and its first sentence."""
    lines = []
    for name, model in GENERATORS.items():
        called = " ".join(
            f"[{each.name}]" if each.default is not each.empty else each.name.upper()
            for each in inspect.signature(model).parameters.values()
            if each.name not in ("rng", "options")
        )
        sentence = (model.__doc__ or "").split("\n")[0]
        lines.append(f"  {name} {called}\n      {sentence}")
    return "\n".join(lines)


def listed_algorithms() -> str:
    """Return a line for each algorithm, with the first sentence that it says of itself."""
    width = max(map(len, RUNNABLE))
    says = {name: (program.__doc__ or "").split("\n")[0] for name, program in RUNNABLE.items()}
    return "\n".join(f"  {name:{width}}  {sentence}" for name, sentence in says.items())
