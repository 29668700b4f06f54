"""What is found in the text of a user function: its typed body, and what backends ask about it."""

from __future__ import annotations

import types
from dataclasses import dataclass
from typing import Any

from emv.errors import Loc
from emv.ir import body as ir
from emv.lang.effects import Effects, find_effects
from emv.lang.helpers import helpers_called
from emv.lang.promote import strong
from emv.lang.reassigned import with_own
from emv.lang.scope import ListRef, Scope
from emv.lang.statements import Statements


@dataclass(frozen=True)
class Analysis:
    """What building a function's body found.

    Attributes
    ----------
    captured : dict
        What the function and its helpers name from outside, by the dotted name.
    edge_record, sent_record : record class or None
        Of the edge list, and of the messages that it sends, when they are records.
    helpers : dict
        The plain functions that it calls, and those that they call, by name.
    changed, chosen : dict
        The variables, and the choices by their places, that convert what they are given.
    """

    body: ir.Body
    effects: Effects
    captured: dict[str, Any]
    edge_record: Any
    sent_record: Any
    helpers: dict[str, types.FunctionType]
    changed: dict[str, ir.Type]
    chosen: dict[Loc, ir.Type]


def analyse(empty: Scope, parameters: dict[str, ir.Type]) -> Analysis:
    """Build the body of a function until the types of its locals stand still.

    Each round widens them.

    Parameters
    ----------
    empty : Scope
        The names of the parameters, in which nothing has been found yet.
    parameters : dict
        The types of those that a call gives.
    """
    known: dict[str, ir.Type] = {}
    nodes = empty.source.tree.body
    while True:
        scope = Scope(empty.source, empty.function, dict(empty.names), dict(empty.records))
        scope.locals.update(known)
        scope.assigned.update(scope.names)
        statements = Statements(scope).block(nodes)
        if scope.locals == known:
            break
        known = dict(scope.locals)
    statements, own = with_own(statements, parameters, scope, empty.loc(empty.source.tree))
    body = ir.Body(
        statements,
        {name: strong(kind) for name, kind in known.items()} | own,
        None if scope.result is None else strong(scope.result),
        None if scope.message is None else strong(scope.message),
        helpers_called(scope),
    )
    lists = [each for each in empty.names.values() if isinstance(each, ListRef)]
    edge_record = next((each.record for each in lists if each.kind == "edges"), None)
    return Analysis(
        body,
        find_effects(body),
        scope.captured,
        edge_record,
        scope.sent_record,
        scope.helpers,
        scope.changed,
        scope.chosen,
    )
