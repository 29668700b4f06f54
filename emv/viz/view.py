"""A picture of a graph to look around in: down to what is near a vertex, and up again.

The whole graph is laid out once. What is near a vertex is found by a breadth-first search where the
graph lies, and begins where it was in the wider picture, so that a reader finds it again; its
vertices keep the ids that they have in the whole graph.

Zhong, He: Medusa: A Parallel Graph Processing System on Graphics Processors, SIGMOD Record 43(2),
2014, section 4, drills down and up this way.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emv.algorithms import k_hop
from emv.errors import ArgumentError
from emv.graph import Graph
from emv.graph.on_device import on_host
from emv.tracebacks import ends_at_caller
from emv.viz.layout import Layout, is_whole
from emv.viz.page import framed_page, page_of
from emv.viz.picture import Picture, names_of
from emv.viz.plot import draw_picture
from emv.viz.values import values_of

METHOD, ROUNDS, NEAR_ROUNDS = "forceatlas2", 100, 50


class View:
    """A picture of a graph, and of what is near some vertex of it.

    Parameters
    ----------
    graph : Graph
        Whichever way its edges lead.
    color, size : str, array or Run, optional
        What colours and sizes tell: a column of vertices, an algorithm that wants nothing but the
        graph, such as ``"pagerank"``, a value for each vertex, or a run that gave one. By default
        all have one colour, and sizes tell the degrees.
    values : dict, optional
        More of them by name, to choose from in a page, or by `color` and `size`.
    labels : list of str, optional
        What vertices are called; by default the graph's labels, or ids.
    pos : float[num_vertices, 2] or str, optional
        Where they lie, or begin where `iterations` are given; by default what `layout` finds by
        ForceAtlas2 in 100 rounds.
    **layout
        Of `layout`, for the whole graph: ``method``, ``iterations``, ``weight``, ``seed``,
        ``theta``, ``backend`` and the method's own.

    Raises
    ------
    ArgumentError
        If there is no such column or algorithm, or not a value or a name for each vertex.

    Examples
    --------
    >>> from emv import Graph
    >>> import emv
    >>> path = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4])
    >>> view = emv.viz.view(path, iterations=2, backend="python")
    >>> view.drill_down(3, hops=1).ids
    array([2, 3, 4])
    >>> view.drill_up().ids
    array([0, 1, 2, 3, 4])
    """

    def __init__(
        self,
        graph: Graph,
        *,
        color: str | ArrayLike | None = None,
        size: str | ArrayLike | None = None,
        values: Mapping[str, ArrayLike] | None = None,
        labels: ArrayLike | None = None,
        pos: ArrayLike | None = None,
        **layout: Any,
    ) -> None:
        rounds = ROUNDS if pos is None or isinstance(pos, str) else 0
        self._layout: dict[str, Any] = {"method": METHOD, "iterations": rounds, **layout}
        if pos is not None:
            self._layout["pos"] = pos
        shown = {name: values_of(graph, each, name) for name, each in (values or {}).items()}
        chosen: dict[str, str | None] = {"color": None, "size": None}
        for use, given, name in (("color", color, "value"), ("size", size, "size")):
            if isinstance(given, str) and given in shown:
                chosen[use] = given
            elif given is not None:
                found = values_of(graph, given, name)
                shown[found.name] = found
                chosen[use] = found.name
        names = names_of(graph, labels)
        made = Layout(graph, **self._layout)
        where = made.step(made.iterations).positions
        ids = np.arange(graph.num_vertices)
        self._seen = [Picture(graph, ids, where, shown, chosen["color"], chosen["size"], names)]

    @property
    def picture(self) -> Picture:
        """What is seen now."""
        return self._seen[-1]

    @property
    def graph(self) -> Graph:
        """The graph that is seen now."""
        return self.picture.graph

    @property
    def ids(self) -> NDArray[np.int64]:
        """What its vertices are called in the whole graph, ``int64[num_vertices]``."""
        return self.picture.ids

    @property
    def positions(self) -> NDArray[np.float32]:
        """Where its vertices lie, ``float32[num_vertices, 2]``."""
        return self.picture.positions

    @ends_at_caller
    def drill_down(self, v: int, hops: int = 2) -> View:
        """See what is near a vertex, and return the same view.

        Parameters
        ----------
        v : int
            Its id in the whole graph; it must be seen now.
        hops : int
            How many edges away, whichever way they lead.

        Raises
        ------
        ArgumentError
            If there is no such vertex in what is seen, or `hops` is below 0.
        """
        if not is_whole(hops):
            raise ArgumentError(f"drill_down(): hops={hops!r}", remedy="Give a number from 0 on.")
        wide = self.picture
        place = int(np.searchsorted(wide.ids, v))
        if place == len(wide.ids) or wide.ids[place] != v:
            raise ArgumentError(
                f"drill_down(): vertex {v!r} is not in the picture",
                remedy="Give one of view.ids, or go up first: view.drill_up().",
            )
        seen = wide.graph.both_ways()
        depth = k_hop.run(seen, place, hops, backend=self._layout.get("backend")).result
        near = np.flatnonzero(on_host(depth) >= 0)
        graph = wide.graph.subgraph(near)
        moving = Layout(graph, **self._of_part(near))
        positions = moving.step(moving.iterations).positions
        self._seen.append(wide.part(near, graph, positions, int(v), hops))
        return self

    def _of_part(self, near: NDArray[np.int64]) -> dict[str, Any]:
        """Return how a part is laid out: from where its vertices are, in few rounds."""
        part: dict[str, Any] = self._layout | {"pos": self.positions[near]}
        part["iterations"] = min(NEAR_ROUNDS, part["iterations"])
        if not isinstance(part.get("weight"), str | None):
            part["weight"] = None  # an array is of all edges
        part.pop("fixed", None)
        return part

    def drill_up(self) -> View:
        """See again what was seen before, and return the same view.

        Raises
        ------
        ArgumentError
            If the whole graph is seen already.
        """
        if len(self._seen) == 1:
            raise ArgumentError("drill_up(): this is the whole graph", remedy="Go down first.")
        self._seen.pop()
        return self

    @ends_at_caller
    def draw(self, path: Any = None, **named: Any) -> Any:
        """Return what is seen now as a picture of matplotlib's; see `draw`."""
        return draw_picture(self.picture, path, **named)

    @ends_at_caller
    def html(self, path: str | Path | None = None, title: str = "Graph") -> str:
        """Return what is seen now as a page for a browser, all in one text.

        It asks for nothing from a network. One can pan, zoom, search, see what is near a vertex,
        choose what colours and sizes tell, and save a picture; keys are listed behind ``?``.

        Parameters
        ----------
        path : str or Path, optional
            The file to write it to, too.
        title : str
            Above the picture.

        Raises
        ------
        ArgumentError
            If there is more than a browser can be expected to show.
        """
        text = page_of(self.picture, title)
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    def _repr_html_(self) -> str:
        """Return the page in a frame, as notebooks show it."""
        return framed_page(self.html())

    def __repr__(self) -> str:
        seen = self.picture
        what = f"{seen.graph.num_vertices:,} vertices, {seen.graph.num_edges:,} edges"
        around = f", {seen.hops} hops around {seen.center}" if seen.center >= 0 else ""
        return f"View({what}{around})"


def view(graph: Graph, **named: Any) -> View:
    """Return a picture of a graph to look around in; parameters are those of `View`.

    Examples
    --------
    >>> import emv
    >>> from emv import Graph
    >>> emv.viz.view(Graph.from_edges([0, 1], [1, 2]), iterations=1, backend="python")
    View(3 vertices, 2 edges)
    """
    return View(graph, **named)
