"""Files to other places than a path: standard output, an address that fsspec knows, an open file.

A file is written to a folder of its own first, so that what cannot be written is sent nowhere.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from emv.errors import ArgumentError
from emv.graph.io.source import is_address
from emv.imports import required


def send(place: Any, write: Callable[[Path], None]) -> None:
    """Write a file and send its bytes.

    Parameters
    ----------
    place : str or file
        ``"-"``, an address, or a file that is open for writing bytes.
    write : callable
        Writes the file to a path.

    Raises
    ------
    ArgumentError
        If what is written is more than one file, or the address cannot be written to.
    """
    with tempfile.TemporaryDirectory() as folder:
        draft = Path(folder, _name_of(place))
        write(draft)
        if not draft.is_file():
            raise ArgumentError(
                f"{_name_of(place)} cannot be sent: it is a folder or several files",
                remedy="write it to a path",
            )
        with draft.open("rb") as file:
            if is_address(place):
                _upload(file, place)
            elif place == "-":
                shutil.copyfileobj(file, sys.stdout.buffer)
                sys.stdout.buffer.flush()
            else:
                shutil.copyfileobj(file, place)


def _name_of(place: Any) -> str:
    """Return a name for the draft that ends as the place does."""
    name = getattr(place, "name", place)
    last = name.split("?")[0].rstrip("/").rpartition("/")[2] if isinstance(name, str) else ""
    return last if last not in ("", "-", "<stdout>") else "graph"


def _upload(file: IO[bytes], address: str) -> None:
    fsspec = required("fsspec")
    try:
        with fsspec.open(address, "wb") as remote:
            shutil.copyfileobj(file, remote)
    except Exception as error:  # of any library that is behind it
        raise ArgumentError(f"{address} cannot be written: {error}") from None
