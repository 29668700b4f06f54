"""What a program function holds in an eager run: ``g``, its domains and its columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from emv.backends.eager_scalar import EagerScalar, known
from emv.backends.numbers import held
from emv.backends.values import EagerMessages, EagerValues, begin, fold, lawful
from emv.errors import ArgumentError, Loc
from emv.ir import body as b
from emv.ir.program import NO_LIMIT, Column
from emv.lang.fits import (
    GIVEN,
    check_fill,
    check_folded,
    check_mask,
    no_such_name,
    not_whole,
    other_length,
    refuse_values,
    replaced,
    set_once,
    wrong_ids,
)
from emv.lang.folds import combined_type
from emv.lang.listed import ArrayStandIn
from emv.lang.slips import Spot, caller_spot, not_looped
from emv.lang.source import caller_loc
from emv.lang.supersteps import ACTIVE, set_is_over
from emv.lang.traced import scalar
from emv.lang.traced_columns import ColumnFace, any_or_all


@dataclass(frozen=True)
class Members:
    """Who is in a domain: by its kind, or ids."""

    kind: str
    ids: Any = None
    is_idle: bool = False  # only active vertices can be the cause that there are any


class EagerDomain:
    """Something a function can be applied to."""

    def __init__(self, run: Any, kind: str, ids: Any = None, is_idle: bool = False) -> None:
        object.__setattr__(self, "_run", run)
        object.__setattr__(self, "_members", Members(kind, ids, is_idle or kind in ACTIVE))
        object.__setattr__(self, "_activating", run.activating)

    def __iter__(self) -> Any:
        raise not_looped()

    def apply(self, function: Any, args: dict[str, Any], loc: Loc) -> Any:
        """Run the function on this domain."""
        now = self._run.activating
        if self._members.kind in ACTIVE and now != self._activating:
            raise set_is_over(f"g.{self._members.kind}", now[1], loc)
        return self._run.apply(function, self._members, args, loc)


class EagerColumn(ColumnFace):
    """A column as the program function holds it; printing shows what is in it."""

    def __init__(self, run: Any, kind: str, name: str, spot: Spot) -> None:
        self.run, self.kind, self.name, self.spot = run, kind, name, spot
        self.column = Column(kind, name)

    def __repr__(self) -> str:
        return f"g.{self.column} = {self.values()}"

    def values(self) -> Any:
        """Return the column's array."""
        if self.name == "id":
            graph = self.run.graph
            return np.arange(graph.num_vertices if self.kind == "vertex" else graph.num_edges)
        if self.name in ("out_degree", "in_degree") and self.kind == "vertex":
            return self.run.degrees(self.name)
        return self.run.column(self.kind, self.name)

    def check_declared(self, loc: Loc) -> None:
        """Refuse a column that no record declares and the graph does not give."""
        if self.name not in GIVEN[self.kind]:
            self.run.declared((self.kind, self.name), loc)

    def __setitem__(self, key: Any, value: Any) -> None:
        loc = caller_loc()
        if key != slice(None):
            raise not_whole(self.column, loc)
        check_fill(self.column, loc)
        kind, values = self._given(value, loc)
        self.run.fill(self.kind, self.name, values, kind, loc)

    def _given(self, value: Any, loc: Loc) -> tuple[Any, Any]:
        """Return the type and the values that fill this column."""
        if isinstance(value, EagerColumn):
            if value.kind != self.kind:
                raise other_length(self.column, value.column, loc)
            return b.type_of(value.values().dtype), value.values().copy()
        if isinstance(value, EagerValues) and self.kind == "vertex":
            value.check_fresh(loc)
            if isinstance(value, EagerMessages):
                refuse_values(value.function, loc)
            return value.kind, value.as_array()
        return scalar(value).type, known(value)

    @property
    def num_rows(self) -> int:
        """Return how many entries the column has."""
        return len(self.values())

    def aggregate(self, word: str) -> Any:
        """Fold the column into one number."""
        values, gone = self.values(), self.run.changes.gone if self.kind == "vertex" else ()
        kind = b.type_of(values.dtype)
        by_id = {row: held(each, kind) for row, each in enumerate(values) if row not in gone}
        return EagerValues(by_id, kind, 0, len(values), dense=False).aggregate(word)

    def apply(self, function: Any, args: dict[str, Any], loc: Loc) -> Any:
        """Run the function on the vertices in a mask."""
        check_mask(self.run.declared((self.kind, self.name), loc), loc)
        members = np.flatnonzero(self.values()).tolist()
        return self.run.apply(function, Members("mask", members), args, loc)

    def combine(self, operator: Any, initial: Any, by: Any) -> Any:
        """Fold an edge column per source or destination, or ask whether any or all are set."""
        if by is None and operator.name in ("any", "all"):
            return any_or_all(self, operator.name)
        check_folded(self.column, by, caller_loc())
        run, inbox = self.run, dict[int, list[Any]]()
        column = self.values()
        kind = b.type_of(column.dtype)
        initial = begin(operator.name, initial, kind)
        operator = lawful(operator, kind)
        for arc in range(run.graph.num_arcs):
            end = int((run.src if by == "src" else run.dst)[arc])
            inbox.setdefault(end, []).append(held(column[run.edge_of(arc)], kind))
        folded = {v: fold(operator, values, kind, initial) for v, values in inbox.items()}
        missing = fold(operator, [], kind, initial)
        return EagerValues(folded, combined_type(operator, kind), missing, run.graph.num_vertices)


