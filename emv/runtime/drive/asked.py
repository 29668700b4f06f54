"""What a superstep of a compiled run asks to add, out of the messages in which it says so.

Messages stand in the order in which threads found places for them; the key of each says which
instance sent it, and how many it had sent before (`emv.codegen.appended`). So what is added comes
in an order of its own: by row, call, instance and place in the text. Only the places are put in
order here; what stands there is fetched when its column is made (`emv.graph.picked`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.backends.eager_changes import no_vertex
from emv.codegen.state import Own, place_of_launch
from emv.config import config
from emv.errors import FieldError
from emv.graph.evolving import Key
from emv.graph.on_device import lies_on_device, on_host
from emv.graph.picked import Picked, Rows, put_all
from emv.graph.splice import NOTHING
from emv.graph.widths import index_dtype, public_dtype
from emv.lang.apart import Apart
from emv.lang.changing import Fields
from emv.lang.records import REQUIRED
from emv.runtime.arrays.plan import Plan
from emv.runtime.arrays.table import Lifetime

SPARSE = 8  # how many keys there may be for each that is taken, to look through all of them
FIRST_COUNTED = 2**13  # entries from which on they are sorted by counting: numba is there by now


@dataclass(frozen=True)
class Asked:
    """A call whose messages say what is added: ``edge`` or ``vertex``, its number, its pieces."""

    kind: str
    call: int
    pieces: Apart


@dataclass
class Heard:
    """What one call adds: the two ends or the id, and columns by name, where threads put them.

    With it the key of each, negative where a place was left empty.
    """

    asked: Asked
    key: NDArray[np.int64]
    ends: list[NDArray[Any]]
    columns: dict[str, NDArray[Any]]


def heard_in(plan: Plan, number: int, asked: Asked) -> list[Heard]:
    """Return what a launch was sent and keeps, by part where there are several."""
    found, parts = [], plan.target.arrays_of_parts(plan)
    (launch,) = (each for each in plan.table.launches if each.number == number)
    names = asked.pieces.columns[asked.kind]
    num_ends = 2 if asked.kind == "edge" else 1
    told = [f"key{number}", *(f"stored{number}_{k}" for k in range(num_ends + len(names)))]
    is_own = all(plan.table.arrays[name].lifetime is Lifetime.RUN for name in told)
    for arrays in parts[:1] if launch.share == "all" else parts:  # which all parts do alike
        count = int(arrays["state"][place_of_launch(number, Own.COUNT)])
        key, *stored = (entries(arrays[name], count) for name in told)
        if not is_own:  # the next run may write there
            key, *stored = (each.copy() for each in (key, *stored))
        columns = dict(zip(names, stored[num_ends:], strict=True))
        found.append(Heard(asked, key, stored[:num_ends], columns))
    return found


def order_of_keys(keys: NDArray[np.int64]) -> NDArray[Any]:
    """Return the entries that were asked for, in the order of their keys; others have none."""
    if not len(keys):
        return NOTHING
    size = int(keys.max()) + 1
    if len(keys) >= FIRST_COUNTED and size <= SPARSE * len(keys):
        from emv_kernels.cpu import asked

        return asked.order_of_keys(keys, size, config.num_threads)
    taken = np.flatnonzero(keys >= 0)
    return taken[np.argsort(keys[taken], kind="stable")]


def entries(array: Any, count: int) -> NDArray[Any]:
    """Return the first entries of an array, on the host; those of the host are not copied."""
    if not lies_on_device(array):
        first: NDArray[Any] = array[:count]
        return first
    if count == 0:
        return np.empty(0, array.dtype)
    return on_host(array.view(0, count, array.dtype))


def check_ends(heard: list[Heard], orders: list[NDArray[Any]], number: int) -> None:
    """Refuse edges to or from what is no vertex, at the line that adds the first."""
    for each, order in zip(heard, orders, strict=True):
        for ends in (whole[order] for whole in each.ends):
            bad = np.flatnonzero((ends < 0) | (ends >= number))
            sites = each.asked.pieces.sites
            if len(bad):
                loc = sites[0].loc if len(sites) == 1 else None
                raise no_vertex("add_edge", int(ends[bad[0]]), number, loc)


def new_edges(
    heard: list[Heard], num_vertices: int, fields: Fields
) -> tuple[NDArray[Any], NDArray[Any], dict[Key, Rows]]:
    """Return the ends of new edges by row, call and key, and their columns.

    Raises
    ------
    ArgumentError
        If an end is none of so many vertices.
    """
    heard = by_call(heard, "edge")
    orders = [order_of_keys(each.key) for each in heard]
    if not any(map(len, orders)):
        return np.empty(0, np.int64), np.empty(0, np.int64), {}
    rows, others = (_joined([each.ends[end] for each in heard]) for end in (0, 1))
    order = _behind(orders, [len(each.key) for each in heard])
    keys, ends = (np.empty(len(order), each.dtype) for each in (rows, others))
    put_all([(keys, Picked(rows, order)), (ends, Picked(others, order))])
    if not all(0 <= each.min() <= each.max() < num_vertices for each in (keys, ends)):
        check_ends(heard, orders, num_vertices)
    src, source = by_row(keys.astype(public_dtype(num_vertices)), order, num_vertices)
    dst = np.empty(len(order), src.dtype)
    put_all([(dst, Picked(others, source))])
    return src, dst, columns_of(heard, "edge", fields, source)


def by_row(
    rows: NDArray[Any], order: NDArray[Any], num_vertices: int
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return rows in their order, and with them the entries, which keep theirs within a row."""
    if len(order) < FIRST_COUNTED:
        by_rows = np.argsort(rows, kind="stable")
        return rows[by_rows], order[by_rows]
    from emv_kernels.cpu import build

    threads, keys = config.num_threads, rows.view(f"u{rows.itemsize}")
    first = build.first_positions(keys, num_vertices, index_dtype(len(keys)), threads)
    return build.spread(first, rows.dtype, threads), build.grouped(keys, order, first, threads)


