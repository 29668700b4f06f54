"""A stream of changes, replayed: later and later versions of a graph, each with a result.

A file is read by blocks (`emv.graph.stream`), every batch of changes is one version, and a
program's result is brought from version to version by its `update`. Whoever does not keep them
lets go of earlier versions, so that memory holds the newest graph and a few blocks of the file.
"""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Unpack

from emv.errors import ArgumentError, EmvError, GraphError, GraphFormatError
from emv.graph.graph import Graph
from emv.graph.io.format import Hints
from emv.graph.io.header import header_of, is_table
from emv.graph.io.options import ColumnOptions, split_options
from emv.graph.io.source import Source, source_of
from emv.graph.io.text import line_of_entry
from emv.graph.stream.apply import applied
from emv.graph.stream.batches import in_batches
from emv.graph.stream.block import Block
from emv.graph.stream.file import blocks_of
from emv.graph.stream.rows import blocks_of_rows
from emv.runtime.program import ProgramFunction
from emv.runtime.progress import FIRST_S, is_wanted, new_bar
from emv.runtime.run import Run
from emv.tracebacks import ends_at_caller


@dataclass(frozen=True)
class Version:
    """A graph after a batch of changes.

    Attributes
    ----------
    number : int
        Counted from 1.
    changes : int
        How many changes there were up to here.
    time : number or None
        What the column ``time`` says of the last of them, where there is one.
    graph : Graph
        The graph after them.
    run : Run or None
        What the program found on it; ``run.updated`` says how.
    seconds : float
        Time it took to make the graph, reading the changes left out.
    """

    number: int
    changes: int
    time: int | float | None
    graph: Graph
    run: Run | None = field(repr=False, default=None)
    seconds: float = 0.0

    @property
    def result(self) -> Any:
        """What the program returned; None without a program."""
        return None if self.run is None else self.run.result


@ends_at_caller
def replay(
    changes: Any,
    graph: Graph | None = None,
    *,
    batch: int = 100_000,
    directed: bool | None = None,
    program: ProgramFunction | None = None,
    arguments: Mapping[str, Any] | None = None,
    **options: Unpack[ColumnOptions],
) -> Iterator[Version]:
    r"""Apply timed changes to a graph by batches, and yield the version after each.

    Parameters
    ----------
    changes : str, path, file or iterable
        A file of changes, or rows ``("+", src, dst)``, ``("-", src, dst)``, ``("+", src, dst,
        {"weight": 2.5})``, or tables of many (mappings of arrays, frames) with the columns ``src``,
        ``dst`` and mostly ``sign``. In a file a line adds an edge, ``source target`` or ``source
        target time``; or it is ``+ source target``, ``- source target`` or ``+ source target
        weight``; or a row of a table with named columns, of which one called ``sign``, ``op`` or
        ``change`` may say which remove. ``.gz`` and ``.zst`` are unpacked on the way.
    graph : Graph, optional
        What to begin with; by default nothing. It stays as it is.
    batch : int
        Changes that make a version.
    directed : bool, optional
        Whether edges lead one way only; by default they do. Not with a `graph`, which says it.
    program : program, optional
        What to run on every version. From one to the next its result is brought up to date
        (`ProgramFunction.update`), anew where that is not sound.
    arguments : mapping, optional
        The program's arguments and the options of its runs: ``{"source": 0, "backend": "cpu"}``.
    **options
        Of tables: ``source``, ``target``, ``columns``, ``separator``; see `emv.read`.

    Yields
    ------
    Version
        With ``graph`` and ``run``. Vertices are numbered in the order in which they appear and
        have what the changes call them as labels; they stay when their edges go. Repeated edges
        are kept, and a removal takes the oldest of those between its ends.

    Raises
    ------
    GraphFormatError
        If a line is no change, when its turn comes. Versions before it are right.
    GraphError
        If an edge is to be removed that there is not.
    ArgumentError
        If `batch` is not positive, or something is said twice.

    Notes
    -----
    The file is read by blocks of some MB while versions are made. With ``EMV_PROGRESS`` a bar shows
    how far it is.

    Examples
    --------
    >>> import emv
    >>> from emv.algorithms import components
    >>> lines = [("+", "ann", "bob"), ("+", "cy", "dan"), ("+", "bob", "cy"), ("-", "ann", "bob")]
    >>> for version in emv.replay(lines, batch=2, program=components):
    ...     print(version.number, version.graph.labels, version.result)
    1 ['ann' 'bob' 'cy' 'dan'] [0 0 2 2]
    2 ['ann' 'bob' 'cy' 'dan'] [0 1 1 1]
    """
    _check(batch, program, arguments)
    begin = _beginning(graph, directed)
    of_table = split_options(options, ColumnOptions)[0]  # type: ignore[arg-type]
    source: Source | None = None
    if isinstance(changes, str) or hasattr(changes, "__fspath__") or hasattr(changes, "read"):
        source = source_of(changes)
        blocks = blocks_of(source, Hints(**of_table))
    elif of_table:
        raise ArgumentError(f"{next(iter(of_table))}= is given, but the changes are no file")
    elif isinstance(changes, Iterable):
        blocks = blocks_of_rows(changes, batch)
    else:
        raise ArgumentError(f"changes is {changes!r}", remedy="expected a file or an iterable")
    return versions_of(begin, in_batches(blocks, batch), source, program, arguments)


