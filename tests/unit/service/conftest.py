"""What tests of services have in common."""

from __future__ import annotations

import numpy as np
import pytest

from emv import Graph


@pytest.fixture(scope="module")
def graph():
    draw = np.random.default_rng(3)
    return Graph.from_edges(draw.integers(0, 40, 160), draw.integers(0, 40, 160), num_vertices=40)
