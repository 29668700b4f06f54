"""Which ways lead through the statements of a function: where they return, or leave a loop."""

from __future__ import annotations

import ast


def always_returns(nodes: list[ast.stmt]) -> bool:
    """Return whether every way through statements ends in a ``return``."""
    return always_leaves(nodes, (ast.Return,))


def always_ends(nodes: list[ast.stmt]) -> bool:
    """Return whether no way leads behind statements: all return, or go on for ever."""
    last = nodes[-1]
    is_endless = isinstance(last, ast.While) and _is_true(last.test) and not _is_broken(last.body)
    return is_endless or always_returns(nodes) or _both_end(last)


def _both_end(node: ast.stmt) -> bool:
    arms = (node.body, node.orelse) if isinstance(node, ast.If) else ()
    return bool(arms) and all(each and always_ends(each) for each in arms)


def _is_true(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and bool(test.value)


def _is_broken(nodes: list[ast.stmt]) -> bool:
    """Return whether a ``break`` leaves the loop around statements."""
    for node in nodes:
        arms = (node.body, node.orelse) if isinstance(node, ast.If) else ()
        if isinstance(node, ast.Break) or any(map(_is_broken, arms)):
            return True
    return False


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