def _check(batch: Any, program: Any, arguments: Any) -> None:
    """Refuse what is no batch, no program, or arguments of none."""
    if isinstance(batch, bool) or not isinstance(batch, int) or batch < 1:
        raise ArgumentError(f"batch is {batch!r}", remedy="expected how many changes are a version")
    if program is not None and not isinstance(program, ProgramFunction):
        raise ArgumentError(
            f"program is {program!r}", remedy="expected a function that @program decorates"
        )
    if program is None and arguments:
        raise ArgumentError("arguments are given, but no program", remedy="give program=, too")


def _beginning(graph: Any, directed: Any) -> Graph:
    """Return the graph to begin with."""
    if directed not in (None, True, False):
        raise ArgumentError(f"directed is {directed!r}", remedy="expected True or False")
    if graph is None:
        return Graph(directed=directed is not False)
    if not isinstance(graph, Graph):
        raise ArgumentError(f"graph is {graph!r}", remedy="expected an emv.Graph")
    if directed is not None:
        way = "directed" if graph.directed else "undirected"
        raise ArgumentError(
            f"directed={directed} is given, and a graph, which is {way}",
            remedy="leave directed= out",
        )
    return graph


def versions_of(
    graph: Graph,
    batches: Iterator[Block],
    source: Source | None,
    program: ProgramFunction | None = None,
    arguments: Mapping[str, Any] | None = None,
) -> Iterator[Version]:
    """Yield the version of a graph after each batch; see `replay`."""
    run: Run | None = None
    number, count, given = 0, 0, arguments or {}
    with contextlib.closing(_Bar(source)) as bar:
        for block in batches:
            begin = time.perf_counter()
            graph = applied(graph, block, functools.partial(_refused, count, source))
            seconds = time.perf_counter() - begin
            number, count = number + 1, count + len(block)
            if program is not None:
                run = program.run(graph, **given) if run is None else program.update(run, graph)
            times = block.columns.get("time")
            last = None if times is None else times[-1].item()
            bar.show(count)
            yield Version(number, count, last, graph, run, seconds)


def _refused(first: int, source: Source | None, number: int, what: str) -> EmvError:
    """Return the error of a change, of a block whose first one has a number."""
    remedy = "leave the change out; each removal takes one edge, the oldest between its ends"
    if source is None:
        return GraphError(f"change {first + number}: {what}", remedy=remedy)
    line = None
    if source.is_plain:
        is_named = is_table(source) and header_of(source, None).is_named
        line = line_of_entry(source.again(), first + number + is_named)
    return GraphFormatError(what, source.file, line, remedy)


class _Bar:
    """A bar that says how far a file has been read, once that has taken `FIRST_S` seconds."""

    def __init__(self, source: Source | None) -> None:
        self._source = source
        self._bar: Any = None
        self._started = time.perf_counter()
        self._is_wanted = is_wanted()

    def show(self, changes: int) -> None:
        """Draw it."""
        if not self._is_wanted:
            return
        source = self._source
        if self._bar is None and time.perf_counter() - self._started >= FIRST_S:
            unit = (" changes", None) if source is None else (" bytes", source.num_bytes)
            self._bar = new_bar("replay", unit[1], unit[0])
        if self._bar is not None:
            self._bar.set_postfix_str(f"{changes:,} changes", refresh=False)
            self._bar.update((changes if source is None else source.bytes_done()) - self._bar.n)

    def close(self) -> None:
        """Leave it as it is, below which the prompt goes on."""
        if self._bar is not None:
            self._bar.close()
