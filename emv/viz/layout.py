"""Where the vertices of a picture lie: layouts by forces, round by round.

`layout` does as many rounds as it is told; a `Layout` does one when it is asked, for pictures that
move. Forces and moves are programs of the language (`emv.viz.forces`). In pictures of few vertices
all push all others; in larger ones groups that are far away push as one, by a tree that is built
anew in every round (Barnes and Hut, Nature 324, 1986; `emv_kernels.cpu.repulsion`, and `.cuda`).
Every vertex adds up its forces in one order, so a seed gives one picture on any number of threads.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emv.errors import ArgumentError, ColumnError, did_you_mean
from emv.graph import Graph
from emv.graph.on_device import on_host
from emv.lang.draws import Rng, seed_of
from emv.tracebacks import ends_at_caller
from emv.viz.bodies import Bodies
from emv.viz.movers import METHODS, Atlas, Mover, Springs
from emv.viz.starts import anywhere, by_pivots

EXACT = 1024  # vertices up to which all look at all, unless `theta` says otherwise
THETA = 0.8
STARTS = ("pivots", "random")
WARM = 0.02  # of the unit square: how far vertices go at first that begin by pivots
ROOM = 10.0  # ForceAtlas2 begins in a square of so much times the root of the number of vertices


class Layout:
    """A picture whose vertices move by forces, a round at a time.

    Parameters
    ----------
    graph : Graph
        An edge pulls at both ends, whichever way it leads.
    method : {"fruchterman_reingold", "forceatlas2"}
        By which forces.
    iterations : int
        How many rounds there will be: the temperature of the first method falls until then.
    pos : float[num_vertices, dim] or {"pivots", "random"}
        Where vertices begin: by default where 32 breadth-first searches put them, so that few
        rounds do; see `emv.viz.starts`.
    fixed : bool[num_vertices] or int[n], optional
        Vertices that do not move: a truth value for each, or ids. `pos` must say where they are.
    weight : str, number or array, optional
        How strong edges are, 0 or more: a column's name, or ``any[num_edges]``; by default all 1.
    dim : {2, 3}
        A plane or a space.
    theta : float, optional
        0: all vertices look at all others. Up to below 1: how wide a group of vertices may look
        that pushes as one. By default 0 for up to 1,024 vertices, else 0.8, with which forces are
        within a hundredth.
    rng : int, Generator, BitGenerator, SeedSequence or None
        Of random places.
    backend : str, optional
        Where to run; by default where the graph lies.
    **options
        Of Fruchterman and Reingold: ``k``, the length of an edge that nothing else pulls at, by
        default the root of the unit square's area per vertex; ``temperature``, how far a vertex
        goes at most in the first round, by default 0.1 of the picture's width, or 0.02 where it
        begins by pivots.
        Of ForceAtlas2, as in networkx and Gephi: ``scaling_ratio=2.0``, how strongly vertices push;
        ``gravity=1.0``, how strongly all are drawn to the origin; ``strong_gravity=False``, in
        proportion to the distance; ``distributed_action=False``, divide what a vertex is drawn with
        by its degree and 1; ``linlog=False``, draw with the logarithm of the distance;
        ``jitter_tolerance=1.0``, how much vertices may swing.

    Raises
    ------
    ArgumentError
        If an argument is none of these.
    ColumnError
        If the graph lacks the column asked for, or there are not as many numbers as edges.

    Examples
    --------
    >>> from emv import Graph
    >>> square = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0])
    >>> moving = Layout(square, backend="python")
    >>> moving.step().positions.shape, moving.rounds
    ((4, 2), 1)
    """

    def __init__(
        self,
        graph: Graph,
        method: str = "fruchterman_reingold",
        *,
        iterations: int = 50,
        pos: str | ArrayLike = "pivots",
        fixed: ArrayLike | None = None,
        weight: str | ArrayLike | None = None,
        dim: int = 2,
        theta: float | None = None,
        rng: Rng = 0,
        backend: str | None = None,
        **options: Any,
    ) -> None:
        self._mover = mover_of(method, options)
        demand(is_whole(iterations), f"iterations={iterations!r}", "Give a whole number from 0 on.")
        demand(dim in (2, 3), f"dim={dim!r}", "Give 2 or 3.")
        if theta is None:
            theta = 0.0 if graph.num_vertices <= EXACT else THETA
        demand(0 <= theta < 1, f"theta={theta!r}", "Give a number from 0 to below 1.")
        mask = None if fixed is None else mask_of(graph, fixed, pos)
        strengths = None if weight is None else strengths_of(graph, weight)
        places = self._begin(graph, pos, dim, seed_of("layout(): rng=", rng), backend)
        mass = np.ones(graph.num_vertices, np.float32)
        if isinstance(self._mover, Atlas):
            mass += graph.both_ways().out_degrees()
        self._bodies = Bodies.at(
            places,
            graph,
            mass=mass,
            weight=strengths,
            fixed=mask,
            theta=float(theta),
            backend=backend,
        )
        self.dim, self.iterations, self.rounds = dim, iterations, 0

    def _begin(
        self, graph: Graph, pos: str | ArrayLike, dim: int, seed: int, backend: str | None
    ) -> NDArray[np.float64]:
        """Return where vertices begin, ``float64[num_vertices, dim]``."""
        if not isinstance(pos, str):
            return given_places(pos, (graph.num_vertices, dim))
        words = ", ".join(map(repr, STARTS))
        demand(pos in STARTS, f"pos={pos!r}", f"Give {words}, or an array of places.")
        if pos == "random" or graph.num_vertices <= dim:
            places = anywhere(graph.num_vertices, dim, seed)
        else:
            places = by_pivots(graph, dim, seed, backend)
            if isinstance(self._mover, Springs) and self._mover.temperature is None:
                self._mover.temperature = WARM
        if isinstance(self._mover, Atlas):  # gravity draws to the origin
            places = (places - 0.5) * ROOM * np.sqrt(graph.num_vertices)
        return places

    @property
    def positions(self) -> NDArray[np.float32]:
        """Where the vertices are, ``float32[num_vertices, dim]``, on the host."""
        return np.stack([on_host(each) for each in self._bodies.place[: self.dim]], axis=1)

    def step(self, rounds: int = 1) -> Layout:
        """Do some rounds, and return the same layout.

        Behind `iterations` rounds the temperature stays as it was in the last.
        """
        demand(is_whole(rounds), f"rounds={rounds!r}", "Give a whole number from 0 on.")
        for _ in range(rounds if self._bodies.graph.num_vertices else 0):
            self._mover.move(self._bodies, self.iterations)
            self.rounds += 1
        return self


@ends_at_caller
def layout(
    graph: Graph,
    method: str = "fruchterman_reingold",
    *,
    iterations: int = 50,
    pos: str | ArrayLike = "pivots",
    fixed: ArrayLike | None = None,
    weight: str | ArrayLike | None = None,
    dim: int = 2,
    theta: float | None = None,
    rng: Rng = 0,
    backend: str | None = None,
    **options: Any,
) -> NDArray[np.float32]:
    """Return where the vertices of a graph lie in a picture of it.

    Parameters are those of `Layout`.

    Returns
    -------
    float32[num_vertices, dim]
        In the unit of the edges' length.

    Raises
    ------
    ArgumentError
        If an argument is none that there is.
    ColumnError
        If the graph lacks the column asked for, or there are not as many numbers as edges.

    Notes
    -----
    O(num_vertices^2 + num_edges) a round where all look at all, O(num_vertices log(num_vertices) +
    num_edges) with a tree. networkx: ``spring_layout(G, method="force")`` and
    ``forceatlas2_layout``; there vertices go as far as the temperature also where the force is
    smaller, and the speed of the latter is chosen in another way.

    References
    ----------
    .. [1] Fruchterman, Reingold: Graph Drawing by Force-directed Placement, Software: Practice and
       Experience 21(11), 1991.
    .. [2] Jacomy, Venturini, Heymann, Bastian: ForceAtlas2, PLoS ONE 9(6), 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from emv import Graph
    >>> from emv.viz import layout
    >>> pair = Graph.from_edges([0], [1])
    >>> one, other = layout(pair, iterations=100, k=1.0, backend="python")
    >>> round(float(np.linalg.norm(one - other)), 2)
    1.0
    """
    made = Layout(
        graph,
        method,
        iterations=iterations,
        pos=pos,
        fixed=fixed,
        weight=weight,
        dim=dim,
        theta=theta,
        rng=rng,
        backend=backend,
        **options,
    )
    return made.step(iterations).positions


def mover_of(method: str, options: dict[str, Any]) -> Mover:
    """Return what moves vertices by a method, or say which methods and options there are."""
    words = ", ".join(map(repr, METHODS))
    demand(method in METHODS, f"method={method!r}", f"Give {words}.")
    kind = METHODS[method]
    there = list(inspect.signature(kind).parameters)
    for name, value in options.items():
        if name not in there:
            raise ArgumentError(
                f"{method} has no option {name!r}.{did_you_mean(name, there)}",
                remedy=f"There are: {', '.join(there)}.",
            )
        is_switch = isinstance(getattr(kind, name), bool)
        if is_switch:
            demand(isinstance(value, bool), f"{name}={value!r}", "Give True or False.")
        elif value is not None:
            is_number = isinstance(value, int | float | np.number) and 0 <= value < np.inf
            above_0 = is_number and (value > 0 or name in ("gravity", "scaling_ratio"))
            demand(bool(above_0), f"{name}={value!r}", "Give a number above 0.")
    return kind(**options)


def given_places(pos: ArrayLike, shape: tuple[int, int]) -> NDArray[np.float64]:
    """Return places as they were given, or say what is wrong with them."""
    given = np.asarray(on_host(pos), np.float64)
    demand(given.shape == shape, f"pos has the shape {given.shape}", f"Give float{list(shape)}.")
    demand(bool(np.isfinite(given).all()), "pos has NaN or infinity", "Give numbers.")
    return given


def mask_of(graph: Graph, fixed: ArrayLike, pos: str | ArrayLike) -> NDArray[np.bool_]:
    """Return who is fixed as a truth value for each vertex."""
    demand(not isinstance(pos, str), "fixed vertices have no places", "Say where by pos=.")
    given = np.asarray(on_host(fixed))
    count = graph.num_vertices
    if given.dtype == bool:
        demand(given.shape == (count,), f"fixed has the shape {given.shape}", f"Give [{count}].")
        return given
    ids = given.reshape(-1)
    is_there = ids.size == 0 or (ids.dtype.kind in "iu" and 0 <= ids.min() <= ids.max() < count)
    demand(bool(is_there), f"fixed={fixed!r}", f"Give ids of vertices, below {count}.")
    mask = np.zeros(count, bool)
    mask[ids.astype(np.int64)] = True
    return mask


def strengths_of(graph: Graph, weight: str | ArrayLike) -> NDArray[np.float32]:
    """Return how strong edges are, ``float32[num_edges]``."""
    given = on_host(graph.edges[weight] if isinstance(weight, str) else weight)
    if given.shape not in ((), (graph.num_edges,)):
        raise ColumnError(
            f"weight has the shape {given.shape}, but there are {graph.num_edges:,} edges",
            remedy="Give one number for each edge, in the order of their ids.",
        )
    is_strength = np.isfinite(given).all() and (given >= 0).all()
    demand(bool(is_strength), "a weight is below 0, NaN or infinite", "Give numbers from 0 on.")
    return np.array(np.broadcast_to(given, graph.num_edges), np.float32)


def is_whole(value: Any) -> bool:
    """Return whether a value is a whole number from 0 on."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and bool(value >= 0)


def demand(condition: bool, what: str, remedy: str) -> None:
    """Refuse an argument."""
    if not condition:
        raise ArgumentError(f"layout(): {what}", remedy=remedy)
