"""Several GPUs, each with a part of the graph.

What goes from part to part is handed on by the host between launches (`GpuDivision`), or by the
kernels themselves (`GridDivision`), as the program was compiled.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from emv.backends.cuda.device import device, reach_each_other
from emv.config import Grouped
from emv.errors import BackendUnavailableError
from emv.runtime.arrays.plan import Plan
from emv.runtime.targets.division import Traffic
from emv.runtime.targets.gpu import Gpu
from emv.runtime.targets.gpu_division import GpuDivision
from emv.runtime.targets.grids import GridDivision

if TYPE_CHECKING:
    from emv.runtime.compile import Compiled


class Gpus(Gpu):
    """A run on several GPUs; see `emv.runtime.targets.target.Target`.

    Parameters
    ----------
    name : str
        Such as ``cuda:0,1/hash``, see `emv.config.Grouped`.

    Attributes
    ----------
    each : tuple of Gpu
        The GPU of each part; the first is this object.
    traffic : Traffic
        What parts handed each other in the run before.
    """

    begins_ahead = False  # the launches of all parts begin together

    def __init__(self, name: str) -> None:
        grouped = Grouped.of(name)
        devices = [device(each) for each in grouped.devices]
        streams = [on.stream_apart(devices[:part].count(on)) for part, on in enumerate(devices)]
        super().__init__(grouped.devices[0], streams[0])
        others = zip(grouped.devices[1:], streams[1:], strict=True)
        self.each: tuple[Gpu, ...] = (self, *(Gpu(*each) for each in others))
        for gpu, on in zip(self.each, devices, strict=True):
            gpu.share = 1 / devices.count(on)
        self.label, self.way, self.num_parts = name, grouped.way, len(devices)
        for part, gpu in enumerate(self.each):
            gpu.part_of = len(devices), grouped.way, part
        self.kind = self.form_for(grouped.exchange)
        for gpu in self.each:
            gpu.group, gpu.has_rounds = name, self.kind == "gpus"
        self.division: GpuDivision | None = None
        self.traffic = Traffic()

    def form_for(self, exchange: str) -> str:
        """Return what kernels are written for; see `emv.runtime.compile.compile_traced`.

        Raises
        ------
        BackendUnavailableError
            If the GPUs are to do without the host, and do not reach each other's memory.
        """
        reach = reach_each_other([each.device for each in self.each])
        if exchange == "peer" and not reach:
            raise BackendUnavailableError(
                f"exchange='peer' on {self.label}: these GPUs do not reach each other's memory",
                remedy="Leave exchange= out, or give 'host'; emv doctor says which do.",
            )
        if exchange == "host" or not reach:
            return "gpus"
        return f"{'peers' if exchange == 'peer' else 'grids'}/{self.num_parts}"

    @contextlib.contextmanager
    def running(self, compiled: Compiled) -> Iterator[None]:
        """Make the first GPU the current one; what other parts hold is given back at the end."""
        with super().running(compiled):
            try:
                yield
            except BaseException:
                self.leave(lambda plan: plan.abandon())
                raise
            finally:
                self.leave(lambda plan: plan.release())

    def leave(self, how: Any) -> None:
        """Let the plans of the other parts go."""
        division, self.division = self.division, None
        if division is None:
            return
        self.traffic = division.traffic
        with contextlib.suppress(Exception):  # of a run that failed another error says more
            division.settle()
        for gpu, plan in division.others():
            with gpu.device.current():
                how(plan)
                gpu.held.clear()

    def launch(self, plan: Plan, name: str) -> tuple[bool, float]:
        """Run a step on every part; return whether the program has ended, and the seconds."""
        if self.division is None or self.division.plan is not plan:
            self.leave(lambda plan: plan.abandon())  # of a run that begins anew
            self.division = self.divided(plan)
        return self.division.launch(name)

    def divided(self, plan: Plan) -> GpuDivision:
        """Return the parts of a run, made new."""
        made = GridDivision if plan.compiled.grids else GpuDivision
        return made(self.each, self.plans(plan), self.way)

    def plans(self, plan: Plan) -> list[Plan]:
        """Return the plans of all parts, of which nothing but the first is bound."""
        others = [
            Plan(
                plan.compiled,
                dataclasses.replace(plan.call, target=gpu),
                plan.ids,
                plan.per_copy,
            )
            for gpu in self.each[1:]
        ]
        for other in others:
            other.given = plan.given  # is copied from there
        return [plan, *others]

    def elapsed(self, plan: Plan) -> float:
        """Return the seconds from the first launch to the last; none if nothing was launched."""
        if self.division is None or self.launched is not plan:
            return 0.0
        return self.division.elapsed()

    def arrays_of_parts(self, plan: Plan) -> list[dict[str, Any]]:
        is_divided = self.division is not None and self.division.plan is plan
        return self.division.parts if self.division and is_divided else [plan.arrays]

    def handed_on(self) -> str:
        return str(self.traffic if self.division is None else self.division.traffic)

    def collect(self, plan: Plan) -> None:
        if self.division is not None and self.division.plan is plan:
            self.division.collect()
        else:  # nothing was launched, so columns are as the run began with them
            self.settle()
