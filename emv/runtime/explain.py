"""What `explain` prints: the program, what each function reads and writes, the schedule and why."""

from __future__ import annotations

from emv.ir import schedule as s
from emv.runtime.compile import Compiled


def explained(compiled: Compiled) -> str:
    """Return the explanation of a compiled program."""
    seen: dict[str, str] = {}
    for launch in s.launches_in(compiled.schedule.body):
        for function in s.functions_of(launch):
            seen[function.name] = f"    {function.kind:<8} {function.name:<20} {function.effects}"
    effects = "\n".join(["effects", *seen.values()])
    return f"{compiled.program}\n{effects}\n\n{compiled.schedule}"
