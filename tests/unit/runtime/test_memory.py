"""The memory plan is what binding allocates, and what does not fit is refused before that."""

from __future__ import annotations

import numpy as np
import pytest

from emv import Edge, Graph, Vertex, batch, f32, i32, program, vertex
from emv.algorithms import bfs, boruvka, components, icm, pagerank, sssp
from emv.errors import ArgumentError, CapacityError
from emv.runtime.arguments import Call, sort_arguments
from emv.runtime.arrays import available, memory
from emv.runtime.arrays.available import readable
from emv.runtime.arrays.index import PIECES
from emv.runtime.arrays.memory import plan_memory
from emv.runtime.arrays.store import index_bytes
from emv.runtime.drive.early import plan_of as planned_for
from emv.runtime.targets.cores import Cores

CALLS = {
    "bfs": (bfs, (0,), {}),
    "bfs from several": (bfs, ([0, 1],), {}),
    "sssp": (sssp, (0,), {}),
    "sssp, another type": (sssp, (0,), {"weight": "cost"}),
    "sssp, one number": (sssp, (0,), {"weight": 2.0}),
    "sssp, an array": (sssp, (0,), {"weight": "array"}),
    "pagerank": (pagerank, (), {}),
    "pagerank, dropped": (pagerank, (), {"dangling": "drop"}),
    "components": (components, (), {}),
    "icm": (icm, ([0],), {}),
    "boruvka": (boruvka, (), {}),
    "bfs of 40": (bfs, (batch([0] * 40),), {}),
    "sssp of 3": (sssp, (batch([0, 0, 0]),), {}),
}


def some_graph(directed: bool, num_vertices: int = 500, num_edges: int = 3000) -> Graph:
    """Return a random graph with weights of the declared type and costs of another."""
    rng = np.random.default_rng(3)
    src, dst = rng.integers(0, num_vertices, (2, num_edges))
    weight = rng.random(num_edges, np.float32)
    return Graph.from_edges(
        src,
        dst,
        num_vertices=num_vertices,
        directed=directed,
        weight=weight,
        cost=weight.astype(np.float64),
    )


def by_src() -> Graph:
    """Return a directed graph whose arcs are its edges."""
    ids = np.arange(999)
    return Graph.from_edges(ids, ids + 1, weight=ids.astype(np.float32), cost=ids / 2)


GRAPHS = {
    "directed": lambda: some_graph(True),
    "undirected": lambda: some_graph(False),
    "sorted": by_src,
    "hub": lambda: Graph.from_edges(
        np.zeros(70_000, int), np.arange(70_000), weight=1.0, cost=1.0, directed=False
    ),
    "one vertex": lambda: Graph.from_edges([], [], num_vertices=1, weight=[], cost=[]),
}


def plan_of(which: str, graph: Graph):
    function, args, named = CALLS[which]
    if "array" in named.values():
        named = {"weight": np.ones(graph.num_edges, np.float32)}
    if "weight" not in named and function is sssp:
        named = {"weight": "weight"}
    arguments = sort_arguments(function.python, function.bind, args, named)
    compiled = function._compiled_half().compiled(graph, arguments)
    return planned_for(compiled, Call(graph, arguments, Cores(2))), arguments


def lent_by(graph: Graph, arguments) -> list[np.ndarray]:
    """Return the arrays that a plan may show to kernels without allocating."""
    columns = [store.stored(name) for store in (graph.vertices, graph.edges) for name in store]
    given = [value for value, _ in arguments.bindings.values() if isinstance(value, np.ndarray)]
    layouts = graph.layouts
    copies = [values for _, values in layouts._permuted.values()]
    return [*columns, *given, *graph.edges.endpoints(), *layouts._arrays.values(), *copies]


@pytest.mark.paper("S55")
@pytest.mark.parametrize("graph_name", GRAPHS)
@pytest.mark.parametrize("which", CALLS)
def test_plan_says_what_binding_allocates(which, graph_name):
    if graph_name == "one vertex" and "several" in which:
        pytest.skip("there is only one vertex")
    graph = GRAPHS[graph_name]()
    if which == "boruvka" and graph.directed:
        graph = Graph.from_edges(*graph.edges.endpoints(), directed=False, weight=1.0, cost=1.0)
    plan, arguments = plan_of(which, graph)
    planned = plan_memory(plan)
    results = sum(
        entry.nbytes
        for entry in planned.entries
        if entry.group == "results" and entry.name not in plan.table.arrays
    )
    built_before = graph.layouts.nbytes()
    plan.bind()
    lent = lent_by(graph, arguments)
    made = [
        array
        for array in plan.arrays.values()
        if not any(np.may_share_memory(array, other) for other in lent)
    ]
    allocated = sum(array.nbytes for array in made) + graph.layouts.nbytes() - built_before
    at_most = [name for name in ("in_blocks", *PIECES) if name in plan.arrays]
    slack = sum(index_bytes(graph, plan.counts, name) for name in at_most)
    assert allocated <= planned.new_bytes - results <= allocated + min(slack, 0.02 * allocated)


