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


def never_left(loop: ast.While) -> bool:
    r"""Return whether a loop goes on for ever: ``while True`` that nothing in it leaves.

    Examples
    --------
    >>> text = "while True:\n while x:\n  break"
    >>> never_left(ast.parse(text).body[0]), never_left(ast.parse(text + "\n break").body[0])
    (True, False)
    """
    return _is_true(loop.test) and not _may_leave(loop.body, False)


def _may_leave(nodes: list[ast.stmt], is_inner: bool) -> bool:
    """Return whether a statement may leave the loop around; a ``break`` of inner ones does not."""
    for node in nodes:
        if isinstance(node, ast.Return | ast.Raise | ast.Assert):
            return True
        if isinstance(node, ast.Break) and not is_inner:
            return True
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        is_loop = isinstance(node, ast.While | ast.For)
        if any(_may_leave(each, is_inner or is_loop) for each in blocks_of(node)):
            return True
        if isinstance(node, ast.While | ast.For) and _may_leave(node.orelse, is_inner):
            return True
    return False


def blocks_of(node: ast.AST) -> list[list[ast.stmt]]:
    """Return the lists of statements that a statement holds."""
    held = [getattr(node, name, []) for name in ("body", "orelse", "finalbody")]
    parts = (*getattr(node, "handlers", ()), *getattr(node, "cases", ()))
    return held + [each.body for each in parts]


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
