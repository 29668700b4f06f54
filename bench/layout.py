"""How long layouts take, how good they are, and where a round of one spends its time on a GPU.

Usage: python -m bench.layout quality --vertices 1000000 --edges 10000000 --rounds 500 --device cuda
       python -m bench.layout quality --graph tests/data/mtx/netscience.mtx --rounds 200 --drl
       python -m bench.layout phases --vertices 1000000 --edges 10000000
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import shortest_path

import emv
from bench.study import Row, run
from bench.timing import call_ms, ms_of, timed
from emv import Graph
from emv.algorithms import bfs
from emv.config import config
from emv.graph.on_device import lies_on_device
from emv.viz import Layout
from emv.viz.starts import PIVOTS, by_pivots, distances, projected

PAIRS = 200_000
METHODS = ("fruchterman_reingold", "forceatlas2")
LEAVES = (8, 16, 32)
NEAR = 1e-4


def graph_of(graph: str, kind: str, vertices: int, edges: int, device: str) -> Graph:
    """Return the graph of a file, or a random one with so many vertices and edges."""
    if graph:
        return emv.read(graph, directed=False)
    if kind == "rmat":
        where = device if device.startswith("cuda") else None
        return emv.generators.rmat(vertices, edges, rng=1, device=where)
    radius = float(np.sqrt(2 * edges / vertices / (np.pi * vertices)))
    return emv.generators.geometric(vertices, radius, rng=1)


def stress(graph: Graph, where: NDArray[Any], count: int = 30) -> float:
    """Return the stress of a picture, by distances from so many vertices, found by scipy."""
    if not count:
        return float("nan")
    sources = np.random.default_rng(0).permutation(graph.num_vertices)[:count]
    wanted = shortest_path(graph.to_scipy(None), directed=False, unweighted=True, indices=sources)
    ratios = []
    for source, distance in zip(sources, wanted, strict=True):
        is_other = np.isfinite(distance) & (distance > 0)
        found = np.linalg.norm(where[is_other] - where[source], axis=1)
        ratios.append(found / distance[is_other])
    ratio = np.concatenate(ratios)
    if not len(ratio) or not ratio.any():
        return float("nan")
    return float(((ratio * ratio.sum() / (ratio**2).sum() - 1) ** 2).mean())


def crossing(graph: Graph, where: NDArray[Any]) -> float:
    """Return the share of pairs of edges that cross, of some drawn at random."""
    src, dst = graph.edges.endpoints()
    one, other = np.random.default_rng(0).integers(0, len(src), (2, PAIRS))
    a, b, c, d = (where[each] for each in (src[one], dst[one], src[other], dst[other]))

    def side(p: Any, q: Any, r: Any) -> Any:
        return np.sign((q - p)[:, 0] * (r - p)[:, 1] - (q - p)[:, 1] * (r - p)[:, 0])

    cross = (side(a, b, c) * side(a, b, d) < 0) & (side(c, d, a) * side(c, d, b) < 0)
    return float(cross.mean())


def measured(graph: Graph, name: str, rounds: int, lay: Callable[[], Any], sources: int) -> Row:
    """Return what a layout takes and how good it is."""
    ms, where = timed(lay)
    each = {"ms a round": ms / rounds} if rounds else {}
    quality = {"stress": stress(graph, where, sources), "crossing": crossing(graph, where)}
    return {"name": name, "seconds": ms / 1000, "rounds": rounds, **each, **quality}


def least(driver: Any, work: Callable[[], Any]) -> Row:
    """Return the least milliseconds that work takes of a few times, and those of the host alone."""
    whole, of_host = [], []
    for _ in range(5):
        whole.append(call_ms(work, driver.synchronize_all))
        of_host.append(ms_of(work))
    return {"ms": min(whole), "of the host, ms": min(of_host)}


def push_ms(moving: Layout) -> Row:
    """Return the milliseconds in which vertices of a layout on a GPU push each other."""
    bodies = moving._bodies
    if not (bodies.theta and lies_on_device(bodies.mass)):
        return {}
    found = least(bodies.mass.device.driver, lambda: bodies.pushes(NEAR))
    return {"pushes, ms a round": found["ms"]}


def within(moving: Layout, budget: float) -> int:
    """Return how many rounds fit into so many seconds, by a few; all where there is no budget."""
    if not budget:
        return moving.iterations
    moving.step(2)
    each_ms = ms_of(lambda: [moving.step(3)]) / 3
    return max(1, min(moving.iterations, int(1000 * budget / each_ms)))


def quality(
    graph: str = "",
    kind: str = "geometric",
    vertices: int = 10_000,
    edges: int = 50_000,
    rounds: int = 100,
    device: str = "cpu",
    pos: str = "pivots",
    theta: float | None = None,
    threads: tuple[int, ...] = (config.num_threads,),
    methods: tuple[str, ...] = METHODS,
    sources: int = 30,
    budget: float = 0.0,
    drl: bool = False,
    networkx: bool = False,
) -> Iterator[Row]:
    """Time layouts from places to places, and judge the pictures.

    Of the picture the stress (Gansner, Koren, North 2004, of distances from ``--sources`` vertices,
    at the best scale; none for 0) and the share of pairs of edges, drawn at random, that cross.
    With ``--budget`` as many rounds are done as fit into so many seconds. The paper compares with
    four threads of a Xeon W3565. ``--drl`` adds igraph's drl, ``--networkx`` its spring_layout.
    """
    made = graph_of(graph, kind, vertices, edges, device)
    is_gpu = device.startswith("cuda")
    for method in methods:
        for count in (1,) if is_gpu else threads:
            name = f"{method} on {device if is_gpu else f'{count} threads'}"
            with config.using(num_threads=count):
                placed = made.on(device)
                named: dict[str, Any] = {"method": method, "theta": theta, "iterations": rounds}
                Layout(placed, pos="random", **named).step()  # compiles
                bfs(placed.both_ways(), 0)
                ms, moving = timed(functools.partial(Layout, placed, pos=pos, **named))
                begun = {"start, s": ms / 1000}
                fit = within(moving, budget)
                row = measured(
                    made, name, fit, lambda m=moving, n=fit: m.step(n).positions, sources
                )
            yield row | begun | push_ms(moving)
    if drl:
        import igraph

        g = igraph.Graph(made.num_vertices, np.stack(made.edges.endpoints(), 1).tolist())
        yield measured(made, "igraph drl", 0, lambda: np.array(g.layout_drl().coords), sources)
    if networkx:
        import networkx as nx

        G = made.to_networkx()

        def lay() -> Any:
            found = nx.spring_layout(G, iterations=rounds, method="force", seed=1)
            return np.array([found[v] for v in G])

        yield measured(made, "networkx spring_layout", rounds, lay, sources)


def pushes(moving: Layout) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the phases of pushing, by size of leaves."""
    from emv.backends.cuda.repulsion import lined_up, tree_above, walked

    bodies = moving._bodies
    mass, place = bodies.mass, bodies.place[: moving.dim]
    order, rows = lined_up(place, mass)
    yield "line up", lambda: lined_up(place, mass)
    for leaf in LEAVES:
        given = rows, mass.size, moving.dim, leaf
        walk = *tree_above(*given), rows, order, (moving.dim, bodies.theta, NEAR), leaf
        yield f"tree, leaves of {leaf}", functools.partial(tree_above, *given)
        yield f"walk, leaves of {leaf}", functools.partial(walked, *walk)
    yield "all pushes", lambda: bodies.pushes(NEAR)


