"""Folds of what functions return: of values as rows hold them, whether rows are kept or not."""

import numpy as np
import pytest

import emv
from emv import Edge, Graph, Vertex, edge, i8, i32, program, u8, u32, vertex
from tests.backends.agreement import compiled_runs

FOLDS = {"total": np.sum, "largest": np.max, "smallest": np.min, "count": np.count_nonzero}


def small_program(kind):
    """Return a program that gives rows and their folds, and the folds of rows that nobody keeps."""

    class Spot(Vertex):
        small: kind

    class Road(Edge[Spot]):
        small: kind

    @vertex
    def of_vertex(v: Spot):
        return v.small * 20 - 7

    @edge
    def of_edge(e: Road):
        return e.small * 20 - 7

    @program
    def run(g):
        rows = of_vertex(g)
        beside = tuple(getattr(emv, word)(rows) for word in FOLDS)
        alone = tuple(getattr(emv, word)(of_vertex(g)) for word in FOLDS)
        return rows, beside, alone, tuple(getattr(emv, word)(of_edge(g)) for word in FOLDS)

    return run


def graph_of(small):
    """Return a path whose vertices and edges have small numbers, and what its folds are to be."""
    g = Graph.from_edges(np.arange(40), np.arange(1, 41), small=small[:40], num_vertices=41)
    g.vertices.small = small
    rows = (small.astype(np.int64) * 20 - 7).astype(small.dtype)
    folds = [
        tuple(int(fold(each.astype(np.int64))) for fold in FOLDS.values())
        for each in (rows, rows[:40])
    ]
    return g, rows, *folds


@pytest.mark.parametrize(
    ("kind", "dtype"), [(i8, np.int8), (u8, np.uint8), (i32, np.int32), (u32, np.uint32)]
)
def test_results_are_folded_as_rows_hold_them(kind, dtype):
    limits = np.iinfo(dtype)
    g, rows, of_rows, of_links = graph_of(np.linspace(limits.min, limits.max, 41).astype(dtype))
    eager, others = compiled_runs(small_program(kind), g)
    for run in (eager, *others):
        np.testing.assert_array_equal(run.result[0], rows)
        assert run.result[1:] == (of_rows, of_rows, of_links)