@pytest.mark.paper("S33")
def test_second_run_finds_layouts_and_working_space():
    graph = some_graph(True)
    plan, _ = plan_of("bfs", graph)
    first = plan_memory(plan)
    plan.bind()
    plan.release()
    second = plan_memory(plan_of("bfs", graph.on("cpu"))[0])
    assert second.total_bytes == first.total_bytes
    notes = {entry.name: entry.note for entry in second.entries}
    assert notes["in_other"] == "already built"
    assert notes["active"] == "kept from an earlier run"
    assert second.building_bytes == 0
    assert second.new_bytes < first.new_bytes / 2
    graph.add_vertex()
    assert plan_memory(plan_of("bfs", graph)[0]).new_bytes > first.new_bytes


class Spot(Vertex):
    size: i32
    seen: i32 = 0


class Way(Edge[Spot]):
    length: f32


@vertex
def grow(v: Spot):
    v.size = v.size + 1


@vertex
def look(v: Spot):
    v.seen = v.size


@program
def growing(g):
    grow(g)


@program
def looking(g):
    look(g)


def column(which, graph: Graph, name: str):
    entries = which.memory_plan(graph).entries
    return next(entry for entry in entries if entry.name == name)


def test_columns_that_are_only_read_are_shared():
    graph = Graph.from_edges([0], [1])
    graph.vertices.size = np.array([1, 2], np.int32)
    assert column(looking, graph, "g.vertices.size").nbytes == 0
    assert column(looking, graph, "g.vertices.seen").nbytes == 8
    assert column(growing, graph, "g.vertices.size").nbytes == 8
    graph.vertices.size = np.array([1, 2], np.int64)  # to be converted
    assert column(looking, graph, "g.vertices.size").nbytes == 8


def test_written_columns_of_the_graph_stay_as_they_are():
    graph = Graph.from_edges([0], [1])
    for dtype in (np.int32, np.int64):
        graph.vertices.size = np.array([1, 2], dtype)
        run = growing.run(graph, backend="cpu")
        assert run.vertices.size.tolist() == [2, 3]
        assert graph.vertices.size.tolist() == [1, 2]


def test_text_of_a_plan():
    plan = pagerank.memory_plan(some_graph(True))
    assert repr(plan).startswith("MemoryPlan(pagerank: ")
    lines = [line.split() for line in str(plan).splitlines()]
    assert ["g.vertices.rank", "2,000"] in lines
    assert lines[-1][-1] == f"{plan.peak_bytes:,}"
    assert str(plan) in pagerank.explain(some_graph(True))
    assert [readable(each) for each in (0, 2**20, 5 * 2**40)] == ["0 B", "1.0 MiB", "5.0 TiB"]


def test_what_does_not_fit_is_refused_before_it_is_allocated(monkeypatch):
    graph = some_graph(True, num_vertices=2_000_000)
    plan, _ = plan_of("bfs", graph)
    needed = plan_memory(plan).peak_bytes
    monkeypatch.setattr(memory, "available_bytes", lambda: needed - 1)
    with pytest.raises(CapacityError) as raised:
        plan.bind()
    assert f"bfs needs {needed:,} bytes" in str(raised.value)
    assert f"but {needed - 1:,} (" in str(raised.value)
    assert plan.arrays == {}
    assert graph.layouts.nbytes() == 0
    monkeypatch.setattr(memory, "available_bytes", lambda: needed)
    plan.bind()


def test_copies_that_do_not_fit_are_refused(monkeypatch):
    graph = some_graph(True, num_vertices=40_000)
    plan, _ = plan_of("bfs of 40", graph)
    assert plan_memory(plan).peak_bytes > 3 * 4 * 64 * graph.num_vertices
    monkeypatch.setattr(memory, "available_bytes", lambda: 10**7)
    with pytest.raises(CapacityError, match="10,000,000"):
        bfs.batch(graph, [0] * 40, backend="cpu")


def test_available_memory_is_that_of_the_machine_or_the_container(tmp_path):
    assert 2**20 < memory.available_bytes() < 2**50
    (tmp_path / "memory.max").write_text("1000\n")
    (tmp_path / "memory.current").write_text("900\n")
    (tmp_path / "memory.stat").write_text("anon 500\ninactive_file 250\nactive_file 50\n")
    assert list(available._control_group_limits(tmp_path))[1:] == [400]
    (tmp_path / "memory.max").write_text("max\n")
    assert list(available._control_group_limits(tmp_path))[1:] == []


def test_program_driven_by_the_host_has_no_plan():
    @program(host_loop=True)
    def by_host(g):
        look(g)

    with pytest.raises(ArgumentError, match="driven by the host"):
        by_host.memory_plan(Graph.from_edges([0], [1]))
