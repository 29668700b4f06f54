"""What a run leaves behind: results, columns, supersteps, the reason of its end, and timings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from emv.errors import ColumnError, did_you_mean
from emv.graph import frames
from emv.graph.on_device import here_and_there, on_host
from emv.graph.tables import Tables

if TYPE_CHECKING:
    import pandas
    import pyarrow


@dataclass
class LaunchTime:
    """How often one launch was called and how long it took in all, compiling left out.

    The launches of a loop that is compiled as a whole are not called one by one: the loop is one
    line, named ``loop_N`` after its number in the schedule, with its supersteps. A call runs a
    bounded number of them.

    Attributes
    ----------
    name : str
        The function of the generated kernels.
    calls : int
        How often it was called.
    seconds : float
        Wall time of all calls.
    supersteps : int
        Of a compiled loop; 0 of a launch.
    """

    name: str
    calls: int = 0
    seconds: float = 0.0
    supersteps: int = 0

    def __str__(self) -> str:
        steps = f"  {self.supersteps:,} supersteps" if self.supersteps else ""
        return f"{self.name:<40}{1e3 * self.seconds:>10.2f} ms{self.calls:>8,} calls{steps}"


class RunColumns:
    """The columns a run wrote, by attribute or by name: ``run.vertices.dist``."""

    def __init__(self, columns: dict[str, NDArray[Any]]) -> None:
        self._columns = columns

    def names(self) -> list[str]:
        """Return the names of the columns."""
        return list(self._columns)

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._columns:
            raise ColumnError(
                f"the run has no column {name!r}; it has {', '.join(self._columns) or 'none'}."
                + did_you_mean(name, self._columns)
            )
        return self._columns[name]

    def __getattr__(self, name: str) -> NDArray[Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __repr__(self) -> str:
        return f"columns: {', '.join(self._columns) or 'none'}"


def run_columns(columns: dict[tuple[str, str], Any]) -> tuple[RunColumns, RunColumns]:
    """Return columns as a `Run` has them, those of vertices and those of edges."""
    vertices: dict[str, Any] = {}
    edges: dict[str, Any] = {}
    for (kind, name), values in columns.items():
        (vertices if kind == "vertex" else edges)[name] = values
    return RunColumns(vertices), RunColumns(edges)


def nothing() -> None:
    """Return what a run has said of which nobody told: a default that is no attribute of all."""


def _rows(edges: bool) -> str:
    return "edges" if edges else "vertices"


Asked = tuple[Any, tuple[Any, ...], dict[str, Any], dict[str, Any]]
"""The program, its arguments by place and by name, and the options of a call."""


Sizes = tuple[int, int, dict[str, NDArray[Any]], dict[str, Any]]
"""Vertices and edges of a graph, and its edge columns, those with the host and those on a GPU."""


@dataclass
class Said:
    """What a run was asked for: the program, its arguments, and the options of the call.

    With them what the graph had, which may have grown since, or got other columns.
    """

    program: Any
    args: tuple[Any, ...]
    named: dict[str, Any]
    options: dict[str, Any]
    num_vertices: int
    num_edges: int
    edge_columns: dict[str, NDArray[Any]]
    edge_columns_there: dict[str, Any]

    @classmethod
    def of(cls, asked: Asked, graph: Any) -> Said:
        """Return what a run on a graph was asked for."""
        program, args, named, options = asked
        return cls(program, args, named, options, *cls.sizes_of(graph))

    @staticmethod
    def sizes_of(graph: Any) -> Sizes:
        """Return what of a graph is to be known later: its size, and its edge columns.

        Those on a GPU are by themselves, where they lie, as nobody is to wait for them. Runs on a
        graph whose edges stay share it.
        """
        edges = graph._store.edges
        columns, rows = edges._columns, (edges._vertices._num_rows, edges._num_rows)
        found: Sizes | None = columns.told
        if found is None or found[:2] != rows:
            found = columns.told = *rows, *here_and_there(columns)
        return found


def told_of_none(python: Any) -> None:
    """Warn of a program that was called for its result and gives none."""
    from emv.lang.hints import hint_no_result  # which reads its text

    hint_no_result(python)


Rest = tuple[dict[tuple[str, str], Any], Callable[[], list[LaunchTime]], Asked | None, Sizes]
"""What a `Run` tells only if somebody asks, and is not put together before: the columns that it
worked on, what gives its launches, what it was asked for, and what the graph had.

After a kernel that has used all caches to make such things takes longer than they are worth to most
who call a program.
"""


def told(rest: Rest) -> dict[str, Any]:
    """Return that by the names of a run's attributes."""
    columns, launches, asked, sizes = rest
    vertices, edges = run_columns(columns)
    said = None if asked is None else Said(*asked, *sizes)
    return {"vertices": vertices, "edges": edges, "launches": launches(), "said": said}


LATER = frozenset({"vertices", "edges", "launches", "said"})
"""The attributes of a run that `told` makes."""


