"""Loops that nothing ends: over supersteps, and ``while True`` that is never left.

The first is seen while a program is traced. The other would keep the tracer, or a thread of a GPU,
busy for ever, so it is found in the text.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator
from weakref import WeakSet

from emv.errors import EndlessLoopError, Loc, SourceError
from emv.lang.source import read_source
from emv.lang.ways import blocks_of, never_left

_READ: WeakSet[types.FunctionType] = WeakSet()


def refuse_endless(program: types.FunctionType) -> None:
    """Refuse a program with a loop that nothing can end; each is read once."""
    if program in _READ:
        return
    try:
        source = read_source(program)
    except SourceError:
        return
    for loop in _loops(source.tree.body):
        if never_left(loop):
            raise never_left_loop(
                source.loc(loop.test),
                "Write for _ in g.supersteps(100), or for _ in g.supersteps(), which goes on as "
                "long as a function activates or keeps going.",
            )
    _READ.add(program)


def never_left_loop(loc: Loc, remedy: str) -> EndlessLoopError:
    """Return the error for a ``while True`` that nothing leaves."""
    what = "this loop can never end: nothing in it breaks or returns"
    return EndlessLoopError(what, loc, remedy)


def _loops(nodes: list[ast.stmt]) -> Iterator[ast.While]:
    """Yield the loops of statements, without those that an exception may end."""
    for node in nodes:
        if isinstance(node, ast.While):
            yield node
        if not isinstance(node, ast.Try | ast.With | ast.FunctionDef | ast.ClassDef):
            for each in blocks_of(node):
                yield from _loops(each)


def endless_loop(loc: Loc) -> EndlessLoopError:
    """Return the error for a loop that nothing can end."""
    return EndlessLoopError(
        "this loop can never end: it has no limit and nothing in it votes or activates",
        loc,
        "Give it a limit, g.supersteps(100), or until=lambda: ..., or call v.activate(), "
        "emv.keep_going() or emv.halt() in a function it applies.",
    )
