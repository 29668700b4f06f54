"""Graphs made on a real GPU are those made on the host, bit by bit, and run where they are."""

from __future__ import annotations

import pytest
from generated import MODELS, digest

import emv
from emv import algorithms, generators

pytestmark = pytest.mark.skipif(not emv.cuda_available(), reason="there is no GPU")


@pytest.mark.parametrize("model", MODELS)
def test_same_graph_on_a_gpu(model):
    here, there = MODELS[model](0.05, {}), MODELS[model](0.05, {"device": "cuda"})
    assert digest(here) == digest(there)
    assert (there.edges.ends().on_device is None) == (model == "geometric")


def test_wide_ids_on_a_gpu():
    """Ids of 64 bits, as from 2**31 vertices on."""
    options = {"rng": 3, "weights": (-(2**40), 5 - 2**40)}
    here, there = (
        generators.random(2**31 + 9, 5000, **options, **on) for on in ({}, {"device": "cuda"})
    )
    assert here.edges.src.dtype == "int64"
    assert digest(here) == digest(there)


def test_a_generated_graph_runs_where_it_is():
    graph = generators.rmat(5000, 40_000, rng=2, device="cuda")
    host = generators.rmat(5000, 40_000, rng=2)
    there = algorithms.bfs(graph.on("cuda"), source=1)
    assert there.tolist() == algorithms.bfs(host.on("cpu"), source=1).tolist()
