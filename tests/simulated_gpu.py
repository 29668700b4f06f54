"""A simulated GPU in the place of ``cuda`` while a test runs."""

from __future__ import annotations

import pytest

from emv.backends.cuda import compile as cuda_compile
from emv.backends.cuda import device as cuda_device
from emv.backends.cuda import driver as cuda_driver
from emv.backends.simulated.gpu import ENTRIES_PER_BLOCK, SimulatedDriver, keep_text
from emv.codegen.cuda import long_lists
from emv_kernels.cuda import tallies


def install(driver: SimulatedDriver, patch: pytest.MonkeyPatch) -> None:
    """Put a simulated GPU in the place of ``cuda``."""
    patch.setattr(cuda_compile, "load", keep_text)
    patch.setitem(cuda_device.DEVICES, driver.ordinal, cuda_device.Device(driver))
    patch.setattr(cuda_device, "ENTRIES_PER_BLOCK", ENTRIES_PER_BLOCK)
    patch.setattr(cuda_driver, "num_devices", lambda: len(cuda_device.DEVICES))


def shorten_lists(patch: pytest.MonkeyPatch, long: int, wide: int, places: int) -> None:
    """Leave lists of so many messages to warps, and to blocks, whose tables are soon full."""
    patch.setattr(long_lists, "LONG", long)
    patch.setattr(long_lists, "WIDE", wide)
    patch.setattr(tallies, "TALLY_PLACES", places)
    patch.setattr(tallies, "NEAR", 3)
    patch.setattr(tallies, "MANY", 2)
