"""What runs of a program on a graph have in common is kept, and nothing of a run is."""

from __future__ import annotations

import gc
import threading
import weakref

import called_programs
import numpy as np
import pytest
from called_programs import raised, rolls

import emv
from emv import Graph, config
from emv.algorithms import bfs, components, icm, pagerank, sssp
from emv.runtime import parameters
from emv.runtime.arguments import sort_arguments
from emv.runtime.arrays import columns, prepared, table
from emv.runtime.arrays.plan import Plan
from emv.runtime.arrays.taken import Taken
from emv.runtime.drive.again import Again
from emv.runtime.program import ProgramFunction


def fresh(function: ProgramFunction) -> ProgramFunction:
    return ProgramFunction(function.python, function.bind, function.host_loop)


def path(number: int = 5) -> Graph:
    return Graph.from_edges(np.arange(number - 1), np.arange(1, number), directed=False)


def kept(function: ProgramFunction) -> list:
    """Return what is prepared for runs of a program, on all graphs."""
    engine = function._compiled_half()
    return [
        each
        for compiled in engine.kept.values()
        for by_place in compiled.prepared.values()
        for each in by_place.values()
    ]


def test_a_second_run_measures_and_looks_up_nothing(monkeypatch: pytest.MonkeyPatch):
    g, made = path().on("cpu"), fresh(bfs)
    first = made(g, 0)

    def refused(*_: object) -> None:
        raise AssertionError("asked again for what is known")

    monkeypatch.setattr(table.Size, "entries", refused)
    monkeypatch.setattr(columns.Columns, "_supply", refused)
    monkeypatch.setattr(columns, "fitting", refused)
    assert made(g, 0).tolist() == first.tolist() == [0, 1, 2, 3, 4]
    assert made(g, 4).tolist() == [4, 3, 2, 1, 0]


def test_results_of_one_run_are_not_those_of_the_next():
    g = path().on("cpu")
    for run in (lambda: bfs(g, 0), lambda: pagerank(g), lambda: components(g)):
        first = run()
        wanted = first.tolist()
        first[:] = 77
        second = run()
        assert second.tolist() == wanted
        assert not np.shares_memory(first, second)


def test_a_changed_global_is_heard(monkeypatch: pytest.MonkeyPatch):
    g = path(3).on("cpu")
    assert raised(g).tolist() == [4.0] * 3
    monkeypatch.setattr(called_programs, "STEP", 10)
    assert raised(g).tolist() == [13.0] * 3
    monkeypatch.setattr(called_programs, "STEP", 1)
    assert raised(g).tolist() == [4.0] * 3


def test_no_run_begins_as_one_did_for_which_a_name_meant_something_else(
    monkeypatch: pytest.MonkeyPatch,
):
    g, made = path(3).on("cpu"), fresh(raised)
    for _ in range(5):
        assert made(g).tolist() == [4.0] * 3
    (before,) = plans(made)
    begun: list[Plan] = []
    real = Again.run
    monkeypatch.setattr(Again, "run", lambda *given: begun.append(given[1]) or real(*given))
    monkeypatch.setattr(called_programs, "STEP", 10)
    assert made(g).tolist() == [13.0] * 3
    assert begun == []
    assert [made(g).tolist() for _ in range(4)] == [[13.0] * 3] * 4
    assert len(begun) == 3
    assert before not in begun


def test_columns_are_looked_at_in_every_run():
    g = path(3).on("cpu")
    assert raised(g, rank=5.0).tolist() == [7.0] * 3
    assert raised(g).tolist() == [4.0] * 3  # not what the run before was given
    g.vertices.rank = np.arange(3, dtype=np.float32)
    assert raised(g, rank="rank").tolist() == [2.0, 3.0, 4.0]
    g.vertices.rank[:] = 9
    assert raised(g, rank="rank").tolist() == [11.0] * 3
    assert raised(g).tolist() == [4.0] * 3


def test_growth_and_other_numbers_of_threads_are_prepared_anew():
    g, made = path(3).on("cpu"), fresh(bfs)
    assert made(g, 0).tolist() == [0, 1, 2]
    assert len(kept(made)) == 1
    with config.using(num_threads=2):
        assert made(g, 0).tolist() == [0, 1, 2]
    assert made(g, 0).tolist() == [0, 1, 2]
    places = {each.counts["T"] for each in kept(made)}
    assert places == {config.num_threads, 2}
    g.add_vertex()
    assert made(g, 0).tolist() == [0, 1, 2, -1]


