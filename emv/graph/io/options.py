"""What `emv.read` may be asked beside the file: of tables, and what to do with the graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypedDict, get_type_hints

from emv.errors import ArgumentError, did_you_mean
from emv.graph.prepare import Options


class ColumnOptions(TypedDict, total=False):
    """What may be said of the columns of a table; `emv.graph.io.read` says what each means."""

    source: str | None
    target: str | None
    columns: Iterable[str] | Mapping[str, str | None] | None
    separator: str | None


class TableOptions(ColumnOptions, total=False):
    """What may be said of tables: of edges, and of vertices."""

    vertices: Any


class ReadOptions(Options, TableOptions, total=False):
    """All of it."""


def split_options(
    options: ReadOptions, known: type = ReadOptions
) -> tuple[dict[str, Any], Options]:
    """Return what is said of a table, and what to do with the graph, of the options of `known`.

    Raises
    ------
    ArgumentError
        If there is no such option, or it cannot have such a value.
    """
    names = get_type_hints(known)
    for name in options:
        if name not in names:
            raise ArgumentError(
                f"there is no option {name!r}.{did_you_mean(name, names)}",
                remedy=f"There are {', '.join(names)}.",
            )
    given: dict[str, Any] = dict(options)
    of_table = {name: given.pop(name) for name in get_type_hints(TableOptions) if name in given}
    for name in ("source", "target", "separator"):
        value = of_table.get(name)
        if value is not None and not isinstance(value, str):
            raise ArgumentError(f"{name} is {value!r}", remedy="expected a text")
    separator = of_table.get("separator")
    if separator is not None and len(separator) != 1:
        raise ArgumentError(f"separator is {separator!r}", remedy="expected one character")
    if of_table.get("columns") is not None:
        of_table["columns"] = _as_ways(of_table["columns"])
    return of_table, Options(**given)  # type: ignore[typeddict-item]


def _as_ways(columns: Any) -> dict[str, str | None]:
    """Return columns with the way to make numbers of each."""
    from emv.graph.io.ways import WAYS  # beside the readers, which folders do without

    if isinstance(columns, str):
        return {columns: None}
    ways = dict(columns) if isinstance(columns, Mapping) else dict.fromkeys(columns)
    for name, way in ways.items():
        if way is not None and way not in WAYS:
            raise ArgumentError(
                f"columns says {way!r} of {name!r}.{did_you_mean(str(way), WAYS)}",
                remedy=f"There are {', '.join(WAYS)}, and None for numbers.",
            )
    return ways
