"""How a table in a text file begins: what parts its columns, their names, and its first row.

Only the first 64 KiB are looked at. Columns are parted by commas, semicolons, tabs, bars or single
blanks, whichever the first line has most of outside of quotes. That line is a header if two of its
names are those of ends (`ENDS`), or if it is of words and the next one has a number in it. Neo4j's
and Neptune's headers say a type with each name (``since:int``, ``weight:Double``), which is left
out of it.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass

from emv.errors import GraphFormatError
from emv.graph.io.source import Source

ENDS = (
    ("src", "dst"),
    ("source", "target"),
    ("from", "to"),
    ("~from", "~to"),
    (":start_id", ":end_id"),
    ("u", "v"),
)
"""What the columns of the two ends are called, in letters of any case."""

IDS = ("id", "~id", ":id", "name")
"""What the column of the ids of vertices is called."""

ROW = "row"
"""What a first column without a name is called."""

SEPARATORS = ",;\t| "
COMMENTS = ("#", "%", "//")

_MARK = "\ufeff"
_SAID_SEPARATOR = re.compile(r'"?sep=(.)"?', re.IGNORECASE)  # Excel's first line
_WORD = re.compile(r'["\w:~].*', re.DOTALL)
_NUMBER = re.compile(r"[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?[0-9]+)?")
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?")
_GROUP = re.compile(r"(?P<name>.*:(?:START_ID|END_ID|ID))\((?P<group>[^()]*)\)", re.IGNORECASE)
_TYPES = (
    "int long float double boolean bool byte short char string point date datetime localdatetime "
    "time localtime duration id"
)
_TYPE = re.compile(
    rf"(?P<name>[^:]+):(?:{'|'.join(_TYPES.split())})(?:\[\])?(?:\((?:single|set)\))?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Header:
    """How a table begins.

    Attributes
    ----------
    separator : str
        What parts its columns.
    columns : tuple of str
        What they are called in the file.
    names : tuple of str
        The same without types.
    groups : tuple of str
        The groups that the ids of a column are of (Neo4j's ``:START_ID(Person)``), or nothing.
    begin : int
        Bytes before the first row, unpacked.
    line : int
        The number of the line that it begins with.
    decimal_point : str
        The point or the comma.
    has_quotes : bool
        Whether a value may be in quotes, and so hold line ends.
    is_named : bool
        Whether the file has a line of names.
    first_row : tuple of str
        The values of the first row; empty if there is none.
    """

    separator: str
    columns: tuple[str, ...]
    names: tuple[str, ...]
    groups: tuple[str, ...]
    begin: int
    line: int
    decimal_point: str
    has_quotes: bool
    is_named: bool
    first_row: tuple[str, ...]


@dataclass(frozen=True)
class _Line:
    text: str
    number: int
    begin: int  # bytes
    end: int


def is_table(source: Source) -> bool:
    """Return whether a file begins with a line of names, or one parted by ``;``, as far as seen."""
    head = _text_of(source)
    if head is None or head.lstrip().startswith(("<", "{", "[", "%%MatrixMarket")):
        return False
    lines, said = _lines(head, 2)
    if not lines:
        return False
    separator = said or _separator(lines[0].text)
    if not separator:
        return False
    first = _cells(lines[0].text, separator)
    if separator == ";" and len(first) > 1 and any(map(_NUMBER.fullmatch, first)):
        return True  # without names; no other format parts by it
    if len(first) < 2 or not all(_WORD.fullmatch(each) for each in first[first[0] == "" :]):
        return False
    if any(_NUMBER.fullmatch(each) for each in first):
        return False
    if ends_among(first) is not None:
        return True
    if separator == " " or len(lines) < 2:
        return False
    second = _cells(lines[1].text, separator)
    return len(second) == len(first) and any(map(_NUMBER.fullmatch, second))


def header_of(source: Source, is_named: bool | None, separator: str | None = None) -> Header:
    """Return how a table begins.

    Parameters
    ----------
    is_named : bool or None
        Whether it has a line of names; None for what it looks like.
    separator : str, optional
        What parts the columns; by default found.

    Raises
    ------
    GraphFormatError
        If it is no text, holds nothing, or has one column only.
    """
    head = _text_of(source)
    if head is None:
        raise GraphFormatError("is no text in UTF-8", source.file, remedy="save it as UTF-8")
    lines, said = _lines(head, 64)
    if not lines:
        raise GraphFormatError("is empty", source.file, remedy="fetch the file again")
    separator = separator or said or _separator(lines[0].text)
    columns = _cells(lines[0].text, separator) if separator else []
    if len(columns) < 2:
        raise GraphFormatError(
            f"its first line '{lines[0].text[:60]}' has one column, and an edge has two ends",
            source.file,
            lines[0].number,
            'give separator=, such as separator=";"',
        )
    if is_named is None:
        is_named = not any(map(_NUMBER.fullmatch, columns))
    rows = [_cells(each.text, separator) for each in lines[is_named:]]
    if is_named and not columns[0]:  # of the numbers that pandas and R write before rows
        columns[0] = ROW
    if not is_named:
        more = (f"column_{number}" for number in range(4, len(columns) + 1))
        columns = ["src", "dst", "weight", *more][: len(columns)]
    cells = [] if separator == "," else [cell for row in rows for cell in row]
    return Header(
        separator,
        tuple(columns),
        tuple(map(_bare_name, columns)),
        tuple(map(_group, columns)),
        lines[0].end if is_named else lines[0].begin,
        lines[0].number,
        "," if any(map(_DECIMAL_COMMA.fullmatch, cells)) else ".",
        '"' in head,
        is_named,
        tuple(rows[0]) if rows else (),
    )


def ends_among(names: Sequence[str]) -> tuple[int, int] | None:
    """Return the places of the two ends among the names of columns; None if no names say it.

    Examples
    --------
    >>> ends_among(["km", "To", "From"]), ends_among(["a", "b"])
    ((2, 1), None)
    >>> ends_among([":START_ID(Person)", "role", ":END_ID(Film)"])
    (0, 2)
    """
    small = [_bare_name(each).lower() for each in names]
    for src, dst in ENDS:
        if src in small and dst in small:
            return small.index(src), small.index(dst)
    return None


def _text_of(source: Source) -> str | None:
    """Return how a file begins as text; None if it is none."""
    head = source.head
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(head) - 3:  # a character may be cut off at the end
            return None
        text = head[: error.start].decode("utf-8")
    return None if "\0" in text else text


def _lines(text: str, most: int) -> tuple[list[_Line], str]:
    """Return the first lines that are neither blank nor comments, and Excel's separator."""
    found: list[_Line] = []
    said, begin = "", 0
    for number, line in enumerate(re.findall(r"[^\r\n]*(?:\r\n|\r|\n|$)", text), 1):
        end = begin + len(line.encode())
        bare = line.removeprefix(_MARK).strip("\r\n")
        if not found and (separator := _SAID_SEPARATOR.fullmatch(bare)):
            said = separator[1]
        elif bare.strip() and not bare.lstrip().startswith(COMMENTS):
            found.append(_Line(bare, number, begin, end))
        if len(found) == most:
            break
        begin = end
    return found, said


def _separator(line: str) -> str:
    """Return what parts most columns of a line; nothing where nothing does."""
    bare = re.sub(r'"[^"]*"', "", line.strip())
    best = max(SEPARATORS[:-1], key=bare.count)
    if bare.count(best):
        return best
    return " " if " " in bare else ""


def _cells(line: str, separator: str) -> list[str]:
    cells = next(csv.reader([line], delimiter=separator), [])
    return [each.strip() for each in cells]


def _bare_name(name: str) -> str:
    """Return the name of a column without its type and its group.

    Examples
    --------
    >>> [_bare_name(each) for each in ("since:int", ":START_ID(Person)", ":TYPE", "w:Double")]
    ['since', ':START_ID', ':TYPE', 'w']
    """
    if found := _GROUP.fullmatch(name):
        name = found["name"]
    if found := _TYPE.fullmatch(name):
        return found["name"]
    return name


def _group(name: str) -> str:
    found = _GROUP.fullmatch(name)
    return found["group"] if found else ""
