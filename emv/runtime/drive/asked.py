"""What a superstep of a compiled run asks to add, out of the messages in which it says so.

Messages stand in the order in which threads found places for them; the key of each says which
instance sent it, and how many it had sent before (`emv.codegen.appended`). So what is added comes
in an order of its own: by row, call, instance and place in the text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.backends.eager_changes import no_vertex
from emv.codegen.state import Own, place_of_launch
from emv.config import config
from emv.errors import FieldError
from emv.graph import build
from emv.graph.evolving import Columns
from emv.graph.on_device import lies_on_device, on_host
from emv.graph.splice import NOTHING
from emv.graph.widths import public_dtype
from emv.lang.apart import Apart
from emv.lang.changing import Fields
from emv.lang.records import REQUIRED
from emv.runtime.arrays.plan import Plan
from emv_kernels.aside import all_at_once

SPARSE = 8  # how many keys there may be for each that is taken, to look through all of them


@dataclass(frozen=True)
class Asked:
    """A call whose messages say what is added: ``edge`` or ``vertex``, its number, its pieces."""

    kind: str
    call: int
    pieces: Apart


@dataclass
class Heard:
    """What one call adds: the two ends or the id, and columns by name, in the order of keys.

    With it the keys, if several parts of a graph have heard of a call.
    """

    asked: Asked
    key: NDArray[np.int64]
    ends: list[NDArray[np.int64]]
    columns: dict[str, NDArray[Any]]


def heard_in(plan: Plan, number: int, asked: Asked) -> list[Heard]:
    """Return what a launch was sent and keeps, by part where there are several."""
    found, parts = [], plan.target.arrays_of_parts(plan)
    (launch,) = (each for each in plan.table.launches if each.number == number)
    names = asked.pieces.columns[asked.kind]
    num_ends = 2 if asked.kind == "edge" else 1
    for arrays in parts[:1] if launch.share == "all" else parts:  # which all parts do alike
        count = int(arrays["state"][place_of_launch(number, Own.COUNT)])
        key = entries(arrays[f"key{number}"], count)
        order = order_of_keys(key)
        told = [f"stored{number}_{k}" for k in range(num_ends + len(names))]
        told += [f"key{number}"] if len(parts) > 1 else []  # else they are in order by now
        given = [entries(arrays[name], count) for name in told]
        threads = config.num_threads if count >= build.FIRST_COMPILED else 1
        stored = all_at_once(lambda each, order=order: each.take(order), given, num_threads=threads)
        key = stored.pop() if len(parts) > 1 else NOTHING
        columns = dict(zip(names, stored[num_ends:], strict=True))
        found.append(Heard(asked, key, stored[:num_ends], columns))
    return found


def order_of_keys(keys: NDArray[np.int64]) -> NDArray[Any]:
    """Return the entries that were asked for, in the order of their keys; others have none."""
    if not len(keys):
        return NOTHING
    size = int(keys.max()) + 1
    if len(keys) >= build.FIRST_COMPILED and size <= SPARSE * len(keys):
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


def check_ends(heard: Heard, number: int) -> None:
    """Refuse edges to or from what is no vertex, at the line that adds the first."""
    for ends in heard.ends:
        if len(ends) and not 0 <= ends.min() <= ends.max() < number:
            bad = np.flatnonzero((ends < 0) | (ends >= number))
            sites = heard.asked.pieces.sites
            loc = sites[0].loc if len(sites) == 1 else None
            raise no_vertex("add_edge", int(ends[bad[0]]), number, loc)


def new_edges(
    heard: list[Heard], num_vertices: int, fields: Fields
) -> tuple[NDArray[Any], NDArray[Any], Columns]:
    """Return the ends of new edges by row, call and key, and their columns.

    Raises
    ------
    ArgumentError
        If an end is none of so many vertices.
    """
    heard = [each for each in heard if each.asked.kind == "edge"]
    if not heard:
        return np.empty(0, np.int64), np.empty(0, np.int64), {}
    for each in heard:
        check_ends(each, num_vertices)
    heard = in_order(heard)
    dtype = public_dtype(num_vertices)
    src, dst = (_joined([each.ends[end].astype(dtype) for each in heard]) for end in (0, 1))
    rows = src.view(f"u{dtype.itemsize}")
    first = build.first_positions(rows, num_vertices)
    made = columns_of(heard, "edge", fields, lambda values: build.grouped(rows, values, first))
    return build.spread(first, dtype), build.grouped(rows, dst, first), made


def in_order(heard: list[Heard]) -> list[Heard]:
    """Return what was heard, one of each call, in the order of calls; within one by keys."""
    found = []
    for call in sorted({each.asked.call for each in heard}):
        first, *others = parts = [each for each in heard if each.asked.call == call]
        if not others:
            found.append(first)
            continue
        key = np.concatenate([each.key for each in parts])
        order = np.argsort(key, kind="stable")
        ends = [np.concatenate(each)[order] for each in zip(*(p.ends for p in parts), strict=True)]
        columns = {
            name: np.concatenate([each.columns[name] for each in parts])[order]
            for name in first.columns
        }
        found.append(Heard(first.asked, key[order], ends, columns))
    return found


def _joined(arrays: list[NDArray[Any]]) -> NDArray[Any]:
    """Return several arrays as one."""
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def new_vertices(heard: list[Heard], first: int, number: int, fields: Fields) -> Columns:
    """Return the columns of so many new vertices, by their ids; the first of them is given."""
    made: Columns = {}
    heard = [each for each in heard if each.asked.kind == "vertex"]
    if heard:
        order = np.argsort(np.concatenate([each.ends[0] for each in heard]))
        made = columns_of(heard, "vertex", fields, lambda values: values[order])
    for (kind, name), field in fields.items() if number else ():
        if kind == "vertex" and field.disjoint:
            made[kind, name] = np.arange(first, first + number, dtype=field.dtype)
    return made


def columns_of(
    heard: list[Heard], kind: str, fields: Fields, ordered: Callable[[NDArray[Any]], NDArray[Any]]
) -> Columns:
    """Return the columns of what several calls add, brought into an order."""
    made: Columns = {}
    for (of, name), field in fields.items():
        if of == kind and not field.disjoint:
            made[of, name] = ordered(_joined([values_of(each, name, field) for each in heard]))
    return made


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
