"""`@program`: marks a user's program function."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, overload

from emv.errors import ArgumentError, did_you_mean
from emv.lang.functions import check_def
from emv.lang.source import caller_loc, definition_loc
from emv.runtime.arguments import READ_AS
from emv.runtime.program import ProgramFunction
from emv.runtime.targets.costs import PROBES
from emv.runtime.targets.placing import FORMS
from emv.tracebacks import ends_at_caller

if TYPE_CHECKING:
    from emv.runtime.faces import Program

P = ParamSpec("P")


@overload
def program(python: Callable[Concatenate[Any, P], Any]) -> Program[P]: ...
@overload
def program(
    *,
    bind: dict[str, Any] | None = None,
    host_loop: bool = False,
    graph: str | None = None,
    precision: str = "single",
) -> Callable[[Callable[Concatenate[Any, P], Any]], Program[P]]: ...
@ends_at_caller
def program(
    python: Callable[..., Any] | None = None,
    *,
    bind: dict[str, Any] | None = None,
    host_loop: bool = False,
    graph: str | None = None,
    precision: str = "single",
) -> Any:
    """Mark the function that is the whole algorithm: it applies functions to domains of ``g``.

    Parameters
    ----------
    bind : dict, optional
        ``{"weight": Road.length}``: the parameter ``weight`` supplies the column ``length``. The
        caller gives a column's name, a number or an array; None means the field's default, and
        ``if weight is None`` in the program chooses what is compiled.
    host_loop : bool
        Run loops, ``if`` and ``break`` of the program on the host, between compiled calls.
    graph : {"undirected", "oriented", "both ways"}, optional
        Refuse directed graphs; or see any graph as `Graph.oriented` gives it: the same vertices,
        every pair that is joined once, from the lower degree to the higher; or as `Graph.both_ways`
        gives it: the same edges, each of which leads both ways. By default a graph is seen as it
        is.
    precision : str, optional
        What f32 is read as where the call does not say (``precision=`` of `ProgramFunction.run`):
        by default what it says, ``"single"``; with the name of a parameter of `bind`, the type of
        the numbers that this parameter supplies: f32 for floats of at most 32 bits, f64 for longer
        ones, i64 for whole numbers, with `inf` read as the largest of these, 2**63 - 1.

    Returns
    -------
    ProgramFunction
        Call it on a graph for the result; `ProgramFunction.run` also tells how it went.

    Examples
    --------
    >>> from emv import Graph, Vertex, i32, program, vertex
    >>> class Person(Vertex):
    ...     friends: i32 = 0
    >>> @vertex
    ... def count_friends(v: Person):
    ...     v.friends = v.out_degree
    >>> @program
    ... def friends(g):
    ...     count_friends(g)
    ...     return g.vertices.friends
    >>> friends(Graph.from_edges([0, 0], [1, 2], directed=False))
    array([2, 1, 1], dtype=int32)
    """
    if python is not None:
        check_def("program", python)
        return ProgramFunction(python, {}, host_loop)
    fields = bind or {}
    if graph not in FORMS:
        raise ArgumentError(
            f"@program(graph={graph!r})",
            caller_loc(),
            "It is 'undirected', 'oriented' or 'both ways'.",
        )

    @ends_at_caller
    def decorate(function: Any) -> ProgramFunction:
        check_def("program", function)
        known = function.__code__.co_varnames[: function.__code__.co_argcount]
        for name in fields:
            if name not in known:
                raise ArgumentError(
                    f"bind= names {name!r}, which is no parameter of {function.__name__}()",
                    definition_loc(function),
                    f"Add the parameter, or name one that is there.{did_you_mean(name, known)}",
                )
        if precision not in (*READ_AS, *fields):
            raise ArgumentError(
                f"@program(precision={precision!r})",
                definition_loc(function),
                "It is 'single', 'double' or a parameter of bind=."
                + did_you_mean(precision, fields),
            )
        return ProgramFunction(function, fields, host_loop, graph, precision)

    return decorate


def _probed(label: str, vertices: int, has_rounds: bool) -> Any:
    from emv.runtime.probing import probed  # few ask for it

    return probed(program, label, vertices, has_rounds)


PROBES.append(_probed)
