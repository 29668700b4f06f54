"""From ``--source`` and ``--set`` to the arguments of a program, in two steps.

`plan_call` checks all that can be checked without the graph, so that a slip of the pen does not
cost the reading of a large file. `Call.named` then looks up the vertices.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from emv.cli.functions import FUNCTIONS, PROGRAMS, Function
from emv.cli.own_program import is_own, own_program
from emv.errors import ArgumentError, GraphError, did_you_mean
from emv.graph import Graph
from emv.runtime.program import ProgramFunction

VERTEX_PARAMETERS = ("source", "sources", "seeds", "starts", "nodes")
"""Parameters that name vertices, which ``--source`` gives."""

_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,19}")


@dataclass(frozen=True)
class Call:
    """A program and its arguments, but for the ids of the vertices.

    Attributes
    ----------
    program : ProgramFunction
        What is called.
    settings : dict
        The values of ``--set``, by parameter.
    vertex_parameter : str or None
        The parameter that takes vertices.
    sources : list of str
        The vertices, as the user calls them.
    is_own : bool
        Whether the program is the user's.
    """

    program: ProgramFunction | Function
    settings: dict[str, Any]
    vertex_parameter: str | None
    sources: list[str]
    is_own: bool = False

    def named(self, graph: Graph) -> dict[str, Any]:
        """Return all arguments by name.

        Raises
        ------
        ArgumentError
            If there is no such vertex or column.
        """
        for name, value in self.settings.items():
            if name in self.program.bind and isinstance(value, str):
                _check_column(graph, self.program.bind[name].kind, name, value)
        if self.vertex_parameter is None or not self.sources:
            return self.settings
        ids = [vertex_of(graph, text) for text in self.sources]
        if self.vertex_parameter != "starts":  # of walks, several of which may start at one
            ids = list(dict.fromkeys(ids))
        return {**self.settings, self.vertex_parameter: ids[0] if len(ids) == 1 else ids}

    def value(self, name: str) -> Any:
        """Return a parameter's value or default; None where the program has no such parameter."""
        parameter = parameters_of(self.program).get(name)
        return self.settings.get(name, parameter.default) if parameter else None


def plan_call(
    algorithm: str,
    settings: Iterable[str],
    sources: Iterable[str],
    there: Mapping[str, ProgramFunction | Function] = PROGRAMS,
) -> Call:
    """Return the call that a command line asks for.

    Parameters
    ----------
    there : mapping
        What may be called, by name, beside programs of users' own files.

    Raises
    ------
    ArgumentError
        If there is no such algorithm or parameter, or a value is of another type.

    Examples
    --------
    >>> plan_call("pagerank", ["alpha=0.9", "max_iter=5"], []).settings
    {'alpha': 0.9, 'max_iter': 5}
    """
    program: ProgramFunction | Function
    if is_own(algorithm):
        program = own_program(algorithm)
    elif algorithm in FUNCTIONS and algorithm not in there:
        raise ArgumentError(f"{algorithm} runs several programs, only 'emv run' takes it")
    elif algorithm not in there:
        raise ArgumentError(
            f"there is no algorithm '{algorithm}'.{did_you_mean(algorithm, there)}",
            remedy=f"There are: {', '.join(there)}.",
        )
    else:
        program = there[algorithm]
    takes_vertices = [name for name in parameters_of(program) if name in VERTEX_PARAMETERS]
    texts = [part.strip() for text in sources for part in text.split(",")]
    if texts and not takes_vertices:
        raise ArgumentError(f"{algorithm} starts from no vertex, leave --source out")
    return Call(
        program,
        dict(_setting(program, text) for text in settings),
        takes_vertices[0] if takes_vertices else None,
        texts,
        is_own(algorithm),
    )


def parameters_of(program: ProgramFunction | Function) -> dict[str, inspect.Parameter]:
    """Return the parameters of a program but the graph, by name."""
    if isinstance(program, Function):
        signature = program.signature
    else:
        signature = inspect.signature(program.python)
    return dict(list(signature.parameters.items())[1:])


