"""What the functions of an eager run ask to change of the graph, and the version made of it.

A change is seen from the next superstep on: what the calls of a superstep ask for is collected and
made when the superstep is over, or before one in it begins; a call outside all loops is a superstep
by itself. In one superstep removal beats addition: an edge that is added to or from a vertex that
is deleted, then or before, is dropped and counted. ``clear_edges`` and ``delete`` are of the edges
that there are, so those that the same superstep adds stay.

New edges stand behind those that a row has, in the order of the calls, of the instances that add
them, and of what one instance adds. New vertices are numbered in that order, too; ids are never
given twice.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from emv.backends.numbers import I64, held
from emv.errors import ArgumentError, ColumnError, LanguageError, Loc
from emv.graph.evolving import Columns, Evolving, Key, Requests, ids_now
from emv.graph.graph import Graph
from emv.ir.body import type_of
from emv.lang.changing import Kept, check_applied, refuse_unnamed
from emv.lang.named import functions_named, records_of


@dataclass
class Collected:
    """What a superstep has asked for so far."""

    edges: list[tuple[tuple[int, ...], int, dict[str, Any]]] = field(default_factory=list)
    vertices: list[dict[str, Any]] = field(default_factory=list)
    edges_gone: set[int] = field(default_factory=set)
    cleared: set[int] = field(default_factory=set)
    vertices_gone: set[int] = field(default_factory=set)


class EagerChanges:
    """The changes of one run.

    Attributes
    ----------
    evolving : Evolving
        The graph that it runs on.
    gone : set of int
        The vertices that were deleted.
    """

    def __init__(self, run: Any) -> None:
        self.run = run
        self.evolving = Evolving(run.graph._store)
        self.gone: set[int] = set()
        self.asked = Collected()
        self.kept = Kept()
        self.calls = 0

    @property
    def version(self) -> int:
        """How often the graph has changed."""
        return self.evolving.versions

    @property
    def num_new(self) -> int:
        """How many vertices the superstep has added."""
        return len(self.asked.vertices)

    def begin(self, function: Any, domain: str, loc: Loc) -> None:
        """Take note of a call of a function, and refuse what its additions lack."""
        self.calls += 1
        self.kept.note(function)
        if function.effects.changes:
            if not self.run.is_of_host:
                refuse_unnamed(function)
            for each in functions_named(self.run.python):
                for record in records_of(each):
                    self.run.declare(record)
            check_applied(function, self.run.fields, domain, loc)

    # What functions say.

    def add_edge(self, src: int, dst: int, fields: dict[str, Any]) -> None:
        """Add an edge when the superstep is over."""
        self._check_vertex("add_edge", src)
        self._check_vertex("add_edge", dst)
        place = (int(src), self.calls, self.run.call.instance, len(self.asked.edges))
        self.asked.edges.append((place, int(dst), fields))

    def add_vertex(self, fields: dict[str, Any]) -> int:
        """Add a vertex when the superstep is over; return its id."""
        self.asked.vertices.append(fields)
        return I64(self._num_known() - 1)

    def delete(self, kind: str, index: int) -> None:
        """Remove a vertex or an edge when the superstep is over."""
        gone = self.asked.vertices_gone if kind == "vertex" else self.asked.edges_gone
        gone.add(int(index))

    def clear_edges(self, vertex: int) -> None:
        """Remove the edges of a vertex when the superstep is over."""
        self.asked.cleared.add(int(vertex))

    def _num_known(self) -> int:
        return int(self.run.graph.num_vertices) + len(self.asked.vertices)

    def _check_vertex(self, word: str, vertex: int) -> None:
        if not 0 <= int(vertex) < self._num_known():
            raise no_vertex(word, int(vertex), self._num_known())

    # What becomes of it.

    def make(self) -> None:
        """Make the version that the superstep has asked for, if it has."""
        asked, self.asked = self.asked, Collected()
        requests = self._requests(asked)
        if requests.is_empty:
            return
        run, names = self.run, self._columns()
        edges_gone = self.evolving.change(requests, names)
        self.gone = set(np.flatnonzero(self.evolving.is_gone).tolist())
        run.take_graph(Graph._of(self.evolving.store, run.graph._placed))
        for key in names:
            run.columns[key] = self.evolving.column(key).copy()
        for sets in (run.active, run.pending):
            sets["vertex"] -= self.gone
            awake = np.array(sorted(sets["edge"]), np.int64)
            sets["edge"] = set(ids_now(awake, edges_gone).tolist())

    def last(self) -> Graph:
        """Return the version that the run leaves, without those deleted."""
        return Graph._of(self.evolving.last(self.run.columns), self.run.graph._placed)

    def _columns(self) -> Columns:
        """Return the columns of the program that have values by now."""
        for key in self.run.fields:
            if key not in self.run.columns:
                self._load(key)
        return dict(self.run.columns)

    def _load(self, key: Key) -> None:
        try:
            self.run.column(*key)
        except ColumnError:
            if self.version:
                raise  # else the program fills it before it reads it

    def _requests(self, asked: Collected) -> Requests:
        """Return what was asked for, in order, as arrays."""
        graph = self.run.graph
        asked.edges.sort(key=lambda each: each[0])

        def marked(ids: set[int], size: int) -> Any:
            made = np.zeros(size, np.bool_)
            made[list(ids)] = True
            return made

        return Requests(
            np.array([place[0] for place, *_ in asked.edges], np.int64),
            np.array([dst for _, dst, _ in asked.edges], np.int64),
            len(asked.vertices),
            self._values("edge", [fields for *_, fields in asked.edges])
            | self._values("vertex", asked.vertices),
            marked(asked.edges_gone, graph.num_edges),
            marked(asked.cleared, graph.num_vertices),
            marked(asked.vertices_gone, graph.num_vertices),
        )

    def _values(self, kind: str, given: list[dict[str, Any]]) -> Columns:
        """Return what new edges or vertices have in each column of the program."""
        made: Columns = {}
        first = self.run.graph.num_vertices
        for (of, name), column in self.run.fields.items() if given else ():
            if of != kind:
                continue
            dtype = column.dtype
            if column.disjoint:
                made[of, name] = np.arange(first, first + len(given), dtype=dtype)
                continue
            values = [each.get(name, column.default) for each in given]
            made[of, name] = np.array([held(each, type_of(dtype)) for each in values], dtype)
        return made


def no_vertex(word: str, vertex: int, number: int, loc: Loc | None = None) -> ArgumentError:
    """Return the error of an edge to or from what is no vertex."""
    return ArgumentError(
        f"{word}() of vertex {vertex}, and the ids of the vertices are 0..{number - 1}",
        loc,
        "Test the id before: if v.best >= 0: ...",
    )


def made_before(loc: Loc) -> LanguageError:
    """Return the error of values that are used when the graph has become another."""
    return LanguageError(
        "these messages or values were made before the graph changed",
        loc,
        "Fold or receive them in the superstep in which they are sent, or keep them in a column.",
    )
