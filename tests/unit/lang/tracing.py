"""Trace a program without a backend: what the compiled backends start from."""

from __future__ import annotations

import inspect

from emv.ir import program as ir
from emv.lang.trace import TracedGraph, Tracer
from emv.lang.traced import TracedScalar
from emv.runtime.program import ProgramFunction


def trace(program: ProgramFunction) -> ir.Program:
    """Return the traced program; parameters stand for floats unless their default says i64."""
    tracer = Tracer(program.python, program.loc)
    given = {}
    for name, parameter in list(inspect.signature(program.python).parameters.items())[1:]:
        kind = "i64" if isinstance(parameter.default, int) or name == "source" else "f64"
        given[name] = TracedScalar(ir.ScalarParameter(kind, name))
    return tracer.finish(program.python(TracedGraph(tracer), **given), {})
