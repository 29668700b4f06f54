"""Who may give a seed: whole numbers, and generators of numpy, which draw one."""

from __future__ import annotations

import numpy as np
import pytest
from backends_available import BACKENDS

from emv.algorithms import icm
from emv.errors import ArgumentError
from emv.graph import Graph

RING = Graph.from_edges(range(40), [*range(1, 40), 0])


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_generator_draws_the_seed(backend: str) -> None:
    generator = np.random.default_rng(7)
    found = [icm(RING, 0, p=0.8, seed=generator, backend=backend).tolist() for _ in range(8)]
    again = np.random.default_rng(7)
    seeds = [int(again.integers(2**62)) for _ in range(8)]
    assert found == [icm(RING, 0, p=0.8, seed=seed, backend="python").tolist() for seed in seeds]
    assert len(set(map(str, found))) > 1


@pytest.mark.parametrize("seed", ["1", 1.5, None, True, np.random.RandomState(1)])
def test_what_is_no_seed(seed) -> None:
    with pytest.raises(ArgumentError, match=r"seed= is a whole number, not .*\n.*Generator"):
        icm(RING, 0, seed=seed, backend="python")
