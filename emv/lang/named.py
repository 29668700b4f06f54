"""What a program function speaks of: its user functions, and the records of their elements."""

from __future__ import annotations

import contextlib
import inspect
from typing import Any

from emv.errors import EmvError
from emv.lang.functions import Function


def functions_named(python: Any) -> list[Function]:
    """Return the user functions that a program function names."""
    around = inspect.getclosurevars(python)
    found = [space[name] for space in (around.globals, around.nonlocals) for name in space]
    return [each for each in found if isinstance(each, Function)]


def changes_graph(python: Any) -> bool:
    """Return whether a program function names a user function that changes the graph.

    Asked before every run, so the texts of functions are read only where a word of theirs says so.
    """
    code = python.__code__
    space = python.__globals__
    found = [space.get(name) for name in code.co_names]
    if code.co_freevars:
        around = inspect.getclosurevars(python).nonlocals
        found += [around.get(name) for name in code.co_freevars]
    for named in found:
        if isinstance(named, Function) and named.may_change:
            with contextlib.suppress(EmvError):  # said where the function is applied
                if named.effects.changes:
                    return True
    return False


def host_remedy(python: Any, instead: str = "") -> str:
    """Return what to do where a program that the host drives lacks something."""
    if changes_graph(python):
        return f"It changes its graph, which the host does between supersteps{instead}."
    return (
        "Use g.supersteps(limit, until=...) instead of Python's own control flow and leave "
        f"host_loop out{instead}."
    )


def records_of(function: Function) -> list[Any]:
    """Return the vertex and edge records that a function speaks of."""
    from emv.lang.fits import elements_of  # what defines programs asks for no records

    own = [function.record] if function.kind != "message" else []
    listed = function.analysis.edge_record
    found = [each.record for each in elements_of(function.body)]
    return [*own, *([listed] if listed is not None else []), *found]
