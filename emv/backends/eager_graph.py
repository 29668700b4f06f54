"""What a program function holds in an eager run: ``g``, its domains and its columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from emv.backends.values import EagerValues, fold, narrow
from emv.errors import ArgumentError, Loc
from emv.graph.bind import column_values
from emv.ir import body as b
from emv.ir.program import NO_LIMIT
from emv.lang.fits import combined_type


class EagerDomain:
    """Something a function can be applied to."""

    def __init__(self, run: Any, kind: str, ids: Any = None) -> None:
        self.run = run
        self.kind = kind
        self.ids = ids

    def apply(self, function: Any, args: dict[str, Any], loc: Loc) -> Any:
        """Run the function on this domain."""
        return self.run.apply(function, self, args, loc)


class EagerColumn:
    """A column as the program function holds it."""

    def __init__(self, run: Any, kind: str, name: str) -> None:
        self.run, self.kind, self.name = run, kind, name

    def values(self) -> Any:
        """Return the column's array."""
        if self.name == "id":
            graph = self.run.graph
            return np.arange(graph.num_vertices if self.kind == "vertex" else graph.num_edges)
        if self.name in ("out_degree", "in_degree") and self.kind == "vertex":
            return self.run.degrees(self.name)
        return self.run.column(self.kind, self.name)

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(value, EagerColumn):
            value = value.values()
        elif isinstance(value, EagerValues):
            value = np.array([value.of(v) for v in range(self.run.graph.num_vertices)])
        key, field = (self.kind, self.name), self.run.fields.get((self.kind, self.name))
        if field is None:
            self.run.filled[key] = value
        else:
            self.run.columns[key] = column_values(self.run.graph, field, value).copy()

    def combine(self, operator: Any, initial: Any, by: Any) -> EagerValues:
        """Fold an edge column per source or destination."""
        if self.kind != "edge" or by not in ("src", "dst"):
            raise ArgumentError("folding a column needs an edge column and by='src' or by='dst'")
        run, inbox = self.run, dict[int, list[Any]]()
        column = self.values()
        kind = b.type_of(column.dtype)
        for arc in range(run.graph.num_arcs):
            end = int((run.src if by == "src" else run.dst)[arc])
            inbox.setdefault(end, []).append(narrow(column[run.edge_of(arc)], kind))
        folded = {v: fold(operator, values, kind, initial) for v, values in inbox.items()}
        return EagerValues(folded, combined_type(operator, kind), fold(operator, [], kind, initial))


class EagerColumns(EagerDomain):
    """``g.vertices`` and ``g.edges`` of an eager run."""

    def __getattr__(self, name: str) -> EagerColumn:
        return EagerColumn(self.run, "edge" if self.kind == "edges" else "vertex", name)


class EagerGraph(EagerDomain):
    """The ``g`` of a program that runs eagerly."""

    def __init__(self, run: Any) -> None:
        super().__init__(run, "all")
        self.vertices = EagerColumns(run, "all")
        self.edges = EagerColumns(run, "edges")
        self.num_vertices = np.int64(run.graph.num_vertices)
        self.num_edges = np.int64(run.graph.num_edges)
        self.num_arcs = np.int64(run.graph.num_arcs)
        self.active = EagerDomain(run, "active")
        self.active_edges = EagerDomain(run, "active_edges")

    def only(self, ids: Any) -> EagerDomain:
        """Return the vertices with the given ids, each once."""
        listed = np.unique(np.atleast_1d(np.asarray(ids, dtype=np.int64)))
        known = check_ids(listed, self.run.graph.num_vertices)
        return EagerDomain(self.run, "only", known.tolist())

    def supersteps(self, limit: Any = NO_LIMIT, until: Any = None) -> Any:
        """Loop over supersteps."""
        return self.run.loop(limit, until)


def check_ids(ids: Any, num_vertices: int) -> Any:
    """Return the ids, or refuse the first that is no vertex."""
    bad = ids[(ids < 0) | (ids >= num_vertices)]
    if len(bad):
        there = f"0..{num_vertices - 1}" if num_vertices else "none: the graph is empty"
        raise ArgumentError(f"there is no vertex {bad[0]}; the graph's vertex ids are {there}")
    return ids
