"""The schedule and the kernel text of a program, made without numba: what tests of passes read."""

from __future__ import annotations

from typing import Any

from emv.ir import schedule as s
from emv.passes.follow_schedule import check_asked
from emv.runtime.arguments import sort_arguments
from emv.runtime.compile import Compiled, compile_program


def compiled(program: Any, *args: Any, wide: bool = False, target: str = "cpu") -> Compiled:
    """Trace, schedule and write a program, for graphs with 32-bit ids unless they are wide."""
    arguments = sort_arguments(program.python, program.bind, args, {})
    return compile_program(program.python, program.bind, arguments, program.loc, wide, target)


def launches(program: Any, *args: Any) -> list[s.Launch]:
    """Return the launches of a program, those in loops included."""
    return s.launches_in(compiled(program, *args).schedule.body)


def asked_launches(program: Any, schedule: Any, *args: Any) -> list[s.Launch]:
    """Return the launches of a program that is called with a schedule, once it is accepted."""
    arguments = sort_arguments(program.python, program.bind, args, {}, schedule)
    made = compile_program(program.python, program.bind, arguments, program.loc, wide=False)
    check_asked(made.schedule, arguments.schedule)
    return s.launches_in(made.schedule.body)


def steps(program: Any, *args: Any) -> list[str]:
    """Return the kinds of a program's outer steps, in order."""
    return [type(step).__name__ for step in compiled(program, *args).schedule.body]
