"""What is no plain file, read once and whole: pipes, sockets' ends, what is typed on a terminal."""

from __future__ import annotations

import os
import select
import stat
from pathlib import Path

from emv.errors import GraphFormatError
from emv.graph.io.text import logger

_SILENT_MS = 1000  # after which it is said that nothing comes
_BLOCK_BYTES = 1 << 20


def read_stream(path: Path) -> bytes:
    """Return all that comes out of what is no plain file; where nothing comes, say so and wait.

    Raises
    ------
    GraphFormatError
        If it is a device, which may never end.
    OSError
        If it cannot be opened.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        mode = os.fstat(handle).st_mode
        if stat.S_ISBLK(mode) or (stat.S_ISCHR(mode) and not os.isatty(handle)):
            raise GraphFormatError("is a device and no file", os.fspath(path))
        blocks: list[bytes] = []
        waiting = select.poll()
        waiting.register(handle, select.POLLIN)
        if not waiting.poll(_SILENT_MS):
            logger.warning("%s: nothing comes yet, waiting for the program that writes it", path)
        while True:
            waiting.poll()
            block = os.read(handle, _BLOCK_BYTES)
            if not block:
                return b"".join(blocks)
            blocks.append(block)
    finally:
        os.close(handle)
