"""Programs for a GPU with one barrier less: what the race detector must find.

A barrier of the grid is an `arrive`, what one thread does meanwhile, and a `wait`. Without it, that
is done by the first thread of the first block, and nobody waits. Barriers of a block and of a warp
are calls. The text stays as it is otherwise, line by line.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

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
        What one thread does in it.
    edits : tuple
        What is put in the places of some expressions to be rid of it.
    """

    line: int
    does: str
    edits: tuple[tuple[ast.AST, str], ...]


def called(node: ast.AST) -> str:
    """Return the name of the function that a node calls, if any."""
    return ast.unparse(node.func) if isinstance(node, ast.Call) else ""


def calls(node: ast.AST, *names: str) -> list[ast.AST]:
    """Return the calls of some functions in a node."""
    return [each for each in ast.walk(node) if called(each) in names]


def statements(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    """Yield every list of statements."""
    for node in ast.walk(tree):
        for name in ("body", "orelse"):
            found = getattr(node, name, None)
            if isinstance(found, list):
                yield found


def barriers(text: str) -> list[Barrier]:
    """Return the barriers of a text, in its order."""
    found = []
    for block in statements(ast.parse(text)):
        begin = None
        for k, each in enumerate(block):
            if is_simple(each) and calls(each, "cuda.syncthreads", "cuda.syncwarp"):
                (call,) = calls(each, "cuda.syncthreads", "cuda.syncwarp")
                found.append(Barrier(each.lineno, called(call), ((call, "None"),)))
            if arrives(each):
                begin = k
            if is_simple(each) and calls(each, "wait") and begin is not None:
                found.append(of_grid(block[begin : k + 1]))
                begin = None
    return sorted(found, key=lambda each: each.line)


def is_simple(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Assign | ast.Expr)


def arrives(statement: ast.stmt) -> bool:
    """Return whether a statement arrives at a barrier, itself or in its condition."""
    head = statement.test if isinstance(statement, ast.If) else statement
    return isinstance(statement, ast.Assign | ast.If) and bool(calls(head, "arrive"))


def of_grid(lines: list[ast.stmt]) -> Barrier:
    """Return the barrier of the grid that some statements make up."""
    edits: list[tuple[ast.AST, str]] = [(lines[-1], "pass")]
    for each in lines[:-1]:
        edits += [(call, ALONE) for call in calls(each, "arrive")]
        edits += [(call, "None") for call in calls(each, "release", "release_some")]
    inside = "; ".join(ast.unparse(each) for each in lines[1:-1])
    return Barrier(lines[0].lineno, inside, tuple(edits))


def without(text: str, barrier: Barrier) -> str:
    """Return a text without a barrier, whose lines keep their numbers."""
    lines = text.splitlines()
    for node, instead in sorted(barrier.edits, key=lambda each: -each[0].col_offset):
        assert node.lineno == node.end_lineno
        line = lines[node.lineno - 1]
        lines[node.lineno - 1] = line[: node.col_offset] + instead + line[node.end_col_offset :]
    return "\n".join(lines) + "\n"
