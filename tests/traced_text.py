"""The text of a program traced without running it: what the tests of programs compare."""

from __future__ import annotations

import inspect
from typing import Any

from emv.ir import program as ir
from emv.lang.listed import ArrayStandIn
from emv.lang.trace import TracedGraph, Tracer
from emv.lang.traced import TracedScalar


def traced_text(program: Any, **given: Any) -> str:
    """Trace a program and return its text.

    Parameters
    ----------
    program : ProgramFunction
        Number parameters stay parameters, by their defaults or by `given`, lists become arrays,
        and what is neither is a constant of the trace.
    **given
        Arguments for parameters, those that have no default in particular.
    """
    tracer = Tracer(program.python, program.loc)
    arguments = {}
    for name, parameter in list(inspect.signature(program.python).parameters.items())[1:]:
        value = given.get(name, parameter.default)
        if name in program.bind:  # a column: the program itself has no use for it
            arguments[name] = None
            continue
        if isinstance(value, list):
            value = ArrayStandIn(ir.ArrayParameter(name))
        elif isinstance(value, int | float) and not isinstance(value, bool):
            kind = "f64" if isinstance(value, float) else "i64"
            value = TracedScalar(ir.ScalarParameter(kind, name))
        arguments[name] = value
    result = program.python(TracedGraph(tracer), **arguments)
    return str(tracer.finish(result, {}))
