"""What supersteps of parts cost is told from runs: the fit, without a clock."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import emv
from emv.algorithms import bfs, pagerank
from emv.graph.parts import Costs, Superstep
from emv.runtime import probing
from emv.runtime.drive.early import plan_of
from emv.runtime.probing import CASES, Probe, size_for
from emv.runtime.targets.rounds import done_before, superstep_of

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
    start_s=1e-3,
)


class Clock:
    """A place where runs take what constants say, some of them longer."""

    def __init__(self, costs: Costs) -> None:
        self.costs, self.slow = costs, 1.0
        self.probe: Probe | None = None

    def __call__(self, function: object) -> Clock:
        return self

    def run(self, place: object, schedule: object = None, **counts: int) -> SimpleNamespace:
        steps = min(7, sum(counts.values())) if "finds" in counts else sum(counts.values())
        return SimpleNamespace(supersteps=steps, seconds=self.seconds(counts, schedule, steps))

    def seconds(self, counts: dict[str, int], schedule: object, steps: int) -> float:
        if self.probe is None:  # runs that compile, which do not count
            return 1e6
        asked = {name: count for name, count in counts.items() if count}
        [name] = [
            name
            for name in self.probe.seconds
            if CASES[name].counts == asked and (CASES[name].hops > 1) == (schedule is not None)
            if self.is_next(name)
        ]
        costs = self.costs
        byte_s = 1 / costs.bytes_per_s
        each = [costs.arc_s, costs.vertex_s, costs.launch_s, costs.latency_s, byte_s]
        each += [costs.level_s, costs.joined_s, costs.joined_vertex_s, costs.sum_s]
        each += [costs.walked_s, costs.pull_s, costs.active_s, costs.start_s]
        return self.slow * float(self.probe.amounts(name) @ each)

    def is_next(self, name: str) -> bool:
        """Return whether a case has run less often than those before it."""
        assert self.probe is not None
        runs = [len(self.probe.seconds[each]) for each in self.probe.seconds]
        return list(self.probe.seconds)[int(np.argmin(runs))] == name


@pytest.fixture(autouse=True)
def turns_of_one_run(monkeypatch):
    monkeypatch.setattr(probing, "TURN_S", 0.0)


def probed_by(clock: Clock, has_rounds: bool = True) -> Probe:
    clock.probe = Probe(clock, "cpu/2", 512, has_rounds)
    return clock.probe


def test_constants_are_found_that_explain_all_runs():
    probe = probed_by(Clock(TRUE))
    probe.round()
    found = probe.costs()
    for name, each in vars(TRUE).items():
        assert getattr(found, name) == pytest.approx(each, rel=1e-6), name


def test_what_costs_nothing_is_found_to_cost_nothing():
    free = replace(TRUE, latency_s=0.0, sum_s=0.0, bytes_per_s=np.inf)
    probe = probed_by(Clock(free))
    probe.round()
    found = probe.costs()
    assert found.latency_s == pytest.approx(0.0, abs=1e-12)
    assert found.sum_s == pytest.approx(0.0, abs=1e-12)
    assert found.bytes_per_s > 1e15
    assert found.launch_s == pytest.approx(free.launch_s)


def test_a_round_on_a_busy_machine_changes_nothing():
    clock = Clock(TRUE)
    probe = probed_by(clock)
    for slow in (1.0, 3.0, 1.0, 1.0):
        clock.slow = slow
        probe.round()
    assert probe.costs().launch_s == pytest.approx(TRUE.launch_s)


def test_where_kernels_meet_nothing_is_run_with_several_hops():
    probe = probed_by(Clock(TRUE), has_rounds=False)
    probe.round()
    assert {CASES[name].hops for name in probe.seconds} == {1}
    assert probe.costs().level_s == 0.0


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
    search = Superstep(joins=1, row_bytes=4, sweeps=0.0, visits=0.0, active=1, walks=1.0, moved=1.0)
    assert superstep_of(plan(bfs, 0)) == search
    assert search.shared_by(4) == replace(search, walks=0.25, moved=0.25)
    nothing = Superstep(calls=0, arrays=0, row_bytes=0, sweeps=0.0, visits=0.0)
    assert done_before(plan(pagerank)) == (replace(nothing, calls=1, visits=1.0), 0)
    assert done_before(plan(bfs, 0)) == (replace(nothing, calls=1), 1)
