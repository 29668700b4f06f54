"""Programs for a GPU with one barrier less: what the race detector must find.

A barrier of the grid is an `arrive`, what one thread does meanwhile, and a `wait`, which the one at
the end lacks. Without it, that is done by the first thread of the first block, and nobody waits.
One in which nothing is done is a `cross`.
Barriers of a block and of a warp are calls. The text stays as it is otherwise, line by line.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

ALONE = "(np.int32(cuda.threadIdx.x) if me < 32 else -1)"
"""In the place of `arrive`: the lane in the first warp of all, -1 elsewhere."""


@dataclass(frozen=True)
class Barrier:
    """A barrier of a text.

    Attributes
    ----------
    line : int
        Where it begins.
    does : str
        What one thread does in it, or the name of the call.
    edits : tuple
        What is put in the places of some expressions to be rid of it.
    """

    line: int
    does: str
    edits: tuple[tuple[Any, str], ...]


def barriers(text: str) -> list[Barrier]:
    """Return the barriers of a text, in its order."""
    functions = [each for each in ast.parse(text).body if isinstance(each, ast.FunctionDef)]
    return [found for each in functions for found in barriers_in(each.body)]


def barriers_in(lines: list[ast.stmt]) -> Iterator[Barrier]:
    """Yield the barriers among some statements."""
    begin = None
    for k, each in enumerate(lines):
        begin = k if arrives(each) else begin
        if isinstance(each, ast.Assign | ast.Expr):
            for call in calls(each, "cuda.syncthreads", "cuda.syncwarp"):
                yield Barrier(call.lineno, called(call), ((call, "None"),))
            if calls(each, "cross"):
                yield Barrier(each.lineno, "cross", ((each, "pass"),))
            if calls(each, "wait"):
                yield of_grid(lines[k if begin is None else begin : k + 1])
                begin = None
        elif begin is None:
            for inner in (getattr(each, "body", []), getattr(each, "orelse", [])):
                yield from barriers_in(inner)
    if begin is not None:
        yield of_grid(lines[begin:])


def arrives(statement: ast.stmt) -> bool:
    """Return whether a statement arrives at a barrier, itself or in its condition."""
    head = statement.test if isinstance(statement, ast.If) else statement
    return isinstance(statement, ast.Assign | ast.If) and bool(calls(head, "arrive"))


def of_grid(lines: list[ast.stmt]) -> Barrier:
    """Return the barrier of the grid that some statements make up."""
    edits: list[tuple[Any, str]] = []
    for each in lines:
        edits += [(each, "pass")] if calls(each, "wait") else []
        edits += [(call, ALONE) for call in calls(each, "arrive")]
        edits += [(call, "None") for call in calls(each, "release", "release_some")]
    does = "; ".join(ast.unparse(each) for each in lines[1:] if not calls(each, "wait"))
    return Barrier(lines[0].lineno, does, tuple(edits))


def called(node: ast.AST) -> str:
    """Return the name of the function that a node calls, if any."""
    return ast.unparse(node.func) if isinstance(node, ast.Call) else ""


def calls(node: ast.AST, *names: str) -> list[Any]:
    """Return the calls of some functions in a node."""
    return [each for each in ast.walk(node) if called(each) in names]


def without(text: str, barrier: Barrier) -> str:
    """Return a text without a barrier, whose lines keep their numbers."""
    lines = text.splitlines()
    for node, instead in sorted(barrier.edits, key=lambda each: -each[0].col_offset):
        assert node.lineno == node.end_lineno
        line = lines[node.lineno - 1]
        lines[node.lineno - 1] = line[: node.col_offset] + instead + line[node.end_col_offset :]
    return "\n".join(lines) + "\n"
