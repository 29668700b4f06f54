"""Programs that change their graph, on the simulated GPU."""

from __future__ import annotations

import pytest
from random_mutations import compare, drawn
from simulated_gpu import SimulatedDriver, install


@pytest.mark.parametrize("directed", [True, False])
def test_random_scripts(directed, monkeypatch):
    install(SimulatedDriver(), monkeypatch)
    for seed in range(2):
        compare(drawn(seed, supersteps=2), seed, directed, "cuda:0")
