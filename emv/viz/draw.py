"""A graph drawn by matplotlib in one call."""

from __future__ import annotations

from typing import Any

from emv.graph import Graph
from emv.tracebacks import ends_at_caller
from emv.viz.view import View


@ends_at_caller
def draw(graph: Graph, path: Any = None, *, ax: Any = None, **named: Any) -> Any:
    """Draw a graph by matplotlib.

    Parameters
    ----------
    graph : Graph
        Whichever way its edges lead.
    path : str or Path, optional
        The file to save it as, such as ``graph.png`` or ``graph.svg``.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default on a figure of its own.
    **named
        ``theme``, ``"light"`` or ``"dark"``; ``names``, how many of the largest vertices have
        their labels beside them, by default 0, or a list of ids; and what `View` takes: ``color``
        and ``size``, ``labels``, ``pos``, and what is the layout's.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ArgumentError
        If an argument is none that there is, or the file cannot be written.
    BackendUnavailableError
        If matplotlib is not installed, which the extra ``viz`` does.

    Examples
    --------
    >>> import emv
    >>> from emv import Graph
    >>> g = Graph.from_edges([0, 1, 2], [1, 2, 0])
    >>> figure = emv.viz.draw(g, color=[1.0, 2.0, 3.0], iterations=1, backend="python")
    >>> len(figure.axes)  # the picture, and its scale
    2
    """
    own = {name: named.pop(name) for name in ("theme", "names") if name in named}
    return View(graph, **named).draw(path, ax=ax, **own)
