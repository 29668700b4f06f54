"""What instances return, added up where rows are so long that they are cut: each counts once."""

from __future__ import annotations

import pytest
from backends.long_totals_cases import agree, hubs_of
from simulated_gpu import SimulatedDriver, install


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("hubs", [0, 1, 3])
def test_every_arc_counts_once(monkeypatch, directed, hubs):
    install(SimulatedDriver(), monkeypatch)
    agree(hubs_of(hubs, directed))
