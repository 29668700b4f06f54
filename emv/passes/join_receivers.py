"""Let a receiver run right behind the pull that folds its messages, where that changes nothing.

It may not write what other receivers still read of their sources; then the folds are kept, and all
receivers run in a phase of their own, once everything has been read.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from emv.ir.schedule import Claim, Launch
from emv.passes.around import Around, by_launch


@by_launch
def join_receivers(launch: Launch, around: Around) -> Launch:
    """Return the launch, marked if its receivers run inside its pull, else with what they write."""
    if launch.receive is None or launch.direction not in ("pull", "either"):
        return launch
    if isinstance(launch.shortcut, Claim):  # which folds nothing
        return launch
    read = conflicts(launch)
    if not read:
        return dataclasses.replace(launch, joined=True)
    reason = f"receivers wait until all is read, as they write {', '.join(sorted(read))}"
    return dataclasses.replace(launch, reasons=(*launch.reasons, reason))


def conflicts(launch: Launch) -> set[str]:
    """Return the columns that the receiver writes and the sender must read as they were."""
    if launch.receive is None or launch.in_place:
        return set()
    written = launch.receive.function.effects.written
    read: set[Any] = {("vertex", launch.domain.mask)}
    if not launch.staged:
        read |= {
            (each.kind, each.field)
            for each in launch.send.effects.reads
            if each.where in ("src", "own", "far") and each.kind == "vertex"
        }
    return {name for _, name in read & written}
