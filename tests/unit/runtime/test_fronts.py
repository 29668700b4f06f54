"""What each superstep of a search does, by the rules of the kernels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from emv import Graph
from emv.graph.supersteps import Superstep
from emv.runtime.targets.fronts import (
    Front,
    Sizes,
    behind_fronts,
    claimed,
    heard,
    search_of,
    walked,
    with_rows,
)

DOES = Superstep(visits=0.0, sweeps=0.0, active=1)
MEETS = replace(DOES, meets=True)
SIZES = Sizes(vertices=1000, arcs=100_000, longest_out=1024, longest_in=8192)


def front(active: int, arcs: int, found: int = 0, left: int = 0) -> Front:
    return Front(active, arcs, found, left, longest=2048)


def test_what_is_walked_is_told_by_when_vertices_were_found():
    sources, targets = [0, 0, *range(1, 10), 3], [1, 2, *range(10, 19), 0]
    graph = Graph.from_edges(sources, targets, num_vertices=20)
    found_in = np.array([0, 1, 1, 2, *[-1] * 16])
    first, second, last = behind_fronts(DOES, graph, found_in)
    assert (first.walks, second.walks, last.walks) == (2 / 12, 2 / 12, 2 / 12)
    assert (first.moved, second.moved, last.moved) == (0.1, 0.05, 0.0)
    assert {each.crowd + each.phases for each in (first, second, last)} == {0}
    assert behind_fronts(DOES, Graph.from_edges([], [], num_vertices=0), np.empty(0, int)) == []


def test_where_many_are_active_all_look_at_their_arcs():
    few, many = heard(MEETS, SIZES, [front(9, 25_000), front(9, 25_001)])
    assert (few.walks, few.sweeps, few.stretches) == (0.25, 0.0, 0.0)
    assert (many.walks, many.sweeps, many.stretches) == (0.0, 1.0, 1.0)
    few, many = heard(replace(MEETS, draws=1.0), SIZES, [front(9, 25_000), front(9, 25_001)])
    assert (few.walks, few.draws, many.sweeps, many.draws) == (0.0, 0.25, 0.0, 1.0)


def test_rows_of_whom_somebody_has_found_are_not_walked_where_they_say_so():
    (some,) = heard(replace(MEETS, guarded=True), SIZES, [front(9, 25_001)])
    assert (some.stretches, some.phases) == (0.25, 2)  # no row is cut that is walked
    (host,) = walked(replace(DOES, draws=1.0), SIZES, [front(9, 25_000)])
    assert (host.walks, host.draws) == (0.0, 0.25)


def test_blocks_wait_for_each_other_where_not_one_works_alone():
    fronts = [front(9, 503), front(9, 504), front(9, 1024), front(9, 25_001)]
    assert {(each.crowd, each.phases) for each in walked(DOES, SIZES, fronts)} == {(0, 0)}
    found = [(each.crowd, each.phases) for each in heard(MEETS, SIZES, fronts)]
    assert found == [(0, 0), (1, 1), (1, 2), (1, 3)]  # rows, and hubs, are cut into pieces
    short = SIZES._replace(longest_out=1023, longest_in=8191)
    found = [(each.crowd, each.phases) for each in heard(MEETS, short, fronts)]
    assert found == [(0, 0), (1, 1), (1, 1), (1, 2)]


def test_claims_look_at_who_is_left_and_push_again_where_few_are_active():
    fronts = [front(1, 900, 500), front(500, 30_000, 400, 480), front(400, 50_000, 80, 80)]
    fronts += [front(80, 2000, 0, 0), front(1, 1)]
    first, *pulls, last = claimed(replace(MEETS, claims=True), SIZES, fronts)
    assert (first.walks, first.phases, first.crowd) == (900 / 100_000, 0, 1)
    assert [each.walks for each in pulls] == [480 / 100_000, 80 / 100_000, 0.0]
    assert [each.phases for each in pulls] == [2, 1, 1]  # found by others are entered once
    assert (last.walks, last.phases, last.crowd) == (1 / 100_000, 0, 0)


@pytest.mark.parametrize(("arcs", "phases"), [(8191, 0), (8192, 1)])
def test_calls_along_all_arcs_fold_pieces_first_where_rows_are_cut(arcs, phases):
    graph = Graph.from_edges(np.arange(arcs) + 1, np.zeros(arcs, int), num_vertices=arcs + 1)
    does = with_rows(replace(MEETS, pulls=1), graph, 0.25)
    assert (does.phases, does.stretches) == (phases, 0.25)
    assert with_rows(DOES, graph, 0.25) == DOES


def test_a_search_from_the_vertex_with_the_most_arcs():
    graph = Graph.from_edges([0, 1, 1, 1, 3, 4], [1, 2, 3, 3, 4, 1], num_vertices=6)
    assert search_of(graph).tolist() == [-1, 0, 1, 1, 2, -1]
    assert len(search_of(Graph.from_edges([], [], num_vertices=0))) == 0
