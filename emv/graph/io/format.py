"""What every file format of emv is: a name, how it is known, how it is read and how it is written.

One module each; `emv.graph.io.FORMATS` lists them in the order in which they are tried.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emv.graph.io.source import Source
from emv.graph.tables import Tables

if TYPE_CHECKING:
    from emv.graph.graph import Graph


EVERYTHING = frozenset(
    {
        "direction",
        "isolated",
        "repeats",
        "weight",
        "edge columns",
        "vertex columns",
        "labels",
    }
)
"""What a format may keep of a graph."""


@dataclass(frozen=True)
class Hints:
    """What the caller of a reader says of the file.

    Attributes
    ----------
    directed : bool or None
        Whether edges lead one way only; None for what the file says.
    header : bool or None
        Whether the first line of an edge list is none of its edges; None to find out.
    verify : bool or None
        Whether the arrays of a folder are checked; None for those that others may have touched.
    copy : bool
        Whether the arrays of a folder are read into memory, not mapped.
    source, target : str or None
        The columns of the ends in a table; None for those whose names say so.
    columns : mapping of str to str, or None
        The columns of a table that are to be read, and how numbers are made of each; None for
        all that are numbers.
    vertices : path, file or None
        A second table, of the vertices.
    separator : str or None
        What parts the columns of a table; None to find out.
    version : int or None
        Which version of a folder, counted from 1; None for the last one.
    """

    directed: bool | None = None
    header: bool | None = None
    verify: bool | None = None
    copy: bool = False
    source: str | None = None
    target: str | None = None
    columns: Mapping[str, str | None] | None = None
    vertices: Any = None
    separator: str | None = None
    version: int | None = None

    @property
    def of_tables(self) -> dict[str, Any]:
        """What is said that only tables have a place for."""
        names = ("source", "target", "columns", "vertices", "separator")
        said = {name: getattr(self, name) for name in names}
        return {name: value for name, value in said.items() if value is not None}


NOTHING_SAID = Hints()


@dataclass(frozen=True)
class Format:
    """A file format.

    Attributes
    ----------
    name : str
        What ``format=`` takes, such as ``"matrix-market"``.
    title : str
        What errors call it, such as ``"a Matrix Market file"``.
    suffixes : tuple of str
        Endings of file names, before ``.gz`` or ``.zst``; the first is what it is written as.
    recognises : callable
        Whether a file is of this format by its first bytes or lines alone.
    read : callable
        Returns the tables of a file.
    write : callable or None
        Writes tables to a path, packed if its name ends in ``.gz`` or ``.zst``.
    keeps : frozenset of str
        What of `EVERYTHING` a graph has again after writing and reading.
    open : callable or None
        As `read`, but returns the graph itself, where more of it than its tables is stored.
    save : callable or None
        As `write`, but takes the graph itself, and whether an earlier one is kept.
    has_columns : bool
        Whether its columns have names, so that the ends and others may be chosen.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    recognises: Callable[[Source], bool]
    read: Callable[[Source, Hints], Tables]
    write: Callable[[Tables, Path], None] | None
    keeps: frozenset[str]
    open: Callable[[Source, Hints], Graph] | None = None
    save: Callable[[Graph, Path, bool], None] | None = None
    has_columns: bool = False