def test_what_is_prepared_goes_with_its_graph():
    g, made = path(3).on("cpu"), fresh(bfs)
    made(g, 0)
    assert len(kept(made)) == 1
    del g
    gc.collect()
    assert kept(made) == []


def test_threads_share_what_is_prepared_and_no_arrays():
    graphs = [path(number).on("cpu") for number in (40, 50)]
    wrong: list[object] = []

    def work(number: int) -> None:
        for source in range(30):
            g = graphs[(source + number) % 2]
            found = bfs(g, source)
            if found.tolist() != [abs(v - source) for v in range(g.num_vertices)]:
                wrong.append((number, source))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert wrong == []


def test_defaults_are_sorted_once_and_given_arguments_each_time():
    def python(g, a, b=2, c=0.5, ids=(1, 2), weight="w"):
        pass

    bind = {"weight": emv.algorithms.sssp.bind["weight"]}
    first = sort_arguments(python, bind, (7,), {})
    again = sort_arguments(python, bind, (True,), {"b": 3.5, "weight": None})
    last = sort_arguments(python, bind, (np.int32(4),), {"c": "y"})
    assert first.numbers == {"a": 7, "b": 2, "c": 0.5}
    assert [*first.bindings.values()] == [("w", True)]
    assert again.numbers == {"b": 3.5, "c": 0.5}
    assert (again.bindings, again.values["a"]) == ({}, True)
    assert last.numbers == {"a": 4, "b": 2}
    assert [each.arrays["ids"].tolist() for each in (first, last)] == [[1, 2]] * 2
    assert first.arrays["ids"] is not last.arrays["ids"]


def test_queues_that_have_changed_places_are_taken_by_their_meaning():
    arrays = {name: name for name in ("active", "pending", "active_edges", "pending_edges", "x")}
    arrays["state"] = np.zeros(200, np.int64)
    taken = Taken(["pending", "x", "active_edges"])
    places = emv.codegen.state.PLACES
    assert taken(arrays) == ("pending", "x", "active_edges")
    arrays["state"][places["FLIPPED"]] = 1
    assert taken(arrays) == ("active", "x", "active_edges")
    arrays["state"][places["FLIPPED_EDGES"]] = 1
    assert taken(arrays) == ("active", "x", "pending_edges")
    assert Taken(["x"])(arrays) == ("x",)


def plans(function: ProgramFunction) -> list:
    """Return the plans that runs of a program left, on all graphs."""
    engine = function._compiled_half()
    return [
        plan
        for compiled in engine.kept.values()
        for by_call in compiled.plans.values()
        for each in by_call.values()
        for plan in each
    ]


def test_an_equal_call_takes_up_the_plan_and_begins_as_before(monkeypatch: pytest.MonkeyPatch):
    g, made = path().on("cpu"), fresh(bfs)
    first = made(g, 0)
    (plan,) = plans(made)
    made(g, 0)  # from here on it is known how an equal run begins

    def refused(*_: object) -> None:
        raise AssertionError("made again what is known")

    monkeypatch.setattr(Plan, "__init__", refused)
    monkeypatch.setattr(Plan, "put_facts", refused)
    assert made(g, 0).tolist() == first.tolist()
    assert plans(made) == [plan]
    monkeypatch.undo()
    assert made(g, 4).tolist() == [4, 3, 2, 1, 0]
    assert made(g, 0).tolist() == first.tolist()
    assert len(plans(made)) == 2


def test_an_equal_call_begins_at_one_go_until_a_column_that_it_reads_is_another(
    monkeypatch: pytest.MonkeyPatch,
):
    g, made = path(4).on("cpu"), fresh(sssp)
    g.edges.weight = np.array([1.0, 2.0, 4.0])
    begun: list[Plan] = []
    real = Again.run

    def called(times: int, *right: float) -> int:
        """Return how many of so many calls have begun so."""
        begun.clear()
        for _ in range(times):
            assert made(g, 0).tolist() == list(right)
        return len(begun)

    monkeypatch.setattr(Again, "run", lambda *given: begun.append(given[1]) or real(*given))
    assert called(5, 0.0, 1.0, 3.0, 7.0) == 3
    g.edges.colour = np.zeros(3)  # which nobody reads
    assert called(5, 0.0, 1.0, 3.0, 7.0) == 4
    g.edges.weight = np.array([1.0, 8.0, 4.0])
    assert called(5, 0.0, 1.0, 9.0, 13.0) == 4


