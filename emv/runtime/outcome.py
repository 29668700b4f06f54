"""Runs a call where it is to run: as plain Python, or compiled with what an equal call left."""

from __future__ import annotations

from typing import Any

from emv.runtime.arguments import Call
from emv.runtime.parameters import Met
from emv.runtime.run import Asked, Run, Said
from emv.runtime.targets.placing import target_of


def run_there(asked: Asked, graph: Any, met: Met, seed: int, stream: Any, callback: Any) -> Run:
    """Return what came of a call, run where it is to run and with what an equal one has left.

    Parameters
    ----------
    asked : tuple
        What `Run.said` begins with; `met` says in which floats the program runs.
    """
    text, arguments = met.text, met.arguments
    if met.backend != "python":
        plan = met.plan() if stream is None else None
        if plan is not None:
            again: Run | None = text._engine.again(plan, graph, met, seed, callback, asked)
            if again is not None:
                return again
        target = target_of(met.backend, stream) if plan is None else plan.target
        call = Call(graph, arguments, target, seed, callback, met, plan, asked)
        run: Run = text._compiled_half().run(call)
    else:
        from emv.runtime.drive.plain import run_each_plainly  # only plain runs load it

        is_of_host = asked[0].host_loop
        if (arguments.schedule or arguments.copies) and not is_of_host:
            text._compiled_half().check_compiled(graph, arguments)
        run = run_each_plainly(text.python, graph, arguments, seed, callback, is_of_host)
    if run.said is None:
        run.graph = graph if run.graph is None else run.graph
        run.said = Said.of(asked, graph)
    return run
