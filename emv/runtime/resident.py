"""What one program keeps for one graph on one device, so that a later run only fills it in.

The kernel, the addresses that it is given, the control block (pinned on the host, and on the
device) and the plan of the working space. A run takes it, and gives it back when it is over.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emv.backends.cuda.device import Pinned
from emv.codegen.state import COMMON_PLACES, PLACES, place_of_launch
from emv.ir import schedule as s
from emv.ir.kernel import Buffer

DevicePlan = Any
"""A plan of `emv.runtime.device_plan`, which stands above."""

SHARED = ("state", "ints", "floats")  # the control block, in this order
HOST_FILLED = ("near_far",)  # small scratch that the host fills; it goes up with the control block
IDS_BYTES = 4096  # room for lists of ids that go up with the control block
GRAIN = 256  # bytes: arrays in the working space begin at multiples of it
FIRST_BUDGET = 64  # supersteps of a program's first launch on a graph
WIDE_ARCS = 1024  # out-arcs of a vertex from which pushes cut its row into pieces
TABLE_ARCS = 4  # out-arcs of a vertex from which common neighbours are looked up in a table


class Resident:
    """What stays between the runs of a program on a graph and a device.

    Attributes
    ----------
    kernel : Kernel
        Ready to launch.
    blocks : int
        Thread blocks of a launch.
    views : dict
        The control block and what goes up with it, as arrays in pinned host memory.
    budget : int
        Supersteps of the next launch, learnt from the last ones.
    """

    def __init__(self, plan: DevicePlan) -> None:
        self.device = plan.device
        self.names = plan.source.functions["program"]
        self.number = {name: k for k, name in enumerate(self.names)}
        self.budget = FIRST_BUDGET
        self.words = np.zeros(max(1, len(self.names)), np.uint64)
        steps = 8 * np.arange(len(self.words), dtype=np.uint64)
        self.addresses = self.words.ctypes.data + steps
        self.parameters = int(self.addresses.ctypes.data)
        buffers = [plan.source.buffers[name] for name in self.names if name not in SHARED]
        self.index = {each.name: plan.index(each) for each in buffers if each.source == "graph"}
        self.kernel = self.load(plan, buffers)
        self.blocks = plan.device.num_blocks(plan.entries(), self.kernel)
        plan.blocks = self.blocks
        every = plan.source.buffers.values()
        self.columns = [each for each in every if each.source in ("column", "ordered", "copies")]
        self.lists = [each for each in buffers if each.size == "ids"]
        self.lasting = [each for each in buffers if each.name in plan.lasting_names()]
        self.share_out(plan, buffers)
        self.make_control(plan)
        for name, array in self.index.items():
            self.set(name, array.address)
        self.constants = constants(plan)
        driver = plan.device.driver
        self.events = tuple(driver.new_event() for _ in range(3))

    def set(self, name: str, address: int) -> None:
        """Give an array's address to the kernel, if it names the array."""
        place = self.number.get(name)
        if place is not None:
            self.words[place] = address

    def load(self, plan: DevicePlan, buffers: list[Buffer]) -> Any:
        """Return the compiled kernel for the dtypes of this graph's arrays."""
        started = time.perf_counter()
        dtypes = {name: "float64" if name == "floats" else "int64" for name in SHARED}
        for each in buffers:
            array = self.index.get(each.name)
            dtypes[each.name] = (plan.dtype(each) if array is None else array.dtype).name
        key = (plan.device, *dtypes.values())
        kernels = plan.compiled.kernels
        if key not in kernels:
            from emv.backends.cuda import compile as compiler  # only a new kernel needs it

            arch = compiler.arch_of(*plan.device.driver.capability)
            binary = compiler.load(plan.source, dtypes, arch=arch, files=plan.files())
            kernels[key] = plan.device.kernel(binary.cubin, binary.kernel, plan.source.shared_bytes)
            plan.compiled.seconds += time.perf_counter() - started
        return kernels[key]

    def share_out(self, plan: DevicePlan, buffers: list[Buffer]) -> None:
        """Share out the working space: what begins as zeros, then all else."""
        scratch = [each for each in buffers if plan.is_working_space(each)]
        scratch.sort(key=lambda each: not is_zero(each.initial))
        self.offsets: dict[str, int] = {}
        self.fills: list[tuple[Buffer, int]] = []
        self.zero_bytes = end = 0
        for each in scratch:
            size = plan.length(each)
            self.offsets[each.name] = end
            end += -(-size * plan.dtype(each).itemsize // GRAIN) * GRAIN
            if is_zero(each.initial):
                self.zero_bytes = end
            elif each.initial is not None:
                self.fills.append((each, size))
        self.arena_bytes = end

    def make_control(self, plan: DevicePlan) -> None:
        """Make the control block, and what goes up with it."""
        lengths = plan.shared_places()
        lengths |= {
            name: plan.size(plan.source.buffers[name].size)
            for name in HOST_FILLED
            if name in plan.source.buffers
        }
        total = 8 * sum(lengths.values())
        self.pinned = Pinned(plan.device.driver, total + IDS_BYTES)
        self.control = plan.device.pool.take(total + IDS_BYTES)
        self.views: dict[str, NDArray[Any]] = {}
        end = 0
        for name, length in lengths.items():
            dtype = np.int64 if name in ("state", "ints") else np.float64
            self.views[name] = self.pinned.bytes[end : end + 8 * length].view(dtype)
            self.set(name, self.control.address + end)
            end += 8 * length
            if name == SHARED[-1]:
                self.shared_bytes = end  # what comes down after a launch
        self.end = end


def is_zero(initial: Any) -> bool:
    """Return whether an array begins with entries whose bytes are all zero."""
    return initial is not None and not np.any(np.float64(initial)) and not np.signbit(initial)


def constants(plan: DevicePlan) -> list[tuple[int, int]]:
    """Return places of the state and what they hold in every run on this graph."""
    named: dict[str, int] = {"BLOCKS": plan.blocks, "NUM_THREADS": plan.blocks}
    buffers, layouts = plan.source.buffers, plan.graph.layouts
    build = plan.on_device.build
    pulls = any(name.startswith(("pull_", "gather_")) for name in buffers)
    if pulls and build is not None:
        named |= build.facts()
    elif pulls:
        named["NUM_HUBS"] = len(layouts.pull.hub_piece) - 1
        named["NUM_PIECES"] = len(layouts.pull.piece_vertex)
        named["HAS_ORDER"] = int(not layouts.pull.is_even)
    if "gather_position" in buffers and build is None:
        named["HAS_POSITION"] = int(layouts.gather.is_sorted)
    if "wide_source" in buffers or "edges_by_row" in buffers:
        longest = longest_row(layouts) if build is None else build.longest_row()
        named["HAS_WIDE"] = int(longest >= WIDE_ARCS)
        named["BY_ROW"] = int(longest >= TABLE_ARCS)
    places = PLACES | COMMON_PLACES
    return [(places[name], value) for name, value in named.items() if name in places]


def longest_row(layouts: Any) -> int:
    """Return the most out-arcs of a vertex."""
    return int(np.diff(layouts.out_rows.first).max(initial=0))


def id_places(plan: DevicePlan, place: int) -> list[tuple[int, int]]:
    """Return places of the state that hold how many ids a launch is applied to."""
    return [
        (place_of_launch(launch.number) + place, len(plan.ids[launch.ids]))
        for launch in s.launches_in(plan.schedule.body)
        if launch.ids is not None
    ]
