"""Programs on several GPUs, each with a part of the graph: results, bytes, memory, and what fails.

Of `tests/backends`, what `tests/test_gpus.py` selects runs so, too.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from simulated_gpu import SimulatedDriver, install

import emv
from emv import Edge, Graph, Vertex, edge, f64, program, vertex
from emv.algorithms import bfs, icm, pagerank
from emv.backends.cuda.device import DEVICES
from emv.cli import main, run_command
from emv.errors import ArgumentError, BackendUnavailableError, CapacityError
from emv.graph.supersteps import Superstep
from emv.runtime import probes
from emv.runtime.arrays.available import readable
from emv.runtime.drive.early import plan_of
from emv.runtime.profile import recording
from emv.runtime.targets.division import Division
from emv.runtime.targets.fronts import STAGED
from emv.runtime.targets.gpu_division import GpuDivision
from emv.runtime.targets.gpu_resident import GpuResident
from emv.runtime.targets.grids import GridDivision
from emv.runtime.targets.hops import superstep_of

NUMBER = 3


class Place(Vertex):
    heat: f64 = 1.0
    mass: f64 = 0.0


@edge
def warm(e: Edge[Place]):
    e.send(e.src.heat / e.src.out_degree)


@vertex
def take(v: Place, heat: f64):
    v.heat = 0.1 + 0.5 * heat
    v.mass += heat


@program
def spread(g, rounds: int = 3):
    for _ in g.supersteps(rounds):
        take(g.vertices, emv.sum(warm(g.vertices)))
    return g.vertices.heat, g.vertices.mass


@pytest.fixture(autouse=True)
def drivers(monkeypatch: pytest.MonkeyPatch) -> list[SimulatedDriver]:
    found = [SimulatedDriver(ordinal=k) for k in range(NUMBER)]
    for driver in found:
        install(driver, monkeypatch)
    return found


class Line(Edge[Place]):
    weight: f64 = -2.0


@edge
def look_along(e: Line):
    pass


@program
def looked_along(g, rounds: int):
    for _ in g.supersteps(rounds):
        look_along(g.edges)
    return g.edges.weight


@edge
def take_number(e: Line):
    e.weight = 1.0 * e.id


@program
def numbered(g):
    take_number(g.edges)
    return g.edges.weight


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[Division]:
    """The divisions of the runs of a test."""
    found: list[Division] = []
    collect = Division.collect
    monkeypatch.setattr(Division, "collect", lambda run: (found.append(run), collect(run))[1])
    return found


def drawn(seed: int = 1, n: int = 30, m: int = 110, **more) -> Graph:
    rng = np.random.default_rng(seed)
    return Graph.from_edges(rng.integers(0, n, m), rng.integers(0, n, m), num_vertices=n, **more)


@pytest.mark.parametrize("gpus", [2, ["cuda:0", "cuda:0"]])
def test_pulled_float_sums_are_those_of_one_gpu_to_the_bit(gpus):
    g = drawn(directed=False)
    several = g.on("cuda", gpus=gpus, exchange="host")
    for found, one in zip(spread(several), spread(g.on("cuda")), strict=True):
        assert np.array_equal(found, one)


@pytest.mark.parametrize("place", ["cuda:0,1", "cuda:0,1/hash/host", "cuda:0,0"])
def test_columns_that_no_launch_has_made_are_there_when_a_run_is_over(place):
    g = drawn().on(place)
    for rounds in (0, 1, 0):
        assert looked_along(g, rounds).tolist() == [-2.0] * g.num_edges
        assert spread(g, 0)[0].tolist() == [1.0] * g.num_vertices


@pytest.mark.paper("S93", "S95")
def test_bytes_moved_are_replicas_times_the_width_of_what_is_read_through_the_source(runs):
    g, rounds = drawn(), 3
    wanted = spread(g.on("cuda"), rounds)
    found = spread(g.on("cuda", gpus="all", exchange="host", by="hash"), rounds)
    assert np.array_equal(found[0], wanted[0])
    replicas = int(g.parts(NUMBER, "hash").replicas[0].sum())
    (run,) = runs
    assert isinstance(run, GpuDivision)
    assert run.traffic.by_array == {"v_heat": (rounds - 1) * replicas}
    assert run.traffic.nbytes == 8 * (rounds - 1) * replicas > 0


@pytest.mark.parametrize("hops", [1, 2])
def test_a_superstep_of_a_search_by_the_host_is_one_launch(hops, monkeypatch):
    """Queues are turned by the host."""
    names, launch = [], Division.launch
    monkeypatch.setattr(
        Division, "launch", lambda run, name: (names.append(name), launch(run, name))[1]
    )
    path = Graph.from_edges(range(6), range(1, 7))
    run = bfs.run(path.on("cuda", gpus=2, exchange="host"), 0, schedule=emv.hops(hops))
    assert run.result.tolist() == [*range(7)]
    assert len(names) == 1 + run.supersteps
    assert len({*names}) == 2


@pytest.mark.parametrize("hops", [1, 2])
def test_stretches_of_rows_are_there_before_others_take_them(hops):
    """Whichever part is launched first."""
    there = np.arange(8)
    for path in (Graph.from_edges(there, there + 1), Graph.from_edges(there + 1, there)):
        place = path.on("cuda", gpus=["cuda:1", "cuda:0"], exchange="host")
        for found, one in zip(
            spread(place, 5, schedule=emv.hops(hops)), spread(path, 5), strict=True
        ):
            assert np.array_equal(found, one)


def test_edges_of_all_parts_are_there_when_a_run_is_over():
    there = np.arange(8)
    place = Graph.from_edges(there, there + 1).on("cuda", gpus=2, exchange="host")
    assert numbered(place).tolist() == [*range(8)]


def test_parts_are_told_once_who_runs_where_nothing_is_handed_on(monkeypatch):
    told, tell = [], GpuDivision.tell_running
    monkeypatch.setattr(
        GpuDivision, "tell_running", lambda run, *what: (told.append(what), tell(run, *what))[1]
    )
    g = drawn()
    place = g.on("cuda", gpus=2, exchange="host", by="hash")
    run = icm.run(place, [0, 1], p=0.9, schedule=emv.hops(2))
    assert np.array_equal(run.result, icm(g, [0, 1], p=0.9))
    assert run.supersteps > 2
    assert told == [(0, 1), (1, 1)]


def test_the_other_gpus_give_back_what_they_held(drivers):
    g = drawn()
    place = g.on("cuda", gpus=2, exchange="host")
    spread(place, 1)
    used = [DEVICES[k].pool.used_bytes for k in range(2)]
    for _ in range(2):
        spread(place, 1)
    assert [DEVICES[k].pool.used_bytes for k in range(2)] == used


@pytest.mark.paper("S90")
def test_names_of_places():
    g = drawn()
    assert g.on("cuda", gpus=1).device == "cuda:0"
    assert g.on("cuda", gpus=2).device == "cuda:0,1"
    assert g.on("cuda", gpus="all", by="hash").device == "cuda:0,1,2/hash"
    assert g.on("cuda", gpus=["cuda:2", "cuda"], exchange="host").device == "cuda:2,0/ranges/host"
    assert g.on("cuda", gpus="auto").device == "cuda:0"  # so small a graph
    assert bfs.run(g.on("cuda:0,1/ranges/host"), 0).backend == "cuda:0,1/ranges/host"


@pytest.mark.parametrize(
    ("device", "options", "error", "said"),
    [
        ("cuda", {"gpus": 4}, BackendUnavailableError, "gpus=4: there are 3 GPUs"),
        ("cuda", {"gpus": 0}, ArgumentError, "gpus=0 is not from 1"),
        ("cuda", {"gpus": "both"}, ArgumentError, "gpus='both' is neither a number"),
        ("cuda", {"gpus": ["cuda:0", "gpu1"]}, ArgumentError, "'gpu1' is no GPU"),
        ("cuda", {"gpus": []}, ArgumentError, "gpus=0 is not from 1"),
        ("cpu", {"gpus": 2}, ArgumentError, "several GPUs are asked for on 'cuda'"),
        ("cuda:1", {"gpus": 2}, ArgumentError, "several GPUs are asked for on 'cuda'"),
        ("cuda", {"gpus": 2, "parts": 2}, ArgumentError, "one part for each that is named"),
        ("cuda", {"exchange": "host"}, ArgumentError, "Give gpus="),
        ("cuda", {"gpus": 2, "exchange": "hosts"}, ArgumentError, "Did you mean 'host'"),
    ],
)
def test_what_is_no_way_to_name_gpus_is_refused(device, options, error, said):
    with pytest.raises(error, match=said):
        drawn().on(device, **options)


def test_a_gpu_that_is_not_there_is_told_when_a_program_runs():
    with pytest.raises(BackendUnavailableError):
        bfs(drawn().on("cuda", gpus=["cuda:0", "cuda:7"]), 0)


def test_streams_are_of_one_gpu():
    with pytest.raises(ArgumentError, match="stream= is for one GPU"):
        bfs(drawn().on("cuda", gpus=2), 0, stream=1)


def test_the_memory_plan_counts_every_gpu():
    g = drawn()
    one, two, shared = (
        spread.memory_plan(g.on("cuda", gpus=gpus)) for gpus in (1, 2, ["cuda:2", "cuda:2"])
    )
    assert [*one.by_device] == ["cuda:0"]
    assert [*two.by_device] == ["cuda:0", "cuda:1"]
    assert two.peak_bytes == sum(two.by_device.values())
    arcs = {
        label: 4 * number for label, number in zip(two.by_device, g.parts(2).arcs[0], strict=True)
    }
    for label, nbytes in arcs.items():  # each index array of arcs is at least so long
        more = 5 * 512  # readers, in two orders, a box of two blocks, and half blocks
        assert nbytes < two.by_device[label] <= one.peak_bytes + more
    assert "of that on cuda:1" in str(two)
    assert shared.by_device["cuda:2"] == two.peak_bytes  # of both, one behind the other
    assert "part 1 on cuda:2: columns" in str(shared)


def test_the_gpu_that_is_too_small_is_named_before_anything_is_allocated(drivers):
    g = drawn()
    two = g.on("cuda", gpus=2)
    drivers[1].total = spread.memory_plan(two).by_device["cuda:1"] - 1
    before = drivers[0].allocated_bytes
    with pytest.raises(CapacityError, match="are free on cuda:1"):
        spread(two)
    assert drivers[0].allocated_bytes == before
    spread(g.on("cuda", gpus=["cuda:0", "cuda:2"]), 1)


def test_explain_and_profile_say_what_is_handed_on(monkeypatch):
    monkeypatch.setattr(recording, "device_copy_bandwidth", lambda device: 1e9)
    g = drawn()
    rows = int(g.parts(2).replicas[0].sum())
    two = g.on("cuda", gpus=2, exchange="host")
    assert f"{8 * rows:,} bytes" in spread.explain(two)
    assert f"{readable(16 * rows)} from part to part in 2 exchanges" in str(spread.profile(two))


def test_what_tells_costs_of_kernels_that_meet_takes_the_forms_that_programs_do():
    place = drawn().on("cuda", gpus=["cuda:0", "cuda:0"], exchange="peer")
    sums = str(program(probes.probe).explain(place, **probes.NONE))
    assert sums.count("its receivers make the next ones") == 2  # with an exchange, and without
    assert "first message claims seen" in str(program(probes.search).explain(place, 1))


def test_the_command_takes_gpus(monkeypatch, capsys):
    path = Graph.from_edges(range(5), range(1, 6))
    monkeypatch.setattr(run_command, "read_graph", lambda options: (path, 0.0))
    options = ["--device", "cuda", "--gpus", "2", "--by", "hash"]
    assert main(["run", "bfs", "a.csv", "--source", "0", *options]) == 0
    assert "bfs on cuda:0,1/hash: 6 supersteps" in capsys.readouterr().out


def test_what_a_superstep_of_kernels_that_meet_does():
    """A search claims and hands on nothing; of a sum for all, receivers make what it returns."""
    place = drawn().on("cuda", gpus=["cuda:0", "cuda:0"], exchange="peer")

    def does(page, *args):
        engine, call = page._shown(place, args, {}, None, None)
        return superstep_of(
            plan_of(engine.compiled(call.graph, call.arguments, call.target.kind), call)
        )

    none = Superstep(arrays=0, row_bytes=0, sweeps=0.0, visits=0.0, meets=True)
    fronts = replace(none, joins=1, active=1, guarded=True)
    assert does(bfs, 0) == replace(fronts, claims=True)
    assert does(icm, 0) == replace(fronts, draws=1.0)
    pulls = replace(none, arrays=1, row_bytes=4, sweeps=1.0, pulls=1, visits=1.0)
    assert does(pagerank) == replace(pulls, sums=2, stretches=STAGED)


@pytest.mark.parametrize("exchange", ["host", "peer"])
def test_all_gpus_are_told_that_a_run_is_left(drivers, monkeypatch, exchange):
    """The first is waited for; the others may wait for it, or work for long."""
    several, told = drawn().on("cuda", gpus=["cuda:0", "cuda:1"], exchange=exchange), []
    right, pause = spread(several), GpuResident.pause

    def noted(resident):
        told.append(resident.device.ordinal)
        pause(resident)

    def interrupted(stream):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(GpuResident, "pause", noted)
        patch.setattr(drivers[0], "is_done", interrupted)
        with pytest.raises(KeyboardInterrupt):
            spread(several)
    assert {*told} == {0, 1}
    for found, wanted in zip(spread(several), right, strict=True):
        assert np.array_equal(found, wanted)


def test_kernels_that_meet_begin_when_all_are_on_their_streams(monkeypatch, drivers):
    place, seen = Graph.from_edges([0, 1, 2], [1, 2, 3]).on("cuda", gpus=2), []
    spread(place)
    for each in drivers:
        each.calls.clear()
    let_go = GridDivision.let_go

    def noted(run):
        calls = [[call[0] for call in each.calls] for each in drivers[:2]]
        seen.append([[call for call in each if call in ("hold", "launch")] for each in calls])
        let_go(run)

    monkeypatch.setattr(GridDivision, "let_go", noted)
    spread(place)
    assert seen == [[["hold", "launch"]] * 2]
