"""A simulated GPU in the place of ``cuda`` while a test runs."""

from __future__ import annotations

import pytest

from emv.backends.cuda import compile as cuda_compile
from emv.backends.cuda import device as cuda_device
from emv.backends.cuda import driver as cuda_driver
from emv.backends.simulated.gpu import ENTRIES_PER_BLOCK, SimulatedDriver, keep_text


def install(driver: SimulatedDriver, patch: pytest.MonkeyPatch) -> None:
    """Put a simulated GPU in the place of ``cuda``."""
    patch.setattr(cuda_compile, "load", keep_text)
    patch.setitem(cuda_device.DEVICES, driver.ordinal, cuda_device.Device(driver))
    patch.setattr(cuda_device, "ENTRIES_PER_BLOCK", ENTRIES_PER_BLOCK)
    patch.setattr(cuda_driver, "num_devices", lambda: len(cuda_device.DEVICES))
