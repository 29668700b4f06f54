"""What `explain` prints: the program, what each function reads and writes, the schedule and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emv.ir import schedule as s
from emv.lang.schedules import Asked, NearFar
from emv.passes.follow_schedule import names_of

if TYPE_CHECKING:
    from emv.runtime.compile import Compiled


def program_and_effects(compiled: Compiled) -> str:
    """Return the traced program, and what each of its functions reads and writes."""
    seen = {
        function.name: f"    {function.kind:<8} {function.name:<20} {function.effects}"
        for function in compiled.captured
    }
    return "\n".join([str(compiled.program), "effects", *seen.values(), ""])


def explained(compiled: Compiled) -> str:
    """Return the explanation of a compiled program."""
    return f"{program_and_effects(compiled)}\n{compiled.schedule}"


def explained_words(compiled: Compiled, asked: Asked, delta_arcs: float) -> str:
    """Return what the caller asks of the schedule, launch by launch; empty if nothing.

    Parameters
    ----------
    delta_arcs : float
        Arcs of mean weight, over the mean degree, by which a threshold moves when emv chooses.
    """
    lines = []
    for launch in s.launches_in(compiled.schedule.body):
        for word in dict.fromkeys(asked.words(names_of(launch))):
            if not isinstance(word, NearFar):
                lines.append(f"    {launch.name}: {word}\n")
            elif isinstance(launch.shortcut, s.Relax):
                why = f", {chosen(launch.shortcut, delta_arcs)}" if word.delta == "auto" else ""
                lines.append(f"    {launch.name}: {word}{why}\n")
    return "".join(["asked\n", *lines]) if lines else ""


def chosen(relax: s.Relax, delta_arcs: float) -> str:
    """Return what a threshold moves by when emv chooses."""
    if not relax.weights:
        return "everything is near, as no edge column is added"
    return f"{delta_arcs:g} times the mean {' + '.join(relax.weights)} over the mean degree"
