"""What each of several GPUs holds of a graph: its own arcs, their edges and columns, and bytes."""

from __future__ import annotations

import numpy as np
import pytest
from simulated_gpu import SimulatedDriver, install

import emv
from emv import Edge, EdgeList, Graph, Vertex, edge, elist, f64, program, vertex
from emv.algorithms import components
from emv.backends.cuda.device import DEVICES
from emv.errors import ArgumentError, GraphError
from emv.graph.slices import slice_of
from emv.runtime.arrays.index import INDEX, host_index
from emv.runtime.targets import gpu_graph

SMALL = 13_500  # bytes that do not depend on how many arcs there are
NUMBER, PLACE = 3, ["cuda:0", "cuda:1", "cuda:2"]


class Place(Vertex):
    heat: f64 = 1.0


class Wire(Edge[Place]):
    weight: f64


@edge
def warm(e: Wire):
    chance = emv.random() + e.src.out_degree + e.src.in_degree + e.dst.out_degree
    e.send(chance * e.weight * e.src.heat / (1 + e.id))


@vertex
def take(v: Place, heat: f64):
    v.heat = heat + v.in_degree


@edge
def lift(e: Wire) -> f64:
    return emv.random() * e.weight + e.dst.heat + e.id


@program(bind={"weight": Wire.weight})
def spread(g, weight="weight"):
    for _ in g.supersteps(2):
        take(g.vertices, emv.sum(warm(g.vertices)))
    return g.vertices.heat, emv.total(lift(g.edges))


@edge
def pass_on(e: Wire):
    e.send(e.weight * e.src.heat)


@program(bind={"weight": Wire.weight})
def heat_once(g, weight="weight"):
    take(g.vertices, emv.sum(pass_on(g.vertices)))
    return g.vertices.heat


@edge
def glow(e: Wire) -> f64:
    return 2 * e.src.heat + e.dst.id


@program(bind={"weight": Wire.weight})
def glows(g, weight="weight"):
    return glow(g.vertices)


@elist
def longest(v: Place, wires: EdgeList[Wire]):
    for wire in wires:
        v.heat = max(v.heat, wire.weight)


@program(bind={"weight": Wire.weight})
def look(g, weight="weight"):
    longest(g.vertices)
    return g.vertices.heat


class Watched(SimulatedDriver):
    """Remembers how much was allocated at most."""

    most_allocated = 0

    def allocate(self, nbytes: int) -> int:
        address = super().allocate(nbytes)
        self.most_allocated = max(self.most_allocated, self.allocated_bytes)
        return address


@pytest.fixture(autouse=True)
def drivers(monkeypatch: pytest.MonkeyPatch) -> list[Watched]:
    found = [Watched(ordinal=k) for k in range(NUMBER)]
    for driver in found:
        install(driver, monkeypatch)
    return found


def drawn(n: int = 25, m: int = 120, directed: bool = True) -> Graph:
    rng = np.random.default_rng(4)
    ends = rng.integers(0, n, (2, m))
    return Graph.from_edges(*ends, num_vertices=n, directed=directed, weight=rng.random(m))


@pytest.mark.parametrize(("directed", "exchange"), [(True, "host"), (False, "auto")])
@pytest.mark.paper("S94", "S104")
def test_each_gpu_holds_the_arcs_to_its_own_vertices(directed, exchange):
    g = drawn(directed=directed)
    several = g.on("cuda", gpus=PLACE, by="hash", exchange=exchange)
    found, wanted = spread(several, rng=5), spread(g.on("cuda"), rng=5)
    assert np.array_equal(found[0], wanted[0])
    assert found[1] == pytest.approx(wanted[1], rel=1e-12)
    arcs = g.parts(NUMBER, "hash").arcs[0]
    held = []
    for part in range(NUMBER):
        layouts = slice_of(g, NUMBER, "hash", part).layouts
        store = gpu_graph.gpu_graph(layouts, DEVICES[part])
        long = {name for name in store.named if INDEX[name].size == "arc"}
        assert long
        assert {len(store.named[name]) for name in long} == {arcs[part]}
        assert {len(each) for _, each in store.columns.values()} <= {arcs[part], layouts.num_edges}
        held.append(layouts)
    assert sum(each.num_arcs for each in held) == g.num_arcs
    cut = g.parts(NUMBER, "hash").cut
    of_both = 0 if directed else cut // 2
    assert sum(each.num_edges for each in held) == g.num_edges + of_both


@pytest.mark.parametrize("directed", [True, False])
def test_bytes_of_a_gpu_are_those_of_its_part(directed):
    g = drawn(15, 2000 if directed else 1000, directed)
    several = g.on("cuda", gpus=PLACE)
    planned = heat_once.memory_plan(several).by_device
    heat_once(several)
    each = [DEVICES[k].pool.used_bytes for k in range(NUMBER)]
    heat_once(g.on("cuda"))
    one = DEVICES[0].pool.used_bytes - each[0]
    share = g.parts(NUMBER).arcs[0] / g.num_arcs
    for used, part, most in zip(each, share, planned.values(), strict=True):
        assert used - SMALL < (part + 0.1) * (one - SMALL)
        assert used <= most < used + 2 * SMALL


