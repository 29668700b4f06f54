"""Rows of the papers that are about how a GPU runs a program: its barriers, its queues."""

from __future__ import annotations

import numpy as np
import pytest
from algorithm_arguments import ARGUMENTS, FEW_STEPS
from backends.plain_graphs import path
from backends.test_paper_sets import claiming, pushing, without_atomics
from simulated.test_algorithms import agree, gpu, shaped

from emv.algorithms import ALGORITHMS
from emv.backends.simulated import launch as simulator

GRIDS = [(1, 32), (2, 32), (3, 64)]  # blocks and their threads
MANY = 64  # supersteps of a launch


@pytest.mark.paper("S32")
@pytest.mark.parametrize("name", ["icm", "components", "hits", "label_propagation"])
def test_results_do_not_depend_on_the_grid_and_the_host_waits_once(name, monkeypatch):
    graph = shaped("sparse", 3)
    given = FEW_STEPS.get(name, ARGUMENTS[name])
    wanted = ALGORITHMS[name](graph, *given, backend="python", rng=3)
    for shape in GRIDS:
        device = gpu(monkeypatch, shape, MANY)
        assert agree(ALGORITHMS[name](graph, *given, backend="cuda", rng=3), wanted)
        assert device.count("launch") == 1  # all phases and supersteps are one kernel


@pytest.mark.paper("S35", "S37")
@pytest.mark.parametrize("made", [claiming, pushing, without_atomics],
                         ids=lambda made: made.python.__name__)  # fmt: skip
def test_a_superstep_touches_what_is_active_and_no_more(made, monkeypatch):
    touched, place = [0], simulator.Pointer.place

    def counted(self, index, lane):
        touched[0] += 1
        return place(self, index, lane)

    monkeypatch.setattr(simulator.Pointer, "place", counted)
    gpu(monkeypatch, (1, 32), MANY).options["stops"] = 0

    def work(size: int, limit: int) -> int:
        begin = touched[0]
        found = made(path(size), limit, backend="cuda")
        assert np.count_nonzero(found != found[-1]) == limit + 1
        return touched[0] - begin

    short, long = ((work(size, 20) - work(size, 5)) / 15 for size in (1_000, 3_000))
    assert short == pytest.approx(long, rel=0.02)
    assert long < 1_000