@dataclass
class Run:
    """The outcome of one run of a program.

    Attributes
    ----------
    result : Any
        What the program returned; columns as numpy arrays in the order of vertex or edge ids.
    vertices, edges : RunColumns
        Every column the run worked on. The graph's own columns are never changed.
    supersteps : int
        Supersteps of all loops together.
    stopped : str
        Why the last loop ended: ``converged`` (nobody voted to go on), ``halt``, ``until``,
        ``limit``, ``callback`` or ``no loop``.
    seconds : float
        Time from the beginning of the first launch to the end of the last, without compiling. Of a
        program that is one kernel on a GPU it is by the GPU's clock, callbacks between launches
        included, and filling columns with start values is not; else it is wall time. On cores it
        counts how long arrays are filled with what they hold first, and ids widened for a result.
        Building the graph's index arrays, which the first run does, is not in it.
    compile_seconds : float
        Time that this run spent making, compiling and loading kernels; near 0 once they are there.
    backend : str
        Where it ran.
    launches : list of LaunchTime
        Time per launch, where the backend knows it; see `LaunchTime`.
    graph : Graph
        What the program ran on; if it changed that, the version that it left, of which columns and
        results have a row for each vertex or edge.
    dropped : int
        How many edges it was to add to or from vertices that were deleted.
    reached : float, optional
        Of a page of `emv.algorithms` that iterates until its result settles: by how much this still
        changed in the last superstep, in the unit of ``tol``.
    trouble : Warning, optional
        What such a page has warned of.
    updated : str, optional
        Of a run that `ProgramFunction.update` made: what was done, and why not less.
    said : Said
        What the run was asked for.
    """

    program: str
    result: Any
    vertices: RunColumns
    edges: RunColumns
    supersteps: int
    stopped: str
    seconds: float
    backend: str
    compile_seconds: float = 0.0
    launches: list[LaunchTime] = field(default_factory=list)
    graph: Any = field(default=None, repr=False, compare=False)
    dropped: int = 0
    reached: float | None = None
    trouble: Warning | None = field(default=None, repr=False, compare=False)
    updated: str | None = None
    said: Any = field(default_factory=nothing, repr=False, compare=False)
    _rest: ClassVar[Rest]  # of some runs: no field

    if not TYPE_CHECKING:  # whoever checks types knows all attributes

        def __getattr__(self, name: str) -> Any:
            """Return what is told only now; another thread may have asked at the same time."""
            own = self.__dict__
            rest = own.get("_rest") if name in LATER else None
            if rest is not None:
                own.update({**told(rest), **own})  # what somebody has set stays
                own.pop("_rest", None)
            if name in own:
                return own[name]
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __getstate__(self) -> dict[str, Any]:
        """Return what to pickle or copy: all of it."""
        told = {name: getattr(self, name) for name in LATER}
        return {**self.__dict__, **told}

    def to_dict(self, column: str | None = None) -> dict[Any, Any]:
        """Return values of the vertices by what these were called: ``{label: value}``.

        Parameters
        ----------
        column : str, optional
            A vertex column of the run; by default the result, which must be one.

        Raises
        ------
        ColumnError
            If the run has no such column.
        GraphError
            If the result is not one value per vertex.

        Examples
        --------
        >>> import emv
        >>> g = emv.Graph.from_edges(["ann", "bob"], ["bob", "cy"], renumber=True)
        >>> emv.algorithms.bfs.run(g.on("python"), 0).to_dict("depth")
        {'ann': 0, 'bob': 1, 'cy': 2}
        """
        values = self.result if column is None else self.vertices[column]
        labelled: dict[Any, Any] = self.graph.to_dict(values)
        return labelled

    def to_pandas(self, edges: bool = False) -> pandas.DataFrame:
        """Return a DataFrame with a row per vertex, or per edge, and all results as columns.

        The columns are ``id`` (or ``src`` and ``dst``), by label, the result if it has as many
        values, called ``result``, or those of several, ``result_0`` and so on, and every column
        that the run worked on.

        Parameters
        ----------
        edges : bool
            Whether the rows are edges.

        Examples
        --------
        >>> import emv
        >>> g = emv.Graph.from_edges(["ann", "bob"], ["bob", "cy"], renumber=True)
        >>> print(emv.algorithms.bfs.run(g.on("python"), 0).to_pandas())
            id  result  depth
        0  ann       0      0
        1  bob       1      1
        2   cy       2      2
        """
        made: pandas.DataFrame = frames.to_pandas(self._tables(edges), _rows(edges))
        return made

    def to_arrow(self, edges: bool = False) -> pyarrow.Table:
        """Return a table of Arrow with all results as columns; see `to_pandas`.

        Raises
        ------
        GraphError
            If the labels are neither all texts nor all whole numbers.
        """
        made: pyarrow.Table = frames.to_arrow(self._tables(edges), _rows(edges))
        return made

    def _tables(self, edges: bool) -> Tables:
        """Return the graph with the results as its columns."""
        tables: Tables = self.graph.tables()
        if edges:
            return replace(tables, edge_columns=self._columns(edges))
        return replace(tables, vertex_columns=self._columns(edges))

    def _columns(self, edges: bool) -> dict[str, NDArray[Any]]:
        """Return all that has a value per edge or per vertex, by name."""
        count = self.graph.num_edges if edges else self.graph.num_vertices
        written = self.edges if edges else self.vertices
        several = self.result if isinstance(self.result, tuple | list) else [self.result]
        names = [f"result_{place}" for place in range(len(several))]
        results: dict[Any, Any] = dict(zip(names, several, strict=True))
        if isinstance(self.result, dict):
            results = self.result
        elif not isinstance(self.result, tuple | list):
            results = {"result": self.result}
        found = {str(name): each for name, each in results.items() if np.shape(each) == (count,)}
        found |= {name: written[name] for name in written.names()}
        return {name: on_host(each) for name, each in found.items()}

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        from emv.shown.pages import run_page  # only notebooks ask for it

        return run_page(self)

    def __repr__(self) -> str:
        return (
            f"Run({self.program} on {self.backend}: {self.supersteps} supersteps, "
            f"{self.stopped}, {1e3 * self.seconds:.1f} ms)"
        )


def begun_run(rest: Rest, program: str, result: Any, backend: str, graph: Any) -> Run:
    """Return a run that is to be told how it ended, and makes the rest if somebody asks."""
    run = Run.__new__(Run)
    run._rest, run.program, run.result = rest, program, result  # type: ignore[misc]
    run.backend, run.graph = backend, graph
    return run
