"""Profiles of programs on a GPU: records add up to the time that kernels took."""

from __future__ import annotations

import numpy as np
import pytest

import emv
from docs import build_lesson_gpu as lesson_profile
from emv import Graph
from emv.algorithms import bfs, pagerank, sssp

pytestmark = pytest.mark.skipif(not emv.cuda_available(), reason="there is no GPU")


def some_graph(size: int = 20_000) -> Graph:
    draw = np.random.default_rng(1)
    src, dst = draw.integers(0, size, (2, 8 * size))
    return Graph.from_edges(src, dst, num_vertices=size, weight=draw.random(8 * size))


@pytest.mark.alone
@pytest.mark.parametrize(("program", "given"), [(bfs, (0,)), (sssp, (0,)), (pagerank, ())])
def test_records_add_up_to_the_run(program, given):
    graph = some_graph()
    program.run(graph, *given, backend="cuda")
    run = program.run(graph, *given, backend="cuda")
    profile = program.profile(graph, *given, backend="cuda")
    steps = [each.number for each in profile.supersteps if each.number]
    assert steps == list(range(1, len(steps) + 1))
    if program is not sssp:  # whose rounds depend on which thread comes first
        assert len(steps) == run.supersteps
    assert profile.lost == 0
    assert 0 < profile.seconds < 10 * run.seconds + 1e-3
    assert 0 < profile.tick_s <= 2e-6
    assert 5e10 < profile.copy_bytes_per_s < 2e13


def test_frontier_of_a_bfs_is_its_levels():
    graph = some_graph()
    depth = np.asarray(bfs(graph, 0, backend="cuda"))
    profile = bfs.profile(graph, 0, backend="cuda")
    widths = np.bincount(depth[depth >= 0])
    found = [each.frontier for each in profile.supersteps if each.number]
    assert found == widths.tolist()


def test_many_supersteps_need_many_buffers():
    size = 30_000
    path = Graph.from_edges(np.arange(size - 1), np.arange(1, size), num_vertices=size)
    profile = bfs.profile(path, 0, backend="cuda")
    assert profile.lost == 0
    assert len([each for each in profile.supersteps if each.number]) == size
    assert all(each.one_block or each.number < 2 for each in profile.supersteps[1:])


def test_lesson_prints_what_it_shows(tmp_path):
    text = lesson_profile.PAGE.read_text(encoding="utf-8")
    printed = lesson_profile.shown(lesson_profile.program_of(text, str(tmp_path)), 200, "cuda")
    assert "launch 3  drive_max_arrive over active; either" in printed
    assert "charge_left on cuda" in printed
