"""Programs go to other processes as functions do."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from emv import Graph, program
from emv.algorithms import bfs, pagerank


def test_a_program_is_pickled_by_its_name():
    assert pickle.loads(pickle.dumps(pagerank)) is pagerank


def test_a_program_of_a_function_has_no_name_to_be_found_by():
    @program
    def inner(g):
        return g.num_vertices

    with pytest.raises((AttributeError, pickle.PicklingError), match="inner"):
        pickle.dumps(inner)


def test_a_program_runs_in_another_process():
    graph = Graph.from_edges([0, 1], [1, 2])
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(bfs, graph, 0, backend="python").result().tolist() == [0, 1, 2]
