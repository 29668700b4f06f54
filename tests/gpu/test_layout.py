"""Bodies push each other on a real GPU as on cores, and pictures come out the same every time."""

from __future__ import annotations

import numpy as np
import pytest

import emv
from emv.viz import layout
from emv_kernels.cpu.repulsion import repelled

pytestmark = pytest.mark.skipif(not emv.cuda_available(), reason="there is no GPU")


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("theta", [0.0, 0.8])
@pytest.mark.parametrize("count", [1, 33, 70_000])
def test_pushes_are_those_of_cores(dim, theta, count):
    from emv.backends.cuda.array import from_host
    from emv.backends.cuda.device import device
    from emv.backends.cuda.graph_device import GraphDevice

    count = min(count, 5_000) if theta == 0 else count
    draw = np.random.default_rng(dim)
    places = (draw.standard_normal((dim, count)) ** 3).astype(np.float32)  # dense in the middle
    places[:, count // 2] = places[:, 0]
    mass = draw.integers(1, 50, count).astype(np.float32)
    on = device()
    found = GraphDevice(on).repel(
        [from_host(on, each) for each in places], from_host(on, mass), theta, 1e-3
    )
    wanted = repelled(places, mass, theta, 1e-3, 2)
    error = np.linalg.norm(np.stack(list(map(np.asarray, found))) - wanted, axis=0)
    assert error.max(initial=0) < 5e-3 * np.linalg.norm(wanted, axis=0).max(initial=1)
    assert np.median(error) < 2e-5 * max(np.median(np.linalg.norm(wanted, axis=0)), 1e-9)


@pytest.mark.parametrize("method", ["fruchterman_reingold", "forceatlas2"])
def test_a_picture_comes_out_the_same_every_time(method):
    g = emv.generators.geometric(20_000, 0.02, rng=1)
    named = {"method": method, "iterations": 5, "rng": 3, "pos": "random"}
    one, other = (layout(g.on("cuda"), **named) for _ in range(2))
    np.testing.assert_array_equal(one, other)
    cores = layout(g, **named | {"iterations": 1})
    there = layout(g.on("cuda"), **named | {"iterations": 1})
    apart = np.linalg.norm(there - cores, axis=1)
    assert np.median(apart) < 1e-4 * np.ptp(cores, axis=0).max()
