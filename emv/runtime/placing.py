"""Where a program runs, and in which form it sees the graph there."""

from __future__ import annotations

from typing import Any

from emv.config import check_backend
from emv.graph.graph import demand_undirected

FORMS = (None, "undirected", "oriented", "both ways")
"""How a program may see graphs."""


def choose_backend(graph: Any, asked: str | None) -> str:
    """Return ``python``, ``cpu`` or a GPU: what the call, the graph or the knob asks for."""
    name = check_backend(asked or graph.device)
    if name != "auto":
        return name
    from emv.backends import cuda  # only a choice needs it

    return "cuda" if cuda.cuda_available() else "cpu"


def shown_target(graph: Any) -> Any:
    """Return where programs on a graph are compiled for; the CPU if they run as plain Python."""
    name = choose_backend(graph, None)
    return target_of("cpu" if name == "python" else name)


def target_of(name: str, stream: Any = None) -> Any:
    """Return where compiled programs of a backend run; see `emv.runtime.targets`."""
    from emv.runtime import targets  # only a compiled run needs them

    return targets.target_of(name, stream)


def formed(graph: Any, form: str | None, name: str, backend: str | None = None) -> Any:
    """Return a graph in the form in which a program sees it, made where it is to run.

    Raises
    ------
    GraphError
        If the program takes undirected graphs and this one is directed.
    """
    if form == "undirected":
        demand_undirected(graph, f"{name}()")
    if form == "both ways":
        return graph.both_ways()
    if form != "oriented":
        return graph
    return graph.on(choose_backend(graph, backend)).oriented().on(graph.device)
