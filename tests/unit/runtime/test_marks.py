"""Ranges for profilers: where they are asked for they nest as work does; else none."""

import sys
import types
from contextlib import contextmanager

import numpy as np
import pytest
from backends_available import BACKENDS

from emv import Graph, config
from emv.algorithms import bfs
from emv.errors import ArgumentError

PATH = Graph.from_edges(range(5), range(1, 6))


@pytest.fixture
def ranges(monkeypatch):
    """The ranges that were made, by how deep each stood, through a module in the place of nvtx."""
    made, depth = [], [0]

    @contextmanager
    def annotate(name, domain):
        assert domain == "emv"
        made.append((depth[0], name))
        depth[0] += 1
        try:
            yield
        finally:
            depth[0] -= 1

    module = types.ModuleType("nvtx")
    module.annotate = annotate
    monkeypatch.setitem(sys.modules, "nvtx", module)
    yield made
    assert depth == [0]


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_run_is_a_range_around_those_of_its_parts(ranges, backend):
    with config.using(nvtx=True):
        bfs(PATH, 0, backend=backend)
    assert ranges[0] == (0, "bfs")
    within = [name for depth, name in ranges[1:] if depth == 1]
    assert len(within) == len(ranges) - 1
    if backend == "python":
        assert not within
    else:
        assert within[0] == "bfs: arrays"
        assert len(within) > 1


def test_ranges_end_where_a_run_fails(ranges):
    def stop(*_):
        raise ZeroDivisionError

    with config.using(nvtx=True), pytest.raises(ZeroDivisionError):
        bfs(PATH, 0, backend="cpu", callback=stop)


def test_there_are_none_by_default(ranges):
    bfs(PATH, 0, backend="cpu")
    assert ranges == []


def test_nvtx_itself_takes_them():
    pytest.importorskip("nvtx")
    with config.using(nvtx=True):
        found = bfs(PATH, 0, backend="cpu")
    assert np.asarray(found).tolist() == [*range(6)]


def test_without_nvtx_it_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "nvtx", None)
    with config.using(nvtx=True), pytest.raises(ArgumentError, match=r"emv-graph\[nvtx\]"):
        bfs(PATH, 0, backend="python")
