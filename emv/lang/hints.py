"""Programs that run, but hardly do what was meant: what they are told, on every backend."""

from __future__ import annotations

import ast
import types
from typing import Any

from emv.errors import HintWarning, Loc, SourceError
from emv.ir import program as ir
from emv.lang.source import read_source
from emv.lang.supersteps import ACTIVE
from emv.tracebacks import warn_at_caller


class Awake:
    """Whether anybody can be active where a program asks for the active set.

    A call is idle if it is applied to an active set that nobody can be in, or to who receives what
    an idle call sent. Activations of idle calls never happen.
    """

    def __init__(self) -> None:
        self.first: Loc | None = None  # of a call on an active set
        self.somebody = False

    def note(self, function: Any, domain: str, is_idle: bool, loc: Loc) -> None:
        """Take note of a call; ``is_idle`` says whether only active vertices can set it going."""
        if domain in ACTIVE:
            self.first = self.first or loc
        self.somebody |= not is_idle and "activate" in function.effects.acts

    def hint(self) -> None:
        """Warn of a program in which nobody is ever active."""
        if self.first is None or self.somebody:
            return
        hint(
            f"at {self.first} ({self.first.text.strip()}) nobody is ever active: no function "
            "activates a vertex or an edge, but for those that run on active ones. Write "
            "v.activate() in a function that is applied to g.only(source) or to g before, and in "
            "the one that receives"
        )


def hint_idle(body: tuple[ir.Node, ...]) -> None:
    """Warn of a traced program in which nobody is ever active."""
    awake, idle = Awake(), set[int]()
    for node in ir.nodes_in(body):
        if isinstance(node, ir.Apply):
            is_idle = node.domain.kind in ACTIVE or node.domain.source in idle
            idle |= {node.id} if is_idle else set()
            awake.note(node.function, node.domain.kind, is_idle, node.loc)
    awake.hint()


class OneWay:
    """Which calls send along each edge of an undirected graph once, and so one way only."""

    def __init__(self, directed: bool) -> None:
        self.directed = directed
        self.told = set[Loc]()

    def note(self, function: Any, domain: str, loc: Loc) -> None:
        """Take note of a call, and warn of one whose messages only go from src to dst."""
        acts = function.effects.acts
        if self.directed or domain != "edges" or "send" not in acts or "send_to" in acts:
            return
        if loc not in self.told:
            self.told.add(loc)
            hint(
                f"at {loc} ({loc.text.strip()}) {function.name}() sends along every edge of an "
                "undirected graph once, from its src to its dst and not back. Apply it to g for "
                "both ways, or send_to() both ends"
            )


def hint_one_way(body: tuple[ir.Node, ...], directed: bool) -> None:
    """Warn of calls in a traced program whose messages go one way along undirected edges."""
    one_way = OneWay(directed)
    for node in ir.nodes_in(body):
        if isinstance(node, ir.Apply):
            one_way.note(node.function, node.domain.kind, node.loc)


def hint_no_result(python: types.FunctionType) -> None:
    """Warn of a program that was called for its result and has no ``return``."""
    try:
        tree = read_source(python).tree
    except SourceError:
        return
    if not any(isinstance(node, ast.Return) for node in ast.walk(tree)):
        name = python.__name__
        hint(
            f"{name}() has no return statement, so calling it gives None, and runs leave the graph "
            f"as it was. End it with return g.vertices.x, or take the columns of "
            f"{name}.run(g).vertices"
        )


def hint(what: str) -> None:
    """Warn at the line of the user's."""
    warn_at_caller(what, HintWarning)