class EagerColumns(EagerDomain):
    """``g.vertices`` and ``g.edges``: a domain; whatever is asked of it by name is a column."""

    def __init__(self, run: Any, kind: str) -> None:
        super().__init__(run, kind)
        object.__setattr__(self, "_kind", "edge" if kind == "edges" else "vertex")

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("_"):
            return object.__getattribute__(self, name)
        return EagerColumn(self._run, self._kind, name, caller_spot())

    def __setattr__(self, name: str, value: Any) -> None:
        raise replaced(Column(self._kind, name), caller_loc())


_OWN = frozenset({"vertices", "edges", "directed"})


class EagerGraph(EagerDomain):
    """The ``g`` of a program that runs eagerly."""

    def __init__(self, run: Any) -> None:
        super().__init__(run, "all")
        self.vertices = EagerColumns(run, "all")
        self.edges = EagerColumns(run, "edges")
        self.directed = bool(run.graph.directed)

    @property
    def num_vertices(self) -> EagerScalar:
        """Return the number of vertices, those deleted left out."""
        return self._run.number(self._run.changes.evolving.num_vertices)

    @property
    def num_edges(self) -> EagerScalar:
        """Return the number of edges."""
        return self._run.number(self._run.graph.num_edges)

    @property
    def num_arcs(self) -> EagerScalar:
        """Return the number of arcs: two per undirected edge that is no loop."""
        return self._run.number(self._run.graph.num_arcs)

    @property
    def active(self) -> EagerDomain:
        """Return the vertices activated since the set was last asked for."""
        return EagerDomain(self._run, "active")

    @property
    def active_edges(self) -> EagerDomain:
        """Return the edges activated since the set was last asked for."""
        return EagerDomain(self._run, "active_edges")

    def __getattr__(self, name: str) -> Any:
        raise no_such_name(name, self, caller_loc())

    def __setattr__(self, name: str, value: Any) -> None:
        set_once(self, _OWN, name, value)

    def only(self, ids: Any) -> EagerDomain:
        """Return the vertices with the given ids, each once."""
        ids = ids.values if isinstance(ids, ArrayStandIn) else known(ids)
        listed = np.asarray(sorted(ids) if isinstance(ids, set | frozenset) else ids)
        if listed.ndim > 1 or (listed.size and listed.dtype.kind not in "iu"):
            raise wrong_ids(ids, caller_loc())
        members = check_ids(np.unique(listed.astype(np.int64)), self._run.graph.num_vertices)
        return EagerDomain(self._run, "only", members.tolist())

    def supersteps(self, limit: Any = NO_LIMIT, until: Any = None) -> Any:
        """Loop over supersteps."""
        return self._run.loop(limit, until, caller_loc())

    def sweeps(self) -> Any:
        """Loop over sweeps, whose calls see what has just been written."""
        return self._run.sweeps(caller_loc())


def check_ids(ids: Any, num_vertices: int) -> Any:
    """Return the ids, or refuse the first that is no vertex."""
    bad = ids[(ids < 0) | (ids >= num_vertices)]
    if len(bad):
        last = num_vertices - 1
        there = f"The graph's vertex ids are 0..{last}." if num_vertices else "The graph is empty."
        raise ArgumentError(f"there is no vertex {bad[0]}", remedy=there)
    return ids
