"""What a superstep of a compiled run asks to add, out of the messages in which it says so.

Messages stand in the order in which threads found places for them; the key of each says which
instance sent it, and how many it had sent before (`emv.codegen.appended`). So what is added comes
in an order of its own: by row, call, instance and place in the text. Only the places are put in
order here; what stands there is fetched when its column is made (`emv.graph.picked`). On a GPU all
of it stays, as long as a version can be made there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.backends.eager_changes import no_vertex
from emv.codegen.state import Own, place_of_launch
from emv.config import config
from emv.device import Device
from emv.errors import FieldError
from emv.graph.evolving import Key
from emv.graph.on_device import joined, lies_on_device, moved_to, on_host
from emv.graph.picked import Picked, Rows
from emv.graph.widths import public_dtype
from emv.lang.apart import Apart
from emv.lang.changing import Fields
from emv.lang.records import REQUIRED
from emv.runtime.arrays.plan import Plan
from emv.runtime.arrays.table import Lifetime

SPARSE = 8  # how many keys there may be for each entry, to look through all of them
FIRST_COUNTED = 2**13  # entries from which on they are sorted by counting: numba is there by now
FIRST_SHARED = 2**15  # and from which on several threads share them


@dataclass(frozen=True)
class Asked:
    """A call whose messages say what is added: ``edge`` or ``vertex``, its number, its pieces."""

    kind: str
    call: int
    pieces: Apart


@dataclass
class Heard:
    """What one call adds: the two ends or the id, and columns by name, where threads put them.

    With it the key of each, negative where a place was left empty. On one GPU all of it lies there.
    """

    asked: Asked
    key: Any
    ends: list[Any]
    columns: dict[str, Any]

    def here(self) -> Heard:
        """Return the same on the host."""
        columns = {name: on_host(each) for name, each in self.columns.items()}
        return Heard(self.asked, on_host(self.key), [*map(on_host, self.ends)], columns)


def heard_in(plan: Plan, number: int, asked: Asked) -> list[Heard]:
    """Return what a launch was sent and keeps, by part where there are several."""
    stays = plan.target.device is not None and plan.target.num_parts == 1
    found, parts = [], plan.target.arrays_of_parts(plan)
    (launch,) = (each for each in plan.table.launches if each.number == number)
    names = asked.pieces.columns[asked.kind]
    num_ends = 2 if asked.kind == "edge" else 1
    told = [f"key{number}", *(f"stored{number}_{k}" for k in range(num_ends + len(names)))]
    is_own = all(plan.table.arrays[name].lifetime is Lifetime.RUN for name in told)
    for arrays in parts[:1] if launch.share == "all" else parts:  # which all parts do alike
        count = int(arrays["state"][place_of_launch(number, Own.COUNT)])
        if stays and count:
            key, *stored = (arrays[name].view(0, count, arrays[name].dtype) for name in told)
        else:
            key, *stored = (entries(arrays[name], count) for name in told)
        if not is_own:  # the next run may write there
            key, *stored = (plan.target.copied(each) for each in (key, *stored))
        columns = dict(zip(names, stored[num_ends:], strict=True))
        found.append(Heard(asked, key, stored[:num_ends], columns))
    return found


def entries(array: Any, count: int) -> NDArray[Any]:
    """Return the first entries of an array, on the host; those of the host are not copied."""
    if not lies_on_device(array):
        first: NDArray[Any] = array[:count]
        return first
    if count == 0:
        return np.empty(0, array.dtype)
    return on_host(array.view(0, count, array.dtype))


def new_edges(
    heard: list[Heard], num_vertices: int, fields: Fields
) -> tuple[NDArray[Any], Rows, dict[Key, Rows]]:
    """Return the ends of new edges by row, call and key, and their columns.

    Raises
    ------
    ArgumentError
        If an end is none of so many vertices.
    """
    heard = by_call(heard, "edge")
    sizes = [largest_key(each, num_vertices) + 1 for each in heard]
    if not any(sizes):
        return np.empty(0, np.int64), np.empty(0, np.int64), {}
    rows, others = (_joined([each.ends[end] for each in heard]) for end in (0, 1))
    src, source = rows_in_order([each.key for each in heard], sizes, rows, num_vertices)
    return src, Picked(others, source), columns_of(heard, "edge", fields, source)


def new_edges_there(
    heard: list[Heard], on: Device, num_vertices: int, fields: Fields
) -> tuple[Any, Any, dict[Key, Any]] | None:
    """Return what `new_edges` does, where all of it lies on a device; None if an end is outside."""
    heard = by_call([each for each in heard if len(each.key)], "edge")
    if not heard:
        return None, None, {}
    rows, others = (_joined([each.ends[end] for each in heard]) for end in (0, 1))
    source = on.in_order([each.key for each in heard], rows, others, num_vertices)
    if source is None:
        return None
    dtype, columns = public_dtype(num_vertices), dict[Key, Any]()
    for key, field in fields.items():
        if key[0] == "edge":
            values = [moved_to(on, values_of(each, key[1], field)) for each in heard]
            columns[key] = on.gathered(_joined(values), source)
    src, dst = (on.gathered(on.convert(each, dtype), source) for each in (rows, others))
    return src, dst, columns


def largest_key(heard: Heard, number: int) -> int:
    """Return the largest key of a call, -1 if it adds nothing.

    Raises
    ------
    ArgumentError
        If an edge leads to or from what is none of so many vertices; the line adds the first.
    """
    keys, ends = heard.key, heard.ends
    if len(keys) >= FIRST_COUNTED:
        from emv_kernels.cpu import asked

        found = asked.largest_key(keys, ends[0], ends[1], number, threads_for(len(keys)))
    else:
        is_outside = (ends[0] < 0) | (ends[0] >= number) | (ends[1] < 0) | (ends[1] >= number)
        found = -2 if (is_outside & (keys >= 0)).any() else int(keys.max(initial=-1))
    if found == -2:
        pairs = np.stack(ends)[:, in_order_of_keys(keys)]
        bad = next(int(each) for each in pairs.T.reshape(-1) if not 0 <= each < number)
        sites = heard.asked.pieces.sites
        raise no_vertex("add_edge", bad, number, sites[0].loc if len(sites) == 1 else None)
    return found


def threads_for(size: int) -> int:
    """Return how many threads are worth their start for so many entries."""
    return config.num_threads if size >= FIRST_SHARED else 1


def rows_in_order(
    keys: list[NDArray[np.int64]], sizes: list[int], rows: NDArray[Any], num_vertices: int
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return rows in their order, and with them the entries by row, call and key.

    Parameters
    ----------
    sizes : list of int
        One more than the largest key of each call.
    """
    dtype = public_dtype(num_vertices)
    if len(rows) >= FIRST_COUNTED and sum(sizes) <= SPARSE * len(rows):
        from emv_kernels.cpu import asked, build

        threads = threads_for(len(rows))
        first, source = asked.by_row(keys, sizes, rows, num_vertices, threads)
        return build.spread(first, dtype, threads), source
    firsts = np.cumsum([0, *map(len, keys)])[:-1]
    order = _joined([in_order_of_keys(each) + at for each, at in zip(keys, firsts, strict=True)])
    source = order[np.argsort(rows[order], kind="stable")]
    return rows[source].astype(dtype), source


