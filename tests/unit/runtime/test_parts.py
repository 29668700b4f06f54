"""Runs on parts: what is handed on between them, and that nothing depends on how they are made."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from interpreted_cpu import interpreted

import emv
from emv import (
    Edge,
    EdgeList,
    Graph,
    Vertex,
    edge,
    elist,
    f64,
    i32,
    program,
    vertex,
)
from emv.algorithms import bfs, pagerank, sssp
from emv.errors import ArgumentError, GraphError
from emv.passes.needs import Right
from emv.runtime.arrays.available import readable
from emv.runtime.profile import recording
from emv.runtime.targets.division import Division


class Place(Vertex):
    heat: f64 = 1.0
    mass: f64 = 0.0
    steps: i32 = 0


@edge
def warm(e: Edge[Place]):
    e.send(e.src.heat / e.src.out_degree)


@vertex
def take(v: Place, heat: f64):
    v.heat = 0.1 + 0.5 * heat
    v.mass += heat
    v.steps += 1


@program
def spread(g, rounds: int = 5):
    for _ in g.supersteps(rounds):
        heat = emv.sum(warm(g.vertices))
        take(g.vertices, heat)
    return g.vertices.heat, g.vertices.mass, g.vertices.steps


@elist
def tell(v: Place, links: EdgeList[Edge[Place]]):
    for link in links:
        link.send(v.heat)
        v.steps += 1


@program
def told(g):
    take(g.vertices, emv.sum(tell(g.vertices)))
    return g.vertices.heat


@pytest.fixture(autouse=True)
def quick() -> Iterator[None]:
    with interpreted():
        yield


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[Division]:
    """The divisions of the runs of a test, as they were before results were gathered."""
    found: list[Division] = []
    collect = Division.collect

    def noted(division: Division) -> None:
        division.right_before = dict(division.right)
        found.append(division)
        collect(division)

    monkeypatch.setattr(Division, "collect", noted)
    return found


def drawn(seed: int = 1, n: int = 40, m: int = 150, **more) -> Graph:
    rng = np.random.default_rng(seed)
    return Graph.from_edges(rng.integers(0, n, m), rng.integers(0, n, m), num_vertices=n, **more)


@pytest.mark.paper("S93", "S95")
def test_bytes_moved_are_replicas_times_the_width_of_what_is_read_through_the_source(runs):
    g, rounds = drawn(), 5
    spread(g.on("cpu", parts=3), rounds)
    (run,) = runs
    replicas = int(g.parts(3).replicas[0].sum())
    assert replicas > 0
    assert run.traffic.by_array == {"v_heat": (rounds - 1) * replicas}
    assert run.traffic.nbytes == (rounds - 1) * replicas * 8
    assert run.right_before["v_mass"] is Right.OWNERS


@pytest.mark.paper("S95")
def test_without_the_exchange_results_are_wrong(monkeypatch):
    g = drawn()
    wanted = spread(g.on("cpu"))[0]
    bring = Division.bring

    def late(division, name, needed, **how):
        return bring(division, name, needed, **how) if needed is Right.EVERYWHERE else (0, 0)

    monkeypatch.setattr(Division, "bring", late)
    assert not np.array_equal(spread(g.on("cpu", parts=3))[0], wanted)


@pytest.mark.paper("S104", "S106")
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("number", [1, 2, 3, 8])
def test_pulled_float_sums_are_the_same_to_the_bit(number, directed):
    g = drawn(number, directed=directed)
    rng = np.random.default_rng(number)
    wanted = spread(g.on("cpu"))
    for by in ("ranges", "hash", rng.integers(0, number, 40), np.full(40, number - 1)):
        for found, one in zip(spread(g.on("cpu", parts=number, by=by)), wanted, strict=True):
            assert np.array_equal(found, one)
    assert np.array_equal(pagerank(g.on("cpu", parts=number)), pagerank(g.on("cpu")))


def test_more_parts_than_vertices_and_none_at_all():
    g = Graph.from_edges([0, 1], [1, 2])
    assert list(bfs(g.on("cpu", parts=8), 0)) == [0, 1, 2]
    nobody = Graph.from_edges([], [], num_vertices=0)
    assert len(pagerank(nobody.on("cpu", parts=3))) == 0
    assert list(bfs(Graph.from_edges([0], [0]).on("cpu", parts=2), 0)) == [0]


@pytest.mark.paper("S105")
def test_what_only_the_last_part_finds_keeps_all_running():
    path = Graph.from_edges(np.arange(20), np.arange(1, 21))
    found = bfs.run(path.on("cpu", parts=4), 0)
    one = bfs.run(path.on("cpu"), 0)
    assert list(found.result) == list(range(21))
    assert (found.stopped, found.supersteps) == (one.stopped, one.supersteps)
    assert found.backend == "cpu/4"


def test_who_goes_over_out_arcs_in_one_piece_is_run_by_all_parts():
    g = drawn()
    assert np.array_equal(told(g.on("cpu", parts=3)), told(g.on("cpu")))
    said = spread.explain(g.on("cpu", parts=3))
    own = "because each part does what concerns its own vertices, along the arcs to them"
    assert f"{own}; before it, heat from their owners\n" in said
    assert "each part runs all senders, and keeps what its own receivers are sent" in (
        told.explain(g.on("cpu", parts=3))
    )


def test_oriented_graphs_keep_the_owners_that_were_given():
    g = drawn(directed=False)
    owner = np.arange(40) % 3
    count = emv.algorithms.triangles
    assert np.array_equal(count(g.on("cpu", parts=3, by=owner)), count(g.on("cpu")))


def test_owners_that_were_given_do_not_outlive_the_edges():
    g = drawn()
    placed = g.on("cpu", parts=2, by=np.arange(40) % 2)
    pagerank(placed)
    g.add_edge(0, 1)
    with pytest.raises(GraphError, match="given for other edges"):
        pagerank(placed)


def test_what_the_caller_asks_and_parts_cannot_do_is_refused():
    with pytest.raises(ArgumentError, match="by superstep, as parts of a graph exchange"):
        sssp(drawn().on("cpu", parts=2), 0, schedule=emv.near_far(delta=2))
    assert "by superstep, as parts of a graph exchange" in sssp.explain(drawn().on("cpu/2"), 0)


@pytest.mark.parametrize("device", ["auto", "python", "cuda"])
def test_parts_are_of_the_cpu(device):
    with pytest.raises(ArgumentError, match="on the CPU that one device has parts"):
        drawn().on(device, parts=2)
    with pytest.raises(ArgumentError, match="parts=0 is not from 1"):
        drawn().on("cpu", parts=0)


def test_a_profile_says_what_was_handed_on(monkeypatch):
    monkeypatch.setattr(recording, "cpu_copy_bandwidth", lambda threads: 1e9)
    g = drawn()
    nbytes = 4 * 8 * int(g.parts(3).replicas[0].sum())
    said = str(spread.profile(g.on("cpu", parts=3)))
    each = f"{readable(nbytes // 5)} a superstep"
    assert f"cpu/3 (1 thread; {readable(nbytes)} from part to part in 4 exchanges, {each})" in said


def test_explain_says_what_is_handed_on_before_each_call():
    g = drawn()
    rows = int(g.parts(3).replicas[0].sum())
    said = spread.explain(g.on("cpu", parts=3))
    assert f"3 parts, {rows:,} replicas" in said
    (line,) = (each for each in said.splitlines() if " rows" in each)
    assert line.split() == [
        "warm_sum_take",
        "v_heat",
        f"{rows:,}",
        "rows",
        f"{8 * rows:,}",
        "bytes",
    ]
    assert "handed from part" not in spread.explain(g.on("cpu"))


def test_the_memory_plan_counts_the_columns_of_every_part():
    g = drawn()
    one, three = (spread.memory_plan(g.on("cpu", parts=k)) for k in (1, 3))
    assert one.group_bytes("other parts") == 0
    columns, space = (one.group_bytes(group) for group in ("columns", "working space"))
    assert 2 * columns < three.group_bytes("other parts") <= 2 * (columns + space)
