"""The programs of `emv.algorithms` trace to a stable text."""

import pytest
from algorithm_arguments import named_arguments
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
    "maximal_bipartite_matching": {"side": [0, 1, 1]},
    "maximal_independent_set": {},
    "maximal_matching": {},
    "num_triangles": {},
    "pagerank": {},
    "sssp": {"source": 0},
    "strongly_connected_components": {},
    "topological_generations": {},
    "triangles": {},
}

@pytest.mark.parametrize("name", ALGORITHMS)
def test_traced_program_reads(name, golden):
    assert golden == traced_text(ALGORITHMS[name], **named_arguments(name))


def test_dangling_is_a_constant_of_the_trace(golden):
    assert golden == traced_text(ALGORITHMS["pagerank"], dangling="drop")
