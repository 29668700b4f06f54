"""The columns of a table in a text file, read by pyarrow where it is installed, else by Python.

Either way a column is whole numbers (int64), numbers (float64), truth values, times or texts, the
first of these that all of its values are. An empty value, ``NA``, ``N/A``, ``NULL`` and ``null``
are missing, but in texts they are texts. Python reads a twentieth of what pyarrow reads in a time.
"""

from __future__ import annotations

import csv
import functools
import io
import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.errors import ColumnError, GraphFormatError
from emv.graph.io.header import COMMENTS, Header
from emv.graph.io.numerals import DECIMAL, INTEGER, decimal_of
from emv.graph.io.source import Source
from emv.graph.io.text import shown
from emv.graph.renumber import Coded
from emv.imports import is_installed, required

Values = NDArray[Any] | Coded
"""Numbers, truth values or times of numpy, or texts."""

MISSING = ("", "NA", "N/A", "NULL", "null")

_BLOCK_BYTES = 1 << 20
_LOOKED_AT = 1000  # different texts, which tell whether a column is one of numbers
_TRUTH = {"true": True, "false": False, "True": True, "False": False, "TRUE": True, "FALSE": False}
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?")


@dataclass(frozen=True)
class Rows:
    """The rows of a table.

    Attributes
    ----------
    names : tuple of str
        Of the columns.
    num_rows : int
        How many rows there are.
    values : callable
        Returns a column by its name.
    where : callable
        Returns which row one is, in words, with its line if rows have lines.
    decimal_point : str
        The point or the comma.

    Raises
    ------
    ColumnError
        By `values`, if a number or a time is missing; with its row.
    """

    names: tuple[str, ...]
    num_rows: int
    values: Callable[[str], Values]
    where: Callable[[int], str] = "row {}".format
    decimal_point: str = "."


def read_rows(source: Source, header: Header, texts: Sequence[str]) -> Rows:
    """Return the rows of a table.

    Parameters
    ----------
    texts : sequence of str
        Columns that are texts, whatever their values look like.

    Raises
    ------
    GraphFormatError
        If a row has more or fewer columns than the first, or is no text.
    """
    if len(set(header.names)) < len(header.names):
        twice = next(each for each in header.names if header.names.count(each) > 1)
        raise GraphFormatError(f"has two columns '{twice}'", source.file, header.line)
    read = _read_by_arrow if is_installed("pyarrow") else _read_by_python
    return read(source, header, texts)


class _Stream(io.RawIOBase):
    """The bytes of a file from its first row on, unpacked."""

    def __init__(self, source: Source, begin: int) -> None:
        self._blocks: Iterator[bytes] = source.blocks()
        self._left, self._skipped = b"", begin

    def readable(self) -> bool:
        """Say yes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer as far as there is something."""
        room = memoryview(buffer).cast("B")
        while not self._left:
            block = next(self._blocks, None)
            if block is None:
                return 0
            self._left = block[self._skipped :]
            self._skipped = max(0, self._skipped - len(block))
        count = min(len(room), len(self._left))
        room[:count] = self._left[:count]
        self._left = self._left[count:]
        return count


# pyarrow


def _read_by_arrow(source: Source, header: Header, texts: Sequence[str]) -> Rows:
    arrow, has_blocks = required("pyarrow"), source.num_bytes > _BLOCK_BYTES
    try:  # of a small file a thread's stack alone would be more than all the rest
        table = _arrow_table(source, header, texts, use_threads=has_blocks)
    except (arrow.ArrowInvalid, UnicodeDecodeError):
        try:  # once more by one thread, which knows the number of the row
            table = _arrow_table(source, header, texts, use_threads=False)
        except (arrow.ArrowInvalid, UnicodeDecodeError) as error:
            raise _bad_row(str(error).splitlines()[0], source, header) from None

    where = functools.partial(_place_of, source, header)

    def values(name: str) -> Values:
        return arrow_values(table.column(name), where)

    return Rows(header.names, table.num_rows, values, where, header.decimal_point)


def _arrow_table(source: Source, header: Header, texts: Sequence[str], use_threads: bool) -> Any:
    """Return a table of Arrow."""
    arrow, reader = required("pyarrow"), required("pyarrow.csv")
    with io.BufferedReader(_Stream(source, header.begin), _BLOCK_BYTES) as stream:
        try:
            return reader.read_csv(
                stream,
                reader.ReadOptions(
                    column_names=list(header.names),
                    use_threads=use_threads,
                    block_size=16 * _BLOCK_BYTES,
                ),
                reader.ParseOptions(
                    delimiter=header.separator,
                    newlines_in_values=header.has_quotes,
                    invalid_row_handler=lambda row: (
                        "skip" if row.text.lstrip().startswith(COMMENTS) else "error"
                    ),
                ),
                reader.ConvertOptions(
                    null_values=list(MISSING),
                    column_types={name: arrow.string() for name in texts},
                    decimal_point=header.decimal_point,
                ),
            )
        except arrow.ArrowInvalid as error:
            if "Empty CSV file" not in str(error):
                raise
            return arrow.table({name: arrow.array([], arrow.int64()) for name in header.names})


def _bad_row(said: str, source: Source, header: Header) -> GraphFormatError:
    """Return what to say of a row that pyarrow refuses."""
    found = re.search(r"Row #([0-9]+): (.*)", said)
    if not found:
        return GraphFormatError(f"is no table that can be read: {said}", source.file)
    line = header.line + int(found[1]) - 1 + header.is_named
    what = found[2][0].lower() + found[2][1:]
    return GraphFormatError(what, source.file, line)


