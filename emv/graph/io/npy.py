"""The head of a ``.npy`` array (numpy's format 1.0 to 3.0), read before anything is allocated.

numpy makes room for what the head says and reads afterwards; here the bytes that must follow are
known first, so that a head that lies costs nothing. Arrays of Python objects are never unpickled.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import IO, Any

import numpy as np

from emv.errors import GraphFormatError

LONGEST_HEAD = 4096


@dataclass(frozen=True)
class Head:
    """What stands before the values of an array.

    Attributes
    ----------
    shape : tuple of int
        How many values there are in each direction.
    dtype : dtype
        Of the values.
    by_columns : bool
        Whether the first index runs fastest.
    num_bytes : int
        How long the head is; the values follow.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    by_columns: bool
    num_bytes: int

    @property
    def value_bytes(self) -> int:
        """How many bytes of values must follow."""
        return math.prod(self.shape) * self.dtype.itemsize


def read_head(stream: IO[bytes], what: str, file: str) -> Head:
    """Return the head of the array that a stream begins with; the stream then is at its values.

    Parameters
    ----------
    stream : binary file
        At its beginning.
    what : str
        What errors call the array.
    file : str
        What they call the file.

    Raises
    ------
    GraphFormatError
        If it is no such array, or one of Python objects.
    """
    try:
        version = np.lib.format.read_magic(stream)
        readers = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }
        read = readers.get(version)
        if read is None:
            raise GraphFormatError(f"{what} has version {version} of npy, expected 1.0", file)
        shape, by_columns, dtype = read(stream, max_header_size=LONGEST_HEAD)
    except GraphFormatError:
        raise
    except Exception as error:  # numpy parses the head as Python, and raises what that raises
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise GraphFormatError(f"{what} is no array of numpy: {reason}", file) from None
    if dtype.hasobject:
        raise GraphFormatError(
            f"{what} holds Python objects, which are not read since that can run any program",
            file,
            remedy="save it as numbers",
        )
    if any(length < 0 for length in shape) or dtype.names is not None or dtype.subdtype:
        raise GraphFormatError(f"{what} has shape {shape} of {dtype}, expected numbers", file)
    return Head(shape, dtype, by_columns, stream.tell())