def test_equal_calls_of_graphs_and_knobs_in_turn_have_their_own_kernels_and_plans():
    graphs = [Graph.from_edges([0, 1], [1, 2]), Graph.from_edges([0, 0, 1], [1, 2, 3])]
    right = [bfs(each.on("python"), 0).tolist() for each in graphs]
    for turn in range(8):
        with config.using(deterministic=turn % 3 == 2):
            assert [bfs(each.on("cpu"), 0).tolist() for each in graphs] == right
    one = graphs[0].on("cpu")
    for _ in range(4):
        assert bfs(one, 0).tolist() == right[0]
    grown = graphs[0].add_edges([0], [2])
    assert bfs(grown.on("cpu"), 0).tolist() == [0, 1, 1]


def test_a_plan_that_is_left_holds_no_graph():
    g, made = path().on("cpu"), fresh(bfs)
    for _ in range(3):
        made(g, 0)
    there = weakref.ref(g.layouts)
    del g
    gc.collect()
    assert there() is None
    assert plans(made) == []


def test_no_more_plans_are_left_than_that(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(prepared, "MOST_PLANS", 3)
    g, made = path(9).on("cpu"), fresh(bfs)
    for source in range(9):
        assert made(g, source)[0] == source
    assert 0 < len(plans(made)) <= 3


def test_draws_of_an_equal_call_are_those_of_its_seed():
    g = path(200).on("cpu")
    wanted = [icm.run(g.on("python"), [0], rng=seed).result for seed in (1, 2, -1)]
    for _ in range(3):
        found = [icm.run(g, [0], rng=seed).result for seed in (1, 2, -1)]
        assert [np.asarray(each).tolist() for each in found] == [
            np.asarray(each).tolist() for each in wanted
        ]
    rolled = fresh(rolls)
    for _ in range(2):
        for seed in (1, 2, -1, 2**70):
            wanted_there = rolled.run(g.on("python"), rng=seed).result
            assert rolled.run(g, rng=seed).result.tolist() == wanted_there.tolist()


def test_columns_of_an_equal_call_are_looked_at_anew():
    g, made = path(4).on("cpu"), fresh(sssp)
    g.edges.weight = np.array([1.0, 2.0, 4.0])
    for _ in range(3):
        assert made(g, 0).tolist() == [0.0, 1.0, 3.0, 7.0]
    g.edges.weight = np.array([1.0, 8.0, 4.0])
    assert made(g, 0).tolist() == [0.0, 1.0, 9.0, 13.0]
    weight = [1.0, -0.5, 4.0]  # no longer nearest first
    directed = Graph.from_edges([0, 1, 2], [1, 2, 3], weight=weight).on("cpu")
    for _ in range(3):
        assert made(directed, 0).tolist() == [0.0, 1.0, 0.5, 4.5]
    ranked = fresh(raised)
    g.vertices.rank = np.arange(4, dtype=np.float32)
    for shift in range(3):
        assert ranked(g, rank="rank").tolist() == [each + shift + 2.0 for each in range(4)]
        g.vertices.rank[:] += 1
    view = g.on("cpu")
    view.vertices.rank = np.zeros(4, np.float32)
    assert ranked(view, rank="rank").tolist() == [2.0] * 4


def test_a_run_that_failed_leaves_no_plan(monkeypatch: pytest.MonkeyPatch):
    g, made = path().on("cpu"), fresh(bfs)
    for _ in range(3):
        made(g, 0)
    with pytest.raises(ZeroDivisionError):
        made.run(g, 0, callback=lambda *_: 1 // 0)
    assert plans(made) == []
    for _ in range(3):
        assert made(g, 0).tolist() == [0, 1, 2, 3, 4]


def test_a_change_of_the_graph_is_met_by_a_plan_of_its_own():
    g, made = path(3).on("cpu"), fresh(bfs)
    for _ in range(3):
        assert made(g, 0).tolist() == [0, 1, 2]
    g.add_vertex()
    for _ in range(3):
        assert made(g, 0).tolist() == [0, 1, 2, -1]


def test_arguments_at_the_address_of_others_are_not_taken_for_them(monkeypatch):
    """Calls are forgotten when there are many; then the memory of their arguments is used again."""
    monkeypatch.setattr(parameters, "MOST_CALLS", 1)
    path = Graph.from_edges(range(40), range(1, 41), directed=True)
    for begin in [*range(41)] * 8:
        assert int(bfs(path, begin)[40]) == 40 - begin
