"""Programs that change the graph they run on, against lists in plain Python."""

from __future__ import annotations

import pytest
from random_mutations import CHANGES, compare, drawn


@pytest.mark.parametrize("directed", [True, False])
def test_random_scripts(directed):
    for seed in range(10):
        compare(drawn(seed), seed, directed, "python")


@pytest.mark.parametrize("verb", CHANGES)
def test_each_verb_alone(verb):
    for seed in range(2):
        compare(drawn(seed, (verb,), 2), seed, True, "python")