@pytest.mark.parametrize("directed", [True, False])
def test_sets_are_joined_along_edges_that_are_dealt_out_each_once(directed):
    g = drawn(30, 40, directed)
    several = g.on("cuda", gpus=PLACE, by="hash", exchange="peer")
    held = [slice_of(g, NUMBER, "hash", part, is_dealt=True).layouts for part in range(NUMBER)]
    edges = np.concatenate([each.number_of_edge for each in held])
    assert sorted(edges.tolist()) == list(range(g.num_edges))
    assert np.ptp([each.num_edges for each in held]) <= 1
    assert sum(each.num_arcs for each in held) == g.num_arcs
    assert "as many edges as every other, each once" in components.explain(several)
    assert np.array_equal(components(several), components(g.on("python")))


def test_a_program_that_goes_over_rows_has_all_of_them_and_says_so():
    g = drawn()
    two = g.on("cuda", gpus=2)
    assert np.array_equal(look(two), look(g.on("cuda")))
    assert "each GPU holds all arcs, as longest goes over the out-arcs of a vertex" in str(
        look.explain(two)
    )
    assert not g.layouts.slices
    assert "each GPU holds the arcs to its own vertices" in str(spread.explain(two))


def test_given_columns_of_edges_are_divided_as_those_of_the_graph():
    g, rng = drawn(), np.random.default_rng(1)
    values = rng.random(g.num_edges)
    two = g.on("cuda", gpus=2)
    assert np.array_equal(spread(two, values, rng=1)[0], spread(g.on("cuda"), values, rng=1)[0])
    with pytest.raises(GraphError, match="119 values for 120 edges"):
        spread(two, values[1:])


@pytest.mark.usefixtures("small_ranks")
@pytest.mark.parametrize(("directed", "m"), [(True, 60), (False, 60), (True, 160)])
def test_what_a_gpu_builds_of_its_part_is_what_the_host_builds(directed, m, monkeypatch):
    monkeypatch.setattr(gpu_graph, "FIRST_ON_DEVICE", 0)
    g = drawn(15, m, directed)  # with few arcs vertices stay where they are in a pull
    part = slice_of(g, NUMBER, "hash", 1)
    store = gpu_graph.gpu_graph(part.layouts, DEVICES[1])
    names = [name for name in INDEX if store.builds(name) and INDEX[name].size]
    assert {"first_out", "edge_of_slot", "dst_of_edge"} <= {*names}
    with DEVICES[1].current():
        made = {name: store.index(part, name).numpy() for name in names}
    for name, array in made.items():
        assert np.array_equal(array, host_index(part, name)), name


@pytest.mark.usefixtures("small_ranks")
def test_rows_of_others_are_in_no_bin_of_a_pull(monkeypatch):
    monkeypatch.setattr(gpu_graph, "FIRST_ON_DEVICE", 0)
    g = drawn(15, 200)
    for part in range(NUMBER):
        layouts = slice_of(g, NUMBER, "hash", part).layouts
        own = np.flatnonzero(layouts.held)
        assert not layouts.pull.is_even
        assert sorted(layouts.pull.order[: len(own)].tolist()) == own.tolist()
        assert layouts.pull.bins[-3] == len(own)
        store = gpu_graph.gpu_graph(layouts, DEVICES[part])
        with DEVICES[part].current():
            made = store.index(slice_of(g, NUMBER, "hash", part), "pull_order").numpy()
            bins = store.index(slice_of(g, NUMBER, "hash", part), "pull_bins").numpy()
        assert np.array_equal(made, layouts.pull.order)
        assert np.array_equal(bins, layouts.pull.bins)


def test_a_gpu_without_room_to_build_gets_what_it_keeps_from_the_host(drivers, monkeypatch):
    monkeypatch.setattr(gpu_graph, "FIRST_ON_DEVICE", 0)
    for driver in drivers:
        driver.total = 24_000  # room for a part, and not to sort it
    g = drawn(15, 1500)
    several = g.on("cuda", gpus=PLACE)
    plan = heat_once.memory_plan(several)
    assert plan.building_bytes == 0
    found = heat_once(several)
    assert max(each.most_allocated for each in drivers) <= 1.5 * max(plan.by_device.values())
    assert found == pytest.approx(heat_once(g.on("python")), rel=1e-12)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.paper("S96")
def test_with_more_hops_a_gpu_holds_the_arcs_to_its_replicas_too(directed):
    g = drawn(60, 90, directed)
    several = g.on("cuda", gpus=PLACE, by="hash", exchange="host")
    found = spread(several, rng=5, schedule=emv.hops(2))
    assert np.array_equal(found[0], spread(g.on("cuda"), rng=5)[0])
    wanted = g.parts(NUMBER, "hash", hops=2).arcs
    held = [slice_of(g, NUMBER, "hash", part, 2).layouts.num_arcs for part in range(NUMBER)]
    assert held == wanted[1].tolist() > wanted[0].tolist()
    with pytest.raises(ArgumentError, match="its parts meet in their kernels"):
        spread(g.on("cuda", gpus=PLACE), schedule=emv.hops(2))


@pytest.mark.parametrize("n", [8, 40])
def test_values_of_arcs_come_from_the_owners_of_their_receivers(n):
    g = drawn(n, 20, directed=False)
    several = g.on("cuda", gpus=PLACE, by="hash", exchange="host")
    assert np.array_equal(glows(several), glows(g.on("cuda")))