def require_arguments(call: Call) -> None:
    """Refuse a call that lacks the vertex to start from, or a parameter without a default.

    Raises
    ------
    ArgumentError
        If it does.
    """
    for name, parameter in parameters_of(call.program).items():
        is_needed = parameter.default is inspect.Parameter.empty
        if is_needed and name not in call.settings and name != call.vertex_parameter:
            raise ArgumentError(f"{call.program.name} needs {name}, give --set {name}=VALUE")
    if call.vertex_parameter is None or call.sources:
        return
    if parameters_of(call.program)[call.vertex_parameter].default is inspect.Parameter.empty:
        raise ArgumentError(
            f"{call.program.name} needs a vertex to start from, give --source V",
            remedy="'emv info GRAPH' names the one with the most arcs",
        )


def _setting(program: ProgramFunction | Function, text: str) -> tuple[str, Any]:
    """Return the parameter and the value of one ``NAME=VALUE``."""
    name, equals, value = text.partition("=")
    parameters = parameters_of(program)
    if not equals:
        raise ArgumentError(f"--set {text} has no value, write --set {name}=VALUE")
    if name in VERTEX_PARAMETERS and name in parameters:
        raise ArgumentError(f"--set {text} names a vertex, write --source {value}")
    if name not in parameters:
        there = ", ".join(each for each in parameters if each not in VERTEX_PARAMETERS)
        raise ArgumentError(
            f"{program.name} has no parameter '{name}'.{did_you_mean(name, parameters)}",
            remedy=f"There are: {there}." if there else "It takes none.",
        )
    return name, _value(program, parameters[name], value)


def _value(program: ProgramFunction | Function, parameter: inspect.Parameter, text: str) -> Any:
    """Return the value in the type of the parameter's default."""
    default = parameter.default
    if parameter.name in program.bind or default in (None, inspect.Parameter.empty):
        return _number_or_name(text)
    if isinstance(default, bool):
        if text.lower() in _TRUTH:
            return _TRUTH[text.lower()]
        raise _mistyped(parameter, text, "true or false")
    if isinstance(default, int | float):
        kind = int if isinstance(default, int) else float
        try:
            return kind(text)
        except ValueError:
            number = "a whole number" if kind is int else "a number"
            raise _mistyped(parameter, text, f"{number} such as {default}") from None
    return text


def _mistyped(parameter: inspect.Parameter, text: str, expected: str) -> ArgumentError:
    return ArgumentError(f"--set {parameter.name}={text}: {parameter.name} is {expected}")


def _number_or_name(text: str) -> int | float | str:
    """Return a number, or the name of a column.

    Examples
    --------
    >>> _number_or_name("2"), _number_or_name("0.5"), _number_or_name("weight")
    (2, 0.5, 'weight')
    """
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _check_column(graph: Graph, kind: str, name: str, column: str) -> None:
    """Refuse a column that the graph lacks."""
    columns = graph.edges if kind == "edge" else graph.vertices
    if column not in columns:
        there = ", ".join(columns) or "none"
        raise ArgumentError(
            f"--set {name}={column} is no column of the {kind} rows, there are: {there}."
            + did_you_mean(column, columns),
            remedy=f"Give one of them, or a number for all, as in --set {name}=1.",
        )


def vertex_of(graph: Graph, text: str, option: str = "--source") -> int:
    """Return the id of a vertex that an option calls as the file does.

    Raises
    ------
    ArgumentError
        If there is none.

    Examples
    --------
    >>> vertex_of(Graph.from_edges([0], [1], labels=[10, 20]), "20")
    1
    """
    labels = graph.labels
    names: list[int | str] = [int(text)] if _WHOLE_NUMBER.fullmatch(text) else []
    if labels is not None and labels.dtype == object:
        names.insert(0, text)
    for name in names:
        try:
            return graph.id_of(name)
        except GraphError:
            continue
    raise ArgumentError(
        f"{option} {text!r} is no vertex of the graph", remedy=_vertices_there(graph)
    )


def _vertices_there(graph: Graph) -> str:
    labels = graph.labels
    if graph.num_vertices == 0:
        return "it has no vertices"
    if labels is None:
        return f"it has the vertices 0 to {graph.num_vertices - 1}"
    if labels.dtype == object:
        return f"the first of its {graph.num_vertices} vertices is {labels[0]}"
    return f"its {graph.num_vertices} vertices are called {labels.min()} to {labels.max()}"
