"""What goes wrong, said in one line: ``emv: error: FILE:LINE: what, and what to do``."""

from __future__ import annotations

import contextlib
import logging
import re
import sys
import warnings
from collections.abc import Iterator
from typing import Any

from emv.cli.own_program import place_in_own
from emv.errors import ColumnError, EmvError, GraphError, GraphFormatError, shown_path

FAILED = 1  # the exit code of a mistake of emv's own

ERASE_LINE = "\r\x1b[K"

_OPTION_OF_KEYWORD = (
    (re.compile(r"\bheader=True\b"), "--header yes"),
    (re.compile(r"\bheader=False\b"), "--header no"),
    (re.compile(r"\bverify=False\b"), "--verify no"),
    (re.compile(r"\bverify=True\b"), "--verify yes"),
    (re.compile(r"""\bdrop=\(["'](\w+)["'],\)"""), r"--drop \1"),
    (re.compile(r"""\brelabel=["'](\w+)["']"""), r"--relabel \1"),
    (re.compile(r"\bdirected=False\b"), "--undirected"),
    (re.compile(r"\bweighted=True\b"), "--weighted yes"),
    (re.compile(r"\b(?:source|target)="), "--ends "),
    (re.compile(r"\b(vertices|separator)="), r"--\1 "),
    (re.compile(r"""\bcolumns=\{"([^"]*)": "(\w+)"\}"""), r"--columns \1=\2"),
    (re.compile(r"""\bformat=["']([a-z-]+)["']"""), r"--format \1"),
)
"""The readers speak of `emv.read`'s keywords; here they are options."""


def error_line(error: BaseException) -> str:
    r"""Return the line that tells of an error, with its line end.

    Examples
    --------
    >>> error_line(GraphFormatError("'a b' is no edge", "roads.txt", 7, "remove it"))
    "emv: error: roads.txt:7: 'a b' is no edge, remove it\n"
    """
    return f"emv: error: {one_line(_sentence(error))}\n"


def one_line(text: str) -> str:
    r"""Return a message as one line that speaks of options, not of keywords.

    Examples
    --------
    >>> one_line("not an edge,\n give header=True")
    'not an edge, give --header yes'
    """
    words = shown_path(" ".join(text.split()))
    for keyword, option in _OPTION_OF_KEYWORD:
        words = keyword.sub(option, words)
    return words


def _sentence(error: BaseException) -> str:
    if isinstance(error, GraphFormatError):
        return str(error)
    if isinstance(error, EmvError):
        place = place_in_own(error.loc)  # other places are in algorithms of emv's own
        said = joined(error.what, error.remedy)
        return said if place is None else f"{place}: {said}"
    if isinstance(error, OSError):
        what = error.strerror or str(error)
        return what if error.filename is None else f"{error.filename}: {what}"
    if isinstance(error, MemoryError):
        return "there is not enough memory, take a smaller graph or a larger machine"
    return (
        f"emv itself failed with {type(error).__name__}: {error}; "
        "set EMV_DEBUG=1 to see where, and report it"
    )


def joined(what: str, remedy: str | None) -> str:
    """Return what is wrong and what to do about it as one sentence, or as two.

    Examples
    --------
    >>> joined("a is 3", "it must be 4"), joined("a is 3.", "It must be 4.")
    ('a is 3, it must be 4', 'a is 3. It must be 4.')
    """
    if not remedy:
        return what
    if remedy[0].isupper() or what.endswith((".", "?")):
        return f"{what.removesuffix('.')}{'' if what.endswith('?') else '.'} {remedy}"
    return f"{what}, {remedy}"


@contextlib.contextmanager
def about(path: str) -> Iterator[None]:
    """Name the graph's file in what is wrong with its vertices, edges or columns."""
    try:
        yield
    except (ColumnError, GraphError) as error:
        raise type(error)(f"{path}: {error.what}", error.loc, error.remedy) from None


class _StderrHandler(logging.Handler):
    """Writes each message once."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._written: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        line = f"emv: {record.levelname.lower()}: {one_line(record.getMessage())}\n"
        if line not in self._written:
            self._written.add(line)
            sys.stderr.write((ERASE_LINE if sys.stderr.isatty() else "") + line)


@contextlib.contextmanager
def warnings_on_stderr() -> Iterator[None]:
    """Print what emv logs and warns of, one line each, while a command runs."""
    logger = logging.getLogger("emv")
    handler = _StderrHandler()
    logger.addHandler(handler)

    def show(message: Warning | str, *_: Any, **_where: Any) -> None:
        logger.warning("%s", message)

    try:
        with warnings.catch_warnings():
            warnings.showwarning = show
            yield
    finally:
        logger.removeHandler(handler)
