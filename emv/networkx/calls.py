"""The functions of the backend by networkx' names, and which of their calls it can run.

A function has networkx' own signature. `serves` notes it, with what it cannot do: each refusal is
asked with the arguments of a call and returns the reason, or nothing. Asking must cost little: with
emv first among the backends, every call of networkx is asked about, also on ten nodes.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from operator import is_
from typing import Any

from emv.networkx.graphs import graph_of

GRAPH = "G"
"""The parameter that refusals of kinds of graphs look at."""

Refusal = Callable[[dict[str, Any]], str | None]


@dataclass(frozen=True)
class Served:
    """A function of the backend.

    Attributes
    ----------
    call : callable
        What networkx calls.
    defined : callable
        The function itself, which takes a `BackendGraph`.
    parameters : tuple of str
        Their names, in order.
    defaults : dict
        Their values; None for those that must be given.
    refusals : tuple of callable
        What it cannot do.
    watched : frozenset of str
        Parameters besides the graph that refusals look at, if that is known of all refusals and
        none refuses what they are by default.
    first : int
        The place of the first of them; -1 if all refusals must be asked.
    usual : tuple
        What the parameters from there on are by default.
    of_graph : tuple of callable
        The refusals that look at the graph.
    """

    call: Callable[..., Any]
    defined: Callable[..., Any]
    parameters: tuple[str, ...]
    defaults: dict[str, Any]
    refusals: tuple[Refusal, ...]
    watched: frozenset[str] = frozenset()
    first: int = -1
    usual: tuple[Any, ...] = ()
    of_graph: tuple[Refusal, ...] = ()

    def arguments(self, args: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        """Return the values of all parameters; networkx checks how many are given."""
        found = self.defaults | named if named else self.defaults.copy()
        found.update(zip(self.parameters, args))  # noqa: B905 - sooner than with strict=
        return found


FUNCTIONS: dict[str, Served] = {}
"""All of them, by networkx' names."""

MAKES: list[str] = []
"""Those that make graphs of other things."""


def serves(*refusals: Refusal) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the decorator for a function of networkx' name and signature that takes a graph.

    Parameters
    ----------
    *refusals : callable
        What it cannot do, see the module.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(G: Any, *args: Any, **named: Any) -> Any:
            return function(graph_of(G), *args, **named)

        return _note(call, function, refusals)

    return decorate


def serves_two(*refusals: Refusal) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the decorator for a function that takes two graphs, ``G`` and ``H``."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(G: Any, H: Any, *args: Any, **named: Any) -> Any:
            return function(graph_of(G), graph_of(H), *args, **named)

        return _note(call, function, refusals)

    return decorate


def serves_many(*refusals: Refusal) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the decorator for a function that takes ``graphs``, any number of them."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(graphs: Any, *args: Any, **named: Any) -> Any:
            return function([graph_of(each) for each in graphs], *args, **named)

        return _note(call, function, refusals)

    return decorate


def makes(*refusals: Refusal) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the decorator for a function of networkx' name and signature that makes a graph."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        MAKES.append(function.__name__)
        return _note(function, function, refusals)

    return decorate


def _note(
    call: Callable[..., Any], defined: Callable[..., Any], refusals: tuple[Refusal, ...]
) -> Callable[..., Any]:
    parameters = inspect.signature(defined).parameters.values()
    defaults = {
        each.name: None if each.default is each.empty else each.default for each in parameters
    }
    served = Served(call, defined, tuple(defaults), defaults, refusals)
    FUNCTIONS[defined.__name__] = _watching(served)
    return call


def _watching(served: Served) -> Served:
    """Return a function with what its refusals look at, so that most calls need not be asked."""
    looked_at = [getattr(refuse, "parameter", None) for refuse in served.refusals]
    known = [str(each) for each in looked_at if each != GRAPH]
    if None in looked_at or any(
        refuse(served.defaults)
        for refuse, each in zip(served.refusals, looked_at, strict=True)
        if each != GRAPH
    ):
        return served
    places = [served.parameters.index(each) for each in known]
    first = min(places, default=len(served.parameters))
    of_graph = tuple(refuse for refuse in served.refusals if refuse.parameter == GRAPH)  # type: ignore[attr-defined]
    usual = tuple(served.defaults.values())[first:]
    watched = frozenset(known)
    return replace(served, watched=watched, first=first, usual=usual, of_graph=of_graph)


def can_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Return whether the backend can run a call, or the reason why not; called by networkx."""
    served = FUNCTIONS.get(name)
    if served is None:
        return f"emv has no {name}()"
    refusals = served.refusals
    if not refusals:
        return True
    first = served.first
    # networkx' own decorators hand over all parameters by place
    is_usual = len(args) <= first or (first >= 0 and all(map(is_, args[first:], served.usual)))
    if is_usual and served.watched.isdisjoint(kwargs):
        refusals = served.of_graph
        if not refusals:
            return True
        arguments = {GRAPH: args[0] if args else kwargs[GRAPH]}
    else:
        arguments = served.arguments(args, kwargs)
    for refuse in refusals:
        reason = refuse(arguments)
        if reason:
            return reason
    return True


def looks_at(parameter: str) -> Callable[[Refusal], Refusal]:
    """Return the decorator for a refusal that says no only where a parameter is given."""

    def mark(refuse: Refusal) -> Refusal:
        refuse.parameter = parameter  # type: ignore[attr-defined]
        return refuse

    return mark


def no_function(parameter: str) -> Refusal:
    """Refuse a weight that is computed by a function of networkx' users."""

    @looks_at(parameter)
    def refuse(arguments: dict[str, Any]) -> str | None:
        if not callable(arguments[parameter]):
            return None
        return f"{parameter}= is a function, which would be called edge by edge"

    return refuse


def only(parameter: str, *values: Any, why: str) -> Refusal:
    """Refuse all values of a parameter but some."""

    @looks_at(parameter)
    def refuse(arguments: dict[str, Any]) -> str | None:
        given = arguments[parameter]
        if any(given is each or (isinstance(each, str) and given == each) for each in values):
            return None
        return f"{parameter}={given!r}: {why}"

    return refuse


def no_iterator(parameter: str) -> Refusal:
    """Refuse an iterator, which networkx could not read again where emv falls back to it."""

    @looks_at(parameter)
    def refuse(arguments: dict[str, Any]) -> str | None:
        if not hasattr(arguments[parameter], "__next__"):
            return None
        return f"{parameter}= is an iterator, which can be read only once"

    return refuse


@looks_at(GRAPH)
def no_multigraph(arguments: dict[str, Any]) -> str | None:
    """Refuse multigraphs."""
    return "G is a multigraph" if arguments["G"].is_multigraph() else None


@looks_at(GRAPH)
def no_arcs(arguments: dict[str, Any]) -> str | None:
    """Refuse directed graphs."""
    return "G is directed" if arguments["G"].is_directed() else None


@looks_at(GRAPH)
def a_graph(arguments: dict[str, Any]) -> str | None:
    """Refuse what networkx takes for a graph though it only holds nodes, as its views of them."""
    return None if hasattr(arguments["G"], "is_directed") else "G is no graph"
