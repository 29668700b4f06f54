"""These tests need the CUDA simulator; `tests/test_simulated.py` runs them in a process with it."""

from __future__ import annotations

import os

import pytest

HUB, PIECE = 40, 16  # in-arcs of a hub, and of its pieces
LIMITS = (36, 32, 24, 16, 8)  # of rows that several lanes take; below those of hubs
collect_ignore_glob = [] if os.environ.get("NUMBA_ENABLE_CUDASIM") == "1" else ["test_*.py"]


@pytest.fixture
def small_digits(monkeypatch):
    """Let sorts go by 4 bits at a time: a table of 16 places is walked sooner than one of 256."""
    from emv.backends.cuda import sorting
    from emv_kernels.cuda import sort, sort_few

    monkeypatch.setattr(sorting, "DIGIT_BITS", 4)
    monkeypatch.setattr(sorting, "DIGITS", 16)
    monkeypatch.setattr(sort, "DIGITS", 16)
    monkeypatch.setattr(sort_few, "DIGITS", 16)
    monkeypatch.setattr(sort, "TALLIES", 16 * sort.WARPS)
    monkeypatch.setattr(sorting, "FEWEST_CHUNKS", 0)


@pytest.fixture
def gpu(monkeypatch, small_digits):
    """Have a GPU that builds the index arrays of graphs of any size."""
    from simulated_gpu import SimulatedDriver, install

    from emv.backends.cuda.device import device
    from emv.runtime.targets import gpu_graph

    monkeypatch.setattr(gpu_graph, "FIRST_ON_DEVICE", 0)
    install(SimulatedDriver(stops=0.001), monkeypatch)
    return device()


@pytest.fixture
def small_ranks(monkeypatch):
    """Let blocks sort chunks of 32 keys by themselves: 1,024, however few, take half a second."""
    from emv.backends.cuda import few_arcs, sorting
    from emv.backends.cuda import few_slots as launches
    from emv_kernels.cuda import few_slots, sort_fewest

    for module in (sorting, launches, few_arcs):
        monkeypatch.setattr(module, "RANKED", 32)
    for module in (sort_fewest, few_slots):
        monkeypatch.setattr(module, "RANKED", 32)
        monkeypatch.setattr(module, "RANKED_BITS", 5)
    monkeypatch.setattr(sorting, "FEWEST_CHUNKS", 32)


@pytest.fixture
def small_hubs(monkeypatch):
    """Cut vertices into pieces that have so few in-arcs as a simulator can walk."""
    from emv.backends.cuda import orders
    from emv.codegen.cuda import pull_lanes
    from emv.graph import pull

    for module, limit, value in (
        (pull, "WARP_HUB_ARCS", HUB),
        (pull, "LIMITS", LIMITS),
        (orders, "LIMITS", LIMITS),
        (orders, "STEPS", (HUB - 1, *LIMITS)),
    ):
        monkeypatch.setattr(module, limit, value)
    monkeypatch.setattr(pull.pull_order, "__defaults__", (HUB, PIECE))
    monkeypatch.setattr(pull.pieces_of, "__defaults__", (PIECE,))
    monkeypatch.setattr(pull_lanes, "PIECES", f"A/{PIECE}+A/{HUB}+2")
    return monkeypatch