def arrow_values(column: Any, where: Callable[[int], str] = Rows.where) -> Values:
    """Return a column of Arrow; see `Rows.values`."""
    types = required("pyarrow").types
    if types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    kind = column.type
    if types.is_null(kind):
        raise ColumnError("has no value in any row")
    if types.is_string(kind) or types.is_large_string(kind):
        coded = column.cast("large_string").dictionary_encode().combine_chunks()
        if coded.null_count:
            raise _missing(column.is_null().to_numpy(), where)
        names = coded.dictionary.to_numpy(zero_copy_only=False)
        return Coded(coded.indices.to_numpy(), names)
    is_time = types.is_timestamp(kind) or types.is_date(kind)
    is_number = types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)
    if not is_time and not is_number:
        raise ColumnError(f"is {kind}, which emv does not store")
    if column.null_count:
        raise _missing(column.is_null().to_numpy(), where)
    values: NDArray[Any] = column.to_numpy()
    return values


def _missing(is_missing: NDArray[Any], where: Callable[[int], str]) -> ColumnError:
    count = int(np.count_nonzero(is_missing))
    more = f" and in {count - 1} others" if count > 1 else ""
    return ColumnError(f"has no value in {where(int(np.argmax(is_missing)))}{more}")


# Python


def _read_by_python(source: Source, header: Header, texts: Sequence[str]) -> Rows:
    columns: list[list[str]] = [[] for _ in header.names]
    for line, row in _lines_of(source, header):
        if len(row) != len(columns):
            text = shown(header.separator.join(row).encode())
            what = f"expected {len(columns)} columns, got {len(row)}: {text}"
            raise GraphFormatError(what, source.file, line)
        for column, value in zip(columns, row, strict=True):
            column.append(value)
    by_name = dict(zip(header.names, columns, strict=True))
    where = functools.partial(_place_of, source, header)

    def values(name: str) -> Values:
        if name in texts:
            return _coded(by_name[name])
        return _typed(by_name[name], header.decimal_point, where)

    return Rows(header.names, len(columns[0]), values, where, header.decimal_point)


def _lines_of(source: Source, header: Header) -> Iterator[tuple[int, list[str]]]:
    """Yield each row, and the number of the line that it ends in."""
    stream = io.BufferedReader(_Stream(source, header.begin), _BLOCK_BYTES)
    with io.TextIOWrapper(stream, encoding="utf-8-sig", newline="") as lines:
        reader = csv.reader(lines, delimiter=header.separator)
        try:
            for row in reader:
                is_short = len(row) < len(header.names)
                if row and not (is_short and row[0].lstrip().startswith(COMMENTS)):
                    yield header.line + reader.line_num - 1 + header.is_named, row
        except (csv.Error, UnicodeDecodeError) as error:
            raise GraphFormatError(f"is no table that can be read: {error}", source.file) from None


def _place_of(source: Source, header: Header, row: int) -> str:
    """Return which row one is, and in which line it stands."""
    line, _ = next(itertools.islice(_lines_of(source.again(), header), row, None))
    return f"row {row} (line {line})"


def _typed(texts: list[str], decimal_point: str, where: Callable[[int], str]) -> Values:
    """Return values in the first kind that holds all of them."""
    there = [each for each in texts if each not in MISSING]
    numerals = [each.strip().replace(decimal_point, ".") for each in there]
    kind, made = _kind(there, numerals)
    if kind is None:
        return _coded(texts)
    if not texts:
        return np.empty(0, np.int64)
    if len(there) < len(texts):
        if not there:
            raise ColumnError("has no value in any row")
        raise _missing(np.array([each in MISSING for each in texts]), where)
    return np.array(made, kind)


def _kind(there: list[str], numerals: list[str]) -> tuple[str | None, list[Any]]:
    """Return the dtype that holds all values, and the values."""
    if all(INTEGER.fullmatch(each.encode()) for each in numerals):
        whole = [int(each) for each in numerals]
        if all(-(2**63) <= each < 2**63 for each in whole):
            return "i8", whole
    if all(DECIMAL.fullmatch(each.encode()) for each in numerals):
        return "f8", [decimal_of(each.encode(), is_finite=False) for each in numerals]
    if all(each in _TRUTH for each in there):
        return "?", [_TRUTH[each] for each in there]
    if all(map(_DATE.fullmatch, there)):
        return _times(there, "M8[D]")
    if all(map(_TIME.fullmatch, there)):
        return _times(there, "M8[ns]" if any("." in each for each in there) else "M8[s]")
    return None, []


def _times(texts: list[str], kind: str) -> tuple[str | None, list[Any]]:
    try:
        return kind, list(np.array(texts, kind))
    except ValueError:  # no such day
        return None, []


def _coded(texts: list[str]) -> Coded:
    place_of: dict[str, int] = {}
    codes = [place_of.setdefault(each, len(place_of)) for each in texts]
    names = np.fromiter(place_of, dtype=object, count=len(place_of))
    return Coded(np.array(codes, np.int64), names)


def strays(column: Coded, decimal_point: str) -> NDArray[np.bool_] | None:
    """Return which texts of a column are no numbers, where most of the different ones are.

    What is missing counts as neither.
    """

    def is_number(text: str) -> bool:
        return bool(DECIMAL.fullmatch(text.strip().replace(decimal_point, ".").encode()))

    names = column.names.tolist()
    if 2 * sum(map(is_number, names[:_LOOKED_AT])) < len(names[:_LOOKED_AT]):
        return None
    return np.array([not (is_number(each) or each in MISSING) for each in names], np.bool_)
