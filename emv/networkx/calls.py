"""The functions of the backend by networkx' names, and which of their calls it can run.

A function has networkx' own signature. `serves` notes it, with what it cannot do: each refusal is
asked with the arguments of a call and returns the reason, or nothing.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from emv.networkx.graphs import graph_of

Refusal = Callable[[dict[str, Any]], str | None]


@dataclass(frozen=True)
class Served:
    """A function of the backend."""

    call: Callable[..., Any]
    signature: inspect.Signature
    refusals: tuple[Refusal, ...]


FUNCTIONS: dict[str, Served] = {}
"""All of them, by networkx' names."""


def serves(*refusals: Refusal) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the decorator for a function of networkx' name and signature.

    Parameters
    ----------
    *refusals : callable
        What it cannot do, see the module.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(G: Any, *args: Any, **named: Any) -> Any:
            return function(graph_of(G), *args, **named)

        FUNCTIONS[function.__name__] = Served(call, inspect.signature(function), refusals)
        return call

    return decorate


def can_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Return whether the backend can run a call, or the reason why not; called by networkx."""
    served = FUNCTIONS.get(name)
    if served is None:
        return f"emv has no {name}()"
    try:
        bound = served.signature.bind(*args, **kwargs)
    except TypeError as error:
        return f"{name}(): {error}"
    bound.apply_defaults()
    reasons = (refuse(bound.arguments) for refuse in served.refusals)
    return next((reason for reason in reasons if reason), True)


def no_function(parameter: str) -> Refusal:
    """Refuse a weight that is computed by a function of networkx' users."""

    def refuse(arguments: dict[str, Any]) -> str | None:
        if not callable(arguments[parameter]):
            return None
        return f"{parameter}= is a function, which would be called edge by edge"

    return refuse


def only(parameter: str, *values: Any, why: str) -> Refusal:
    """Refuse all values of a parameter but some."""

    def refuse(arguments: dict[str, Any]) -> str | None:
        given = arguments[parameter]
        if any(given is each or (isinstance(each, str) and given == each) for each in values):
            return None
        return f"{parameter}={given!r}: {why}"

    return refuse


def no_multigraph(arguments: dict[str, Any]) -> str | None:
    """Refuse multigraphs."""
    return "G is a multigraph" if arguments["G"].is_multigraph() else None
