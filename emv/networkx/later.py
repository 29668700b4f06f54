"""Graphs of networkx whose dicts are made when somebody looks at them.

A part of a graph of 10^6 edges is found in a fraction of the time that its dicts take, and who asks
emv for something else of it needs none. So a part is handed over as arrays, in a graph of networkx'
own class but for one thing: its first look at nodes or edges, from wherever it comes, makes the
dicts. From then on it *is* a plain `networkx.Graph` or `networkx.DiGraph`, `type` included. What it
says was read when it was made, so that it owes nothing to the graph that it is a part of.

nx-cugraph hands over graphs that are filled late, too; there they stay of a class of their own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import networkx as nx

_FILLING = threading.RLock()
"""One thread fills a graph, and the others wait."""


class _Stored:
    """Something that networkx stores with a graph, and that is there once the dicts are made."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, graph: Any, owner: type) -> Any:
        return self if graph is None else getattr(filled(graph), self.name)

    def __set__(self, graph: Any, value: Any) -> None:
        setattr(filled(graph), self.name, value)


class Later:
    """What graphs that are not filled have in common."""

    _filling: Callable[[], Any]
    _adj = _Stored()
    _node = _Stored()

    def __reduce_ex__(self, protocol: Any) -> Any:
        return filled(self).__reduce_ex__(protocol)  # as another class, which does not come here


class LaterGraph(Later, nx.Graph):  # type: ignore[misc]
    """One without direction."""

    def __new__(cls, *args: Any, **named: Any) -> Any:
        """Return a plain graph: who makes one of this class has all that it will hold."""
        return nx.Graph(*args, **named)


class LaterDiGraph(Later, nx.DiGraph):  # type: ignore[misc]
    """One of arcs."""

    _succ = _Stored()
    _pred = _Stored()

    def __new__(cls, *args: Any, **named: Any) -> Any:
        """Return a plain graph: who makes one of this class has all that it will hold."""
        return nx.DiGraph(*args, **named)


KINDS: dict[type, type] = {nx.Graph: LaterGraph, nx.DiGraph: LaterDiGraph}
"""The classes whose graphs can be filled late."""
_PLAIN = {later: plain for plain, later in KINDS.items()}


def plain_kind(graph: Any) -> type:
    """Return the class of a graph, which it has once it is filled."""
    kind = type(graph)
    return _PLAIN.get(kind, kind)


def is_filled(graph: Any) -> bool:
    """Return whether the dicts of a graph of networkx are there."""
    return type(graph) not in _PLAIN


def made_later(kind: type, graph: dict[Any, Any], filling: Callable[[], Any]) -> Any:
    """Return a graph of a class of `KINDS` that is filled when somebody looks at it.

    Parameters
    ----------
    kind : type
        What it is once it is filled.
    graph : dict
        Its own attributes.
    filling : callable
        Makes the graph with all that it holds; called once.
    """
    made: Any = object.__new__(KINDS[kind])
    vars(made).update(graph=dict(graph), __networkx_cache__={}, _filling=filling)
    return made


def filled(graph: Any) -> Any:
    """Return the graph itself, which is of networkx' own class from now on."""
    with _FILLING:
        if not is_filled(graph):
            own, whole = vars(graph), vars(graph._filling())
            own.update(
                {name: whole[name] for name in ("_adj", "_succ", "_pred", "_node") if name in whole}
            )
            graph.__class__ = plain_kind(graph)
            del own["_filling"]
    return graph
