"""Every test of this folder that takes ``backend`` runs once per backend of this machine."""

from __future__ import annotations

import pytest
from backends_available import BACKENDS


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    return request.param
