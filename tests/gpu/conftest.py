"""Tests on a real GPU; those that measure it are skipped where others run beside them."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(autouse=True)
def alone(request: pytest.FixtureRequest) -> None:
    """Skip a test marked ``alone`` in a worker of pytest-xdist."""
    is_marked = request.node.get_closest_marker("alone") is not None
    if is_marked and "PYTEST_XDIST_WORKER" in os.environ:
        pytest.skip("wants the GPU for itself: run it without -n")