def _behind(orders: list[NDArray[Any]], lengths: list[int]) -> NDArray[Any]:
    """Return entries of several arrays as those of one, in which each stands behind the others."""
    firsts = np.cumsum([0, *lengths])
    later = [each + first for each, first in zip(orders[1:], firsts[1:-1], strict=True)]
    return _joined([orders[0], *later])


def by_call(heard: list[Heard], kind: str) -> list[Heard]:
    """Return what was heard of a kind, one of each call, in the order of calls."""
    found = []
    heard = [each for each in heard if each.asked.kind == kind]
    for call in sorted({each.asked.call for each in heard}):
        parts = [each for each in heard if each.asked.call == call]
        first = parts[0]
        ends = [_joined(list(each)) for each in zip(*(part.ends for part in parts), strict=True)]
        columns = {
            name: _joined([part.columns[name] for part in parts]) for name in first.columns
        }
        found.append(Heard(first.asked, _joined([part.key for part in parts]), ends, columns))
    return found


def _joined(arrays: list[NDArray[Any]]) -> NDArray[Any]:
    """Return several arrays as one."""
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def new_vertices(heard: list[Heard], first: int, number: int, fields: Fields) -> dict[Key, Rows]:
    """Return the columns of so many new vertices, by their ids; the first of them is given."""
    made: dict[Key, Rows] = {}
    heard = by_call(heard, "vertex")
    if heard:
        keys, ids = (_joined(each) for each in zip(*((e.key, e.ends[0]) for e in heard)))
        taken = np.flatnonzero(keys >= 0)
        made = columns_of(heard, "vertex", fields, taken[np.argsort(ids[taken])])
    for (kind, name), field in fields.items() if number else ():
        if kind == "vertex" and field.disjoint:
            made[kind, name] = np.arange(first, first + number, dtype=field.dtype)
    return made


def columns_of(
    heard: list[Heard], kind: str, fields: Fields, source: NDArray[Any]
) -> dict[Key, Rows]:
    """Return the columns of what several calls add: those entries of them, in this order."""
    return {
        (of, name): Picked(_joined([values_of(each, name, field) for each in heard]), source)
        for (of, name), field in fields.items()
        if of == kind and not field.disjoint
    }


def values_of(heard: Heard, name: str, field: Any) -> NDArray[Any]:
    """Return a column of what a call adds; its default if the call came before its record did."""
    if name in heard.columns:
        values = heard.columns[name]
        return values.view(np.bool_) if field.dtype.kind == "b" else values
    if field.default is REQUIRED:
        raise FieldError(
            f"what was added before has no value for {field.record.__name__}.{name}",
            field.loc,
            "Give the field a default, or name its function in the program.",
        )
    return np.full(len(heard.key), field.default, field.dtype)
