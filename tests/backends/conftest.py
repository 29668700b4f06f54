"""Every test of this folder that takes ``backend`` runs once per backend of this machine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from backends_available import BACKENDS
from fake_cuda import FakeDriver, faked


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(params=[each for each in BACKENDS if each != "python"])
def compiled(request: pytest.FixtureRequest) -> str:
    """One of the backends that compile."""
    return request.param


@pytest.fixture
def fake_cuda(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeDriver]:
    """Put a stand-in in the place of the first GPU."""
    with faked(monkeypatch) as driver:
        yield driver
