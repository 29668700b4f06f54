"""Which ways lead through the statements of a function: where they return, or leave a loop."""

from __future__ import annotations

import ast


def always_returns(nodes: list[ast.stmt]) -> bool:
    """Return whether every way through statements ends in a ``return``."""
    return always_leaves(nodes, (ast.Return,))


def always_leaves(
    nodes: list[ast.stmt], by: tuple[type[ast.stmt], ...] = (ast.Return, ast.Break, ast.Continue)
) -> bool:
    """Return whether every way through statements ends in one of some kinds."""
    for node in nodes:
        if isinstance(node, by):
            return True
        arms = (node.body, node.orelse) if isinstance(node, ast.If) else ()
        if arms and all(always_leaves(each, by) for each in arms):
            return True
    return False


def may_return(node: ast.stmt) -> bool:
    """Return whether a statement holds a ``return``."""
    return any(isinstance(each, ast.Return) for each in ast.walk(node))
