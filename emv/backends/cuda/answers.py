"""The driver's functions, and what their answers mean."""

from __future__ import annotations

import contextlib
import ctypes
import functools
from typing import Any

from emv.errors import BackendUnavailableError, DeviceError
from emv.imports import optional

REMEDY = "Install what it needs with: pip install 'emv-graph[cuda]'."


LIBRARY = "libcuda.so.1"


class OutOfMemoryError(Exception):
    """The GPU has not that much memory left."""


def awaken(ordinal: int) -> None:
    """Have the driver begin, and make a GPU's context, which takes it tenths of a second.

    That needs none of the packages, which are loaded meanwhile; `api` and who makes the context
    then find it done, or wait for it. What fails here fails there, too, and is told there.
    """
    with contextlib.suppress(OSError):  # there is no driver
        driver, handle, context = ctypes.CDLL(LIBRARY), ctypes.c_int(), ctypes.c_void_p()
        if not (driver.cuInit(0) or driver.cuDeviceGet(ctypes.byref(handle), ordinal)):
            driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), handle)


@functools.cache
def api() -> Any:
    """Return the driver's functions, initialised.

    Raises
    ------
    BackendUnavailableError
        If the package, the driver or a GPU is missing; the message says which.
    """
    try:
        cuda = optional("cuda.bindings.driver")
    except ImportError as error:
        raise BackendUnavailableError(
            f"programs cannot run on a GPU: {error}", remedy=REMEDY
        ) from None
    try:
        status = cuda.cuInit(0)[0]
    except (ImportError, OSError, RuntimeError):
        raise BackendUnavailableError(
            "programs cannot run on a GPU: there is no NVIDIA driver on this machine",
            remedy="Install the driver, or run with backend='cpu'.",
        ) from None
    count = cuda.cuDeviceGetCount()[1] if status == 0 else 0
    if not count:
        said = "" if status == 0 else f" ({cuda.cuGetErrorString(status)[1].decode()})"
        raise BackendUnavailableError(
            f"programs cannot run on a GPU: the driver finds none{said}",
            remedy="Look at nvidia-smi and CUDA_VISIBLE_DEVICES, or run with backend='cpu'.",
        )
    return cuda


def checked(answer: tuple[Any, ...]) -> Any:
    """Return what a call of the driver gives besides its status.

    Raises
    ------
    OutOfMemoryError, DeviceError
        If the status is an error.
    """
    status = answer[0]
    if status != 0:
        cuda = api()
        if status == cuda.CUresult.CUDA_ERROR_OUT_OF_MEMORY:
            raise OutOfMemoryError
        name, text = (ask(status)[1] for ask in (cuda.cuGetErrorName, cuda.cuGetErrorString))
        raise DeviceError(
            f"the GPU failed: {name.decode()}: {text.decode()}",
            remedy="After some errors the GPU refuses this process until a new one is started.",
        )
    return answer[1] if len(answer) == 2 else answer[1:]