def in_order_of_keys(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the entries that have a key in the order of keys."""
    taken = np.flatnonzero(keys >= 0)
    return taken[np.argsort(keys[taken], kind="stable")]


def by_call(heard: list[Heard], kind: str) -> list[Heard]:
    """Return what was heard of a kind, one of each call, in the order of calls."""
    found = []
    heard = [each for each in heard if each.asked.kind == kind]
    for call in sorted({each.asked.call for each in heard}):
        parts = [each for each in heard if each.asked.call == call]
        first = parts[0]
        ends = [_joined(list(each)) for each in zip(*(part.ends for part in parts), strict=True)]
        columns = {name: _joined([part.columns[name] for part in parts]) for name in first.columns}
        found.append(Heard(first.asked, _joined([part.key for part in parts]), ends, columns))
    return found


def _joined(arrays: list[Any]) -> Any:
    """Return several arrays as one."""
    return arrays[0] if len(arrays) == 1 else joined(arrays)


def new_vertices(heard: list[Heard], first: int, number: int, fields: Fields) -> dict[Key, Rows]:
    """Return the columns of so many new vertices, by their ids; the first of them is given."""
    made: dict[Key, Rows] = {}
    heard = by_call(heard, "vertex")
    if heard:
        keys, ids = _joined([e.key for e in heard]), _joined([e.ends[0] for e in heard])
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


def values_of(heard: Heard, name: str, field: Any) -> Any:
    """Return a column of what a call adds; its default if the call came before its record did."""
    if name in heard.columns:
        values = heard.columns[name]
        if field.dtype.kind != "b":
            return values
        is_there = lies_on_device(values)
        return values.view(0, len(values), field.dtype) if is_there else values.view(np.bool_)
    if field.default is REQUIRED:
        raise FieldError(
            f"what was added before has no value for {field.record.__name__}.{name}",
            field.loc,
            "Give the field a default, or name its function in the program.",
        )
    return np.full(len(heard.key), field.default, field.dtype)
