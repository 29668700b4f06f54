"""Count the code lines of the algorithms' pages, to see that the language stays short.

Usage: python bench/lines_of_code.py

A code line holds a token that is neither comment nor docstring. Counted is the language text of
``emv/algorithms/<name>.py``: everything but imports, docstrings, ``__all__`` and the functions
``check_...`` beside the algorithm. Prints a table; exits 1 when a page is over its limit.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from pathlib import Path

LIMITS = {"pagerank": 24, "bfs": 18, "sssp": 19, "cascade": 19, "boruvka": 39}
PAGES = Path(__file__).resolve().parent.parent / "emv" / "algorithms"
NOT_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def is_docstring(node: ast.AST) -> bool:
    """Say whether a statement is only a string."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def is_left_out(node: ast.AST) -> bool:
    """Say whether a statement is no part of the language text."""
    if isinstance(node, ast.FunctionDef):
        return node.name.startswith("check_")
    if isinstance(node, ast.Assign):
        return any(isinstance(name, ast.Name) and name.id == "__all__" for name in node.targets)
    return isinstance(node, ast.Import | ast.ImportFrom) or is_docstring(node)


def left_out_lines(tree: ast.Module) -> set[int]:
    """Return the 1-based lines of all statements that do not count, decorators included."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        if is_left_out(node):
            decorators = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(each.lineno for each in decorators)])
            lines.update(range(first, node.end_lineno + 1))
    return lines


def code_lines(source: str) -> int:
    """Return the number of code lines of the language text in a module's source."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in NOT_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - left_out_lines(ast.parse(source)))


def counts() -> dict[str, int]:
    """Return the code lines of every algorithm that has a limit."""
    return {name: code_lines((PAGES / f"{name}.py").read_text("utf-8")) for name in LIMITS}


def main() -> int:
    """Print the table; return 1 when a page is over its limit."""
    print(f"{'algorithm':<12}{'code lines':>10}{'limit':>7}")
    over = 0
    for name, count in counts().items():
        verdict = "" if count <= LIMITS[name] else "   over"
        over += count > LIMITS[name]
        print(f"{name:<12}{count:>10}{LIMITS[name]:>7}{verdict}")
    return int(over > 0)


if __name__ == "__main__":
    sys.exit(main())
