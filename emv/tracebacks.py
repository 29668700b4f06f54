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
import os
from collections.abc import Callable
from types import TracebackType
from typing import ParamSpec, TypeVar

from emv.config import config
from emv.errors import EmvError

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
            if not config.full_traceback:
                error.__traceback__ = shortened(error)
            raise

    return entry


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


def file_of(entry: TracebackType) -> str:
    """Return the file of an entry's code."""
    return entry.tb_frame.f_code.co_filename


def is_users(file: str) -> bool:
    """Return whether a file belongs neither to emv nor to a library."""
    return not (file.startswith((OWN, LIBRARIES[0])) or LIBRARIES[1] in file)
