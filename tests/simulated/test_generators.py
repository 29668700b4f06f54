"""Graphs made on a GPU are those made on the host, bit by bit."""

from __future__ import annotations

import numpy as np
import pytest
from simulated_gpu import SimulatedDriver, install

from emv import generators

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")

MODELS = {
    "rmat": lambda **on: generators.rmat(100, 90, rng=3, **on),
    "rmat of a side": lambda **on: generators.rmat(2, 20, noise=0.25, rng=2**63 - 1, **on),
    "kronecker": lambda **on: generators.kronecker(5, 2, rng=4, **on),
    "random": lambda **on: generators.random(3, 70, rng=5, **on),
    "bipartite": lambda **on: generators.bipartite(7, 9, 70, rng=6, **on),
    "whole weights": lambda **on: generators.random(9, 50, weights=(-5, 60), rng=7, **on),
    "weights": lambda **on: generators.random(9, 50, weights=(-0.1, 0.7), rng=8, **on),
    "grid": lambda **on: generators.grid(3, 4, 5, **on),
    "torus": lambda **on: generators.grid(5, 3, periodic=True, **on),
    "geometric": lambda **on: generators.geometric(40, 0.3, rng=9, **on),
    "nothing": lambda **on: generators.rmat(5, 0, **on),
}


@pytest.mark.parametrize("model", MODELS)
def test_same_graph_on_a_gpu(model, monkeypatch):
    install(SimulatedDriver(stops=0.0), monkeypatch)
    here, there = MODELS[model](), MODELS[model](device="cuda")
    ends = there.edges.ends().on_device
    assert (ends is None) == (model == "geometric")
    assert np.array_equal(here.edges.src, there.edges.src)
    assert np.array_equal(here.edges.dst, there.edges.dst)
    for one, other in ((here.edges, there.edges), (here.vertices, there.vertices)):
        assert one.names() == other.names()
        for name in one:
            assert one[name].dtype == other[name].dtype
            assert one.stored(name).tobytes() == other.stored(name).tobytes()
