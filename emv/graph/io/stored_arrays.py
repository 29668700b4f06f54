"""One array as a ``.npy`` file that is mapped into memory, and how a change to it is noticed.

A stamp is what the file system says of a file (its size, its times, its number) and a checksum
of some of its blocks. The time of the last change of a file's state (ctime) is the system's and
cannot be set, so a file that was copied, unpacked or written into has another stamp than the one
noted when it was written. The checksum is of the whole of a small file, which may change faster
than the clock ticks.
"""

from __future__ import annotations

import os
import stat
import zlib
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import GraphFormatError
from emv.graph.io.mapping import private_map
from emv.graph.io.npy import read_head
from emv.graph.io.pieces import read_pieces, write_pieces

FILE_MODE, FOLDER_MODE = 0o644, 0o755  # less where the umask says so
WHOLE_BYTES = 1 << 16  # of a file that is summed up as a whole
BLOCK_BYTES, NUM_BLOCKS = 1 << 12, 4


def write_array(path: Path, values: NDArray[Any]) -> dict[str, Any]:
    """Write an array and return what to note of it: dtype, length and stamp."""
    values = np.ascontiguousarray(values)
    with new_file(path) as file:
        head = np.lib.format.header_data_from_array_1_0(values)
        np.lib.format.write_array_header_1_0(file, head)
        write_pieces(file, values)  # numpy's `tofile` does not tell that a full disk took no more
    return {"dtype": values.dtype.str, "length": len(values), "stamp": stamp_of(path)}


def new_file(path: Path) -> IO[bytes]:
    """Open a file that is not there yet, which nobody but its owner will be able to write."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE), "wb")


def stamp_of(path: Path) -> list[int]:
    """Return the size, the times, the number and the checksum of a file."""
    with path.open("rb") as file:
        return _stamp(file)


def _stamp(file: IO[bytes]) -> list[int]:
    state = os.fstat(file.fileno())
    checksum = 0
    if state.st_size <= WHOLE_BYTES:
        file.seek(0)
        checksum = zlib.crc32(file.read())
    else:
        last = state.st_size - BLOCK_BYTES
        for block in range(NUM_BLOCKS):
            file.seek(block * last // (NUM_BLOCKS - 1))
            checksum = zlib.crc32(file.read(BLOCK_BYTES), checksum)
    times = state.st_mtime_ns, state.st_ctime_ns
    return [state.st_size, *times, state.st_ino, checksum]


def is_own(state: os.stat_result) -> bool:
    """Return whether a file is this user's, and nobody else may write it."""
    user = getattr(os, "geteuid", lambda: None)()
    return state.st_uid == user and not state.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def open_array(
    path: Path, noted: dict[str, Any], file: str, is_mapped: bool
) -> tuple[NDArray[Any], bool]:
    """Return an array of a file, and whether its stamp is the one that was noted.

    The array can be written, and what is written stays in this process.

    Parameters
    ----------
    path : Path
        The array's file.
    noted : dict
        What `write_array` returned.
    file : str
        What errors call the graph.
    is_mapped : bool
        Whether pages are read when they are touched, or all of them now.

    Raises
    ------
    GraphFormatError
        If the file is not there, is no array, or has not the dtype and the length noted.
    """
    what = f"its array {path.name}"
    with open_file(path, file) as stream:
        head = read_head(stream, what, file)
        dtype, shape = np.dtype(noted["dtype"]), (noted["length"],)
        if head.dtype != dtype or head.shape != shape:
            raise GraphFormatError(
                f"{what} is {head.dtype}{head.shape}, but graph.json says {dtype}{shape}", file
            )
        size = os.fstat(stream.fileno()).st_size
        if size != head.num_bytes + head.value_bytes:
            raise GraphFormatError(
                f"{what} is {size} bytes long, expected {head.num_bytes + head.value_bytes}", file
            )
        is_same = _stamp(stream) == noted["stamp"]
        if size == head.num_bytes:
            return np.empty(0, dtype), is_same
        content = _content(stream, size, is_mapped, file)
        return content[head.num_bytes :].view(dtype), is_same


def open_bytes(
    path: Path, noted: dict[str, Any], file: str, is_mapped: bool
) -> tuple[NDArray[np.uint8], bool]:
    """Return the bytes of a file, and whether its stamp is the one noted; see `open_array`."""
    with open_file(path, file) as stream:
        size = os.fstat(stream.fileno()).st_size
        is_same = _stamp(stream) == noted["stamp"]
        content = _content(stream, size, is_mapped, file) if size else np.empty(0, np.uint8)
        return content, is_same


def _content(stream: IO[bytes], size: int, is_mapped: bool, file: str) -> NDArray[np.uint8]:
    """Return the bytes of an open file, which may be written."""
    if is_mapped:
        try:
            return private_map(stream, size)
        except OSError as error:
            raise GraphFormatError(f"cannot be mapped: {error.strerror}", file) from None
    stream.seek(0)
    content = np.empty(size, np.uint8)
    if read_pieces(stream, content) != size:
        raise GraphFormatError("became shorter while it was read", file)
    return content


def open_file(path: Path, file: str) -> IO[bytes]:
    """Open a plain file of a graph's folder.

    Raises
    ------
    GraphFormatError
        If there is none.
    """
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            raise GraphFormatError(f"{path.name} is no plain file", file)
        return path.open("rb")
    except OSError as error:
        raise GraphFormatError(f"{path.name} cannot be read: {error.strerror}", file) from None
