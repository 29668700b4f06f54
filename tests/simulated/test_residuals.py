"""Fixed points whose residuals are pushed along arcs, on a simulated GPU, beside numpy."""

from __future__ import annotations

import numpy as np
import pytest
from simulated_gpu import SimulatedDriver, install

import emv
from emv import Edge, Graph, Vertex, edge, f64, inf, program, vertex
from emv.algorithms import bfs, check_pagerank, pagerank
from emv.backends.cuda import residuals as by_hand
from emv.backends.cuda.array import from_host
from emv.backends.cuda.device import device
from emv.runtime.run import run_columns
from emv.runtime.targets import gpu_graph
from emv_kernels.cuda import lower, residual_phases, residual_sweeps

SIZE = 20


class Cell(Vertex):
    heat: f64 = 0.0


@edge
def give_share(e: Edge[Cell]):
    e.send(e.src.heat / e.src.out_degree)


@edge
def give_all(e: Edge[Cell]):
    e.send(e.src.heat)


@vertex
def take(v: Cell, given: f64, share: f64):
    before = v.heat
    v.heat = 1.0 - share + share * given / 2
    return abs(v.heat - before)


def made(giving, name):
    def text(g, share=0.8):
        change = inf
        for _ in g.supersteps(99, until=lambda: change < 1e-10 * g.num_vertices):
            change = emv.total(take(g, emv.sum(giving(g)), share))
        return {"heat": g.vertices.heat, "doubled": change * 2}

    text.__name__ = name
    return program(text)


heats, whole_heats = made(give_share, "heats"), made(give_all, "whole_heats")


@pytest.fixture(params=["mesh", "long", "pieces"])
def pushed(request, monkeypatch, small_digits):
    """How often residuals were pushed, and settled by it."""
    monkeypatch.setattr(gpu_graph, "FIRST_ON_DEVICE", 0)
    if request.param == "pieces":
        monkeypatch.setattr(by_hand, "MESH_ARCS", 0)
        monkeypatch.setattr(residual_phases, "TAKEN", 1)
        for module in (residual_phases, by_hand):
            monkeypatch.setattr(module, "LOWER_PIECE", 3)
    if request.param == "long":  # rows of a mesh that no thread walks alone
        for module in (by_hand, lower, residual_phases, residual_sweeps):
            monkeypatch.setattr(module, "LOWER_PIECE", 3)
        for module in (residual_phases, residual_sweeps):
            monkeypatch.setattr(module, "SHORT", 1)
    install(SimulatedDriver(stops=0.001), monkeypatch)
    found, settled = [], by_hand.settled

    def noted(*given):
        found.append(settled(*given))
        return found[-1]

    monkeypatch.setattr(by_hand, "settled", noted)
    return found


def ends_of(draw, count, last=SIZE):
    return [from_host(device(), each) for each in draw.integers(0, last, (2, count), np.int32)]


def settled_once(draw, count):
    """Return a version of an undirected graph that has the rows from which it is pulled."""
    graph = Graph.from_edges(*ends_of(draw, count), num_vertices=SIZE, directed=False).on("cuda")
    run = pagerank.run(graph, tol=0.1, backend="cuda")  # whose ranks nobody looks at
    return pagerank.update(run, graph.add_edges(*ends_of(draw, 2)).on("cuda")).graph


@pytest.mark.parametrize(
    ("directed", "dangling"), [(True, "spread"), (False, "spread"), (False, "drop")]
)
def test_ranks_settle_to_the_tolerance_of_the_program(pushed, directed, dangling):
    draw = np.random.default_rng(3)
    graph = Graph.from_edges(*ends_of(draw, 36, SIZE - 5), num_vertices=SIZE, directed=directed)
    bfs.run(graph.on("cuda"), 0, backend="cuda")  # rows that are only pulled from lead nowhere
    run = pagerank.run(graph.on("cuda"), dangling=dangling, backend="cuda")
    for count in (1, 4):
        graph = graph.add_edges(*ends_of(draw, count)).on("cuda")
        for name in ("out_other", "in_first", "in_other"):
            graph.layouts.placed["cuda:0"].array(name)
        run = pagerank.update(run, graph)
        assert (
            run.updated
            == f"rank went on from what it was, with {count} new edge{'s' * (count > 1)}"
        )
        assert run.reached < 1e-6
        check_pagerank(graph, np.asarray(run.result), dangling=dangling)
        expected = pagerank(graph, dangling=dangling, backend="python")
        found = np.abs(np.asarray(run.result) - expected).sum() / expected.sum()
        assert found < 2e-6 * 0.85 / 0.15
    assert len(pushed) == 2
    assert None not in pushed


