"""Receivers of a sweep that look again, in rounds of a warp's own on a GPU, against the turns."""

from __future__ import annotations

import numpy as np
import pytest
from backends.plain_graphs import busy, path
from backends.test_kept_arcs import Report, Task, by_turns, levels_of_three_orders, ranked, report
from backends_available import BACKENDS
from hypothesis import given, settings
from hypothesis import strategies as st
from scheduled import compiled
from strategies import graphs

import emv
from emv import Graph, program, vertex
from emv.ir.schedule import launches_in


@vertex
def settle_aloud(v: Task, news: Report):
    if v.level < 0 and news.waiting == 0:
        v.level = max(news.highest, -1) + 1
        emv.keep_going()  # who waits is silent, and looks again as somebody is done with


@vertex
def settle_in_company(v: Task, news: Report):
    if v.level < 0:
        if news.waiting == 0:
            v.level = max(news.highest, -1) + 1
        else:
            emv.keep_going()


@program
def by_those_done(g):
    for _ in g.sweeps():
        settle_aloud(g, emv.combine(report(g), waiting=emv.sum, highest=emv.max))
    return g.vertices.level


@program
def by_those_waiting(g):
    for _ in g.sweeps():
        settle_in_company(g, emv.combine(report(g), waiting=emv.sum, highest=emv.max))
    return g.vertices.level


MADE = (by_those_done, by_those_waiting)
over_backends = pytest.mark.parametrize("backend", BACKENDS)


def wide(rows: int = 150, seed: int = 4) -> Graph:
    """Return a graph whose vertices have one to some hundred in-arcs: rows of all widths."""
    draw = np.random.default_rng(seed)
    dst = draw.integers(0, rows, 6 * rows) ** 2 // rows
    src = draw.integers(0, rows, 6 * rows)
    hubs = np.repeat([rows - 1, rows - 2], rows)
    return Graph.from_edges(
        np.concatenate([src, np.tile(np.arange(rows), 2)]), np.concatenate([dst, hubs])
    )


def test_which_look_again():
    def again(made):
        body = compiled(made, target="cuda").schedule.body
        return [each.again == "receivers" for each in launches_in(body) if each.folds]

    assert again(by_those_done) == again(by_those_waiting) == [True]
    assert again(levels_of_three_orders) == [False]  # which go by supersteps


@over_backends
@settings(max_examples=20)
@given(graph=graphs(), seed=st.integers(0, 3))
def test_all_get_the_levels_of_their_turns(backend, graph, seed):
    graph = ranked(graph, seed)
    for made in MADE:
        np.testing.assert_array_equal(np.asarray(made(graph, backend=backend)), by_turns(graph))


@pytest.mark.parametrize("make", [busy, lambda: path(90), wide])
def test_rows_of_all_widths_and_long_chains(make, backend):
    g = make()
    for seed in range(2):
        wanted = by_turns(ranked(g, seed))
        for made in MADE:
            np.testing.assert_array_equal(np.asarray(made(g, backend=backend)), wanted)
