"""One answer everywhere: a program runs as plain Python, and compiled, and the results agree.

Plain Python defines the language. Whole numbers, truth values, infinities and NaN are the same on
every backend; floats may differ in their last digits, as sums are added up in other orders.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from emv.backends.cuda import cuda_available
from emv.errors import ArgumentError
from emv.graph.on_device import on_host
from emv.lang.draws import draws_itself, seed_of
from emv.runtime.program import ProgramFunction
from emv.runtime.run import Run
from emv.testing.code import code_of

PLAIN = "python"
SHOWN = 2000  # characters of a graph in a message


def backends() -> tuple[str, ...]:
    """Return the backends that can run here, plain Python first.

    Examples
    --------
    >>> backends()[:2]
    ('python', 'cpu')
    """
    return (PLAIN, "cpu", "cuda") if cuda_available() else (PLAIN, "cpu")


def assert_same_on_all_backends(
    program: Any,
    graph: Any,
    *args: Any,
    backends: Iterable[str] | None = None,
    rtol: float = 1e-5,
    atol: float = 0.0,
    **named: Any,
) -> list[Any]:
    """Run as plain Python and on every other backend; raise unless they give the same.

    The same is: results with the same numbers, or an error of the same type.

    Parameters
    ----------
    program : ProgramFunction or callable
        What is tried: a program, or a function that takes ``backend=``.
    graph : Graph
        What it runs on.
    *args, **named
        Its other arguments, and what `ProgramFunction.run` takes, such as ``rng``.
    backends : list of str, optional
        Those to compare with plain Python; by default all that can run here.
    rtol, atol : float
        By how much floats may differ from those of plain Python: ``atol + rtol * abs(number)``.

    Returns
    -------
    list
        What plain Python gave, then the others: `Run` of a program, the results of a function.
        Empty if all raised the same error.

    Raises
    ------
    AssertionError
        If a backend differs. The message says where, and gives the graph as code.

    Examples
    --------
    >>> from emv import Graph
    >>> from emv.algorithms import bfs
    >>> g = Graph.from_edges([0, 1], [1, 2])
    >>> [run.backend for run in assert_same_on_all_backends(bfs, g, 0, backends=["cpu"])]
    ['python', 'cpu']
    """
    others = [each for each in (backends_here() if backends is None else backends) if each != PLAIN]
    if not others:
        raise ArgumentError(
            "backends= names none beside plain Python, so there is nothing to compare",
            remedy="Give backends=['cpu'], or leave it out.",
        )
    if draws_itself(rng := named.get("rng", 0)):
        named["rng"] = seed_of("rng=", rng)  # drawn once: all are to draw the same
    plain, error = outcome(program, graph, args, {**named, "backend": PLAIN})
    found = [plain]
    for name in others:
        other, other_error = outcome(program, graph, args, {**named, "backend": name})
        if type(error) is not type(other_error):
            said = f"raises {other_error!r}" if other_error else "raises nothing"
            said += f"; plain Python raises {error!r}" if error else "; plain Python does not"
        else:
            said = "" if error else difference(result_of(other), result_of(plain), rtol, atol)
        if said:
            raise AssertionError(report(program, graph, args, named, f"{name} {said}"))
        found.append(other)
    return [] if error else found


backends_here = backends  # where a parameter has its name


def outcome(
    program: Any, graph: Any, args: tuple[Any, ...], named: dict[str, Any]
) -> tuple[Any, Exception | None]:
    """Return what a call gives, or its error."""
    call = program.run if isinstance(program, ProgramFunction) else program
    try:
        return call(graph, *args, **named), None
    except Exception as error:
        return None, error


def result_of(given: Any) -> Any:
    """Return the result of a run; what is no run is one."""
    return given.result if isinstance(given, Run) else given


def difference(found: Any, wanted: Any, rtol: float, atol: float) -> str:
    """Return how a result differs from the one of plain Python; nothing where it does not.

    Examples
    --------
    >>> difference(np.array([1, 2, 4]), np.array([1, 2, 3]), 0, 0)
    'differs at 2: 4, in plain Python 3 (1 of 3 differ)'
    >>> difference(1.0000001, 1.0, 1e-5, 0)
    ''
    """
    if isinstance(wanted, tuple | list):
        if len(found) != len(wanted):
            return f"gives {len(found)} results, plain Python {len(wanted)}"
        each = enumerate(zip(found, wanted, strict=True))
        said = ((number, difference(*pair, rtol, atol)) for number, pair in each)
        return next((f"result {number} {text}" for number, text in said if text), "")
    one, other = np.asarray(on_host(found)), np.asarray(on_host(wanted))
    if one.shape != other.shape:
        return f"gives shape {one.shape}, plain Python {other.shape}"
    if other.dtype.kind == "f" or one.dtype.kind == "f":
        is_same = np.isclose(one, other, rtol=rtol, atol=atol, equal_nan=True)
    else:
        is_same = np.asarray(one == other)
    if is_same.all():
        return ""
    if not is_same.ndim:
        return f"gives {one.item()!r}, plain Python {other.item()!r}"
    place = tuple(int(each) for each in np.argwhere(~is_same)[0])
    shown = place[0] if len(place) == 1 else place
    count = np.count_nonzero(~is_same)
    return (
        f"differs at {shown}: {one[place].item()!r}, in plain Python {other[place].item()!r} "
        f"({count:,} of {is_same.size:,} differ)"
    )


def report(
    program: Any, graph: Any, args: tuple[Any, ...], named: dict[str, Any], said: str
) -> str:
    """Return the message of a difference: what was called, and code that makes the graph again."""
    name = getattr(program, "__name__", repr(program))
    given = [*map(repr, args), *(f"{key}={value!r}" for key, value in named.items())]
    code = code_of(graph)
    shown = code if len(code) <= SHOWN else f"{graph!r}"
    return f"{name}() on {said}\ng = {shown}\n{name}({', '.join(['g', *given])})"
