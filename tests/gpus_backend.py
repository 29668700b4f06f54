"""A pytest plugin: tests run on graphs in parts, each on a GPU, simulated or real.

Usage: NUMBA_ENABLE_CUDASIM=1 PYTHONPATH=tests EMV_TEST_GPUS=0,1/hash \
    pytest -p gpus_backend tests/backends
       PYTHONPATH=tests EMV_TEST_GPUS="0,0 0,0/hash/host" \
    pytest -p gpus_backend -k cuda: tests/backends

Each word of ``EMV_TEST_GPUS``, separated by spaces, says which GPU each part has, how the graph is
divided, and who exchanges. There are `NUMBER` simulated GPUs; without that switch they are real.
"""

from __future__ import annotations

import os
import zlib

import backends_available
import pytest
from hypothesis import settings
from simulated_gpu import SimulatedDriver, install

from emv.testing import agreement

NUMBER = 3
IS_SIMULATED = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
DRIVERS = [SimulatedDriver(ordinal=k) for k in range(NUMBER if IS_SIMULATED else 0)]
settings.register_profile("gpus", max_examples=3, deadline=None, derandomize=True)
NAMES = tuple(f"cuda:{each}" for each in os.environ.get("EMV_TEST_GPUS", "0,1,2").split())


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests() -> None:
    """Install them before conftest.py of tests/backends reads which backends there are.

    Tests that compare all backends are told so, too.
    """
    backends_available.BACKENDS = NAMES
    agreement.backends_here = lambda: ("python", *NAMES)
    patch = pytest.MonkeyPatch()
    for driver in DRIVERS:
        install(driver, patch)


def pytest_sessionstart() -> None:
    settings.load_profile("gpus")  # after that of conftest.py, before tests are read


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Draw another order of threads for every test, the same in every run of it."""
    for driver in DRIVERS:
        driver.options["seed"] = zlib.crc32(item.nodeid.encode())
