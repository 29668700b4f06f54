"""Bodies push each other on a simulated GPU as on cores, and so do the vertices of a picture."""

from __future__ import annotations

import numpy as np
import pytest
from simulated_gpu import SimulatedDriver, install

from emv import Graph
from emv.backends.cuda import repulsion
from emv.backends.cuda.array import from_host
from emv.backends.cuda.device import device
from emv.backends.cuda.graph_device import GraphDevice
from emv.viz import layout
from emv_kernels.cpu.repulsion import repelled


@pytest.fixture
def gpu(monkeypatch, small_digits):
    install(SimulatedDriver(stops=0.001), monkeypatch)
    monkeypatch.setattr(repulsion, "SPAN", 4)  # so that a small tree has parts and a top
    return device()


@pytest.mark.parametrize(("dim", "count"), [(2, 150), (3, 130), (2, 1), (3, 32)])
def test_like_the_cores(gpu, dim, count):
    draw = np.random.default_rng(dim)
    places = draw.random((dim, count)).astype(np.float32)
    if count > 32:
        places[:, 9] = places[:, 8]  # one on another
    mass = draw.integers(1, 5, count).astype(np.float32)
    given = [from_host(gpu, each) for each in places], from_host(gpu, mass)
    found = GraphDevice(gpu).repel(*given, 0.7, 0.01)
    wanted = repelled(places, mass, 0.7, 0.01, 1)
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)


def test_a_place_that_is_no_number_opens_nothing(gpu):
    places = np.ones((2, 40), np.float32)
    places[:, 3] = np.nan
    given = [from_host(gpu, each) for each in places], from_host(gpu, np.ones(40, np.float32))
    found = GraphDevice(gpu).repel(*given, 0.7, 0.01)
    assert np.isnan(np.asarray(found[0])).all()


@pytest.mark.parametrize("method", ["fruchterman_reingold", "forceatlas2"])
def test_a_picture_is_that_of_the_cores(gpu, method):
    draw = np.random.default_rng(1)
    src, dst = draw.integers(0, 20, (2, 30))
    g = Graph.from_edges(src, dst, num_vertices=20)
    named = {"method": method, "pos": draw.random((20, 2)), "theta": 0.5, "iterations": 2}
    named |= {"weight": draw.random(30), "fixed": [3]}
    there = layout(g.on("cuda"), **named)
    np.testing.assert_allclose(there, layout(g.on("cpu"), **named), rtol=1e-4, atol=1e-5)
