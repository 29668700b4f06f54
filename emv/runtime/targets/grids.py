"""Several GPUs in one loop without the host: their kernels are told where the others' arrays lie.

The kernels run side by side and meet (`emv.codegen.cuda.grids`); the host waits for all of them.
Everything is loaded, allocated and filled before the first is launched: what a driver does in
between may wait for a kernel that waits for one not launched yet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from emv.codegen.cuda.meetings import PART_BITS, STEP_SHIFT
from emv.codegen.state import PLACES, Own, place_of_launch
from emv.errors import DeviceError
from emv.ir import schedule as s
from emv.passes.needs import Right
from emv.runtime.arrays.table import Kind
from emv.runtime.targets.gpu_division import OWN, GpuDivision

if TYPE_CHECKING:
    from emv.runtime.arrays.plan import Plan
    from emv.runtime.targets.gpu import Gpu

PATIENCE_S = 8.0
"""Seconds that a part waits for another, by the clock of its GPU."""


class GridDivision(GpuDivision):
    """The parts of one run whose kernels meet, each with a queue of those whom it activates."""

    own_places = (*OWN, "NUM_PENDING", "PENDING_ARCS", "PENDING_BEFORE")

    def __init__(self, each: tuple[Gpu, ...], plans: list[Plan], way: str) -> None:
        for gpu in each:
            gpu.device.open_peers(other.device for other in each)
        super().__init__(each, plans, way)
        plan = self.plan
        if "readers" in plan.table.arrays:
            for part, bits in enumerate(self.readers()):
                self.write(part, self.parts[part]["readers"], bits)
        for one in plans:
            self.tell_peers(one)
        self.agree()

    def readers(self) -> list[NDArray[Any]]:
        """Return for each part the bits of own vertices: who reads them, and who owns them."""
        if "readers" not in self.kept:
            dtype = self.parts[0]["readers"].dtype
            bits = dtype.type(1) << self.owner.astype(dtype)
            for part, levels in enumerate(self.rounds.levels):
                bits |= (levels == Right.REPLICAS).astype(dtype) << dtype.type(part)
            own = (self.owner == part for part in range(len(self.parts)))
            self.kept["readers"] = [bits * each for each in own]
        found: list[NDArray[Any]] = self.kept["readers"]
        return found

    def wake(self) -> None:
        """Wake the links between all GPUs."""
        for gpu in self.each:
            gpu.device.wake_links(other.device for other in self.each)

    def launch_all(self) -> None:
        """Put all launches on their streams, and nothing but these from the first to the last.

        They wait for each other. They begin when all are there, and so do their clocks.
        """
        self.each_does(self.send)
        self.hold()
        self.each_does(self.begin)
        self.each_does(self.start)
        self.let_go()
        self.each_does(self.fetch)

    def stop(self) -> None:
        self.let_go()
        super().stop()

    def hold(self) -> None:
        """Let all kernels begin together, when the last one is on its stream.

        Else the first one waits for the others while the host launches them.
        """
        gate = self.plan.resident.gate
        gate.bytes.view(np.uint32)[0] = 0
        for gpu in self.each:
            with gpu.device.current():
                gpu.device.driver.hold(gpu.stream, gate.address)

    def let_go(self) -> None:
        """Let them begin."""
        self.plan.resident.gate.bytes.view(np.uint32)[0] = 1

    def agree(self) -> None:
        """Let all parts take the same way through loops, whatever their own columns hold."""
        first = self.parts[0]
        for launch in self.plan.table.launches:
            if isinstance(launch.shortcut, s.Relax):
                place = place_of_launch(launch.number, Own.MAY_RELAX)
            elif isinstance(launch.shortcut, s.Claim):
                place = place_of_launch(launch.number, Own.IS_EMPTY)
            else:
                continue
            least = min(int(arrays["state"][place]) for arrays in self.parts)
            for arrays in self.parts:
                arrays["state"][place] = least
                if "near_far" in first:
                    arrays["near_far"][:] = first["near_far"]

    def tell_peers(self, plan: Plan) -> None:
        """Tell a part's kernel where the arrays of all parts lie."""
        for array in plan.table.of(Kind.PEER):
            part, name = array.key
            plan.resident.set(array.name, self.plans[part].arrays[name].address)

    def launch(self, name: str) -> tuple[bool, float]:
        """Run all kernels to the end of their budget, and look whether all have met."""
        self.spread_control()
        for part, arrays in enumerate(self.parts):
            arrays["state"][PLACES["PART"]] = part
            arrays["state"][PLACES["PATIENCE"]] = round(1e9 * PATIENCE_S)
            arrays["state"][PLACES["GOES_ON"]] = 1
        self.wake()
        has_ended, seconds = self.run_all()
        self.check()
        for launch in s.launches_in(self.plan.schedule.body):
            self.right |= dict.fromkeys(self.changed_apart(launch), Right.OWNERS)
        return has_ended, seconds

    def check(self) -> None:
        """Refuse to go on where a part was alone in a meeting.

        Raises
        ------
        DeviceError
            With the part that did not come, and behind which call.
        """
        states: list[Any] = [arrays["state"] for arrays in self.parts]
        alone = [each for each in states if each[PLACES["CAME"]]]
        if not alone:
            return
        came, missed = PLACES["CAME"], PLACES["MISSED"]
        first = min(alone, key=lambda each: int(each[came]))  # who waited in vain, and was not told
        superstep, rest = divmod(int(first[missed]), 1 << STEP_SHIFT)
        number, part = divmod(rest, 1 << PART_BITS)
        launches = s.launches_in(self.plan.schedule.body)
        behind = next(each.name for each in launches if each.number == number)
        raise DeviceError(
            f"{self.plan.schedule.program.name}: part {part}, on {self.each[part].device.label}, "
            f"did not come to the meeting behind {behind} in superstep "
            f"{superstep} within {PATIENCE_S:g} s",
            remedy="If it happens again, run with exchange='host', which says more.",
        )
