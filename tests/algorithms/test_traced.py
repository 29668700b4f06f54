"""The programs of `emv.algorithms` trace to a stable text."""

import pytest
from algorithm_arguments import named_arguments
from traced_text import traced_text

from emv.algorithms import ALGORITHMS


@pytest.mark.parametrize("name", ALGORITHMS)
def test_traced_program_reads(name, golden):
    assert golden == traced_text(ALGORITHMS[name], **named_arguments(name))


def test_dangling_is_a_constant_of_the_trace(golden):
    assert golden == traced_text(ALGORITHMS["pagerank"], dangling="drop")
