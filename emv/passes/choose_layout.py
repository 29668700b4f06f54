"""In which storage arcs are walked: compressed rows, unless the caller asks for another.

Measured on CPU and GPU (docs/design/layouts.md): no other storage gained enough to be chosen.
"""

from __future__ import annotations

import dataclasses

from emv.ir import body as b
from emv.ir.schedule import Launch
from emv.passes.around import Around, by_launch


@by_launch
def choose_layout(launch: Launch, around: Around) -> Launch:
    """Return the launch with its storage, and why it is not compressed rows."""
    if launch.layout == "csr":
        return launch
    if not walks_rows(launch):
        return dataclasses.replace(launch, layout="csr")
    reason = f"in {launch.layout}: the caller asks for it; one thread walks a vertex"
    if launch.layout == "coo":
        reason = "in coo: the caller asks for it; one thread takes an arc"
    return dataclasses.replace(launch, reasons=(*launch.reasons, reason))


def walks_rows(launch: Launch) -> bool:
    """Return whether a launch walks the arcs of vertices."""
    if launch.direction in ("pull", "either") or launch.by_arcs or walks_own_arcs(launch):
        return True
    return launch.arc_form and launch.domain.kind not in ("edges", "active_edges")


def walks_own_arcs(launch: Launch) -> bool:
    """Return whether a function itself goes over the arcs of its vertex, in one piece."""
    if launch.arc_form:
        return False
    return any(
        isinstance(each, b.ForLinks) or (isinstance(each, b.Send) and each.along == "all")
        for each in b.statements_in(launch.body.statements)
    )
