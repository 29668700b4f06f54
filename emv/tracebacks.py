"""Errors end at the user's line: the frames of emv that led to one are left out.

`ends_at_caller` is for what users call. Where an error of emv's leaves such a function, its
traceback keeps only the frames of others: those of functions that the user wrote, and, as it goes
on, those of the callers. An error that somebody else's code raised, such as a callback, is
shortened, too; one that comes out of emv and is none of its errors is a fault of emv, and stays
whole. ``EMV_FULL_TRACEBACK=1`` leaves all as they are. Causes are kept.

A traceback that is set before a bare ``raise`` is what the error goes on with, and Python then adds
no entry for the frame that has raised it again (3.11 and newer).
"""

from __future__ import annotations

import functools
import inspect
import linecache
import os
import sys
import warnings
from collections.abc import Callable
from types import CodeType, FrameType, TracebackType
from typing import ParamSpec, TypeVar

from emv.config import config
from emv.errors import EmvError, Loc

P = ParamSpec("P")
R = TypeVar("R")

OWN = os.path.dirname(os.path.abspath(__file__)) + os.sep  # noqa: PTH100, PTH120  compared often
LIBRARIES = (os.path.dirname(os.__file__) + os.sep, f"{os.sep}site-packages{os.sep}")  # noqa: PTH120


def ends_at_caller(function: Callable[P, R]) -> Callable[P, R]:
    """Return a function whose errors have a traceback without the frames of emv.

    Examples
    --------
    >>> import traceback
    >>> from emv import Graph
    >>> with config.using(full_traceback=False):
    ...     try:
    ...         Graph.from_edges([0], [-1])
    ...     except ValueError as error:
    ...         len(traceback.extract_tb(error.__traceback__))
    1
    """

    @functools.wraps(function)
    def entry(*args: P.args, **named: P.kwargs) -> R:
        try:
            return function(*args, **named)
        except Exception as error:
            end_at_caller(error)
            raise

    return entry


def end_at_caller(error: Exception) -> None:
    """Let an error that is raised again, by a bare ``raise``, end at who called emv."""
    if isinstance(error, EmvError):
        leave_own_files(error)
    if not config.full_traceback:
        error.__traceback__ = shortened(error)


def shortened(error: BaseException) -> TracebackType | None:
    """Return the traceback of an error without the frames of emv; of a fault of emv, all of it."""
    entries = []
    entry = error.__traceback__
    while entry is not None:
        entries.append(entry)
        entry = entry.tb_next
    kept = [each for each in entries if is_users(file_of(each))]
    if not isinstance(error, EmvError) and not is_users(file_of(entries[-1])):
        return error.__traceback__
    rest: TracebackType | None = None
    for each in reversed(kept):
        rest = TracebackType(rest, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return rest


def users_loc() -> Loc | None:
    """Return the innermost line that runs and is the user's: no library's, and not emv's."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not is_users(frame.f_code.co_filename):
        frame = frame.f_back
    return None if frame is None else frame_loc(frame)


def leave_own_files(error: EmvError) -> None:
    """Let an error that points into a file of emv's point at the line that called emv."""
    if error.loc is None or not error.loc.file.startswith(OWN):
        return
    error.loc = users_loc()
    error.args = (error.what, error.loc, error.remedy)


def frame_loc(frame: FrameType) -> Loc:
    """Return where a frame stands, with the columns Python keeps for the running instruction."""
    code = frame.f_code
    return _instruction_loc(code, code.co_filename, frame.f_lasti, frame.f_lineno)


@functools.lru_cache(maxsize=1024)  # loops ask for the same lines over and over
def _instruction_loc(code: CodeType, file: str, instruction: int, number: int) -> Loc:
    """Do as `instruction_loc`; code is the same as other code that is in another file."""
    assert file == code.co_filename
    return instruction_loc(code, instruction, number)


def instruction_loc(code: CodeType, instruction: int, number: int) -> Loc:
    """Return where an instruction of some code stands, which is in a line of that number."""
    text = "".join(lines_of(code)[number - 1 : number]).rstrip("\n")
    positions = list(code.co_positions())
    line, end_line, column, end_column = positions[instruction // 2]
    if line != number or column is None or end_column is None:
        column, end_column = len(text) - len(text.lstrip()), len(text)
    elif end_line != line:
        column, end_column = characters(text, column), len(text)
    else:
        column, end_column = characters(text, column), characters(text, end_column)
    return Loc(code.co_filename, number, column, end_column, code.co_name, text)


def characters(text: str, num_bytes: int) -> int:
    """Return how many characters the first bytes of a text are."""
    return len(text.encode()[:num_bytes].decode(errors="ignore"))


def lines_of(code: CodeType) -> list[str]:
    """Return the lines of the file that some code stands in; none if it cannot be read.

    `inspect` is asked only where there is no such file, as it looks at every module there is.
    """
    linecache.checkcache(code.co_filename)
    if lines := linecache.getlines(code.co_filename):
        return lines
    try:
        return inspect.findsource(code)[0]
    except OSError:
        return []


def file_of(entry: TracebackType) -> str:
    """Return the file of an entry's code."""
    return entry.tb_frame.f_code.co_filename


def is_users(file: str) -> bool:
    """Return whether a file belongs neither to emv nor to a library."""
    return not (file.startswith((OWN, LIBRARIES[0])) or LIBRARIES[1] in file)


def warn_at_caller(what: str, kind: type[Warning]) -> None:
    """Warn at the first line outside of emv that led here."""
    depth = 1
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == "emv":
        frame, depth = frame.f_back, depth + 1
    warnings.warn(what, kind, stacklevel=depth)
