"""Streams of other libraries, as they say what they are.

Those of cuda.core follow the protocol ``__cuda_stream__``; CuPy, torch and numba have a number.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from emv.errors import ArgumentError


def stream_handle(stream: Any) -> int:
    """Return the number of a stream: an int, or an object of another library.

    Raises
    ------
    ArgumentError
        If it is neither.
    """
    if isinstance(stream, int) and not isinstance(stream, bool):
        return stream
    if hasattr(stream, "__cuda_stream__"):
        protocol = stream.__cuda_stream__
        return int((protocol() if callable(protocol) else protocol)[1])
    for handle in _handles(stream):
        return int(handle)
    raise ArgumentError(
        f"stream= is a stream of cuda.core, CuPy or torch, or its handle, not {stream!r}"
    )


def _handles(stream: Any) -> Iterator[Any]:
    for attribute in ("ptr", "cuda_stream", "handle"):
        if hasattr(stream, attribute):
            yield getattr(stream, attribute)
