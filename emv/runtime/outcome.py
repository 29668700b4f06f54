"""Runs a call where it is to run: as plain Python, or compiled with what an equal call left."""

from __future__ import annotations

from typing import Any

from emv.runtime.arguments import Call
from emv.runtime.parameters import Met
from emv.runtime.run import Run
from emv.runtime.targets.placing import target_of


def run_there(program: Any, graph: Any, met: Met, seed: int, stream: Any, callback: Any) -> Run:
    """Return what came of a call, run where it is to run and with what an equal one has left.

    Parameters
    ----------
    program : ProgramFunction
        As it was called; `met` says in which floats it runs.
    """
    text, arguments = met.text, met.arguments
    if met.backend != "python":
        plan = met.plan() if stream is None else None
        target = target_of(met.backend, stream) if plan is None else plan.target
        call = Call(graph, arguments, target, seed, callback, met, plan)
        run: Run = text._compiled_half().run(call)
        return run
    from emv.runtime.drive.plain import run_each_plainly  # only plain runs load it

    if (arguments.schedule or arguments.copies) and not program.host_loop:
        text._compiled_half().check_compiled(graph, arguments)
    return run_each_plainly(text.python, graph, arguments, seed, callback, program.host_loop)
