"""Programs of users' own files: ``emv run widest.py:widest_path GRAPH --source 0``."""

from __future__ import annotations

import os
import sys
import traceback
import zlib
from pathlib import Path
from typing import Any

from emv.errors import ArgumentError, EmvError, Loc, did_you_mean
from emv.imports import module_of_code
from emv.runtime.program import ProgramFunction

_FOLDERS: set[str] = set()
"""Where users' own files are that were run."""


def is_own(algorithm: str) -> bool:
    """Return whether a name is that of a program in a file.

    Examples
    --------
    >>> is_own("widest.py:widest_path"), is_own("widest.py"), is_own("bfs")
    (True, True, False)
    """
    return ".py:" in algorithm or algorithm.endswith(".py")


def own_program(text: str) -> ProgramFunction:
    """Return the program of ``FILE.py:NAME``; the name may be left out where there is one only.

    The file is run as Python imports it, with its folder first where modules are looked for.

    Raises
    ------
    ArgumentError
        If there is no such file or program, or the file cannot be run; with its line.
    """
    file, _, name = text.rpartition(":") if ".py:" in text else (text, "", "")
    path = Path(file)
    if not path.is_file():
        raise ArgumentError(f"there is no file {file}")
    there = programs_of(path)
    if not name and len(there) == 1:
        return next(iter(there.values()))
    if name not in there:
        wrong = f"{file} has no program '{name}'" if name else f"{file} has {len(there)} programs"
        listed = f"There are: {', '.join(there)}." if there else "Decorate one with @emv.program."
        raise ArgumentError(
            f"{wrong}.{did_you_mean(name, there)}",
            remedy=f"{listed} Write {file}:NAME." if there and not name else listed,
        )
    return there[name]


def programs_of(path: Path) -> dict[str, ProgramFunction]:
    """Return the programs of a file by name: those that are written in it, else those it imports.

    Raises
    ------
    ArgumentError
        If the file cannot be run.
    """
    folder = str(path.resolve().parent)
    _FOLDERS.add(folder)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        code = compile(path.read_bytes(), str(path.resolve()), "exec")
        module: Any = module_of_code(name_of(path.resolve()), str(path.resolve()), code)
    except EmvError:
        raise
    except Exception as error:
        raise ArgumentError(failure(path, error)) from error
    found = {name: each for name, each in vars(module).items() if isinstance(each, ProgramFunction)}
    own = {name: each for name, each in found.items() if each.__module__ == module.__name__}
    return own or found


def place_in_own(loc: Loc | None) -> str | None:
    """Return ``FILE:LINE`` of a place in a user's own file, from where emv was started."""
    if loc is None or str(Path(loc.file).parent) not in _FOLDERS:
        return None
    path = Path(loc.file)
    return f"{path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path}:{loc.line}"


def name_of(path: Path) -> str:
    """Return the name that a file is imported under: its own, and no other module's."""
    return f"own_{path.stem}_{zlib.crc32(str(path).encode()):x}"


def failure(path: Path, error: Exception) -> str:
    """Return what went wrong in a file that was run, and at which of its lines."""
    line = getattr(error, "lineno", None)
    for entry in traceback.extract_tb(error.__traceback__):
        if os.path.realpath(entry.filename) == os.path.realpath(path):
            line = entry.lineno
    place = f"{path}:{line}" if line is not None else str(path)
    return f"{place}: {type(error).__name__}: {error}"