def programs(moving: Layout) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the programs of a round; their profiles are printed."""
    bodies, seen = moving._bodies, []
    own = bodies.run

    def noted(program: Any, **named: Any) -> Any:
        seen.append((program, named))
        return own(program, **named)

    bodies.run = noted  # type: ignore[method-assign]
    moving.step()
    bodies.run = own  # type: ignore[method-assign]
    for program, named in seen:
        yield program.__name__, functools.partial(own, program, **named)
        print(program.profile(bodies.graph, **bodies.coordinates(), **named))


def start(graph: Graph) -> Iterator[Row]:
    """Yield what a start by pivots takes."""
    whole = graph.both_ways()
    bfs(whole, 0)  # compiles it
    found = np.tile(np.arange(graph.num_vertices, dtype=np.int32), (PIVOTS, 1))
    steps: dict[str, Callable[[], Any]] = {
        "searches": lambda: distances(whole, None),
        "one of them": lambda: bfs(whole, 0),
        "projection": lambda: projected(found, 2),
        "all": lambda: by_pivots(graph, 2, 0, None),
    }
    for name, work in steps.items():
        yield {"phase": f"a start, {name}", "ms": ms_of(work)}


def phases(
    graph: str = "",
    kind: str = "geometric",
    vertices: int = 1_000_000,
    edges: int = 10_000_000,
    rounds: int = 20,
    device: str = "cuda",
) -> Iterator[Row]:
    """Tell where a round spends its time on a GPU, in a picture that has moved for some rounds.

    Until the bodies stand in line, the tree above them, the walks over it, the programs, the host's
    part, whole rounds; before that where a start by pivots spends its seconds.
    """
    made = graph_of(graph, kind, vertices, edges, device).on(device)
    yield from start(made)
    for method in METHODS:
        moving = Layout(made, method, theta=0.8, iterations=500)
        moving.step(rounds)
        on = moving._bodies.mass.device
        whole = f"{rounds} rounds", functools.partial(moving.step, rounds)
        with on.current():
            for phase, work in itertools.chain(pushes(moving), programs(moving), [whole]):
                yield {"method": method, "phase": phase, **least(on.driver, work)}


STUDIES = (quality, phases)

if __name__ == "__main__":
    raise SystemExit(run(*STUDIES))
