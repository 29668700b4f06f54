"""A pytest plugin: tests run on graphs in parts, on cores whose text is interpreted.

Usage: PYTHONPATH=tests EMV_TEST_PARTS=2,3/hash pytest -p parts_backend tests/backends

Each entry of ``EMV_TEST_PARTS`` is a number of parts, with a way of dividing behind it or not.
Interpreted, since a text of small graphs is sooner run than compiled; ``EMV_TEST_COMPILED=1``
compiles.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

import backends_available
import pytest
from hypothesis import settings
from interpreted_cpu import interpreted

from emv.testing import agreement

settings.register_profile("parts", max_examples=4, deadline=None, derandomize=True)
NAMES = tuple(f"cpu/{each}" for each in os.environ.get("EMV_TEST_PARTS", "3").split(","))


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests() -> None:
    """Leave the parts alone, before conftest.py of tests/backends reads which backends there are.

    Tests that compare all backends are told so, too.
    """
    backends_available.BACKENDS = NAMES
    agreement.backends_here = lambda: ("python", *NAMES)


def pytest_sessionstart() -> None:
    settings.load_profile("parts")  # after that of conftest.py, before tests are read


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop(session: pytest.Session) -> Iterator[None]:
    """Interpret what tests would compile."""
    is_compiled = os.environ.get("EMV_TEST_COMPILED") == "1"
    with contextlib.nullcontext() if is_compiled else interpreted():
        return (yield)
