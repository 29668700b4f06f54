"""The columns of one run: where each comes from, and what of it is new.

The graph's own arrays, and the caller's, are lent to kernels that only read them and can read them
as they are. Columns that the program writes are made anew in every run, because they are its
result. An edge column of the graph in another order, or on a GPU, stays there between runs
(`emv.runtime.targets`); a vertex column is copied to a GPU in every run, as it may be changed in
place.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from emv.graph.bind import column_values, source_of
from emv.graph.on_device import on_host
from emv.ir import schedule as s
from emv.lang.records import REQUIRED
from emv.runtime.arguments import Call
from emv.runtime.arrays.table import Array, Counts, Kind, Table

if TYPE_CHECKING:
    from emv.runtime.arrays.prepared import Prepared

Key = tuple[str, str]
"""``vertex`` or ``edge``, and the name of a field."""


Seen = list[tuple[str, Callable[[], Any] | None]]
"""The edge columns that a run saw: names, and references to what they were; None of no column."""

UNKNOWN = object()
"""What a column starts with that is looked at in every run."""


@dataclass(frozen=True)
class Supply:
    """What a column holds at the start of a run.

    ``lent``: an array of the graph or the caller, only read; ``kept``: one of the graph that stays
    where kernels read it; ``copied`` from an array; ``filled`` with a number; ``sets``: every
    vertex alone; ``empty``: the program fills it before all else.
    """

    how: str
    source: Any = None  # a column's name, a number or an array
    array: Any = None  # the array behind the name, or the given one

    @property
    def is_named(self) -> bool:
        """Return whether it is a column of the graph."""
        return isinstance(self.source, str)

    def is_of_text(self, field: Any) -> bool:
        """Return whether the text says all of it, where no argument supplies the column."""
        return self.how in ("sets", "empty") or (
            self.how == "filled" and self.source is field.default
        )


class Columns:
    """The columns of one run of a program.

    Parameters
    ----------
    call : Call
        What the program is called with, and where.
    graph : Graph or Slice
        What of the graph is held there.
    table : Table
        Its arrays.
    counts : Counts
        What sizes mean.
    prepared : Prepared
        What runs like this one find: the store, and what is known of columns.
    """

    def __init__(
        self, call: Call, graph: Any, table: Table, counts: Counts, prepared: Prepared
    ) -> None:
        self.whole, self.graph, self.target = call.graph, graph, call.target
        self.bindings = call.arguments.bindings
        self.table, self.counts, self.prepared = table, counts, prepared
        self.store: Any = prepared.store
        self.schedule = table.schedule
        self.fields = table.schedule.program.fields
        self.known: dict[Key, Supply] = {}

    def supply(self, key: Key) -> Supply:
        """Return what a column holds at the start of the run, and whether that takes memory."""
        found = self.known.get(key)
        if found is None:
            is_bound, supplies = key in self.bindings, self.prepared.supplies
            found = None if is_bound else supplies.get(key)
            if found is None:
                found = self._supply(key)
                if not is_bound and found.is_of_text(self.fields[key]):
                    supplies[key] = found
            self.known[key] = found
        return found

    def _supply(self, key: Key) -> Supply:
        field = self.fields[key]
        if field.disjoint:
            return Supply("sets")
        if self.filled_first(key):
            return Supply("empty")
        source = source_of(self.graph, field, self.bindings.get(key))
        if self.graph is not self.whole and key[0] == "edge":
            source = self.graph.given(source)
        store = self.graph.vertices if key[0] == "vertex" else self.graph.edges
        array = self.target.array_behind(source, store)
        if array.ndim == 0:
            return Supply("filled", source)
        is_lent = key not in self.schedule.written and self.is_like(key, array)
        if is_lent and self.target.reads(array):
            return Supply("lent", source, array)
        stays = self.target.device is not None and isinstance(array, np.ndarray)
        is_kept = stays and key[0] == "edge" and isinstance(source, str)
        return Supply("kept" if is_kept else "copied", source, array)

    def filled_first(self, key: Key) -> bool:
        """Return whether the program fills a column before all else, not with its old values."""
        if self.fields[key].default is not REQUIRED or key in self.bindings:
            return False
        for step in self.schedule.body:
            if isinstance(step, s.FillColumn) and (step.column.kind, step.column.name) == key:
                return bool(step.value != step.column)
            if isinstance(step, s.Launch | s.LoopStep):
                return False
        return False

    def is_like(self, key: Key, array: Any) -> bool:
        """Return whether an array has the declared type and an entry per row."""
        return bool(array.dtype == self.fields[key].dtype and array.shape == (self.rows(key),))

    def rows(self, key: Key) -> int:
        """Return the length of a column."""
        return self.table.column(key).length(self.counts)

    def made(self, array: Array) -> Any:
        """Return a column as it is at the start of the run."""
        target = self.target
        known = None if array.key in self.bindings else self.prepared.fills.get(array.name)
        if known is not None:
            size, dtype, number = known
            column = target.empty(size, dtype)
            target.fill(column, number)
            return column
        supply = self.supply(array.key)
        if supply.how == "lent":
            return as_bytes(supply.array)
        if supply.how == "copied":
            return target.copied(self.values(array.key), supply.array)
        kept = None
        if supply.how == "kept":
            kept = self.store.edge_column(self, array.key, "edge")
            if array.key not in self.schedule.written:
                return kept
        size, dtype = array.length(self.counts), array.dtype(self.counts)
        if supply.how == "sets":
            return target.copied(self.store.ids(size, dtype))
        column = target.empty(size, dtype)
        if supply.how == "filled":
            number = self.number(array.key)
            target.fill(column, number)
            if array.key in self.prepared.supplies:
                self.prepared.fills[array.name] = size, dtype, number
        elif kept is not None:
            target.copy(column, kept)
        return column

    def known_start(self, array: Array) -> Any:
        """Return what fills a column as the text alone says it: a number, None for nothing.

        It is asked behind the first run. `UNKNOWN` if the text does not say it.
        """
        if array.key in self.bindings:
            return UNKNOWN
        if array.name in self.prepared.fills:
            return self.prepared.fills[array.name][-1]
        supply = self.prepared.supplies.get(array.key)
        return None if supply is not None and supply.how == "empty" else UNKNOWN

    def seen(self) -> Seen | None:
        """Return what `are_same` compares; None if an edge column lies on a GPU, to be changed."""
        found: Seen = []
        edges = self.whole.edges
        for key, supply in self.known.items():
            bound, is_default = self.bindings.get(key, (None, False))
            if key[0] == "edge" and supply.is_named:
                if edges.on_device(supply.source) is not None:
                    return None
                found.append((supply.source, weakref.ref(edges.stored(supply.source))))
            elif key[0] == "edge" and is_default and isinstance(bound, str):
                found.append((bound, None))  # which the graph lacks
        return found

    def are_same(self, seen: Seen) -> bool:
        """Return whether the edge columns that a run saw are what they were then."""
        edges = self.whole.edges
        for name, was in seen:
            if was is None or name not in edges:
                if was is not None or name in edges:
                    return False
            elif edges.on_device(name) is not None or edges.stored(name) is not was():
                return False
        return True

    def edges_again(self, array: Array, made: Any) -> Callable[[], Any] | None:
        """Return what gives an edge column of the graph to the next run, as `made` to this one."""
        if array.key is None or array.key[0] != "edge":
            return None
        key = array.key[:2]
        if key in self.schedule.written or not self.supply(key).is_named:
            return None
        order = array.key[2] if array.kind is Kind.ORDERED else "edge"
        again: Callable[[], Any] = self.store.edges_again(self, key, order, made)
        return again

    def values(self, key: Key) -> Any:
        """Return what is copied into a column, converted if need be; each copy of a batch's."""
        supply = self.supply(key)
        if self.is_like(key, supply.array):
            return supply.array
        if supply.array.shape == (self.rows(key),):
            there = self.target.fitted(supply.array, self.fields[key].dtype)
            if there is not None:
                return there
        values = column_values(self.graph, self.fields[key], supply.source)
        is_whole = len(values) == self.rows(key)
        return values if is_whole else np.repeat(values, self.schedule.copies.size)

    def number(self, key: Key) -> Any:
        """Return the number that fills a column, checked against its type."""
        field, source = self.fields[key], self.supply(key).source
        return fitting_default(field) if source is field.default else fitting(field, source)

    def edge_values(self, key: Key) -> NDArray[Any]:
        """Return an edge column in the order of edges, in its declared type, on the host."""
        field, supply = self.fields[key], self.supply(key)
        return column_values(self.graph, field, supply.source)

    # In the order of arcs or slots.

    def ordered(self, array: Array) -> Any:
        """Return an edge column in the order of arcs or slots."""
        target, supply, order = self.target, self.supply(array.key[:2]), array.key[2]
        if supply.how == "filled":
            column = target.empty(array.length(self.counts), array.dtype(self.counts))
            target.fill(column, self.number(array.key[:2]))
            return column
        if supply.how == "lent" and self.is_in_place(order):
            return as_bytes(supply.array)
        return self.store.edge_column(self, array.key[:2], order)

    def is_in_place(self, order: str) -> bool:
        """Return whether an order is that of the edges."""
        return order == "arc" and bool(self.graph.layouts.arcs_are_edges)

    # What shortcuts ask.

    def is_empty(self, claim: s.Claim) -> bool:
        """Return whether all entries of a claimed column are empty when the run begins."""
        key = ("vertex", claim.field)
        supply, dtype = self.supply(key), self.fields[key].dtype
        return supply.how == "filled" and bool(dtype.type(supply.source) == claim.empty)

    def lowest_and_mean(self, weight: str) -> tuple[float, float]:
        """Return the smallest and the mean entry of an edge column; (0, 0) of an empty one."""
        key = ("edge", weight)
        supply = self.supply(key)
        if supply.how == "filled":
            return float(self.number(key)), float(self.number(key))
        if isinstance(supply.source, str):
            given = self.whole.edges.on_device(supply.source)
            values = self.whole.edges.stored(supply.source) if given is None else given
            summary: tuple[float, float] = self.whole.layouts.lowest_and_mean(values)
            return summary
        values = on_host(supply.array)
        return (float(values.min()), float(values.mean(dtype=float))) if len(values) else (0.0, 0.0)


def fitting(field: Any, number: Any) -> Any:
    """Return a number in the type of a field, as `column_values` checks it."""
    one = SimpleNamespace(num_vertices=1, num_edges=1, vertices=None, edges=None)
    return column_values(one, field, number)[0]


@functools.lru_cache(maxsize=1024)
def fitting_default(field: Any) -> Any:
    """Return the default of a field in its type; to check it takes longer than to fill a few."""
    return fitting(field, field.default)


def as_bytes(values: Any) -> Any:
    """Return an array as kernels see it: truth values are bytes, also on a GPU."""
    is_host = isinstance(values, np.ndarray)
    return values.view(np.uint8) if is_host and values.dtype.kind == "b" else values
