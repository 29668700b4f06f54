"""Find the columns that a launch writes and reads elsewhere: rule (1) needs two copies of them.

Own reads are in order with own writes and need nothing. A column that is read through ``src``,
``dst`` or ``far`` while instances write it is written to a second array, which takes the first
one's place when the launch is over.
"""

from __future__ import annotations

import dataclasses

from emv.ir.schedule import Launch


def double_buffer(launch: Launch) -> Launch:
    """Return the launch with its double-buffered columns named."""
    effects = launch.send.effects
    written = {(each.kind, each.field): each.where for each in effects.writes}
    masks = words_of(launch.send)
    found = {key for key, words in masks.items() if len(words) > 1}
    if ("vertex", launch.domain.mask) in masks:
        found.add(("vertex", launch.domain.mask))
    for read in effects.reads:
        key = (read.kind, read.field)
        if key in written and (read.where != "own" or written[key] != "own" or key in masks):
            found.add(key)
    if not found:
        return launch
    names = ", ".join(sorted(name for _, name in found))
    reason = f"{launch.send.name} writes {names} and reads it of other elements"
    return dataclasses.replace(
        launch, double_buffered=frozenset(found), reasons=(*launch.reasons, reason)
    )
