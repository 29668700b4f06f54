"""A pytest plugin that makes a simulated GPU the one compiled backend of the tests.

Usage: NUMBA_ENABLE_CUDASIM=1 PYTHONPATH=tests pytest -p simulated_backend tests/backends
"""

from __future__ import annotations

import zlib

import backends_available
import pytest
from hypothesis import settings
from simulated_gpu import SimulatedDriver, install

DRIVER = SimulatedDriver()
settings.register_profile("simulated", max_examples=4, deadline=None, derandomize=True)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests() -> None:
    """Install it before conftest.py of tests/backends reads which backends there are.

    Only as a plugin, as this file is also read for the examples it might hold.
    """
    backends_available.BACKENDS = ("cuda:0",)
    install(DRIVER, pytest.MonkeyPatch())


def pytest_sessionstart() -> None:
    settings.load_profile("simulated")  # after that of conftest.py, before tests are read


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Draw another order of threads for every test, the same in every run of it."""
    DRIVER.options["seed"] = zlib.crc32(item.nodeid.encode())


def pytest_collection_finish(session: pytest.Session) -> None:
    """Refuse to run tests that would run elsewhere and pass."""
    for item in session.items:
        parameters = getattr(getattr(item, "callspec", None), "params", {})
        if {parameters.get(name, "cuda:0") for name in ("backend", "compiled")} != {"cuda:0"}:
            raise pytest.UsageError(f"{item.nodeid} would not run on the simulated GPU")
