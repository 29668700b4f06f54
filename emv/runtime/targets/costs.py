"""What supersteps and exchanges of parts cost at a place: constants of a model, measured once.

The model is `emv.graph.parts.Parts.seconds`. The host's own time is the most of them, on cores as
on GPUs, so whole runs tell them (`emv.runtime.probing`), on graphs of about as many vertices.
"""

from __future__ import annotations

from collections.abc import Callable

from emv.graph.supersteps import Costs

Probe = Callable[[str, int, bool], Costs]
"""Returns constants of a place by name, for so many vertices, with or without rounds of hops."""

PROBES: list[Probe] = []
"""What runs the program that tells them; it stands above, and enters itself."""


def costs_of(label: str, vertices: int, has_rounds: bool) -> Costs:
    """Return the constants of parts at a place."""
    return PROBES[0](label, vertices, has_rounds)
