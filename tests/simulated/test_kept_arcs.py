"""Pulls along kept arcs in one simulated block, on shapes whose hubs are cut into pieces."""

from __future__ import annotations

import pytest
from backends import test_kept_arcs as cases
from simulated.test_algorithms import gpu, shaped

import emv
from emv_kernels.cuda import sweeps


@pytest.mark.parametrize(("shape", "seed"), [("star in", 0), ("star in", 1), ("dense", 2)])
def test_results(shape, seed, small_hubs):
    gpu(small_hubs, 64, (1, 3, 64)[seed])  # supersteps after which the kernel is left
    graph = cases.ranked(shaped(shape, seed), seed)
    for made in cases.MADE:
        cases.agree(made, graph, "cuda")
    assert cases.levels(graph, backend="cuda").tolist() == cases.by_turns(graph).tolist()


@pytest.mark.parametrize("shape", ["star in", "path", "dense"])
def test_rounds_that_are_given_up(shape, small_hubs, monkeypatch):
    """A warp looks at all of its tasks once, and then waits for the others."""
    monkeypatch.setattr(sweeps, "TRIES", 1)
    gpu(small_hubs, 64, 3)
    graph = cases.ranked(shaped(shape, 1), 1)
    run = emv.program(cases.levels.python).run(graph, backend="cuda")  # not compiled before
    assert run.result.tolist() == cases.by_turns(graph).tolist()
    assert run.supersteps > 1
