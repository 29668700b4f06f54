"""A call that is prepared gives what an ordinary one gives at that time, whatever has changed."""

from __future__ import annotations

import threading

import called_programs
import numpy as np
import pytest
from called_programs import Spot, raised, rolls

from emv import Graph, config, near_far, program, vertex
from emv.algorithms import bfs, components, num_triangles, pagerank, sssp
from emv.errors import ArgumentError, CallError, ConvergenceWarning, HintWarning
from emv.runtime.drive.again import Again
from emv.runtime.prepared_call import PreparedCall

CALLS = 5


@vertex
def nothing(v: Spot):
    v.seen = 1


@program
def silent(g):
    nothing(g)


def path(number: int = 5, **columns) -> Graph:
    src = np.arange(number - 1)
    return Graph.from_edges(src, src + 1, directed=False, **columns).on("cpu")


def test_it_gives_what_an_ordinary_call_gives():
    g = path(weight=np.array([1.0, 2.0, 4.0, 8.0], np.float32))
    for function, given in (
        (bfs, (2,)),
        (components, ()),
        (pagerank, ()),
        (sssp, (0,)),
        (num_triangles, ()),
    ):
        call = function.prepare(g, *given)
        wanted = function.run(g, *given)
        for _ in range(CALLS):
            run = call.run()
            assert np.array_equal(run.result, wanted.result)
            assert (run.supersteps, run.stopped, run.backend) == (
                wanted.supersteps,
                wanted.stopped,
                "cpu",
            )
            assert run.graph is g or function is num_triangles
            assert run.said.args == given
            assert np.array_equal(call(), wanted.result)


def test_runs_with_nothing_new_are_done_at_one_go(monkeypatch: pytest.MonkeyPatch):
    begun: list[Again] = []
    real = Again.run
    monkeypatch.setattr(Again, "run", lambda *given: begun.append(given[0]) or real(*given))
    call = bfs.prepare(path(), 0)
    for _ in range(CALLS):
        assert call().tolist() == [0, 1, 2, 3, 4]
    assert len(begun) == CALLS - 2
    monkeypatch.setattr("emv.runtime.parameters.KnownCalls.again", lambda *_: 1 // 0)
    assert call().tolist() == [0, 1, 2, 3, 4]


def test_a_change_of_the_graph_is_seen():
    g = path(4, weight=np.array([1.0, 2.0, 4.0]))
    call = sssp.prepare(g, 0)
    for weight, last in (((1, 2, 4), 7.0), ((1, 2, 8), 11.0), ((1, 2, 0.5), 3.5)):
        g.edges.weight = np.array(weight)
        for _ in range(CALLS):
            assert call()[3] == last
    g.add_edge(0, 3, weight=1.0)
    for _ in range(CALLS):
        assert call()[3] == 1.0
    g.add_vertex()
    for _ in range(CALLS):
        assert call().tolist() == [0.0, 1.0, 1.5, 1.0, np.inf]
    del g.edges.weight
    for _ in range(CALLS):
        assert call()[3] == 1.0


def test_what_a_run_was_asked_for_has_columns_that_it_does_not_read():
    g = path(4, weight=np.array([1.0, 2.0, 4.0]))
    call = sssp.prepare(g, 0)
    for _ in range(CALLS):
        before = call.run()
    g.edges.colour = np.arange(3)
    for _ in range(CALLS):
        run = call.run()
        assert run.said.edge_columns["colour"].tolist() == [0, 1, 2]
    assert set(before.said.edge_columns) == {"weight"}


def test_what_is_told_of_runs_is_told(capfd: pytest.CaptureFixture[str]):
    call = bfs.prepare(path(), 0)
    for _ in range(CALLS):
        call()
    assert capfd.readouterr().err == ""
    with config.using(debug=1):
        for _ in range(CALLS):
            call()
            assert capfd.readouterr().err
    call()
    assert capfd.readouterr().err == ""


def test_a_name_that_means_something_else_is_heard(monkeypatch: pytest.MonkeyPatch):
    call = raised.prepare(path(3))
    for step in (1, 10, 1):
        monkeypatch.setattr(called_programs, "STEP", step)
        for _ in range(CALLS):
            assert call().tolist() == [3.0 + step] * 3


def test_columns_and_lists_among_the_arguments_are_looked_at_every_time():
    g = path(3)
    g.vertices.mine = np.zeros(3, np.float32)
    call = raised.prepare(g, rank="mine")
    for shift in range(CALLS):
        assert call().tolist() == [shift + 2.0] * 3
        g.vertices.mine[:] += 1
    given = np.zeros(3, np.float32)
    by_array = raised.prepare(g, 0.0, rank=given)
    for shift in range(CALLS):
        assert by_array().tolist() == [shift + 1.0] * 3
        given += 1


def test_knobs_and_options_are_those_of_the_time():
    g = path(40)
    call, other = bfs.prepare(g, 0), bfs.prepare(g, 0, backend="python")
    for threads in (1, 2, 1):
        with config.using(num_threads=threads, deterministic=threads == 1):
            for _ in range(CALLS):
                assert call().tolist() == [*range(40)]
    assert (call.run().backend, other.run().backend) == ("cpu", "python")
    double = sssp.prepare(g, 0, precision="double")
    assert [double().dtype for _ in range(CALLS)] == [np.dtype(np.float64)] * CALLS
    near = sssp.prepare(path(40, weight=np.ones(39)), 0, schedule=near_far(delta=2.0))
    assert [near()[39] for _ in range(CALLS)] == [39.0] * CALLS


def test_draws_are_those_of_the_seed():
    g = path(200)
    call, free = rolls.prepare(g, rng=7), rolls.prepare(g, rng=None)
    wanted = rolls.run(g, rng=7).result.tolist()
    assert [call().tolist() for _ in range(CALLS)] == [wanted] * CALLS
    assert len({tuple(free().tolist()) for _ in range(CALLS)}) == CALLS


def test_what_does_not_fit_is_refused_before_anything_runs():
    g = path()
    with pytest.raises(CallError, match="sauce"):
        bfs.prepare(g, sauce=0)
    with pytest.raises(ArgumentError, match=r"runs on an emv\.Graph"):
        bfs.prepare(7, 0)
    with pytest.raises(CallError, match="callback"):
        bfs.prepare(g, 0, callback=print)
    with pytest.raises(ArgumentError):
        pagerank.prepare(g, tol=-1.0)
    with pytest.raises(ArgumentError, match="rng"):
        bfs.prepare(g, 0, rng="seven")


def test_warnings_are_given_every_time():
    call = pagerank.prepare(path(), max_iter=1)
    for _ in range(CALLS):
        with pytest.warns(ConvergenceWarning):
            call()


def test_a_program_without_a_result_says_so_as_ever():
    call = silent.prepare(path())
    with pytest.warns(HintWarning, match="no return"):
        assert call() is None
    assert call.run().vertices.seen.tolist() == [1] * 5


def test_it_says_what_it_is():
    call = bfs.prepare(path(), source=3)
    assert repr(call) == "<bfs(g, source=3), prepared>"
    assert isinstance(call, PreparedCall)


def test_threads_may_share_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(config, "num_threads", 2)
    call, wanted = bfs.prepare(path(50), 0), [*range(50)]
    wrong: list[int] = []

    def work() -> None:
        for _ in range(100):
            if call().tolist() != wanted:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for k in range(200):  # each makes all of them look anew
        call.graph.edges.colour = np.full(49, k)
        config.num_threads = 1 + k % 2
    for each in threads:
        each.join()
    assert wrong == []
