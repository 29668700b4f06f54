"""Pulls along kept arcs in one simulated block, on shapes whose hubs are cut into pieces."""

from __future__ import annotations

import pytest
from backends import test_kept_arcs as cases
from simulated.test_algorithms import TWO_BLOCKS, gpu, shaped

import emv
from emv import program
from emv_kernels.cuda import sweeps


@pytest.mark.parametrize(("shape", "seed"), [("star in", 0), ("star in", 1), ("dense", 2)])
def test_results(shape, seed, small_hubs):
    gpu(small_hubs, TWO_BLOCKS, (1, 3, 64)[seed])  # supersteps after which the kernel is left
    graph = cases.ranked(shaped(shape, seed), seed)
    for made in cases.MADE:
        cases.agree(made, graph, "cuda")
    assert cases.levels(graph, backend="cuda").tolist() == cases.by_turns(graph).tolist()


@program
def patient_levels(g):
    """Like `levels`, but compiled with fewer tries, by `test_rounds_that_are_given_up` alone."""
    for _ in g.sweeps():
        told = emv.combine(cases.report(g), waiting=emv.sum, highest=emv.max)
        cases.settle(g, told)
    return g.vertices.level


@pytest.mark.parametrize("shape", ["star in", "path", "dense"])
def test_rounds_that_are_given_up(shape, small_hubs, monkeypatch):
    """A warp looks at all of its tasks once, and then waits for the others."""
    monkeypatch.setattr(sweeps, "TRIES", 1)
    monkeypatch.setattr(sweeps, "AT_ONCE", 0)
    gpu(small_hubs, TWO_BLOCKS, 3)
    graph = cases.ranked(shaped(shape, 1), 1)
    run = patient_levels.run(graph, backend="cuda")
    assert run.result.tolist() == cases.by_turns(graph).tolist()
    assert run.supersteps > 1
