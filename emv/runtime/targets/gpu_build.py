"""Index arrays that are built on the device itself, from the ends of the edges.

From so many edges on that is quicker than building them on the host and copying them up, and the
host then builds none of them unless somebody asks. What a build makes besides what was asked for
is dropped by `settle`, once the columns of a run are there too.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

import numpy as np

from emv.backends.cuda import pieces, sorting
from emv.backends.cuda.array import from_host
from emv.backends.cuda.busy import DeviceBusy
from emv.backends.cuda.hashed import DeviceHashed
from emv.backends.cuda.index_arrays import DeviceIndexArrays
from emv.backends.cuda.orders import DeviceOrders
from emv.device import device_named
from emv.graph.drawn import DRAWN_TOGETHER
from emv.graph.ends import Ends
from emv.graph.widths import public_dtype
from emv.runtime.arrays.index import ENDS, IN_ORDER, INDEX, OF_SLICES

ORDERS = ("pull_", "gather_", "busy_", "hashed_")
BY_ARC = {"out_first", "out_other", "src_of_arc", "edge_of_arc"}
"""What one sort of the arcs makes."""
BY_SLOT = {"in_first", "arc_of_slot"}
"""What one sort of the slots makes, of what is made by arc."""
PLACED_BY = {"gather_slot": "gather_position", "gather_close_slot": "gather_close_place"}
"""By what senders are known in an array of them."""
SORTED = {"pull_place", *PLACED_BY.values()}
"""What vertices are sorted by degree for, by themselves."""
KEPT_SHARE = 8
"""One in so many of the bytes that are free may be kept for a later version."""
ON_HOST = ("row_bits", *OF_SLICES)
"""What the host makes: only programs for cores ask for the first."""


def built_name(name: str) -> str:
    """Return the name in `emv.graph.footprint` of what is built for an array that kernels name.

    Examples
    --------
    >>> built_name("dst_of_arc"), built_name("slot_of_arc"), built_name("in_blocks")
    ('out_other', 'slot_of_arc', '')
    """
    known = name in INDEX and name not in ON_HOST and not name.startswith(ORDERS)
    return INDEX[name].path.replace("_rows.", "_") if known else ""


def arcs_on(device: Any, arcs: Any) -> tuple[Any, ...]:
    """Return the arcs of a slice on a device."""
    return tuple(from_host(device, each) for each in arcs())


def given_on(device: Any, ends: Ends) -> tuple[Any, Any] | None:
    """Return ends if they lie on a device anyhow."""
    given = ends.on_device
    return given if given is not None and given[0].device is device else None


class GpuBuild:
    """Builds what kernels name of a graph on one device.

    Parameters
    ----------
    layouts : Layouts
        Of the graph; only their counts and ends are kept.
    device : Device
        Where; it must be the current one in all calls.
    """

    def __init__(self, layouts: Any, device: Any) -> None:
        self.device = device
        self.host_ends: Ends = layouts.ends
        self.end_bytes = public_dtype(layouts.num_vertices).itemsize
        self.drawn = layouts.arcs_in_pieces()
        placed = layouts.placed.get(device.label)
        if placed is None or placed.on is not device:
            there = device_named(device.label)
            ask = functools.partial(layouts.ends.on, there)  # no cycle that holds memory
            arcs = layouts.arcs_of_edges()
            given = None if arcs is None else functools.partial(arcs_on, device, arcs)
            drawn = None if self.drawn is None else functools.partial(self.drawn.pieces, there)
            placed = DeviceIndexArrays(device, layouts.shape, ask, given, drawn)
            layouts.placed[device.label] = placed
        self.arrays: DeviceIndexArrays = placed
        self.orders = DeviceOrders(self.arrays, layouts.common, layouts.held)
        self.busy = DeviceBusy(self.arrays, self.orders)
        self.hashed = DeviceHashed(self.arrays, self.orders)
        self.asked: set[str] = set(self.arrays.made)  # a later version's, merged
        self.is_under_way = bool(self.asked)

    def shares_ends(self, name: str) -> bool:
        """Return whether an array is one of the ends that lie on the device anyhow."""
        given, by_arc = given_on(self.device, self.host_ends), name in ("src_of_arc", "dst_of_arc")
        if given is None or not (name in ENDS or (by_arc and self.arrays.arcs_are_edges)):
            return False
        return bool(given[0].itemsize == self.arrays.vertex_dtype.itemsize)

    def known_as(self, name: str) -> str:
        """Return the array that kernels are given for one that they name, whichever is there.

        That of another order serves where the order within rows is all one.
        """
        if name not in IN_ORDER:
            return name
        found = self.arrays.in_any_order(built_name(IN_ORDER[name]))
        return "dst_of_arc" if found == "out_other" else "src_of_slot"

    def makes(self, name: str) -> bool:
        """Return whether an array that kernels name can be built here."""
        return name in ENDS or name.startswith(ORDERS) or bool(built_name(name))

    def array(self, name: str, id_dtype: np.dtype[Any]) -> Any:
        """Return an array that kernels name; put on the stream, not waited for."""
        self.is_under_way = True
        if name in ENDS:
            return sorting.converted(self.arrays.ends[ENDS.index(name)], id_dtype)
        if name.startswith(ORDERS):
            self.asked.add(name)
            group = name.partition("_")[0]
            if group == "hashed":
                return self.hashed.array(name)
            return (self.busy if group == "busy" else self.orders).array(name)
        if name == "edge_of_arc" and self.arrays.arcs_are_edges:
            return sorting.numbered(self.device, self.arrays.num_arcs, self.arrays.vertex_dtype)
        self.asked.add(built_name(name))
        return self.arrays.array(built_name(name))

    def in_order(self, values: Any, order: str, is_kept: bool) -> Any:
        """Return values of edges on the device by arc or slot.

        What is not kept comes again in every run, so the places of its values are kept instead.
        """
        self.is_under_way = True
        if not is_kept:
            self.asked.add("edge_of_arc" if order == "arc" else "edge_of_slot")
        return self.arrays.in_order(values, order)

    def settle(self) -> None:
        """Wait for what is under way, if anything is, and drop what nobody asked for."""
        if not self.is_under_way:
            return
        self.is_under_way = False
        self.device.driver.synchronize(self.device.stream)
        if not self.arrays.directed and "in_first" in self.asked:
            self.asked.add("out_first")
        if self.arrays.arcs_are_edges and "edge_of_slot" in self.asked:
            self.asked.add("arc_of_slot")
        if self.arrays.is_later:
            self.asked |= self._for_the_next()
        self.arrays.keep_only(self.asked)
        self.orders.keep_only(self.asked)
        self.busy.keep_only(self.asked)
        self.hashed.keep_only(self.asked)

    def _for_the_next(self) -> set[str]:
        """Return what of a version that is pulled from the next one is made of, if there is room.

        Else it would sort everything again, as this one did: versions come one after another.
        """
        names = self.arrays.pulled_along - self.asked
        spare = sum(self.arrays.nbytes(name) for name in names)
        return names if KEPT_SHARE * spare <= self.device.free_bytes() else set()

    def facts(self, gathers: bool) -> dict[str, int]:
        """Return what kernels are told of the orders in which they pull and gather."""
        orders = self.orders
        return {
            "NUM_HUBS": orders.num_hubs,
            "NUM_PIECES": orders.num_pieces,
            "HAS_ORDER": int(not orders.is_even),
            "HAS_POSITION": int(gathers and orders.is_sorted),
            "NUM_SENDERS": orders.num_senders if gathers else 0,
        }

    def longest_row(self, enough: int) -> int:
        """Return the most out-arcs of a vertex, or, where that is known, that it has enough."""
        known = self.arrays.least_longest
        return known if known >= enough else int(self.orders.out_degrees.longest)

    def building_bytes(self, names: Iterable[str], column_bytes: int = 0) -> int:
        """Return at most what building arrays that kernels name takes besides them, for a while.

        Parameters
        ----------
        names : iterable of str
            The arrays that are not there yet.
        column_bytes : int
            Bytes of the largest edge column that is put into the order of arcs or slots.
        """
        names, arrays = set(names), self.arrays
        if not arrays.directed:  # whose rows of arcs tell as much of pulls as those of slots
            names = {e for e in names if e != "first_in" and not e.startswith("pull_")}
        if not names - set(ENDS) and not column_bytes:
            return 0
        if self.drawn is not None:
            return self._piecewise_bytes(names, self.drawn.longest)
        kept = {built_name(name) for name in names} | set(arrays.made)
        made = self._made_for(names, column_bytes > 0)
        spare = sum(arrays.nbytes(name) for name in made - kept)
        if "edges_by_row" in names:
            spare += arrays.num_edges * arrays.vertex_dtype.itemsize  # the ends it is sorted by
        if "busy_bits" in names:
            spare += arrays.num_arcs * (4 + arrays.vertex_dtype.itemsize)  # places and senders
        if arrays.arcs is not None:
            spare += arrays.num_arcs * (2 * self.end_bytes + arrays.arc_dtype.itemsize)
        elif given_on(self.device, self.host_ends) is None:
            spare += 2 * arrays.num_edges * self.end_bytes
        both_ways = arrays.num_arcs != arrays.num_edges and arrays.arcs is None
        count = 2 * arrays.num_edges if both_ways else arrays.num_arcs
        widths = arrays.vertex_dtype.itemsize + arrays.arc_dtype.itemsize
        pairs = sorting.sorting_bytes(self.device, count, arrays.num_vertices + 1, widths)
        return int(spare + pairs + column_bytes)

    def _piecewise_bytes(self, names: set[str], longest: int) -> int:
        """Return at most what building takes besides, where arcs come in pieces.

        Vertices are sorted by degree before senders are gathered, whose array is not there by then.
        """
        arrays, size, vertex = self.arrays, self.arrays.num_vertices, self.arrays.vertex_dtype
        kept = {built_name(name) for name in names} | arrays.made.keys()
        spare = sum(arrays.nbytes(name) for name in self._on_the_way(names) - kept)
        drawn = min(DRAWN_TOGETHER, self.host_ends.num_edges)
        sorted_at_once = min(pieces.PIECE_ARCS + longest, arrays.num_arcs)
        ids = pieces.ARRAYS_OF_PIECE * max(drawn, sorted_at_once)
        filling = ids * max(vertex.itemsize, self.end_bytes)
        filling += size * (arrays.arc_dtype.itemsize + vertex.itemsize)
        widths = vertex.itemsize + 2 * arrays.arc_dtype.itemsize
        by_degree = sorting.sorting_bytes(self.device, size, arrays.num_arcs, widths)
        gathered = [name for name in PLACED_BY if name in names]
        if len(gathered) == 1 and not names & (SORTED - {PLACED_BY[gathered[0]]}):
            by_degree -= arrays.nbytes("in_other")
        return int(spare + size + max(filling, by_degree))

    def _on_the_way(self, names: set[str]) -> set[str]:
        """Return the index arrays that are made on the way to others, where arcs come in pieces."""
        of_out = {"dst_of_arc", "src_of_arc", "pull_head", "pull_arcs", "gather_position"}
        is_pulled = any(name.startswith(ORDERS) or name == "src_of_slot" for name in names)
        found = {"in_first"} if is_pulled else set()
        found |= {"out_first"} if names & of_out else set()
        return found | ({"in_other"} if "pull_head" in names else set())

    def _made_for(self, names: set[str], has_columns: bool) -> set[str]:
        """Return the index arrays that are made on the way to others."""
        made = set(BY_ARC)
        by_arc = {"first_out", "dst_of_arc", "src_of_arc", "edge_of_arc", "edges_by_row"}
        if names - by_arc - {"gather_position", "gather_close_place", *ENDS} or has_columns:
            made |= BY_SLOT
        slots = {"gather_slot", "gather_close_slot"}
        if names & slots or names & {"pull_head", "src_of_slot", "sorted_dst", "arc_of_sorted"}:
            made.add("in_other")
        if has_columns:
            made.add("edge_of_slot")
        return made
