"""What supersteps of parts cost is told from runs: the fit, without a clock."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import emv
from emv.algorithms import bfs, icm, pagerank
from emv.graph.supersteps import Costs, Superstep
from emv.runtime import probes, probing
from emv.runtime.drive.early import plan_of
from emv.runtime.probing import Probe, size_for
from emv.runtime.targets.fronts import search_of
from emv.runtime.targets.hops import done_before, superstep_of

KERNEL_S = 2e-5
TRUE = Costs(
    arc_s=2e-9,
    vertex_s=3e-9,
    launch_s=1e-4,
    latency_s=2e-4,
    bytes_per_s=1e9,
    level_s=5e-5,
    joined_s=7e-5,
    joined_vertex_s=3e-8,
    sum_s=2e-5,
    walked_s=4e-9,
    pull_s=3e-5,
    active_s=6e-5,
    ready_s=9e-5,
    loop_s=8e-6,
    start_s=1e-3,
)


class Clock:
    """A place where runs take what constants say, some of them longer."""

    def __init__(self, costs: Costs) -> None:
        self.costs, self.slow = costs, 1.0
        self.probe: Probe | None = None

    def __call__(self, function: Any) -> SimpleNamespace:
        return SimpleNamespace(run=partial(self.run, function))

    def run(self, function: Any, place: Any, schedule: object = None, **counts: int) -> Any:
        is_search = function is not probes.probe
        found = search_of(place) if is_search else None
        steps = min(int(found.max()) + 1, *counts.values()) if is_search else sum(counts.values())
        seconds, kernels = self.seconds()
        launches = [SimpleNamespace(seconds=kernels / 2)] * 2
        return SimpleNamespace(supersteps=steps, result=found, seconds=seconds, launches=launches)

    def probed(self, size: int = 512, has_rounds: bool = True) -> Probe:
        self.probe = Probe(self, "cpu/2", size, has_rounds)
        return self.probe

    def seconds(self) -> tuple[float, float]:
        """Return what the next run takes, and what its kernels do."""
        if self.probe is None:  # runs that compile, which do not count
            return 1e6, 1e6
        runs = {name: len(each) for name, each in self.probe.seconds.items()}
        of_one = [*self.costs.each, self.costs.loop_s, self.costs.start_s]  # cases take turns
        case = min(runs, key=runs.__getitem__)
        kernels = self.probe.amounts_of_kernels(case) @ [*of_one, KERNEL_S]
        return self.slow * float(self.probe.amounts(case) @ of_one), float(kernels)


def once(probe: Probe) -> None:
    """Run all cases, one after the other."""
    for task in probe.tasks():
        task()


@pytest.fixture(autouse=True)
def turns_of_one_run(monkeypatch):
    monkeypatch.setattr(probing, "TURN_S", 0.0)


def test_constants_are_found_that_explain_all_runs():
    probe = Clock(TRUE).probed()
    once(probe)
    found = probe.costs()
    for name, each in vars(TRUE).items():
        assert getattr(found, name) == pytest.approx(each, rel=1e-6), name


def test_what_costs_nothing_is_found_to_cost_nothing():
    free = replace(TRUE, latency_s=0.0, sum_s=0.0, bytes_per_s=np.inf)
    probe = Clock(free).probed()
    once(probe)
    found = probe.costs()
    assert found.latency_s == pytest.approx(0.0, abs=1e-12)
    assert found.sum_s == pytest.approx(0.0, abs=1e-12)
    assert found.bytes_per_s > 1e15
    assert found.launch_s == pytest.approx(free.launch_s)


def test_a_round_on_a_busy_machine_changes_nothing():
    clock = Clock(TRUE)
    probe = clock.probed()
    for slow in (1.0, 3.0, 1.0, 1.0):
        clock.slow = slow
        once(probe)
    assert probe.costs().launch_s == pytest.approx(TRUE.launch_s)


def test_tasks_take_turns_in_another_order_each_round():
    done: list[int] = []
    tasks = [partial(done.append, number) for number in range(9)]
    probing.in_turns(tasks, rounds=5, seconds=0.0, fewest=2)
    first, second = done[:9], done[9:]
    assert sorted(first) == sorted(second) == [*range(9)]
    assert first != second


def test_short_runs_have_more_of_a_quick_round_and_count_for_no_more():
    quick, slow = [[1e-3] * 9, [2.0]], [[2e-3] * 2, [4.0]]
    rounds = [slow, slow, quick, slow]
    found = probing.at_usual_pace([list(turns) for turns in zip(*rounds, strict=True)])
    assert found == pytest.approx([2e-3, 4.0])


def test_where_kernels_meet_nothing_is_run_with_several_hops():
    probe = Clock(TRUE).probed(has_rounds=False)
    once(probe)
    assert {each.hops for each in probe.cases.values()} == {1}
    assert probe.costs().level_s == 0.0


def test_where_kernels_meet_constants_are_found_that_explain_all_runs():
    met = replace(TRUE, level_s=0.0, ready_s=0.0, crowd_s=4e-5, phase_s=3e-5, drawn_s=5e-9)
    met = replace(met, step_s=8e-6)
    probe = Clock(met).probed(4096, has_rounds=False)
    once(probe)
    found = probe.costs()
    for name, each in vars(met).items():
        assert getattr(found, name) == pytest.approx(each, rel=1e-6), name


@pytest.mark.parametrize(("vertices", "size"), [(3, 16), (1000, 1024), (65_537, 73_728)])
def test_graphs_are_of_about_as_many_vertices(vertices, size):
    assert size_for(vertices) == size


def test_what_a_superstep_does_is_told_by_the_schedule():
    g = emv.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0]).on("cpu", parts=2)

    def plan(page, *args):
        engine, call = page._shown(g, args, {}, None, None)
        return plan_of(engine.compiled(call.graph, call.arguments, call.target.kind), call)

    ranks = Superstep(calls=2, arrays=1, row_bytes=4, sweeps=1.0, sums=2, pulls=1, visits=2.0)
    assert superstep_of(plan(pagerank)) == ranks
    search = Superstep(joins=1, row_bytes=4, sweeps=0.0, visits=0.0, active=1, guarded=True)
    assert superstep_of(plan(bfs, 0)) == search
    assert superstep_of(plan(icm, 0)) == replace(search, arrays=0, row_bytes=0, draws=1.0)
    nothing = Superstep(calls=0, arrays=0, row_bytes=0, sweeps=0.0, visits=0.0)
    assert done_before(plan(pagerank)) == (replace(nothing, visits=1.0), 0)
    assert done_before(plan(bfs, 0)) == (nothing, 1)
