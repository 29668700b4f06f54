"""Every error emv raises, what it warns of, and the form in which they speak.

An error about a user's function names file, line, function, shows the line with carets and says
what to write instead. No file of emv appears in it. The form follows Python's own tracebacks and
Taichi's (``lang/ast/ast_transformer_utils.py``).
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Loc:
    """A place in the user's source: everything an error needs to point at it.

    Attributes
    ----------
    file : str
        Path of the file, as Python reports it.
    line : int
        1-based line.
    column, end_column : int
        0-based columns of the first character and of the one after the last, in `text`.
    function : str
        Name of the enclosing function.
    text : str
        The source line, without its newline.
    """

    file: str
    line: int
    column: int = 0
    end_column: int = 0
    function: str = "<module>"
    text: str = ""

    def __str__(self) -> str:
        return f"{cell_of(self.file) or self.file}:{self.line}"

    def excerpt(self) -> str:
        """Return the lines ``File ..., line ..., in ...``, the source line and the carets."""
        cell = cell_of(self.file)
        place = f'File "{self.file}"' if cell is None else cell
        head = f"  {place}, line {self.line}, in {self.function}"
        shown = self.text.strip()
        if not shown:
            return head
        indent = len(self.text) - len(self.text.lstrip())
        width = max(1, min(self.end_column, len(self.text)) - self.column)
        carets = " " * max(0, self.column - indent) + "^" * width
        return f"{head}\n    {shown}\n    {carets}"


def cell_of(file: str) -> str | None:
    """Return what a notebook calls the cell that IPython keeps as a file: ``Cell In[3]``."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    named = getattr(getattr(shell, "compile", None), "format_code_name", None)
    found = named(file) if named is not None else None
    return None if found is None else " ".join(found)


def shown_path(path: str) -> str:
    r"""Return a file's name as it may be printed on one line, whatever bytes are in it.

    Examples
    --------
    >>> shown_path("a\nb.txt")
    'a\\nb.txt'
    """
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in path
    )


class EmvError(Exception):
    """The base of every error of emv.

    Parameters
    ----------
    what : str
        What is wrong, with what was there.
    loc : Loc, optional
        Where in the user's source.
    remedy : str, optional
        What to write or do instead.
    """

    def __init__(self, what: str, loc: Loc | None = None, remedy: str | None = None) -> None:
        super().__init__(what, loc, remedy)
        self.what = what
        self.loc = loc
        self.remedy = remedy

    def __str__(self) -> str:
        parts = [self.what]
        if self.loc is not None:
            parts.append(self.loc.excerpt())
        if self.remedy:
            parts.append(self.remedy)
        return "\n".join(parts)

    def __reduce__(self) -> tuple[type[EmvError], tuple[str, Loc | None, str | None]]:
        return type(self), (self.what, self.loc, self.remedy)


class LanguageError(EmvError):
    """A user function or program says something the language does not have."""


class FieldError(LanguageError, AttributeError):
    """A record has no such field."""


class TypeMismatchError(LanguageError, TypeError):
    """A value has a type that its place does not take."""


class OwnershipError(LanguageError):
    """A function writes another element's field outside rule (2)."""


class TraceError(LanguageError):
    """A program uses Python control flow on values that exist only while it runs."""


class EndlessLoopError(LanguageError):
    """A loop has no limit and nothing in it can end it."""


class CompileError(LanguageError):
    """The compiler cannot translate a user function."""


class SourceError(LanguageError):
    """The source text of a function cannot be read."""


class ColumnError(EmvError, KeyError):
    """A graph lacks a column, or a column has the wrong length or type."""

    __str__ = EmvError.__str__


class GraphError(EmvError, ValueError):
    """A graph cannot be built or used as asked."""


class ArgumentError(EmvError, ValueError):
    """An argument of a public call has a value it does not take."""


class CallError(ArgumentError, TypeError):
    """A call lacks an argument, or gives one that there is not."""


class BackendUnavailableError(EmvError, RuntimeError):
    """The asked-for backend cannot run on this machine."""


class DeviceError(EmvError, RuntimeError):
    """A GPU failed, or refused what it was asked."""


class CapacityError(EmvError, MemoryError):
    """A graph or program does not fit the memory there is; both numbers are given."""


class GraphFormatError(EmvError, ValueError):
    """A graph file is not what its format demands.

    Parameters
    ----------
    what : str
        What was there and what was expected.
    file : str
        The file's path.
    line : int, optional
        1-based line, where the format has lines.
    remedy : str, optional
        What to do.
    """

    def __init__(
        self, what: str, file: str, line: int | None = None, remedy: str | None = None
    ) -> None:
        super().__init__(what, None, remedy)
        self.file = file
        self.line = line

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        remedy = f", {self.remedy}" if self.remedy else ""
        return f"{place}: {self.what}{remedy}"

    def __reduce__(self) -> tuple[type, tuple[str, str, int | None, str | None]]:  # type: ignore[override]
        return type(self), (self.what, self.file, self.line, self.remedy)


class NotFiniteWarning(UserWarning):
    """A result holds an infinity or a NaN that what it was computed from does not."""


class EndlessLoopWarning(UserWarning):
    """A loop by votes has run for so long that it may have no end."""


class HintWarning(UserWarning):
    """A program runs, but what it says can hardly be what was meant."""


class ConvergenceWarning(UserWarning):
    """A program came to the end of its supersteps before its result had settled."""


class EmvDeprecationWarning(FutureWarning):
    """A name is used that has another one now, and goes in a later version."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `` Did you mean 'x'?`` for the nearest known name, or an empty string.

    Examples
    --------
    >>> did_you_mean("rnak", ["rank", "id"])
    " Did you mean 'rank'?"
    """
    close = difflib.get_close_matches(name, list(known), n=1)
    return f" Did you mean '{close[0]}'?" if close else ""
