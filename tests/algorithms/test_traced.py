"""The programs of `emv.algorithms` trace to a stable text."""

import pytest
from traced_text import traced_text

from emv.algorithms import ALGORITHMS

ARGUMENTS = {
    "bfs": {"source": 0},
    "bipartite_sides": {},
    "boruvka": {},
    "cascade": {"seeds": [0]},
    "components": {},
    "core_number": {},
    "greedy_color": {},
    "k_core": {"k": 2},
    "maximal_independent_set": {},
    "num_triangles": {},
    "pagerank": {},
    "sssp": {"source": 0},
    "strongly_connected_components": {},
    "topological_generations": {},
    "triangles": {},
}


def test_every_algorithm_is_here():
    assert set(ALGORITHMS) == set(ARGUMENTS)


@pytest.mark.parametrize("name", ARGUMENTS)
def test_traced_program_reads(name, golden):
    assert golden == traced_text(ALGORITHMS[name], **ARGUMENTS[name])


def test_dangling_is_a_constant_of_the_trace(golden):
    assert golden == traced_text(ALGORITHMS["pagerank"], dangling="drop")