def test_results_are_the_same_in_whatever_order_threads_come(pushed):
    draw, found = np.random.default_rng(5), []
    graph = settled_once(draw, 30)
    run = pagerank.run(graph, backend="cuda")
    later = graph.add_edges(*ends_of(draw, 4)).on("cuda")
    for _ in range(2):
        found.append(np.asarray(pagerank.update(run, later).result))
    assert np.array_equal(*found)
    assert pushed[0] is None  # the version before, the rows of which were not there yet
    assert None not in pushed[1:]


@pytest.mark.parametrize("pushed", ["pieces"], indirect=True)
def test_a_user_s_program_of_the_same_form_settles_so(pushed):
    draw = np.random.default_rng(4)
    graph = settled_once(draw, 26)
    run = heats.run(graph, backend="cuda")
    later = graph.add_edges(*ends_of(draw, 3)).on("cuda")
    found = heats.update(run, later)
    assert found.updated == "heat went on from what it was, with 3 new edges"
    src, dst = later.arcs()
    matrix = np.zeros((SIZE, SIZE))
    np.add.at(matrix, (dst, src), 0.4 / later.out_degrees()[src])
    expected = np.linalg.solve(np.eye(SIZE) - matrix, np.full(SIZE, 0.2))
    np.testing.assert_allclose(np.asarray(found.result["heat"]), expected, atol=1e-8)
    assert 0 <= found.result["doubled"] < 2e-10 * SIZE
    assert len(pushed) == 2
    assert pushed[1] is not None


@pytest.mark.parametrize("pushed", ["pieces"], indirect=True)
def test_other_forms_and_finer_tolerances_go_on_by_their_own_kernels(pushed):
    draw = np.random.default_rng(6)
    graph = settled_once(draw, 26)
    later = graph.add_edges(*ends_of(draw, 3)).on("cuda")
    pushed.clear()
    asked = {"tol": 3e-7}
    for each, named in ((whole_heats, {"share": 0.02}), (pagerank, asked)):
        run = each.run(graph.on("cuda"), backend="cuda", **named)
        assert "went on from what it was" in each.update(run, later).updated
    assert not pushed


@pytest.mark.parametrize("pushed", ["pieces"], indirect=True)
def test_what_does_not_settle_in_time_goes_on_by_its_own_kernel(pushed, monkeypatch):
    monkeypatch.setattr(by_hand, "MOST_ROUNDS", 2)
    draw = np.random.default_rng(7)
    graph = settled_once(draw, 26)
    run = pagerank.run(graph.on("cuda"), backend="cuda")
    found = pagerank.update(run, graph.add_edges(*ends_of(draw, 9)).on("cuda"))
    assert "went on from what it was" in found.updated
    assert pushed == [None, None]
    check_pagerank(found.graph, np.asarray(found.result))


@pytest.mark.parametrize("pushed", ["pieces"], indirect=True)
@pytest.mark.parametrize("bad", [-0.1, np.nan])
def test_bad_values_are_seen_before_anything_goes_on(pushed, bad):
    draw = np.random.default_rng(8)
    graph = settled_once(draw, 26)
    run = pagerank.run(graph, backend="cuda")
    ranks = np.asarray(run.result)
    ranks[3] = bad
    run.vertices, run.edges = run_columns({("vertex", "rank"): from_host(device(), ranks)})
    found = pagerank.update(run, graph.add_edges(*ends_of(draw, 2)).on("cuda"))
    assert found.updated == "anew: rank is negative somewhere, or not finite"
    assert pushed == [None, None]
