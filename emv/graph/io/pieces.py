"""Many bytes from a file or into one, in pieces between which Python hears signals.

One call of the system for gigabytes is not left before it is over.
"""

from __future__ import annotations

from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

PIECE_BYTES = 1 << 25
TIMES_PACKED = 16  # how much longer packing an entry takes than sorting it


def write_pieces(file: IO[bytes], values: NDArray[Any]) -> None:
    r"""Write the bytes of an array, which lie one behind the other.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO()
    >>> write_pieces(file, np.array([1, 2], np.uint8))
    >>> file.getvalue()
    b'\x01\x02'
    """
    bytes_of = values.reshape(-1).view(np.uint8).data
    for begin in range(0, len(bytes_of), PIECE_BYTES):
        file.write(bytes_of[begin : begin + PIECE_BYTES])


def read_pieces(file: IO[bytes], content: NDArray[np.uint8]) -> int:
    r"""Fill an array with what comes next in a file, and return how many bytes there were.

    Examples
    --------
    >>> import io
    >>> content = np.zeros(3, np.uint8)
    >>> read_pieces(io.BytesIO(b"ab"), content), content.tobytes()
    (2, b'ab\x00')
    """
    filled, view = 0, content.data
    while filled < len(view):
        count = file.readinto(view[filled : filled + PIECE_BYTES])  # type: ignore[attr-defined]
        if not count:
            break
        filled += count
    return filled
