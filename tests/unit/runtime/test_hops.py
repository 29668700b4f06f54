"""Several hops of replicas: who is handed what, and when; what runs in each stage; the model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from interpreted_cpu import interpreted

import emv
from emv import Edge, EdgeList, Graph, Vertex, edge, elist, f64, program, vertex
from emv.algorithms import bfs, pagerank, sssp
from emv.errors import ArgumentError
from emv.graph.slices import BEYOND
from emv.graph.supersteps import TERMS, Costs, Superstep
from emv.runtime.targets import costs as costs_at
from emv.runtime.targets.division import Division
from emv.runtime.targets.fronts import search_of

NUM_PARTS, ROUNDS = 4, 17
NOTHING = Costs(0.0, 0.0, 0.0, 0.0, np.inf)


class Place(Vertex):
    heat: f64 = 1.0


@edge
def warm(e: Edge[Place]):
    e.send(e.src.heat / e.src.out_degree)


@vertex
def take(v: Place, heat: f64):
    v.heat = 0.1 + 0.5 * heat
    return v.heat


@program
def spread(g, rounds: int = ROUNDS):
    total = 0.0
    for _ in g.supersteps(rounds):
        total = emv.total(take(g.vertices, emv.sum(warm(g.vertices))))
    return g.vertices.heat, total


@elist
def tell(v: Place, links: EdgeList[Edge[Place]]):
    v.send(v.heat)


@vertex
def cool(v: Place):
    v.heat -= 0.5


@program
def told(g):
    for _ in g.supersteps(5):
        sent = tell(g.vertices)
        cool(sent.receivers)
        take(g.vertices, emv.sum(sent))
    return g.vertices.heat


class Lit(Edge[Place]):
    glow: f64 = 0.0


@edge
def light(e: Lit):
    e.glow = e.src.heat


@program
def lit(g):
    light(g.edges)
    return g.edges.glow


@pytest.fixture(autouse=True)
def quick() -> Iterator[None]:
    with interpreted():
        yield


@pytest.fixture
def stages(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, bool]]:
    """Up to which level the elements of each launch ran, and whether rows were handed on."""
    found: list[tuple[int, bool]] = []
    run = Division.run_up_to

    def noted(division: Division, level: int) -> None:
        run(division, level)
        moved = division.traffic.exchanges
        found.append((level, moved > getattr(division, "moved_before", 0)))
        division.moved_before = moved

    monkeypatch.setattr(Division, "run_up_to", noted)
    return found


def drawn(n: int = 60, m: int = 130, directed: bool = True) -> Graph:
    rng = np.random.default_rng(6)
    ends = rng.integers(0, n, (2, m))
    return Graph.from_edges(*ends, num_vertices=n, directed=directed, weight=rng.random(m))


def grid(side: int) -> Graph:
    vertices = np.arange(side * side).reshape(side, side)
    src = np.concatenate([vertices[:, :-1].ravel(), vertices[:-1].ravel()])
    dst = np.concatenate([vertices[:, 1:].ravel(), vertices[1:].ravel()])
    return Graph.from_edges(src, dst, directed=False)


@pytest.mark.paper("S96", "S97")
@pytest.mark.parametrize("hops", [1, 2, 3, 4])
def test_rounds_of_stages_of_which_each_leaves_out_a_hop(hops, stages):
    g = drawn()
    found = spread(g.on("cpu", parts=NUM_PARTS, by="hash"), schedule=emv.hops(hops))
    wanted = spread(g)
    assert np.array_equal(found[0], wanted[0])
    assert found[1] == pytest.approx(wanted[1], rel=1e-14)  # own elements alone are added up
    assert [level for level, _ in stages] == [(hops - 1 - k) % hops for k in range(ROUNDS)]
    updates = [k for k, (_, moved) in enumerate(stages) if moved]
    assert updates == list(range(hops, ROUNDS, hops))  # ceil(rounds / hops) - 1 of them


@pytest.mark.paper("S98")
@pytest.mark.parametrize("rounds", [1, 2, 3, 5])
def test_a_run_that_ends_within_a_round_gives_what_owners_have(rounds):
    g = drawn(directed=False)
    found = spread(g.on("cpu", parts=3, by="hash"), rounds, schedule=emv.hops(4))
    assert np.array_equal(found[0], spread(g, rounds)[0])


@pytest.mark.paper("S96")
@pytest.mark.parametrize("hops", [2, 3])
def test_traversals_and_sums_that_end_a_loop(hops):
    g = drawn()
    place = g.on("cpu", parts=3, by="hash")
    assert np.array_equal(bfs(place, 0, schedule=emv.hops(hops)), bfs(g, 0))
    assert np.array_equal(sssp(place, 0, schedule=emv.hops(hops)), sssp(g, 0))
    run = pagerank.run(place, schedule=emv.hops(hops))
    assert run.supersteps == pagerank.run(g).supersteps
    assert run.result == pytest.approx(pagerank(g), rel=1e-12)


def test_who_received_is_known_of_own_vertices_alone():
    g = drawn()
    place = g.on("cpu", parts=3, by="hash")
    assert np.array_equal(told(place, schedule=emv.hops(3)), told(g))


@pytest.mark.paper("S103")
@pytest.mark.parametrize("seed", range(4))
def test_who_gives_and_who_takes_which_rows(seed, monkeypatch):
    rng, hops = np.random.default_rng(seed), 1 + seed % 3
    g = Graph.from_edges(*rng.integers(0, 20, (2, 40)), num_vertices=20, directed=seed < 2)
    owner = rng.integers(0, 3, 20)
    found: list[Division] = []
    monkeypatch.setattr(Division, "collect", lambda division: found.append(division))
    spread(g.on("cpu", parts=3, by=owner), 1, schedule=emv.hops(hops))
    gives, takes, places = found[0].exchanged(hops)
    src, dst = (ends.tolist() for ends in g.arcs())
    for part in range(3):
        level = {v: 0 for v in range(20) if owner[v] == part}
        for hop in range(1, hops + 1):
            new = {u for u, v in zip(src, dst, strict=True) if v in level} - level.keys()
            level |= dict.fromkeys(new, hop)
        wanted = sorted(v for v, hop in level.items() if hop)
        assert takes[part].tolist() == wanted
        assert np.concatenate(gives)[places[part]].tolist() == wanted
        assert (owner[gives[part]] == part).all()
        levels = found[0].rounds.levels[part]
        assert {v: hop for v, hop in enumerate(levels.tolist()) if hop < BEYOND} == level
    assert sorted(np.concatenate(gives)) == sorted({*np.concatenate(takes).tolist()})


@pytest.mark.paper("S99")
def test_the_model_is_its_formula_written_out():
    parts = drawn().parts(3, "hash", hops=3)
    costs = Costs(
        arc_s=2.0,
        vertex_s=3.0,
        launch_s=5.0,
        latency_s=7.0,
        bytes_per_s=0.5,
        level_s=11.0,
        joined_s=13.0,
        joined_vertex_s=17.0,
        sum_s=19.0,
        walked_s=23.0,
        pull_s=29.0,
        active_s=31.0,
        crowd_s=41.0,
        phase_s=43.0,
        drawn_s=47.0,
        step_s=53.0,
        start_s=37.0,  # of a run, and of no superstep
    )
    does = Superstep(
        calls=2,
        joins=1,
        arrays=3,
        row_bytes=4,
        sweeps=0.25,
        sums=2,
        pulls=1,
        active=1,
        visits=1.5,
        walks=0.5,
        moved=0.25,
        draws=0.125,
        crowd=1,
        phases=3,
        stretches=2.0,
    )
    for hops in (1, 2, 3):
        spent = 3 * 7.0 + hops * (2 * 5.0 + 13.0 + 2 * 19.0 + 29.0 + 31.0 + 41.0 + 3 * 43.0)
        spent += 11.0 * hops if hops > 1 else 0.0
        for level in range(hops):
            arcs, held = parts.arcs[level], parts.vertices + parts.replicas[:level].sum(axis=0)
            spent += max(arcs) * (0.25 * 2.0 + 0.5 * 23.0 + 0.125 * 47.0)
            spent += max(held) * 1.75 * 3.0 + 2.0 * max(parts.stretches[level]) / 32 * 53.0
            spent += sum(held) * 0.25 * 17.0
        spent += 4 * parts.replicas[:hops].sum(axis=0).max() / 0.5
        assert parts.seconds(costs, does)[hops - 1] == pytest.approx(spent / hops)


@pytest.mark.paper("S99")
def test_hops_are_taken_where_an_exchange_costs_much_and_neighbourhoods_grow_slowly(monkeypatch):
    slow = Costs(arc_s=1e-7, vertex_s=1e-8, launch_s=1e-6, latency_s=40e-6, bytes_per_s=1e9)
    fast = Costs(arc_s=1e-10, vertex_s=1e-10, launch_s=1e-6, latency_s=1e-9, bytes_per_s=1e12)
    road, skewed = grid(40), emv.generators.rmat(2**9, 2**12, rng=1)
    chosen = {}
    for name, costs in (("slow", slow), ("fast", fast)):
        monkeypatch.setattr(costs_at, "PROBES", [lambda *place, costs=costs: costs])
        for graph in (road, skewed):
            place = graph.on("cpu", parts=2)
            said = str(spread.explain(place, schedule=emv.hops("auto")))
            assert "predicted us a superstep with 1, 2 ... hops: " in said
            chosen[name, graph is road] = "handed on every" in said
            seconds = graph.parts(2, hops=4).seconds(costs, Superstep(pulls=1, sums=1))
            assert chosen[name, graph is road] == (np.argmin(seconds) > 0)
    assert chosen == {("slow", True): True, ("slow", False): False} | {
        ("fast", True): False,
        ("fast", False): False,
    }


@pytest.mark.paper("S99")
def test_a_search_is_predicted_by_one_from_the_vertex_with_the_most_arcs(monkeypatch):
    costs = replace(NOTHING, latency_s=1e-4, walked_s=1e-6)
    monkeypatch.setattr(costs_at, "PROBES", [lambda *place: costs])
    for graph, takes_hops in ((grid(40), True), (emv.generators.rmat(2**9, 2**12, rng=1), False)):
        degrees = graph.layouts.degrees("out")
        depth = np.asarray(bfs(graph, int(degrees.argmax())))
        assert np.array_equal(search_of(graph), depth)
        said = str(bfs.explain(graph.on("cpu", parts=2), 0, schedule=emv.hops("auto")))
        assert ("handed on every" in said) == takes_hops
        walked = graph.parts(2).arcs[0].max() * degrees[depth >= 0].sum() / graph.num_arcs
        seconds = 1e-6 * walked / (depth.max() + 1) + 1e-4
        assert f"with 1, 2 ... hops: {1e6 * seconds:.3g}, " in said


@pytest.mark.paper("S99")
def test_where_nothing_is_handed_on_no_round_ends():
    parts, does = drawn().parts(3, "hash", hops=3), Superstep(arrays=0, row_bytes=0)
    each = parts.amounts(does)
    for hops in (1, 2, 3):
        assert dict(zip(TERMS, each[hops - 1], strict=True))["arc"] == parts.arcs[hops - 1].max()
        run = dict(zip(TERMS, parts.amounts_of_run([does] * 5, hops), strict=True))
        assert run["arc"] == 5 * parts.arcs[hops - 1].max()
        assert run["level"] == int(hops > 1)  # once, in the beginning
        assert run["latency"] == run["byte"] == 0


@pytest.mark.parametrize("number", [0, 65, True, 1.5, "atuo"])
def test_what_is_no_number_of_hops(number):
    with pytest.raises(ArgumentError, match=r"hops\(\): a whole number from 1 to 64"):
        emv.hops(number)


def test_where_there_are_no_parts_or_edges_change_there_are_no_hops():
    with pytest.raises(ArgumentError, match="the graph is not in parts"):
        spread(drawn(), schedule=emv.hops(2))
    with pytest.raises(ArgumentError, match="it changes the edge column glow"):
        lit(drawn().on("cpu", parts=2), schedule=emv.hops(2))
    with pytest.raises(ArgumentError, match="keeps its replicas in one way"):
        spread(drawn().on("cpu", parts=2), schedule={"warm": emv.hops(2)})
