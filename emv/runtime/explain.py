"""What `explain` prints: the program, what each function reads and writes, the schedule and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
